import type { Post } from '../posts/post-shapes.js';
import * as z from 'zod/mini';
import * as s from '../schema/fields.js';
import {
  attentionReason,
  getIfConnected,
  type Integration,
  type IntegrationDetail,
} from '../resources/integrations.js';
import { areFields, shortText, withoutUndefined, type Fields } from '../core/json.js';
import type { CallContext, ToolContext, ToolsClient } from './tool.js';
import { listResult, atMost, ok, untrusted, shownContent } from './results.js';
import { defineTool, isAllowed } from './define-tool.js';
import { accountId, field, listFields, namesNote, offsetPart, onePlatform, shownPart, shownTime } from './fields.js';
import type { InstagramMetric } from '../resources/analytics.js';
import {
  getInstagramInsightsQuerySchema,
  instagramMetrics,
  type InstagramInsights,
} from '../resources/instagram-insights.js';
import { invalidArgument } from '../core/call/options.js';

/** Whether the tools show the post of this request: it has only accounts that they see. A draft may have none. */
export function isVisible(context: ToolContext, request: Fields | undefined): boolean {
  if (context.accounts === undefined) return true;
  const targets = request?.['platforms'] ?? [];
  if (!areFields(targets)) return false;
  if (targets.length === 0) return request?.['saveAsDraft'] === true;
  return targets.every(({ accountId }) => isAllowed(context, String(accountId)));
}

export const listAccounts = (context: ToolContext) =>
  defineTool(context, {
    name: 'list_accounts',
    title: 'List accounts',
    description:
      `Use it to find the IDs of connected accounts, with platform, user name and health; ${namesNote}. ` +
      'Not to check tokens: accounts_needing_attention does.',
    effect: 'reads',
    fields: {
      platform: onePlatform('Only accounts of this platform. Default: all.'),
      ...listFields(),
    },
    prepare: async ({ platform, ...input }, { client, accounts, signal }) => {
      const part = await offsetPart(
        input,
        (page) => client.integrations.list({ platform, ...page }, { signal }),
        accounts && (({ id }) => accounts.has(id)),
      );
      return listResult('accounts', part, accountView);
    },
  });

export const accountsNeedingAttention = (context: ToolContext) =>
  defineTool(context, {
    name: 'accounts_needing_attention',
    title: 'Accounts that need attention',
    description:
      'Use it before you publish, to find accounts to connect again (auth_failed, reconnect_required, expires_soon: within 7 ' +
      `days, insights_unreadable); ${namesNote}. Not to list all accounts: it reads each account.`,
    effect: 'reads',
    fields: listFields(),
    prepare: async (input, { client, timeZone, signal }) => {
      const accounts = client.integrations.needingAttention({ signal });
      const part = await shownPart(input, accounts, ({ integration }) => isAllowed(context, integration.id));
      return listResult('accounts', part, ({ integration, reason, expiresAt }) => {
        const { id, platform } = integration;
        const expires = shownTime(expiresAt, timeZone);
        return withoutUndefined({ accountId: id, platform, ...accountNames(integration), reason, expiresAt: expires });
      });
    },
  });

/** The allowed characters of user names. Other text could be a sentence for the model. */
const handle = /^@?[\w.-]{1,64}$/;

/** The names of an account. A user name is one word. All other texts of the account's owner are untrusted. */
function accountNames({ username, displayName }: Pick<Integration, 'username' | 'displayName'>): Fields {
  const isHandle = username !== undefined && handle.test(username);
  return isHandle ? { username, ...untrusted({ displayName }) } : untrusted({ username, displayName });
}

/** Names an account for a question. Accounts can share a user name, so the ID is always shown. */
export function accountLabel({ id, platform = 'unknown platform', username }: Integration): string {
  return username !== undefined && handle.test(username) ? `${username} (${platform}, ${id})` : `${id} (${platform})`;
}

/**
 * Names the targets of a post for a question. An account that was deleted has no name.
 * @param known accounts that were read before
 */
export async function targetLabels(
  { client, signal }: CallContext,
  targets: readonly { readonly platform: string; readonly accountId: string }[],
  known: readonly Integration[] = [],
): Promise<string> {
  const labels: string[] = [];
  for (const { platform, accountId } of targets) {
    const account =
      known.find(({ id }) => id === accountId) ?? (await getIfConnected(client.integrations, accountId, { signal }));
    labels.push(accountLabel(account ?? { id: accountId, platform }));
  }
  return labels.join(', ');
}

