import ky, { isNetworkError } from 'ky';
import { notNeeded, onAbort } from '../core/abort.js';
import { discardBody, readBody } from './body.js';
import { Credits } from './credits.js';
import type { CallInput, CreateMemory, Endpoint, RequestOptions, Runtime, Transport } from '../core/endpoint.js';
import {
  ConfigurationError,
  ConnectionError,
  formatIssueOf,
  ResponseError,
  TimeoutError,
  type Issue,
  type Outcome,
  type SocialPublishingError,
} from '../core/errors.js';
import { classifyNetworkError, networkReason } from './failure.js';
import { masker } from './redact.js';
import { checkInput, prepareCall, type CallContent, type CallTarget, type PreparedCall } from './request.js';
import { apiError, redirectError, type Refusal } from './refusal.js';
import { readReply, type ReplyReader } from './reply.js';
import { setResponse } from '../core/response.js';
import {
  longestRetryAfterMs,
  maySendAgain,
  outcomeOf,
  readRetryAfter,
  RetryBudget,
  waitBeforeRepeat,
  worseOutcome,
  type Failure,
} from './retry.js';
import { keyHeader, type ClientHooks, type DriftInfo, type Settings } from './settings.js';

/** What clients made by `withOptions` share with the client that they were made from. */
export interface Shared {
  readonly credits: Credits;
  readonly budget: RetryBudget;
  readonly creates: CreateMemory;
  /** Drifts that were told, by route and path. */
  readonly toldDrifts: Set<string>;
}

export function newShared(): Shared {
  return {
    credits: new Credits(),
    budget: new RetryBudget(),
    creates: { knownPostIds: new Set(), failed: new WeakMap() },
    toldDrifts: new Set(),
  };
}

/** One attempt that failed: the error to throw if it is the last, and what it means for sending again. */
interface FailedAttempt {
  readonly failure: Failure;
  readonly retryAfterMs?: number | undefined;
  /** The key may be missing where it could not be had. */
  toError(outcome: Outcome, attempts: number): SocialPublishingError;
}

type Attempt<Reply> = { readonly ok: true; readonly reply: Reply } | ({ readonly ok: false } & FailedAttempt);

/** How far a call has come. */
interface Progress {
  /** Attempts handed to `fetch`. */
  attempts: number;
  /** What became of the operation in the attempts that are over. */
  outcome: Outcome;
}

/** The names of a free-form field have no end, and with them the places that may differ. */
const mostToldDrifts = 1_000;
/** How many issues of a reply its error's message tells; `issues` has all of them. */
const mostListedIssues = 5;

/** Why an attempt's controller aborted, where it was a deadline. */
class Deadline {
  readonly limitMs: number;
  readonly option: string;

  constructor(limitMs: number, option: string) {
    this.limitMs = limitMs;
    this.option = option;
  }
}

/** The only place that talks to the network: key, deadlines, sending again, reading, and the mapping of errors. */
export class HttpTransport implements Transport {
  readonly runtime: Runtime;
  readonly #settings: Settings;
  readonly #shared: Shared;

  constructor(settings: Settings, shared: Shared, runtime: Runtime) {
    this.#settings = settings;
    this.#shared = shared;
    this.runtime = runtime;
  }

  get creates(): CreateMemory {
    return this.#shared.creates;
  }

  async call<Query, Body, Reply>(
    endpoint: Endpoint<Query, Body, Reply>,
    input: CallInput,
    options: RequestOptions = {},
  ): Promise<Reply> {
    const [method = '', path = ''] = endpoint.route.split(' ');
    return this.run({ method, route: path }, options, () => {
      const issues: Issue[] = [];
      const query = checkInput(endpoint.query?.(), input.query, 'extraQuery', issues);
      const body =
        endpoint.body === undefined ? undefined : checkInput(endpoint.body(), input.body, 'extraBody', issues);
      return this.prepare(
        { method, path, retry: endpoint.retry, costsCredit: endpoint.credits === 1, rules: endpoint.params ?? {} },
        { params: input.params ?? {}, query, body, options },
        readReply(endpoint),
        issues,
      );
    });
  }

