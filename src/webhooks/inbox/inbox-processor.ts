import { callSafely } from '../../core/call/hooks.js';
import { within } from '../../core/flow/abort.js';
import { retrying } from '../../core/flow/retrying.js';
import { defaultRuntime } from '../../core/runtime.js';
import { defaultBackoff, type InboxSettings } from './inbox-options.js';
import {
  dead,
  deadKey,
  done,
  eventOf,
  failed,
  finalStateOf,
  isDue,
  leased,
  postponed,
  stateKey,
  type InboxEvent,
  type InboxRecord,
  type StateClaim,
  type WaitingRecord,
} from './inbox-record.js';
import type { InboxStorage } from './inbox-storage.js';
import { change, type Versioned } from '../../stores/records.js';
import { findReceiverClaim } from '../receive/event-claims.js';
import { currentScopes } from '../verify/signatures.js';

/** After this number of lost owners, an event is dead: an event that ends its process would end the next one too. */
const maxLost = 10;

/** How to repeat a write whose event was already handled. */
interface WriteRetries {
  readonly waitMs: number;
  readonly isStopping: () => boolean;
}

/** Lets work run beside other work, or exclusively. */
class RunGate {
  readonly #beside = new Set<Promise<void>>();
  /** Ends when no work runs exclusively, or waits to. */
  #alone: Promise<unknown> = Promise.resolve();

