import type { ListReply } from '../pagination/page.js';
import * as z from 'zod/mini';
import { endpoint, listEndpoint } from '../core/call/endpoint.js';
import { Resource, type RequestOptions } from '../core/call/transport.js';
import { Paginator, type PaginatorOptions } from '../pagination/paginator.js';
import { carryResponse } from '../core/call/response.js';
import * as s from '../schema/fields.js';
import { knownPlatforms, type Platform } from '../model/known-values.js';

/** The trigger of an automation (Comment automation). */
export interface AutomationTrigger {
  /** The posts that it watches. `any` is documented; other values are not. */
  postScope?: 'any' | (string & {}) | undefined;
  /** The watched post's ID on the platform. Missing: it is not bound to one. */
  platformPostId?: string | undefined;
  /** The watched post's address. Missing: it is not bound to one. */
  postPermalink?: string | undefined;
  /** The watched post's ID at the service. Missing: it is not bound to one. */
  postId?: string | undefined;
  /** The keywords that start it. */
  keywords?: string[] | undefined;
  /** How a keyword must match. `exact` is documented; other values are not. */
  matchMode?: 'exact' | (string & {}) | undefined;
  /** A comment with one of these keywords does not start the automation. */
  excludeKeywords?: string[] | undefined;
}

/** The actions of an automation (Comment automation). */
export interface AutomationActions {
  /** The public replies. The API document does not say how the service chooses one. */
  publicReplies?: string[] | undefined;
  /** The direct message that it sends. */
  dmMessage?: string | undefined;
}

/** The results of an automation so far (Comment automation). */
export interface AutomationStats {
  /** How often it was triggered. */
  triggered?: number | undefined;
  /** How often it succeeded. */
  succeeded?: number | undefined;
  /** How often it failed. */
  failed?: number | undefined;
  /** When it last ran, an ISO 8601 date-time. Missing: never. */
  lastRunAt?: string | undefined;
  /** The last error. Missing: no error. */
  lastError?: string | undefined;
}

/** A comment automation: it answers keyword comments in public and by direct message (Comment automation). */
export interface Automation {
  /** The automation's ID. */
  id: string;
  /** The integration's ID. */
  accountId?: string | undefined;
  /** The account's platform. */
  platform?: Platform | undefined;
  /** The name that its owner chose. */
  name?: string | undefined;
  /** `active` is documented; other values are not. */
  status?: 'active' | (string & {}) | undefined;
  /** Its trigger. */
  trigger?: AutomationTrigger | undefined;
  /** Its actions. */
  actions?: AutomationActions | undefined;
  /** Its results so far. */
  stats?: AutomationStats | undefined;
  /** When it was created, an ISO 8601 date-time. */
  createdAt?: string | undefined;
  /** When it was last changed, an ISO 8601 date-time. */
  updatedAt?: string | undefined;
}

/** One run of an automation (Comment automation, log entry). */
export interface AutomationLog {
  /** The entry's ID. */
  id: string;
  /** The ID of the comment that started the run. */
  commentId?: string | undefined;
  /** The ID of the comment's author. */
  commenterId?: string | undefined;
  /** The name of the comment's author. */
  commenterName?: string | undefined;
  /** The comment's text. */
  commentText?: string | undefined;
  /** The ID of the commented post on the platform. */
  platformPostId?: string | undefined;
  /** `running` is documented; other values are not. */
  status?: 'running' | (string & {}) | undefined;
  /** Whether the direct message was sent. */
  privateReplySent?: boolean | undefined;
  /** The status of the public reply. `sent` is documented; other values are not. */
  publicReplyStatus?: 'sent' | (string & {}) | undefined;
  /** The error. Missing: no error. */
  error?: string | undefined;
  /** When the run began, an ISO 8601 date-time. */
  createdAt?: string | undefined;
}

/** An Instagram post that an automation can watch (Automation-eligible post). */
export interface EligiblePost {
  /** The post's ID on the platform. */
  id: string;
  /** The caption. */
  caption?: string | undefined;
  /** The kind of media. Its values are not documented. */
  mediaType?: string | undefined;
  /** The post's address. */
  permalink?: string | undefined;
  /** The URL of a preview image. */
  previewUrl?: string | undefined;
  /** When it was posted, an ISO 8601 date-time. */
  timestamp?: string | undefined;
}

/**
 * A new automation (POST /v1/comment-automations/). The document does not say which fields are required, and whether
 * `matchMode`, `excludeKeywords` and similar fields are accepted; try them through `extraBody`.
 */
export interface CreateAutomationBody {
  /** The integration's ID. */
  accountId?: string | undefined;
  /** A name for it. */
  name?: string | undefined;
  /** Which posts it watches. `any` is the only documented value; send others through `extraBody`. */
  postScope?: 'any' | undefined;
  /** The keywords that start it. */
  keywords?: readonly string[] | undefined;
  /** The public replies. */
  publicReplies?: readonly string[] | undefined;
  /** The direct message to send. */
  dmMessage?: string | undefined;
}

