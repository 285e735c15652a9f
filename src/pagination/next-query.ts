import { isFields } from '../core/json.js';
import type { ListDefinition } from '../core/call/endpoint.js';

export type Query = Readonly<Record<string, unknown>>;

/** The query field that contains the position of a page. */
export type PositionField = 'after' | 'offset' | 'skip' | 'page';

export interface PageFacts {
  readonly query: Query;
  readonly reply: Readonly<Record<string, unknown>>;
  readonly received: number;
  readonly askedFor: number;
}

/** How a list continues after a page. */
export interface Continuation {
  /** The query of the next page; `undefined` at the end of the list. */
  readonly next?: Query | undefined;
  /** The number of items in all pages, if the reply contains it. */
  readonly total?: number | undefined;
}

export function positionField({ style }: ListDefinition): PositionField {
  return style === 'cursor' ? 'after' : style;
}

export function continuationOf(list: ListDefinition, page: PageFacts): Continuation {
  const { query, reply, received } = page;
  switch (list.style) {
    case 'cursor': {
      const after = reply[list.next];
      // `''` and `null` are not cursors.
      return typeof after === 'string' && after !== '' ? { next: { ...query, after } } : {};
    }
    case 'offset':
      return afterItems(page, 'offset', countIn(reply, list.total));
    case 'skip': {
      const { hasMore, ...counts } = objectIn(reply, list.pagination);
      // `hasMore` takes precedence over `total`.
      return afterItems(page, 'skip', countIn(counts, 'total'), typeof hasMore === 'boolean' ? hasMore : undefined);
    }
    case 'page':
      // The reply's shape is not documented, so there is no total: a short page ends the list.
      return received > 0 && isFull(page) ? { next: { ...query, page: positionIn(query, 'page', 1) + 1 } } : {};
  }
}

/** The position advances by the items received. An empty page ends the list, regardless of the reply. */
function afterItems(page: PageFacts, name: 'offset' | 'skip', total?: number, hasMore?: boolean): Continuation {
  const position = positionIn(page.query, name, 0) + page.received;
  const more = hasMore ?? (total === undefined ? isFull(page) : position < total);
  return { total, next: page.received > 0 && more ? { ...page.query, [name]: position } : undefined };
}

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
