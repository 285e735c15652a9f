import {
  change,
  type ForeignItems,
  itemsUnder,
  keysDue,
  recordsIn,
  type Records,
  type Versioned,
} from '../../stores/records.js';
import type { DurableStore } from '../../stores/store.js';
import {
  claimFormat,
  eventFormat,
  handledFrom,
  keyPrefixes,
  wakeAtOf,
  type InboxRecord,
  type StateClaim,
  type WaitingRecord,
} from './inbox-record.js';

/** How many old records of each kind are listed at once. */
const mostListed = 10_000;

/** The mark of a dead event, by its key. */
export interface DeadMark {
  readonly key: string;
  readonly mark: Versioned<StateClaim>;
}

/** Reads and writes the records of an inbox. */
export class InboxStorage {
  readonly store: DurableStore;
  readonly events: Records<InboxRecord>;
  /** Claims of final states, and marks of dead events. */
  readonly claims: Records<StateClaim>;

  constructor(store: DurableStore) {
    this.store = store;
    this.events = recordsIn(store, eventFormat);
    this.claims = recordsIn(store, claimFormat);
  }

  /** Writes a new event. `false`: there is one already. */
  async add(key: string, record: InboxRecord): Promise<boolean> {
    return (await this.write(key, undefined, record)) !== undefined;
  }

  /** Writes the next state of an event once. `undefined`: another write was faster. */
  async write<T extends InboxRecord>(
    key: string,
    old: Versioned<InboxRecord> | undefined,
    record: T,
  ): Promise<Versioned<T> | undefined> {
    const written = await this.events.write(key, old, { record, wakeAt: wakeAtOf(record) });
    return written && { ...written, record };
  }

  /**
   * Writes the next state of an event, and repeats it if another write is faster.
   *
   * @param next returns the next state; `null`: the event is removed; `undefined`: it stays unchanged
   * @param known the event as it was read or written a moment ago
   * @returns whether it was written
   */
  async update(
    key: string,
    next: (record: InboxRecord) => InboxRecord | null | undefined,
    known?: Versioned<InboxRecord>,
  ): Promise<boolean> {
    const nextWrite = (old: InboxRecord | undefined) => {
      const record = old && next(old);
      return record && { record, wakeAt: wakeAtOf(record) };
    };
    return (await change(this.events, key, nextWrite, { known })).written !== undefined;
  }

  /** The keys of events that are due, the oldest first. */
  dueEvents(now: number, limit: number): Promise<string[]> {
    return this.store.due(keyPrefixes.event, now, limit);
  }

  /** The keys of claims on the states of posts whose time is over. */
  dueStates(now: number): Promise<string[]> {
    return this.store.due(keyPrefixes.state, now, mostListed);
  }

  /** The keys of all events that are neither handled nor dead, the next due first. */
  waitingEvents(): Promise<readonly string[]> {
    return keysDue(this.store, keyPrefixes.event, handledFrom - 1);
  }

  /** The keys of handled events whose time is over, the oldest first. The store returns the waiting ones before them. */
  async expiredEvents(now: number, waiting: readonly string[]): Promise<readonly string[]> {
    const keys = await this.dueEvents(handledFrom + now, waiting.length + mostListed);
    const isWaiting = new Set(waiting);
    return keys.filter((key) => !isWaiting.has(key));
  }

  /** All events that are neither handled nor dead. */
  async *waitingRecords(foreign: ForeignItems): AsyncGenerator<WaitingRecord> {
    for (const key of await this.waitingEvents()) {
      const record = (await foreign.skip(() => this.events.read(key)))?.record;
      if (record?.state === 'waiting') yield record;
    }
  }

  /** All events, in whatever state. */
  async *allRecords(foreign: ForeignItems): AsyncGenerator<InboxRecord> {
    for await (const { key, data } of itemsUnder(this.store, keyPrefixes.event)) {
      const record = await foreign.skip(() => eventFormat.decode(key, data));
      if (record !== undefined) yield record;
    }
  }

  /** The marks of dead events. */
  async *deadMarks(foreign: ForeignItems): AsyncGenerator<DeadMark> {
    for await (const { key, version, data } of itemsUnder(this.store, keyPrefixes.dead)) {
      const record = await foreign.skip(() => claimFormat.decode(key, data));
      if (record !== undefined) yield { key, mark: { record, version } };
    }
  }
}
