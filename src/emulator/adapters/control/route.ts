import type * as z from 'zod/mini';
import type { ObjectSchema } from '../../../core/endpoint.js';
import type { Emulator } from '../../emulator.js';
import type { Observed } from './observed.js';

export interface ControlCall<Query, Body> {
  readonly service: Emulator;
  /** The emulator's state when the control API was created. */
  readonly start: ReturnType<Emulator['snapshot']>;
  readonly observed: Observed;
  /** The ID of this control API: another start has another one. */
  readonly instance: string;
  readonly param: (name: string) => string;
  readonly query: Query;
  readonly body: Body;
}

/** One route of the control API, defined once: it answers requests, and its OpenAPI document is generated from it. */
export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path after `/_emulator`; a parameter is written `{name}`. */
  readonly path: `/${string}`;
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
  // A list of all routes contains only their common type; the control API passes each route the values of its own
  // schemas.
  return value as unknown as ControlRoute;
}
