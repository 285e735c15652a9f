import { isAbortReason } from '../core/flow/abort.js';
import { isFields } from '../core/json.js';
import { endpointAt, type ListEndpoint } from '../core/call/endpoint.js';
import type { RequestOptions, Transport } from '../core/call/transport.js';
import { setResume, SocialPublishingError, type ErrorDetails } from '../core/errors.js';
import { toWire } from '../schema/wire.js';
import { continuationOf, positionField, type Continuation, type PositionField, type Query } from './next-query.js';

export interface ReceivedPage<Item, Response> extends Continuation {
  readonly query: Query;
  readonly response: Response;
  readonly items: readonly Item[];
}

/** The pages of a list, and the facts needed to read them in order. */
export interface PageSource<Item, Response> {
  readonly start: Query;
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

export class ListSource<Item, Response> implements PageSource<Item, Response> {
  readonly position: PositionField;
  readonly options: RequestOptions;
  readonly isPaid: boolean;
  readonly at: ErrorDetails;
  readonly #call: ListCall<Response>;

  constructor(call: ListCall<Response>) {
    const { endpoint, options } = call;
    this.position = positionField(endpoint.list);
    this.options = options;
    this.isPaid = endpoint.credits !== undefined;
    this.at = endpointAt(endpoint);
    this.#call = call;
  }

  get start(): Query {
    const { endpoint, query } = this.#call;
    const plain = endpoint.query === undefined ? query : toWire(endpoint.query(), query);
    return plain as Query; // Code reads these fields only by name, as for any query.
  }

  async receive(query: Query, signal: AbortSignal | undefined): Promise<ReceivedPage<Item, Response>> {
    const { transport, endpoint, params = {}, options } = this.#call;
    try {
      const response = await transport.call(endpoint, { params, query }, { ...options, signal });
      // `listEndpoint` had the compiler check that this field holds the items.
      const items = (response as Record<string, unknown>)[endpoint.list.items] as Item[];
      const { next, total } = continuationOf(endpoint.list, {
        query,
        reply: response as Query, // Replies of lists are objects.
        received: items.length,
        askedFor: this.#pageSize(query),
      });
      return { query, response, items, total, next: next && withoutUndefined(next) };
    } catch (error) {
      // The reason of an abort belongs to the caller, and may be the error of another walk.
      if (error instanceof SocialPublishingError && !isAbortReason(error, signal))
        setResume(error, isFields(query) ? withoutUndefined(query) : query);
      throw error;
    }
  }

  idOf(item: Item): string | undefined {
    // Every item is an object, and its endpoint names the field.
    const id: unknown = (item as Record<string, unknown>)[this.#call.endpoint.list.itemId];
    return typeof id === 'string' ? id : undefined;
  }

  #pageSize(query: Query): number {
    const { endpoint, options } = this.#call;
    const limit = Number(options.extraQuery?.['limit'] ?? query['limit'] ?? endpoint.defaults?.['limit']);
    return Number.isNaN(limit) ? 1 : limit;
  }
}

function withoutUndefined(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}
