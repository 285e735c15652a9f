import type {
  GetInstagramInsightsQuery,
  GetPostAnalyticsQuery,
  InstagramInsights,
  ListPostAnalyticsQuery,
  ListPostAnalyticsResponse,
  PostAnalytics,
} from '../resources/analytics.js';
import type {
  Automation,
  AutomationLog,
  EligiblePost,
  ListAutomationLogsQuery,
  ListAutomationLogsResponse,
  ListAutomationsQuery,
  ListEligiblePostsQuery,
  ListEligiblePostsResponse,
} from '../resources/automations.js';
import type { ListCommentsQuery, ListCommentsResponse, PostComment } from '../resources/comments.js';
import type {
  Integration,
  IntegrationDetail,
  ListIntegrationsQuery,
  ListIntegrationsResponse,
} from '../resources/integrations.js';
import type { Analytics, Automations, Comments, Integrations, Messages, Posts } from '../resources/interfaces.js';
import type {
  Conversation,
  ListConversationsQuery,
  ListConversationsResponse,
  ListMessagesQuery,
  ListMessagesResponse,
  Message,
} from '../resources/messages.js';
import type { ListPostsQuery, ListPostsResponse, Post } from '../posts/post-shapes.js';
import type { PostReference } from '../posts/watch-posts.js';
import type { InfiniteQueryOptions, ListPage, QueryOptions } from './options.js';
import type { UntilFinalOptions, UntilFinalQueryOptions } from './until-final.js';

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

/** Queries of posts. */
export interface PostQueries {
  /** See `posts.list` of the client. */
  readonly list: ListQueries<[query?: ListPostsQuery], Post, ListPostsResponse>;
  /**
   * Polls a post until it is `published`, `partial` or `failed`, as `posts.waitUntilFinal` of the client does. Meanwhile `data`
   * is the post as last seen, and `isFetching` is true. A final post is never fetched again.
   *
   * @param post its ID, the reply to its create, or a listed post
   * @param options `waitMs` (default 10 minutes), `pollMs`, `since` and `events`. They are not part of the key.
   */
  untilFinal(post: PostReference, options?: UntilFinalOptions): UntilFinalQueryOptions;
}

/** Queries of comments. */
export interface CommentQueries {
  /** See `comments.list` of the client. */
  readonly list: ListQueries<[query: ListCommentsQuery], PostComment, ListCommentsResponse>;
}

/** Queries of direct messages. */
export interface MessageQueries {
  /** See `messages.listConversations` of the client. */
  readonly listConversations: ListQueries<[query: ListConversationsQuery], Conversation, ListConversationsResponse>;
  /** See `messages.list` of the client. */
  readonly list: ListQueries<[conversationId: string, query: ListMessagesQuery], Message, ListMessagesResponse>;
}

/** Queries of comment automations. */
export interface AutomationQueries {
  /** See `automations.list` of the client. The list has no pages. */
  list(query?: ListAutomationsQuery): QueryOptions<Automation[]>;
  /** See `automations.listEligiblePosts` of the client. */
  readonly listEligiblePosts: ListQueries<[query: ListEligiblePostsQuery], EligiblePost, ListEligiblePostsResponse>;
  /** See `automations.listLogs` of the client. */
  readonly listLogs: ListQueries<
    [automationId: string, query?: ListAutomationLogsQuery],
    AutomationLog,
    ListAutomationLogsResponse
  >;
}

/** Queries of analytics. Every fetch costs credits, so nothing fetches again unless you invalidate or refetch. */
export interface AnalyticsQueries {
  /** See `analytics.getPost` of the client. A fetch costs 1 credit. */
  getPost(postId: string, query?: GetPostAnalyticsQuery): QueryOptions<PostAnalytics>;
  /** See `analytics.listPosts` of the client. Each page costs 1 credit; a refetch fetches every loaded page again. */
  readonly listPosts: ListQueries<[query?: ListPostAnalyticsQuery], PostAnalytics, ListPostAnalyticsResponse>;
  /** See `analytics.getInstagramInsights` of the client. A fetch costs 1 credit if it succeeds. */
  getInstagramInsights(query: GetInstagramInsightsQuery): QueryOptions<InstagramInsights>;
}

/** Queries of connected accounts. */
export interface IntegrationQueries {
  /** See `integrations.list` of the client. */
  readonly list: ListQueries<[query?: ListIntegrationsQuery], Integration, ListIntegrationsResponse>;
  /** See `integrations.get` of the client. */
  get(integrationId: string): QueryOptions<IntegrationDetail>;
}

/** The queries of all resources that can be read. */
export interface Queries {
  /** Queries of posts. */
  readonly posts: PostQueries;
  /** Queries of comments. */
  readonly comments: CommentQueries;
  /** Queries of direct messages. */
  readonly messages: MessageQueries;
  /** Queries of comment automations. */
  readonly automations: AutomationQueries;
  /** Queries of analytics. Every fetch costs credits. */
  readonly analytics: AnalyticsQueries;
  /** Queries of connected accounts. */
  readonly integrations: IntegrationQueries;
}
