import { missingDay, timeMessage } from './day.js';

const dateTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?/;
const withoutOffset = new RegExp(`${dateTime.source}$`);

/** Whether a text is a date-time that names a moment wherever it is read. */
export function hasOffset(text: string): boolean {
  return dateTime.test(text) && !withoutOffset.test(text);
}

/**
 * The moment that a date-time of the service names, in milliseconds since 1970; `undefined` where the text is none. One
 * without an offset is taken for UTC: `Date.parse` would take it for the time zone of this machine, of which the service
 * knows nothing.
 */
export function instantOf(text: string | undefined): number | undefined {
  if (text === undefined || !dateTime.test(text)) return undefined;
  const time = Date.parse(withoutOffset.test(text) ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(time) ? undefined : time;
}

/** A moment that tells its milliseconds since 1970 itself, such as `Temporal.Instant` and `Temporal.ZonedDateTime`. */
export interface InstantLike {
  /** Milliseconds since 1970, in UTC. */
  readonly epochMilliseconds: number;
}

/** The last instant that a `Date` can hold. */
const latestMs = 8_640_000_000_000_000;

/** Whether a `Date` can hold so many milliseconds since 1970. */
export function isInstant(ms: unknown): ms is number {
  return typeof ms === 'number' && Math.abs(ms) <= latestMs;
}

/**
 * The milliseconds since 1970 of a `Date`, of this realm or another, or of what tells them itself. `undefined` for anything
 * else, and for an invalid date.
 */
export function epochOf(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const isDate = Object.prototype.toString.call(value) === '[object Date]';
  const instant: unknown = isDate ? (value as Date).getTime() : (value as Partial<InstantLike>).epochMilliseconds;
  return isInstant(instant) ? instant : undefined;
}

/** What to say of an argument that `momentOf` does not take. */
export function momentMessage(value: unknown): string {
  return timeMessage("must be a Date, or a date-time with its offset such as '2026-03-01T09:00:00Z'", value);
}

/** The moment that an argument names, in milliseconds since 1970: a `Date`, an instant, or a date-time with its offset. */
export function momentOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return epochOf(value);
  return hasOffset(value) && missingDay(value) === undefined ? instantOf(value) : undefined;
}
