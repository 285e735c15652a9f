import { instantOf, isInstant, momentMessage, momentOf, type InstantLike } from '../../model/instant.js';

/** The years that ISO 8601 writes with four digits. */
const earliest = Date.parse('0000-01-01T00:00:00Z');
export const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** Formats the emulator's time as the service does. Times beyond the range count as the last possible time. */
export function timestamp(ms: number): string {
  return new Date(Math.max(earliest, Math.min(ms, latest))).toISOString();
}

/**
 * Returns a date-time, or the start of a day, in milliseconds; `NaN` if it is invalid. Without an offset, it is UTC.
 */
export function instant(time: string): number {
  return instantOf(time.length === 10 ? `${time}T00:00` : time) ?? Number.NaN;
}

/** Returns the sort key of a time. A missing time sorts first. */
export function age(dateTime: string | undefined): number {
  const at = dateTime === undefined ? Number.NaN : instant(dateTime);
  return Number.isNaN(at) ? -Infinity : at;
}

/** A time in a test: a date-time with its offset, a `Date` or an instant, or milliseconds since 1970. */
export type PointInTime = string | Date | InstantLike | number;

/**
 * Returns a time in milliseconds since 1970.
 * @param name the beginning of the error message
 * @throws RangeError if the time is invalid, or is a date-time without an offset, whose time zone is unknown
 */
export function pointInTime(name: string, point: unknown): number {
  const ms = typeof point === 'number' ? point : momentOf(point);
  if (isInstant(ms) && ms >= earliest && ms <= latest) return ms;
  const isTime = typeof point === 'number' || isInstant(ms);
  throw new RangeError(
    `${name} ${isTime ? 'must be a time of the years 0000 to 9999, in milliseconds since 1970 or as a Date' : momentMessage(point)}.`,
  );
}

export function day(ms: number): string {
  return timestamp(ms).slice(0, 10);
}

export { dayMs } from '../../model/instant.js';

/**
 * Returns a random number from 0 up to 1. Its whole state is one integer, so a snapshot can contain it (mulberry32).
 */
export function nextRandom(holder: { random: number }): number {
  holder.random = (holder.random + 0x6d2b79f5) | 0;
  let mixed = holder.random;
  mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Returns hexadecimal digits. Do not use them for real secrets. */
export function randomHex(holder: { random: number }, digits: number): string {
  let text = '';
  while (text.length < digits) text += Math.floor(nextRandom(holder) * 16).toString(16);
  return text;
}
