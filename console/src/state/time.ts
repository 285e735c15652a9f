import { usesUtc } from './zone.js';

/** The format of times, in the browser's time zone or in UTC. */

type Time = string | number | Date;
type TimeFormat = () => Intl.DateTimeFormat;

function format(options: Intl.DateTimeFormatOptions): TimeFormat {
  const own = new Intl.DateTimeFormat('en-GB', options);
  const utc = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  return () => (usesUtc.value ? utc : own);
}

const dayAndTime = format({ dateStyle: 'medium', timeStyle: 'short' });
const timeOnly = format({ timeStyle: 'short' });
const dateOnly = format({ dateStyle: 'medium' });
const withSeconds = format({ dateStyle: 'medium', timeStyle: 'medium' });

// A day has no zone.
const ofDays = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
const fullDay = ofDays({ dateStyle: 'full' });
const namedDay = ofDays({ weekday: 'long', day: 'numeric', month: 'long' });
const mediumDay = ofDays({ dateStyle: 'medium' });
const shortDay = ofDays({ day: 'numeric', month: 'short' });
const monthAndYear = ofDays({ month: 'long', year: 'numeric' });

/** The service's times without an offset are UTC. */
export function instant(time: Time): Date {
  if (typeof time !== 'string') return new Date(time);
  return new Date(/(?:z|[+-]\d\d:?\d\d)$/i.test(time) || !time.includes('T') ? time : `${time}Z`);
}

function written(chosen: TimeFormat, time: Time | undefined): string {
  if (time === undefined) return '';
  const date = instant(time);
  return Number.isNaN(date.getTime()) ? String(time) : chosen().format(date);
}

export const formatDateTime = (time: Time | undefined) => written(dayAndTime, time);
export const formatDate = (time: Time | undefined) => written(dateOnly, time);
export const formatTime = (time: Time | undefined) => written(timeOnly, time);
const timeWithSeconds = format({ timeStyle: 'medium' });

/** Formats a time with its seconds, without its day. */
export const formatTimeOfDay = (time: Time) => written(timeWithSeconds, time);

/** Formats a time with its seconds, and with its day only if that is another one than the day of a former time. */
export function formatSecondsAfter(time: Time, former: Time): string {
  return dayOf(time) === dayOf(former) ? formatTimeOfDay(time) : formatSeconds(time);
}

export const formatSeconds = (time: Time | undefined) => written(withSeconds, time);

const two = (value: number) => String(value).padStart(2, '0');

/** Returns a date whose fields in UTC are the fields of a time in the shown zone. */
function wall(time: Time): Date {
  const date = instant(time);
  return usesUtc.value ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
}

const dayOfDate = (date: Date) =>
  `${String(date.getUTCFullYear()).padStart(4, '0')}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;

/** Returns the day of a time in the shown zone, `YYYY-MM-DD`. */
export function dayOf(time: Time): string {
  return dayOfDate(wall(time));
}

/** Returns the year, the month from 0, and the date of a day. */
function partsOf(day: string): readonly [year: number, month: number, date: number] {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return [year, month - 1, date];
}

/** Returns midnight in UTC. `Date.UTC` takes the years 0 to 99 for years after 1900. */
function midnight(year: number, month: number, date: number): Date {
  const day = new Date(0);
  day.setUTCFullYear(year, month, date);
  return day;
}

const dateOf = (day: string) => midnight(...partsOf(day));

/** Returns the day in a text, `YYYY-MM-DD`, in the years 1 to 9999; undefined if it contains none. */
export function dayIn(text: string): string | undefined {
  // A day such as 99 would count into later months. There is no year 0.
  return /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) && addDays(text, 0) === text ? text : undefined;
}

/** Formats a day: Wednesday 10 March 2027. */
export const formatDay = (day: string) => fullDay.format(dateOf(day));
/** Formats a day: Wednesday 10 March. */
export const formatNamedDay = (day: string) => namedDay.format(dateOf(day));
/** Formats a day: 10 Mar 2027. */
export const formatMediumDay = (day: string) => mediumDay.format(dateOf(day));
/** Formats a day: 10 Mar. */
export const formatShortDay = (day: string) => shortDay.format(dateOf(day));
export const formatMonth = (day: string) => monthAndYear.format(dateOf(day));

/** Formats the first and the last day of a period: 8 Mar – 14 Mar 2027. */
export const formatPeriod = (first: string, last: string) =>
  `${first.slice(0, 4) === last.slice(0, 4) ? formatShortDay(first) : formatMediumDay(first)} – ${formatMediumDay(last)}`;

export function addDays(day: string, days: number): string {
  const [year, month, date] = partsOf(day);
  return dayOfDate(midnight(year, month, date + days));
}

/** Returns the number of days in the month of a day, or in a later month. */
function daysInMonth(day: string, later = 0): number {
  const [year, month] = partsOf(day);
  return midnight(year, month + later + 1, 0).getUTCDate();
}

/** Returns the same day of another month, or that month's last day. */
export function addMonths(day: string, months: number): string {
  const [year, month, date] = partsOf(day);
  return dayOfDate(midnight(year, month + months, Math.min(date, daysInMonth(day, months))));
}

/** Returns the weekday of a day, from 0 for Monday. */
export function weekdayOf(day: string): number {
  return (dateOf(day).getUTCDay() + 6) % 7;
}

/** Returns the days of a week, from Monday to Sunday. */
export function weekOf(day: string): readonly string[] {
  const monday = addDays(day, -weekdayOf(day));
  return Array.from({ length: 7 }, (_, weekday) => addDays(monday, weekday));
}

/** Returns the weeks on a month's page, from Monday to Sunday. */
export function weeksOf(day: string): readonly (readonly string[])[] {
  const first = `${day.slice(0, 7)}-01`;
  const weeks = Math.ceil((weekdayOf(first) + daysInMonth(first)) / 7);
  return Array.from({ length: weeks }, (_, week) => weekOf(addDays(first, week * 7)));
}

/** Formats a time for a `datetime-local` field. */
export function toField(time: Time): string {
  const date = wall(time);
  return `${dayOfDate(date)}T${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
}

/** Reads a time of a `datetime-local` field, in the shown zone. */
export function fromField(text: string): Date {
  return new Date(usesUtc.value ? `${text}Z` : text);
}

/** Returns the same time of another day in the shown zone. */
export function onDay(time: Time, day: string): Date {
  const date = wall(time);
  return fromField(`${day}T${date.toISOString().slice(11, -1)}`);
}
