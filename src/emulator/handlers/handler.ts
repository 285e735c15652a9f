import type { Endpoint } from '../../core/call/endpoint.js';
import type { Clock } from '../service/clock.js';
import type { Events } from '../service/events.js';
import type { Lifecycle } from '../service/lifecycle.js';
import type { Store } from '../state/store.js';
import { formatIssues, type Issue } from '../../core/errors.js';
import { parsed } from '../../schema/issues.js';
import type * as z from 'zod/mini';
import { age } from '../state/time.js';

export interface Service {
  readonly store: Store;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  readonly events: Events;
}

/** A request that has passed the endpoint's schemas. */
export interface HandlerCall<Query, Body> {
  readonly param: (name: string) => string;
  /** The query with the documented defaults. */
  readonly query: Query;
  readonly body: Body;
  /** Body fields that the API document doesn't show. */
  readonly extraBody: Readonly<Record<string, unknown>>;
  /** How long lists omit the created posts, in milliseconds of the clock. */
  readonly listingLagMs: number;
}

/** The behaviour of an endpoint: from a request to a reply. It throws errors as `ErrorReply`. */
export type Handler<E> =
  E extends Endpoint<infer Query, infer Body, infer Reply>
    ? (service: Service, call: HandlerCall<Query, Body>) => Reply
    : never;

/** One handler for each endpoint of a resource: a missing one does not compile. */
export type Handlers<Endpoints> = { readonly [Name in keyof Endpoints]: Handler<Endpoints[Name]> };

/** An error reply of the service, thrown by a handler. The router formats it for the operation. */
export class ErrorReply extends Error {
  override readonly name = 'ErrorReply';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function invalidRequest(issues: readonly Issue[]): ErrorReply {
  return notValid(formatIssues(issues));
}

export function parsedRequest<T>(schema: z.ZodMiniType<T>, value: unknown): T {
  return parsed(schema, value, notValid);
}

const notValid = (issues: string) => new ErrorReply(400, `The request is not valid: ${issues}`);

/** Sorts a copy; equal items keep their order. */
export function sorted<T>(items: readonly T[], key: (item: T) => number | string, order: 'asc' | 'desc'): T[] {
  const sign = order === 'asc' ? 1 : -1;
  return items
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : 0))
    .map(({ item }) => item);
}

/**
 * Sorts a copy of items that are in creation order, newest first. Of items of one instant, the last created comes
 * first.
 */
export function newestFirst<T>(items: readonly T[], time: (item: T) => string | undefined): T[] {
  return sorted([...items].reverse(), (item) => age(time(item)), 'desc');
}

export function slice<T>(items: readonly T[], from = 0, limit = Infinity): T[] {
  return items.slice(from, from + limit);
}

const cursorPrefix = 'after_';

/**
 * Returns a page by cursor. The cursor names the last item of the previous page, so new items don't shift the next
 * page.
 */
export function cursorPage<T extends { readonly id: string }>(
  items: readonly T[],
  { limit, after = '' }: { readonly limit?: number | undefined; readonly after?: string | undefined },
): { items: T[]; nextCursor?: string } {
  const start = after === '' ? 0 : items.findIndex(({ id }) => `${cursorPrefix}${id}` === after) + 1;
  if (after !== '' && start === 0) throw new ErrorReply(400, 'The cursor in after is not from this list.');
  const page = slice(items, start, limit);
  const last = page.at(-1);
  const more = last !== undefined && start + page.length < items.length;
  return { items: page, ...(more ? { nextCursor: `${cursorPrefix}${last.id}` } : {}) };
}

/** A range of days in a query. Its start has a documented default; its end is today by default. */
export interface DefaultRange {
  readonly from: string;
  readonly to: string;
  readonly days: number;
}

export const analyticsRange: DefaultRange = { from: 'fromDate', to: 'toDate', days: 90 };
export const insightsRange: DefaultRange = { from: 'since', to: 'until', days: 30 };

export const defaultRanges: readonly DefaultRange[] = [analyticsRange, insightsRange];
