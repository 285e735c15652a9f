/** The emulator's time as the service writes it. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** Takes a date-time without an offset for UTC. */
export function instant(dateTime: string): number {
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(dateTime) ? dateTime : `${dateTime}Z`);
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
