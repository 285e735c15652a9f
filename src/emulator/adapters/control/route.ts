import type * as z from 'zod/mini';
import type { ObjectSchema } from '../../../core/endpoint.js';
import type { Emulator } from '../../emulator.js';
import type { Observed } from './observed.js';

/** What a route works with. */
export interface ControlCall<Query, Body> {
  readonly service: Emulator;
  /** The emulator as it was when the control API was made. */
  readonly start: ReturnType<Emulator['snapshot']>;
  readonly observed: Observed;
  readonly param: (name: string) => string;
  readonly query: Query;
  readonly body: Body;
}

/** One route of the control API, defined once: requests are answered with it, and its OpenAPI document is made from it. */
export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** What follows `/_emulator`; a parameter is written `{name}`. */
  readonly path: `/${string}`;
  /** What it does, in one sentence. */
  readonly summary: string;
  /** What may stand in the place of each parameter. */
  readonly params?: Readonly<Record<string, { readonly description: string; readonly values?: readonly string[] }>>;
  readonly query?: () => ObjectSchema;
  /** The body. The values of `kind` choose among several, where the path has such a parameter. */
  readonly body?: () => z.ZodMiniType;
  readonly bodyOf?: (param: (name: string) => string) => z.ZodMiniType | undefined;
  /** Whether a request may come without the body; it is then read as `{}`. */
  readonly bodyOptional?: true;
  /** What comes back, and in which form where that is not JSON. */
  readonly reply: { readonly description: string; readonly schema?: () => z.ZodMiniType; readonly type?: string };
  readonly answer: (call: ControlCall<unknown, unknown>) => unknown;
}

/** Defines a route. The compiler infers what its schemas give. */
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
  // A list of all routes can only hold what they have in common; the control API gives each what its own schemas gave.
  return value as unknown as ControlRoute;
}