  /**
   * Fills the URL and the body.
   * @throws InvalidRequestError with the issues found so far and its own
   */
  prepare<Reply>(
    target: CallTarget,
    input: CallContent,
    reader: ReplyReader<Reply>,
    issues: Issue[],
  ): PreparedCall<Reply> {
    return prepareCall(this.#settings, target, input, reader, issues);
  }

  /** Prepares and makes a call, and tells `onError` of its end, whatever it was. */
  async run<Reply>(
    at: { readonly method: string; readonly route: string },
    options: RequestOptions,
    prepare: () => PreparedCall<Reply>,
  ): Promise<Reply> {
    const progress: Progress = { attempts: 0, outcome: 'not_sent' };
    try {
      // A caller without types may hand over null; that is told with the other issues.
      const { signal } = (options as RequestOptions | null) ?? {};
      if (signal?.aborted === true) throw signal.reason;
      return await this.#send(prepare(), progress);
    } catch (error) {
      if (error !== notNeeded) this.#tell('onError', { ...at, attempts: progress.attempts, error });
      throw error;
    }
  }

  /** Reserves the credit, sends, and settles the credit by what became of the call. */
  async #send<Reply>(call: PreparedCall<Reply>, progress: Progress): Promise<Reply> {
    if (!call.costsCredit) return this.#sendUntilDone(call, progress);
    const settle = this.#shared.credits.reserve(this.#settings.maxCredits, { method: call.method, route: call.path });
    const perCall = call.retry === 'paid_per_call';
    try {
      const reply = await this.#sendUntilDone(call, progress);
      settle(true);
      return reply;
    } catch (error) {
      // The document counts each call of post analytics, and the successful ones of the insights. A reply that can't be
      // read was a success at the service.
      settle(perCall ? progress.outcome !== 'not_sent' : error instanceof ResponseError);
      throw error;
    }
  }

  async #sendUntilDone<Reply>(call: PreparedCall<Reply>, progress: Progress): Promise<Reply> {
    const { hooks } = this.#settings;
    const { method, path: route } = call;
    const deadline = this.runtime.monotonic() + call.limits.totalTimeoutMs;
    for (let repeat = 0; ; repeat += 1) {
      const attempt = await this.#attempt(call, progress, deadline);
      if (attempt.ok) {
        this.#shared.budget.refill(repeat);
        return attempt.reply;
      }
      const { failure, retryAfterMs } = attempt;
      progress.outcome = worseOutcome(progress.outcome, outcomeOf(failure, method === 'GET'));
      const error = attempt.toError(progress.outcome, progress.attempts);
      if (!maySendAgain(call.retry, failure) || repeat >= call.limits.maxRetries) throw error;
      if (retryAfterMs !== undefined && retryAfterMs > longestRetryAfterMs) throw error;
      const waitMs = waitBeforeRepeat(repeat, retryAfterMs, () => this.runtime.random());
      // A wait that can only end in a time-out is not begun: the error at hand says more.
      if (this.runtime.monotonic() + waitMs >= deadline || !this.#shared.budget.take(failure)) throw error;
      if (hooks.onRetry !== undefined)
        this.#tell('onRetry', { method, route, attempt: progress.attempts, waitMs, error });
      await this.runtime.sleep(waitMs, call.signal);
      call.signal?.throwIfAborted();
    }
  }

  /** Sends once. One deadline covers headers and body; it is what is left of the total where that is less. */
  async #attempt<Reply>(call: PreparedCall<Reply>, progress: Progress, totalDeadline: number): Promise<Attempt<Reply>> {
    const { method, path: route, signal } = call;
    const left = totalDeadline - this.runtime.monotonic();
    const limit =
      left < call.limits.timeoutMs
        ? new Deadline(call.limits.totalTimeoutMs, 'totalTimeoutMs')
        : new Deadline(call.limits.timeoutMs, 'timeoutMs');

    const controller = new AbortController();
    const forget = onAbort(signal, () => {
      controller.abort(signal?.reason);
    });
    const timer = setTimeout(
      () => {
        controller.abort(limit);
      },
      Math.max(0, Math.min(left, call.limits.timeoutMs)),
    );
    // `fetch` may be anybody's, and need not listen to a signal: an abort must work at once all the same.
    const stopped = new Promise<never>((_, reject) => {
      controller.signal.addEventListener(
        'abort',
        () => {
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a signal's reason can be anything
          reject(controller.signal.reason);
        },
        { once: true },
      );
    });
    stopped.catch(() => undefined);

