import type { SocialPublishingError } from '../errors.js';

/** The common fields of all payloads. */
export interface CallInfo {
  /** The call's ID: the same in all hooks and attempts of the call. */
  readonly callId: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path template, for example `/v1/posts/`. */
  readonly route: string;
  /** The host of `baseUrl`, with its port where that is not the usual one, for example `api.example.com`. */
  readonly host: string;
  /** The ID that is sent with every attempt. Only with the option `requestIdHeader`. */
  readonly requestId?: string | undefined;
}

/** Payload of `onStart`: a call was made. Nothing has been sent, and the call may still be refused. */
export type StartInfo = CallInfo;

/** Payload of `onRequest`: an attempt is about to be sent. */
export interface AttemptInfo extends CallInfo {
  /** Which attempt of the call it is, from 1. */
  readonly attempt: number;
}

/**
 * The former name of {@link AttemptInfo}.
 * @deprecated A browser has a global type of this name. Use `AttemptInfo`.
 */
export type RequestInfo = AttemptInfo;

/** Payload of `onResponse`: an attempt got a complete reply. */
export interface ResponseEventInfo extends AttemptInfo {
  /** The HTTP status. */
  readonly status: number;
  /** Milliseconds from sending to the end of the body. */
  readonly durationMs: number;
}

/** Payload of `onRetry`: the call will be retried. */
export interface RetryInfo extends AttemptInfo {
  /** How long it waits first, in milliseconds. */
  readonly waitMs: number;
  /** Why. */
  readonly error: SocialPublishingError;
}

/** Payload of `onError`: the call ended in an error. */
export interface ErrorInfo extends CallInfo {
  /** How many attempts were made, 0 or more. */
  readonly attempts: number;
  /** The value that the call rejects with. */
  readonly error: unknown;
}

/** Payload of `onEnd`: the call ended, successfully or not. */
export interface EndInfo extends CallInfo {
  /** How many attempts were made. 0: it was refused or aborted before anything was sent. */
  readonly attempts: number;
  /** Milliseconds from the call to its end, with all attempts and the waits between them. */
  readonly durationMs: number;
  /** The cost of the call, as `creditsUsed` counts it: 0 or 1. */
  readonly credits: number;
  /**
   * The value that the call rejects with. Missing if the call succeeded, or if its result was not needed any more: a
   * page that was read ahead of a loop that ended.
   */
  readonly error?: unknown;
}

/** Payload of `onDrift`: a reply differs from the API document but could be read. Once per route and path. */
export interface DriftInfo extends CallInfo {
  /** Method and path template, for example `GET /v1/posts/`. */
  readonly route: string;
  /** The path in the reply, with `*` for any index of an array, for example `posts.*.timezone`. */
  readonly path: string;
  /** The documented type. */
  readonly expected: string;
  /** The received type. */
  readonly received: string;
}

/** The headers that `onRequest` may return. */
export type AddedHeaders =
  Readonly<Record<string, string | undefined>> | Headers | readonly (readonly [name: string, value: string])[];

/**
 * Functions that the client calls synchronously and in order. They never receive a key, a URL, a header or a body. They
 * cannot break a call: exceptions are ignored, and promises are not awaited.
 */
export interface ClientHooks {
  /** Once a call, before anything else, in the context that the call was made in. */
  readonly onStart?: ((info: StartInfo) => void) | undefined;
  /**
   * Called before each attempt. It may return headers to add to this attempt: a plain object, `Headers`, or an array of
   * entries. The client omits `x-access-key`, invalid headers, and names that the client or the call has already set. A
   * promise is ignored.
   */
  readonly onRequest?: ((info: AttemptInfo) => AddedHeaders | undefined) | ((info: AttemptInfo) => void) | undefined;
  /** After each attempt that got a whole reply, whatever its status. */
  readonly onResponse?: ((info: ResponseEventInfo) => void) | undefined;
  /** Before the wait that precedes each retry. */
  readonly onRetry?: ((info: RetryInfo) => void) | undefined;
  /** Once at the end of a call that failed. */
  readonly onError?: ((info: ErrorInfo) => void) | undefined;
  /** Once at the end of each call, however it ended; after `onError`, where it failed. */
  readonly onEnd?: ((info: EndInfo) => void) | undefined;
  /** A reply differs from the API document but could be read. */
  readonly onDrift?: ((info: DriftInfo) => void) | undefined;
}

/** Calls a callback of the application. Exceptions and rejections are ignored: they must not change the result of a call. */
export async function callSafely(callback: () => unknown): Promise<void> {
  try {
    await callback();
  } catch {
    // Nothing else can be notified.
  }
}
