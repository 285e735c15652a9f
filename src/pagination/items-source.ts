import type { PageSource, ReceivedPage } from './list-source.js';
import type { Query } from './next-query.js';

/** A list of one page, made from items that a test already has. */
export class ItemsSource<Item, Response> implements PageSource<Item, Response> {
  readonly start: Query = {};
  readonly position = 'page';
  readonly options = {};
  readonly isPaid = false;
  readonly at = {};
  readonly #items: Iterable<Item> | AsyncIterable<Item>;
  readonly #response: Response;
  #page: Promise<ReceivedPage<Item, Response>> | undefined;

  constructor(items: Iterable<Item> | AsyncIterable<Item>, response: Response) {
    this.#items = items;
    this.#response = response;
  }

  receive(): Promise<ReceivedPage<Item, Response>> {
    // A generator can be read only once, a list many times.
    return (this.#page ??= this.#collect());
  }

  idOf(): undefined {
    return undefined;
  }

  total(): undefined {
    return undefined;
  }

  next(): undefined {
    return undefined;
  }

  async #collect(): Promise<ReceivedPage<Item, Response>> {
    const items: Item[] = [];
    for await (const item of this.#items) items.push(item);
    return { query: this.start, response: this.#response, items };
  }
}
