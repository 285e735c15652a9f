import { onAbort } from '../core/abort.js';
import type { ListEndpoint, RequestOptions, Transport } from '../core/endpoint.js';
import { InvalidRequestError, PaginationError, setResume, SocialPublishingError } from '../core/errors.js';
import type { ListStyle } from '../core/list.js';
import { carryResponse } from '../core/response.js';

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

/** A query with the position in it. */
type Query = Readonly<Record<string, unknown>>;

interface Definition<Response> {
  readonly transport: Transport;
  readonly endpoint: ListEndpoint<unknown, Response>;
  readonly params?: Readonly<Record<string, string>>;
  readonly query: object;
  readonly options: (RequestOptions & PaginatorOptions) | undefined;
}

/** How many cursor pages in a row may be empty. */
const mostEmptyPages = 10;
/** How many pages in a row may hold nothing but items that the walk already had. */
const mostRepeatPages = 10;
/** How many pages `toArray()` of a whole list fetches side by side where that is free of cost. */
const toArrayConcurrency = 4;

/** The next query by style; `undefined` at the end of the list. */
function nextQuery(
  style: ListStyle,
  query: Query,
  response: unknown,
  received: number,
  pageSize: number,
): Query | undefined {
  const { total, pagination, nextCursor } = response as {
    total?: number;
    pagination?: { total?: number; limit?: number; hasMore?: boolean };
    nextCursor?: string;
  };
  switch (style) {
    case 'cursor':
      return nextCursor === undefined || nextCursor === '' ? undefined : { ...query, after: nextCursor };
    case 'offset': {
      const offset = position(query, 'offset') + received;
      const more = total === undefined ? received >= pageSize : offset < total;
      return received > 0 && more ? { ...query, offset } : undefined;
    }
    case 'skip': {
      const skip = position(query, 'skip') + received;
      const all = pagination?.total;
      const more =
        pagination?.hasMore ?? (all === undefined ? received >= (pagination?.limit ?? pageSize) : skip < all);
      return received > 0 && more ? { ...query, skip } : undefined;
    }
    case 'page':
      // The reply's shape is not documented, and so neither is a total: a short page ends the list.
      return received > 0 && received >= pageSize ? { ...query, page: position(query, 'page', 1) + 1 } : undefined;
  }
}

function position(query: Query, name: string, start = 0): number {
  const value = query[name];
  return typeof value === 'number' ? value : start;
}

/** How many items there are in all, where the reply tells. */
function totalOf(style: ListStyle, response: unknown): number | undefined {
  const { total, pagination } = response as { total?: number; pagination?: { total?: number } };
  if (style === 'offset') return total;
  return style === 'skip' ? pagination?.total : undefined;
}

/** What one walk over a list has seen. */
class Trail {
  readonly cursors = new Set<unknown>();
  readonly ids = new Set<string>();
  emptyPages = 0;
  repeatPages = 0;
  /** The items of the last page, as JSON: kept only where a page that comes twice must end the walk. */
  lastPage = '';
}

/** A page of a list. */
export class Page<Item, Response> {
  /** The items of this page. One that an earlier page of the same walk already had is left out. */
  readonly items: Item[];
  /** The whole reply. */
  readonly response: Response;
  readonly #next: (() => Promise<Page<Item, Response>>) | undefined;
  #nextPage: Promise<Page<Item, Response>> | undefined;

  /** @internal */
  constructor(items: Item[], response: Response, next: (() => Promise<Page<Item, Response>>) | undefined) {
    this.items = items;
    this.response = response;
    this.#next = next;
  }

  /** Whether there is a next page, as far as the service tells. */
  get hasNextPage(): boolean {
    return this.#next !== undefined;
  }

  /**
   * Fetches the next page, once: later calls give the same page. Resolves to `undefined` after the last one.
   *
   * @throws {@link PaginationError} the list can't be walked on, for example because its cursor came back a second time
   */
  nextPage(): Promise<Page<Item, Response> | undefined> {
    if (this.#next === undefined) return Promise.resolve(undefined);
    this.#nextPage ??= this.#next().catch((error: unknown) => {
      this.#nextPage = undefined; // A failed fetch may be tried again.
      throw error;
    });
    return this.#nextPage;
  }
}

/** A page as it was received, before its place in the walk is known. */
interface Received<Item, Response> {
  readonly query: Query;
  readonly response: Response;
  readonly items: Item[];
}

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
 * Each iteration is a new walk. An error in mid-walk carries `resume`: the query to go on with.
 */
export class Paginator<Item, Response> implements PromiseLike<Page<Item, Response>>, AsyncIterable<Item> {
  readonly #definition: Definition<Response>;
  readonly #style: ListStyle;
  #first: Promise<Page<Item, Response>> | undefined;

  /** @internal */
  constructor(definition: Definition<Response>) {
    this.#definition = definition;
    this.#style = definition.endpoint.list.style;
  }

