import { ConfigurationError, type SocialPublishingError } from '../core/errors.js';
import { checkNames } from '../core/names.js';

/** Told to `onRequest`: an attempt is about to be sent. */
export interface AttemptInfo {
  /** The HTTP method. */
  readonly method: string;
  /** The path template, for example `/v1/posts/`. */
  readonly route: string;
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
export interface ErrorInfo {
  /** The HTTP method. */
  readonly method: string;
  /** The path template. */
  readonly route: string;
  /** How many attempts were made, 0 or more. */
  readonly attempts: number;
  /** What the call rejects with. */
  readonly error: unknown;
}

/** Told to `onDrift`: a reply differs from the API document but could be read. Once per route and path. */
export interface DriftInfo {
  /** Method and path template, for example `GET /v1/posts/`. */
  readonly route: string;
  /** Where in the reply, with `*` for any index of an array, for example `posts.*.timezone`. */
  readonly path: string;
  /** What the API document shows there. */
  readonly expected: string;
  /** What came. */
  readonly received: string;
}

/** Functions that are told what the client does. None ever sees a key, a URL, a header or a body; none can break a call. */
export interface ClientHooks {
  /** Before each attempt. */
  readonly onRequest?: ((info: AttemptInfo) => void) | undefined;
  /** After each attempt that got a whole reply, whatever its status. */
  readonly onResponse?: ((info: ResponseEventInfo) => void) | undefined;
  /** Before the wait that precedes each retry. */
  readonly onRetry?: ((info: RetryInfo) => void) | undefined;
  /** Once at the end of a call that failed. */
  readonly onError?: ((info: ErrorInfo) => void) | undefined;
  /** A reply differs from the API document but could be read. */
  readonly onDrift?: ((info: DriftInfo) => void) | undefined;
}

const hookNames: ReadonlySet<string> = new Set<keyof ClientHooks>([
  'onRequest',
  'onResponse',
  'onRetry',
  'onError',
  'onDrift',
]);

/**
 * Checks a client's hooks.
 * @throws ConfigurationError
 */
export function checkHooks(hooks: unknown): void {
  if (hooks === undefined) return;
  if (typeof hooks !== 'object' || hooks === null)
    throw new ConfigurationError('hooks must be an object of functions.');
  checkNames('hook', hooks, hookNames);
  for (const [name, hook] of Object.entries(hooks)) {
    if (hook !== undefined && typeof hook !== 'function')
      throw new ConfigurationError(`hooks.${name} must be a function.`);
  }
}
