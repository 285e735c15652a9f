import { notNeeded } from '../core/abort.js';
import { setRequestId } from '../core/errors.js';
import type { CallInfo, ClientHooks, DriftInfo, RetryInfo } from '../core/hooks.js';
import type { ClientContext } from './context.js';
import { readAddedHeaders, type PlainHeaders } from './headers.js';

/** A free-form field can have any number of names, so any number of places can differ. */
const mostReportedDrifts = 1_000;

/** A place where a reply differs from the API document. */
export type ReplyDrift = Pick<DriftInfo, 'route' | 'path' | 'expected' | 'received'>;

interface CallTotals {
  readonly attempts: number;
  readonly credits: number;
}

/** Runs the hooks of one call. A call of a client without hooks and without `requestIdHeader` has none. */
export class CallEvents {
  readonly #client: ClientContext;
  readonly #startedAt: number;
  readonly #call: CallInfo;

  /** @param headers the call's own headers, if they could be read: they may contain the caller's request ID */
  constructor(
    client: ClientContext,
    at: { readonly method: string; readonly route: string },
    startedAt: number,
    headers: PlainHeaders | undefined,
  ) {
    this.#client = client;
    this.#startedAt = startedAt;
    const { baseUrl, requestIdHeader } = client.settings;
    const callId = client.runtime.newId();
    const [, , host = ''] = baseUrl.split('/');
    this.#call =
      requestIdHeader === undefined
        ? { callId, ...at, host }
        : { callId, ...at, host, requestId: headers?.[requestIdHeader] ?? callId };
    this.#run('onStart', {});
  }

  get requestId(): string | undefined {
    return this.#call.requestId;
  }

  has(name: keyof ClientHooks): boolean {
    return this.#client.settings.hooks.some((hooks) => hooks[name] !== undefined);
  }

  request(attempt: number): PlainHeaders {
    const added: Record<string, string> = {};
    this.#run('onRequest', { attempt }, (headers) => Object.assign(added, readAddedHeaders(headers)));
    const { requestIdHeader } = this.#client.settings;
    return requestIdHeader === undefined ? added : { ...added, [requestIdHeader]: String(this.requestId) };
  }

  response(attempt: number, status: number, durationMs: number): void {
    this.#run('onResponse', { attempt, status, durationMs });
  }

  retry(info: Pick<RetryInfo, 'attempt' | 'waitMs' | 'error'>): void {
    setRequestId(info.error, this.requestId);
    this.#run('onRetry', info);
  }

  /** Reports each drift once per route and path. */
  drifts(drifts: readonly ReplyDrift[]): void {
    const { reportedDrifts } = this.#client.shared;
    for (const drift of drifts) {
      const name = `${drift.route} ${drift.path}`;
      if (reportedDrifts.has(name) || reportedDrifts.size >= mostReportedDrifts) continue;
      reportedDrifts.add(name);
      this.#run('onDrift', drift);
    }
  }

  /** Runs at the end of the call. A call that its caller no longer needs has not failed. */
  end({ attempts, credits }: CallTotals, failed?: { readonly error: unknown }): void {
    const durationMs = this.#client.runtime.monotonic() - this.#startedAt;
    const reported = failed?.error === notNeeded ? undefined : failed;
    if (reported !== undefined) {
      setRequestId(reported.error, this.requestId);
      this.#run('onError', { attempts, ...reported });
    }
    this.#run('onEnd', { attempts, durationMs, credits, ...reported });
  }

  /** Runs a hook of each object. Its exceptions are ignored: an executed call must not reject. */
  #run(name: keyof ClientHooks, info: object, take?: (result: unknown) => void): void {
    for (const hooks of this.#client.settings.hooks) {
      try {
        // Each hook gets a copy, so a hook cannot change the payload of the next one.
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
