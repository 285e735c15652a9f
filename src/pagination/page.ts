import type { Query } from './next-query.js';

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
   * The query of the next page; `undefined` after the last one.
   *
   * @internal
   */
  readonly nextQuery: Query | undefined;
  readonly #fetchNext: (() => Promise<Page<Item, Response>>) | undefined;
  #nextPage: Promise<Page<Item, Response>> | undefined;

  /** @internal */
  constructor(items: Item[], response: Response, next: NextPage<Item, Response> | undefined) {
    this.items = items;
    this.response = response;
    this.nextQuery = next?.query;
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
