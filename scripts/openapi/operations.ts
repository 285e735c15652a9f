import type { Endpoint } from '../../src/core/call/endpoint.js';
import { endpoints } from '../../src/resources/endpoints.js';

/** An operation of the client: an endpoint and the method that calls it. */
export interface Operation {
  readonly tag: string;
  /** For example `posts.create`. */
  readonly name: string;
  readonly id: string;
  readonly endpoint: Endpoint;
  /** The heading of the API document that it comes from. */
  readonly section: string;
}

type Resource = keyof typeof endpoints;

const sections: Readonly<Record<Resource, string>> = {
  posts: 'Posts',
  comments: 'Comments',
  messages: 'Messages (Instagram)',
  automations: 'Comment automations',
  analytics: 'Analytics',
  notifications: 'Notifications',
  integrations: 'Connect and integrations',
  apps: 'Own OAuth apps',
};

/** IDs for methods whose names are unclear without their namespace. */
const ids: Readonly<Record<string, string>> = {
  'posts.updateScheduled': 'updateScheduledPost',
  'automations.listLogs': 'listAutomationLogs',
  'analytics.getPost': 'getPostAnalytics',
  // One operation with `getPost`; only the query distinguishes them.
  'analytics.listPosts': 'getPostAnalytics',
};

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the ID of an operation, such as `createPost`: an identifier in any language. */
export function operationId(resource: string, method: string): string {
  const known = ids[`${resource}.${method}`];
  if (known !== undefined) return known;
  // Method names of several words already name their subject.
  if (/[A-Z]/.test(method)) return method;
  return method + capital(method === 'list' ? resource : resource.replace(/s$/, ''));
}

/** Every operation, by resource. */
export const operations: readonly Operation[] = Object.entries(endpoints).flatMap(([tag, group]) =>
  Object.entries<unknown>(group).map(([name, endpoint]) => ({
    tag,
    name: `${tag}.${name}`,
    id: operationId(tag, name),
    // The type parameters of an endpoint don't matter here: only its schemas are written.
    endpoint: endpoint as Endpoint,
    section: sections[tag as Resource], // `Object.entries` loses the names.
  })),
);
