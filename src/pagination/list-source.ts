import { endpointAt, type ListEndpoint } from '../core/endpoint.js';
import type { RequestOptions, Transport } from '../core/transport.js';
import { setResume, SocialPublishingError } from '../core/errors.js';
import { ownFields } from '../schema/wire.js';
import { nextQueryRule, type NextQueryRule, type Query } from './next-query.js';

/** A page as it was received, before its place in a walk is known. */
export interface ReceivedPage<Item, Response> {
  readonly query: Query;
  readonly response: Response;
  readonly items: readonly Item[];
}

/** What a list is read from. */
export interface ListCall<Response> {
  readonly transport: Transport;
  readonly endpoint: ListEndpoint<unknown, Response>;
  readonly params?: Readonly<Record<string, string>>;
  readonly query: object;
  readonly options: RequestOptions;
}

/** A list of the service: fetches its pages, and knows where its replies keep what a walk needs. */
export class ListSource<Item, Response> {
  readonly rule: NextQueryRule;
  readonly #call: ListCall<Response>;

  constructor(call: ListCall<Response>) {
    this.#call = call;
    this.rule = nextQueryRule(call.endpoint.list);
  }

  /** The query of the first page. */
  get start(): Query {
    const { endpoint, query } = this.#call;
    const fields = endpoint.query === undefined ? query : ownFields(endpoint.query(), query);
    return fields as Query; // Its fields are read by name alone, as those of any query.
  }

  get options(): RequestOptions {
    return this.#call.options;
  }

  get signal(): AbortSignal | undefined {
    return this.options.signal;
  }

  /** Whether a page costs a credit: such a page is never fetched ahead of need. */
  get isPaid(): boolean {
    return this.#call.endpoint.credits !== undefined;
  }

  /** Method and path template, for errors. */
  get at(): { readonly method: string; readonly route: string } {
    return endpointAt(this.#call.endpoint);
  }

  /** Fetches one page. What it fails with says where to go on. */
  async receive(query: Query, signal: AbortSignal | undefined): Promise<ReceivedPage<Item, Response>> {
    const { transport, endpoint, params = {}, options } = this.#call;
    try {
      const response = await transport.call(endpoint, { params, query }, { ...options, signal });
      // `listEndpoint` had the compiler check that this field holds the items.
      const items = (response as Record<string, unknown>)[endpoint.list.items] as Item[];
      return { query, response, items };
    } catch (error) {
      // The reason of an abort is the caller's own, and may well be the error of another walk.
      const isReason = signal?.aborted === true && error === signal.reason;
      if (error instanceof SocialPublishingError && !isReason) setResume(error, query);
      throw error;
    }
  }

  /** How many items a page was asked for. */
  askedFor(query: Query): number {
    const { endpoint, options } = this.#call;
    const limit = Number(options.extraQuery?.['limit'] ?? query['limit'] ?? endpoint.defaults?.['limit']);
    return Number.isNaN(limit) ? 1 : limit;
  }

  idOf(item: Item): string | undefined {
    const id: unknown = (item as Record<string, unknown>)[this.#call.endpoint.list.itemId];
    return typeof id === 'string' ? id : undefined;
  }

  /** How many items there are in all, where the reply tells. */
  total(page: ReceivedPage<Item, Response>): number | undefined {
    return this.rule.total(this.#facts(page));
  }

  /** The query of the page after this one; `undefined` at the end of the list. */
  next(page: ReceivedPage<Item, Response>): Query | undefined {
    return this.rule.next(this.#facts(page));
  }

  #facts({ query, response, items }: ReceivedPage<Item, Response>) {
    const reply = response as Query; // Replies of lists are objects.
    return { query, reply, received: items.length, askedFor: this.askedFor(query) };
  }
}
