import { ErrorReply } from './error-reply.js';
import { age } from '../service/time.js';

/** Sorts a copy; equal ones stay as they were. */
export function sorted<T>(items: readonly T[], key: (item: T) => number | string, order: 'asc' | 'desc'): T[] {
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: number | string, b: number | string) => (a < b ? -sign : a > b ? sign : 0);
  const keys = items.map(key);
  // Most lists are in order as they are: a walk over 10,000 posts must not sort them a hundred times.
  if (keys.every((each, index) => index === 0 || compare(keys[index - 1] ?? each, each) <= 0)) return [...items];
  return items
    .map((item, index) => ({ item, key: keys[index] ?? '' }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ item }) => item);
}

/** Sorts a copy of what stands in the order of its creation: the newest comes first; of one instant, what was created last. */
export function newestFirst<T>(items: readonly T[], time: (item: T) => string | undefined): T[] {
  return sorted([...items].reverse(), (item) => age(time(item)), 'desc');
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
    if (start === 0) throw new ErrorReply(400, 'The cursor in after is not one that this list gave.');
  }
  const page = slice(items, start, limit);
  const last = page.at(-1);
  const more = last !== undefined && start + page.length < items.length;
  return { items: page, ...(more ? { nextCursor: `${cursorPrefix}${idOf(last)}` } : {}) };
}
