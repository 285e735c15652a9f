import { isAbortReason, throwIfAborted } from '../core/flow/abort.js';
import type { ListEndpoint } from '../core/call/endpoint.js';
import { requestOptions, type RequestOptions, type Transport } from '../core/call/transport.js';
import { setHidden, SocialPublishingError } from '../core/errors.js';
import { checkCallOptions, isWhole, optionsOf, ownOptions } from '../core/call/options.js';
import { carryResponse } from '../core/call/response.js';
import { listSource, type ListCall, type PageSource, type ReceivedPage } from './list-source.js';
import { Walk, type Page } from './page.js';

/** How to read a list. */
export interface PaginatorOptions {
  /**
   * The most pages in flight, a whole number, 1 or more. Default 1. A list with `offset` or `skip` has a known total, so
   * its later pages are fetched in parallel. For a cursor, the next page is fetched while you consume the current page.
   * The items keep their order. Pages that cost credits are never fetched ahead of need.
   */
  readonly concurrency?: number | undefined;
}

/** How much of a list to collect. */
export interface ToArrayOptions {
  /** The most items to collect, a whole number, 0 or more. Default: all items. */
  readonly maxItems?: number | undefined;
}

const paginatorOptions = optionsOf<PaginatorOptions>(
  'an option of a list',
  { concurrency: isWhole({ least: 1 }) },
  'unlike',
);
const toArrayOptions = optionsOf<ToArrayOptions>('an option of toArray', {
  maxItems: isWhole({ least: 0, orInfinity: true }),
});

/** How many pages `toArray()` of a whole list fetches at once if they cost no credits. */
const toArrayConcurrency = 4;

/**
 * A list that is read page by page. It sends nothing before you await or iterate it.
 *
 * Each iteration is a new walk. An error during a walk has `resume`: the query that continues it. An `async` function that
 * returns a paginator resolves to its first page. Iterate that page to read its items and all later items.
 *
 * @example
 * ```ts
 * const page = await client.posts.list();                        // the first page
 * for await (const post of client.posts.list()) {}               // every item of every page
 * for await (const page of client.posts.list().pages()) {}       // page by page
 * const posts = await client.posts.list().toArray({ maxItems: 500 });
 * ```
 */
export class Paginator<Item, Response> implements PromiseLike<Page<Item, Response>>, AsyncIterable<Item> {
  readonly #source: PageSource<Item, Response>;
  readonly #options: PaginatorOptions;
  #first: Promise<Page<Item, Response>> | undefined;

  private constructor(source: PageSource<Item, Response>, options: PaginatorOptions = {}) {
    // A caller without types can call it.
    if ((source as Partial<typeof source> | undefined)?.receive === undefined) {
      throw new TypeError(
        'Paginator has no public constructor. Call a list method of the client, or Paginator.from(items) in a test.',
      );
    }
    this.#source = source;
    this.#options = options;
  }

  /**
   * Creates a list of one page from items, for tests that replace a resource with a plain object. It sends nothing.
   *
   * @example
   * ```ts
   * const posts: Pick<Posts, 'list'> = { list: () => Paginator.from([{ postId: 'post_1' }]) };
   * ```
   * @param items an array or another (async) iterable; it is read once. An endless one is read as far as you iterate, or up
   *   to `maxItems`. To await the list or to read `pages()` reads it whole
   * @param response the reply behind the page. Default `{}`
   */
  static from<Item, Response = never>(
    items: Iterable<Item> | AsyncIterable<Item>,
    response?: Response,
  ): Paginator<Item, Response> {
    // A test that omits the reply does not read it.
    return new Paginator(new ItemsSource(items, response ?? ({} as Response)));
  }

  /** @internal */
  static of<Item, Response>(
    transport: Transport,
    endpoint: ListEndpoint<unknown, Response>,
    input: Pick<ListCall<Response>, 'params' | 'query'>,
    options: (RequestOptions & PaginatorOptions) | undefined,
  ): Paginator<Item, Response> {
    const { concurrency: _, ...callOptions } = ownOptions<RequestOptions & PaginatorOptions>(
      requestOptions,
      options ?? {},
    );
    return new Paginator(listSource<Item, Response>({ transport, endpoint, ...input, options: callOptions }), options);
  }