/** An account with its health, as far as the integration shows it. */
export function accountView(account: Integration | IntegrationDetail): Fields {
  const { id, platform, profileId, authStatus, authFailureReason } = account;
  return withoutUndefined({
    accountId: id,
    platform,
    ...accountNames(account),
    health: attentionReason(account, -Infinity) ?? 'ok',
    authStatus,
    authFailureReason,
    profileId,
  });
}

/** Searches the list for a post: the API document shows no way to read one. */
export async function findPost({ client, signal }: CallContext, postId: string): Promise<Post | undefined> {
  for await (const post of client.posts.list({ limit: s.longestPage }, { signal })) {
    if (post.postId === postId) return post;
  }
  return undefined;
}

export type PaidClient = ReturnType<ToolsClient['withBudget']>;

const price = (call: string, maxCredits: number) =>
  `Costs 1 credit per ${call}, with all analytics at most ${String(maxCredits)} in total: not for a loop.`;

const day = (what: string) =>
  field(z.optional(s.text().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day, YYYY-MM-DD'))), what);

/**
 * A post can have other accounts too, so an allowed account is not enough for a post of the service.
 * @throws InvalidRequestError the tools must not show the post
 */
async function checkPost(context: CallContext, postId: string, accountId: string | undefined): Promise<void> {
  if (context.accounts === undefined) return;
  const post = await findPost(context, postId);
  if (post === undefined ? accountId === undefined : !isVisible(context, post.rawRequestBody))
    throw invalidArgument('postId', `is a post that was not found: ${shortText(postId, 100)}`);
}

export const postAnalytics = (context: ToolContext, { analytics }: PaidClient, maxCredits: number) =>
  defineTool(context, {
    name: 'post_analytics',
    title: 'Analytics of a post',
    description: `Use it for the numbers of one post; a metric that its platform does not report is missing, never 0. ${price('call', maxCredits)}`,
    effect: 'paidRead',
    fields: {
      postId: field(s.id(), 'The post ID, or its ID on the platform (with accountId).'),
      platform: onePlatform('The platform of the post.'),
      accountId: field(
        z.optional(s.id()),
        'The account ID. Required with an ID of a platform, and with source platform.',
      ),
      source: field(
        z.optional(s.oneOf(['service', 'platform'])),
        'service: posts of this service. platform: fetched from the account.',
      ),
      fromDate: day('The first day, YYYY-MM-DD. Default: 90 days ago. At most 366 days before toDate.'),
      toDate: day('The last day, YYYY-MM-DD. Default: today.'),
    },
    prepare: async ({ postId, ...query }, call) => {
      await checkPost(call, postId, query.accountId);
      const post = await analytics.getPost(postId, query, { signal: call.signal });
      const { content, publishedAt, source, mediaType, aggregated, platforms } = post;
      const data = withoutUndefined({
        postId: post.postId,
        source,
        content: shownContent(content),
        publishedAt: shownTime(publishedAt, context.timeZone),
        mediaType,
        aggregated,
        ...atMost('platforms', platforms),
      });
      return ok('The analytics of the post.', data);
    },
  });

export function accountInsights(context: ToolContext, { analytics }: PaidClient, maxCredits: number) {
  const { metricType } = getInstagramInsightsQuerySchema().shape;
  return defineTool(context, {
    name: 'account_insights',
    title: 'Insights of an Instagram account',
    description: `Use it for the numbers of an Instagram account; an unknown metric is missing, never 0. ${price('successful call', maxCredits)}`,
    effect: 'paidRead',
    fields: {
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
    },
    prepare: async (query, { signal }) => {
      const insights = await analytics.getInstagramInsights(query, { signal });
      return ok('The insights of the account.', insightsView(insights));
    },
  });
}

function insightsView({ accountId, dateRange, metricType, metrics, dataDelay }: InstagramInsights): Fields {
  const views = Object.entries(metrics).map(([name, metric]) => [name, metric && metricView(metric)] as const);
  return withoutUndefined({ accountId, dateRange, metricType, dataDelay, metrics: Object.fromEntries(views) });
}

type Metric = NonNullable<InstagramInsights['metrics'][InstagramMetric]>;

/** A value per day is an object of days: 90 days are more than a list may have. */
function metricView({ total, values, breakdowns }: Metric): Fields {
  const days = values?.map(({ date, value }) => [date, value] as const);
  return withoutUndefined<Fields>({
    total,
    days: days === undefined || days.length === 0 ? undefined : Object.fromEntries(days),
    ...atMost('breakdowns', breakdowns, ({ dimensionKeys, results }) => ({
      dimensionKeys,
      ...atMost('results', results),
    })),
  });
}
