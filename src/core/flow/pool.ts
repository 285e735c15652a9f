import { isAbortReason, onAbort, throwIfAborted } from './abort.js';

/** How a pool works. */
export interface PoolOptions {
  readonly concurrency: number;
  /** The most items that are read from the source and not yet handed over, under way included. Default: `concurrency`. */
  readonly readAhead?: number | undefined;
  /** No further item is read after an abort. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `throw`: an abort ends the iteration at once, with the signal's reason; work under way continues in the background.
   * `finish`: the iteration yields the results of the work under way, then ends. Work that rejects with the signal's reason
   * has no result. Default `throw`.
   */
  readonly whenAborted?: 'throw' | 'finish' | undefined;
  /**
   * Once it is over, no further item is read, except of an array, whose items all have a result. The results of the work
   * under way follow, then the iteration ends. It is closed at the end, before the work under way has ended.
   */
  readonly gate?: { readonly isOver: boolean; close(): void } | undefined;
}

/**
 * Calls a function for each item of a source, a few at a time, and yields the results as they become ready.
 *
 * The source is asked for one item at a time. If the source or the function fails, no further item is read; the results of
 * the other items come first, then the failure is thrown. If the reader leaves, the source is closed, and the work under
 * way ends before the loop does.
 */
export async function* inPool<Item, Result>(
  source: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item, index: number) => Result | Promise<Result>,
  options: PoolOptions,
): AsyncGenerator<Awaited<Result>, void, undefined> {
  const pool = new Pool(source, work, options);
  try {
    yield* pool.results();
  } finally {
    await pool.close();
  }
}

/**
 * Calls a function for each item, a few at a time. A failure keeps no other item from its call.
 * @throws the first failure, after all calls have ended
 */
export async function forEachInPool<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const attempt = async (item: Item) => {
    try {
      await work(item);
    } catch (error) {
      failures.push(error);
    }
  };
  for await (const _ of inPool(items, attempt, { concurrency }));
  if (failures.length > 0) throw failures[0];
}

class Pool<Item, Result> {
  readonly #iterator: Iterator<Item> | AsyncIterator<Item>;
  readonly #work: (item: Item, index: number) => Result | Promise<Result>;
  readonly #options: PoolOptions;
  readonly #throwsAborts: boolean;
  /** All items of an array are read. */
  readonly #isArray: boolean;
  readonly #forget: () => void;
  readonly #results: Awaited<Result>[] = [];
  readonly #running = new Set<Promise<void>>();
  /** How many items the source has returned, and how many results the reader has used. */
  #read = 0;
  #used = 0;
  #isAsking = false;
  /** The source has ended or failed, or was closed. */
  #isSourceOver = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(
    source: Iterable<Item> | AsyncIterable<Item>,
    work: (item: Item, index: number) => Result | Promise<Result>,
    options: PoolOptions,
  ) {
    this.#isArray = Array.isArray(source);
    this.#iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    this.#work = work;
    this.#options = options;
    this.#throwsAborts = options.whenAborted !== 'finish';
    this.#forget = onAbort(options.signal, () => {
      this.#wake();
    });
    void this.#readOne();
  }

  async *results(): AsyncGenerator<Awaited<Result>, void, undefined> {
    for (;;) {
      if (this.#throwsAborts) throwIfAborted(this.#options.signal);
      if (this.#results.length > 0) {
        yield this.#results.shift() as Awaited<Result>; // There is one.
        this.#used += 1;
        void this.#readOne();
      } else if (this.#running.size === 0 && this.#isOver()) break;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async close(): Promise<void> {
    this.#forget();
    this.#options.gate?.close();
    try {
      await this.#closeSource();
    } catch (error) {
      if (this.#failure === undefined) throw error;
    } finally {
      if (!this.#throwsAborts || this.#options.signal?.aborted !== true) await Promise.all(this.#running);
    }
  }

  /** Asks the source for one item, if there is room for it. */
  async #readOne(): Promise<void> {
    const { concurrency, readAhead = concurrency } = this.#options;
    const hasRoom = this.#running.size < concurrency && this.#read - this.#used < readAhead;
    if (!hasRoom || this.#isAsking || this.#isOver()) return;
    this.#isAsking = true;
    try {
      const next = await this.#iterator.next();
      if (next.done === true) this.#isSourceOver = true;
      // An item that comes too late is dropped.
      else if (!this.#isOver()) this.#begin(next.value);
    } catch (error) {
      // A source that throws has closed itself.
      this.#isSourceOver = true;
      this.#failure ??= { error };
    }
    this.#isAsking = false;
    this.#goOn();
  }

  /** Whether no further item is read. After a failure or an abort, a source that never answers is not waited for. */
  #isOver(): boolean {
    const { signal, gate } = this.#options;
    if (this.#isSourceOver || this.#failure !== undefined || signal?.aborted === true) return true;
    return gate?.isOver === true && !this.#isArray;
  }

  #begin(item: Item): void {
    const running = this.#run(item, this.#read).finally(() => {
      this.#running.delete(running);
      this.#goOn();
    });
    this.#read += 1;
    this.#running.add(running);
  }

  async #run(item: Item, index: number): Promise<void> {
    try {
      this.#results.push(await this.#work(item, index));
    } catch (error) {
      if (this.#throwsAborts || !isAbortReason(error, this.#options.signal)) this.#failure ??= { error };
    }
  }

  #goOn(): void {
    this.#wake();
    void this.#readOne();
  }

  async #closeSource(): Promise<void> {
    if (this.#isSourceOver) return;
    this.#isSourceOver = true;
    const closing = Promise.resolve(this.#iterator.return?.());
    // A source that waits for its next item may never answer.
    if (this.#isAsking || this.#options.signal?.aborted === true) void closing.catch(() => undefined);
    else await closing;
  }
}

/** Admits a limited number of holders at the same time. The others wait in order. */
export class Semaphore {
  #free: number;
  #waiting: (() => void)[] = [];
  /** The number of entries in `#waiting` that have been let in: `shift()` on a long array costs its length each time. */
  #gone = 0;

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when there is room. Call `release` afterwards. */
  acquire(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  release(): void {
    const next = this.#waiting[this.#gone];
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#gone += 1;
    if (this.#gone === this.#waiting.length) {
      this.#waiting = [];
      this.#gone = 0;
    }
    next();
  }
}