/** The filters of `automations.list` (GET /v1/comment-automations/). */
export interface ListAutomationsQuery {
  /** Only automations of this integration. */
  accountId?: string | undefined;
}

/** Which posts `automations.listEligiblePosts` reads (GET /v1/comment-automations/posts). */
export interface ListEligiblePostsQuery {
  /** The integration's ID. */
  accountId: string;
  /** A cursor from an earlier reply's `nextCursor`, at least 1 character. */
  after?: string | undefined;
}

/** A page of posts that an automation can watch (GET /v1/comment-automations/posts). */
export interface ListEligiblePostsResponse extends ListReply<ListEligiblePostsQuery> {
  /** The posts of this page. How many a page holds is not documented. */
  posts: EligiblePost[];
  /** The cursor of the next page. Missing or empty: this is the last one. */
  nextCursor?: string | undefined;
}

/** Which log entries `automations.listLogs` reads (GET /v1/comment-automations/{id}/logs). */
export interface ListAutomationLogsQuery {
  /** Only runs in this status. Its values are not documented. */
  status?: string | undefined;
  /** Entries in a page, 1 to 100. The default is not documented. */
  limit?: number | undefined;
  /** The number of entries to skip, 0 or more. */
  skip?: number | undefined;
}

/** The position of a page of logs in all logs (GET /v1/comment-automations/{id}/logs). */
export interface LogPagination {
  /** The total number of entries. */
  total?: number | undefined;
  /** Entries in a page. */
  limit?: number | undefined;
  /** The number of skipped entries. */
  skip?: number | undefined;
  /** Whether there are more. */
  hasMore?: boolean | undefined;
}

/** A page of an automation's log (GET /v1/comment-automations/{id}/logs). */
export interface ListAutomationLogsResponse extends ListReply<ListAutomationLogsQuery> {
  /** The entries of this page. Their order is not documented. */
  logs: AutomationLog[];
  /** The position of the page in all logs. */
  pagination?: LogPagination | undefined;
}

export const automationSchema = s.once(() =>
  s.reply({
    id: s.id(),
    accountId: s.optionalString(),
    platform: s.optional(s.open(knownPlatforms)),
    name: s.optionalString(),
    status: s.optional(s.open(['active'])),
    trigger: s.optional(
      s.reply({
        postScope: s.optional(s.open(['any'])),
        platformPostId: s.optionalString(),
        postPermalink: s.optionalString(),
        postId: s.optionalString(),
        keywords: s.optionalStrings(),
        matchMode: s.optional(s.open(['exact'])),
        excludeKeywords: s.optionalStrings(),
      }),
    ),
    actions: s.optional(s.reply({ publicReplies: s.optionalStrings(), dmMessage: s.optionalString() })),
    stats: s.optional(
      s.reply({
        triggered: s.optionalInteger(),
        succeeded: s.optionalInteger(),
        failed: s.optionalInteger(),
        lastRunAt: s.optionalReplyDateTime(),
        lastError: s.optionalString(),
      }),
    ),
    createdAt: s.optionalReplyDateTime(),
    updatedAt: s.optionalReplyDateTime(),
  }),
);

export const automationLogSchema = s.once(() =>
  s.reply({
    id: z.string(),
    commentId: s.optionalString(),
    commenterId: s.optionalString(),
    commenterName: s.optionalString(),
    commentText: s.optionalString(),
    platformPostId: s.optionalString(),
    status: s.optional(s.open(['running'])),
    privateReplySent: s.optionalBoolean(),
    publicReplyStatus: s.optional(s.open(['sent'])),
    error: s.optionalString(),
    createdAt: s.optionalReplyDateTime(),
  }),
);

export const eligiblePostSchema = s.once(() =>
  s.reply({
    id: z.string(),
    caption: s.optionalString(),
    mediaType: s.optionalString(),
    permalink: s.optionalString(),
    previewUrl: s.optionalString(),
    timestamp: s.optionalReplyDateTime(),
  }),
);

export const createAutomationBodySchema = s.once(() =>
  z.strictObject({
    accountId: z.optional(s.id()),
    name: s.optionalString(),
    postScope: z.optional(s.oneOf(['any'])),
    keywords: s.optionalStrings(),
    publicReplies: s.optionalStrings(),
    dmMessage: s.optionalString(),
  }),
);

export const automationResponseSchema = s.once(() => s.envelope({ automation: automationSchema() }));

export const listAutomationsQuerySchema = s.once(() => z.strictObject({ accountId: z.optional(s.id()) }));

export const listAutomationsResponseSchema = s.once(() => s.envelope({ automations: z.array(automationSchema()) }));

export const listEligiblePostsQuerySchema = s.once(() =>
  z.strictObject({ accountId: s.id(), after: z.optional(s.text()) }),
);

