import type { InvalidRequestError } from '../core/errors.js';
import { nearestName, checkCallOptions, invalidArgument, oneOf, optionsOf } from '../core/call/options.js';
import { epochOf, hasOffset, dayMs, missingDay } from './instant.js';

/** Which time {@link zonedTime} chooses when the clocks change. */
export interface ZonedTimeOptions {
  /**
   * For a time that the clocks skip when they go forward by an hour at 02:00. `earlier`: 02:30 becomes 01:30. `later`: 02:30
   * becomes 03:30. Default `reject`: an {@link InvalidRequestError}.
   */
  readonly gap?: 'reject' | 'earlier' | 'later' | undefined;
  /**
   * For a time that occurs twice when the clocks go back. `earlier`: the first one. `later`: the second one. Default
   * `reject`: an {@link InvalidRequestError}.
   */
  readonly overlap?: 'reject' | 'earlier' | 'later' | undefined;
}

const minuteMs = 60_000;
const choice = oneOf('reject', 'earlier', 'later');
const zonedTimeOptions = optionsOf<ZonedTimeOptions>('an option of zonedTime', { gap: choice, overlap: choice });

/**
 * Converts a local time in a time zone to a date-time with its offset, as `scheduledFor` accepts it. The time zone
 * rules come from the runtime (`Intl`). `earlier` and `later` mean the same as in Temporal.
 *
 * @example
 * ```ts
 * const scheduledFor = zonedTime('2027-03-26T09:00', 'Europe/Berlin'); // '2027-03-26T09:00:00+01:00'
 * ```
 * @param local `YYYY-MM-DDTHH:mm` or `YYYY-MM-DDTHH:mm:ss`, without an offset
 * @param zone an IANA time zone, for example `Europe/Berlin`
 * @throws {@link InvalidRequestError} the time or the zone is invalid. Or the clocks change at that time and you chose
 *   neither `earlier` nor `later`; the message contains both times
 */
export function zonedTime(local: string, zone: string, options: ZonedTimeOptions = {}): string {
  checkCallOptions(zonedTimeOptions, options);
  const wall = readLocal(local);
  const format = formatOf(zone);
  // No zone is more than 15 hours from UTC: the day before has the old offset, the day after has the new one.
  const before = offsetAt(format, wall - dayMs);
  const after = offsetAt(format, wall + dayMs);
  const times = [wall - before, wall - after];
  const shown = times.filter((time) => time + offsetAt(format, time) === wall);
  const isGap = shown.length === 0;
  const candidates = isGap ? times : shown;
  const [earlier, later] = [Math.min(...candidates), Math.max(...candidates)];
  if (!isGap && earlier === later) return write(format, earlier);
  const kind = isGap ? 'gap' : 'overlap';
  const chosen = options[kind] ?? 'reject';
  if (chosen !== 'reject') return write(format, chosen === 'earlier' ? earlier : later);
  throw invalidArgument(
    'local',
    `'${local}' ${isGap ? 'does not exist' : 'occurs twice'} in ${zone}, because the clocks change. ` +
      `Pass ${kind}: 'earlier' for ${write(format, earlier)}, or ${kind}: 'later' for ${write(format, later)}`,
  );
}

/** Writes an instant by the clocks of a zone: `2027-03-26T09:00:00+01:00`, in UTC `2027-03-26T08:00:00Z`. */
export function timeInZone(time: number, zone: string): string {
  // Fractions of a second are rare, and a text with an offset has none here.
  if (zone === 'UTC' || time % 1_000 !== 0) return new Date(time).toISOString().replace('.000Z', 'Z');
  return write(formatOf(zone), time);
}

/** Returns the time on the clock, as if it were UTC. */
function readLocal(local: unknown): number {
  if (epochOf(local) !== undefined)
    throw invalidArgument('local', 'must be a local time, not a Date. Pass the Date to the call without zonedTime');
  const text = typeof local === 'string' ? local : '';
  const quoted = quote(local);
  const [, day = '', minute = '', second = ''] =
    /^(\d{4}-(?:0[1-9]|1[0-2])-\d\d)(T\d\d:\d\d)(:\d\d)?$/.exec(text) ?? [];
  if (day === '') {
    throw invalidArgument(
      'local',
      hasOffset(text)
        ? `${quoted} must not have an offset. Pass a time with an offset to the call without zonedTime, or remove the offset`
        : `${quoted} must be written YYYY-MM-DDTHH:mm or YYYY-MM-DDTHH:mm:ss, for example '2027-03-28T09:00'`,
    );
  }
  const missing = missingDay(day);
  if (missing !== undefined) throw invalidArgument('local', `${quoted} ${missing}`);
  const time = Date.parse(`${day}${minute}${second}Z`);
  // Date.parse reads 24:00 as 00:00 of the next day.
  if (Number.isNaN(time) || minute > 'T23:59')
    throw invalidArgument(
      'local',
      `${quoted} must be a time of day from 00:00 to 23:59:59; midnight is 00:00 of the next day`,
    );
  return time;
}

/** Creating a format costs more than using it a hundred times. */
const formats = new Map<unknown, Intl.DateTimeFormat>();

function formatOf(zone: unknown): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  // Intl would use this machine's zone.
  if (typeof zone !== 'string' || zone === '') throw unknownZone('');
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(zone, format);
    return format;
  } catch {
    throw unknownZone(zone);
  }
}

/** A value in a message, which says which of many is wrong. */
function quote(value: unknown): string {
  return typeof value === 'string' ? `'${value.slice(0, 40)}'` : `(a ${value === null ? 'null' : typeof value})`;
}

function unknownZone(zone: string): InvalidRequestError {
  const near = nearestName(zone, Intl.supportedValuesOf('timeZone'));
  const hint = near === undefined ? ", for example 'Europe/Berlin'" : `; did you mean '${near}'?`;
  return invalidArgument(
    'zone',
    `${zone === '' ? '' : `'${zone.slice(0, 40)}' `}must be an IANA time zone that this runtime knows${hint}`,
  );
}

/** Returns how far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
function offsetAt(format: Intl.DateTimeFormat, time: number): number {
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const year = parts['era'] === 'BC' ? 1 - Number(parts['year']) : Number(parts['year']);
  const clock = new Date(0);
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  clock.setUTCFullYear(year, Number(parts['month']) - 1, Number(parts['day']));
  clock.setUTCHours(Number(parts['hour']), Number(parts['minute']), Number(parts['second']));
  return clock.getTime() - time;
}

/** Writes an instant by the clocks of a zone, with their offset. */
function write(format: Intl.DateTimeFormat, time: number): string {
  const offset = offsetAt(format, time);
  // Old offsets have seconds, which an ISO date-time cannot express.
  if (offset % minuteMs !== 0) return new Date(time).toISOString().replace('.000Z', 'Z');
  const clock = new Date(time + offset).toISOString().slice(0, 19);
  const minutes = Math.abs(offset) / minuteMs;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${clock}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
