import { Semaphore } from '../../core/flow/pool.js';
import type { Clock } from './clock.js';
import { rotatedSecret, type DeliveryFaults } from './delivery-faults.js';
import {
  demoReply,
  callReceiver,
  type DeliveryResult,
  type ReceiverOptions,
  signEvent,
  SigningOrder,
  type SignedEvent,
} from './receiver.js';
import type { DeliveryFault } from '../state/fault-kinds.js';
import type { State } from '../state/state.js';
import type { Store } from '../state/store.js';
import type { StoredEvent } from '../state/stored-records.js';
import { addTo } from '../state/table.js';
import { timestamp } from '../state/time.js';
import type { Delivery } from '../state/traffic.js';
import { UnknownIdError } from './fields.js';

export interface DeliveryOptions extends ReceiverOptions {
  /** The wait before the second attempt. */
  readonly retryDelayMs: number;
  /** The maximum number of deliveries of one subscription in flight. */
  readonly deliveryConcurrency: number;
  readonly keptDeliveries: number;
}

/** One delivery attempt. */
interface PlannedAttempt {
  /** Its state, even if another one is restored meanwhile. */
  readonly state: State;
  readonly event: StoredEvent;
  readonly number: number;
  readonly order: number;
  readonly url: string;
  readonly secret: string;
  readonly replayOf?: string;
}

const maxAttempts = 3;

/** Sends events to their subscriptions: at most three attempts, each signed again. */
export class Deliveries {
  readonly #store: Store;
  readonly #options: DeliveryOptions;
  readonly #faults: DeliveryFaults;
  readonly #clock: Clock;
  #refuse: (url: string) => string | undefined = () => undefined;
  /** The queues of deliveries, by the subscription's ID. */
  readonly #places = new Map<string, Semaphore>();
  readonly #signingOrder = new SigningOrder();

  constructor(store: Store, clock: Clock, faults: DeliveryFaults, options: DeliveryOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#faults = faults;
    this.#options = options;
  }

  /** From now on, a delivery for which `refuse` returns a reason fails with it and is not sent. */
  limit(refuse: (url: string) => string | undefined): void {
    this.#refuse = refuse;
  }

