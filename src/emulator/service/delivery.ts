import { ConfigurationError } from '../../core/errors.js';
import { signWebhook } from '../../webhooks/sign.js';
import { knownEventTypes } from '../../model/events.js';
import { timestamp } from './time.js';
import type { Clock } from './clock.js';
import { checkScope, strikes } from '../http/faults.js';
import type { Delivery, DeliveryFault, RemoveFault } from './records.js';
import type { State, Store, StoredEvent } from './store.js';

export interface DeliveryOptions {
  /** Takes deliveries in place of the network. */
  readonly deliver: ((request: Request) => Response | Promise<Response>) | undefined;
  readonly timeoutMs: number;
  readonly retryDelayMs: number;
}

interface Signed {
  readonly second: number;
  readonly headers: Record<string, string>;
  readonly error?: string;
}

interface Sending {
  readonly event: StoredEvent;
  readonly attempt: number;
  /** Its place among all deliveries. */
  readonly order: number;
  readonly url: string;
  readonly secret: string;
  readonly signed: Signed;
}

/** What came of an attempt. */
type Outcome = Pick<Delivery, 'ok' | 'status' | 'error'>;

const maxAttempts = 3;

const kinds: readonly string[] = ['duplicate', 'reorder', 'delay', 'timeout'] satisfies DeliveryFault['kind'][];

/** Sends events to their subscriptions: at most three attempts, each signed anew. */
export class Deliveries {
  readonly #store: Store;
  readonly #options: DeliveryOptions;
  readonly #clock: () => Clock;
  /** The events of one subscription go out one after the other. */
  readonly #lines = new Map<string, Promise<void>>();
  /** Signings of the deliveries that are started in one go. */
  #signings: Promise<Signed>[] = [];
  #ready: Promise<void> = Promise.resolve();

  constructor(store: Store, clock: () => Clock, options: DeliveryOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#options = options;
  }

  addFault(fault: DeliveryFault): RemoveFault {
    if (!kinds.includes(fault.kind))
      throw new RangeError(`A delivery fault's kind must be one of ${kinds.join(', ')}.`);
    if (fault.eventType !== undefined && !knownEventTypes.includes(fault.eventType)) {
      throw new RangeError(`A delivery fault's eventType must be one of ${knownEventTypes.join(', ')}.`);
    }
    if (fault.kind === 'delay' && !(Number.isFinite(fault.delayMs) && (fault.delayMs ?? -1) >= 0)) {
      throw new RangeError("A delay's delayMs must be a number of 0 or more.");
    }
    checkScope(fault);
    const id = this.#store.count('fault');
    this.#store.state.deliveryFaults.push({ id, fault: { ...fault }, left: fault.times ?? Infinity });
    return () => {
      const list = this.#store.state.deliveryFaults;
      const index = list.findIndex((active) => active.id === id);
      if (index !== -1) list.splice(index, 1);
    };
  }

  clearFaults(): void {
    this.#store.state.deliveryFaults.length = 0;
  }

