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
    for (let next = await pool.next(); next !== undefined; next = await pool.next()) {
      yield next.result;
      pool.taken();
    }
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
  readonly #signal: AbortSignal | undefined;
  readonly #throwsAborts: boolean;
  readonly #gate: PoolOptions['gate'];
  readonly #readsAll: boolean;
  readonly #places: Semaphore;
  readonly #room: Semaphore;
  readonly #results: { readonly result: Awaited<Result> }[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #forget: () => void;
  #isReading = true;
  #isAsking = false;
  /** The source has ended or failed, or was closed. */
  #isSourceOver = false;
  #isStopped = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(
    source: Iterable<Item> | AsyncIterable<Item>,
    work: (item: Item, index: number) => Result | Promise<Result>,
    { concurrency, readAhead = concurrency, signal, whenAborted = 'throw', gate }: PoolOptions,
  ) {
    this.#gate = gate;
    this.#readsAll = Array.isArray(source);
    this.#iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    this.#work = work;
    this.#signal = signal;
    this.#throwsAborts = whenAborted === 'throw';
    this.#places = new Semaphore(concurrency);
    this.#room = new Semaphore(readAhead);
    this.#forget = onAbort(signal, () => {
      this.#wake();
    });
    void this.#read();
  }

  /** The next result; `undefined` at the end. */
  async next(): Promise<{ readonly result: Awaited<Result> } | undefined> {
    for (;;) {
      if (this.#throwsAborts) throwIfAborted(this.#signal);
      const next = this.#results.shift();
      if (next !== undefined) return next;
      // After a failure or an abort, a source that never answers is not waited for.
      if (this.#running.size === 0 && (!this.#isReading || this.#isOver())) break;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return undefined;
  }

  /** The reader took a result: there is room for another item. */
  taken(): void {
    this.#room.release();
  }

  async close(): Promise<void> {
    this.#isStopped = true;
    this.#forget();
    this.#gate?.close();
    try {
      await this.#closeSource();
    } catch (error) {
      if (this.#failure === undefined) throw error;
    } finally {
      if (!this.#throwsAborts || this.#signal?.aborted !== true) await Promise.all(this.#running);
    }
  }

  async #read(): Promise<void> {
    try {
      for (let index = 0; ; index += 1) {
        await this.#room.acquire();
        await this.#places.acquire();
        if (this.#isOver()) return;
        this.#isAsking = true;
        const next = await this.#iterator.next();
        this.#isAsking = false;
        if (next.done === true) {
          this.#isSourceOver = true;
          return;
        }
        // An item that comes too late is dropped.
        if (this.#isOver()) return;
        this.#begin(next.value, index);
      }
    } catch (error) {
      // A source that throws has closed itself.
      this.#isSourceOver = true;
      this.#fail(error);
    } finally {
      this.#isReading = false;
      this.#wake();
    }
  }

  #isOver(): boolean {
    if (this.#isStopped || this.#signal?.aborted === true) return true;
    return this.#gate?.isOver === true && !this.#readsAll;
  }

  #begin(item: Item, index: number): void {
    const running = this.#run(item, index).finally(() => {
      this.#running.delete(running);
      this.#places.release();
      this.#wake();
    });
    this.#running.add(running);
  }

  async #run(item: Item, index: number): Promise<void> {
    try {
      this.#results.push({ result: await this.#work(item, index) });
    } catch (error) {
      if (this.#throwsAborts || !isAbortReason(error, this.#signal)) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#isStopped = true;
  }

  async #closeSource(): Promise<void> {
    if (this.#isSourceOver) return;
    this.#isSourceOver = true;
    const closing = Promise.resolve(this.#iterator.return?.());
    // A source that waits for its next item may never answer.
    if (this.#isAsking || this.#signal?.aborted === true) void closing.catch(() => undefined);
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
