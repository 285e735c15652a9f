import { Interval } from '../../core/flow/retrying.js';
import { unlessForeign } from '../../stores/records.js';
import type { InboxSettings } from './inbox-options.js';
import { eventKey, wakeAtOf, woken } from './inbox-record.js';
import type { InboxStorage } from './inbox-storage.js';

/** Time between two removals of old records. */
const pruneEveryMs = 60_000;
/** Time between two searches for events that a clock that was ahead postponed. With the time of a removal, it is an hour. */
const searchEveryMs = 59 * 60_000;
/** How many records are processed before the handlers get their turn. */
const pageSize = 100;

/** Removes old records, and wakes events that a clock that was ahead postponed. A page at a time, beside the handlers. */
export class InboxUpkeep {
  readonly #settings: InboxSettings;
  readonly #storage: InboxStorage;
  readonly #pruning = new Interval(pruneEveryMs);
  readonly #search = new Interval(searchEveryMs);
  /** Work that was found and is not done yet. */
  #found: readonly (() => Promise<unknown>)[] = [];

  constructor(settings: InboxSettings, storage: InboxStorage) {
    this.#settings = settings;
    this.#storage = storage;
  }

  /** Does a page of work. Returns whether there can be more. */
  async run(): Promise<boolean> {
    if (this.#found.length === 0) this.#found = await this.#findWork();
    const page = this.#found.slice(0, pageSize);
    // The worker reports an event that this version cannot read.
    await Promise.all(page.map((work) => unlessForeign(work, undefined)));
    this.#found = this.#found.slice(pageSize);
    return page.length > 0;
  }

  async #findWork(): Promise<(() => Promise<unknown>)[]> {
    const now = this.#settings.now();
    if (!this.#pruning.isDue(now)) return [];
    const waiting = await this.#storage.waitingEvents();
    const expired = await this.#storage.expiredEvents(now, waiting);
    const states = await this.#storage.dueStates(now);
    this.#pruning.restart(now);
    const isSearching = this.#search.isDue(now);
    if (isSearching) this.#search.restart(now);
    return [
      // `due` cannot find an event that a clock that was ahead postponed.
      ...(isSearching ? waiting : []).map((key) => () => this.#wake(key)),
      ...expired.map((key) => () => this.#retire(key)),
      ...states.map((key) => () => this.#pruneState(key)),
    ];
  }

  async #wake(key: string): Promise<void> {
    const read = await this.#storage.events.read(key);
    const { state, scopes } = read?.record ?? {};
    // Release 0.2.0 left it among the waiting events.
    if (state === 'done' && scopes === undefined) await this.#retire(key);
    else await this.#storage.update(key, (record) => woken(record, this.#settings.now()), read);
  }

  /** Removes a handled event whose time is over. Others get their place behind all waiting events. */
  async #retire(key: string): Promise<void> {
    const read = await this.#storage.events.read(key);
    if (read?.record.state !== 'done') return;
    const { record } = read;
    const isOver = record.wakeAt <= this.#settings.now();
    await this.#storage.events.write(key, read, isOver ? null : { record, wakeAt: wakeAtOf(record) });
  }

  /** Removes the claim of a state, or keeps it as long as its event. */
  async #pruneState(key: string): Promise<void> {
    const now = this.#settings.now();
    const read = await this.#storage.claims.read(key);
    if (read === undefined) return;
    const { record } = read;
    const event = (await this.#storage.events.read(await eventKey(record.id)))?.record;
    const keptUntil = event?.state === 'done' ? event.wakeAt : now + this.#settings.keepMs;
    const isOver = event === undefined || keptUntil <= now;
    await this.#storage.claims.write(key, read, isOver ? null : { record, wakeAt: keptUntil });
  }
}