  /**
   * Runs work, after all work that asked to run exclusively.
   * @param patienceMs how long exclusive work waits for other work, and other work for it: longer work does not stop all
   *   other work. `undefined`: it runs beside other work
   */
  async run(work: () => Promise<void>, patienceMs: number | undefined): Promise<void> {
    let seen: Promise<unknown> | undefined;
    while (seen !== this.#alone) await (seen = this.#alone);
    if (patienceMs === undefined) {
      const running = work().finally(() => this.#beside.delete(running));
      this.#beside.add(running);
      return running;
    }
    const running = endOf(Promise.allSettled(this.#beside), patienceMs).then(work);
    this.#alone = endOf(running, 2 * patienceMs);
    return running;
  }
}

/** Resolves when the work has ended, or after a time. */
function endOf(work: Promise<unknown>, ms: number): Promise<unknown> {
  return within(ms, work, () => new Error('It takes too long.')).catch(() => undefined);
}

export class InboxProcessor {
  readonly #settings: InboxSettings;
  readonly #storage: InboxStorage;
  readonly #gate = new RunGate();

  constructor(settings: InboxSettings, storage: InboxStorage) {
    this.#settings = settings;
    this.#storage = storage;
  }

  /**
   * Handles a due event, or removes an old one.
   * @returns whether it was due
   * @throws any error before the handler ran; the event then becomes due again
   */
  async process(key: string, retries: WriteRetries): Promise<boolean> {
    const read = await this.#storage.events.read(key);
    if (read === undefined) return false;
    const { record, version } = read;
    // The key may come from an outdated list of due keys.
    if (record.state === 'dead') return false;
    if (record.state === 'done') {
      if (record.wakeAt > this.#settings.now()) return false;
      await this.#storage.events.write(key, read, null);
      return true;
    }
    if (!isDue(record, this.#settings.now())) return false;
    // If nothing else changes the record before its turn, the lease is written.
    const run = () => (retries.isStopping() ? Promise.resolve() : this.#run(key, { record, version }, retries));
    const wasLost = record.owner !== undefined || record.lost > 0;
    // An event that ended its process may do it again: it must not take the attempts of other events with it.
    await this.#gate.run(run, wasLost ? this.#settings.leaseMs : undefined);
    return true;
  }

  async #run(key: string, read: Versioned<WaitingRecord>, { waitMs, isStopping }: WriteRetries): Promise<void> {
    const { record } = read;
    if (record.owner !== undefined && record.lost + 1 >= maxLost) {
      const error = new Error(
        `${maxLost} processes ended, or lost their lease, while they handled the event. Fix its handler, then call replay().`,
      );
      await this.#markDead(key, read, error);
      return;
    }
    const event = eventOf(record);
    const handler = this.#settings.handlerOf(event);
    const scopes = record.scopes ?? (await currentScopes(this.#settings.secret));
    // Without a handler, the state stays free for a receiver that has one.
    if (handler === undefined || !(await this.#claimState(event, scopes))) {
      await this.#storage.write(key, read, this.#done(scopes));
      return;
    }
    const lease = leased({ ...record, scopes }, defaultRuntime.newId(), this.#settings.now(), this.#settings.leaseMs);
    const mine = await this.#storage.write(key, read, lease);
    if (mine === undefined || (await this.#isWithReceiver(key, event, mine, scopes))) return;
    // Another process may own the event by now.
    if (isDue(lease, this.#settings.now())) {
      await this.#writeMine(key, mine, (current) => postponed(current, this.#settings.now(), 0));
      throw new Error(
        'The lease of an event ended before its handler started, because the store is slow, or other code blocks this ' +
          'process. The inbox tries the event again. If this repeats, increase leaseMs.',
      );
    }
    const write = await this.#attempt(key, event, mine, handler);
    let isReported = false;
    const isRetryable = (error: unknown) => {
      if (!isReported) void callSafely(() => this.#settings.onError(error, { event }));
      isReported = true;
      return !(isStopping() && isDue(lease, this.#settings.now()));
    };
    // Without this write, the event would be handled again after the lease.
    await retrying(write, { schedule: () => waitMs, isRetryable }).catch(() => undefined);
  }

  /** Whether a receiver of the same subscription handled the event, or handles it now. */
  async #isWithReceiver(
    key: string,
    event: InboxEvent,
    mine: Versioned<WaitingRecord>,
    scopes: readonly string[],
  ): Promise<boolean> {
    const now = this.#settings.now();
    const of = (event.recovered === true ? finalStateOf(event) : undefined) ?? { id: event.id };
    const claim = await findReceiverClaim(this.#storage.store, of, scopes, now);
    if (claim === undefined) return false;
    await this.#writeMine(key, mine, (current) =>
      claim.state === 'done' ? this.#done(scopes) : postponed(current, now, claim.until - now),
    );
    return true;
  }

  /** Runs the handler, and returns the write that records the result. */
  async #attempt(
    key: string,
    event: InboxEvent,
    mine: Versioned<WaitingRecord>,
    handler: (event: InboxEvent) => unknown,
  ): Promise<() => Promise<unknown>> {
    try {
      await handler(event);
    } catch (error) {
      const attempt = mine.record.failures + 1;
      const last = attempt >= this.#settings.maxAttempts;
      await callSafely(() => this.#settings.onError(error, { event, attempt, last }));
      if (last) return () => this.#markDead(key, mine, error);
      const waitMs = await this.#backoff(attempt);
      return () => this.#writeMine(key, mine, (current) => failed(current, this.#settings.now(), waitMs));
    }
    // Whatever other processes recorded after the lease, even that it is dead: the event was handled.
    const handled = (current: InboxRecord) => (current.state === 'done' ? undefined : this.#done(mine.record.scopes));
    return () => this.#storage.update(key, handled, mine);
  }

  /**
   * Returns whether a handler may get this final state of a post. A delivery and an event that `catchUp` created exclude
   * each other. Deliveries under different IDs do not.
   */
  async #claimState(event: InboxEvent, scopes: readonly string[]): Promise<boolean> {
    const state = finalStateOf(event);
    if (state === undefined) return true;
    const key = await stateKey(state.postId, state.status);
    const { id, recovered } = event;
    const record: StateClaim = { id, recovered, scopes };
    const claim = (claimed: StateClaim | undefined) =>
      claimed === undefined ? { record, wakeAt: this.#settings.now() + this.#settings.keepMs } : undefined;
    const { old: first } = await change(this.#storage.claims, key, claim, { known: 'new' });
    if (first === undefined) return true;
    return first.id === id || (first.recovered === undefined && recovered === undefined);
  }

  async #backoff(attempt: number): Promise<number> {
    try {
      const ms = this.#settings.backoff(attempt);
      if (Number.isFinite(ms) && ms >= 0) return ms;
      throw new TypeError(`backoff() must return a number of milliseconds of 0 or more, not ${String(ms)}.`);
    } catch (error) {
      await callSafely(() => this.#settings.onError(error, {}));
      return defaultBackoff(attempt);
    }
  }

  async #markDead(key: string, mine: Versioned<WaitingRecord>, error: unknown): Promise<void> {
    // First the mark: dead() would never find a dead event without one. It skips a mark whose event is not dead.
    const { id } = mine.record;
    await this.#storage.claims.write(await deadKey(id), undefined, { record: { id }, wakeAt: null });
    if (!(await this.#writeMine(key, mine, dead))) return;
    await callSafely(() => this.#settings.onDead(eventOf(mine.record), error));
  }

  /** Writes the next state of an event, unless the event has another owner by now. Returns whether it was written. */
  #writeMine(
    key: string,
    mine: Versioned<WaitingRecord>,
    next: (record: WaitingRecord) => InboxRecord,
  ): Promise<boolean> {
    const { owner } = mine.record;
    const ifMine = (current: InboxRecord) =>
      current.state === 'waiting' && current.owner === owner ? next(current) : undefined;
    return this.#storage.update(key, ifMine, mine);
  }

  #done(scopes: readonly string[] | undefined) {
    return done(this.#settings.now() + this.#settings.keepMs, scopes);
  }
}
