import { isFields } from '../core/json.js';
import type { ListDefinition } from '../core/call/endpoint.js';

export type Query = Readonly<Record<string, unknown>>;

export interface PageFacts {
  readonly query: Query;
  readonly reply: Readonly<Record<string, unknown>>;
  readonly received: number;
  readonly askedFor: number;
}

/** How the lists of one style continue from page to page. */
export interface NextQueryRule {
  readonly position: 'after' | 'offset' | 'skip' | 'page';
  readonly next: (page: PageFacts) => Query | undefined;
  readonly total: (page: PageFacts) => number | undefined;
}

export function nextQueryRule(list: ListDefinition): NextQueryRule {
  switch (list.style) {
    case 'cursor':
      return byCursor(list.next);
    case 'offset':
      return byOffset(list.total);
    case 'skip':
      return bySkip(list.pagination);
    case 'page':
      return byPage;
  }
}

/** `after` takes the cursor of the previous page. `''` and `null` are not cursors. */
function byCursor(field: string): NextQueryRule {
  return {
    position: 'after',
    next: ({ query, reply }) => {
      const cursor = reply[field];
      return typeof cursor === 'string' && cursor !== '' ? { ...query, after: cursor } : undefined;
    },
    total: () => undefined,
  };
}

/** `offset` advances by the items received. An empty page ends the list, regardless of `total`. */
function byOffset(field: string): NextQueryRule {
  const total = ({ reply }: PageFacts) => countIn(reply, field);
  return {
    position: 'offset',
    total,
    next: (page) => {
      const offset = positionIn(page.query, 'offset', 0) + page.received;
      const all = total(page);
      const more = all === undefined ? isFull(page) : offset < all;
      return page.received > 0 && more ? { ...page.query, offset } : undefined;
    },
  };
}

/** `skip` advances by the items received. `hasMore` takes precedence over `total`. An empty page ends the list. */
function bySkip(field: string): NextQueryRule {
  const total = ({ reply }: PageFacts) => countIn(objectIn(reply, field), 'total');
  return {
    position: 'skip',
    total,
    next: (page) => {
      const skip = positionIn(page.query, 'skip', 0) + page.received;
      const all = total(page);
      const { hasMore } = objectIn(page.reply, field);
      const more = typeof hasMore === 'boolean' ? hasMore : all === undefined ? isFull(page) : skip < all;
      return page.received > 0 && more ? { ...page.query, skip } : undefined;
    },
  };
}

/** The reply's shape is not documented, so there is no total: a short page ends the list. */
const byPage: NextQueryRule = {
  position: 'page',
  total: () => undefined,
  next: (page) =>
    page.received > 0 && isFull(page) ? { ...page.query, page: positionIn(page.query, 'page', 1) + 1 } : undefined,
};

/**
 * Whether a page contains as many items as possible. A service may return fewer than requested, and then reports its
 * limit.
 */
function isFull({ reply, received, askedFor }: PageFacts): boolean {
  const told = numberIn(reply, 'limit') ?? numberIn(objectIn(reply, 'pagination'), 'limit') ?? askedFor;
  return received >= Math.min(told, askedFor);
}

export function positionIn(query: Query, name: string, start: number): number {
  return numberIn(query, name) ?? start;
}

function numberIn(object: Query, name: string): number | undefined {
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