    // An object, since the compiler does not see that a closure below sets it.
    const state: { sent: boolean; key: string | null } = { sent: false, key: null };
    try {
      return await Promise.race([
        stopped,
        (async (): Promise<Attempt<Reply>> => {
          const key = await this.#settings.accessKey();
          controller.signal.throwIfAborted();
          Object.assign(state, { sent: true, key });
          progress.attempts += 1;
          return this.#exchange(call, progress.attempts, key, controller.signal);
        })(),
      ]);
    } catch (error) {
      const { sent, key } = state;
      if (signal?.aborted === true) {
        if (sent) progress.outcome = 'unknown';
        throw signal.reason;
      }
      if (error === limit) {
        return {
          ok: false,
          failure: { kind: sent ? 'lost' : 'not_sent' },
          toError: (outcome, attempts) =>
            new TimeoutError(
              `${method} ${route} timed out: ${sent ? 'no whole reply' : 'the accessKey function gave no key'} within ` +
                `${String(limit.limitMs)} ms (${limit.option}, attempt ${String(attempts)}). ${advice(call, outcome)}`,
              attempts,
              limit.limitMs,
              { method, route, outcome },
            ),
        };
      }
      // Neither the network's doing nor the service's, for example a key function that failed: nothing more was sent.
      if (error instanceof ConfigurationError) {
        throw new ConfigurationError(error.message, { method, route, cause: error.cause, outcome: progress.outcome });
      }
      return networkFailure(error, call, maskFor(call, key));
    } finally {
      clearTimeout(timer);
      forget();
    }
  }

  /** Sends one request and reads its reply to the end. */
  async #exchange<Reply>(
    call: PreparedCall<Reply>,
    attempt: number,
    key: string | null,
    signal: AbortSignal,
  ): Promise<Attempt<Reply>> {
    const { method, path: route } = call;
    const { hooks } = this.#settings;
    const headers = new Headers(call.headers);
    if (key !== null) headers.set(keyHeader, key);
    const mask = maskFor(call, key);
    if (hooks.onRequest !== undefined) this.#tell('onRequest', { method, route, attempt });
    const startedAt = this.runtime.monotonic();

    const response = await ky(call.url, {
      method,
      headers,
      ...(call.body === undefined ? {} : { body: call.body }),
      signal,
      fetch: this.#settings.fetch,
      // A redirect would take the key to another host.
      redirect: 'manual',
      // The policy is ours (see retry.ts), and so are the deadlines, which cover the body too.
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
    });
    // A `fetch` that doesn't listen to its signal may come back when nobody waits any more.
    if (signal.aborted) discardBody(response);
    signal.throwIfAborted();
    // Response.error(): what some replacements of fetch give instead of rejecting.
    if (response.type === 'error') throw new TypeError('the connection failed');
    const tellResponse = () => {
      if (hooks.onResponse === undefined) return;
      const durationMs = this.runtime.monotonic() - startedAt;
      this.#tell('onResponse', { method, route, attempt, status: response.status, durationMs });
    };

    const refusal: Omit<Refusal, 'outcome' | 'text'> = { method, route, response, mask };
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      discardBody(response);
      tellResponse();
      // A browser hides the status of a redirect (0), and with it whether a write was carried out.
      const failure: Failure = { kind: 'status', status: response.status === 0 ? 303 : response.status };
      return { ok: false, failure, toError: (outcome) => redirectError({ ...refusal, outcome }) };
    }

    let partial = '';
    let body;
    try {
      body = await readBody(response, this.#settings.maxResponseBytes, signal, (text) => {
        partial = text;
      });
    } catch (error) {
      signal.throwIfAborted();
      const failure = classifyNetworkError(error);
      // The status alone tells that the service refused; for a 2xx the reply is lost with its body.
      if (response.ok) {
        if (failure.kind !== 'unreadable') return networkFailure(error, call, mask, { kind: 'lost' });
        return this.#unreadable(call, response, partial, mask, 'its compressed body is broken');
      }
      body = { text: partial, tooLarge: false };
    }
    tellResponse();

    if (!response.ok) {
      const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), this.runtime.now());
      return {
        ok: false,
        failure: { kind: 'status', status: response.status },
        retryAfterMs,
        toError: (outcome) => apiError({ ...refusal, outcome, text: body.text, retryAfterMs }),
      };
    }
    if (body.tooLarge) {
      const limit = `it is larger than maxResponseBytes (${String(this.#settings.maxResponseBytes)})`;
      return this.#unreadable(call, response, body.text, mask, limit);
    }
    return this.#read(call, response, body.text, attempt, mask);
  }

  /** Checks a 2xx reply. */
  async #read<Reply>(
    call: PreparedCall<Reply>,
    response: Response,
    text: string,
    attempt: number,
    mask: (text: string) => string,
  ): Promise<Attempt<Reply>> {
    const { method, path: route } = call;
    const { hooks, strictResponses } = this.#settings;
    const byPath = new Map<string, DriftInfo>();
    const onDrift =
      strictResponses || hooks.onDrift !== undefined
        ? (drift: Omit<DriftInfo, 'route'>) => {
            byPath.set(drift.path, { route: `${method} ${route}`, ...drift });
          }
        : undefined;
    const result = await call.reader(text, response, onDrift);
    switch (result.kind) {
      case 'refused':
        return {
          ok: false,
          // Answered with 2xx, but refused: nothing that another attempt would change.
          failure: { kind: 'status', status: 400 },
          toError: (outcome) => apiError({ method, route, response, mask, outcome, text }),
        };
      case 'unreadable':
        return this.#unreadable(call, response, text, mask, result.problem, result.issues, result.cause);
      case 'read':
        break;
    }
    const drifts = [...byPath.values()];
    if (strictResponses && drifts.length > 0) {
      const issues = drifts.map(({ path, expected, received }) => ({
        path: path.split('.'),
        message: `is documented as ${expected}, but came as ${received}`,
      }));
      return this.#unreadable(call, response, text, mask, 'it differs from the API document (strictResponses)', issues);
    }
    this.#tellDrifts(drifts);
    const { status, headers } = response;
    setResponse(result.value, { status, headers, url: call.url, attempts: attempt, body: result.body });
    return { ok: true, reply: result.value };
  }

  #tellDrifts(drifts: readonly DriftInfo[]): void {
    for (const drift of drifts) {
      const name = `${drift.route} ${drift.path}`;
      if (this.#shared.toldDrifts.has(name) || this.#shared.toldDrifts.size >= mostToldDrifts) continue;
      this.#shared.toldDrifts.add(name);
      this.#tell('onDrift', drift);
    }
  }

  #unreadable(
    call: PreparedCall<unknown>,
    response: Response,
    rawBody: string,
    mask: (text: string) => string,
    problem: string,
    issues: readonly Issue[] = [],
    cause?: unknown,
  ): { ok: false } & FailedAttempt {
    const { method, path: route } = call;
    const contentType = mask(response.headers.get('content-type') ?? '') || undefined;
    const listed = issues.slice(0, mostListedIssues).map((issue) => formatIssueOf('the reply', issue));
    if (issues.length > mostListedIssues) listed.push(`${String(issues.length - mostListedIssues)} more`);
    const wrong = listed.length === 0 ? problem : `${problem}: ${listed.join('; ')}`;
    return {
      ok: false,
      failure: { kind: 'unreadable' },
      toError: (outcome) =>
        new ResponseError(
          mask(
            `${method} ${route} was answered with status ${String(response.status)}, but ${wrong}. rawBody keeps it. ${advice(call, outcome)}`,
          ),
          { method, route, outcome, status: response.status, contentType, issues, rawBody, cause, mask },
        ),
    };
  }

  /** Tells a hook. What it throws is its own affair: a call that was carried out must not look failed. */
  #tell<Name extends keyof ClientHooks>(name: Name, info: Parameters<NonNullable<ClientHooks[Name]>>[0]): void {
    const hook = this.#settings.hooks[name] as ((info: unknown) => unknown) | undefined;
    try {
      const result = hook?.(info);
      if (result instanceof Promise) result.catch(() => undefined);
    } catch {
      // See above.
    }
  }
}

