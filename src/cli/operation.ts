import type { Endpoint } from '../core/endpoint.js';
import { goesOutSoon } from './confirm.js';
import type { JsonObject } from './read-input.js';

/** One operation of the service, with the names of its method. */
export interface CommandOperation {
  readonly resource: string;
  readonly method: string;
  readonly endpoint: Endpoint;
}

/** The path parameters that an argument may show. */
export function positionals(endpoint: Endpoint): string[] {
  const secret = new Set(endpoint.secrets?.params);
  return Object.keys(endpoint.params ?? {}).filter((name) => !secret.has(name));
}

/** If two operations share a route: the field that selects this operation. It is an argument of the method. */
export function isPositional({ selectedBy }: Endpoint): boolean {
  return selectedBy?.present === true;
}

export function isWrite({ route }: Endpoint): boolean {
  return !route.startsWith('GET ');
}

/** The reply contains a signing secret, which no output may show. */
export function savesSecret({ route }: Endpoint): boolean {
  return route === 'POST /v1/notifications/';
}

/** The question before a call that publishes or cannot be undone. `undefined`: no question. */
export function asksFirst({
  resource,
  method,
}: CommandOperation): ((body: JsonObject, now: number) => string | undefined) | undefined {
  switch (`${resource}.${method}`) {
    case 'posts.create':
      return (body, now) => (goesOutSoon(body, now) ? 'This post goes out within 5 minutes.' : undefined);
    case 'messages.send':
      return () => 'This message goes out now and cannot be undone.';
    default:
      return undefined;
  }
}
