import { ErrorReply } from './error-reply.js';
import { age } from '../service/time.js';

/** Sorts a copy; equal items keep their order. */
export function sorted<T>(items: readonly T[], key: (item: T) => number | string, order: 'asc' | 'desc'): T[] {
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: number | string, b: number | string) => (a < b ? -sign : a > b ? sign : 0);
  const keys = items.map(key);
  // Most lists are already in order: reading 10,000 posts page by page must not sort them a hundred times.
  if (keys.every((each, index) => index === 0 || compare(keys[index - 1] ?? each, each) <= 0)) return [...items];
  return items
    .map((item, index) => ({ item, key: keys[index] ?? '' }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ item }) => item);
}

/**
 * Sorts a copy of items that are in creation order, newest first. Of items of one instant, the last created comes
 * first.
 */
export function newestFirst<T>(items: readonly T[], time: (item: T) => string | undefined): T[] {
  return sorted([...items].reverse(), (item) => age(time(item)), 'desc');
}

export function slice<T>(items: readonly T[], from: number | undefined, limit: number | undefined): T[] {
  const start = from ?? 0;
  return items.slice(start, limit === undefined ? undefined : start + limit);
}

const cursorPrefix = 'after_';

/**
 * Returns a page by cursor. The cursor names the last item of the previous page, so new items don't shift the next
 * page.
 */
export function cursorPage<T>(
  items: readonly T[],
  idOf: (item: T) => string,
  limit: number | undefined,
  after: string | undefined,
): { items: T[]; nextCursor?: string } {
  let start = 0;
  if (after !== undefined && after !== '') {
    start = items.findIndex((item) => `${cursorPrefix}${idOf(item)}` === after) + 1;
    if (start === 0) throw new ErrorReply(400, 'The cursor in after is not from this list.');
  }
  const page = slice(items, start, limit);
  const last = page.at(-1);
  const more = last !== undefined && start + page.length < items.length;
  return { items: page, ...(more ? { nextCursor: `${cursorPrefix}${idOf(last)}` } : {}) };
}
