import type * as z from 'zod/mini';
import type { Outcome } from './errors.js';
import type { ListDefinition } from './list.js';

/** What may be sent again after which failure. A property of the endpoint, not of its HTTP method. */
export type RetryClass =
  /** Reads without cost, and writes that set a value: again after anything. */
  | 'repeatable'
  /** Costs a credit for a successful call: again after a failed status, not after silence. */
  | 'paid_per_success'
  /** Costs a credit for each call: again only where nothing was carried out. */
  | 'paid_per_call'
  /** A write that would be carried out twice: again only where nothing was carried out. */
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
  readonly credits?: 1;
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

/** Options of a single call. */
export interface RequestOptions {
  /** Aborts the call: before sending, while waiting, in mid-body and between pages. Rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt, body included. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for all attempts and the waits between them. Default: the client's. */
  readonly totalTimeoutMs?: number | undefined;
  /** How many times a failed call may be sent again, where that is safe. Default: the client's. */
  readonly maxRetries?: number | undefined;
  /** Headers for this call, over the client's. `x-access-key` can't be set here. */
  readonly headers?: Readonly<Record<string, string>> | Headers | undefined;
  /**
   * Query parameters that the API document doesn't show. Sent as they are, unchecked; an array repeats the key,
   * `undefined` is left out. They win over a typed parameter of the same name.
   */
  readonly extraQuery?: Readonly<Record<string, unknown>> | undefined;
  /** Body fields that the API document mentions without showing, such as media. Merged over the typed body, unchecked. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** What a call fills an endpoint with. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object | undefined;
  readonly body?: object | undefined;
}

/** What a client remembers of its creates, for `posts.reconcile`. Clients made by `withOptions` share it. */
export interface CreateMemory {
  /** Posts that a create of this client answered with, or that a reconcile found. */
  readonly knownPostIds: Set<string>;
  /** What was sent, by the error that the create ended with; `several` where more than one was aborted for the same reason. */
  readonly failed: WeakMap<object, SentCreate | 'several'>;
}

/** A create whose reply did not come. */
export interface SentCreate {
  readonly body: Readonly<Record<string, unknown>>;
  readonly outcome: Outcome;
  /** When it was sent, in milliseconds since 1970 by this machine's clock. */
  readonly sentAt: number;
}

/** Time and chance, which tests put in their own hands. */
export interface Runtime {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds from any start that never run backwards. */
  monotonic(): number;
  /** 0 up to 1. */
  random(): number;
  /** Waits; rejects with the signal's reason as soon as that aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** All that a resource knows of the client: something that calls endpoints. */
export interface Transport {
  readonly runtime: Runtime;
  readonly creates: CreateMemory;

  /**
   * Checks the input, calls, and checks the reply. `responseOf` knows what it resolves to.
   * @throws InvalidRequestError before anything is sent
   */
  call<Query, Body, Reply>(
    endpoint: Endpoint<Query, Body, Reply>,
    input: CallInput,
    options?: RequestOptions,
  ): Promise<Reply>;
}
