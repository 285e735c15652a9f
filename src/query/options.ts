import type * as z from 'zod/mini';
import { isFinalStatus } from '../model/known-values.js';
import type { Page } from '../pagination/page.js';
import type { Post } from '../posts/post-shapes.js';
import type { PostReference, WatchPostsOptions } from '../posts/watch-posts.js';
import type { Posts } from '../posts/posts.js';
import { ownFields, toWire } from '../schema/wire.js';

/** The key of a query. It is plain data, has no access key, and starts with `'social-publishing'`, the resource and the method. */
export type QueryKey = readonly ['social-publishing', resource: string, method: string, ...input: readonly unknown[]];

/** The used part of the context that TanStack Query passes to a query function. */
export interface QueryContext {
  /** Aborted when TanStack Query cancels the query. */
  readonly signal?: AbortSignal | undefined;
}

/** The used part of the context that TanStack Query passes to the query function of an infinite query. */
export interface PageContext extends QueryContext {
  /** The position of the page. Missing: the first page. */
  readonly pageParam?: ListPosition | undefined;
}

/** When TanStack Query fetches again. If a call costs credits, no mount, focus or reconnect spends a credit again. */
interface Refetching {
  /** `false`: the client already retries a failed call where this is safe. */
  readonly retry: false;
  /** `Infinity` if a call costs credits. */
  readonly staleTime?: number;
  /** `false` if a call costs credits. A failed query has no data, so it is stale whatever `staleTime` is. */
  readonly retryOnMount?: false;
  /** `false` if a call costs credits. */
  readonly refetchOnWindowFocus?: false;
  /** `false` if a call costs credits. */
  readonly refetchOnReconnect?: false;
  /** `false` after an error if a call costs credits: TanStack Query then counts the data as stale. */
  readonly refetchOnMount?: (query: {
    /** The state of the query in the cache. */
    readonly state: {
      /** `pending`, `success` or `error`. */
      readonly status: string;
    };
  }) => boolean;
}

/** Options for `useQuery`, `fetchQuery` and their equivalents. */
export interface QueryOptions<Data> extends Refetching {
  /** The key. It starts with `'social-publishing'`, the resource and the method. */
  readonly queryKey: QueryKey;
  /** Calls the client. */
  readonly queryFn: (context: QueryContext) => Promise<Data>;
}

/** The position of a page in its list: the field of the query that the list continues with. `{}` is the first page. */
export interface ListPosition {
  /** The cursor of the page. */
  readonly after?: string;
  /** The number of items before the page. */
  readonly offset?: number;
  /** The number of items before the page. */
  readonly skip?: number;
  /** The number of the page, from 1. */
  readonly page?: number;
}

/** A page of a list as plain data: it can be stored, and sent from a server to a page. */
export interface ListPage<Item, Response> {
  /** The items of this page. */
  readonly items: Item[];
  /** The whole reply. */
  readonly response: Response;
  /** The position of the next page; `null` after the last one. */
  readonly next: ListPosition | null;
}

/** Options for `useInfiniteQuery`, `fetchInfiniteQuery` and their equivalents. */
export interface InfiniteQueryOptions<Item, Response> extends Refetching {
  /** The key. It starts with `'social-publishing'`, the resource and the method. */
  readonly queryKey: QueryKey;
  /** Fetches one page. */
  readonly queryFn: (context: PageContext) => Promise<ListPage<Item, Response>>;
  /** The position of the first page: where the query itself starts. */
  readonly initialPageParam: ListPosition;
  /** Returns the position of the page after the last one; `null` at the end of the list. */
  readonly getNextPageParam: (
    lastPage: ListPage<Item, Response>,
    allPages: readonly ListPage<Item, Response>[],
    lastPosition: ListPosition,
    allPositions: readonly ListPosition[],
  ) => ListPosition | null;
}

export interface CallToQuery<Input, Result> {
  readonly queryKey: QueryKey;
  readonly endpoint: { readonly credits?: 1 };
  readonly read: (input: Input, options: { readonly signal: AbortSignal | undefined }) => PromiseLike<Result>;
}

/** A call that reads a page of a list: the client returns a list, which resolves to its first page. */
export type PageToQuery<Item, Response> = CallToQuery<ListPosition, Page<Item, Response>>;

export function queryOptions<Data>({ queryKey, endpoint, read }: CallToQuery<undefined, Data>): QueryOptions<Data> {
  return { queryKey, queryFn: async ({ signal }) => read(undefined, { signal }), ...refetchingOf(endpoint) };
}

export function pageOptions<Item, Response>(call: PageToQuery<Item, Response>): QueryOptions<ListPage<Item, Response>> {
  const { queryKey, endpoint, read } = call;
  return queryOptions({
    // Not the key of the infinite query, whose data has another shape.
    queryKey: [...queryKey, 'page'],
    endpoint,
    read: async (_, options) => plainPage(await read({}, options)),
  });
}