  /** The first page. It is fetched once, however often the result is awaited. */
  then<Fulfilled = Page<Item, Response>, Rejected = never>(
    onfulfilled?: ((page: Page<Item, Response>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onrejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#first ??= this.#firstPage();
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
    for await (const page of this.pages()) yield* page.items;
  }

  /** Every page. Leaving the loop early aborts what is in flight. */
  pages(): AsyncGenerator<Page<Item, Response>, void, undefined> {
    return this.#walk(this.#definition.options?.concurrency ?? 1);
  }

  /** Collects all items, or the first `maxItems`. Without `maxItems`, a free list with a known total is read 4 pages at a time. */
  async toArray(options: ToArrayOptions = {}): Promise<Item[]> {
    const { maxItems } = options;
    if (maxItems !== undefined && (!Number.isInteger(maxItems) || maxItems < 0) && maxItems !== Infinity) {
      throw this.#invalid('maxItems', 'must be a whole number, 0 or more');
    }
    const items: Item[] = [];
    if (maxItems === 0) return items;
    const counted = this.#style === 'offset' || this.#style === 'skip';
    const ahead = maxItems === undefined && counted ? toArrayConcurrency : 1;
    for await (const page of this.#walk(this.#definition.options?.concurrency ?? ahead)) {
      carryResponse(page, items);
      for (const item of page.items) {
        items.push(item);
        if (items.length === maxItems) return items;
      }
    }
    return items;
  }

  /** What is wrong with an option rejects, and does not throw. */
  async #firstPage(): Promise<Page<Item, Response>> {
    this.#checkConcurrency();
    return this.#fetchPage(this.#start(), new Trail());
  }

  #checkConcurrency(): void {
    const concurrency: unknown = this.#definition.options?.concurrency ?? 1;
    if (!Number.isInteger(concurrency) || (concurrency as number) < 1)
      throw this.#invalid('concurrency', 'must be a whole number, 1 or more');
  }

  #start(): Query {
    return this.#definition.query as Query;
  }

  #invalid(name: string, message: string): InvalidRequestError {
    const [method, route] = this.#definition.endpoint.route.split(' ');
    return new InvalidRequestError([{ path: [name], message }], { method, route });
  }

  /** One walk: sequential, with one page ahead, or with several, by what the list allows. */
  async *#walk(concurrency: number): AsyncGenerator<Page<Item, Response>, void, undefined> {
    this.#checkConcurrency();
    const trail = new Trail();
    const readsAhead = concurrency > 1 && this.#definition.endpoint.credits === undefined;
    if (!readsAhead) {
      let page: Page<Item, Response> | undefined = await this.#fetchPage(this.#start(), trail);
      while (page !== undefined) {
        yield page;
        page = await page.nextPage();
      }
      return;
    }
    const ahead = new ReadAhead<Item, Response>(this.#definition.options?.signal, (query, signal) =>
      this.#receive(query, signal),
    );
    try {
      let query: Query | undefined = this.#start();
      while (query !== undefined) {
        const current: Received<Item, Response> = await ahead.take(query);
        const next: Query | undefined = this.#place(current, trail);
        if (next !== undefined && this.#dead(next, trail) === undefined)
          ahead.fill(this.#upcoming(current, next, concurrency));
        // A page that its consumer walks on from by itself must not take items away from this walk.
        yield this.#page(current, trail, next, new Trail());
        if (next !== undefined) this.#guard(next, trail);
        query = next;
      }
    } finally {
      ahead.stop();
    }
  }

  /** The queries that are likely to follow, the very next one first. */
  #upcoming(current: Received<Item, Response>, next: Query, concurrency: number): Query[] {
    const total = totalOf(this.#style, current.response);
    if (total === undefined) return [next];
    const name = this.#style === 'skip' ? 'skip' : 'offset';
    const step = current.items.length;
    const queries = [next];
    for (let at = position(next, name) + step; at < total && queries.length < concurrency; at += step) {
      queries.push({ ...next, [name]: at });
    }
    return queries;
  }

  async #fetchPage(query: Query, trail: Trail): Promise<Page<Item, Response>> {
    const received = await this.#receive(query, this.#definition.options?.signal);
    return this.#page(received, trail, this.#place(received, trail));
  }

  async #receive(query: Query, signal: AbortSignal | undefined): Promise<Received<Item, Response>> {
    const { transport, endpoint, params = {}, options } = this.#definition;
    try {
      const { concurrency: _, ...requestOptions } = options ?? {};
      const response = await transport.call(endpoint, { params, query }, { ...requestOptions, signal });
      return { query, response, items: this.#itemsOf(response) };
    } catch (error) {
      if (error instanceof SocialPublishingError) setResume(error, query);
      throw error;
    }
  }

  #itemsOf(response: Response): Item[] {
    // The endpoint's type says that this field holds its items.
    return (response as Record<string, unknown>)[this.#definition.endpoint.list.items] as Item[];
  }

  #idOf(item: Item): string | undefined {
    const id: unknown = (item as Record<string, unknown>)[this.#definition.endpoint.list.itemId];
    return typeof id === 'string' ? id : undefined;
  }

  /** Marks a page as the walk's next one and gives the query of the one after it. */
  #place(received: Received<Item, Response>, trail: Trail): Query | undefined {
    const { query, response, items } = received;
    trail.cursors.add(query['after']);
    trail.emptyPages = items.length === 0 ? trail.emptyPages + 1 : 0;
    const next = nextQuery(this.#style, query, response, items.length, this.#pageSize(query));
    // A service that ignores `page`, or that ignores `offset` and tells no total, would give the same page for ever.
    const isRepeat = items.length > 0 && this.#fresh(items, trail).length === 0;
    trail.repeatPages = isRepeat ? trail.repeatPages + 1 : 0;
    if (this.#style === 'cursor' || (this.#style !== 'page' && totalOf(this.#style, response) !== undefined))
      return next;
    // Its items may have no ID that is known here, and each page may cost a credit.
    const page = JSON.stringify(items);
    const isSame = page === trail.lastPage;
    trail.lastPage = page;
    return isRepeat || isSame ? undefined : next;
  }

  /** The items that the walk has not had yet. One without an ID is never taken for a repeat. */
  #fresh(items: readonly Item[], trail: Trail): Item[] {
    const here = new Set<string>();
    return items.filter((item) => {
      const id = this.#idOf(item);
      if (id === undefined) return true;
      if (trail.ids.has(id) || here.has(id)) return false;
      here.add(id);
      return true;
    });
  }

  #page(
    received: Received<Item, Response>,
    trail: Trail,
    next: Query | undefined,
    onward = trail,
  ): Page<Item, Response> {
    const { response } = received;
    const items = this.#fresh(received.items, trail);
    for (const item of items) {
      const id = this.#idOf(item);
      if (id !== undefined) trail.ids.add(id);
      if (typeof item === 'object' && item !== null) carryResponse(response as object, item);
    }
    const follow =
      next === undefined
        ? undefined
        : async () => {
            this.#guard(next, onward);
            return this.#fetchPage(next, onward);
          };
    const page = new Page(items, response, follow);
    carryResponse(response as object, items);
    return carryResponse(response as object, page);
  }

  /** Why the next page leads nowhere, if it does. */
  #dead(next: Query, trail: Trail): string | undefined {
    if (trail.repeatPages >= mostRepeatPages) {
      return `gave nothing but repeats on ${String(mostRepeatPages)} pages in a row. To walk on all the same, start again from error.resume.`;
    }
    if (this.#style !== 'cursor') return undefined;
    if (trail.cursors.has(next['after'])) return 'gave a cursor a second time: walking on would go in a circle.';
    if (trail.emptyPages < mostEmptyPages) return undefined;
    return `gave ${String(mostEmptyPages)} empty pages in a row. To walk on all the same, start again from error.resume.`;
  }

  /** Refuses to walk in circles. */
  #guard(next: Query, trail: Trail): void {
    const problem = this.#dead(next, trail);
    if (problem === undefined) return;
    const [method, route = ''] = this.#definition.endpoint.route.split(' ');
    const error = new PaginationError(`${route} ${problem}`, { method, route });
    setResume(error, next);
    throw error;
  }

  #pageSize(query: Query): number {
    return position(query, 'limit', Number(this.#definition.endpoint.defaults?.['limit'] ?? 1));
  }
}

