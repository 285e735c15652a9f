import type { ListReply } from '../pagination/page.js';
import * as z from 'zod/mini';
import { endpoint, listEndpoint } from '../core/call/endpoint.js';
import { Resource, type RequestOptions } from '../core/call/transport.js';
import { Paginator, type PaginatorOptions } from '../pagination/paginator.js';
import { carryResponse } from '../core/call/response.js';
import { checkDateRange } from '../schema/date-range.js';
import * as s from '../schema/fields.js';
import { ownFields } from '../schema/wire.js';
import { knownPlatforms, type KnownPlatform, type Platform } from '../model/known-values.js';
import type { DateInput } from '../schema/fields.js';
import {
  getInstagramInsightsQuerySchema,
  insightsOver,
  instagramInsightsEndpoint,
  planInsights,
  withMetricsText,
  type GetInstagramInsightsQuery,
  type InstagramInsights,
  type InstagramInsightsPlan,
} from './instagram-insights.js';

export * from './instagram-insights.js';

/** Metrics of a post. A metric that its platform doesn't return is missing, never 0 (Analytics objects). */
export interface PostMetrics {
  /** The number of times that it was shown. */
  impressions?: number | undefined;
  /** The number of accounts that saw it. */
  reach?: number | undefined;
  /** Likes. */
  likes?: number | undefined;
  /** Comments. */
  comments?: number | undefined;
  /** Shares. */
  shares?: number | undefined;
  /** Saves. */
  saves?: number | undefined;
  /** Clicks. */
  clicks?: number | undefined;
  /** Views. */
  views?: number | undefined;
  /** Engagement rate. Whether it is a percentage or a fraction is not documented. */
  engagementRate?: number | undefined;
  /** Average watch time. Its unit is not documented. */
  avgWatchTime?: number | undefined;
  /** Total watch time. Its unit is not documented. */
  totalWatchTime?: number | undefined;
  /** Skip rate. Whether it is a percentage or a fraction is not documented. */
  skipRate?: number | undefined;
}

/** A metric of a post (Analytics objects). */
export type PostMetric = keyof PostMetrics;

/** The source of analytics: posts that the service published and keeps, or the connected account itself. */
export type AnalyticsSource = 'service' | 'platform';

/** A post's metrics on one platform (GET /v1/analytics/). */
export interface PostPlatformAnalytics {
  /** The platform. */
  platform?: Platform | undefined;
  /** The post's ID on the platform. */
  platformPostId?: string | undefined;
  /** The post's address on the platform. */
  platformPostUrl?: string | undefined;
  /** The metrics on this platform. */
  metrics?: PostMetrics | undefined;
}

/** A post with its metrics (GET /v1/analytics/). */
export interface PostAnalytics {
  /** The source of the metrics. */
  source?: AnalyticsSource | (string & {}) | undefined;
  /** The post's ID. */
  postId?: string | undefined;
  /** The text. */
  content?: string | undefined;
  /** When it was published, an ISO 8601 date-time. */
  publishedAt?: string | undefined;
  /** The kind of media. `image` is documented; other values are not. */
  mediaType?: 'image' | (string & {}) | undefined;
  /** The thumbnail's URL. */
  thumbnailUrl?: string | undefined;
  /** The metrics of all platforms together. */
  aggregated?: PostMetrics | undefined;
  /** The metrics of each platform. */
  platforms?: PostPlatformAnalytics[] | undefined;
}

/** The query of `analytics.getPost` (GET /v1/analytics/). */
export interface GetPostAnalyticsQuery {
  /** The post's platform. */
  platform?: KnownPlatform | undefined;
  /** The integration's ID. Required with an external post ID and with `source: 'platform'`. */
  accountId?: string | undefined;
  /** `service`: posts published through the service, as it keeps them; `platform`: fetched from the connected account. */
  source?: AnalyticsSource | undefined;
  /** First day, inclusive, `YYYY-MM-DD` or a `Date`. Default 90 days ago. At most 366 days before `toDate`. */
  fromDate?: DateInput | undefined;
  /** Last day, inclusive, `YYYY-MM-DD` or a `Date`. Default today. */
  toDate?: DateInput | undefined;
}

/** The sort fields of `analytics.listPosts` (GET /v1/analytics/). */
export type AnalyticsSortBy =
  'date' | 'likes' | 'comments' | 'impressions' | 'views' | 'shares' | 'saves' | 'clicks' | 'engagement';

/** The filters and sort fields of `analytics.listPosts` (GET /v1/analytics/). */
export interface ListPostAnalyticsQuery extends GetPostAnalyticsQuery {
  /** The sort field. Default `date`. */
  sortBy?: AnalyticsSortBy | undefined;
  /** The order. */
  order?: 'asc' | 'desc' | undefined;
  /** Posts in a page, 1 to 100. Default 50. Each page costs 1 credit, so a larger one is cheaper. */
  limit?: number | undefined;
  /** Which page, from 1. Default 1. */
  page?: number | undefined;
}

