import { isFinalStatus } from '../model/known-values.js';
import type { Posts } from '../resources/interfaces.js';
import type { Post } from '../posts/post-shapes.js';
import type { PostReference, WatchPostsOptions } from '../posts/watch-posts.js';
import type { QueryContext, QueryOptions, QueryKey } from './options.js';

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
  const postId = typeof post === 'string' ? post : post.postId;
  const queryKey: QueryKey = ['social-publishing', 'posts', 'untilFinal', postId];
  return {
    queryKey,
    queryFn: ({ signal, client }) =>
      posts().waitUntilFinal(post, {
        ...options,
        signal,
        onUpdate: (seen) => {
          client?.setQueryData(queryKey, seen);
        },
      }),
    retry: false,
    staleTime: ({ state }) => (isFinalStatus(state.data?.status) ? Infinity : 0),
  };
}
