import { InvalidRequestError, type Issue } from '../core/errors.js';
import { issueAt, isWhole, present } from '../core/call/options.js';
import { dayMs } from '../model/instant.js';
import { safeParse } from './check.js';
import { date, dateMessage, type DateInput } from './fields.js';
import { toWire } from './wire.js';

/**
 * Returns the days from one date or date-time to another. `undefined`: one of them is invalid, which is reported separately.
 */
export function daysBetween(from: unknown, to: unknown): number | undefined {
  if (typeof from !== 'string' || typeof to !== 'string') return undefined;
  const days = (Date.parse(to) - Date.parse(from)) / dayMs;
  return Number.isNaN(days) ? undefined : days;
}

/**
 * Tolerance for the service's clock if a range has no end. An emulator's clock is often set to a fixed time in the
 * past, and its valid ranges must not be refused here.
 */
const clockToleranceDays = 3 * 365;

/**
 * Refuses a date range that is reversed or longer than the service accepts. An omitted end means today by the service's
 * clock, which is unknown here. Then only a start that is too early by any clock is refused.
 */
export function checkDateRange(
  value: Readonly<Record<string, unknown>>,
  [from, to]: readonly [string, string],
  maxDays: number,
  fail: (path: readonly (string | number)[], message: string) => void,
): void {
  const start = value[from];
  const end = value[to];
  if (end === undefined) {
    const days = daysBetween(start, new Date().toISOString());
    if (days !== undefined && days > maxDays + clockToleranceDays) {
      fail([from], `must be at most ${String(maxDays)} days before ${to}; if you omit ${to}, it is today`);
    }
    return;
  }
  const days = daysBetween(start, end);
  if (days === undefined) return;
  if (days < 0) fail([from], `must not be after ${to}`);
  else if (days > maxDays)
    fail(
      [to],
      `must be at most ${String(maxDays)} days after ${from}: split the range, for example with splitDateRange`,
    );
}

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
  present(isWhole({ least: 1 }))(maxDays, ['maxDays'], issues);
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
  const day = safeParse(date(), toWire(date(), value));
  if (day.success) return Date.parse(day.data);
  issues.push(issueAt([name], dateMessage(value)));
  return Number.NaN;
}

function written(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