/** Pages that were asked for ahead of need, in the order of the walk. */
class ReadAhead<Item, Response> {
  readonly #fetch: (query: Query, signal: AbortSignal) => Promise<Received<Item, Response>>;
  readonly #outer: AbortSignal | undefined;
  readonly #forget: () => void;
  #controller = new AbortController();
  #pending: { readonly key: string; readonly page: Promise<Received<Item, Response>> }[] = [];

  constructor(
    outer: AbortSignal | undefined,
    fetch: (query: Query, signal: AbortSignal) => Promise<Received<Item, Response>>,
  ) {
    this.#outer = outer;
    this.#fetch = fetch;
    this.#forget = onAbort(outer, () => {
      this.#controller.abort(outer?.reason);
    });
  }

  /** The page of this query. Guesses that turned out wrong, because the list changed meanwhile, are thrown away. */
  take(query: Query): Promise<Received<Item, Response>> {
    this.#outer?.throwIfAborted();
    const [head] = this.#pending;
    if (head !== undefined && head.key !== JSON.stringify(query)) this.#drop();
    this.fill([query]);
    const taken = this.#pending.shift();
    if (taken === undefined) throw new Error('A page that was just asked for is missing.');
    return taken.page;
  }

  /** Asks for pages that are not asked for yet. */
  fill(queries: readonly Query[]): void {
    const [head] = this.#pending;
    if (head !== undefined && queries[0] !== undefined && head.key !== JSON.stringify(queries[0])) this.#drop();
    for (const query of queries) {
      const key = JSON.stringify(query);
      if (this.#pending.some((pending) => pending.key === key)) continue;
      const page = this.#fetch(query, this.#controller.signal);
      // It may fail before its turn comes, or be thrown away.
      page.catch(() => undefined);
      this.#pending.push({ key, page });
    }
  }

  #drop(): void {
    this.#controller.abort();
    this.#controller = new AbortController();
    this.#pending = [];
  }

  stop(): void {
    this.#forget();
    this.#controller.abort();
  }
}
