import type { Endpoint } from '../../core/endpoint.js';
import { endpoints } from '../../resources/endpoints.js';
import { analyticsHandlers } from '../handlers/analytics.js';
import { appHandlers } from '../handlers/apps.js';
import { automationHandlers } from '../handlers/automations.js';
import { commentHandlers } from '../handlers/comments.js';
import type { Call, Handlers, Service } from '../handlers/handler.js';
import { integrationHandlers } from '../handlers/integrations.js';
import { messageHandlers } from '../handlers/messages.js';
import { notificationHandlers } from '../handlers/notifications.js';
import { postHandlers } from '../handlers/posts.js';
import { compileRoute, type RoutePattern } from './route.js';

export interface ServedOperation {
  readonly endpoint: Endpoint;
  readonly handler: (service: Service, call: Call<unknown, unknown>) => unknown;
  readonly pattern: RoutePattern;
}

/** The handlers of the eight resources. A missing handler does not compile. */
const handlers: { readonly [Name in keyof typeof endpoints]: Handlers<(typeof endpoints)[Name]> } = {
  posts: postHandlers,
  comments: commentHandlers,
  messages: messageHandlers,
  automations: automationHandlers,
  analytics: analyticsHandlers,
  notifications: notificationHandlers,
  integrations: integrationHandlers,
  apps: appHandlers,
};

export function allOperations(): ServedOperation[] {
  // `handlers` pairs the types of each endpoint and handler; a list of all operations loses the pairing.
  const groups = Object.entries(endpoints) as unknown as [keyof typeof endpoints, Record<string, Endpoint>][];
  return groups.flatMap(([resource, group]) => {
    const ofResource = handlers[resource] as unknown as Readonly<Record<string, ServedOperation['handler']>>;
    return Object.entries(group).flatMap(([name, endpoint]) => {
      const handler = ofResource[name];
      return handler === undefined ? [] : [{ endpoint, handler, pattern: compileRoute(endpoint.route) }];
    });
  });
}
