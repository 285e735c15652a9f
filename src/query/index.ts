/**
 * Options for TanStack Query.
 *
 * @packageDocumentation
 */
export { createQueries } from './create-queries.js';
export type { QueryKey } from './options.js';
export type {
  InfiniteQueryOptions,
  ListPage,
  ListPosition,
  PageContext,
  QueryContext,
  QueryOptions,
} from './options.js';
export type {
  AnalyticsQueries,
  AutomationQueries,
  CommentQueries,
  IntegrationQueries,
  ListQueries,
  MessageQueries,
  PostQueries,
  Queries,
  QueryClientSource,
} from './queries.js';
export type { QueryWithPost, UntilFinalContext, UntilFinalOptions, UntilFinalQueryOptions } from './until-final.js';
