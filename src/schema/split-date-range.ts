import { InvalidRequestError, type Issue } from '../core/errors.js';
import { issueAt, isWhole } from '../core/options.js';
import { dayMs } from '../model/day.js';
import { epochOf } from '../model/instant.js';
import { dateMessage, type DateInput } from './fields.js';

/** A range of days, including both ends. */
export interface DateRange {
  /** The first day, `YYYY-MM-DD`. */
  since: string;
  /** The last day, `YYYY-MM-DD`. */
  until: string;
}

/**
 * Splits a range of days into as few ranges of at most `maxDays` days as possible, in order. Each day is in exactly one range.
 * Both ends count as days: 90 days are `2026-01-01` to `2026-03-31`.
 *
 * @example
 * ```ts
 * splitDateRange({ since: '2026-01-01', until: '2026-12-31' }, 90); // 5 ranges
 * ```
 * @param range the first and the last day: `YYYY-MM-DD`, or the UTC day of a `Date` or an instant
 * @param maxDays the most days in a range, 1 or more
 * @throws {@link InvalidRequestError} a day does not exist, the end is before the start, or `maxDays` is invalid
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
  // A caller without types may pass anything.
  const passed = (range as { since?: unknown; until?: unknown } | null) ?? {};
  const since = dayOf(passed.since, 'since', issues);
  const until = dayOf(passed.until, 'until', issues);
  isWhole({ least: 1 })(maxDays, ['maxDays'], issues);
  if (until < since) issues.push(issueAt(['since'], 'must not be after until'));
  if (issues.length > 0) throw new InvalidRequestError(issues);
  const ranges: DateRange[] = [];
  for (let first = since; first <= until; first += maxDays * dayMs) {
    ranges.push({ since: written(first), until: written(Math.min(until, first + (maxDays - 1) * dayMs)) });
  }
  return ranges;
}

/** Returns the start of a day in UTC, in milliseconds since 1970. An invalid day is `NaN` and adds an issue. */
function dayOf(value: unknown, name: string, issues: Issue[]): number {
  const ms = epochOf(value);
  if (ms !== undefined) return Math.floor(ms / dayMs) * dayMs;
  const day = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN;
  // Date.parse reads 30 February as 2 March.
  if (!Number.isNaN(day) && written(day) === value) return day;
  issues.push(issueAt([name], dateMessage(value)));
  return Number.NaN;
}

function written(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
