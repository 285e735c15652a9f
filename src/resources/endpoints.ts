import { endpointAt, type Endpoint } from '../core/call/endpoint.js';
import { analyticsEndpoints } from './analytics.js';
import { appEndpoints } from './apps.js';
import { automationEndpoints } from './automations.js';
import { commentEndpoints } from './comments.js';
import { integrationEndpoints } from './integrations.js';
import { messageEndpoints } from './messages.js';
import { notificationEndpoints } from './notifications.js';
import { postEndpoints } from '../posts/posts.js';
import { once } from '../schema/fields.js';

/** The endpoints of the eight resources, each under the name of the client's namespace. */
export const endpoints = {
  posts: postEndpoints,
  comments: commentEndpoints,
  messages: messageEndpoints,
  automations: automationEndpoints,
  analytics: analyticsEndpoints,
  notifications: notificationEndpoints,
  integrations: integrationEndpoints,
  apps: appEndpoints,
};

export function allEndpoints(): Endpoint[] {
  return Object.values(endpoints).flatMap((group) => Object.values<Endpoint>(group));
}

export interface MatchedRoute {
  readonly endpoint: Endpoint | undefined;
  /** The path with every secret segment replaced by a parameter. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** The names of the parameters that no error, hook or log may show. */
  readonly secrets: readonly string[];
}

/** The segments right before a secret parameter in a documented path. */
const marks = once(() => {
  const secret = allEndpoints().filter(({ secrets }) => secrets?.params !== undefined);
  return new Set(
    secret.flatMap(({ route }) => segmentsOf(route).filter((_, i, segments) => isParameter(segments[i + 1] ?? ''))),
  );
});

/**
 * Finds the operation of a route, in any spelling: with additional slashes, in capitals, or percent-encoded. It may
 * have other parameter names, or values instead of names. A segment after a marking segment is secret in any path,
 * documented or not.
 */
export function matchRoute(method: string, path: string, params: Readonly<Record<string, string>>): MatchedRoute {
  const safe = takeOutSecrets(path, params);
  const segments = segmentsOf(safe.path).map((segment) => plain(segment, safe.params));
  // Two operations share a route and differ in their query; the fields used here are the same.
  const endpoint = allEndpoints().find((one) => {
    const documented = endpointAt(one);
    const pattern = segmentsOf(documented.route);
    return (
      documented.method === method &&
      pattern.length === segments.length &&
      pattern.every((text, index) => isParameter(text) || text === segments[index])
    );
  });
  return { endpoint, ...safe };
}

/** The other segments of documented paths are in lower case. */
function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function takeOutSecrets(path: string, params: Readonly<Record<string, string>>): Omit<MatchedRoute, 'endpoint'> {
  const taken: Record<string, string> = { ...params };
  const secrets: string[] = [];
  let marked = false;
  const written = path.split('/').map((segment) => {
    if (!marked) {
      marked = marks().has(plain(segment, params));
      return segment;
    }
    if (segment === '') return segment;
    const name = /^\{([^{}]+)\}$/.exec(segment)?.[1];
    if (name !== undefined) {
      secrets.push(name);
      return segment;
    }
    const own = `token${secrets.length === 0 ? '' : String(secrets.length + 1)}`;
    taken[own] = decoded(fill(segment, params));
    for (const [, part = ''] of segment.matchAll(braces)) Reflect.deleteProperty(taken, part);
    secrets.push(own);
    return `{${own}}`;
  });
  return { path: written.join('/'), params: taken, secrets };
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** A segment as the service may read it. */
function plain(segment: string, params: Readonly<Record<string, string>>): string {
  return decoded(fill(segment, params)).toLowerCase();
}

const braces = /\{([^{}]+)\}/g;

function fill(segment: string, params: Readonly<Record<string, string>>): string {
  return segment.replace(braces, (_, name: string) => params[name] ?? '');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // An incomplete percent encoding: it is sent unchanged, encoded.
  }
}
