import { ConfigurationError } from '../core/errors.js';
import type { InboxHandling } from './inbox-processor.js';
import type { InboxSettings } from './inbox-options.js';
import type { InboxStorage } from './inbox-storage.js';

/** How often what is to be forgotten beside events is looked for. */
const forgetEveryMs = 60_000;

/** Looks for events that are due, and has up to `concurrency` of them handled at once. */
export class InboxWorker {
  readonly #settings: InboxSettings;
  readonly #storage: InboxStorage;
  readonly #handling: InboxHandling;
  readonly #concurrency: number;
  readonly #pollMs: number;
  /** The keys that are handled in this process, by any worker. */
  readonly #running: Set<string>;
  readonly #mine = new Set<Promise<void>>();
  /** Keys of records that this version can't read. They stay due, and are passed over. */
  readonly #unreadable = new Set<string>();
  #isStopping = false;
  #isStoreDown = false;
  /** More is due than could be taken. */
  #isMoreDue = false;
  #forgetAt = 0;
  #wake: (() => void) | undefined;
  #isWoken = false;

  constructor(
    { settings, storage, handling, running }: InboxParts,
    { concurrency, pollMs }: { readonly concurrency: number; readonly pollMs: number },
  ) {
    this.#settings = settings;
    this.#storage = storage;
    this.#handling = handling;
    this.#running = running;
    this.#concurrency = concurrency;
    this.#pollMs = pollMs;
  }

  /** Works until it is stopped, and until what it had begun is done. */
  async run(): Promise<void> {
    while (!this.#isStopping) {
      this.#isWoken = false;
      try {
        await this.#take();
        await this.#forget();
        this.#isStoreDown = false;
      } catch (error) {
        await this.#storeFailed(error);
      }
      await this.#pause();
    }
    await Promise.all(this.#mine);
  }

  stop(): void {
    this.#isStopping = true;
    this.wake();
  }

  /** Has it look at once. */
  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  async #take(): Promise<void> {
    if (this.#mine.size >= this.#concurrency) return;
    // Those that are passed over may be the oldest.
    const limit = 2 * this.#concurrency + this.#running.size + this.#unreadable.size;
    const keys = await this.#storage.dueEvents(this.#settings.now(), limit);
    this.#isMoreDue = keys.length === limit;
    for (const key of keys) {
      if (this.#running.has(key) || this.#unreadable.has(key)) continue;
      if (this.#isStopping) return;
      if (this.#mine.size >= this.#concurrency) {
        this.#isMoreDue = true;
        return;
      }
      this.#begin(key);
    }
  }

  #begin(key: string): void {
    this.#running.add(key);
    const patience = { pause: () => this.#sleep(), isOver: () => this.#isStopping };
    const work = this.#handling
      .handle(key, patience)
      .catch((error: unknown) => {
        if (error instanceof ConfigurationError) this.#unreadable.add(key);
        return this.#storeFailed(error);
      })
      .finally(() => {
        this.#running.delete(key);
        this.#mine.delete(work);
        if (this.#isMoreDue) this.wake();
      });
    this.#mine.add(work);
  }

  async #forget(): Promise<void> {
    if (this.#settings.now() < this.#forgetAt) return;
    await this.#handling.forgetStates();
    this.#forgetAt = this.#settings.now() + forgetEveryMs;
  }

  /** Tells of a failure once, not at every look while the store is away. */
  async #storeFailed(error: unknown): Promise<void> {
    const isKnown = this.#isStoreDown && !(error instanceof ConfigurationError);
    this.#isStoreDown = true;
    if (!isKnown) await this.#handling.tell(() => this.#settings.onError(error, {}));
  }

  /** Until it is woken, or the time has come to look again. */
  #pause(): Promise<void> {
    if (this.#isWoken || this.#isStopping) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#pollMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, this.#pollMs);
    });
  }
}

/** What the workers of an inbox share. */
export interface InboxParts {
  readonly settings: InboxSettings;
  readonly storage: InboxStorage;
  readonly handling: InboxHandling;
  /** The keys that are handled in this process. */
  readonly running: Set<string>;
}
