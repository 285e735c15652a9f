import * as z from 'zod/mini';
import { nearestName } from '../core/call/options.js';
import { knownPlatforms, type Platform } from '../model/known-values.js';
import { checkDateRange } from '../schema/date-range.js';
import * as s from '../schema/fields.js';
import type { DateInput } from '../schema/fields.js';

/** A metric of an Instagram account (GET /v1/analytics/instagram/account-insights). */
export type InstagramMetric =
  | 'reach'
  | 'views'
  | 'accounts_engaged'
  | 'total_interactions'
  | 'comments'
  | 'likes'
  | 'saves'
  | 'shares'
  | 'replies'
  | 'reposts'
  | 'follows_and_unfollows'
  | 'profile_links_taps'
  | 'profile_views';

/** Which insights `analytics.getInstagramInsights` reads (GET /v1/analytics/instagram/account-insights). */
export interface GetInstagramInsightsQuery {
  /** The Instagram integration's ID. */
  accountId: string;
  /**
   * The metrics, as an array or comma-separated. Default `reach,views,accounts_engaged,total_interactions`. A metric that
   * the API document does not list is refused before sending.
   */
  metrics?: readonly (InstagramMetric | (string & {}))[] | (string & {}) | undefined;
  /** First day, `YYYY-MM-DD` or a `Date`. Default 30 days ago. At most 90 days before `until`. */
  since?: DateInput | undefined;
  /** Last day, `YYYY-MM-DD` or a `Date`. Default today. */
  until?: DateInput | undefined;
  /** `total_value`: one figure for the range (default); `time_series`: one figure for each day, only for `reach`. */
  metricType?: 'total_value' | 'time_series' | undefined;
  /** A dimension that divides the totals, only with `total_value`. Its values are not documented. */
  breakdown?: string | undefined;
}

/** The range of insights (GET /v1/analytics/instagram/account-insights). */
export interface InsightsDateRange {
  /** First day, `YYYY-MM-DD`. */
  since?: string | undefined;
  /** Last day, `YYYY-MM-DD`. */
  until?: string | undefined;
}

/** A day's figure (GET /v1/analytics/instagram/account-insights). */
export interface InsightValue {
  /** The day. */
  date?: string | undefined;
  /** The figure. */
  value?: number | undefined;
}

/** A part of a total (GET /v1/analytics/instagram/account-insights). */
export interface InsightBreakdownResult {
  /** One value for each of the breakdown's dimensions. */
  dimensionValues?: string[] | undefined;
  /** The figure. */
  value?: number | undefined;
}

/** A total, broken down by dimensions (GET /v1/analytics/instagram/account-insights). */
export interface InsightBreakdown {
  /** The dimensions. */
  dimensionKeys?: string[] | undefined;
  /** The parts. */
  results?: InsightBreakdownResult[] | undefined;
}

/** One metric of an Instagram account (GET /v1/analytics/instagram/account-insights). */
export interface InstagramInsight {
  /** The figure for the whole range. */
  total?: number | undefined;
  /** The daily metrics, with `time_series`. */
  values?: InsightValue[] | undefined;
  /** The parts of the total, if a breakdown was requested. */
  breakdowns?: InsightBreakdown[] | undefined;
}

/** Insights of an Instagram account (GET /v1/analytics/instagram/account-insights). */
export interface InstagramInsights {
  /** `true` if the service accepted the request. */
  success?: boolean | undefined;
  /** The integration's ID. */
  accountId?: string | undefined;
  /** `instagram`. */
  platform?: Platform | undefined;
  /** The range that the metrics are for. */
  dateRange?: InsightsDateRange | undefined;
  /** Whether the metrics are totals or daily values. */
  metricType?: 'total_value' | 'time_series' | (string & {}) | undefined;
  /** The values by metric. A metric that Instagram did not return is missing, never 0. */
  metrics: Record<string, InstagramInsight | undefined>;
  /** How late the metrics are. The API document shows a string without a format. */
  dataDelay?: string | undefined;
}

