import { analyticsEndpoints } from '../resources/analytics.js';
import { automationEndpoints } from '../resources/automations.js';
import { commentEndpoints } from '../resources/comments.js';
import { integrationEndpoints } from '../resources/integrations.js';
import { messageEndpoints } from '../resources/messages.js';
import { postEndpoints, type ListPostsQuery } from '../posts/posts.js';
import type { Endpoint } from '../core/call/endpoint.js';
import {
  infiniteOptions,
  pageOptions,
  plainQuery,
  queryOptions,
  type CallToQuery,
  type PageToQuery,
} from './options.js';
import type {
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
import { untilFinalOptions } from './until-final.js';

/**
 * Creates the options of TanStack Query for every operation that reads: `queries.<resource>.<method>(...)` takes the arguments
 * of the client's method. A list method returns options for `useInfiniteQuery`; its `page` returns options for `useQuery`
 * that read one page. It sends nothing.
 *
 * Keys start with `['social-publishing', resource, method]`. They contain the arguments as plain data, and never the access
 * key. The options set `retry: false`, because the client already retries. Queries that cost credits set
 * `staleTime: Infinity`, so that only an invalidation or `refetch()` spends a credit again.
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
export function createQueries(client: QueryClientSource): Queries {
  return {
    posts: postQueries(client),
    comments: commentQueries(client),
    messages: messageQueries(client),
    automations: automationQueries(client),
    analytics: analyticsQueries(client),
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

/** One platform is sent as a list of one. */
function withPlatforms(query: ListPostsQuery): ListPostsQuery {
  // A caller without types may pass null, which the call refuses.
  const platform = (query as ListPostsQuery | null)?.platform;
  return typeof platform === 'string' ? { ...query, platform: [platform] } : query;
}

function postQueries(client: QueryClientSource): PostQueries {
  return {
    list: listQueries((query = {}) => ({
      ...callOf(['posts', 'list'], postEndpoints.list, withPlatforms(query)),
      read: (position, options) => client.posts.list({ ...query, ...position }, options),
    })),
    untilFinal: (post, options) => untilFinalOptions(() => client.posts, post, options),
  };
}

function commentQueries(client: QueryClientSource): CommentQueries {
  return {
    list: listQueries((query) => ({
      ...callOf(['comments', 'list'], commentEndpoints.list, query),
      read: (position, options) => client.comments.list({ ...query, ...position }, options),
    })),
  };
}

function messageQueries(client: QueryClientSource): MessageQueries {
  const { list, listConversations } = messageEndpoints;
  return {
    listConversations: listQueries((query) => ({
      ...callOf(['messages', 'listConversations'], listConversations, query),
      read: (position, options) => client.messages.listConversations({ ...query, ...position }, options),
    })),
    list: listQueries((conversationId, query) => ({
      ...callOf(['messages', 'list', conversationId], list, query),
      read: (position, options) => client.messages.list(conversationId, { ...query, ...position }, options),
    })),
  };
}

function automationQueries(client: QueryClientSource): AutomationQueries {
  const { list, listEligiblePosts, listLogs } = automationEndpoints;
  return {
    list: (query = {}) =>
      queryOptions({
        ...callOf(['automations', 'list'], list, query),
        read: (_, options) => client.automations.list(query, options),
      }),
    listEligiblePosts: listQueries((query) => ({
      ...callOf(['automations', 'listEligiblePosts'], listEligiblePosts, query),
      read: (position, options) => client.automations.listEligiblePosts({ ...query, ...position }, options),
    })),
    listLogs: listQueries((automationId, query = {}) => ({
      ...callOf(['automations', 'listLogs', automationId], listLogs, query),
      read: (position, options) => client.automations.listLogs(automationId, { ...query, ...position }, options),
    })),
  };
}

function analyticsQueries(client: QueryClientSource): AnalyticsQueries {
  const { getPost, listPosts, getInstagramInsights } = analyticsEndpoints;
  return {
    getPost: (postId, query = {}) =>
      queryOptions({
        ...callOf(['analytics', 'getPost', postId], getPost, query),
        read: (_, options) => client.analytics.getPost(postId, query, options),
      }),
    listPosts: listQueries((query = {}) => ({
      ...callOf(['analytics', 'listPosts'], listPosts, query),
      read: (position, options) => client.analytics.listPosts({ ...query, ...position }, options),
    })),
    getInstagramInsights: (query) =>
      queryOptions({
        ...callOf(['analytics', 'getInstagramInsights'], getInstagramInsights, query),
        read: (_, options) => client.analytics.getInstagramInsights(query, options),
      }),
  };
}

function integrationQueries(client: QueryClientSource): IntegrationQueries {
  const { list, get } = integrationEndpoints;
  return {
    list: listQueries((query = {}) => ({
      ...callOf(['integrations', 'list'], list, query),
      read: (position, options) => client.integrations.list({ ...query, ...position }, options),
    })),
    get: (integrationId) =>
      queryOptions({
        ...callOf(['integrations', 'get', integrationId], get),
        read: (_, options) => client.integrations.get(integrationId, options),
      }),
  };
}
