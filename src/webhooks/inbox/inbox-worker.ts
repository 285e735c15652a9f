import { callSafely } from '../../core/call/hooks.js';
import { ForeignDataError } from '../../core/errors.js';
import { Interval } from '../../core/flow/retrying.js';
import { defaultRuntime } from '../../core/runtime.js';
import { change, unlessForeign } from '../../stores/records.js';
import type { InboxSettings, StartSettings } from './inbox-options.js';
import type { InboxProcessor } from './inbox-processor.js';
import { eventKey, woken } from './inbox-record.js';
import type { InboxStorage } from './inbox-storage.js';

export interface InboxParts {
  readonly settings: InboxSettings;
  readonly storage: InboxStorage;
  readonly processor: InboxProcessor;
  /** Keys that this process is processing. */
  readonly running: Set<string>;
}

/** Finds due events, and processes up to `concurrency` of them at once. */
export class InboxWorker {
  readonly #parts: InboxParts;
  readonly #options: StartSettings;
  readonly #upkeep: InboxUpkeep;
  readonly #active = new Set<Promise<void>>();
  /** Keys whose records this version cannot read. They stay due, so this worker skips them. */
  readonly #unreadable = new Set<string>();
  #isStopping = false;
  #isStoreDown = false;
  /** The keys of the last list of due events that were not started yet. */
  #listed: string[] = [];
  /** At least one event of the last list was due: there may be more. Otherwise, it is out of date, or the store is down. */
  #wasListDue = false;
  /** Ends the pause after this round. */
  #nap = new AbortController();

  constructor(parts: InboxParts, options: StartSettings) {
    this.#parts = parts;
    this.#options = options;
    this.#upkeep = new InboxUpkeep(parts.settings, parts.storage);
  }

  /** Works until `stop`, and resolves when the running work is done. */
  async run(): Promise<void> {
    while (!this.#isStopping) {
      this.#nap = new AbortController();
      try {
        await this.#startDue();
        if (await this.#upkeep.run()) {
          this.wake();
          // Lets the other work of the process run: a store in memory or in a file never does.
          await defaultRuntime.sleep(0, undefined);
        }
        this.#isStoreDown = false;
      } catch (error) {
        await this.#reportStoreError(error);
      }
      await defaultRuntime.sleep(this.#options.pollMs, this.#nap.signal).catch(() => undefined);
    }
    await Promise.all(this.#active);
  }

  stop(): void {
    this.#isStopping = true;
    this.wake();
  }

  /** Starts the next round at once. workerd throws if another request started the worker. */
  wake(): void {
    void callSafely(() => {
      this.#nap.abort();
    });
  }

  async #startDue(): Promise<void> {
    const { settings, storage, running } = this.#parts;
    const { concurrency } = this.#options;
    if (this.#active.size >= concurrency) return;
    if (this.#listed.length === 0) {
      // The skipped keys may be the oldest.
      const keys = await storage.dueEvents(settings.now(), 2 * concurrency + running.size + this.#unreadable.size);
      this.#listed = keys.filter((key) => !this.#unreadable.has(key));
      this.#wasListDue = false;
    }
    while (this.#active.size < concurrency && !this.#isStopping) {
      const key = this.#listed.shift();
      if (key === undefined) return;
      if (!running.has(key)) this.#start(key);
    }
  }

  #start(key: string): void {
    const { processor, running } = this.#parts;
    running.add(key);
    const work = processor
      .process(key, { waitMs: this.#options.pollMs, isStopping: () => this.#isStopping })
      .catch(async (error: unknown) => {
        if (error instanceof ForeignDataError) this.#unreadable.add(key);
        await this.#reportStoreError(error);
        return false;
      })
      .then((wasDue) => {
        running.delete(key);
        this.#active.delete(work);
        this.#wasListDue ||= wasDue;
        if (this.#listed.length > 0 || this.#wasListDue) this.wake();
      });
    this.#active.add(work);
  }

  /** Reports a store that is down once, not in every round. */
  async #reportStoreError(error: unknown): Promise<void> {
    const isReported = this.#isStoreDown && !(error instanceof ForeignDataError);
    this.#isStoreDown = true;
    if (!isReported) await callSafely(() => this.#parts.settings.onError(error, {}));
  }
}

/** Time between two removals of old records. */
const pruneEveryMs = 60_000;
/** Time between two searches for events that a clock that was ahead postponed. With the time of a removal, it is an hour. */
const searchEveryMs = 59 * 60_000;
/** How many records are processed before the handlers get their turn. */
const pageSize = 100;

/** Removes old records, and wakes events that a clock that was ahead postponed. A page at a time, beside the handlers. */
class InboxUpkeep {
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
      ...[...(isSearching ? waiting : []), ...expired].map((key) => () => this.#tidy(key)),
      ...states.map((key) => () => this.#pruneState(key)),
    ];
  }

  /** Wakes an event that a clock that was ahead postponed, and removes a handled event whose time is over. */
  #tidy(key: string): Promise<unknown> {
    const now = this.#settings.now();
    return this.#storage.update(key, (record) => {
      if (record.state !== 'done') return woken(record, now);
      // Release 0.2.0 left handled events among the waiting ones. A write puts them behind those.
      return record.wakeAt <= now ? null : record;
    });
  }

  /** Removes the claim of a state, or keeps it as long as its event. */
  #pruneState(key: string): Promise<unknown> {
    return change(this.#storage.claims, key, async (record) => {
      const event = record && (await this.#storage.events.read(await eventKey(record.id)))?.record;
      if (record === undefined || event === undefined) return null;
      const now = this.#settings.now();
      const keptUntil = event.state === 'done' ? event.wakeAt : now + this.#settings.keepMs;
      return keptUntil <= now ? null : { record, wakeAt: keptUntil };
    });
  }
}