export function infiniteOptions<Item, Response>(
  call: PageToQuery<Item, Response>,
): InfiniteQueryOptions<Item, Response> {
  const { queryKey, endpoint, read } = call;
  return {
    queryKey,
    queryFn: async ({ signal, pageParam = {} }) => plainPage(await read(pageParam, { signal })),
    initialPageParam: {},
    getNextPageParam: nextPosition,
    ...refetchingOf(endpoint),
  };
}

function refetchingOf({ credits }: { readonly credits?: 1 }): Refetching {
  if (credits === undefined) return { retry: false };
  return {
    retry: false,
    staleTime: Infinity,
    retryOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchOnMount: ({ state }) => state.status !== 'error',
  };
}

function plainPage<Item, Response>({ items, response, next }: Page<Item, Response>): ListPage<Item, Response> {
  return { items, response, next: next ? positionOf(next) : null };
}

const positions: readonly (keyof ListPosition)[] = ['after', 'offset', 'skip', 'page'];

function positionOf(query: ListPosition): ListPosition {
  const name = positions.find((field) => query[field] !== undefined);
  return name === undefined ? {} : { [name]: query[name] };
}

/** Ends a list with a cycle: each page is a separate call, so the client cannot notice it. */
function nextPosition<Item, Response>(
  { next, items }: ListPage<Item, Response>,
  allPages: readonly ListPage<Item, Response>[],
  _: ListPosition,
  allPositions: readonly ListPosition[],
): ListPosition | null {
  if (next === null) return null;
  const written = JSON.stringify(next);
  if (allPositions.some((position) => JSON.stringify(position) === written)) return null;
  // A service that ignores the position returns the same page forever, and each page may cost a credit.
  const before = allPages.at(-2)?.items;
  const isRepeat = items.length > 0 && JSON.stringify(before) === JSON.stringify(items);
  return isRepeat ? null : next;
}

/**
 * Returns a query as plain data for a key: dates as the strings that the client sends, without fields that are `undefined`.
 * It does not check the query: the call does.
 */
export function plainQuery(schema: z.core.$ZodType, query: unknown): unknown {
  if (typeof query !== 'object' || query === null) return query;
  const written = toWire(schema, ownFields(schema, query));
  // JSON has no bigint, which the call refuses anyway.
  return JSON.parse(
    JSON.stringify(written, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  );
}

/** How `queries.posts.untilFinal` polls: see each option of `posts.waitUntilFinal`. */
export type UntilFinalOptions = Pick<WatchPostsOptions, 'since' | 'pollMs' | 'waitMs' | 'events'>;

/** The used part of the context that TanStack Query passes to the query function of a polled post. */
export interface UntilFinalContext extends QueryContext {
  /** The cache that receives the post after each poll. Only TanStack Query 5 passes it. */
  readonly client?:
    | {
        /** Replaces the cached data of a query. */
        setQueryData(queryKey: QueryKey, data: Post): unknown;
      }
    | undefined;
}

/** Options for a query that polls a post until it is final. */
export interface UntilFinalQueryOptions extends Omit<QueryOptions<Post>, 'queryFn' | 'staleTime'> {
  /** Polls the list. Resolves to the final post. */
  readonly queryFn: (context: UntilFinalContext) => Promise<Post>;
  /** `Infinity` for a final post, which does not change any more; else 0. */
  readonly staleTime: (query: QueryWithPost) => number;
}

/** A query of TanStack Query, as far as `staleTime` reads it. */
export interface QueryWithPost {
  /** The state of the query. */
  readonly state: {
    /** The final post. Missing: it was not fetched yet. */
    readonly data?: Post | undefined;
  };
}

export function untilFinalOptions(
  posts: () => Pick<Posts, 'waitUntilFinal'>,
  post: PostReference,
  options: UntilFinalOptions = {},
): UntilFinalQueryOptions {
  // An instance may have them on its prototype.
  const { since, pollMs, waitMs, events } = options;
  const postId = typeof post === 'string' ? post : post.postId;
  const queryKey: QueryKey = ['social-publishing', 'posts', 'untilFinal', postId];
  return {
    queryKey,
    queryFn: ({ signal, client }) =>
      posts().waitUntilFinal(post, {
        ...options,
        since,
        pollMs,
        waitMs,
        events,
        signal,
        onUpdate: (seen) => {
          client?.setQueryData(queryKey, seen);
        },
      }),
    retry: false,
    staleTime: ({ state }) => (isFinalStatus(state.data?.status) ? Infinity : 0),
  };
}
