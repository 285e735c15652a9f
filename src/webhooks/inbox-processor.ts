import type { InboxSettings } from './inbox-options.js';
import { defaultBackoff } from './inbox-options.js';
import {
  dead,
  deadKey,
  done,
  eventKey,
  eventOf,
  failed,
  finalStateOf,
  leased,
  parseClaim,
  parseRecord,
  stateKey,
  type InboxEvent,
  type StateClaim,
  type WaitingRecord,
} from './inbox-record.js';
import type { InboxStorage } from './inbox-storage.js';

/** After so many lost owners an event is dead: what ends the process would end the next one too. */
const maxLost = 10;

/** How a write is tried again whose event was handled: the pause, and whether it is still worth it. */
export interface Patience {
  readonly pause: () => Promise<void>;
  readonly isOver: () => boolean;
}

/** Handles the events of an inbox, one call for each. */
export class InboxHandling {
  readonly #settings: InboxSettings;
  readonly #storage: InboxStorage;

  constructor(settings: InboxSettings, storage: InboxStorage) {
    this.#settings = settings;
    this.#storage = storage;
  }

  /**
   * Does what is due for an event: handles it, or forgets it.
   * @throws what the store throws before the handler was called; the event is due again then, now or later
   */
  async handle(key: string, patience: Patience): Promise<void> {
    const item = await this.#storage.get(key);
    if (item === undefined) return;
    const record = parseRecord(key, item.data);
    // The key may have come from a look that others were faster than.
    if (record.state === 'dead' || record.wakeAt > this.#settings.now()) return;
    if (record.state === 'done') {
      await this.#storage.swap(key, item, null, null);
      return;
    }
    if (record.owner !== undefined && record.lost + 1 >= maxLost) {
      const error = new Error(`Nobody who handled the event told what became of it, ${maxLost} times.`);
      await this.#bury(key, record, record.owner, error);
      return;
    }
    const event = eventOf(record);
    const handler = this.#settings.handlerOf(event);
    if (!(await this.#isFirst(event)) || handler === undefined) {
      const finished = this.#done();
      await this.#storage.swap(key, item, JSON.stringify(finished), finished.wakeAt);
      return;
    }
    const owner = crypto.randomUUID();
    const mine = leased(record, owner, this.#settings.now() + this.#settings.leaseMs);
    if (!(await this.#storage.swap(key, item, JSON.stringify(mine), mine.wakeAt))) return;
    await this.#run(key, mine, { event, handler, owner, patience });
  }

  async #run(key: string, record: WaitingRecord, { event, handler, owner, patience }: Run): Promise<void> {
    try {
      await handler(event);
    } catch (error) {
      const attempt = record.failures + 1;
      const last = attempt >= this.#settings.maxAttempts;
      await this.tell(() => this.#settings.onError(error, { event, attempt, last }));
      await this.#note(event, record, patience, () =>
        last ? this.#bury(key, record, owner, error) : this.#postpone(key, owner, attempt),
      );
      return;
    }
    // Whoever has it by now: it was handled.
    await this.#note(event, record, patience, () =>
      this.#storage.update(key, (now) => (now.state === 'waiting' ? this.#done() : undefined)),
    );
  }

  /**
   * Whether nobody else has told a handler of this state of the post. Deliveries under different IDs don't exclude each
   * other: a delivery and what `catchUp` found do.
   */
  async #isFirst(event: InboxEvent): Promise<boolean> {
    const state = finalStateOf(event);
    if (state === undefined) return true;
    const key = await stateKey(state.postId, state.status);
    const { id, recovered } = event;
    const claim: StateClaim = { v: 1, id, ...(recovered === true ? { recovered } : {}) };
    for (;;) {
      const wakeAt = this.#settings.now() + this.#settings.keepMs;
      if (await this.#storage.insert(key, JSON.stringify(claim), wakeAt)) return true;
      const item = await this.#storage.get(key);
      if (item === undefined) continue; // Just forgotten.
      const first = parseClaim(key, item.data);
      return first.id === id || (first.recovered === undefined && recovered === undefined);
    }
  }

  async #postpone(key: string, owner: string, attempt: number): Promise<void> {
    const wakeAt = this.#settings.now() + (await this.#backoff(attempt));
    await this.#storage.update(key, (now) =>
      now.state === 'waiting' && now.owner === owner ? failed(now, wakeAt) : undefined,
    );
  }

  async #backoff(attempt: number): Promise<number> {
    try {
      const ms = this.#settings.backoff(attempt);
      if (Number.isFinite(ms) && ms >= 0) return ms;
      throw new TypeError('backoff() must give a number of milliseconds of 0 or more.');
    } catch (error) {
      await this.tell(() => this.#settings.onError(error, {}));
      return defaultBackoff(attempt);
    }
  }

  async #bury(key: string, { id }: WaitingRecord, owner: string, error: unknown): Promise<void> {
    // First: a dead event that is not found would be lost. One that is found and not dead is passed over.
    await this.#storage.insert(await deadKey(id), JSON.stringify({ v: 1, id }), null);
    const buried = await this.#storage.update(key, (now) =>
      now.state === 'waiting' && now.owner === owner ? dead(now) : undefined,
    );
    if (buried !== undefined) await this.tell(() => this.#settings.onDead(eventOf(buried), error));
  }

  /** Writes what became of an event, and does not give up: else it would be handled again when the lease is over. */
  async #note(
    event: InboxEvent,
    { wakeAt }: WaitingRecord,
    { pause, isOver }: Patience,
    write: () => Promise<unknown>,
  ): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        await write();
        return;
      } catch (error) {
        if (tries === 0) await this.tell(() => this.#settings.onError(error, { event }));
        if (isOver() && this.#settings.now() >= wakeAt) return;
        await pause();
      }
    }
  }

  /** Forgets who told of the states of posts, where the event is forgotten too. */
  async forgetStates(): Promise<void> {
    for (const key of await this.#storage.dueStates(this.#settings.now())) {
      const item = await this.#storage.get(key);
      if (item === undefined) continue;
      const { id } = parseClaim(key, item.data);
      const isKept = (await this.#storage.get(await eventKey(id))) !== undefined;
      const wakeAt = this.#settings.now() + this.#settings.keepMs;
      await this.#storage.swap(key, item, isKept ? item.data : null, isKept ? wakeAt : null);
    }
  }

  /** Calls a function of the caller's that is for logs, and waits for it: what goes wrong in it changes nothing. */
  async tell(call: () => unknown): Promise<void> {
    try {
      await call();
    } catch {
      // There is nobody left to tell.
    }
  }

  #done() {
    return done(this.#settings.now() + this.#settings.keepMs);
  }
}

interface Run {
  readonly event: InboxEvent;
  readonly handler: (event: InboxEvent) => unknown;
  readonly owner: string;
  readonly patience: Patience;
}
