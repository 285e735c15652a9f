import type { Faults } from './faults.js';
import type { RequestFault, RequestRecord, StatusFault } from '../service/records.js';
import type { Answer, IncomingRequest, Router } from './router.js';
import { servicePath } from './route.js';
import type { Store } from '../service/store.js';

/** What happens to a request on the wire. Adapters carry it out: `fetch`, a socket, a service worker. */
export type Exchange = WholeReply | CutReply | NoReply;

/** A reply that arrives whole. */
export interface WholeReply {
  /** A whole reply. */
  readonly kind: 'reply';
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body. */
  readonly body: string;
}

/** A reply that breaks off. */
export interface CutReply {
  /** A reply that breaks off. */
  readonly kind: 'cut';
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body. */
  readonly body: string;
  /** The part of the body that arrives. */
  readonly sent: string;
}

/** No reply. */
export interface NoReply {
  /** `reset`: the connection is reset. `silence`: no reply ever comes. */
  readonly kind: 'reset' | 'silence';
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const jsonHeaders = { 'content-type': 'application/json' } as const;

/** Takes a request through faults and router, and records it. */
export class Exchanges {
  readonly #store: Store;
  readonly #router: Router;
  readonly #faults: Faults;
  readonly #now: () => number;

  constructor(store: Store, router: Router, faults: Faults, now: () => number) {
    this.#store = store;
    this.#router = router;
    this.#faults = faults;
    this.#now = now;
  }

  async run(request: Request): Promise<Exchange> {
    const { signal } = request;
    signal.throwIfAborted();
    const incoming: IncomingRequest = {
      method: request.method,
      url: new URL(request.url),
      headers: request.headers,
      body: await request.text(),
    };
    signal.throwIfAborted();
    const record = this.#record(incoming);
    const faults = this.#faults.take(incoming.method, servicePath(incoming.url));
    if (faults.length > 0) record.faults = faults.map(({ kind }) => kind);
    for (const fault of faults) if (fault.kind === 'latency') await pause(fault.latencyMs, signal);
    const fault = faults.find(({ kind }) => kind !== 'latency');
    const lag = isCarriedOut(fault)
      ? this.#faults.takeListingLag(incoming.method, servicePath(incoming.url))
      : undefined;
    if (lag !== undefined) record.faults = [...(record.faults ?? []), lag.kind];
    const exchange = this.#carryOut(incoming, fault, lag?.lagMs ?? 0);
    if ('status' in exchange) record.status = exchange.status;
    return exchange;
  }

  /** The time of a reply, as its `Date` header has it. */
  #date(): string {
    return new Date(this.#now()).toUTCString();
  }

  #record({ method, url, headers, body }: IncomingRequest): Mutable<RequestRecord> {
    const route = this.#router.endpointOf({ method, url, headers, body })?.route;
    const query: Record<string, string | readonly string[]> = {};
    for (const name of new Set(url.searchParams.keys())) {
      const values = url.searchParams.getAll(name);
      query[name] = values.length === 1 ? (values[0] ?? '') : values;
    }
    const record: Mutable<RequestRecord> = {
      method,
      url: url.href,
      path: url.pathname,
      ...(route === undefined ? {} : { route }),
      query,
      headers: Object.fromEntries(headers),
      ...(body === '' ? {} : { body: parsed(body) }),
      at: new Date(this.#now()).toISOString(),
    };
    this.#store.state.requests.push(record);
    return record;
  }

  #carryOut(request: IncomingRequest, fault: RequestFault | undefined, listingLagMs: number): Exchange {
    if (fault?.kind === 'status') return this.#stub(request, fault);
    if (fault?.kind === 'rate_limit') {
      const message = `The emulator was told to take ${String(fault.perSecond)} requests a second.`;
      return this.#stub(request, { status: 429, headers: { 'retry-after': '1' } }, message);
    }
    if (fault?.kind === 'reset_before') return { kind: 'reset' };
    if (fault?.kind === 'timeout' && fault.commit !== true) return { kind: 'silence' };
    const { status, body: json }: Answer = this.#router.answer(request, listingLagMs);
    const headers = { ...jsonHeaders, date: this.#date() };
    const body = JSON.stringify(json);
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

  #stub(
    request: IncomingRequest,
    { status, body, headers = {} }: Pick<StatusFault, 'status' | 'body' | 'headers'>,
    message = `The emulator was told to answer ${String(status)}.`,
  ): Exchange {
    const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const lower = { date: this.#date(), ...Object.fromEntries(given) } as Record<string, string>;
    if (typeof body === 'string') {
      return { kind: 'reply', status, headers: { 'content-type': 'text/plain;charset=UTF-8', ...lower }, body };
    }
    const form = this.#router.endpointOf(request)?.errorForm ?? 'message';
    const told = form === 'error' ? { error: message } : { success: status < 300, message };
    return { kind: 'reply', status, headers: { ...jsonHeaders, ...lower }, body: JSON.stringify(body ?? told) };
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function half(text: string): string {
  return text.slice(0, Math.ceil(text.length / 2));
}

/** Waits in real time; an abort ends it at once. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
