import { callSafely } from '../../core/call/hooks.js';
import { ForeignDataError } from '../../core/errors.js';
import { defaultRuntime } from '../../core/runtime.js';
import type { InboxSettings, StartSettings } from './inbox-options.js';
import type { InboxProcessor } from './inbox-processor.js';
import type { InboxStorage } from './inbox-storage.js';
import { InboxUpkeep } from './inbox-upkeep.js';

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

  /** Starts the next round at once. */
  wake(): void {
    this.#nap.abort();
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