/**
 * A page of posts with their metrics. The API document doesn't show the shape of this reply. The client reads `posts`
 * if it is an array, otherwise the only array of objects at the top level. `page.response` keeps all that came.
 */
export interface ListPostAnalyticsResponse extends ListReply<ListPostAnalyticsQuery> {
  /** The posts of this page. */
  posts: PostAnalytics[];
}

const maxAnalyticsDays = 366;

const sources: readonly AnalyticsSource[] = ['service', 'platform'];

/** The metrics of a post, as the API document lists them (Analytics objects). */
export const postMetrics: readonly PostMetric[] = [
  'impressions',
  'reach',
  'likes',
  'comments',
  'shares',
  'saves',
  'clicks',
  'views',
  'engagementRate',
  'avgWatchTime',
  'totalWatchTime',
  'skipRate',
];

/** Returns whether the API document lists a metric for posts. */
export function isPostMetric(metric: string | undefined): metric is PostMetric {
  return postMetrics.includes(metric as PostMetric);
}

const metrics = () => {
  const fields = Object.fromEntries(postMetrics.map((metric) => [metric, s.optionalNumber()]));
  return s.optional(s.reply(fields as Record<PostMetric, ReturnType<typeof s.optionalNumber>>)); // It has every metric.
};

export const postAnalyticsSchema = s.once(() =>
  s.reply({
    source: s.optional(s.open(sources)),
    postId: s.optionalString(),
    content: s.optionalString(),
    publishedAt: s.optionalReplyDateTime(),
    mediaType: s.optional(s.open(['image'])),
    thumbnailUrl: s.optionalString(),
    aggregated: metrics(),
    platforms: s.optional(
      z.array(
        s.reply({
          platform: s.optional(s.open(knownPlatforms)),
          platformPostId: s.optionalString(),
          platformPostUrl: s.optionalString(),
          metrics: metrics(),
        }),
      ),
    ),
  }),
);

const lookup = () => ({
  platform: z.optional(s.oneOf(knownPlatforms)),
  accountId: z.optional(s.id()),
  source: z.optional(s.oneOf(sources)),
  fromDate: z.optional(s.date()),
  toDate: z.optional(s.date()),
});

const lookupRules = () =>
  s.rule<Record<string, unknown>>((query, fail) => {
    if (query['source'] === 'platform' && query['accountId'] === undefined) {
      fail(['accountId'], "is required with source 'platform'");
    }
    checkDateRange(query, ['fromDate', 'toDate'], maxAnalyticsDays, fail);
  });

export const getPostAnalyticsQuerySchema = s.once(() =>
  z.strictObject({ postId: s.id(), ...lookup() }).check(lookupRules()),
);

export const getPostAnalyticsResponseSchema = s.once(() => s.envelope({ post: postAnalyticsSchema() }));

export const listPostAnalyticsQuerySchema = s.once(() =>
  z
    .strictObject({
      ...lookup(),
      sortBy: z.optional(
        s.oneOf(['date', 'likes', 'comments', 'impressions', 'views', 'shares', 'saves', 'clicks', 'engagement']),
      ),
      order: z.optional(s.oneOf(['asc', 'desc'])),
      limit: s.optionalLimit(),
      page: z.optional(z.int().check(z.minimum(1))),
    })
    .check(lookupRules()),
);

export const listPostAnalyticsResponseSchema = s.once(() => s.envelope({ posts: z.array(postAnalyticsSchema()) }));

export const analyticsEndpoints = {
  getPost: endpoint({
    route: 'GET /v1/analytics/',
    selectedBy: { query: 'postId', present: true },
    summary: 'Reads the analytics of one post. Costs 1 credit per call.',
    query: getPostAnalyticsQuerySchema,
    response: getPostAnalyticsResponseSchema,
    retry: 'paid_per_call',
    credits: 1,
  }),
  listPosts: listEndpoint({
    route: 'GET /v1/analytics/',
    selectedBy: { query: 'postId', present: false },
    summary: 'Lists published posts with their analytics. Costs 1 credit per call, that is per page.',
    query: listPostAnalyticsQuerySchema,
    response: listPostAnalyticsResponseSchema,
    retry: 'paid_per_call',
    credits: 1,
    defaults: { limit: 50, page: 1, sortBy: 'date' },
    list: { style: 'page', items: 'posts', itemId: 'postId', undocumentedShape: true },
  }),
  getInstagramInsights: instagramInsightsEndpoint,
};

/** Analytics of posts and of Instagram accounts. A plain object can implement it in tests. */
export interface Analytics extends Pick<AnalyticsResource, keyof AnalyticsResource> {}

