import { linkedController, notNeeded, throwIfAborted } from '../core/flow/abort.js';
import type { Query } from './list-source.js';

/** A page that was requested ahead of need. */
interface PendingPage<Page> {
  readonly position: unknown;
  readonly page: Promise<Page>;
}

export interface ReadAheadOptions<Page> {
  /** The most pages in flight. */
  readonly concurrency: number;
  readonly positionOf: (query: Query) => unknown;
  readonly fetch: (query: Query, signal: AbortSignal) => Promise<Page>;
  readonly signal: AbortSignal | undefined;
}

/**
 * Fetches pages ahead of need and returns them in list order. The next page is requested as soon as one arrives, not
 * when it is consumed. At most as many arrived pages wait as are in flight, so a slow reader does not accumulate the
 * whole list.
 */
export class ReadAhead<Page> {
  readonly #options: ReadAheadOptions<Page>;
  #link: ReturnType<typeof linkedController>;
  /** Pages that were requested and not taken yet, in list order. */
  #pending: PendingPage<Page>[] = [];
  /** Pages that have not arrived yet, taken or not. */
  #inFlight = new Set<Promise<Page>>();
  /** The likely queries after the last pending page. */
  #following: IteratorResult<Query, unknown> | undefined;
  #upcoming: Iterator<Query> | undefined;

  constructor(options: ReadAheadOptions<Page>) {
    this.#options = options;
    this.#link = linkedController(options.signal);
  }

  /** Returns the next page, for this query. Wrong guesses, because the list changed, are dropped. */
  take(query: Query): Promise<Page> {
    throwIfAborted(this.#options.signal);
    const head = this.#pending.shift();
    if (head !== undefined) {
      if (head.position === this.#options.positionOf(query)) return head.page;
      this.#drop();
    }
    const { page } = this.#start(query);
    this.#pending.shift();
    return page;
  }

  /** Sets the likely queries after the last taken page, in list order. */
  expect(queries: Iterable<Query>): void {
    this.#upcoming = queries[Symbol.iterator]();
    this.#following = this.#upcoming.next();
    let expected = 0;
    for (const { position } of this.#pending) {
      if (this.#following.done === true || position !== this.#options.positionOf(this.#following.value)) break;
      expected += 1;
      this.#following = this.#upcoming.next();
    }
    this.#pending.length = expected;
    this.#topUp();
  }

  /** Stops reading: aborts all requests in flight. */
  stop(): void {
    this.#drop();
    this.#link.forget();
  }

  #topUp(): void {
    const { concurrency } = this.#options;
    while (this.#inFlight.size < concurrency && this.#pending.length < 2 * concurrency) {
      if (this.#following === undefined || this.#following.done === true) return;
      this.#start(this.#following.value);
      this.#following = this.#upcoming?.next();
    }
  }

  #start(query: Query): PendingPage<Page> {
    const { fetch, positionOf } = this.#options;
    const page = fetch(query, this.#link.stop.signal);
    const inFlight = this.#inFlight.add(page);
    const pending: PendingPage<Page> = { position: positionOf(query), page };
    this.#pending.push(pending);
    page.then(
      () => {
        inFlight.delete(page);
        this.#topUp();
      },
      // The failure is reported when its page is taken. Pages after it are not requested.
      () => {
        inFlight.delete(page);
        this.#following = undefined;
      },
    );
    return pending;
  }

  #drop(): void {
    this.#pending = [];
    this.#inFlight = new Set();
    this.#following = undefined;
    this.#link.forget();
    this.#link.stop.abort(notNeeded);
    this.#link = linkedController(this.#options.signal);
  }
}
