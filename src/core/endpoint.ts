import type { Issue } from './errors.js';
import type * as z from 'zod/mini';
import type { ListDefinition } from './list.js';

/** After which failures an operation may be retried. A property of the endpoint, not of its HTTP method. */
export type RetryClass =
  /** Reads without cost, and writes that set a value: retried after anything. */
  | 'repeatable'
  /** Costs a credit for a successful call: retried after a failed status, not after silence. */
  | 'paid_per_success'
  /** Costs a credit for each call: retried only where nothing was carried out. */
  | 'paid_per_call'
  /** A write that would be carried out twice: retried only where nothing was carried out. */
  | 'once';

/** An HTTP method. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** A method and a path template, for example `GET /v1/posts/{postId}`. */
export type Route = `${Method} /${string}`;

/** Rules for one path parameter beside those that hold for all. */
export interface PathParameter {
  readonly description: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Where a request carries secrets, by name. Those of replies are told by the names of their fields, in any reply. */
export interface SecretFields {
  /** Path parameters. What follows the same segment in any other path is secret too. */
  readonly params?: readonly string[];
  /** Fields of the request's body. */
  readonly body?: readonly string[];
}

export type ObjectSchema<Value = unknown> = z.ZodMiniType<Value> & {
  readonly shape: Readonly<Record<string, z.core.$ZodType>>;
};

/**
 * One operation of the service, defined once: the client calls through it, the emulator serves it, and the documents are
 * made from it. Schemas are functions, built on first use.
 */
export interface Endpoint<Query = unknown, Body = unknown, Reply = unknown> {
  /** Method and path template with its exact trailing slash. */
  readonly route: Route;
  /** What the operation does, in one sentence. */
  readonly summary: string;
  /** The heading of the API document that it comes from. */
  readonly section: string;
  readonly params?: Readonly<Record<string, PathParameter>>;
  readonly query?: () => ObjectSchema<Query>;
  readonly body?: () => ObjectSchema<Body>;
  readonly response: () => z.ZodMiniType<Reply>;
  readonly retry: RetryClass;
  /** What a call costs; for which calls it is charged, its retry class says. */
  readonly credits?: 1;
  /** It saves what a user selected, by a one-time token. Whether the access key is required is not documented; it is sent. */
  readonly selection?: true;
  /** What no single field shows of a body to be wrong. `extraBody` goes over it, unchecked, and may be what is missing. */
  readonly bodyIssues?: (body: unknown, extraBody: unknown) => Issue[];
  /** Whether a call with this body may take minutes, for example since platforms are waited for. */
  readonly isSlow?: (body: unknown) => boolean;
  /** What no error, hook or log may show. */
  readonly secrets?: SecretFields;
  /** Whether a reply with `success: false` shows that the operation was carried out all the same, at least in part. */
  readonly carriedOut?: (reply: Readonly<Record<string, unknown>>) => boolean;
  /** The error form that the API document assigns to the operation (Errors, 1). */
  readonly errorForm: 'message' | 'error';
  /** Documented defaults of query fields. The client doesn't send them: the service applies them. */
  readonly defaults?: Readonly<Record<string, string | number>>;
  /** For a list: how it is walked and where its reply keeps the items. */
  readonly list?: ListDefinition;
  /** Where two operations share a route: the query field whose presence tells them apart. */
  readonly selectedBy?: { readonly query: string; readonly present: boolean };
  readonly deprecated?: true;
}

/** Defines an endpoint. It gives back the very value; its use is that the compiler checks and infers. */
/* @__NO_SIDE_EFFECTS__ */
export function endpoint<Query = undefined, Body = undefined, Reply = unknown>(
  value: Endpoint<Query, Body, Reply>,
): Endpoint<Query, Body, Reply> {
  return value;
}

/** An endpoint whose reply is a page of a list. */
export interface ListEndpoint<Query = unknown, Reply = unknown> extends Endpoint<Query, undefined, Reply> {
  readonly list: ListDefinition;
}

/** Defines the endpoint of a list. The compiler checks that the reply has the fields that `list` names. */
/* @__NO_SIDE_EFFECTS__ */
export function listEndpoint<Query, Reply>(
  value: ListEndpoint<Query, Reply> & { readonly list: ListDefinition<Reply> },
): ListEndpoint<Query, Reply> {
  return value;
}

/** Method and path template of an endpoint, as errors and hooks tell them. */
export function endpointAt({ route }: { readonly route: string }): { readonly method: string; readonly route: string } {
  const [method = '', path = ''] = route.split(' ');
  return { method, route: path };
}
