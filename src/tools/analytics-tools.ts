import * as z from 'zod/mini';
import type { InstagramMetric } from '../resources/analytics.js';
import {
  getInstagramInsightsQuerySchema,
  instagramMetrics,
  type InstagramInsights,
} from '../resources/instagram-insights.js';
import { invalidArgument } from '../core/options.js';
import * as s from '../schema/fields.js';
import { paidRead, type ToolContext, type ToolsClient } from './tool.js';
import type { ToolDefinition } from './define-tool.js';
import { accountId, field, onePlatform, shownTime } from './fields.js';
import { atMost, defined, ok, shortText, type Data } from './results.js';
import { checkAllowed, isVisible } from './account-tools.js';
import { findPost } from './read-post-tools.js';

export type PaidClient = ReturnType<ToolsClient['withBudget']>;

const price = (call: string, maxCredits: number) =>
  `Costs 1 credit per ${call}, with all analytics at most ${String(maxCredits)} in total: not for a loop.`;

const day = (what: string) =>
  field(z.optional(s.text().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day, YYYY-MM-DD'))), what);

const postAnalyticsFields = () => ({
  postId: field(s.id(), 'The post ID, or its ID on the platform (with accountId).'),
  platform: onePlatform('The platform of the post.'),
  accountId: {
    ...accountId('The account ID. Required with an ID of a platform, and with source platform.'),
    schema: z.optional(s.id()),
  },
  source: field(
    z.optional(s.oneOf(['service', 'platform'])),
    'service: posts of this service. platform: fetched from the account.',
  ),
  fromDate: day('The first day, YYYY-MM-DD. Default: 90 days ago. At most 366 days before toDate.'),
  toDate: day('The last day, YYYY-MM-DD. Default: today.'),
});

/**
 * A post can have other accounts too, so an allowed account is not enough for a post of the service.
 * @throws InvalidRequestError the tools must not show the post
 */
async function checkPost(
  context: ToolContext,
  { postId, accountId }: { readonly postId: string; readonly accountId?: string | undefined },
  signal: AbortSignal | undefined,
): Promise<void> {
  if (context.accounts === undefined) return;
  checkAllowed(context, accountId);
  const post = await findPost(context.client, postId, signal);
  if (post === undefined ? accountId === undefined : !isVisible(context, post.rawRequestBody))
    throw invalidArgument('postId', `is a post that was not found: ${shortText(postId, 100)}`);
}

export function postAnalytics(
  context: ToolContext,
  { analytics }: PaidClient,
  maxCredits: number,
): ToolDefinition<ReturnType<typeof postAnalyticsFields>> {
  return {
    name: 'post_analytics',
    title: 'Analytics of a post',
    description: `Use it for the numbers of one post; a metric that its platform does not report is missing, never 0. ${price('call', maxCredits)}`,
    annotations: paidRead,
    fields: postAnalyticsFields(),
    prepare: async ({ postId, ...query }, signal) => {
      await checkPost(context, { postId, accountId: query.accountId }, signal);
      const post = await analytics.getPost(postId, query, { signal });
      const { content, publishedAt, source, mediaType, aggregated, platforms } = post;
      const data = defined({
        postId: post.postId,
        source,
        content: content === undefined ? undefined : shortText(content, 500),
        publishedAt: shownTime(publishedAt, context.timeZone),
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
    accountId: accountId('The Instagram account ID, from list_accounts.'),
    metrics: field(
      z.optional(z.array(s.oneOf(instagramMetrics)).check(s.sized(z.minLength(1)))),
      'The metrics. Default: reach, views, accounts_engaged, total_interactions.',
    ),
    since: day('The first day, YYYY-MM-DD. Default: 30 days ago. At most 90 days before until.'),
    until: day('The last day, YYYY-MM-DD. Default: today.'),
    metricType: field(
      metricType,
      'total_value (default): one number per metric. time_series: a number per day, only for reach.',
    ),
  };
};

export function accountInsights(
  context: ToolContext,
  { analytics }: PaidClient,
  maxCredits: number,
): ToolDefinition<ReturnType<typeof insightsFields>> {
  return {
    name: 'account_insights',
    title: 'Insights of an Instagram account',
    description: `Use it for the numbers of an Instagram account; an unknown metric is missing, never 0. ${price('successful call', maxCredits)}`,
    annotations: paidRead,
    fields: insightsFields(),
    prepare: async (query, signal) => {
      checkAllowed(context, query.accountId);
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