  /** Sends an event in its subscription's turn. It never rejects. */
  send(event: StoredEvent, attempt: number): Promise<void> {
    const { state } = this.#store;
    const order = this.#store.count('delivery');
    const { url, secret } = state.subscriptions.get(event.subscriptionId)?.webhook ?? {};
    if (url === undefined || secret === undefined) return Promise.resolve();
    const signing = sign(event, secret, this.#clock().now());
    const ready = this.#readyAfter(signing);
    const before = this.#lines.get(event.subscriptionId) ?? Promise.resolve();
    const line = Promise.all([signing, before, ready]).then(([signed]) =>
      this.#attempt(state, { event, attempt, order, url, secret, signed }),
    );
    this.#lines.set(event.subscriptionId, line);
    return line;
  }

  /**
   * Signing takes a time of chance. What is sent in one go is therefore signed as a whole before any of it starts, so that
   * all starts are in the order of the sends, whatever the receivers do afterwards.
   */
  #readyAfter(signing: Promise<Signed>): Promise<void> {
    if (this.#signings.push(signing) === 1) {
      const before = this.#ready;
      this.#ready = Promise.resolve().then(async () => {
        const signings = this.#signings;
        this.#signings = [];
        await Promise.all([before, ...signings]);
      });
    }
    return this.#ready;
  }

  async #attempt(state: State, { event, attempt, order, url, secret, signed: before }: Sending): Promise<void> {
    const now = this.#clock().now();
    const fault = this.#takeFault(state, event, attempt);
    if (fault?.kind === 'delay') {
      this.#store.schedule(
        now + (fault.delayMs ?? 0),
        { kind: 'deliver', event: { ...event, delayed: true }, attempt },
        state,
      );
      return;
    }
    if (fault?.kind === 'reorder') {
      state.held.set(event.subscriptionId, [...(state.held.get(event.subscriptionId) ?? []), event]);
      return;
    }
    const record = (outcome: Outcome) => {
      const delivery = { ...describe(event, url, now, attempt), ...outcome, headers: signed.headers, body: event.body };
      const place = state.deliveries.findLastIndex((other) => other.order <= order) + 1;
      state.deliveries.splice(place, 0, { order, delivery });
    };
    // Behind a slow receiver it may have waited until the time of its signature had passed.
    const signed = before.second === second(now) ? before : await sign(event, secret, now);
    const post = () =>
      signed.error === undefined ? this.#post(event, url, signed.headers) : { ok: false, error: signed.error };
    const result = fault?.kind === 'timeout' ? { ok: false, error: 'timed out' } : await post();
    record(result);
    if (fault?.kind === 'duplicate') record(await post());
    this.#release(state, event.subscriptionId, now);
    if (result.ok || attempt >= maxAttempts) return;
    const wait = this.#options.retryDelayMs * 2 ** (attempt - 1);
    this.#store.schedule(now + wait, { kind: 'deliver', event, attempt: attempt + 1 }, state);
  }

  /** Sends what was held back until another event of the subscription had gone out. */
  #release(state: State, subscriptionId: string, now: number): void {
    const held = state.held.get(subscriptionId);
    if (held === undefined) return;
    state.held.delete(subscriptionId);
    for (const event of held) {
      this.#store.schedule(now, { kind: 'deliver', event: { ...event, delayed: true }, attempt: 1 }, state);
    }
    this.#clock().kick();
  }

  #takeFault(state: State, event: StoredEvent, attempt: number): DeliveryFault | undefined {
    for (const active of [...state.deliveryFaults]) {
      const { fault } = active;
      if (fault.eventType !== undefined && fault.eventType !== event.type) continue;
      if (fault.subscriptionId !== undefined && fault.subscriptionId !== event.subscriptionId) continue;
      // Only a time-out can hit a retry, and an event that was held back once isn't held back again.
      if (fault.kind !== 'timeout' && (attempt > 1 || event.delayed === true)) continue;
      if (strikes(this.#store, state.deliveryFaults, active)) return fault;
    }
    return undefined;
  }

  async #post({ body }: StoredEvent, url: string, headers: Record<string, string>): Promise<Outcome> {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const reason = new DOMException('timed out', 'TimeoutError');
        abort.abort(reason);
        reject(reason);
      }, this.#options.timeoutMs);
    });
    try {
      const request = new Request(url, { method: 'POST', headers, body, redirect: 'manual', signal: abort.signal });
      const response = await Promise.race([this.#call(request), timeout]);
      // The body is of no use, and unread it would keep its connection.
      void response.body?.cancel().catch(() => undefined);
      // In a browser a redirect that isn't followed shows status 0.
      if (response.ok) return { ok: true, status: response.status };
      return { ok: false, status: response.status, error: `status ${String(response.status)}` };
    } catch (error) {
      return { ok: false, error: reasonOf(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  // Async, so that a handler that throws is a delivery that failed.
  async #call(request: Request): Promise<Response> {
    const { deliver } = this.#options;
    if (deliver === undefined) return fetch(request);
    const response: unknown = await deliver(request);
    // Any library's Response will do.
    const { status } = (response ?? {}) as { status?: unknown };
    if (typeof status !== 'number') throw new ConfigurationError('createEmulator: deliver must give a Response.');
    return response as Response;
  }
}

/** A second of the clock, as signatures tell it. */
function second(now: number): number {
  return Math.floor(now / 1000);
}

/** It never rejects: what can't be signed is a delivery that failed. */
async function sign({ body, id, type }: StoredEvent, secret: string, now: number): Promise<Signed> {
  const at = second(now);
  const event = { 'X-Service-Event-Id': id, 'X-Service-Event-Type': type };
  try {
    return { second: at, headers: { ...(await signWebhook({ body, secret, timestamp: at })), ...event } };
  } catch (error) {
    return { second: at, headers: event, error: reasonOf(error) };
  }
}

function describe(event: StoredEvent, url: string, now: number, attempt: number) {
  return {
    subscriptionId: event.subscriptionId,
    eventId: event.id,
    eventType: event.type,
    attempt,
    url,
    at: timestamp(now),
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? `${error.message}: ${cause.message}` : error.message;
}
