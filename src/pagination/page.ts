import { PaginationError, setHidden } from '../core/errors.js';
import { responseOf, setResponse } from '../core/call/response.js';
import type { InstantLike } from '../model/instant.js';
import { numberIn, type PageSource, type PositionField, type Query, type ReceivedPage } from './list-source.js';
import { ReadAhead } from './read-ahead.js';

declare const nextQuery: unique symbol;

/** The reply of a list. */
export interface ListReply<ListQuery> {
  /** `true` if the service accepted the request. */
  success?: boolean | undefined;
  /** Connects the reply with the query of its list for the compiler: no reply has this field. */
  readonly [nextQuery]?: PlainQuery<ListQuery>;
}

/** A query as plain JSON: dates are texts. */
export type PlainQuery<ListQuery> = {
  [Name in keyof ListQuery]: ListQuery[Name] extends infer Value
    ? Value extends Date | InstantLike
      ? never
      : Value
    : never;
};

/** The query of the page after a page with this reply. */
export type NextQuery<Response> =
  Response extends ListReply<unknown> ? Extract<Response[typeof nextQuery], object> : never;

interface NextPage<Item, Response> {
  readonly query: Query;
  readonly fetch: () => Promise<Page<Item, Response>>;
}

/** A page of a list. Iterating it yields its items and the items of all later pages. */
export class Page<Item, Response> implements AsyncIterable<Item> {
  /** The items of this page, without items that an earlier page of the same iteration contained. */
  readonly items: Item[];
  /** The whole reply. */
  readonly response: Response;
  /**
   * The query of the next page; `undefined` after the last one. To continue, pass it to the same method, also in another
   * request or process. It is plain JSON: dates are ISO 8601 texts. It does not contain options of the call, such as
   * `extraQuery`: pass them again.
   *
   * @example
   * ```ts
   * const page = await client.posts.list({ status: 'published' });
   * const later = await client.posts.list(page.next);
   * ```
   */
  readonly next: NextQuery<Response> | undefined;
  readonly #fetchNext: (() => Promise<Page<Item, Response>>) | undefined;
  #nextPage: Promise<Page<Item, Response>> | undefined;

  /** @internal */
  constructor(items: Item[], response: Response, next: NextPage<Item, Response> | undefined) {
    this.items = items;
    this.response = response;
    // The source has made it from a checked query of this list.
    this.next = next?.query as NextQuery<Response> | undefined;
    this.#fetchNext = next?.fetch;
  }

  /** Whether there is a next page, according to the service. */
  get hasNextPage(): boolean {
    return this.#fetchNext !== undefined;
  }

  /**
   * Fetches the next page once: later calls return the same page. Resolves to `undefined` after the last one.
   *
   * @throws {@link PaginationError} the list cannot continue, for example because its cursor occurred twice
   */
  nextPage(): Promise<Page<Item, Response> | undefined> {
    if (this.#fetchNext === undefined) return Promise.resolve(undefined);
    this.#nextPage ??= this.#fetchNext().catch((error: unknown) => {
      this.#nextPage = undefined; // A failed fetch may be tried again.
      throw error;
    });
    return this.#nextPage;
  }

  /** Yields every item from this page on, including later pages. Later pages are fetched when needed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* this.items;
    // A loop, because a chain of iterators over thousands of pages would be too deep.
    for (let page = await this.nextPage(); page !== undefined; page = await page.nextPage()) yield* page.items;
  }
}

const mostEmptyPages = 10;
const mostRepeatPages = 10;

/** The part of a page that earlier pages did not contain. */
interface NewItems<Item> {
  readonly items: Item[];
  /** The query to continue with. */
  readonly next: Query | undefined;
}

/** One iteration of a list. It knows the items and cursors of its pages, and detects cycles. */
export class Walk<Item, Response> {
  readonly #source: PageSource<Item, Response>;
  readonly #cursors = new Set<unknown>();
  readonly #ids = new Set<string>();
  #emptyPages = 0;
  #repeatPages = 0;
  /** The items of the last page, as JSON: kept only for a list by page number. */
  #lastPage = '';

  constructor(source: PageSource<Item, Response>) {
    this.#source = source;
  }

  /** Fetches the first page of the list. Its later pages continue this walk. */
  first(): Promise<Page<Item, Response>> {
    return this.#fetch(this.#source.start());
  }

  /** Yields every page of the list, each fetched when the previous one is used up. */
  async *pages(): AsyncGenerator<Page<Item, Response>, void, undefined> {
    let page: Page<Item, Response> | undefined = await this.first();
    while (page !== undefined) {
      yield page;
      page = await page.nextPage();
    }
  }

