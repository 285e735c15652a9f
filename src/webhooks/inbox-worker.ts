import { callSafely } from '../core/call-safely.js';
import { ForeignDataError } from '../core/errors.js';
import type { InboxSettings, StartSettings } from './inbox-options.js';
import type { InboxProcessor } from './inbox-processor.js';
import type { InboxStorage } from './inbox-storage.js';
import { Interval } from './lease.js';

/** Time between two removals of old records. */
const pruneEveryMs = 60_000;
/** Time between two searches for events that a clock that was ahead postponed. */
const searchEveryMs = 3_600_000;

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
  readonly #active = new Set<Promise<void>>();
  /** Keys whose records this version cannot read. They stay due, so this worker skips them. */
  readonly #unreadable = new Set<string>();
  #isStopping = false;
  #isStoreDown = false;
  /** Whether more events are due than fitted into the last round. */
  #isMoreDue = false;
  readonly #pruning = new Interval(pruneEveryMs);
  readonly #search = new Interval(searchEveryMs);
  /** The last event that the search has read. `undefined`: it is not running. */
  #searched: string | undefined;
  #wake: (() => void) | undefined;
  #isWoken = false;

  constructor(parts: InboxParts, options: StartSettings) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Works until `stop`, and resolves when the running work is done. */
  async run(): Promise<void> {
    while (!this.#isStopping) {
      this.#isWoken = false;
      try {
        await this.#processDue();
        await this.#prune();
        await this.#searchStranded();
        this.#isStoreDown = false;
      } catch (error) {
        await this.#reportStoreError(error);
      }
      await this.#pause();
    }
    await Promise.all(this.#active);
  }

  stop(): void {
    this.#isStopping = true;
    this.wake();
  }

  /** Starts the next round at once. */
  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  async #processDue(): Promise<void> {
    const { settings, storage, running } = this.#parts;
    const { concurrency } = this.#options;
    if (this.#active.size >= concurrency) return;
    // The skipped keys may be the oldest.
    const limit = 2 * concurrency + running.size + this.#unreadable.size;
    const keys = await storage.dueEvents(settings.now(), limit);
    this.#isMoreDue = keys.length === limit;
    for (const key of keys) {
      if (running.has(key) || this.#unreadable.has(key)) continue;
      if (this.#isStopping) return;
      if (this.#active.size >= concurrency) {
        this.#isMoreDue = true;
        return;
      }
      this.#start(key);
    }
  }

  #start(key: string): void {
    const { processor, running } = this.#parts;
    running.add(key);
    const work = processor
      .process(key, { waitMs: this.#options.pollMs, isStopping: () => this.#isStopping })
      .catch((error: unknown) => {
        if (error instanceof ForeignDataError) this.#unreadable.add(key);
        return this.#reportStoreError(error);
      })
      .finally(() => {
        running.delete(key);
        this.#active.delete(work);
        if (this.#isMoreDue) this.wake();
      });
    this.#active.add(work);
  }

  async #prune(): Promise<void> {
    const { settings, processor } = this.#parts;
    if (!this.#pruning.isDue(settings.now())) return;
    // A page in each round, so that handlers do not wait for the removals.
    if (await processor.prune()) this.#isWoken = true;
    else this.#pruning.restart(settings.now());
  }

  /** `due` cannot find an event that a clock that was ahead postponed. */
  async #searchStranded(): Promise<void> {
    const { settings, processor } = this.#parts;
    if (this.#searched === undefined && !this.#search.isDue(settings.now())) return;
    this.#searched = await processor.wakeStranded(this.#searched);
    this.#isWoken = true;
    if (this.#searched === undefined) this.#search.restart(settings.now());
  }

  /** Reports a store that is down once, not in every round. */
  async #reportStoreError(error: unknown): Promise<void> {
    const isReported = this.#isStoreDown && !(error instanceof ForeignDataError);
    this.#isStoreDown = true;
    if (!isReported) await callSafely(() => this.#parts.settings.onError(error, {}));
  }

  /** Waits for `pollMs` or `wake`. */
  #pause(): Promise<void> {
    if (this.#isWoken || this.#isStopping) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.pollMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
