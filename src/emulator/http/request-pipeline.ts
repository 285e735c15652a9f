import { defaultRuntime, longestTimerMs } from '../../core/runtime.js';
import type { RequestFault, StatusFault } from '../state/fault-kinds.js';
import { startOfText, type RequestRecord } from '../state/traffic.js';
import type { State } from '../state/state.js';
import type { Store } from '../state/store.js';
import { type Exchange, incomingOf, type IncomingRequest, requestRecord } from './request-record.js';
import type { RequestFaults } from './faults.js';
import { servicePath, type Router } from './router.js';

type Note = (more: Partial<RequestRecord>) => Noted;

interface Noted {
  /** The state that received the request, also after another state was restored. */
  readonly state: State;
  readonly record: RequestRecord;
}

const unavailable = { status: 503 };
const downText = 'An outage fault is active: the service is down.';

const jsonHeaders = { 'content-type': 'application/json' } as const;

/** Passes requests through faults and router, and records them with their replies. */
export class RequestPipeline {
  readonly #store: Store;
  readonly #router: Router;
  readonly #faults: RequestFaults;
  readonly #now: () => number;
  readonly #kept: number;

  constructor(store: Store, router: Router, faults: RequestFaults, now: () => number, kept: number) {
    this.#store = store;
    this.#router = router;
    this.#faults = faults;
    this.#now = now;
    this.#kept = kept;
  }

  async run(request: Request): Promise<Exchange> {
    const { signal } = request;
    signal.throwIfAborted();
    const incoming = await incomingOf(request);
    signal.throwIfAborted();
    const note = this.#record(incoming);
    try {
      const exchange = await this.#carryOutUnderFaults(incoming, signal, note);
      note(replyOf(exchange));
      return exchange;
    } finally {
      const { state, record } = note({});
      if (state === this.#store.state)
        this.#store.observers.tell(() => ({ type: 'request', request: structuredClone(record) }));
    }
  }

  /** Answers a request that is not under test: it is not recorded, and no fault applies to it. */
  async runAside(request: Request): Promise<Exchange> {
    return this.#carryOut(await incomingOf(request), undefined, 0);
  }

  async #carryOutUnderFaults(incoming: IncomingRequest, signal: AbortSignal, note: Note): Promise<Exchange> {
    const { state } = this.#store;
    const path = servicePath(incoming.url);
    const hits = this.#faults.take(incoming.method, path);
    if (hits.length > 0) note({ faults: hits.map(({ kind }) => kind) });
    for (const fault of hits)
      if (fault.kind === 'latency') await defaultRuntime.sleep(Math.min(fault.latencyMs, longestTimerMs), signal);
    // Another state was restored meanwhile: as if the service had been restarted.
    if (state !== this.#store.state) return { kind: 'reset' };
    const fault = hits.find(({ kind }) => kind !== 'latency');
    const instead = fault === undefined ? undefined : this.#instead(incoming, fault);
    if (instead !== undefined) return instead;
    const lag = this.#faults.takeListingLag(incoming.method, path);
    if (lag !== undefined) note({ faults: [...hits, lag].map(({ kind }) => kind) });
    return this.#carryOut(incoming, fault, lag?.lagMs ?? 0);
  }

  /** Records a request when it arrives. The returned function adds to the record. */
  #record(incoming: IncomingRequest): Note {
    const { state } = this.#store;
    const order = this.#store.count('request');
    const route = this.#router.endpointOf(incoming)?.route;
    let record = requestRecord(`request_${String(order)}`, incoming, route, this.#now());
    state.requests.set({ order, record });
    while (state.requests.size > this.#kept) state.requests.shift();
    return (more) => {
      record = { ...record, ...more };
      // The record may be gone: cleared, or no longer one of the latest.
      if (state.requests.has({ order, record })) state.requests.set({ order, record });
      return { state, record };
    };
  }

  /** Returns the exchange of a request that a fault keeps from the service. `undefined`: the service executes it. */
  #instead(request: IncomingRequest, fault: RequestFault): Exchange | undefined {
    switch (fault.kind) {
      case 'status':
        return this.#stub(request, fault);
      case 'rate_limit': {
        const message = `A rate_limit fault accepts ${String(fault.perSecond)} requests per second.`;
        return this.#stub(request, { status: 429, headers: { 'retry-after': '1' } }, message);
      }
      case 'reset_before':
        return { kind: 'reset' };
      case 'timeout':
        return fault.commit === true ? undefined : { kind: 'silence' };
      case 'outage':
        if (fault.effect === 'refused') return { kind: 'refused' };
        return fault.effect === 'unavailable' ? this.#stub(request, unavailable, downText) : undefined;
      default:
        return undefined;
    }
  }

  #carryOut(request: IncomingRequest, fault: RequestFault | undefined, listingLagMs: number): Exchange {
    const reply = this.#router.answer(request, listingLagMs);
    const { status } = reply;
    const headers = { ...jsonHeaders, date: this.#date() };
    const body = JSON.stringify(reply.body);
    switch (fault?.kind) {
      case 'reset_after_commit':
        return { kind: 'reset' };
      case 'outage':
        return this.#stub(request, unavailable, downText);
      case 'timeout':
        return { kind: 'silence' };
      case 'truncated_body':
        return { kind: 'cut', status, headers, body, sent: half(body) };
      case 'invalid_json':
        return { kind: 'reply', status, headers, body: half(body) };
      default:
        return { kind: 'reply', status, headers, body };
    }
  }

  /** A reply of a fault, in place of the service's reply. */
  #stub(
    request: IncomingRequest,
    { status, body, headers = {} }: Pick<StatusFault, 'status' | 'body' | 'headers'>,
    message = `A status fault answers ${String(status)}.`,
  ): Exchange {
    const given = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
    const all = { date: this.#date(), ...Object.fromEntries(given) };
    if (typeof body === 'string') {
      return { kind: 'reply', status, headers: { 'content-type': 'text/plain;charset=UTF-8', ...all }, body };
    }
    const form = this.#router.endpointOf(request)?.errorForm;
    const standard = form === 'error' ? { error: message } : { success: status < 300, message };
    return { kind: 'reply', status, headers: { ...jsonHeaders, ...all }, body: JSON.stringify(body ?? standard) };
  }

  #date(): string {
    return new Date(this.#now()).toUTCString();
  }
}

function replyOf(exchange: Exchange): Pick<RequestRecord, 'status' | 'reply'> {
  if (!('status' in exchange)) return {};
  const { status, headers, body } = exchange;
  return { status, reply: { headers, body: startOfText(body) } };
}

function half(text: string): string {
  return text.slice(0, Math.ceil(text.length / 2));
}
