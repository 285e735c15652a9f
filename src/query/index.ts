/**
 * Options for TanStack Query.
 *
 * @packageDocumentation
 */
export { createQueries, type ListQueries, type Queries, type QueryClientSource } from './queries.js';
export type {
  InfiniteQueryOptions,
  ListPage,
  ListPosition,
  PageContext,
  QueryContext,
  QueryKey,
  QueryOptions,
  QueryWithPost,
  UntilFinalContext,
  UntilFinalOptions,
  UntilFinalQueryOptions,
} from './options.js';
