import { InvalidRequestError, type Issue } from '../core/errors.js';
import { dayMs } from '../model/day.js';
import { epochOf } from '../model/instant.js';
import { dateMessage, type DateInput } from './fields.js';

/** A range of days, both of them in it. */
export interface DateRange {
  /** The first day, `YYYY-MM-DD`. */
  since: string;
  /** The last day, `YYYY-MM-DD`. */
  until: string;
}

/**
 * Splits a range of days into ranges of at most so many days, as few as can be, in order: no day twice, none left out.
 * Both ends count as days, so that 90 days are `2026-01-01` to `2026-03-31`.
 *
 * ```ts
 * splitDateRange({ since: '2026-01-01', until: '2026-12-31' }, 90); // 5 ranges
 * ```
 *
 * @param range the first and the last day: `YYYY-MM-DD`, or a `Date` or an instant, of which the UTC day is taken
 * @param maxDays the most days in a range, 1 or more
 * @throws {@link InvalidRequestError} a day that does not exist, an end before its start, or a bad number of days
 */
export function splitDateRange(
  range: {
    /** The first day. */
    readonly since: DateInput;
    /** The last day. */
    readonly until: DateInput;
  },
  maxDays: number,
): DateRange[] {
  const issues: Issue[] = [];
  const given = (range as { since?: unknown; until?: unknown } | null) ?? {};
  const since = dayOf(given.since, 'since', issues);
  const until = dayOf(given.until, 'until', issues);
  if (!Number.isInteger(maxDays) || maxDays < 1) {
    issues.push({ path: ['maxDays'], message: 'must be a whole number of days, 1 or more' });
  }
  if (until < since) issues.push({ path: ['since'], message: 'must not be after until' });
  if (issues.length > 0) throw new InvalidRequestError(issues);
  const ranges: DateRange[] = [];
  for (let first = since; first <= until; first += maxDays * dayMs) {
    ranges.push({ since: written(first), until: written(Math.min(until, first + (maxDays - 1) * dayMs)) });
  }
  return ranges;
}

/** The start of a day in UTC, in milliseconds since 1970; `NaN` for none, which is an issue. */
function dayOf(value: unknown, name: string, issues: Issue[]): number {
  const ms = epochOf(value);
  if (ms !== undefined) return Math.floor(ms / dayMs) * dayMs;
  const day = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN;
  // Date.parse takes 30 February for 2 March.
  if (!Number.isNaN(day) && written(day) === value) return day;
  issues.push({ path: [name], message: dateMessage(value) });
  return Number.NaN;
}

function written(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
