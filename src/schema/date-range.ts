import { dayMs } from '../model/day.js';

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
