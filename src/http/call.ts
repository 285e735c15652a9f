import { throwIfAborted } from '../core/flow/abort.js';
import { endpointAt, type Endpoint } from '../core/call/endpoint.js';
import {
  RateLimitError,
  type Outcome,
  type SocialPublishingError,
  recordOutcome,
  worseOutcome,
} from '../core/errors.js';
import type { Runtime } from '../core/runtime.js';
import type { ServiceClock } from '../core/service-clock.js';
import type { CallInput, CallWatcher, ReleaseCredits, RequestOptions, Transport } from '../core/call/transport.js';
import { Attempt } from './attempt.js';
import type { ClientContext } from './context.js';
import { CallHooks } from './hooks.js';
import { loadKy } from './ky.js';
import { readReply } from './reply.js';
import { prepareRequest, type CallRequest, type PreparedRequest } from './request.js';
import {
  attemptOutcome,
  backoff,
  longestRetryAfterMs,
  mayRetry,
  type AttemptResult,
  type FailedAttempt,
  type Failure,
} from './retry.js';

export class HttpTransport implements Transport {
  readonly #client: ClientContext;

  constructor(client: ClientContext) {
    this.#client = client;
  }

  get runtime(): Runtime {
    return this.#client.runtime;
  }

  get clock(): ServiceClock {
    return this.#client.shared.clock;
  }

  shared<T extends object>(kind: new () => T): T {
    const { memories } = this.#client.shared;
    const memory = memories.get(kind) ?? new kind();
    memories.set(kind, memory);
    return memory as T; // Only this method sets it, under its class.
  }

  holdCredits(credits: number, at: { readonly method: string; readonly route: string }): ReleaseCredits {
    const { settings, shared } = this.#client;
    return shared.credits.hold(settings.maxCredits, credits, at);
  }

  call<Query, Body, Reply>(
    endpoint: Endpoint<Query, Body, Reply>,
    input: CallInput,
    options?: RequestOptions,
    watcher?: CallWatcher,
  ): Promise<Reply> {
    return this.run({ operation: endpoint, input, read: readReply(endpoint) }, options, watcher);
  }

  run<Reply>(call: CallRequest<Reply>, options?: RequestOptions, watcher?: CallWatcher): Promise<Reply> {
    return new Call(this.#client, call, watcher).run(options);
  }
}

/** One call: it prepares the request, attempts it, and retries it. It owns what its attempts have shown so far. */
class Call<Reply> {
  readonly #client: ClientContext;
  readonly #call: CallRequest<Reply>;
  readonly #watcher: CallWatcher | undefined;
  readonly #hooks: CallHooks;
  /** Requests that were passed to `fetch`. */
  #attempts = 0;
  #retries = 0;
  /** By the runtime's monotonic clock. */
  #deadline = Infinity;
  /** The error of the attempt before. It says more than a wait that would be too long. */
  #lastError: SocialPublishingError | undefined;
  #outcome: Outcome = 'not_sent';
  /** The reply of an attempt was lost or unreadable. */
  #mayHaveSucceeded = false;
  #credits = 0;

  constructor(client: ClientContext, call: CallRequest<Reply>, watcher: CallWatcher | undefined) {
    this.#client = client;
    this.#call = call;
    this.#watcher = watcher;
    this.#hooks = new CallHooks(client, endpointAt(call.operation));
  }