/** Takes out of a text what no error may show: secrets of the request, the key, and the filled URL. */
function maskFor(call: PreparedCall<unknown>, key: string | null): (text: string) => string {
  // Built on first use: most calls go well.
  let mask: ((text: string) => string) | undefined;
  return (text) => {
    mask ??= masker([...call.secrets(), ...(key === null ? [] : [key])]);
    return mask(text.replaceAll(call.url, call.path));
  };
}

function networkFailure(
  error: unknown,
  call: PreparedCall<unknown>,
  mask: (text: string) => string,
  failure = classifyNetworkError(error),
): { ok: false } & FailedAttempt {
  const { method, path: route } = call;
  // What ky puts around it says no more, and quotes the URL.
  const cause = isNetworkError(error) ? error.cause : error;
  return {
    ok: false,
    failure,
    toError: (outcome, attempts) =>
      new ConnectionError(
        `${method} ${route} got no whole reply (attempt ${String(attempts)}): ${mask(networkReason(error))}. ${advice(call, outcome)}`,
        attempts,
        { method, route, outcome, cause, mask },
      ),
  };
}

/** What a caller should do next, by outcome. */
function advice(
  { method, costsCredit }: { readonly method: string; readonly costsCredit: boolean },
  outcome: Outcome,
): string {
  if (outcome === 'not_sent') return 'The service never saw it, so it is safe to call again.';
  if (outcome === 'rejected') return 'The service did not carry it out.';
  if (costsCredit) return 'It may have cost its credit, and calling again may cost another.';
  return method === 'GET'
    ? 'It is a read, so it is safe to call again.'
    : 'It may have been carried out: look before calling again.';
}
