import { callSafely } from '../core/call-safely.js';
import { retrying } from '../core/retrying.js';
import { defaultRuntime } from '../core/runtime.js';
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
  parseClaim,
  parseRecord,
  postponed,
  stateKey,
  type InboxEvent,
  type StateClaim,
  type WaitingRecord,
  wakeAtOf,
} from './inbox-record.js';
import type { InboxStorage } from './inbox-storage.js';
import type { StoredItem } from '../stores/store.js';
import { findReceiverClaim } from './event-claims.js';
import { RunGate } from './run-gate.js';
import { scopesOf } from './scopes.js';
import { currentSecrets } from './secrets.js';

/** After this number of lost owners, an event is dead: an event that ends its process would end the next one too. */
const maxLost = 10;

/** How to repeat a write whose event was already handled. */
export interface WriteRetries {
  readonly waitMs: number;
  readonly isStopping: () => boolean;
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
   * @throws any error of the store before the handler ran; the event then becomes due again
   */
  async process(key: string, retries: WriteRetries): Promise<void> {
    const item = await this.#storage.get(key);
    if (item === undefined) return;
    const record = parseRecord(key, item.data);
    // The key may come from an outdated list of due keys.
    if (record.state === 'dead') return;
    if (record.state === 'done') {
      if (record.wakeAt <= this.#settings.now()) await this.#storage.swap(key, item, null, null);
      return;
    }
    if (!isDue(record, this.#settings.now())) return;
    // If nothing else changes the record before its turn, the lease is written.
    const run = () => (retries.isStopping() ? Promise.resolve() : this.#run(key, item, record, retries));
    const wasLost = record.owner !== undefined || record.lost > 0;
    // An event that ended its process may do it again: it must not take the attempts of other events with it.
    await (wasLost ? this.#gate.runAlone(run, this.#settings.leaseMs) : this.#gate.runBeside(run));
  }

  async #run(key: string, item: StoredItem, record: WaitingRecord, retries: WriteRetries): Promise<void> {
    if (record.owner !== undefined && record.lost + 1 >= maxLost) {
      const error = new Error(
        `${maxLost} processes ended, or lost their lease, while they handled the event. Fix its handler, then call replay().`,
      );
      await this.#markDead(key, record, record.owner, error);
      return;
    }
    const event = eventOf(record);
    const handler = this.#settings.handlerOf(event);
    const scopes = record.scopes ?? (await this.currentScopes());
    if (!(await this.#claimState(event, scopes)) || handler === undefined) {
      const finished = this.#done(scopes);
      await this.#storage.swap(key, item, JSON.stringify(finished), wakeAtOf(finished));
      return;
    }
    const owner = defaultRuntime.newId();
    const mine = leased({ ...record, scopes }, owner, this.#settings.now(), this.#settings.leaseMs);
    if (!(await this.#storage.swap(key, item, JSON.stringify(mine), mine.wakeAt))) return;
    if (await this.#isWithReceiver(key, event, mine)) return;
    const write = await this.#attempt(key, mine, { event, handler, owner });
    await this.#writeResult(event, mine, retries, write);
  }

  /** The scopes of the current secrets. */
  async currentScopes(): Promise<string[]> {
    return scopesOf(await currentSecrets(this.#settings.secret));
  }

  /** Whether a receiver of the same subscription handled the event, or handles it now. */
  async #isWithReceiver(key: string, event: InboxEvent, { owner, scopes = [] }: WaitingRecord): Promise<boolean> {
    const of = (event.recovered === true ? finalStateOf(event) : undefined) ?? { id: event.id };
    const claim = await findReceiverClaim(this.#storage, of, scopes, this.#settings.now());
    if (claim === undefined) return false;
    await this.#storage.update(key, (current) => {
      if (current.state !== 'waiting' || current.owner !== owner) return undefined;
      if (claim.state === 'done') return this.#done(scopes);
      const now = this.#settings.now();
      return postponed(current, now, Math.max(claim.until - now, 0));
    });
    return true;
  }

  /** Whether a receiver of the same subscription handled a dead event. If so, the event is recorded as handled. */
  async isHandledByReceiver(key: string, event: InboxEvent, scopes: readonly string[] = []): Promise<boolean> {
    const claim = await findReceiverClaim(this.#storage, { id: event.id }, scopes, this.#settings.now());
    if (claim?.state !== 'done') return false;
    await this.#storage.update(key, (current) => (current.state === 'dead' ? this.#done(scopes) : undefined));
    return true;
  }

  /** Runs the handler, and returns the write that records the result. */
  async #attempt(key: string, record: WaitingRecord, attempt: HandlerAttempt): Promise<() => Promise<unknown>> {
    const { event, handler, owner } = attempt;
    try {
      await handler(event);
    } catch (error) {
      const number = record.failures + 1;
      const last = number >= this.#settings.maxAttempts;
      await callSafely(() => this.#settings.onError(error, { event, attempt: number, last }));
      return () => (last ? this.#markDead(key, record, owner, error) : this.#postpone(key, owner, number));
    }
    // Whatever other processes recorded after the lease, even that it is dead: the event was handled.
    return () => this.#storage.update(key, (now) => (now.state === 'done' ? undefined : this.#done(record.scopes)));
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
    const claim: StateClaim = { v: 1, id, ...(recovered === true ? { recovered } : {}), scopes };
    for (;;) {
      const wakeAt = this.#settings.now() + this.#settings.keepMs;
      if (await this.#storage.insert(key, JSON.stringify(claim), wakeAt)) return true;
      const item = await this.#storage.get(key);
      if (item === undefined) continue; // Removed in the meantime.
      const first = parseClaim(key, item.data);
      return first.id === id || (first.recovered === undefined && recovered === undefined);
    }
  }

  async #postpone(key: string, owner: string, attempt: number): Promise<void> {
    const waitMs = await this.#backoff(attempt);
    const now = this.#settings.now();
    await this.#storage.update(key, (current) =>
      current.state === 'waiting' && current.owner === owner ? failed(current, now, waitMs) : undefined,
    );
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

  async #markDead(key: string, { id }: WaitingRecord, owner: string, error: unknown): Promise<void> {
    // First the mark: dead() would never find a dead event without one. It skips a mark whose event is not dead.
    await this.#storage.insert(await deadKey(id), JSON.stringify({ v: 1, id }), null);
    const marked = await this.#storage.update(key, (now) =>
      now.state === 'waiting' && now.owner === owner ? dead(now) : undefined,
    );
    if (marked !== undefined) await callSafely(() => this.#settings.onDead(eventOf(marked), error));
  }

  /** Repeats a write that fails. Without the write, the event would be handled again after the lease. */
  async #writeResult(
    event: InboxEvent,
    mine: WaitingRecord,
    { waitMs, isStopping }: WriteRetries,
    write: () => Promise<unknown>,
  ): Promise<void> {
    let isReported = false;
    const writeAndReport = async () => {
      try {
        await write();
      } catch (error) {
        if (!isReported) await callSafely(() => this.#settings.onError(error, { event }));
        isReported = true;
        throw error;
      }
    };
    const schedule = () => (isStopping() && isDue(mine, this.#settings.now()) ? undefined : waitMs);
    await retrying(writeAndReport, { schedule }).catch(() => undefined);
  }

  #done(scopes: readonly string[] | undefined) {
    return done(this.#settings.now() + this.#settings.keepMs, scopes);
  }
}

interface HandlerAttempt {
  readonly event: InboxEvent;
  readonly handler: (event: InboxEvent) => unknown;
  readonly owner: string;
}
