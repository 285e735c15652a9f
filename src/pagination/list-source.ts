import { isAbortReason } from '../core/flow/abort.js';
import { isFields, withoutUndefined } from '../core/json.js';
import { endpointAt, type ListDefinition, type ListEndpoint } from '../core/call/endpoint.js';
import type { RequestOptions, Transport } from '../core/call/transport.js';
import { setHidden, SocialPublishingError, type ErrorDetails } from '../core/errors.js';
import { toWire } from '../schema/wire.js';

export type Query = Readonly<Record<string, unknown>>;

/** The query field that contains the position of a page. */
export type PositionField = 'after' | 'offset' | 'skip' | 'page';

export interface PageFacts {
  readonly query: Query;
  readonly reply: Readonly<Record<string, unknown>>;
  readonly received: number;
  readonly askedFor: number;
}

/** How a list continues after a page. */
interface Continuation {
  /** The query of the next page; `undefined` at the end of the list. */
  readonly next?: Query | undefined;
  /** The number of items in all pages, if the reply contains it. */
  readonly total?: number | undefined;
}

export interface ReceivedPage<Item, Response> extends Continuation {
  readonly query: Query;
  readonly response: Response;
  readonly items: readonly Item[];
}

/** The pages of a list, and the facts needed to read them in order. */
export interface PageSource<Item, Response> {
  /** Returns the query of the first page. */
  start(): Query;
  /** Yields the items one by one, if the list was made from items. */
  read?(): AsyncGenerator<Item, void, undefined>;
  /** The query field that contains the position. */
  readonly position: PositionField;
  readonly options: RequestOptions;
  /** Whether a page costs a credit: such a page is never fetched ahead of need. */
  readonly isPaid: boolean;
  /** Method and path template, for errors. */
  readonly at: ErrorDetails;
  receive(query: Query, signal: AbortSignal | undefined): Promise<ReceivedPage<Item, Response>>;
  idOf?(item: Item): string | undefined;
}

/** The call that fetches a page of a list. */
export interface ListCall<Response> {
  readonly transport: Transport;
  readonly endpoint: ListEndpoint<unknown, Response>;
  readonly params?: Readonly<Record<string, string>>;
  readonly query: object;
  readonly options: RequestOptions;
}

export function listSource<Item, Response>(call: ListCall<Response>): PageSource<Item, Response> {
  const { transport, endpoint, params = {}, query: passed, options } = call;
  const pageSize = (query: Query): number => {
    const limit = Number(options.extraQuery?.['limit'] ?? query['limit'] ?? endpoint.defaults?.['limit']);
    return Number.isNaN(limit) ? 1 : limit;
  };
  return {
    position: positionField(endpoint.list),
    options,
    isPaid: endpoint.credits !== undefined,
    at: endpointAt(endpoint),

    start() {
      const plain = endpoint.query === undefined ? passed : toWire(endpoint.query(), passed);
      return plain as Query; // Code reads these fields only by name, as for any query.
    },

    async receive(query, signal) {
      try {
        const response = await transport.call(endpoint, { params, query }, { ...options, signal });
        // `listEndpoint` had the compiler check that this field holds the items.
        const items = (response as Record<string, unknown>)[endpoint.list.items] as Item[];
        const { next, total } = continuationOf(endpoint.list, {
          query,
          reply: response as Query, // Replies of lists are objects.
          received: items.length,
          askedFor: pageSize(query),
        });
        return { query, response, items, total, next: next && withoutUndefined(next) };
      } catch (error) {
        // The reason of an abort belongs to the caller, and may be the error of another walk.
        if (error instanceof SocialPublishingError && !isAbortReason(error, signal))
          setHidden(error, 'resume', isFields(query) ? withoutUndefined(query) : query);
        throw error;
      }
    },

    idOf(item) {
      // Every item is an object, and its endpoint names the field.
      const id: unknown = (item as Record<string, unknown>)[endpoint.list.itemId];
      return typeof id === 'string' ? id : undefined;
    },
  };
}

export function positionField({ style }: ListDefinition): PositionField {
  return style === 'cursor' ? 'after' : style;
}

export function continuationOf(list: ListDefinition, page: PageFacts): Continuation {
  const { query, reply, received } = page;
  switch (list.style) {
    case 'cursor': {
      const after = reply[list.next];
      // `''` and `null` are not cursors.
      return typeof after === 'string' && after !== '' ? { next: { ...query, after } } : {};
    }
    case 'offset':
      return afterItems(page, 'offset', countIn(reply, list.total));
    case 'skip': {
      const { hasMore, ...counts } = objectIn(reply, list.pagination);
      // `hasMore` takes precedence over `total`.
      return afterItems(page, 'skip', countIn(counts, 'total'), typeof hasMore === 'boolean' ? hasMore : undefined);
    }
    case 'page':
      // The reply's shape is not documented, so there is no total: a short page ends the list.
      return received > 0 && isFull(page) ? { next: { ...query, page: (numberIn(query, 'page') ?? 1) + 1 } } : {};
  }
}

/** The position advances by the items received. An empty page ends the list, regardless of the reply. */
function afterItems(page: PageFacts, name: 'offset' | 'skip', total?: number, hasMore?: boolean): Continuation {
  const position = (numberIn(page.query, name) ?? 0) + page.received;
  const more = hasMore ?? (total === undefined ? isFull(page) : position < total);
  return { total, next: page.received > 0 && more ? { ...page.query, [name]: position } : undefined };
}

/**
 * Whether a page contains as many items as possible. A service may return fewer than requested, and then reports its
 * limit.
 */
function isFull({ reply, received, askedFor }: PageFacts): boolean {
  const told = numberIn(reply, 'limit') ?? numberIn(objectIn(reply, 'pagination'), 'limit') ?? askedFor;
  return received >= Math.min(told, askedFor);
}

export function numberIn(object: Query, name: string): number | undefined {
  const value = object[name];
  return typeof value === 'number' ? value : undefined;
}

/** A negative number or a fraction is not a total. Without a total, the walk ends at a page that is not full. */
function countIn(object: Query, name: string): number | undefined {
  const value = numberIn(object, name);
  return value !== undefined && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function objectIn(object: Query, name: string): Query {
  const value = object[name];
  return isFields(value) ? value : {};
}
