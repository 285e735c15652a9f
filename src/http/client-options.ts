import { isInPlaceOfRequest } from '../core/error-code.js';
import { ConfigurationError } from '../core/errors.js';
import type { ClientHooks } from '../core/call/hooks.js';
import { isFields } from '../core/json.js';
import { baseUrlOf, isLoopback, parseUrl, withoutSlash } from '../core/parse-url.js';
import { currentProcess } from '../core/runtime.js';
import {
  checkConfiguration,
  isBoolean,
  isFunction,
  isMilliseconds,
  isNumber,
  isWhole,
  issueAt,
  optionsOf,
  ownOptions,
  unchecked,
  type OptionCheck,
} from '../core/call/options.js';
import type { HeadersInput } from '../core/call/transport.js';
import type { Settings } from './context.js';
import { checkIdHeader, readHeaders } from './headers.js';
import { hooksOfEnvironment } from './hooks.js';
import type { PaceLimits } from './pace.js';

/**
 * The second argument of a replacement of `fetch`: pass it on. In runtimes that support it, it also has `cache: 'no-store'`, so that
 * no cache answers in place of the service.
 */
// The field `cache` is not a part of the type: the types of Workers with an older compatibility date refuse it.
export interface FetchInit {
  /** The HTTP method. */
  method: string;
  /** The headers, the access key among them. */
  headers: Record<string, string>;
  /** The body. Missing if the request has no body. */
  body?: string;
  /** The client follows no redirect: it would send the key to another host. */
  redirect: 'manual';
  /** Aborts the attempt if its time is over or its caller aborts. */
  signal: AbortSignal;
}

/** The reply of a replacement of `fetch`: the parts of a `Response` that every replacement has. */
export interface FetchReply {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: {
    /** The value of a header, in any case of letters. */
    get(name: string): string | null;
  };
  /** Reads the body as text. */
  text(): Promise<string>;
}

/**
 * A replacement of `fetch`: `globalThis.fetch`, the `fetch` of undici or node-fetch, or a function around one. The URL
 * is always a string. The type also contains `URL`, so that functions that accept both fit.
 */
// The type of a method: its parameters may be narrower, as in `(url: string, init: RequestInit) => …`.
export type FetchLike = {
  /** Sends a request and resolves with its reply. */
  fetch(url: string | URL, init: FetchInit): Promise<FetchReply>;
}['fetch'];