  /** Sends an event in its subscription's turn. It never rejects. */
  send(event: StoredEvent, number: number): Promise<void> {
    const { state } = this.#store;
    const order = this.#store.count('delivery');
    const { url, secret } = state.subscriptions.get(event.subscriptionId)?.webhook ?? {};
    if (url === undefined || secret === undefined) return Promise.resolve();
    const underWay = String(order);
    state.underWay.set(underWay, { event, attempt: number });
    const places = this.#places.get(event.subscriptionId) ?? new Semaphore(this.#options.deliveryConcurrency);
    this.#places.set(event.subscriptionId, places);
    return places.acquire().then(() =>
      this.#make({ state, event, number, order, url, secret }).finally(() => {
        state.underWay.delete(underWay);
        places.release();
      }),
    );
  }

  /**
   * Repeats a delivery, signed again. No fault applies to it, and it is not retried.
   * @throws UnknownIdError if the delivery or its subscription does not exist
   */
  async replay(id: string): Promise<Delivery> {
    const { state } = this.#store;
    const found = [...state.deliveries].find(({ delivery }) => delivery.id === id)?.delivery;
    if (found === undefined) throw new UnknownIdError(`The delivery '${id}' does not exist, or was removed.`);
    const { url, secret } = state.subscriptions.get(found.subscriptionId)?.webhook ?? {};
    if (url === undefined || secret === undefined)
      throw new UnknownIdError(`The subscription of delivery '${id}' does not exist.`);
    const event = { id: found.eventId, type: found.eventType, subscriptionId: found.subscriptionId, body: found.body };
    const order = this.#store.count('delivery');
    const now = this.#clock.now();
    const signed = await signEvent(event, secret, now);
    if (this.#isReplaced(state)) throw new UnknownIdError(`Delivery '${id}' belongs to a state that was replaced.`);
    const attempt = { state, event, number: found.attempt, order, url, secret, replayOf: id };
    await this.#carryOut(attempt, undefined, signed, now);
    const made = state.deliveries.slice().find((stored) => stored.order === order);
    return structuredClone(made?.delivery ?? found);
  }

  async #make(attempt: PlannedAttempt): Promise<void> {
    const { state, event, number } = attempt;
    if (this.#isReplaced(state)) return;
    const now = this.#clock.now();
    const fault = this.#faults.take(state, event, number);
    if (this.#holdBack(attempt, fault, now)) return;
    const secret = fault?.kind === 'rotated_secret' ? (fault.secret ?? rotatedSecret) : attempt.secret;
    const signing = signEvent(event, secret, now);
    await this.#signingOrder.readyAfter(signing);
    if (this.#isReplaced(state)) return;
    const retryAt = await this.#carryOut(attempt, fault, await signing, now);
    this.#release(state, event.subscriptionId, now);
    if (retryAt !== undefined) this.#store.schedule(retryAt, { kind: 'deliver', event, attempt: number + 1 }, state);
  }

  /** Returns when the next attempt is due, in milliseconds of the clock. Undefined: no attempt follows. */
  #retryAt(
    { number, replayOf }: PlannedAttempt,
    fault: DeliveryFault | undefined,
    now: number,
    { ok }: DeliveryResult,
  ): number | undefined {
    if (ok || number >= maxAttempts || fault?.kind === 'lost' || replayOf !== undefined) return undefined;
    return now + this.#options.retryDelayMs * 2 ** (number - 1);
  }

  /** Whether another state was restored. Work that had not begun by then is dropped: the new state does not know it. */
  #isReplaced(state: State): boolean {
    return state !== this.#store.state;
  }

  /** Delays an event if a fault says so. */
  #holdBack({ state, event, number }: PlannedAttempt, fault: DeliveryFault | undefined, now: number): boolean {
    if (fault?.kind === 'delay') {
      const delayed = { ...event, delayed: true };
      this.#store.schedule(now + (fault.delayMs ?? 0), { kind: 'deliver', event: delayed, attempt: number }, state);
      return true;
    }
    if (fault?.kind !== 'reorder') return false;
    addTo(state.held, event.subscriptionId, event);
    return true;
  }

  /** Sends and records an attempt. Returns when the next one is due. */
  async #carryOut(
    attempt: PlannedAttempt,
    fault: DeliveryFault | undefined,
    signed: SignedEvent,
    now: number,
  ): Promise<number | undefined> {
    const { event, url, number, replayOf } = attempt;
    const send = () =>
      demoReply(url, number === 1 && replayOf === undefined) ??
      callReceiver(this.#options, url, signed.headers, event.body);
    const post = async (part: number) => {
      const refusal = signed.error ?? this.#refuse(url);
      return record(part, refusal === undefined ? withTimeHint(await send(), now) : { ok: false, error: refusal });
    };
    const record = (part: number, result: DeliveryResult) => {
      // The first one of two simultaneous deliveries decides about the next attempt.
      const retryAt = part === 0 ? this.#retryAt(attempt, fault, now, result) : undefined;
      const retry = retryAt === undefined ? {} : { retryAt: timestamp(retryAt) };
      this.#record(attempt, part, signed, now, { ...result, ...retry });
      return retryAt;
    };
    switch (fault?.kind) {
      case 'timeout':
        return record(0, { ok: false, error: 'timed out' });
      case 'lost':
        return record(0, { ok: false, error: 'lost' });
      case 'concurrent': {
        const [retryAt] = await Promise.all([post(0), post(1)]);
        return retryAt;
      }
      case 'duplicate': {
        const retryAt = await post(0);
        if (!this.#isReplaced(attempt.state)) await post(1);
        return retryAt;
      }
      default:
        return post(0);
    }
  }

  #record(
    attempt: PlannedAttempt,
    part: number,
    signed: SignedEvent,
    now: number,
    result: DeliveryResult & Pick<Delivery, 'retryAt'>,
  ): void {
    const { state, event, number, order, url, replayOf } = attempt;
    const delivery = {
      id: `delivery_${String(order)}${part === 0 ? '' : `_${String(part + 1)}`}`,
      subscriptionId: event.subscriptionId,
      eventId: event.id,
      eventType: event.type,
      attempt: number,
      ...(replayOf === undefined ? {} : { replayOf }),
      url,
      at: timestamp(now),
      ...result,
      headers: signed.headers,
      body: event.body,
    };
    state.deliveries.set({ order, number: part, delivery });
    while (state.deliveries.size > this.#options.keptDeliveries) state.deliveries.shift();
    if (!this.#isReplaced(state))
      this.#store.observers.tell(() => ({ type: 'delivery', delivery: structuredClone(delivery) }));
  }

  /** Sends events that were held back until another event of the subscription was sent. */
  #release(state: State, subscriptionId: string, now: number): void {
    const held = state.held.get(subscriptionId);
    if (held === undefined) return;
    state.held.delete(subscriptionId);
    for (const event of held) {
      this.#store.schedule(now, { kind: 'deliver', event: { ...event, delayed: true }, attempt: 1 }, state);
    }
    this.#clock.kick();
  }
}

/** The tolerance of receivers between a signature's time and their own (Events, Signature rule). */
const toleranceMs = 300_000;

/** Explains why a receiver refuses every delivery, if it uses another time than the emulator. */
function withTimeHint(result: DeliveryResult, now: number): DeliveryResult {
  const refused = result.status === 400 || result.status === 401 || result.status === 403;
  // The real time, which the receiver may use; the emulator does not depend on it.
  if (!refused || Math.abs(Date.now() - now) <= toleranceMs) return result;
  const hint =
    "the emulator's time is not the real one, and a receiver that checks signatures with the real time refuses them. " +
    'Pass it now: () => service.clock.now()';
  return { ...result, error: `${result.error ?? ''}: ${hint}` };
}