  /**
   * Calls back with the first page, so that `await` resolves to it. The page is fetched once, however often you await it.
   * After a failure, the next `await` fetches it again.
   *
   * @example
   * ```ts
   * const { items, response } = await client.posts.list({ limit: 100 });
   * ```
   */
  then<Fulfilled = Page<Item, Response>, Rejected = never>(
    onfulfilled?: ((page: Page<Item, Response>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onrejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#first ??= this.#fetchFirst();
    return this.#first.then(onfulfilled, onrejected);
  }

  /**
   * Handles a rejection, like `catch` of a promise of the first page.
   *
   * @example
   * ```ts
   * const page = await client.posts.list().catch(() => undefined);
   * ```
   */
  catch<Rejected = never>(
    onrejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Page<Item, Response> | Rejected> {
    return this.then(undefined, onrejected);
  }

  /** Calls back when the first page arrived or failed, like `finally` of a promise of the first page. */
  finally(onfinally?: (() => void) | null): Promise<Page<Item, Response>> {
    return this.then().finally(onfinally);
  }

  /** Yields every item of every page, in the service's order. An item with the same ID is yielded only once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const items of this.#parts(this.#options.concurrency ?? 1)) {
      for (const item of items) {
        throwIfAborted(this.#source.options.signal);
        yield item;
      }
    }
  }

  /**
   * Yields every page. If you leave the loop early, requests in flight are aborted.
   *
   * @example
   * ```ts
   * for await (const page of client.posts.list({ limit: 100 }).pages()) console.log(page.items.length);
   * ```
   * @throws {@link PaginationError} the list cannot continue, for example because a cursor occurred twice
   */
  pages(): AsyncGenerator<Page<Item, Response>, void, undefined> {
    return this.#walk(this.#options.concurrency ?? 1);
  }

  /**
   * Collects all items, or the first `maxItems`. Without `maxItems`, it reads a list with a known total 4 pages at a time
   * if the pages cost no credits. If it fails, `error.items` has the items so far, and `error.resume` is the query that
   * continues the walk.
   *
   * @example
   * ```ts
   * const posts = await client.posts.list({ status: 'scheduled' }).toArray({ maxItems: 500 });
   * ```
   * @throws {@link InvalidRequestError} `maxItems` is not a whole number, 0 or more
   */
  async toArray(options: ToArrayOptions = {}): Promise<Item[]> {
    checkCallOptions(toArrayOptions, options, this.#source.at);
    const { maxItems } = options;
    const { position, options: callOptions } = this.#source;
    const isCounted = position === 'offset' || position === 'skip';
    const ahead = maxItems === undefined && isCounted ? toArrayConcurrency : 1;
    const items: Item[] = [];
    if (maxItems === 0) return items;
    try {
      for await (const part of this.#parts(this.#options.concurrency ?? ahead)) {
        carryResponse(part, items);
        for (const item of part) {
          items.push(item);
          if (items.length === maxItems) return items;
        }
      }
    } catch (error) {
      // The reason of an abort belongs to the caller.
      if (error instanceof SocialPublishingError && !isAbortReason(error, callOptions.signal))
        setHidden(error, 'items', items);
      throw error;
    }
    return items;
  }

  /** Yields the items of one page after another. A list that was made from items has no need of whole pages. */
  async *#parts(concurrency: number): AsyncGenerator<readonly Item[], void, undefined> {
    const known = this.#source.read?.();
    if (known === undefined) {
      for await (const { items } of this.#walk(concurrency)) yield items;
    } else {
      for await (const item of known) yield [item];
    }
  }

  /** Rejects, and does not throw, for an invalid option. */
  async #fetchFirst(): Promise<Page<Item, Response>> {
    try {
      this.#checkOptions();
      return await new Walk(this.#source).first();
    } catch (error) {
      this.#first = undefined;
      throw error;
    }
  }

  async *#walk(concurrency: number): AsyncGenerator<Page<Item, Response>, void, undefined> {
    this.#checkOptions();
    const walk = new Walk(this.#source);
    yield* concurrency > 1 && !this.#source.isPaid ? walk.pagesAhead(concurrency) : walk.pages();
  }

  #checkOptions(): void {
    checkCallOptions(paginatorOptions, this.#options, this.#source.at);
  }
}

/** A list of one page, made from items that a test already has. */
class ItemsSource<Item, Response> implements PageSource<Item, Response> {
  readonly start = () => ({});
  readonly position = 'page';
  readonly options = {};
  readonly isPaid = false;
  readonly at = {};
  readonly #items: Iterable<Item> | AsyncIterable<Item>;
  readonly #response: Response;
  /** A generator can be read only once, a list many times. */
  readonly #known: Item[] = [];
  #iterator: Iterator<Item> | AsyncIterator<Item> | undefined;
  /** Walks at the same time wait for the same item. A failure stays. */
  #reading: Promise<boolean> | undefined;

  constructor(items: Iterable<Item> | AsyncIterable<Item>, response: Response) {
    this.#items = items;
    this.#response = response;
  }

  async receive(): Promise<ReceivedPage<Item, Response>> {
    const items: Item[] = [];
    for await (const item of this.read()) items.push(item);
    return { query: {}, response: this.#response, items };
  }

  /** Yields the items. Each is read when the first walk needs it. */
  async *read(): AsyncGenerator<Item, void, undefined> {
    for (let index = 0; ; index += 1) {
      if (index === this.#known.length && !(await (this.#reading ??= this.#readOne()))) return;
      // The line above read it.
      yield this.#known[index] as Item;
    }
  }

  async #readOne(): Promise<boolean> {
    const items = this.#items;
    this.#iterator ??= Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
    const next = await this.#iterator.next();
    if (next.done === true) return false;
    this.#known.push(await next.value);
    this.#reading = undefined;
    return true;
  }
}