/** Analytics of posts and of Instagram accounts. Every call costs a credit. */
export class AnalyticsResource extends Resource {
  /**
   * Resolves to one post with its metrics. Costs 1 credit per call, so it is retried only if the service certainly did
   * not execute it.
   *
   * API document: Analytics, GET /v1/analytics/ with `postId`.
   *
   * @example
   * ```ts
   * const { aggregated } = await client.analytics.getPost('post_1');
   * console.log(aggregated?.likes);
   * ```
   * @param postId the service's post ID, or a platform's own post ID together with `accountId`
   * @throws {@link CreditLimitError} the call would exceed the client's `maxCredits`; nothing was sent
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   */
  async getPost(postId: string, query: GetPostAnalyticsQuery = {}, options?: RequestOptions): Promise<PostAnalytics> {
    const own = ownFields(getPostAnalyticsQuerySchema(), query);
    const response = await this.transport.call(analyticsEndpoints.getPost, { query: { ...own, postId } }, options);
    return carryResponse(response, response.post);
  }

  /**
   * Lists published posts with their analytics. Each page costs 1 credit and none is fetched ahead of need.
   *
   * The shape of this reply is not documented: see {@link ListPostAnalyticsResponse}.
   *
   * API document: Analytics, GET /v1/analytics/ without `postId`.
   *
   * @example
   * ```ts
   * const posts = await client.analytics.listPosts({ sortBy: 'likes', limit: 100 }).toArray({ maxItems: 100 }); // 1 credit
   * ```
   * @throws {@link CreditLimitError} the next page would pass the client's `maxCredits`; nothing was sent
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   */
  listPosts(
    query: ListPostAnalyticsQuery = {},
    options?: RequestOptions & PaginatorOptions,
  ): Paginator<PostAnalytics, ListPostAnalyticsResponse> {
    return Paginator.of(this.transport, analyticsEndpoints.listPosts, { query }, options);
  }

  /**
   * Resolves to account-wide insights of an Instagram account. Costs 1 credit per successful call.
   *
   * API document: Analytics, GET /v1/analytics/instagram/account-insights.
   *
   * @example
   * ```ts
   * const { metrics } = await client.analytics.getInstagramInsights({ accountId, metrics: ['reach', 'views'] });
   * console.log(metrics['reach']?.total);
   * ```
   * @throws {@link CreditLimitError} the call would pass the client's `maxCredits`; nothing was sent
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   */
  getInstagramInsights(query: GetInstagramInsightsQuery, options?: RequestOptions): Promise<InstagramInsights> {
    const wire = withMetricsText(ownFields(getInstagramInsightsQuerySchema(), query));
    return this.transport.call(instagramInsightsEndpoint, { query: wire }, options);
  }

  /**
   * Plans insights over a range of any length. Returns the ranges of at most 90 days, and their
   * cost: 1 credit for each. Sends nothing.
   *
   * A `since` that is left out is 30 days ago, and an `until` today, by the client's clock in UTC.
   *
   * API document: Analytics, GET /v1/analytics/instagram/account-insights; Limits.
   *
   * @example
   * ```ts
   * const { ranges, credits } = client.analytics.planInstagramInsights({
   *   accountId: 'integration_1',
   *   since: '2026-01-01',
   *   until: '2026-12-31',
   * }); // 5 ranges, 5 credits
   * ```
   * @throws {@link InvalidRequestError} a part of the query breaks a documented rule
   */
  planInstagramInsights(query: GetInstagramInsightsQuery): InstagramInsightsPlan {
    return planInsights(query, this.transport.runtime.now());
  }

  /**
   * Reads insights over a range of any length: one call, and one credit, for each range of at most 90 days, the
   * earliest first. Each reply contains its `dateRange`. The replies are not added up: reach, for example, counts an
   * account once in each.
   *
   * The credits of all calls are reserved before the first one. If they exceed `maxCredits`, the whole range is refused
   * and nothing is spent. Leaving the loop releases the remaining credits. Nothing is sent before you iterate the
   * result.
   *
   * API document: Analytics, GET /v1/analytics/instagram/account-insights; Limits.
   *
   * @example
   * ```ts
   * const query = { accountId: 'integration_1', since: '2026-01-01', until: '2026-12-31' };
   * for await (const { dateRange, metrics } of client.analytics.getInstagramInsightsOver(query)) {
   *   console.log(dateRange?.since, metrics['reach']?.total);
   * }
   * ```
   * @throws {@link CreditLimitError} the calls would exceed the client's `maxCredits`; nothing was sent
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   */
  getInstagramInsightsOver(
    query: GetInstagramInsightsQuery,
    options?: RequestOptions,
  ): AsyncIterable<InstagramInsights> {
    const read = (part: GetInstagramInsightsQuery) => this.getInstagramInsights(part, options);
    return { [Symbol.asyncIterator]: () => insightsOver(this.transport, query, read) };
  }
}