/** The most days from the first to the last of a call (Limits). */
export const maxInsightsDays = 90;

/** The metrics of Instagram account insights, as the API document lists them. */
export const instagramMetrics: readonly InstagramMetric[] = [
  'reach',
  'views',
  'accounts_engaged',
  'total_interactions',
  'comments',
  'likes',
  'saves',
  'shares',
  'replies',
  'reposts',
  'follows_and_unfollows',
  'profile_links_taps',
  'profile_views',
];

/** Returns whether the API document lists a metric for Instagram account insights. */
export function isInstagramMetric(metric: string | undefined): metric is InstagramMetric {
  return instagramMetrics.includes(metric as InstagramMetric);
}

/**
 * Returns the query with its metrics as the API document shows them, with only commas between the names; an empty array
 * stays empty. A caller without types may pass anything: the schema's check follows.
 */
export function withMetricsText(query: object): object {
  const metrics = (query as { readonly metrics?: unknown } | undefined)?.metrics;
  const names: unknown[] | undefined = Array.isArray(metrics)
    ? metrics
    : typeof metrics === 'string'
      ? metrics.split(',').map((name) => name.trim())
      : undefined;
  return names === undefined ? query : { ...query, metrics: names.length === 0 ? undefined : names.join(',') };
}

function unknownMetric(name: string): string {
  const near = nearestName(name, instagramMetrics);
  const hint = near === undefined ? '' : `; did you mean '${near}'?`;
  return `must be one or more of ${instagramMetrics.join(', ')}, not '${name.slice(0, 40)}'${hint}`;
}

export const getInstagramInsightsQuerySchema = s.once(() =>
  z
    .strictObject({
      accountId: s.id(),
      metrics: s.optionalString(),
      since: z.optional(s.date()),
      until: z.optional(s.date()),
      metricType: z.optional(s.oneOf(['total_value', 'time_series'])),
      breakdown: s.optionalString(),
    })
    .check(
      s.rule<Record<string, unknown>>((query, fail) => {
        const names =
          typeof query['metrics'] === 'string' ? query['metrics'].split(',').map((name) => name.trim()) : undefined;
        const unknown = names?.find((name) => !isInstagramMetric(name));
        if (unknown !== undefined) fail(['metrics'], unknownMetric(unknown));
        if (query['metricType'] === 'time_series') {
          // If you omit the metrics, the documented default applies, which contains more than reach.
          if (names === undefined || names.some((name) => name !== 'reach')) {
            fail(['metrics'], "must contain only 'reach' with metricType 'time_series'");
          }
          if (query['breakdown'] !== undefined) fail(['breakdown'], "is only allowed with metricType 'total_value'");
        }
        checkDateRange(query, ['since', 'until'], maxInsightsDays, fail);
      }),
    ),
);

export const instagramInsightsSchema = s.once(() =>
  s.reply({
    ...s.envelope(),
    accountId: s.optionalString(),
    platform: s.optional(s.open(knownPlatforms)),
    dateRange: s.optional(s.reply({ since: s.optionalReplyDate(), until: s.optionalReplyDate() })),
    metricType: s.optional(s.open(['total_value', 'time_series'])),
    metrics: z.catchall(
      z.object({}),
      s.optional(
        s.reply({
          total: s.optionalNumber(),
          values: s.optional(z.array(s.reply({ date: s.optionalString(), value: s.optionalNumber() }))),
          breakdowns: s.optional(
            z.array(
              s.reply({
                dimensionKeys: s.optionalStrings(),
                results: s.optional(
                  z.array(s.reply({ dimensionValues: s.optionalStrings(), value: s.optionalNumber() })),
                ),
              }),
            ),
          ),
        }),
      ),
    ),
    dataDelay: s.optionalString(),
  }),
);