  /**
   * Its hooks see its start and its end, however it ends.
   * @param options a caller without types may pass null, which prepareRequest() reports
   */
  async run(options: RequestOptions | null | undefined): Promise<Reply> {
    try {
      throwIfAborted(options?.signal);
      const request = prepareRequest(this.#client.settings, this.#call, options);
      this.#hooks.start(request.headers);
      const isFree = request.operation.credits === undefined;
      const reply = await (isFree ? this.#attemptUntilDone(request) : this.#withCredit(request));
      this.#hooks.end({ attempts: this.#attempts, credits: this.#credits });
      return reply;
    } catch (error) {
      recordOutcome(error, this.#outcome);
      this.#watcher?.onFailure(error, this.#outcome);
      this.#hooks.start();
      this.#hooks.end({ attempts: this.#attempts, credits: this.#credits }, { error });
      throw error;
    }
  }

  /** Reserves the credit of the call, and counts or releases it at the end. */
  async #withCredit(request: PreparedRequest): Promise<Reply> {
    const { settings, shared } = this.#client;
    const release = shared.credits.hold(settings.maxCredits, 1, request.at);
    let isSpent = true;
    try {
      return await this.#attemptUntilDone(request);
    } catch (error) {
      // The API document counts every call of post analytics, and every successful call of the insights. A call with a lost or
      // unreadable reply may have been successful.
      const isPaidPerCall = request.operation.retry === 'paid_per_call';
      isSpent = isPaidPerCall ? this.#outcome !== 'not_sent' : this.#mayHaveSucceeded;
      throw error;
    } finally {
      this.#credits = isSpent ? 1 : 0;
      release(1, this.#credits);
    }
  }

  /**
   * A loop instead of ky's option: ky decides by method and status, this client by whether a write may have been executed.
   */
  async #attemptUntilDone(request: PreparedRequest): Promise<Reply> {
    const { runtime, shared } = this.#client;
    // Not within the deadline: the first call evaluates it.
    loadKy();
    this.#deadline = runtime.monotonic() + request.totalTimeoutMs;
    for (;;) {
      throwIfAborted(request.signal);
      const { result, waitMs } = await this.#attemptInTurn(request);
      if (result.ok) {
        shared.budget.refill(this.#retries);
        return result.reply;
      }
      await this.#waitForRetry(request, result, waitMs);
    }
  }

  /**
   * Makes an attempt as soon as the rate limit allows it, and reports its result to the rate limit.
   * @returns also the wait before the next attempt, if this one failed
   */
  async #attemptInTurn(
    request: PreparedRequest,
  ): Promise<{ readonly result: AttemptResult<Reply>; readonly waitMs: number }> {
    const { runtime, shared, settings } = this.#client;
    const { at, signal } = request;
    try {
      const waiting = { at, signal, deadline: this.#deadline, attempts: this.#attempts };
      await shared.pace.enter(runtime, settings.limits, waiting);
    } catch (error) {
      throw error instanceof RateLimitError ? (this.#lastError ?? error) : error;
    }
    const attempt = new Attempt({
      client: this.#client,
      request,
      read: this.#call.read,
      hooks: this.#hooks,
      watcher: this.#watcher,
      number: this.#attempts + 1,
    });
    try {
      const result = await attempt.run(this.#deadline - runtime.monotonic());
      const now = runtime.monotonic();
      const retryAfterMs = result.ok ? undefined : result.retryAfterMs;
      const waitMs = result.ok ? 0 : backoff(this.#retries, retryAfterMs, () => runtime.random());
      if (result.ok || (result.failure.kind === 'status' && result.failure.status !== 429))
        shared.pace.taken(now, attempt.sentAt);
      else if (result.failure.kind === 'status') shared.pace.limited(now, attempt.sentAt, retryAfterMs ?? waitMs);
      return { result, waitMs };
    } catch (error) {
      // The caller aborted.
      if (attempt.isSent) this.#learn(request, { kind: 'lost' });
      throw error;
    } finally {
      this.#attempts += attempt.requests;
      shared.pace.leave();
    }
  }

  #learn({ at }: PreparedRequest, failure: Failure): void {
    if (failure.kind === 'lost' || failure.kind === 'unreadable') this.#mayHaveSucceeded = true;
    const isRead = at.method === 'GET';
    const outcome = attemptOutcome(failure, isRead);
    // A refused read leaves no doubt. A write may have been executed by an attempt before.
    this.#outcome = isRead && outcome === 'rejected' ? outcome : worseOutcome(this.#outcome, outcome);
  }

  /** Waits before the next attempt. Throws the error if no retry is allowed. */
  async #waitForRetry(request: PreparedRequest, failed: FailedAttempt, waitMs: number): Promise<void> {
    const { runtime, shared } = this.#client;
    const { failure, retryAfterMs } = failed;
    this.#learn(request, failure);
    const error = failed.toError(this.#outcome, this.#attempts);
    if (!mayRetry(request.operation.retry, failure) || this.#retries >= request.maxRetries) throw error;
    if (retryAfterMs !== undefined && retryAfterMs > longestRetryAfterMs) throw error;
    // A wait that can only end in a time-out isn't started: this error says more.
    if (runtime.monotonic() + waitMs >= this.#deadline || !shared.budget.take(failure)) throw error;
    this.#hooks.retry({ attempt: this.#attempts, waitMs, error });
    await runtime.sleep(waitMs, request.signal);
    this.#retries += 1;
    this.#lastError = error;
  }
}
