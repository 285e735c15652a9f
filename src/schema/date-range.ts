import { dayMs } from '../model/day.js';

/**
 * Days from one date or date-time to another, or `undefined` where one of them is none (that is reported on its own).
 */
export function daysBetween(from: unknown, to: unknown): number | undefined {
  if (typeof from !== 'string' || typeof to !== 'string') return undefined;
  const days = (Date.parse(to) - Date.parse(from)) / dayMs;
  return Number.isNaN(days) ? undefined : days;
}

/**
 * How far the service's clock may be behind this machine's where a range has no end. An emulator's clock is often set back
 * to a fixed time: a range that is right by its clock must not be refused here.
 */
const clockDoubtDays = 3 * 365;

/**
 * Refuses a date range that is reversed or longer than the service takes. An end that is left out is today by the
 * service's clock, which is not known here: only a start that is too far back by any clock is refused then.
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
    if (days !== undefined && days > maxDays + clockDoubtDays) {
      fail([from], `must be at most ${String(maxDays)} days before ${to}, which is today where it is left out`);
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
