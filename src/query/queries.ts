import type { Endpoint } from '../core/call/endpoint.js';
import { postEndpoints, withPlatforms, type ListPostsQuery, type Posts } from '../posts/posts.js';
import type { PostReference } from '../posts/watch-posts.js';
import {
  analyticsEndpoints,
  type Analytics,
  type GetInstagramInsightsQuery,
  type GetPostAnalyticsQuery,
  type ListPostAnalyticsQuery,
} from '../resources/analytics.js';
import {
  automationEndpoints,
  type Automations,
  type ListAutomationLogsQuery,
  type ListAutomationsQuery,
  type ListEligiblePostsQuery,
} from '../resources/automations.js';
import { ownFields } from '../schema/wire.js';
import { commentEndpoints, type Comments, type ListCommentsQuery } from '../resources/comments.js';
import { integrationEndpoints, type Integrations, type ListIntegrationsQuery } from '../resources/integrations.js';
import {
  messageEndpoints,
  type ListConversationsQuery,
  type ListMessagesQuery,
  type Messages,
} from '../resources/messages.js';
import {
  infiniteOptions,
  pageOptions,
  plainQuery,
  queryOptions,
  untilFinalOptions,
  type CallToQuery,
  type InfiniteQueryOptions,
  type ListPage,
  type ListPosition,
  type PageToQuery,
  type QueryOptions,
  type UntilFinalOptions,
} from './options.js';

/** The source of `createQueries`: a client, or an object with its resources. */
export interface QueryClientSource {
  /** Reads posts. */
  readonly posts: Pick<Posts, 'list' | 'waitUntilFinal'>;
  /** Reads comments. */
  readonly comments: Pick<Comments, 'list'>;
  /** Reads conversations and messages. */
  readonly messages: Pick<Messages, 'list' | 'listConversations'>;
  /** Reads automations and their logs. */
  readonly automations: Pick<Automations, 'list' | 'listEligiblePosts' | 'listLogs'>;
  /** Reads analytics. Every call costs credits. */
  readonly analytics: Pick<Analytics, 'getPost' | 'listPosts' | 'getInstagramInsights'>;
  /** Reads connected accounts. */
  readonly integrations: Pick<Integrations, 'list' | 'get'>;
}

/** The queries of a list method. The function itself returns options for `useInfiniteQuery`. */
export interface ListQueries<Arguments extends readonly unknown[], Item, Response> {
  /** Returns options that read the list page by page. The arguments are the same as for the client's method. */
  (...args: Arguments): InfiniteQueryOptions<Item, Response>;
  /** Returns options for `useQuery` that read one page: the first one, or the page that the query names. */
  page(...args: Arguments): QueryOptions<ListPage<Item, Response>>;
}

/** The queries of all resources that can be read. */
export type Queries = ReturnType<typeof createQueries>;

/**
 * Creates the options of TanStack Query for every operation that reads: `queries.<resource>.<method>(...)` takes the arguments
 * of the client's method. A list method returns options for `useInfiniteQuery`; its `page` returns options for `useQuery`
 * that read one page. It sends nothing.
 *
 * Keys start with `['social-publishing', resource, method]`. They contain the arguments as plain data, and never the access
 * key. The options set `retry: false`, because the client already retries. While a query that costs credits is in the cache,
 * no mount, focus or reconnect spends a credit again, also after an error.
 *
 * In a web page, use a client with `accessKey: null` and a proxy that adds the key.
 *
 * @example
 * ```ts
 * const queries = createQueries(client);
 * const integration = await queryClient.fetchQuery(queries.integrations.get('integration_1'));
 * const posts = await queryClient.fetchInfiniteQuery(queries.posts.list({ status: 'scheduled' }));
 * ```
 * @param client the client, or an object with its resources
 */
export function createQueries(client: QueryClientSource) {
  return {
    /** Queries of posts. */
    posts: postQueries(client),
    /** Queries of comments. */
    comments: commentQueries(client),
    /** Queries of direct messages. */
    messages: messageQueries(client),
    /** Queries of comment automations. */
    automations: automationQueries(client),
    /** Queries of analytics. Every fetch costs credits, so nothing fetches again unless you invalidate or refetch. */
    analytics: analyticsQueries(client),
    /** Queries of connected accounts. */
    integrations: integrationQueries(client),
  };
}

/** Makes both forms of a list's options from the call that reads a page. */
function listQueries<Arguments extends readonly unknown[], Item, Response>(
  callOf: (...args: Arguments) => PageToQuery<Item, Response>,
): ListQueries<Arguments, Item, Response> {
  return Object.assign((...args: Arguments) => infiniteOptions(callOf(...args)), {
    page: (...args: Arguments) => pageOptions(callOf(...args)),
  });
}

/**
 * Describes a call, all but its `read`.
 * @param name the resource, the method, and the IDs among the arguments
 */
function callOf(
  name: readonly [resource: string, method: string, ...ids: string[]],
  endpoint: Pick<Endpoint, 'query' | 'credits'>,
  query?: object,
): Omit<CallToQuery<never, never>, 'read'> {
  const input = endpoint.query === undefined ? [] : [plainQuery(endpoint.query(), query)];
  return { queryKey: ['social-publishing', ...name, ...input], endpoint };
}

