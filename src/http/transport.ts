import { throwIfAborted } from '../core/abort.js';
import { endpointAt, type Endpoint } from '../core/endpoint.js';
import { recordOutcome } from '../core/outcome.js';
import type { Runtime } from '../core/runtime.js';
import type { ServiceClock } from '../core/service-clock.js';
import type { CallInput, CallWatcher, CreditHold, RequestOptions, Transport } from '../core/transport.js';
import { CallEvents } from './call-events.js';
import type { Settings } from './client-options.js';
import type { ClientContext, Shared } from './context.js';
import type { PlainHeaders } from './headers.js';
import { prepareCall, type CallProgress, type CallRequest } from './prepared-call.js';
import { readReply } from './reply.js';
import { retryLoop } from './retry-loop.js';

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
    return memory as T; // Only this method sets it, under its class.
  }

  holdCredits(credits: number, at: { readonly method: string; readonly route: string }): CreditHold {
    const { settings, shared } = this.#client;
    return shared.credits.hold(settings.maxCredits, credits, at);
  }

  call<Query, Body, Reply>(
    endpoint: Endpoint<Query, Body, Reply>,
    input: CallInput,
    options?: RequestOptions,
    watcher?: CallWatcher,
  ): Promise<Reply> {
    return this.run({ operation: endpoint, source: 'endpoint', input, read: readReply(endpoint) }, options, watcher);
  }

  /** Prepares and makes a call. Its hooks see its start and its end, however it ends. */
  async run<Reply>(request: CallRequest<Reply>, options?: RequestOptions, watcher?: CallWatcher): Promise<Reply> {
    const client = this.#client;
    const progress: CallProgress = {
      attempts: 0,
      outcome: 'not_sent',
      mayHaveSucceeded: false,
      credits: 0,
      watcher,
      events: undefined,
      added: undefined,
    };
    const { hooks, requestIdHeader } = client.settings;
    const hasEvents = hooks.length > 0 || requestIdHeader !== undefined;
    const startedAt = hasEvents ? client.runtime.monotonic() : 0;
    const start = (headers?: PlainHeaders) =>
      hasEvents ? new CallEvents(client, endpointAt(request.operation), startedAt, headers) : undefined;
    try {
      // A caller without types may pass null; prepareCall() reports it.
      const signal = (options as RequestOptions | null | undefined)?.signal;
      throwIfAborted(signal);
      const call = prepareCall(client.settings, request, options);
      progress.events = start(call.headers);
      const reply = await retryLoop(client, call, progress);
      progress.events?.end(progress);
      return reply;
    } catch (error) {
      recordOutcome(error, progress.outcome);
      watcher?.onFailure(progress.outcome);
      progress.events ??= start();
      progress.events?.end(progress, { error });
      throw error;
    }
  }
}
