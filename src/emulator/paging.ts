import { Refusal } from './behaviour.js';

/** Sorts a copy; equal ones stay as they were. */
export function sorted<T>(items: readonly T[], key: (item: T) => number | string, order: 'asc' | 'desc'): T[] {
  const sign = order === 'asc' ? 1 : -1;
  return items
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : 0))
    .map((entry) => entry.item);
}

/** A page by offset. */
export function slice<T>(items: readonly T[], from: number | undefined, limit: number | undefined): T[] {
  const start = from ?? 0;
  return items.slice(start, limit === undefined ? undefined : start + limit);
}

const cursorPrefix = 'after_';

/** A page by cursor. The cursor names the last item of the page before, so that new items don't shift the next page. */
export function cursorPage<T>(
  items: readonly T[],
  idOf: (item: T) => string,
  limit: number | undefined,
  after: string | undefined,
): { items: T[]; nextCursor?: string } {
  let start = 0;
  if (after !== undefined && after !== '') {
    start = items.findIndex((item) => `${cursorPrefix}${idOf(item)}` === after) + 1;
    if (start === 0) throw new Refusal(400, 'The cursor in after is not one that this list gave.');
  }
  const page = slice(items, start, limit);
  const last = page.at(-1);
  const more = last !== undefined && start + page.length < items.length;
  return { items: page, ...(more ? { nextCursor: `${cursorPrefix}${idOf(last)}` } : {}) };
}
