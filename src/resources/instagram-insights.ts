import * as z from 'zod/mini';
import { endpoint, endpointAt } from '../core/call/endpoint.js';
import { nearestName } from '../core/call/options.js';
import type { Transport } from '../core/call/transport.js';
import { InvalidRequestError, type Issue } from '../core/errors.js';
import { dayMs } from '../model/instant.js';
import { knownPlatforms, type Platform } from '../model/known-values.js';
import { checkDateRange, splitDateRange, type DateRange } from '../schema/date-range.js';
import * as s from '../schema/fields.js';
import type { DateInput } from '../schema/fields.js';
import { readArgument } from '../schema/issues.js';
import { ownFields, toWire } from '../schema/wire.js';

/** The metrics of Instagram account insights, as the API document lists them. */
export const instagramMetrics = [
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
] as const;

/** A metric of an Instagram account (GET /v1/analytics/instagram/account-insights). */
export type InstagramMetric = (typeof instagramMetrics)[number];

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
const maxInsightsDays = 90;

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
  const names: unknown[] | undefined = Array.isArray(metrics) ? metrics : metricNames(metrics);
  return names === undefined ? query : { ...query, metrics: names.length === 0 ? undefined : names.join(',') };
}

/** Returns the names in a comma-separated text. `undefined`: it is no text, which the schema reports. */
export function metricNames(metrics: unknown): string[] | undefined {
  return typeof metrics === 'string' ? metrics.split(',').map((name) => name.trim()) : undefined;
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
        const names = metricNames(query['metrics']);
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
  s.envelope({
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

export const instagramInsightsEndpoint = endpoint({
  route: 'GET /v1/analytics/instagram/account-insights',
  summary: 'Reads account-wide Instagram insights. Costs 1 credit per successful call.',
  query: getInstagramInsightsQuerySchema,
  response: instagramInsightsSchema,
  retry: 'paid_per_success',
  credits: 1,
  defaults: { metrics: 'reach,views,accounts_engaged,total_interactions', metricType: 'total_value' },
});

/** The cost of insights over a range. */
export interface InstagramInsightsPlan {
  /** The range of each call, at most 90 days with both ends, the earliest first. No day is in two, and none left out. */
  ranges: DateRange[];
  /** How many credits the calls cost: 1 for each. */
  credits: number;
}

/** By default the service begins 30 days ago (Analytics). */
const defaultDays = 30;

/**
 * @param now milliseconds since 1970
 * @throws InvalidRequestError with every issue of the query
 */
export function planInsights(query: GetInstagramInsightsQuery, now: number): InstagramInsightsPlan {
  const schema = getInstagramInsightsQuerySchema();
  // A caller without types may leave the query out.
  const given = toWire(schema, query) as Partial<DateRange> | null | undefined;
  const { since = daysBefore(now, defaultDays), until = daysBefore(now, 0), ...rest } = given ?? {};
  let issues: readonly Issue[] = [];
  let ranges: DateRange[] = [];
  try {
    ranges = splitDateRange({ since, until }, maxInsightsDays);
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    issues = error.issues;
  }
  issues = [...issues, ...readArgument(schema, withMetricsText(rest), { extra: 'extraQuery' }).issues];
  if (issues.length > 0) throw new InvalidRequestError(issues, endpointAt(instagramInsightsEndpoint));
  return { ranges, credits: ranges.length };
}

function daysBefore(now: number, days: number): string {
  return new Date(now - days * dayMs).toISOString().slice(0, 10);
}

/** Reads one range after the other. In the end, releases unspent credits. */
export async function* insightsOver(
  transport: Transport,
  query: GetInstagramInsightsQuery,
  read: (part: GetInstagramInsightsQuery) => Promise<InstagramInsights>,
): AsyncGenerator<InstagramInsights, void, undefined> {
  const { ranges, credits } = planInsights(query, transport.runtime.now());
  // A copy of the query.
  const own = ownFields(getInstagramInsightsQuerySchema(), query);
  const release = transport.holdCredits(credits, endpointAt(instagramInsightsEndpoint));
  let held = credits;
  try {
    for (const range of ranges) {
      // The call reserves its credit before anything else can.
      release(1);
      held -= 1;
      yield await read({ ...own, ...range });
    }
  } finally {
    release(held);
  }
}
