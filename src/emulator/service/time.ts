import { instantOf, isInstant, momentMessage, momentOf, type InstantLike } from '../../model/instant.js';

/** The years of ISO 8601's four digits: a time before or after them would be written in another form. */
const earliest = Date.parse('0000-01-01T00:00:00Z');
export const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** The emulator's time as the service writes it. What is due at no time that can be written is due at the last one. */
export function timestamp(ms: number): string {
  return new Date(Math.max(earliest, Math.min(ms, latest))).toISOString();
}

/** The moment of a date-time, or the start of a day, in milliseconds; `NaN` where it is none. Without an offset it is UTC. */
export function instant(time: string): number {
  return instantOf(time.length === 10 ? `${time}T00:00` : time) ?? Number.NaN;
}

/** When something happened, to sort it by. What has no time comes before everything that has one. */
export function age(dateTime: string | undefined): number {
  const at = dateTime === undefined ? Number.NaN : instant(dateTime);
  return Number.isNaN(at) ? -Infinity : at;
}

/** A point in time as a test says it: a date-time with its offset, a `Date` or an instant, or milliseconds since 1970. */
export type PointInTime = string | Date | InstantLike | number;

/**
 * A point in time, in milliseconds since 1970.
 * @param name what is to be said of one that is none begins with it
 * @throws RangeError also for a date-time without an offset: whose time zone it is meant in can't be known
 */
export function pointInTime(name: string, point: unknown): number {
  const ms = typeof point === 'number' ? point : momentOf(point);
  if (isInstant(ms) && ms >= earliest && ms <= latest) return ms;
  const isTime = typeof point === 'number' || isInstant(ms);
  throw new RangeError(
    `${name} ${isTime ? 'must be a time of the years 0000 to 9999, in milliseconds since 1970 or as a Date' : momentMessage(point)}.`,
  );
}

/** The day of a time, `YYYY-MM-DD` in UTC. */
export function day(ms: number): string {
  return timestamp(ms).slice(0, 10);
}

export { dayMs } from '../../model/day.js';
