import { issueAt, type OptionCheck } from '../core/call/options.js';

export const dayMs = 86_400_000;

/** Describes a date or date-time whose month has no such day: `Date.parse` reads 30 February as 2 March. */
export function missingDay(text: string): string | undefined {
  const [, month = '', day] = /^(\d{4}-(?:0[1-9]|1[0-2]))-(\d\d)/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const last = new Date(month);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  const days = last.getUTCDate();
  if (Number(day) >= 1 && Number(day) <= days) return undefined;
  return `names a day that does not exist: ${month} has ${String(days)} days`;
}

/** Describes a value that is not a time of the expected form. */
export function timeMessage(expected: string, value: unknown): string {
  if (typeof value === 'number') return `${expected}; pass milliseconds as new Date(n)`;
  return (typeof value === 'string' ? missingDay(value) : undefined) ?? expected;
}

const dateTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
const offset = /(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$/i;

export function hasOffset(text: string): boolean {
  return dateTime.test(text) && offset.test(text);
}

/**
 * Returns the moment of a date-time of the service, in milliseconds since 1970; `undefined` if the text isn't a
 * date-time. Without an offset it is read as UTC, because the service doesn't know this machine's time zone.
 */
export function instantOf(text: string | undefined): number | undefined {
  if (text === undefined || !dateTime.test(text)) return undefined;
  // Date.parse would read a text such as `2027-01-01 09:00 PM` in this machine's time zone.
  const time = Date.parse(hasOffset(text) ? text : `${text.replace(' ', 'T')}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** A moment that provides its milliseconds since 1970, such as `Temporal.Instant` and `Temporal.ZonedDateTime`. */
export interface InstantLike {
  /** Milliseconds since 1970, in UTC. */
  readonly epochMilliseconds: number;
}

/** The last instant that a `Date` can hold. */
export const latestMs = 8_640_000_000_000_000;

/** Whether a `Date` can hold this number of milliseconds since 1970. */
export function isInstant(ms: unknown): ms is number {
  return typeof ms === 'number' && Math.abs(ms) <= latestMs;
}

/**
 * Returns the milliseconds since 1970 of a `Date`, of this realm or another, or of an instant. `undefined` for any
 * other value, and for an invalid date.
 */
export function epochOf(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const isDate = Object.prototype.toString.call(value) === '[object Date]';
  // A Date of any realm has getTime(), and any object can have the field.
  const instant: unknown = isDate ? (value as Date).getTime() : (value as Partial<InstantLike>).epochMilliseconds;
  return isInstant(instant) ? instant : undefined;
}

/** Returns the message for an argument that `momentOf` refuses. */
export function momentMessage(value: unknown): string {
  return timeMessage("must be a Date, or a date-time with its offset such as '2026-03-01T09:00:00Z'", value);
}

/**
 * Returns the moment of an argument, in milliseconds since 1970: a `Date`, an instant, or a date-time with its offset.
 */
export function momentOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return epochOf(value);
  return hasOffset(value) && missingDay(value) === undefined ? instantOf(value) : undefined;
}

/** Accepts what `momentOf` reads. */
export const isMoment: OptionCheck = (value, path, issues) => {
  if (momentOf(value) === undefined) issues.push(issueAt(path, momentMessage(value)));
};

/** Returns the least of any number of times or lengths. `Math.min` overflows the stack at about 100,000 arguments. */
export function least(values: readonly number[]): number {
  return values.reduce((found, value) => Math.min(found, value), Infinity);
}

export function greatest(values: readonly number[]): number {
  return values.reduce((found, value) => Math.max(found, value), -Infinity);
}

/** Assumption: the clocks of cooperating machines differ by less than this. */
const clockToleranceMs = 5_000;

/** Whether a clock that was ahead made a write: its times are too late. */
export function isFromClockAhead(writtenAt: number, now: number): boolean {
  return writtenAt > now + clockToleranceMs;
}
