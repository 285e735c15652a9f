import type { SocialPublishingError } from './errors.js';

/** What every payload says of its call. */
export interface CallInfo {
  /** The call's own ID: the same in all that hooks are told of it, over all its attempts. */
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

/** Told to `onStart`: a call was made. Nothing has been sent, and it may yet be refused before anything is. */
export type StartInfo = CallInfo;

/** Told to `onRequest`: an attempt is about to be sent. */
export interface AttemptInfo extends CallInfo {
  /** Which attempt of the call it is, from 1. */
  readonly attempt: number;
}

/**
 * The former name of {@link AttemptInfo}.
 * @deprecated A browser has a global type of this name. Use `AttemptInfo`.
 */
export type RequestInfo = AttemptInfo;

/** Told to `onResponse`: an attempt got a whole reply. */
export interface ResponseEventInfo extends AttemptInfo {
  /** The HTTP status. */
  readonly status: number;
  /** Milliseconds from sending to the end of the body. */
  readonly durationMs: number;
}

/** Told to `onRetry`: the call will be retried. */
export interface RetryInfo extends AttemptInfo {
  /** How long it waits first, in milliseconds. */
  readonly waitMs: number;
  /** Why. */
  readonly error: SocialPublishingError;
}

/** Told to `onError`: the call ended in an error. */
export interface ErrorInfo extends CallInfo {
  /** How many attempts were made, 0 or more. */
  readonly attempts: number;
  /** What the call rejects with. */
  readonly error: unknown;
}

/** Told to `onEnd`: the call is over, however it ended. */
export interface EndInfo extends CallInfo {
  /** How many attempts were made. 0: it was refused or aborted before anything was sent. */
  readonly attempts: number;
  /** Milliseconds from the call to its end, with all attempts and the waits between them. */
  readonly durationMs: number;
  /** What the call cost, as `creditsUsed` counts it: 0 or 1. */
  readonly credits: number;
  /**
   * What the call rejects with. Missing where it went well, and where nobody waited for it any more: a page that was read
   * ahead of a loop which has been left.
   */
  readonly error?: unknown;
}

/** Told to `onDrift`: a reply differs from the API document but could be read. Once per route and path. */
export interface DriftInfo extends CallInfo {
  /** Method and path template, for example `GET /v1/posts/`. */
  readonly route: string;
  /** Where in the reply, with `*` for any index of an array, for example `posts.*.timezone`. */
  readonly path: string;
  /** What the API document shows there. */
  readonly expected: string;
  /** What came. */
  readonly received: string;
}

/** What `onRequest` may return. */
export type AddedHeaders =
  Readonly<Record<string, string | undefined>> | Headers | readonly (readonly [name: string, value: string])[];

/**
 * Functions that are told what the client does, at once and in order. None ever sees a key, a URL, a header or a body; none
 * can break a call: what one throws is dropped, and a promise is not waited for.
 */
export interface ClientHooks {
  /** Once a call, before anything else, in the context that the call was made in. */
  readonly onStart?: ((info: StartInfo) => void) | undefined;
  /**
   * Before each attempt. It may return headers to add to this attempt: a plain object, `Headers`, or an array of entries.
   * `x-access-key`, what is not allowed in a header, and names that the client or the call has set already are left out.
   * It returns them at once: a promise is ignored.
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
