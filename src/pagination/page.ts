import type { InstantLike } from '../model/instant.js';
import type { Query } from './list-source.js';

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