/** Options of the client. */
export interface ClientOptions {
  /**
   * The address of the service. A path prefix is kept: `https://example.com/proxy` calls
   * `https://example.com/proxy/v1/posts/`. `https:`, or `http:` to a loopback host. Default: the environment variable
   * `SOCIAL_PUBLISHING_BASE_URL`.
   */
  readonly baseUrl?: string | URL | undefined;
  /**
   * The access key, or a function that returns it before each attempt, so that it can be rotated. `null`: send no key,
   * because the server behind `baseUrl` adds it; use this in browser apps. Default: the environment variable
   * `SOCIAL_PUBLISHING_ACCESS_KEY`.
   */
  readonly accessKey?: string | (() => string | Promise<string>) | null | undefined;
  /** Milliseconds for one attempt, body included. Default 30,000; 300,000 for a `posts.create` with `publishNow`. */
  readonly timeoutMs?: number | undefined;
  /**
   * Milliseconds for all attempts of a call and the waits between them. Default 90,000; 300,000 for a `posts.create` with
   * `publishNow`.
   */
  readonly totalTimeoutMs?: number | undefined;
  /**
   * How many times a failed call may be retried, where that is safe. Default 2; 0 for never; `Infinity` until
   * `totalTimeoutMs` or the retry budget ends it.
   */
  readonly maxRetries?: number | undefined;
  /** The largest reply that is read, in bytes after decompression. Default 10,485,760 (10 MiB). */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Headers of every request: an object, `Headers`, or entries of name and value. You cannot set `x-access-key` or
   * headers of the connection here.
   */
  readonly headers?: HeadersInput | undefined;
  /**
   * The `fetch` to call, with the URL as a string and an init: the `fetch` of undici or node-fetch, or a function
   * around one. Default `globalThis.fetch`, read at each call.
   */
  readonly fetch?: FetchLike | undefined;
  /**
   * Functions that observe the client: one object, or several in an array, which are all called. `undefined` and
   * `false` in an array are ignored, so you can switch hooks off.
   */
  readonly hooks?: ClientHooks | readonly (ClientHooks | undefined | false)[] | undefined;
  /**
   * The name of a header with an ID of the call, for example `x-request-id`. The client sends one ID per call with
   * every attempt, and shows it in hooks, errors and `responseOf` as `requestId`. If the call or the client has a
   * header of that name, its value is the ID. Default: none. The API document shows no such header, so its effect at
   * the service is not documented; your proxy or gateway can log it.
   */
  readonly requestIdHeader?: string | undefined;
  /** `true`: a reply that differs from the API document is a `ResponseError` even if it could be read. Default `false`. */
  readonly strictResponses?: boolean | undefined;
  /**
   * The most credits that this client may use. A call beyond the limit is refused before it is sent. Default: no limit.
   */
  readonly maxCredits?: number | undefined;
  /**
   * Limits of the client's rate: `concurrency`, the most attempts in flight, and `perSecond`, the most attempts sent in
   * any second. They apply to this client and all clients derived from it. Default: none; only a 429 slows the client.
   */
  readonly limits?: PaceLimits | undefined;
  /**
   * The clock: milliseconds since 1970. For tests, and for machines with a wrong clock. Default `Date.now`. Durations,
   * such as time-outs and waits, use the machine's timers.
   */
  readonly now?: (() => number) | undefined;
  /** Allows `http:` to any host. The access key then travels unencrypted. Default `false`. */
  readonly allowInsecureHttp?: boolean | undefined;
  /** Allows a key in a web page, where every visitor can read it. Prefer `accessKey: null`. Default `false`. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

const defaultMaxRetries = 2;
const defaultMaxResponseBytes = 10 * 1024 * 1024;

const isDuration = isMilliseconds({ above: 0, orInfinity: true });
const isCount = isWhole({ least: 0, orInfinity: true });

const checkHook = optionsOf<ClientHooks>('a hook', {
  onStart: isFunction,
  onRequest: isFunction,
  onResponse: isFunction,
  onRetry: isFunction,
  onError: isFunction,
  onEnd: isFunction,
  onDrift: isFunction,
});

/**
 * Accepts an object of hooks, or an array of them. `undefined` and `false` in an array are hooks that are switched off.
 */
const checkHooks: OptionCheck = (value, path, issues) => {
  for (const hooks of Array.isArray(value) ? value.filter((one) => one !== false) : [value]) {
    if (hooks === undefined || isFields(hooks)) checkHook(hooks, path, issues);
    else issues.push(issueAt(path, 'must be an object of functions, or an array of such objects'));
  }
};

const clientOptions = optionsOf<ClientOptions>('an option of the client', {
  baseUrl: unchecked, // The functions below check these.
  accessKey: unchecked,
  timeoutMs: isDuration,
  totalTimeoutMs: isDuration,
  maxRetries: isCount,
  maxResponseBytes: isCount,
  headers: unchecked,
  fetch: isFunction,
  hooks: checkHooks,
  requestIdHeader: unchecked,
  strictResponses: isBoolean,
  maxCredits: isCount,
  limits: optionsOf<PaceLimits>('a limit', {
    concurrency: isWhole({ least: 1, orInfinity: true }),
    perSecond: isNumber({ above: 0, orInfinity: true }),
  }),
  now: isFunction,
  allowInsecureHttp: isBoolean,
  dangerouslyAllowBrowser: isBoolean,
});

/** Returns the options that are set, in an object that can be copied. */
export function givenOptions(options: ClientOptions): ClientOptions {
  return ownOptions(clientOptions, options);
}

/**
 * Checks a client's options.
 * @throws ConfigurationError with every mistake
 */
export function resolveSettings(options: ClientOptions): Settings {
  checkConfiguration(clientOptions, options);
  const { concurrency, perSecond } = options.limits ?? {};
  return {
    baseUrl: resolveBaseUrl(
      options.baseUrl ?? environment('SOCIAL_PUBLISHING_BASE_URL'),
      options.allowInsecureHttp === true,
    ),
    accessKey: resolveAccessKey(options),
    timeoutMs: options.timeoutMs,
    totalTimeoutMs: options.totalTimeoutMs,
    maxRetries: options.maxRetries ?? defaultMaxRetries,
    maxResponseBytes: options.maxResponseBytes ?? defaultMaxResponseBytes,
    headers: { accept: 'application/json', ...readHeaders(options.headers) },
    // Its type is wider than FetchLike: the client reads no field of a reply that FetchReply lacks, unless it checks for it first.
    fetch: options.fetch as typeof globalThis.fetch | undefined,
    hooks: [...hooksOf(options), ...hooksOfEnvironment(environment('SOCIAL_PUBLISHING_LOG'))],
    requestIdHeader: options.requestIdHeader === undefined ? undefined : checkIdHeader(options.requestIdHeader),
    strictResponses: options.strictResponses ?? false,
    limits: { concurrency, perSecond: perSecond === Infinity ? undefined : perSecond },
    maxCredits: options.maxCredits,
  };
}

function hooksOf({ hooks }: ClientOptions): ClientHooks[] {
  return [hooks].flat().filter((one) => one !== undefined && one !== false);
}

function environment(name: string): string | undefined {
  const value = currentProcess()?.env?.[name];
  return value === '' ? undefined : value;
}

function resolveBaseUrl(value: string | URL | undefined, allowInsecureHttp: boolean): string {
  if (value === undefined)
    refuse("Pass baseUrl, or set SOCIAL_PUBLISHING_BASE_URL, for example to 'https://api.example.com'.");
  // Never quoted: it may contain a password.
  const url = parseUrl(value);
  if (url === undefined) {
    const inAPage = String(value).startsWith('/')
      ? " A path of the page's own host is written new URL('/proxy', location.origin)."
      : '';
    refuse(`baseUrl is not a URL. It must be whole, for example 'https://api.example.com'.${inAPage}`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    refuse('baseUrl must begin with https:, or http: for a loopback host.');
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url.hostname))
    refuse(
      'baseUrl must begin with https:, because http: sends the access key unencrypted. http: is accepted for loopback ' +
        'hosts only, or with allowInsecureHttp: true.',
    );
  if (url.username !== '' || url.password !== '')
    refuse('baseUrl must not contain a user name or a password. Pass the key as accessKey.');
  if (/[?#]/.test(String(value))) refuse('baseUrl must not contain a query or a fragment. Remove ? and #.');
  if (withoutSlash(url.pathname) === '/v1') refuse('baseUrl must not end in /v1: each operation adds it. Remove it.');
  return baseUrlOf(url);
}

function refuse(problem: string): never {
  throw new ConfigurationError(problem);
}

function resolveAccessKey(options: ClientOptions): Settings['accessKey'] {
  const value = options.accessKey === undefined ? environment('SOCIAL_PUBLISHING_ACCESS_KEY') : options.accessKey;
  if (value === null) return null;
  if (value === undefined)
    refuse(
      'Pass accessKey, or set SOCIAL_PUBLISHING_ACCESS_KEY. accessKey: null sends none, for a server behind baseUrl that adds it.',
    );
  if (isPage() && options.dangerouslyAllowBrowser !== true)
    refuse(
      'An access key in a web page can be read by every visitor. Pass accessKey: null and let your back end add the key, ' +
        'or accept the risk with dangerouslyAllowBrowser: true.',
    );
  if (typeof value !== 'function') return checkKey(value);
  return async () => {
    let key: unknown;
    try {
      key = await value();
    } catch (error) {
      if (isInPlaceOfRequest(error)) throw error;
      // Its message is not shown: it may quote the key.
      const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
      const what = [name, code].filter((part) => typeof part === 'string').join(', ');
      refuse(
        `The accessKey function failed${what === '' ? '' : ` (${what})`}. Its exception is not shown, because it may contain the key.`,
      );
    }
    return checkKey(key);
  };
}

/** Whether this is a page: it has a window and a document but no process. A worker or an edge runtime isn't a page. */
function isPage(): boolean {
  // Only pages have these two; any value means that they exist.
  const { window, document } = globalThis as { window?: unknown; document?: unknown };
  return window !== undefined && document !== undefined && currentProcess() === undefined;
}

/** No message quotes the key. */
function checkKey(key: unknown): string {
  if (typeof key !== 'string')
    refuse(
      `accessKey must be a string, or a function that returns a string, not ${key === null ? 'null' : typeof key}.`,
    );
  if (key === '')
    refuse('accessKey is empty. If it comes from an environment variable, check that the variable is set.');
  if (!/^[\u0020-\u007e]+$/.test(key))
    refuse(
      'accessKey must be printable ASCII. A line break at its end is the most common mistake: trim the text of a file or a shell.',
    );
  if (key.trim() !== key) refuse('accessKey must not begin or end with a space. Trim it.');
  return key;
}
