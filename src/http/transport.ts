import type { Endpoint } from '../core/endpoint.js';
import type { Issue } from '../core/errors.js';
import { recordOutcome } from '../core/outcome.js';
import type { Runtime } from '../core/runtime.js';
import type { CallInput, CallWatcher, CreditHold, RequestOptions, Transport } from '../core/transport.js';
import type { ServiceClock } from '../core/service-clock.js';
import type { CallState } from './call-state.js';
import { checkInput } from './argument.js';
import { makeCall } from './retry-loop.js';
import type { ClientContext, Shared } from './context.js';
import type { ReplyReader } from './reply.js';
import { prepareCall, type CallContent, type PreparedCall } from './prepared-call.js';
import type { Settings } from './client-options.js';
import { targetOf, type CallTarget } from './target.js';
import { Teller, type CallPlace } from './call-events.js';
import type { PlainHeaders } from './headers.js';

/** Makes the calls of one client. */
export class HttpTransport implements Transport {
  readonly #client: ClientContext;

  constructor(settings: Settings, shared: Shared, runtime: Runtime) {
    this.#client = { settings, shared, runtime };
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
    return memory as T; // Set here alone, under its own class.
  }

  holdCredits(credits: number, at: { readonly method: string; readonly route: string }): CreditHold {
    const { settings, shared } = this.#client;
    return shared.credits.hold(settings.maxCredits, credits, at);
  }

  async call<Query, Body, Reply>(
    endpoint: Endpoint<Query, Body, Reply>,
    input: CallInput,
    options: RequestOptions = {},
    watcher?: CallWatcher,
  ): Promise<Reply> {
    const target = targetOf(endpoint);
    const prepare = () => {
      const issues: Issue[] = [];
      // A caller without types may hand over null; that is told with the other issues.
      const extraBody = (options as RequestOptions | null)?.extraBody;
      const query = checkInput(endpoint.query?.(), input.query, 'extraQuery', undefined, issues);
      const body =
        endpoint.body === undefined
          ? undefined
          : checkInput(endpoint.body(), input.body, 'extraBody', extraBody?.['timezone'], issues);
      for (const issue of endpoint.bodyIssues?.(input.body, extraBody) ?? []) issues.push(issue);
      return this.prepare(target, { params: input.params ?? {}, query, body, options }, target.reader, issues);
    };
    return this.run(target.at, options, prepare, watcher);
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
    return prepareCall(this.#client.settings, target, input, reader, issues);
  }

  /** Prepares and makes a call, and tells hooks of its beginning and its end, whatever it was. */
  async run<Reply>(
    at: CallPlace,
    options: RequestOptions,
    prepare: () => PreparedCall<Reply>,
    watcher?: CallWatcher,
  ): Promise<Reply> {
    const state: CallState = {
      attempts: 0,
      outcome: 'not_sent',
      mayHaveSucceeded: false,
      credits: 0,
      watcher,
      teller: undefined,
      added: undefined,
    };
    const begin = this.#beginTelling(at);
    try {
      // A caller without types may hand over null; that is told with the other issues.
      const { signal } = (options as RequestOptions | null) ?? {};
      if (signal?.aborted === true) throw signal.reason;
      const call = prepare();
      state.teller = begin?.(call.headers);
      const reply = await makeCall(this.#client, call, state);
      state.teller?.end(state);
      return reply;
    } catch (error) {
      recordOutcome(error, state.outcome);
      watcher?.onFailure(state.outcome);
      state.teller ??= begin?.();
      state.teller?.end(state, { error });
      throw error;
    }
  }

  /** A call that nobody listens to is not told of, and has no ID. */
  #beginTelling(at: CallPlace): ((headers?: PlainHeaders) => Teller) | undefined {
    const { settings, runtime } = this.#client;
    if (settings.hooks.length === 0 && settings.requestIdHeader === undefined) return undefined;
    const startedAt = runtime.monotonic();
    return (headers) => new Teller(this.#client, at, startedAt, headers);
  }
}