  /** Yields every page of the list and fetches later ones meanwhile. */
  async *pagesAhead(concurrency: number): AsyncGenerator<Page<Item, Response>, void, undefined> {
    const { position, options } = this.#source;
    const ahead = new ReadAhead<ReceivedPage<Item, Response>>({
      concurrency,
      signal: options.signal,
      // A caller without types may pass null, which the check of the query reports.
      positionOf: (query: Query | null) => query?.[position],
      fetch: (query, signal) => this.#source.receive(query, signal),
    });
    try {
      let query: Query | undefined = this.#source.start();
      while (query !== undefined) {
        const received: ReceivedPage<Item, Response> = await ahead.take(query);
        const visit: NewItems<Item> = this.#visit(received);
        const { next } = visit;
        if (next !== undefined && this.#problemWith(next) === undefined)
          ahead.expect(likelyQueries(position, received, next));
        // Readers may continue from this page separately, without taking items away from this walk.
        yield this.#pageOf(received, visit, () => this.#from(received));
        if (next !== undefined) this.#refuseCircle(next);
        query = next;
      }
    } finally {
      ahead.stop();
    }
  }

  /** Returns a walk that continues after a page. */
  #from(received: ReceivedPage<Item, Response>): Walk<Item, Response> {
    const walk = new Walk(this.#source);
    walk.#visit(received);
    return walk;
  }

  async #fetch(query: Query): Promise<Page<Item, Response>> {
    const received = await this.#source.receive(query, this.#source.options.signal);
    return this.#pageOf(received, this.#visit(received), () => this);
  }

  async #fetchNext(next: Query): Promise<Page<Item, Response>> {
    this.#refuseCircle(next);
    return this.#fetch(next);
  }

  #pageOf(
    received: ReceivedPage<Item, Response>,
    { items, next }: NewItems<Item>,
    later: () => Walk<Item, Response>,
  ): Page<Item, Response> {
    const page = new Page(items, received.response, next && { query: next, fetch: () => later().#fetchNext(next) });
    const response = responseOf(received.response as object); // Replies of lists are objects.
    for (const item of items) setResponse(item, response);
    setResponse(items, response);
    return setResponse(page, response);
  }

  /** Marks a page as the next one. */
  #visit(page: ReceivedPage<Item, Response>): NewItems<Item> {
    this.#cursors.add(page.query['after']);
    const isEmpty = page.items.length === 0;
    this.#emptyPages = isEmpty ? this.#emptyPages + 1 : 0;
    const items = this.#takeUnseenItems(page.items);
    const isRepeat = !isEmpty && items.length === 0;
    this.#repeatPages = isRepeat ? this.#repeatPages + 1 : 0;
    const { next } = page;
    return { items, next: next !== undefined && this.#isEnd(page, next, isRepeat) ? undefined : next };
  }

  /** Returns the new items. An item without an ID never counts as repeated. */
  #takeUnseenItems(items: readonly Item[]): Item[] {
    return items.filter((item) => {
      const id = this.#source.idOf?.(item);
      if (id === undefined) return true;
      if (this.#ids.has(id)) return false;
      this.#ids.add(id);
      return true;
    });
  }

  /** Whether the list ends here although the reply names a next page. */
  #isEnd(page: ReceivedPage<Item, Response>, next: Query, isRepeat: boolean): boolean {
    // Some services end a list by returning the requested cursor.
    if (this.#source.position === 'after') return page.items.length === 0 && this.#cursors.has(next['after']);
    // Rows shift between pages by offset, so a page of repeats is not the end.
    if (this.#source.position !== 'page') return false;
    // A service that ignores `page` returns the same page forever. Its items may have no known ID, and each page may cost
    // a credit.
    const items = JSON.stringify(page.items);
    const isSame = items === this.#lastPage;
    this.#lastPage = items;
    return isRepeat || isSame;
  }

  /** @throws PaginationError if the next page would start a cycle */
  #refuseCircle(next: Query): void {
    const problem = this.#problemWith(next);
    if (problem === undefined) return;
    const { at } = this.#source;
    const error = new PaginationError(`${at.route} ${problem}`, at);
    setHidden(error, 'resume', next);
    throw error;
  }

  #problemWith(next: Query): string | undefined {
    const again = 'To continue anyway, start again from error.resume.';
    if (this.#repeatPages >= mostRepeatPages)
      return `returned only repeats on ${String(mostRepeatPages)} pages in a row. ${again}`;
    if (this.#source.position !== 'after') return undefined;
    if (this.#cursors.has(next['after'])) return 'returned a cursor a second time, so the list would never end.';
    if (this.#emptyPages < mostEmptyPages) return undefined;
    return `returned ${String(mostEmptyPages)} empty pages in a row. ${again}`;
  }
}

/** Yields the likely queries after a page, the next one first: all of them if the reply contains a total. */
function* likelyQueries<Item, Response>(
  name: PositionField,
  { items, total = 0 }: ReceivedPage<Item, Response>,
  next: Query,
): Generator<Query, void, undefined> {
  yield next;
  for (let at = (numberIn(next, name) ?? 0) + items.length; at < total; at += items.length)
    yield { ...next, [name]: at };
}
