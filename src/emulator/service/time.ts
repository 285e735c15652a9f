import { instantOf } from '../../model/instant.js';

/** The emulator's time as the service writes it. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
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

/** A point in time, in milliseconds; `NaN` where it is none. A date-time without an offset is UTC. */
export function pointInTime(to: string | Date | number): number {
  if (to instanceof Date) return to.getTime();
  return typeof to === 'number' ? to : instant(to);
}

/** The day of a time, `YYYY-MM-DD` in UTC. */
export function day(ms: number): string {
  return timestamp(ms).slice(0, 10);
}

export { dayMs } from '../../model/day.js';
