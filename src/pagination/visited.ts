import type { PageSource, ReceivedPage } from './list-source.js';
import type { Query } from './next-query.js';

/** How many cursor pages in a row may be empty. */
const mostEmptyPages = 10;
/** How many pages in a row may hold nothing but items that the walk already had. */
const mostRepeatPages = 10;

/** What one walk over a list has seen, and with it what would lead in a circle. */
export class Visited<Item, Response> {
  readonly #source: PageSource<Item, Response>;
  readonly #cursors = new Set<unknown>();
  readonly #ids = new Set<string>();
  #emptyPages = 0;
  #repeatPages = 0;
  /** The items of the last page, as JSON: kept only where a page that comes twice must end the walk. */
  #lastPage = '';

  constructor(source: PageSource<Item, Response>) {
    this.#source = source;
  }

  /** Marks a page as the walk's next one. Gives its items that the walk had not had yet, and the query to go on with. */
  visit(page: ReceivedPage<Item, Response>): { readonly items: Item[]; readonly next: Query | undefined } {
    this.#cursors.add(page.query['after']);
    const isEmpty = page.items.length === 0;
    this.#emptyPages = isEmpty ? this.#emptyPages + 1 : 0;
    const items = this.#takeUnseenItems(page.items);
    const isRepeat = !isEmpty && items.length === 0;
    this.#repeatPages = isRepeat ? this.#repeatPages + 1 : 0;
    const next = this.#source.next(page);
    return { items, next: next !== undefined && this.#isEnd(page, next, isRepeat) ? undefined : next };
  }

  /** Why the next page leads nowhere, if it does. */
  problemWith(next: Query): string | undefined {
    const again = 'To walk on all the same, start again from error.resume.';
    if (this.#repeatPages >= mostRepeatPages)
      return `returned only repeats on ${String(mostRepeatPages)} pages in a row. ${again}`;
    if (this.#source.position !== 'after') return undefined;
    if (this.#cursors.has(next['after'])) return 'returned a cursor a second time: the walk would go in a circle.';
    if (this.#emptyPages < mostEmptyPages) return undefined;
    return `returned ${String(mostEmptyPages)} empty pages in a row. ${again}`;
  }

  /** Whether the list ends here though the reply names a next page. */
  #isEnd(page: ReceivedPage<Item, Response>, next: Query, isRepeat: boolean): boolean {
    // Some services end a list by the cursor that they were asked with, and nothing else.
    if (this.#source.position === 'after') return page.items.length === 0 && this.#cursors.has(next['after']);
    if (this.#source.position !== 'page' && this.#source.total(page) !== undefined) return false;
    // A service that ignores `page`, or that ignores `offset` and tells no total, would give the same page for ever. Its
    // items may have no ID that is known here, and each page may cost a credit.
    const items = JSON.stringify(page.items);
    const isSame = items === this.#lastPage;
    this.#lastPage = items;
    return isRepeat || isSame;
  }

  /** The items that the walk has not had yet. One without an ID is never taken for a repeat. */
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
