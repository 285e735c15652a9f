import type { RequestFault, StatusFault } from '../service/fault-kinds.js';
import type { RequestRecord } from '../service/traffic.js';
import type { State } from '../service/state.js';
import type { Store } from '../service/store.js';
import type { Exchange } from './exchange.js';
import type { RequestFaults } from './faults.js';
import { incomingOf, type IncomingRequest } from './incoming-request.js';
import { pause } from './pause.js';
import { requestRecord } from './request-record.js';
import { servicePath } from './route.js';
import type { Router } from './router.js';

/** Notes what becomes of a request. */
type Note = (more: Partial<RequestRecord>) => Noted;

interface Noted {
  /** The state that it came to, whatever is restored meanwhile. */
  readonly state: State;
  readonly record: RequestRecord;
}

/** So much of a reply observers are shown. */
const shownOfReply = 4096;

const jsonHeaders = { 'content-type': 'application/json' } as const;

/** Takes a request through faults and router, and records it. */
export class Exchanges {
  readonly #store: Store;
  readonly #router: Router;
  readonly #faults: RequestFaults;
  readonly #now: () => number;
  /** How many requests are kept, the latest ones. */
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
    let exchange: Exchange | undefined;
    try {
      exchange = await this.#carryOutUnderFaults(incoming, signal, note);
      return exchange;
    } finally {
      this.#tell(note({}), exchange);
    }
  }

  /** Answers a request that is none of those under test: it is not recorded, and no fault hits it. */
  async runAside(request: Request): Promise<Exchange> {
    return this.#carryOut(await incomingOf(request), undefined, 0);
  }

  #tell({ state, record }: Noted, exchange: Exchange | undefined): void {
    if (state !== this.#store.state) return;
    this.#store.observers.tell(() => ({
      type: 'request',
      request: structuredClone(record),
      ...(exchange === undefined || !('body' in exchange)
        ? {}
        : { reply: { headers: exchange.headers, body: exchange.body.slice(0, shownOfReply) } }),
    }));
  }

  async #carryOutUnderFaults(incoming: IncomingRequest, signal: AbortSignal, note: Note): Promise<Exchange> {
    const { state } = this.#store;
    const hits = this.#faults.take(incoming.method, servicePath(incoming.url));
    if (hits.length > 0) note({ faults: hits.map(({ kind }) => kind) });
    for (const fault of hits) if (fault.kind === 'latency') await pause(fault.latencyMs, signal);
    // The state in place knows nothing of it: it is as if the service had been started anew.
    if (state !== this.#store.state) return { kind: 'reset' };
    const fault = hits.find(({ kind }) => kind !== 'latency');
    const lag = isCarriedOut(fault)
      ? this.#faults.takeListingLag(incoming.method, servicePath(incoming.url))
      : undefined;
    if (lag !== undefined) note({ faults: [...hits, lag].map(({ kind }) => kind) });
    const exchange = this.#carryOut(incoming, fault, lag?.lagMs ?? 0);
    if ('status' in exchange) note({ status: exchange.status });
    return exchange;
  }

  /** Records a request as it comes. What it gives back notes what becomes of it. */
  #record(incoming: IncomingRequest): Note {
    const { state } = this.#store;
    const order = this.#store.count('request');
    const route = this.#router.endpointOf(incoming)?.route;
    let record = requestRecord(`request_${String(order)}`, incoming, route, this.#now());
    state.requests.set({ order, record });
    while (state.requests.size > this.#kept) state.requests.shift();
    return (more) => {
      record = { ...record, ...more };
      // It may be gone by now: cleared, or one of too many.
      if (state.requests.has({ order, record })) state.requests.set({ order, record });
      return { state, record };
    };
  }

  #carryOut(request: IncomingRequest, fault: RequestFault | undefined, listingLagMs: number): Exchange {
    if (fault?.kind === 'status') return this.#stub(request, fault);
    if (fault?.kind === 'rate_limit') {
      const message = `The emulator was told to take ${String(fault.perSecond)} requests a second.`;
      return this.#stub(request, { status: 429, headers: { 'retry-after': '1' } }, message);
    }
    if (fault?.kind === 'reset_before') return { kind: 'reset' };
    if (fault?.kind === 'timeout' && fault.commit !== true) return { kind: 'silence' };
    const reply = this.#router.answer(request, listingLagMs);
    const { status } = reply;
    const headers = { ...jsonHeaders, date: this.#date() };
    const body = JSON.stringify(reply.body);
    switch (fault?.kind) {
      case 'reset_after_commit':
        return { kind: 'reset' };
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

  /** A reply in the service's place. */
  #stub(
    request: IncomingRequest,
    { status, body, headers = {} }: Pick<StatusFault, 'status' | 'body' | 'headers'>,
    message = `The emulator was told to answer ${String(status)}.`,
  ): Exchange {
    const given = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
    const all = { date: this.#date(), ...Object.fromEntries(given) };
    if (typeof body === 'string') {
      return { kind: 'reply', status, headers: { 'content-type': 'text/plain;charset=UTF-8', ...all }, body };
    }
    const form = this.#router.endpointOf(request)?.errorForm ?? 'message';
    const told = form === 'error' ? { error: message } : { success: status < 300, message };
    return { kind: 'reply', status, headers: { ...jsonHeaders, ...all }, body: JSON.stringify(body ?? told) };
  }

  /** The time of a reply, as its `Date` header has it. */
  #date(): string {
    return new Date(this.#now()).toUTCString();
  }
}

/** Whether the service carries a request out that a fault hits. */
function isCarriedOut(fault: RequestFault | undefined): boolean {
  switch (fault?.kind) {
    case 'status':
    case 'rate_limit':
    case 'reset_before':
      return false;
    case 'timeout':
      return fault.commit === true;
    default:
      return true;
  }
}

function half(text: string): string {
  return text.slice(0, Math.ceil(text.length / 2));
}
