import { setRequestId } from '../core/errors.js';
import { notNeeded } from '../core/abort.js';
import type { CallInfo, ClientHooks, DriftInfo, RetryInfo } from '../core/hooks.js';
import type { ClientContext } from './context.js';
import { readAddedHeaders, type PlainHeaders } from './headers.js';

/** The names of a free-form field have no end, and with them the places that may differ. */
const mostToldDrifts = 1_000;

/** A drift as it is found in a reply. */
export type Drift = Pick<DriftInfo, 'route' | 'path' | 'expected' | 'received'>;

/** Where a call goes, as errors and hooks tell it. */
export interface CallPlace {
  readonly method: string;
  readonly route: string;
}

/** What a call came to. */
interface CallCount {
  readonly attempts: number;
  readonly credits: number;
}

/** Tells hooks of one call. A call that nobody listens to has none. */
export class Teller {
  readonly #client: ClientContext;
  readonly #startedAt: number;
  readonly #call: CallInfo;

  /** @param headers the call's headers, where it came so far: an ID that the caller gives is the call's ID at the service */
  constructor(client: ClientContext, at: CallPlace, startedAt: number, headers: PlainHeaders | undefined) {
    this.#client = client;
    this.#startedAt = startedAt;
    const { baseUrl, requestIdHeader } = client.settings;
    const callId = client.runtime.newId();
    const [, , host = ''] = baseUrl.split('/');
    this.#call =
      requestIdHeader === undefined
        ? { callId, ...at, host }
        : { callId, ...at, host, requestId: headers?.[requestIdHeader] ?? callId };
    this.#tell('onStart', {});
  }

  get requestId(): string | undefined {
    return this.#call.requestId;
  }

  /** Whether anybody listens: what nobody hears need not be put together. */
  hears(name: keyof ClientHooks): boolean {
    return this.#client.settings.hooks.some((hooks) => hooks[name] !== undefined);
  }

  /** An attempt is about to be sent. Gives the headers that it has beside the call's own. */
  request(attempt: number): PlainHeaders {
    const added: Record<string, string> = {};
    this.#tell('onRequest', { attempt }, (headers) => Object.assign(added, readAddedHeaders(headers)));
    const { requestIdHeader } = this.#client.settings;
    return requestIdHeader === undefined ? added : { ...added, [requestIdHeader]: String(this.requestId) };
  }

  /** An attempt got a whole reply. */
  response(attempt: number, status: number, durationMs: number): void {
    this.#tell('onResponse', { attempt, status, durationMs });
  }

  /** The call will be retried. */
  retry(info: Pick<RetryInfo, 'attempt' | 'waitMs' | 'error'>): void {
    setRequestId(info.error, this.requestId);
    this.#tell('onRetry', info);
  }

  /** Tells of each drift once per route and path. */
  drifts(drifts: readonly Drift[]): void {
    const { toldDrifts } = this.#client.shared;
    for (const drift of drifts) {
      const name = `${drift.route} ${drift.path}`;
      if (toldDrifts.has(name) || toldDrifts.size >= mostToldDrifts) continue;
      toldDrifts.add(name);
      this.#tell('onDrift', drift);
    }
  }

  /** The call is over. One that nobody waits for any more has not failed. */
  end({ attempts, credits }: CallCount, failed?: { readonly error: unknown }): void {
    const durationMs = this.#client.runtime.monotonic() - this.#startedAt;
    const told = failed?.error === notNeeded ? undefined : failed;
    if (told !== undefined) {
      setRequestId(told.error, this.requestId);
      this.#tell('onError', { attempts, ...told });
    }
    this.#tell('onEnd', { attempts, durationMs, credits, ...told });
  }

  /** Tells each hook. What it throws is its own affair: a call that was carried out must not look failed. */
  #tell(name: keyof ClientHooks, info: object, take?: (result: unknown) => void): void {
    for (const hooks of this.#client.settings.hooks) {
      try {
        // A copy for each: what one changes in its own, no other sees.
        const result = (hooks[name] as ((info: object) => unknown) | undefined)?.call(hooks, {
          ...this.#call,
          ...info,
        });
        if (result instanceof Promise) result.catch(() => undefined);
        else take?.(result);
      } catch {
        // See above.
      }
    }
  }
}
