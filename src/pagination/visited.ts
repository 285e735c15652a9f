import type { PageSource, ReceivedPage } from './list-source.js';
import type { Query } from './next-query.js';

const mostEmptyPages = 10;
const mostRepeatPages = 10;

/** The part of a page that earlier pages did not contain. */
export interface NewItems<Item> {
  readonly items: Item[];
  /** The query to continue with. */
  readonly next: Query | undefined;
}

/** Tracks the items and cursors of one iteration, and detects cycles. */
export class Visited<Item, Response> {
  readonly #source: PageSource<Item, Response>;
  readonly #cursors = new Set<unknown>();
  readonly #ids = new Set<string>();
  #emptyPages = 0;
  #repeatPages = 0;
  /** The items of the last page, as JSON: kept only if a repeated page must end the list. */
  #lastPage = '';

  constructor(source: PageSource<Item, Response>) {
    this.#source = source;
  }

  /** Marks a page as the next one. */
  visit(page: ReceivedPage<Item, Response>): NewItems<Item> {
    this.#cursors.add(page.query['after']);
    const isEmpty = page.items.length === 0;
    this.#emptyPages = isEmpty ? this.#emptyPages + 1 : 0;
    const items = this.#takeUnseenItems(page.items);
    const isRepeat = !isEmpty && items.length === 0;
    this.#repeatPages = isRepeat ? this.#repeatPages + 1 : 0;
    const next = this.#source.next(page);
    return { items, next: next !== undefined && this.#isEnd(page, next, isRepeat) ? undefined : next };
  }

  problemWith(next: Query): string | undefined {
    const again = 'To continue anyway, start again from error.resume.';
    if (this.#repeatPages >= mostRepeatPages)
      return `returned only repeats on ${String(mostRepeatPages)} pages in a row. ${again}`;
    if (this.#source.position !== 'after') return undefined;
    if (this.#cursors.has(next['after'])) return 'returned a cursor a second time, so the list would never end.';
    if (this.#emptyPages < mostEmptyPages) return undefined;
    return `returned ${String(mostEmptyPages)} empty pages in a row. ${again}`;
  }

  /** Whether the list ends here although the reply names a next page. */
  #isEnd(page: ReceivedPage<Item, Response>, next: Query, isRepeat: boolean): boolean {
    // Some services end a list by returning the requested cursor.
    if (this.#source.position === 'after') return page.items.length === 0 && this.#cursors.has(next['after']);
    if (this.#source.position !== 'page' && this.#source.total(page) !== undefined) return false;
    // A service that ignores `page`, or ignores `offset` and has no total, would return the same page forever. Its
    // items may have no known ID, and each page may cost a credit.
    const items = JSON.stringify(page.items);
    const isSame = items === this.#lastPage;
    this.#lastPage = items;
    return isRepeat || isSame;
  }

  /** Returns the new items. An item without an ID never counts as repeated. */
  #takeUnseenItems(items: readonly Item[]): Item[] {
    return items.filter((item) => {
      const id = this.#source.idOf(item);
      if (id === undefined) return true;
      if (this.#ids.has(id)) return false;
      this.#ids.add(id);
      return true;
    });
  }
}
