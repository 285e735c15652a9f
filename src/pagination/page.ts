import type { Query } from './next-query.js';

/** The page after a page. */
interface NextPage<Item, Response> {
  readonly query: Query;
  readonly fetch: () => Promise<Page<Item, Response>>;
}

/** A page of a list. Iterating it gives its items and those of all later pages. */
export class Page<Item, Response> implements AsyncIterable<Item> {
  /** The items of this page. One that an earlier page of the same walk already had is left out. */
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

  /** Whether there is a next page, as far as the service tells. */
  get hasNextPage(): boolean {
    return this.#fetchNext !== undefined;
  }

  /**
   * Fetches the next page, once: later calls give the same page. Resolves to `undefined` after the last one.
   *
   * @throws {@link PaginationError} the list can't be walked on, for example because its cursor came back a second time
   */
  nextPage(): Promise<Page<Item, Response> | undefined> {
    if (this.#fetchNext === undefined) return Promise.resolve(undefined);
    this.#nextPage ??= this.#fetchNext().catch((error: unknown) => {
      this.#nextPage = undefined; // A failed fetch may be tried again.
      throw error;
    });
    return this.#nextPage;
  }

  /** Every item from this page on: its own, and those of each later page. Later pages are fetched as they are needed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* this.items;
    // Not a chain of iterators: a list may have thousands of pages.
    for (let page = await this.nextPage(); page !== undefined; page = await page.nextPage()) yield* page.items;
  }
}
