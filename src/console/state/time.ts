/** The format of times, in the browser's time zone. */

const dayAndTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const timeOnly = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const withSeconds = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const fullDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' });
const monthAndYear = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });

type Time = string | number | Date;

/** The service's times without an offset are UTC. */
export function instant(time: Time): Date {
  if (typeof time !== 'string') return new Date(time);
  return new Date(/(?:z|[+-]\d\d:?\d\d)$/i.test(time) || !time.includes('T') ? time : `${time}Z`);
}

function written(format: Intl.DateTimeFormat, time: Time | undefined): string {
  if (time === undefined) return '';
  const date = instant(time);
  return Number.isNaN(date.getTime()) ? String(time) : format.format(date);
}

export const formatDateTime = (time: Time | undefined) => written(dayAndTime, time);
export const formatTime = (time: Time | undefined) => written(timeOnly, time);
export const formatSeconds = (time: Time | undefined) => written(withSeconds, time);
export const formatDay = (time: Time | undefined) => written(fullDay, time);
export const formatMonth = (time: Time | undefined) => written(monthAndYear, time);

const two = (value: number) => String(value).padStart(2, '0');

/** Returns the day of a time in the browser's zone, `YYYY-MM-DD`. */
export function dayOf(time: Time): string {
  const date = instant(time);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Returns the start of a day in the browser's zone. */
export function startOf(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date);
}

export function addDays(day: string, days: number): string {
  const date = startOf(day);
  return dayOf(new Date(date.getFullYear(), date.getMonth(), date.getDate() + days));
}

/** Returns the number of days in the month of a date, or in a later month. */
function daysInMonth(date: Date, later = 0): number {
  return new Date(date.getFullYear(), date.getMonth() + later + 1, 0).getDate();
}

/** Returns the same day of another month, or that month's last day. */
export function addMonths(day: string, months: number): string {
  const date = startOf(day);
  const last = daysInMonth(date, months);
  return dayOf(new Date(date.getFullYear(), date.getMonth() + months, Math.min(date.getDate(), last)));
}

/** Returns the weekday of a day, from 0 for Monday. */
export function weekdayOf(day: string): number {
  return (startOf(day).getDay() + 6) % 7;
}

/** Returns the weeks on a month's page, from Monday to Sunday. */
export function weeksOf(day: string): readonly (readonly string[])[] {
  const first = `${day.slice(0, 7)}-01`;
  const before = weekdayOf(first);
  const start = addDays(first, -before);
  const weeks = Math.ceil((before + daysInMonth(startOf(first))) / 7);
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (__, weekday) => addDays(start, week * 7 + weekday)),
  );
}

/** Formats a time for a `datetime-local` field. */
export function toField(time: Time): string {
  const date = instant(time);
  return `${dayOf(date)}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
