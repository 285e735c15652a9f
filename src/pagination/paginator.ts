import type { RequestOptions } from '../core/transport.js';
import { InvalidRequestError, setCollected, SocialPublishingError, type Issue } from '../core/errors.js';
import { misspeltNames, unknownNames } from '../core/names.js';
import { carryResponse } from '../core/response.js';
import { ListSource, type ListCall } from './list-source.js';
import type { Page } from './page.js';
import { firstPage, pageByPage, readingAhead } from './walk.js';

/** How a list is walked. */
export interface PaginatorOptions {
  /**
   * How many pages to fetch side by side, 1 or more. Default 1. Where the number of items is known beforehand (lists with
   * `offset` or `skip`), later pages are fetched in parallel; a cursor's next page is fetched while the current one is
   * consumed. The order stays. Pages that cost credits are never fetched ahead of need.
   */
  readonly concurrency?: number | undefined;
}

/** How much of a list to collect. */
export interface ToArrayOptions {
  /** The most items to collect, 0 or more. Default: all. */
  readonly maxItems?: number | undefined;
}

const ownOptions: ReadonlySet<string> = new Set<keyof PaginatorOptions>(['concurrency']);
const toArrayOptions: ReadonlySet<string> = new Set<keyof ToArrayOptions>(['maxItems']);

/** How many pages `toArray()` of a whole list fetches side by side where that is free of cost. */
const toArrayConcurrency = 4;

/**
 * A list that is read page by page. Nothing is sent before it is awaited or iterated.
 *
 * ```ts
 * const page = await client.posts.list();                        // the first page
 * for await (const post of client.posts.list()) {}               // every item of every page
 * for await (const page of client.posts.list().pages()) {}       // page by page
 * const posts = await client.posts.list().toArray({ maxItems: 500 });
 * ```
 *
 * Each iteration is a new walk. An error in mid-walk carries `resume`: the query to go on with. A function that is `async`
 * and returns a paginator hands over its first page, which can be iterated from itself on.
 */
export class Paginator<Item, Response> implements PromiseLike<Page<Item, Response>>, AsyncIterable<Item> {
  readonly #source: ListSource<Item, Response>;
  readonly #concurrency: number | undefined;
  #first: Promise<Page<Item, Response>> | undefined;

  /** @internal */
  constructor(
    call: Omit<ListCall<Response>, 'options'> & { readonly options: (RequestOptions & PaginatorOptions) | undefined },
  ) {
    const { concurrency, ...options } = call.options ?? {};
    this.#concurrency = concurrency;
    this.#source = new ListSource({ ...call, options });
  }

  /** The first page. It is fetched once, however often the result is awaited; one that failed is fetched again. */
  then<Fulfilled = Page<Item, Response>, Rejected = never>(
    onfulfilled?: ((page: Page<Item, Response>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onrejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#first ??= this.#fetchFirst();
    return this.#first.then(onfulfilled, onrejected);
  }

  /** As `catch` of a promise of the first page. */
  catch<Rejected = never>(
    onrejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Page<Item, Response> | Rejected> {
    return this.then(undefined, onrejected);
  }

  /** As `finally` of a promise of the first page. */
  finally(onfinally?: (() => void) | null): Promise<Page<Item, Response>> {
    return this.then().finally(onfinally);
  }

  /** Every item of every page, in the service's order. An item whose ID was already given is left out. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) {
      for (const item of page.items) {
        this.#source.signal?.throwIfAborted();
        yield item;
      }
    }
  }

  /** Every page. Leaving the loop early aborts what is in flight. */
  pages(): AsyncGenerator<Page<Item, Response>, void, undefined> {
    return this.#walk(this.#concurrency ?? 1);
  }

  /**
   * Collects all items, or the first `maxItems`. Without `maxItems`, a free list with a known total is read 4 pages at a
   * time. Where it fails, `error.items` holds what it had, and `error.resume` the query to go on with.
   */
  async toArray(options: ToArrayOptions = {}): Promise<Item[]> {
    this.#refuse(unknownNames('option of toArray', options, toArrayOptions));
    const { maxItems } = options;
    if (maxItems !== undefined && (!Number.isInteger(maxItems) || maxItems < 0) && maxItems !== Infinity) {
      this.#refuse([{ path: ['maxItems'], message: 'must be a whole number, 0 or more' }]);
    }
    const items: Item[] = [];
    if (maxItems === 0) return items;
    try {
      await this.#collect(items, maxItems);
    } catch (error) {
      // The reason of an abort is the caller's own.
      if (error instanceof SocialPublishingError && error !== this.#source.signal?.reason) setCollected(error, items);
      throw error;
    }
    return items;
  }

  async #collect(items: Item[], maxItems: number | undefined): Promise<void> {
    const { position } = this.#source.rule;
    const isCounted = position === 'offset' || position === 'skip';
    const ahead = maxItems === undefined && isCounted ? toArrayConcurrency : 1;
    for await (const page of this.#walk(this.#concurrency ?? ahead)) {
      carryResponse(page, items);
      for (const item of page.items) {
        items.push(item);
        if (items.length === maxItems) return;
      }
    }
  }

  /** What is wrong with an option rejects, and does not throw. */
  async #fetchFirst(): Promise<Page<Item, Response>> {
    try {
      this.#checkOptions();
      return await firstPage(this.#source);
    } catch (error) {
      this.#first = undefined;
      throw error;
    }
  }

  /** One walk, by what the list allows. */
  async *#walk(concurrency: number): AsyncGenerator<Page<Item, Response>, void, undefined> {
    this.#checkOptions();
    yield* concurrency > 1 && !this.#source.isPaid ? readingAhead(this.#source, concurrency) : pageByPage(this.#source);
  }

  #checkOptions(): void {
    const concurrency: unknown = this.#concurrency ?? 1;
    const issues = misspeltNames(this.#source.options, ownOptions);
    if (!Number.isInteger(concurrency) || (concurrency as number) < 1)
      issues.push({ path: ['concurrency'], message: 'must be a whole number, 1 or more' });
    this.#refuse(issues);
  }

  #refuse(issues: readonly Issue[]): void {
    if (issues.length > 0) throw new InvalidRequestError(issues, this.#source.at);
  }
}
