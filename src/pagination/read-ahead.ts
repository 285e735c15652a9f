import { notNeeded, onAbort } from '../core/abort.js';
import type { Query } from './next-query.js';

/** A page that was asked for ahead of need. */
interface PendingPage<Page> {
  readonly position: unknown;
  readonly page: Promise<Page>;
}

/** How pages are fetched ahead. */
export interface ReadAheadOptions<Page> {
  /** The most pages in flight. */
  readonly concurrency: number;
  /** What tells the queries of a walk apart. */
  readonly positionOf: (query: Query) => unknown;
  readonly fetch: (query: Query, signal: AbortSignal) => Promise<Page>;
  readonly signal: AbortSignal | undefined;
}

/**
 * Fetches pages ahead of need and hands them out in the order of the walk. The next page is asked for as soon as one
 * arrives, not when that one's turn comes. Pages that arrived and wait for their turn are at most as many as those in
 * flight, so that a slow reader does not have the whole list pile up.
 */
export class ReadAhead<Page> {
  readonly #options: ReadAheadOptions<Page>;
  readonly #forget: () => void;
  #controller = new AbortController();
  /** What was asked for and not taken yet, in the order of the walk. */
  #pending: PendingPage<Page>[] = [];
  /** What did not arrive yet, taken or not. */
  #inFlight = new Set<Promise<Page>>();
  /** What is likely to follow the last pending page, and what comes after that. */
  #following: IteratorResult<Query, unknown> | undefined;
  #upcoming: Iterator<Query> | undefined;

  constructor(options: ReadAheadOptions<Page>) {
    this.#options = options;
    this.#forget = onAbort(options.signal, () => {
      this.#controller.abort(options.signal?.reason);
    });
  }

  /** The page of this query, which is the walk's next. Guesses that turned out wrong, since the list changed, are dropped. */
  take(query: Query): Promise<Page> {
    this.#options.signal?.throwIfAborted();
    const head = this.#pending.shift();
    if (head !== undefined) {
      if (head.position === this.#options.positionOf(query)) return head.page;
      this.#drop();
    }
    const { page } = this.#start(query);
    this.#pending.shift();
    return page;
  }

  /** Says which queries are likely to follow the page that was taken last, in the order of the walk. */
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

  /** Ends the reading: what is in flight is aborted. */
  stop(): void {
    this.#forget();
    this.#drop();
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
    const page = fetch(query, this.#controller.signal);
    const inFlight = this.#inFlight.add(page);
    const pending: PendingPage<Page> = { position: positionOf(query), page };
    this.#pending.push(pending);
    page.then(
      () => {
        inFlight.delete(page);
        this.#topUp();
      },
      // It is told when its turn comes. What lies behind a failure is not asked for.
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
    this.#controller.abort(notNeeded);
    this.#controller = new AbortController();
  }
}
