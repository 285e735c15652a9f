import { linkedController, throwIfAborted, untilAborted } from '../core/flow/abort.js';
import { discardBody, ReplyInfo, setResponse } from '../core/call/response.js';
import { isInPlaceOfRequest } from '../core/error-code.js';
import { ConfigurationError } from '../core/errors.js';
import { hidingSecretsOf, lazyRedactor, secretsIn, type Redact } from '../core/redactor.js';
import { currentProcess, keepNewest } from '../core/runtime.js';
import type { CallWatcher } from '../core/call/transport.js';
import type { Drift } from '../schema/check.js';
import type { FetchInit } from './client-options.js';
import type { ClientContext } from './context.js';
import {
  classifyNetworkError,
  differs,
  keyFailure,
  networkFailure,
  noFetchMessage,
  redirected,
  refused,
  timedOut,
  unreadable,
} from './failures.js';
import { keyHeader, type PlainHeaders } from './headers.js';
import type { CallHooks } from './hooks.js';
import { loadKy } from './ky.js';
import { isSuccess, readBody, type ReplyBody, type ReplyReader } from './reply.js';
import type { PreparedRequest } from './request.js';
import { readRetryAfter, type AttemptResult, type FailedAttempt } from './retry.js';

/** A rotation uses fewer keys than this at a time. */
const mostKeys = 16;

/** The parts of a call that its attempts need. */
export interface AttemptInput<Reply> {
  readonly client: ClientContext;
  readonly request: PreparedRequest;
  readonly read: ReplyReader<Reply>;
  readonly hooks: CallHooks;
  readonly watcher: CallWatcher | undefined;
  /** Which attempt of the call it is, from 1. */
  readonly number: number;
}

/** One attempt: it sends the request and reads the reply. One deadline covers the key function, headers and body. */
export class Attempt<Reply> {
  /** How many requests it made. Node's `fetch` can repeat one. */
  requests = 0;
  /** `fetch` was called, so the service may have executed the request. */
  isSent = false;
  /** When `fetch` was called, by the runtime's monotonic clock. */
  sentAt = 0;
  readonly #call: AttemptInput<Reply>;
  readonly #redact: Redact;
  /** Headers that hooks added. */
  #added: PlainHeaders | undefined;
  #status: number | undefined;
  #result: AttemptResult<Reply> | undefined;