export const listEligiblePostsResponseSchema = s.once(() =>
  s.envelope({ posts: z.array(eligiblePostSchema()), nextCursor: s.optionalString() }),
);

export const listAutomationLogsQuerySchema = s.once(() =>
  z.strictObject({ status: s.optionalString(), limit: s.optionalLimit(), skip: s.optionalFromZero() }),
);

export const listAutomationLogsResponseSchema = s.once(() =>
  s.envelope({
    logs: z.array(automationLogSchema()),
    pagination: s.optional(
      s.reply({
        total: s.optionalInteger(),
        limit: s.optionalInteger(),
        skip: s.optionalInteger(),
        hasMore: s.optionalBoolean(),
      }),
    ),
  }),
);

export const automationEndpoints = {
  create: endpoint({
    route: 'POST /v1/comment-automations/',
    summary: 'Creates an automation that answers keyword comments.',
    body: createAutomationBodySchema,
    response: automationResponseSchema,
    retry: 'once',
  }),
  list: endpoint({
    route: 'GET /v1/comment-automations/',
    summary: 'Lists the automations.',
    query: listAutomationsQuerySchema,
    response: listAutomationsResponseSchema,
    retry: 'repeatable',
  }),
  listEligiblePosts: listEndpoint({
    route: 'GET /v1/comment-automations/posts',
    summary: 'Lists the posts of an account that an automation can watch.',
    query: listEligiblePostsQuerySchema,
    response: listEligiblePostsResponseSchema,
    retry: 'repeatable',
    list: { style: 'cursor', items: 'posts', itemId: 'id', next: 'nextCursor' },
  }),
  listLogs: listEndpoint({
    route: 'GET /v1/comment-automations/{id}/logs',
    summary: 'Lists the runs of an automation.',
    params: { id: { description: "The automation's ID." } },
    query: listAutomationLogsQuerySchema,
    response: listAutomationLogsResponseSchema,
    retry: 'repeatable',
    list: { style: 'skip', items: 'logs', itemId: 'id', pagination: 'pagination' },
  }),
};

/** Comment automations and their logs. A plain object can implement it in tests. */
export interface Automations extends Pick<AutomationsResource, keyof AutomationsResource> {}

/** Comment automations: public replies and a direct message to comments with a keyword. */
export class AutomationsResource extends Resource {
  /**
   * Creates an automation that answers keyword comments, and resolves to it. It is never retried once it may have
   * reached the service: see `error.outcome`.
   *
   * API document: Comment automations, POST /v1/comment-automations/.
   *
   * @example
   * ```ts
   * const automation = await client.automations.create({
   *   accountId,
   *   name: 'Price list',
   *   postScope: 'any',
   *   keywords: ['price'],
   *   dmMessage: 'Here is our price list: https://example.com/prices',
   * });
   * ```
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   * @throws {@link ApiError} the service refused
   */
  async create(body: CreateAutomationBody, options?: RequestOptions): Promise<Automation> {
    const response = await this.transport.call(automationEndpoints.create, { body }, options);
    return carryResponse(response, response.automation);
  }

  /**
   * Resolves to all automations, or to the automations of one account. The list has no pages.
   *
   * API document: Comment automations, GET /v1/comment-automations/.
   *
   * @example
   * ```ts
   * const automations = await client.automations.list({ accountId });
   * ```
   */
  async list(query: ListAutomationsQuery = {}, options?: RequestOptions): Promise<Automation[]> {
    const response = await this.transport.call(automationEndpoints.list, { query }, options);
    for (const automation of response.automations) carryResponse(response, automation);
    return carryResponse(response, response.automations);
  }

  /**
   * Lists the posts of an account that an automation can watch.
   *
   * API document: Comment automations, GET /v1/comment-automations/posts.
   *
   * @example
   * ```ts
   * const posts = await client.automations.listEligiblePosts({ accountId }).toArray({ maxItems: 50 });
   * ```
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   */
  listEligiblePosts(
    query: ListEligiblePostsQuery,
    options?: RequestOptions & PaginatorOptions,
  ): Paginator<EligiblePost, ListEligiblePostsResponse> {
    return Paginator.of(this.transport, automationEndpoints.listEligiblePosts, { query }, options);
  }

  /**
   * Lists the runs of an automation.
   *
   * API document: Comment automations, GET /v1/comment-automations/{id}/logs.
   *
   * @example
   * ```ts
   * for await (const log of client.automations.listLogs(automationId)) console.log(log.commentText, log.status);
   * ```
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   */
  listLogs(
    automationId: string,
    query: ListAutomationLogsQuery = {},
    options?: RequestOptions & PaginatorOptions,
  ): Paginator<AutomationLog, ListAutomationLogsResponse> {
    return Paginator.of(this.transport, automationEndpoints.listLogs, { params: { id: automationId }, query }, options);
  }
}
