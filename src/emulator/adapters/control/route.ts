import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import { endpointAt, type ObjectSchema, type Route } from '../../../core/call/endpoint.js';
import type { Emulator } from '../../emulator.js';
import type { Observed } from './observed.js';
import { matchRoute } from '../../http/router.js';
import { Refusal } from './guard.js';

export interface ControlCall<Query, Body> {
  readonly service: Emulator;
  /** The emulator's state when the control API was created. */
  readonly start: ReturnType<Emulator['snapshot']>;
  readonly observed: Observed;
  /** The ID of this control API: another start has another one. */
  readonly instance: string;
  /** Aborted when the event streams must end. */
  readonly ended: AbortSignal;
  readonly param: (name: string) => string;
  readonly query: Query;
  readonly body: Body;
}

/** One route of the control API, defined once: it answers requests, and its OpenAPI document is generated from it. */
export interface ControlRoute {
  /** The method, and the path after `/_emulator`; a parameter is written `{name}`. */
  readonly route: Route;
  readonly summary: string;
  readonly params?: Readonly<Record<string, { readonly description: string; readonly values?: readonly string[] }>>;
  readonly query?: () => ObjectSchema;
  /** The body. With a parameter `kind` in the path, its values choose one of several bodies. */
  readonly body?: () => z.ZodMiniType;
  readonly bodyOf?: (param: (name: string) => string) => z.ZodMiniType | undefined;
  /** Whether the body is optional; a missing body is read as `{}`. */
  readonly bodyOptional?: true;
  /** The reply, and its content type if that isn't JSON. */
  readonly reply: { readonly description: string; readonly schema?: () => z.ZodMiniType; readonly type?: string };
  readonly answer: (call: ControlCall<unknown, unknown>) => unknown;
}

export function route<
  Query extends z.core.$ZodType = z.ZodMiniUndefined,
  Body extends z.core.$ZodType = z.ZodMiniUndefined,
>(
  value: Omit<ControlRoute, 'query' | 'body' | 'bodyOf' | 'answer'> & {
    readonly query?: () => Query;
    readonly body?: () => Body;
    readonly bodyOf?: (param: (name: string) => string) => Body | undefined;
    readonly answer: (call: ControlCall<z.core.output<Query>, z.core.output<Body>>) => unknown;
  },
): ControlRoute {
  // A list of all routes contains only their common type; the control API passes each route the values that its
  // schemas return.
  return value as unknown as ControlRoute;
}

/** Returns the values of the path parameter that chooses one of several bodies. */
export function valuesOf({ params = {} }: ControlRoute): string[] {
  return Object.values(params).flatMap(({ values = [] }) => values);
}

export const controlPath = '/_emulator';

export function isControlPath(path: string): boolean {
  return path === controlPath || path.startsWith(`${controlPath}/`);
}

/** The reply of a route that removes records. */
export const removedReply = (records: string) => ({
  description: `The number of removed ${records}.`,
  schema: once(() => z.strictObject({ removed: z.number() })),
});

/** Defines a route that removes one record by its ID. `GET` of the path lists the records. */
export function removeRoute(
  path: `/${string}`,
  record: string,
  remove: (service: Emulator, id: string) => boolean,
): ControlRoute {
  return route({
    route: `DELETE ${path}/{id}`,
    summary: `Removes one ${record}.`,
    params: { id: { description: `The ID of the ${record}.` } },
    reply: removedReply(`${record}s`),
    answer({ service, param }) {
      const id = param('id');
      if (remove(service, id)) return { removed: 1 };
      throw new Refusal(404, `The ${record} '${id}' does not exist. GET ${controlPath}${path} lists all ${record}s.`);
    },
  });
}

export interface Match {
  readonly route: ControlRoute;
  readonly param: (name: string) => string;
}

/**
 * Finds the route of a request.
 * @throws Refusal if the path is unknown, or has no route for this method
 */
export function findRoute(routes: readonly ControlRoute[], method: string, pathname: string): Match {
  const path = pathname.slice(controlPath.length).replace(/(.)\/$/, '$1');
  const others: string[] = [];
  for (const route of routes) {
    const { method: accepted } = endpointAt(route);
    const params = matchRoute(route.route, accepted, path);
    if (params === undefined) continue;
    if (accepted === method) return { route, param: (name) => decoded(params[name] ?? '') };
    others.push(accepted);
  }
  if (others.length === 0)
    throw new Refusal(404, `${pathname} does not exist. GET ${controlPath}/openapi.json describes all routes.`);
  const allowed = others.join(', ');
  throw new Refusal(405, `${pathname} takes ${allowed}, not ${method}.`, { allow: allowed });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal(400, 'The path is not valid percent-encoding.');
  }
}
