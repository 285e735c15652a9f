import * as z from 'zod/mini';
import { analyticsEndpoints, type InstagramMetric } from '../resources/analytics.js';
import {
  getInstagramInsightsQuerySchema,
  instagramMetrics,
  type InstagramInsights,
} from '../resources/instagram-insights.js';
import { knownPlatforms } from '../model/platforms.js';
import * as s from '../schema/fields.js';
import { paidRead, type ToolContext, type ToolsClient } from './tool.js';
import type { ToolDefinition } from './define-tool.js';
import { accountId, field, onePlatform, shownTime } from './fields.js';
import { atMost, defined, ok, shortText, type Data } from './results.js';

export type PaidClient = ReturnType<ToolsClient['withBudget']>;

const price = (maxCredits: number) =>
  `All calls of these tools may spend ${String(maxCredits)} in total; further calls are rejected.`;

const day = (what: string) =>
  field(z.optional(s.text().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day, YYYY-MM-DD'))), what);

const postAnalyticsFields = () => ({
  postId: field(s.id(), 'The ID of the post, or its ID on the platform (then with accountId).'),
  platform: onePlatform(`The platform of the post: ${knownPlatforms.join(', ')}.`),
  accountId: {
    ...accountId('The ID of the account. Required with an ID of a platform and with source platform.'),
    schema: z.optional(s.id()),
  },
  source: field(
    z.optional(s.oneOf(['service', 'platform'])),
    'service: posts that this service published. platform: fetched from the account.',
  ),
  fromDate: day('The first day, inclusive, YYYY-MM-DD. Default: 90 days ago. At most 366 days before toDate.'),
  toDate: day('The last day, inclusive, YYYY-MM-DD. Default: today.'),
});

export function postAnalytics(
  { timeZone }: ToolContext,
  { analytics }: PaidClient,
  maxCredits: number,
): ToolDefinition<ReturnType<typeof postAnalyticsFields>> {
  return {
    name: 'post_analytics',
    title: 'Analytics of a post',
    description: `${analyticsEndpoints.getPost.summary} ${price(maxCredits)} A metric that a platform does not report is missing, never 0.`,
    annotations: paidRead,
    fields: postAnalyticsFields(),
    prepare: async ({ postId, ...query }, signal) => {
      const post = await analytics.getPost(postId, query, { signal });
      const { content, publishedAt, source, mediaType, aggregated, platforms } = post;
      const data = defined({
        postId: post.postId,
        source,
        content: content === undefined ? undefined : shortText(content, 500),
        publishedAt: shownTime(publishedAt, timeZone),
        mediaType,
        aggregated,
        ...atMost('platforms', platforms),
      });
      return ok('The analytics of the post.', data);
    },
  };
}

const insightsFields = () => {
  const { metricType } = getInstagramInsightsQuerySchema().shape;
  return {
    accountId: accountId('The ID of the Instagram account, from list_accounts.'),
    metrics: field(
      z.optional(z.array(s.oneOf(instagramMetrics)).check(s.sized(z.minLength(1)))),
      `The metrics: an array of ${instagramMetrics.join(', ')}. Default: reach, views, accounts_engaged, total_interactions.`,
    ),
    since: day('The first day, YYYY-MM-DD. Default: 30 days ago. The range is at most 90 days.'),
    until: day('The last day, YYYY-MM-DD. Default: today.'),
    metricType: field(
      metricType,
      'total_value (default): one number per metric. time_series: a number per day, only for reach.',
    ),
  };
};

export function accountInsights(
  { analytics }: PaidClient,
  maxCredits: number,
): ToolDefinition<ReturnType<typeof insightsFields>> {
  return {
    name: 'account_insights',
    title: 'Insights of an Instagram account',
    description: `${analyticsEndpoints.getInstagramInsights.summary} ${price(maxCredits)} A metric that is not known is missing, never 0.`,
    annotations: paidRead,
    fields: insightsFields(),
    prepare: async (query, signal) => {
      const insights = await analytics.getInstagramInsights(query, { signal });
      return ok('The insights of the account.', insightsView(insights));
    },
  };
}

function insightsView({ accountId, dateRange, metricType, metrics, dataDelay }: InstagramInsights): Data {
  const views = Object.entries(metrics).map(([name, metric]) => [name, metric && metricView(metric)] as const);
  return defined({ accountId, dateRange, metricType, dataDelay, metrics: Object.fromEntries(views) });
}

type Metric = NonNullable<InstagramInsights['metrics'][InstagramMetric]>;

/** A value per day is an object of days: 90 days are more than a list may have. */
function metricView({ total, values, breakdowns }: Metric): Data {
  const days = values?.map(({ date, value }) => [date, value] as const);
  return defined({
    total,
    days: days === undefined || days.length === 0 ? undefined : Object.fromEntries(days),
    ...atMost(
      'breakdowns',
      breakdowns?.map(({ dimensionKeys, results }) => ({ dimensionKeys, ...atMost('results', results) })),
    ),
  });
}
