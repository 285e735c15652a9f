import { Interval } from '../../core/flow/retrying.js';
import { unlessForeign, type Versioned } from '../../stores/records.js';
import type { InboxSettings } from './inbox-options.js';
import { eventKey, wakeAtOf, woken, type DoneRecord, type InboxRecord } from './inbox-record.js';
import { pageSize, type InboxStorage } from './inbox-storage.js';

/** Time between two removals of old records. */
const pruneEveryMs = 60_000;
/** Time between two searches for events that a clock that was ahead postponed. */
const searchEveryMs = 3_600_000;

type EventRead = Versioned<InboxRecord> | 'unreadable' | undefined;

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
        const read = await this.#read(key);
        return isDone(read) && this.#retire(key, read);
      }),
    );
    this.#expired = this.#expired.slice(pageSize);
    return this.#expired.length > 0 || removed.includes(true);
  }

  /** Removes a handled event whose time is over. Others get their place behind all waiting events. */
  async #retire(key: string, read: Versioned<DoneRecord>): Promise<boolean> {
    const { record } = read;
    const isOver = record.wakeAt <= this.#settings.now();
    const next = isOver ? null : { record, wakeAt: wakeAtOf(record) };
    return (await this.#storage.events.write(key, read, next)) !== undefined;
  }

  async #pruneStates(): Promise<boolean> {
    const keys = await this.#storage.dueStates(this.#settings.now());
    const changed = await Promise.all(
      keys.map(async (key) => {
        const read = await unlessForeign(() => this.#storage.claims.read(key), undefined);
        if (read === undefined) return false;
        const { record } = read;
        const wakeAt = await this.#keptUntil(record.id);
        const next = wakeAt === null ? null : { record, wakeAt };
        return (await this.#storage.claims.write(key, read, next)) !== undefined;
      }),
    );
    // Otherwise, the list is out of date.
    return keys.length === pageSize && changed.includes(true);
  }

  /** How long the claim of a state must stay: as long as its event. `null`: it can go. */
  async #keptUntil(eventId: string): Promise<number | null> {
    const now = this.#settings.now();
    const read = await this.#read(await eventKey(eventId));
    if (read === undefined) return null;
    if (isDone(read)) return read.record.wakeAt > now ? read.record.wakeAt : null;
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
    const read = await this.#read(key);
    if (read === undefined || read === 'unreadable') return;
    // Release 0.2.0 left it among the waiting events.
    if (isDone(read) && read.record.scopes === undefined) await this.#retire(key, read);
    else await this.#storage.update(key, (record) => woken(record, this.#settings.now()), read);
  }

  /** The worker reports an event that this version cannot read. */
  #read(key: string): Promise<EventRead> {
    return unlessForeign<EventRead>(() => this.#storage.events.read(key), 'unreadable');
  }
}

function isDone(read: EventRead): read is Versioned<DoneRecord> {
  return typeof read === 'object' && read.record.state === 'done';
}
