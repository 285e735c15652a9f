import { signWebhook } from '../webhooks/sign.js';
import { knownEventTypes } from '../webhooks/events.js';
import { timestamp } from './time.js';
import type { Clock } from './clock.js';
import { checkScope, strikes } from './faults.js';
import type { DeliveryFault, RemoveFault } from './records.js';
import type { State, Store, StoredEvent } from './store.js';

export interface DeliveryOptions {
  /** Takes deliveries in place of the network. */
  readonly deliver: ((request: Request) => Response | Promise<Response>) | undefined;
  readonly timeoutMs: number;
  readonly retryDelayMs: number;
}

const maxAttempts = 3;

const kinds: readonly string[] = ['duplicate', 'reorder', 'delay', 'timeout'] satisfies DeliveryFault['kind'][];

/** Sends events to their subscriptions: at most three attempts, each signed anew. */
export class Deliveries {
  readonly #store: Store;
  readonly #options: DeliveryOptions;
  readonly #clock: () => Clock;
  /** The events of one subscription go out one after the other. */
  readonly #lines = new Map<string, Promise<void>>();

  constructor(store: Store, clock: () => Clock, options: DeliveryOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#options = options;
  }

  addFault(fault: DeliveryFault): RemoveFault {
    if (!kinds.includes(fault.kind)) throw new RangeError(`A delivery fault's kind must be one of ${kinds.join(', ')}.`);
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
    const before = this.#lines.get(event.subscriptionId) ?? Promise.resolve();
    const line = before.then(() => this.#attempt(state, event, attempt));
    this.#lines.set(event.subscriptionId, line);
    return line;
  }

  async #attempt(state: State, event: StoredEvent, attempt: number): Promise<void> {
    const subscription = state.subscriptions.get(event.subscriptionId);
    const url = subscription?.webhook?.url;
    const secret = subscription?.webhook?.secret;
    if (url === undefined || secret === undefined) return;
    const now = this.#clock().now();
    const fault = this.#takeFault(state, event, attempt);
    if (fault?.kind === 'delay') {
      this.#store.schedule(now + (fault.delayMs ?? 0), { kind: 'deliver', event: { ...event, delayed: true }, attempt }, state);
      return;
    }
    if (fault?.kind === 'reorder') {
      state.held.set(event.subscriptionId, [...(state.held.get(event.subscriptionId) ?? []), event]);
      return;
    }
    const result = await this.#post(event, url, secret, now, fault?.kind === 'timeout');
    if (fault?.kind === 'duplicate') {
      state.deliveries.push({ ...describe(event, url, now, attempt), ...result });
      const again = await this.#post(event, url, secret, now, false);
      state.deliveries.push({ ...describe(event, url, now, attempt), ...again });
    } else {
      state.deliveries.push({ ...describe(event, url, now, attempt), ...result });
    }
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

  async #post(
    event: StoredEvent,
    url: string,
    secret: string,
    now: number,
    silent: boolean,
  ): Promise<{ ok: boolean; status?: number; error?: string; headers: Record<string, string>; body: string }> {
    const { body } = event;
    const signed = await signWebhook({ body, secret, timestamp: Math.floor(now / 1000) });
    const headers = { ...signed, 'X-Service-Event-Id': event.id, 'X-Service-Event-Type': event.type };
    if (silent) return { ok: false, error: 'timed out', headers, body };
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
      if (response.ok) return { ok: true, status: response.status, headers, body };
      return { ok: false, status: response.status, error: `status ${String(response.status)}`, headers, body };
    } catch (error) {
      return { ok: false, error: reasonOf(error), headers, body };
    } finally {
      clearTimeout(timer);
    }
  }

  // Async, so that a handler that throws is a delivery that failed.
  async #call(request: Request): Promise<Response> {
    const { deliver } = this.#options;
    return deliver === undefined ? await fetch(request) : await deliver(request);
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
