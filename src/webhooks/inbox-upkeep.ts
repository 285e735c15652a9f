import type { StoredItem } from '../stores/store.js';
import type { InboxSettings } from './inbox-options.js';
import {
  eventKey,
  isStranded,
  parseClaim,
  parseRecord,
  wakeAtOf,
  woken,
  type DoneRecord,
  type InboxRecord,
} from './inbox-record.js';
import { pageSize, type InboxStorage } from './inbox-storage.js';
import { Interval } from './lease.js';

/** Time between two removals of old records. */
const pruneEveryMs = 60_000;
/** Time between two searches for events that a clock that was ahead postponed. */
const searchEveryMs = 3_600_000;

/** Removes old records, and wakes events that a clock that was ahead postponed. A page at a time, beside the handlers. */
export class InboxUpkeep {
  readonly #settings: InboxSettings;
  readonly #storage: InboxStorage;
  readonly #pruning = new Interval(pruneEveryMs);
  readonly #search = new Interval(searchEveryMs);
  /** Keys of handled events to remove. */
  #expired: readonly string[] = [];
  /** Keys of events to search. */
  #toSearch: readonly string[] = [];

  constructor(settings: InboxSettings, storage: InboxStorage) {
    this.#settings = settings;
    this.#storage = storage;
  }

  /** Processes a page of whatever is due. Returns whether there is more to do. */
  async run(): Promise<boolean> {
    const isPruning = await this.#prune();
    const isSearching = await this.#searchStranded();
    return isPruning || isSearching;
  }

  async #prune(): Promise<boolean> {
    const now = this.#settings.now();
    if (!this.#pruning.isDue(now)) return false;
    const [events, states] = await Promise.all([this.#pruneEvents(), this.#pruneStates()]);
    if (events || states) return true;
    this.#pruning.restart(now);
    return false;
  }

  async #pruneEvents(): Promise<boolean> {
    if (this.#expired.length === 0) this.#expired = await this.#storage.expiredEvents(this.#settings.now());
    const removed = await Promise.all(
      this.#expired.slice(0, pageSize).map(async (key) => {
        const { item, record } = await this.#read(key);
        return item !== undefined && record?.state === 'done' && this.#retire(key, item, record);
      }),
    );
    this.#expired = this.#expired.slice(pageSize);
    return this.#expired.length > 0 || removed.includes(true);
  }

  /** Removes a handled event whose time is over. Others get their place behind all waiting events. */
  #retire(key: string, item: StoredItem, record: DoneRecord): Promise<boolean> {
    const isOver = record.wakeAt <= this.#settings.now();
    return this.#storage.swap(key, item, isOver ? null : item.data, isOver ? null : wakeAtOf(record));
  }

  async #pruneStates(): Promise<boolean> {
    const keys = await this.#storage.dueStates(this.#settings.now());
    await Promise.all(
      keys.map(async (key) => {
        const item = await this.#storage.get(key);
        if (item === undefined) return;
        const keptUntil = await this.#keptUntil(parseClaim(key, item.data).id);
        await this.#storage.swap(key, item, keptUntil === null ? null : item.data, keptUntil);
      }),
    );
    return keys.length === pageSize;
  }

  /** How long the claim of a state must stay: as long as its event. `null`: it can go. */
  async #keptUntil(eventId: string): Promise<number | null> {
    const now = this.#settings.now();
    const { item, record } = await this.#read(await eventKey(eventId));
    if (item === undefined) return null;
    if (record?.state === 'done') return record.wakeAt > now ? record.wakeAt : null;
    return now + this.#settings.keepMs;
  }

  /** `due` cannot find an event that a clock that was ahead postponed. */
  async #searchStranded(): Promise<boolean> {
    const now = this.#settings.now();
    if (this.#toSearch.length === 0) {
      if (!this.#search.isDue(now)) return false;
      this.#toSearch = await this.#storage.waitingEvents();
      this.#search.restart(now);
    }
    const page = this.#toSearch.slice(0, pageSize);
    await Promise.all(page.map((key) => this.#wakeOrRetire(key)));
    this.#toSearch = this.#toSearch.slice(pageSize);
    return page.length > 0;
  }

  async #wakeOrRetire(key: string): Promise<void> {
    const { item, record } = await this.#read(key);
    if (item === undefined || record === undefined) return;
    if (record.state === 'waiting' && isStranded(record, this.#settings.now())) {
      await wakeIfStranded(this.#storage, key, this.#settings.now());
    } else if (record.state === 'done' && record.scopes === undefined) {
      // Release 0.2.0 left it among the waiting events.
      await this.#retire(key, item, record);
    }
  }

  /** `record` is missing if this version cannot read it. The worker reports it. */
  async #read(key: string): Promise<{ item?: StoredItem | undefined; record?: InboxRecord | undefined }> {
    const item = await this.#storage.get(key);
    if (item === undefined) return {};
    try {
      return { item, record: parseRecord(key, item.data) };
    } catch {
      return { item };
    }
  }
}

/** Makes an event due that a clock that was ahead postponed. */
export async function wakeIfStranded(storage: InboxStorage, key: string, now: number): Promise<void> {
  await storage.update(key, (record) =>
    record.state === 'waiting' && isStranded(record, now) ? woken(record, now) : undefined,
  );
}