  constructor(call: AttemptInput<Reply>) {
    this.#call = call;
    const { at, url, secrets } = call.request;
    const hide = lazyRedactor(() => [...secrets(), ...secretsIn(this.#added), ...call.client.shared.keys]);
    // The filled URL contains IDs, and may contain a token.
    this.#redact = (text) => hide(text.replaceAll(url, at.route));
  }

  /**
   * @param leftMs the time until the deadline of the call
   * @throws the reason of the caller's signal, and what Next.js throws in place of a request; no other value
   */
  async run(leftMs: number): Promise<AttemptResult<Reply>> {
    const { at, url, headers, body, signal, timeoutMs } = this.#call.request;
    const isTotal = leftMs < timeoutMs;
    // ky's own signal would not do: in React Native, ky has none. ky would only combine this one with it.
    const { stop, forget } = linkedController(signal);
    const { ky, TimeoutError } = loadKy();
    try {
      throwIfAborted(signal);
      await ky(url, {
        method: at.method,
        headers,
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        timeout: Math.max(0, Math.min(leftMs, timeoutMs)),
        retry: 0,
        throwHttpErrors: false,
        // Also reads the body, so that ky's timeout covers it. A `fetch` may ignore its signal: an abort, or a time-out, ends
        // the wait for it.
        fetch: (sent) => untilAborted(stop.signal, this.#exchange(sent as Request, stop.signal)), // ky passes a Request.
      });
      return this.#result as AttemptResult<Reply>; // `#exchange` has set it.
    } catch (error) {
      throwIfAborted(signal);
      // A request that has failed is not aborted: from 22.23 on, Node can raise the reason where no one catches it.
      if (!(error instanceof TimeoutError)) return this.#failure(error);
      // What still runs ends now.
      stop.abort(error);
      const waitsFor = this.isSent ? undefined : 'the accessKey function returned no key';
      return timedOut(this.#call.request, isTotal ? 'totalTimeoutMs' : 'timeoutMs', { waitsFor, status: this.#status });
    } finally {
      forget();
    }
  }

  /**
   * The failure of an attempt without a complete reply.
   * @throws what Next.js throws in place of a request
   */
  #failure(error: unknown): FailedAttempt {
    const { request } = this.#call;
    // ky's wrapper adds nothing to the error of `fetch`, and quotes the URL.
    const reason = loadKy().isNetworkError(error) ? error.cause : error;
    if (isInPlaceOfRequest(reason)) {
      // The caller's own `fetch` can throw it after it sent the request.
      this.isSent &&= this.#call.client.settings.fetch !== undefined;
      throw reason;
    }
    if (this.isSent) return networkFailure(request, reason, this.#redact);
    // The key function failed. A `fetch` of the caller can reject with this class too, but that is a network failure.
    if (error instanceof ConfigurationError) return keyFailure(request, error);
    // ky cannot work in this environment.
    return networkFailure(request, error, this.#redact, { kind: 'not_sent' });
  }

  /** Sends ky's request, and reads the reply. */
  async #exchange(sent: Request, signal: AbortSignal): Promise<Response> {
    const { client, request, hooks, watcher, number } = this.#call;
    const { accessKey } = client.settings;
    const key = typeof accessKey === 'function' ? await accessKey() : accessKey;
    // ky waits before it calls this.
    throwIfAborted(signal);
    if (client.settings.limits.perSecond !== undefined) await this.#placeInWindow(signal);
    if (key !== null) client.shared.keys.add(key);
    keepNewest(client.shared.keys, mostKeys);
    watcher?.onSend(request.body);
    this.#added = hooks.request(number);
    throwIfAborted(signal);
    this.requests = 1;
    this.isSent = true;
    this.sentAt = client.runtime.monotonic();
    // Text and plain objects: some replacements of fetch do not accept a Request. ky never sees the key.
    const response = await this.#fetch(request.url, {
      method: sent.method,
      // The call's headers take precedence over headers from hooks.
      headers: {
        ...this.#added,
        ...Object.fromEntries(sent.headers),
        ...(key === null ? undefined : { [keyHeader]: key }),
      },
      ...(request.body === undefined ? {} : { body: request.body }),
      // A redirect would take the key to another host.
      redirect: 'manual',
      ...uncached(),
      signal,
    });
    // A `fetch` that ignores its signal may reply after the abort.
    if (signal.aborted) discardBody(response);
    throwIfAborted(signal);
    // Some replacements of fetch return Response.error() where they should reject.
    if (response.type === 'error') throw new TypeError('the connection failed');
    this.#result = await this.#read(response, signal);
    return response;
  }

  /** Usually at once: an attempt has had its turn. */
  async #placeInWindow(signal: AbortSignal): Promise<void> {
    const { runtime, shared, settings } = this.#call.client;
    for (;;) {
      const waitMs = shared.pace.placeIn(runtime.monotonic(), settings.limits);
      if (waitMs === 0) return;
      await runtime.sleep(waitMs, signal);
      throwIfAborted(signal);
    }
  }

  async #read(response: Response, signal: AbortSignal): Promise<AttemptResult<Reply>> {
    const { client, request, hooks, number } = this.#call;
    this.#status = response.status;
    client.shared.clock.learn(response.headers, client.runtime);
    const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);
    if (isRedirect) discardBody(response);
    const body = isRedirect ? { text: '' } : await readBody(response, client.settings.maxResponseBytes, signal);
    const isBroken = typeof body.cutBy === 'object' && isSuccess(response);
    if (!isBroken) hooks.response(number, response.status, client.runtime.monotonic() - this.sentAt);
    return isRedirect ? redirected(request, response, this.#redact) : this.#interpret(response, body);
  }

  /** Calls the caller's `fetch`, else the global one, which tools replace after clients are created. */
  async #fetch(url: string, init: FetchInit): Promise<Response> {
    const { client, request } = this.#call;
    // Without an object: the fetch of browsers refuses one, and it would hold the key.
    const { fetch } = client.settings;
    if (fetch !== undefined) return fetch(url, init);
    // A window of jsdom has none.
    if (typeof globalThis.fetch !== 'function') throw new TypeError(noFetchMessage);
    const isOnce = request.operation.retry !== 'repeatable';
    const response = await (isOnce ? fetchOnce(url, init) : globalThis.fetch(url, init));
    // Node's own fetch repeats a misdirected request automatically (Fetch standard, HTTP-network-or-cache fetch).
    if (response.status === 421 && isNode() && (!isOnce || init.method === 'GET')) this.requests = 2;
    return response;
  }

