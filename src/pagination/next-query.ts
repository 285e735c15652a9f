import type { ListDefinition } from '../core/list.js';

/** A query with the position in it. */
export type Query = Readonly<Record<string, unknown>>;

/** What a rule looks at to go on from a page. */
export interface PageFacts {
  readonly query: Query;
  readonly reply: Readonly<Record<string, unknown>>;
  /** How many items came, repeats included. */
  readonly received: number;
  /** How many items were asked for. */
  readonly askedFor: number;
}

/** How the lists of one style go on from page to page. */
export interface NextQueryRule {
  /** The field of the query that holds the position. */
  readonly position: 'after' | 'offset' | 'skip' | 'page';
  /** The query of the page after this one; `undefined` at the end of the list. */
  readonly next: (page: PageFacts) => Query | undefined;
  /** How many items there are in all, where the reply tells. */
  readonly total: (page: PageFacts) => number | undefined;
}

/** The rule by which a list is walked. */
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

/** `after` takes the cursor of the page before. `''` and `null` are no cursor. */
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

/** `offset` advances by the items received. An empty page ends the list, whatever `total` says. */
function byOffset(field: string): NextQueryRule {
  const total = ({ reply }: PageFacts) => numberIn(reply, field);
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

/** `skip` advances by the items received. `hasMore` is believed before `total`. An empty page ends the list. */
function bySkip(field: string): NextQueryRule {
  const total = ({ reply }: PageFacts) => numberIn(objectIn(reply, field), 'total');
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

/** The reply's shape is not documented, and so neither is a total: a short page ends the list. */
const byPage: NextQueryRule = {
  position: 'page',
  total: () => undefined,
  next: (page) =>
    page.received > 0 && isFull(page) ? { ...page.query, page: positionIn(page.query, 'page', 1) + 1 } : undefined,
};

/** Whether a page holds as many items as a page can. A service may give fewer than asked, and then says how many. */
function isFull({ reply, received, askedFor }: PageFacts): boolean {
  const told = numberIn(reply, 'limit') ?? numberIn(objectIn(reply, 'pagination'), 'limit') ?? askedFor;
  return received >= Math.min(told, askedFor);
}

/** The position that a query asks for. */
export function positionIn(query: Query, name: string, start: number): number {
  return numberIn(query, name) ?? start;
}

function numberIn(object: Query, name: string): number | undefined {
  const value = object[name];
  return typeof value === 'number' ? value : undefined;
}

function objectIn(object: Query, name: string): Query {
  const value = object[name];
  return typeof value === 'object' && value !== null ? (value as Query) : {};
}
