import type { endpointAt } from '../core/call/endpoint.js';
import { InvalidRequestError, type ErrorDetails, type Issue } from '../core/errors.js';
import type { Transport } from '../core/call/transport.js';
import { dayMs } from '../model/instant.js';
import { readArgument } from '../schema/issues.js';
import { splitDateRange, type DateRange } from '../schema/date-range.js';
import { ownFields, toWire } from '../schema/wire.js';
import {
  getInstagramInsightsQuerySchema,
  maxInsightsDays,
  withMetricsText,
  type GetInstagramInsightsQuery,
  type InstagramInsights,
} from './instagram-insights.js';

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
 * @param at the operation, for errors
 * @throws InvalidRequestError with every issue of the query
 */
export function planInsights(query: GetInstagramInsightsQuery, now: number, at: ErrorDetails): InstagramInsightsPlan {
  const schema = getInstagramInsightsQuerySchema();
  // A caller without types may leave the query out.
  const given = toWire(schema, ownFields(schema, query)) as Partial<DateRange> | null | undefined;
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
  if (issues.length > 0) throw new InvalidRequestError(issues, at);
  return { ranges, credits: ranges.length };
}

function daysBefore(now: number, days: number): string {
  return new Date(now - days * dayMs).toISOString().slice(0, 10);
}

/** Reads one range after the other. In the end, releases unspent credits. */
export async function* insightsOver(
  transport: Transport,
  at: ReturnType<typeof endpointAt>,
  query: GetInstagramInsightsQuery,
  read: (part: GetInstagramInsightsQuery) => Promise<InstagramInsights>,
): AsyncGenerator<InstagramInsights, void, undefined> {
  const { ranges, credits } = planInsights(query, transport.runtime.now(), at);
  // A copy of the query.
  const own = ownFields(getInstagramInsightsQuerySchema(), query) as GetInstagramInsightsQuery;
  const release = transport.holdCredits(credits, at);
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