  /** Turns a reply into a refusal, an unreadable reply, or the checked value. */
  async #interpret(response: Response, { text, cutBy }: ReplyBody): Promise<AttemptResult<Reply>> {
    const { client, request, read, hooks, number } = this.#call;
    const { maxResponseBytes, strictResponses } = client.settings;
    const reply = { response, text, redact: hidingSecretsOf(text, this.#redact) };
    const { status, headers } = response;
    // The status suffices to show a refusal.
    if (!isSuccess(response))
      return refused(request, reply, { kind: 'status', status }, readRetryAfter(headers, client.runtime.now()));
    if (cutBy === 'too_large') {
      const problem = `it is larger than maxResponseBytes (${String(maxResponseBytes)})`;
      return unreadable(request, reply, { problem });
    }
    if (cutBy !== undefined) {
      if (classifyNetworkError(cutBy.error).kind !== 'unreadable')
        return networkFailure(request, cutBy.error, this.#redact, { kind: 'lost' });
      return unreadable(request, reply, { problem: 'its compressed body is broken' });
    }
    const found: Drift[] | undefined = strictResponses || hooks.has('onDrift') ? [] : undefined;
    const content = await read(text, response, found);
    if (content.kind === 'refused') {
      const isExecuted = request.operation.carriedOut?.(content.body) === true;
      // Another attempt would not change it.
      return refused(request, reply, isExecuted ? { kind: 'unreadable' } : { kind: 'status', status: 400 });
    }
    if (content.kind === 'unreadable') return unreadable(request, reply, content);
    const drifts = found === undefined ? [] : textsOf(found, reply.redact);
    if (strictResponses && drifts.length > 0) return differs(request, reply, drifts);
    hooks.drifts(drifts);
    const info = { url: request.url, attempts: number, requestId: hooks.requestId };
    setResponse(content.value, new ReplyInfo(response, info, content.body));
    return { ok: true, reply: content.value };
  }
}

/** Writes the newest drift of each path. */
function textsOf(drifts: readonly Drift[], redact: Redact) {
  const newest = new Map(drifts.map((drift) => [drift.path.join('.'), drift]));
  return [...newest].map(([path, { expected, received }]) => ({
    path: redact(path),
    expected,
    received: redact(received),
  }));
}

/**
 * Next.js 13 and 14, and caches that a program installs, keep replies: a list would lack the newest posts, and an equal
 * create would not be sent. A runtime that does not know the option may refuse it.
 */
function uncached(): Pick<RequestInit, 'cache'> {
  return 'cache' in Request.prototype ? { cache: 'no-store' } : {};
}

/** The own `fetch` of the runtime, unless something replaced it before this file was loaded. */
const loadedFetch = globalThis.fetch as typeof globalThis.fetch | undefined;

/** The used part of Deno's namespace. */
interface PartialDeno {
  readonly createHttpClient?: (options: { readonly poolMaxIdlePerHost: number }) => { close(): void };
}

/**
 * Calls the global `fetch` so that the runtime sends the request at most once.
 *
 * Some runtimes send a request again if a reused connection closes before the reply, although the server may have executed
 * the first one. Deno and Bun do so without a limit on methods in some versions, so here every request gets a new connection.
 * Node sends a request again after a 421, but never one with a stream (Fetch standard, HTTP-network-or-cache fetch). A GET
 * cannot have one. Browsers offer no means against it. docs/runtimes.md has the measurements.
 */
async function fetchOnce(url: string, init: FetchInit): Promise<Response> {
  const { Deno, Bun } = globalThis as { readonly Deno?: PartialDeno; readonly Bun?: unknown };
  if (typeof Deno?.createHttpClient === 'function') {
    const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    try {
      // Only Deno's types know `client`.
      return await globalThis.fetch(url, { ...init, client } as RequestInit);
    } finally {
      // A reply that still arrives is not cut off.
      client.close();
    }
  }
  if (Bun !== undefined) return globalThis.fetch(url, { ...init, keepalive: false });
  // A replacement may read the body as text.
  const isOwn = isNode() && globalThis.fetch === loadedFetch;
  return globalThis.fetch(url, isOwn && init.method !== 'GET' ? asStream(init) : init);
}

/** Sends the length as for a text: otherwise a stream goes out in chunks, which some servers refuse. */
function asStream(init: FetchInit): RequestInit {
  const bytes = new TextEncoder().encode(init.body);
  const headers = { ...init.headers, 'content-length': String(bytes.byteLength) };
  const body = new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
  // Without `credentials: 'omit'`, Node 24.14 to 26.0 turns a 401 to a stream into a network error. Node has no other use for it.
  // A stream requires `duplex`, which the types do not know.
  return { ...init, headers, body, credentials: 'omit', duplex: 'half' } as RequestInit;
}

function isNode(): boolean {
  return currentProcess()?.versions?.undici !== undefined;
}