/** Adds a position to a query. It can be an instance, and `{ ...query }` would drop its getters. */
function at<Query extends object>(endpoint: Pick<Endpoint, 'query'>, query: Query, position: ListPosition) {
  return { ...(endpoint.query === undefined ? query : ownFields(endpoint.query(), query)), ...position };
}

function postQueries(client: QueryClientSource) {
  return {
    /** See `posts.list` of the client. */
    list: listQueries((query: ListPostsQuery = {}) => ({
      ...callOf(['posts', 'list'], postEndpoints.list, withPlatforms(query)),
      read: (position, options) => client.posts.list(at(postEndpoints.list, query, position), options),
    })),
    /**
     * Polls a post until it is `published`, `partial` or `failed`, as `posts.waitUntilFinal` of the client does. Meanwhile
     * `data` is the post as last seen, and `isFetching` is true. A final post is never fetched again.
     *
     * @param post its ID, the reply to its create, or a listed post
     * @param options `waitMs` (default 10 minutes), `pollMs`, `since` and `events`. They are not part of the key.
     */
    untilFinal: (post: PostReference, options?: UntilFinalOptions) =>
      untilFinalOptions(() => client.posts, post, options),
  };
}

function commentQueries(client: QueryClientSource) {
  return {
    /** See `comments.list` of the client. */
    list: listQueries((query: ListCommentsQuery) => ({
      ...callOf(['comments', 'list'], commentEndpoints.list, query),
      read: (position, options) => client.comments.list(at(commentEndpoints.list, query, position), options),
    })),
  };
}

function messageQueries(client: QueryClientSource) {
  const { list, listConversations } = messageEndpoints;
  return {
    /** See `messages.listConversations` of the client. */
    listConversations: listQueries((query: ListConversationsQuery) => ({
      ...callOf(['messages', 'listConversations'], listConversations, query),
      read: (position, options) => client.messages.listConversations(at(listConversations, query, position), options),
    })),
    /** See `messages.list` of the client. */
    list: listQueries((conversationId: string, query: ListMessagesQuery) => ({
      ...callOf(['messages', 'list', conversationId], list, query),
      read: (position, options) => client.messages.list(conversationId, at(list, query, position), options),
    })),
  };
}

function automationQueries(client: QueryClientSource) {
  const { list, listEligiblePosts, listLogs } = automationEndpoints;
  return {
    /** See `automations.list` of the client. The list has no pages. */
    list: (query: ListAutomationsQuery = {}) =>
      queryOptions({
        ...callOf(['automations', 'list'], list, query),
        read: (_, options) => client.automations.list(query, options),
      }),
    /** See `automations.listEligiblePosts` of the client. */
    listEligiblePosts: listQueries((query: ListEligiblePostsQuery) => ({
      ...callOf(['automations', 'listEligiblePosts'], listEligiblePosts, query),
      read: (position, options) =>
        client.automations.listEligiblePosts(at(listEligiblePosts, query, position), options),
    })),
    /** See `automations.listLogs` of the client. */
    listLogs: listQueries((automationId: string, query: ListAutomationLogsQuery = {}) => ({
      ...callOf(['automations', 'listLogs', automationId], listLogs, query),
      read: (position, options) => client.automations.listLogs(automationId, at(listLogs, query, position), options),
    })),
  };
}

function analyticsQueries(client: QueryClientSource) {
  const { getPost, listPosts, getInstagramInsights } = analyticsEndpoints;
  return {
    /** See `analytics.getPost` of the client. A fetch costs 1 credit. */
    getPost: (postId: string, query: GetPostAnalyticsQuery = {}) =>
      queryOptions({
        ...callOf(['analytics', 'getPost', postId], getPost, query),
        read: (_, options) => client.analytics.getPost(postId, query, options),
      }),
    /** See `analytics.listPosts` of the client. Each page costs 1 credit; a refetch fetches every loaded page again. */
    listPosts: listQueries((query: ListPostAnalyticsQuery = {}) => ({
      ...callOf(['analytics', 'listPosts'], listPosts, query),
      read: (position, options) => client.analytics.listPosts(at(listPosts, query, position), options),
    })),
    /** See `analytics.getInstagramInsights` of the client. A fetch costs 1 credit if it succeeds. */
    getInstagramInsights: (query: GetInstagramInsightsQuery) =>
      queryOptions({
        ...callOf(['analytics', 'getInstagramInsights'], getInstagramInsights, query),
        read: (_, options) => client.analytics.getInstagramInsights(query, options),
      }),
  };
}

function integrationQueries(client: QueryClientSource) {
  const { list, get } = integrationEndpoints;
  return {
    /** See `integrations.list` of the client. */
    list: listQueries((query: ListIntegrationsQuery = {}) => ({
      ...callOf(['integrations', 'list'], list, query),
      read: (position, options) => client.integrations.list(at(list, query, position), options),
    })),
    /** See `integrations.get` of the client. */
    get: (integrationId: string) =>
      queryOptions({
        ...callOf(['integrations', 'get', integrationId], get),
        read: (_, options) => client.integrations.get(integrationId, options),
      }),
  };
}
