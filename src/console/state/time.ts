/** How times are written. All are shown in the browser's own zone. */

const dayAndTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const timeOnly = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const withSeconds = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const fullDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' });
const monthAndYear = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });

type Time = string | number | Date;

/** A service's time without an offset is meant as UTC. */
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

/** The day of a time in the browser's zone, `YYYY-MM-DD`. */
export function dayOf(time: Time): string {
  const date = instant(time);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The start of a day in the browser's zone. */
export function startOf(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date);
}

export function addDays(day: string, days: number): string {
  const date = startOf(day);
  return dayOf(new Date(date.getFullYear(), date.getMonth(), date.getDate() + days));
}

/** How many days the month of a date has, or one that is some months later. */
function daysInMonth(date: Date, later = 0): number {
  return new Date(date.getFullYear(), date.getMonth() + later + 1, 0).getDate();
}

/** The same day of another month, or that month's last. */
export function addMonths(day: string, months: number): string {
  const date = startOf(day);
  const last = daysInMonth(date, months);
  return dayOf(new Date(date.getFullYear(), date.getMonth() + months, Math.min(date.getDate(), last)));
}

/** The weekday of a day, from 0 for Monday. */
export function weekdayOf(day: string): number {
  return (startOf(day).getDay() + 6) % 7;
}

/** The weeks that a month's page shows, from Monday to Sunday. */
export function weeksOf(day: string): readonly (readonly string[])[] {
  const first = `${day.slice(0, 7)}-01`;
  const before = weekdayOf(first);
  const start = addDays(first, -before);
  const weeks = Math.ceil((before + daysInMonth(startOf(first))) / 7);
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (__, weekday) => addDays(start, week * 7 + weekday)),
  );
}

/** A time as a `datetime-local` field has it. */
export function toField(time: Time): string {
  const date = instant(time);
  return `${dayOf(date)}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
