import { InvalidRequestError } from '../core/errors.js';
import { nearestName, unknownNames } from '../core/names.js';
import { dayMs, missingDay } from './day.js';
import { epochOf, hasOffset } from './instant.js';

/** What {@link zonedTime} does where the clocks change. */
export interface ZonedTimeOptions {
  /**
   * The time is skipped when the clocks go forward. `earlier`: as much before the change as it is after it by the old
   * clock, so that 02:30 becomes 01:30; `later`: 02:30 becomes 03:30. Default `reject`: an {@link InvalidRequestError}.
   */
  readonly gap?: 'reject' | 'earlier' | 'later' | undefined;
  /**
   * The time comes twice when the clocks go back. `earlier`: the first one; `later`: the second one. Default `reject`: an
   * {@link InvalidRequestError}.
   */
  readonly overlap?: 'reject' | 'earlier' | 'later' | undefined;
}

const minuteMs = 60_000;
const optionNames: ReadonlySet<string> = new Set<keyof ZonedTimeOptions>(['gap', 'overlap']);
const choices: readonly unknown[] = [undefined, 'reject', 'earlier', 'later'];

/**
 * Gives the time on the clocks of a place as a date-time with its offset, as `scheduledFor` takes it. The rules of time
 * zones are those of the runtime (`Intl`). `earlier` and `later` mean what they mean in Temporal.
 *
 * @example
 * ```ts
 * const scheduledFor = zonedTime('2027-03-26T09:00', 'Europe/Berlin'); // '2027-03-26T09:00:00+01:00'
 * ```
 * @param local `YYYY-MM-DDTHH:mm` or `YYYY-MM-DDTHH:mm:ss`, without an offset
 * @param zone an IANA time zone, for example `Europe/Berlin`
 * @throws {@link InvalidRequestError} it is no such time or zone; or the clocks change then, and nothing was chosen: the
 *   message names the times before and after
 */
export function zonedTime(local: string, zone: string, options: ZonedTimeOptions = {}): string {
  checkOptions(options);
  const wall = readLocal(local);
  const format = formatOf(zone);
  // No zone is further from UTC than 15 hours: a day before and after, the old offset and the new one hold for certain.
  const before = offsetAt(format, wall - dayMs);
  const after = offsetAt(format, wall + dayMs);
  const times = [wall - before, wall - after];
  const shown = times.filter((time) => time + offsetAt(format, time) === wall);
  const isGap = shown.length === 0;
  const candidates = isGap ? times : shown;
  const [earlier, later] = [Math.min(...candidates), Math.max(...candidates)];
  if (!isGap && earlier === later) return write(format, earlier);
  const kind = isGap ? 'gap' : 'overlap';
  const choice = options[kind] ?? 'reject';
  if (choice !== 'reject') return write(format, choice === 'earlier' ? earlier : later);
  throw invalid(
    'local',
    `${isGap ? 'is skipped' : 'comes twice'} in that time zone, where the clocks change: give ${kind}: 'earlier' for ` +
      `${write(format, earlier)} or 'later' for ${write(format, later)}`,
  );
}

function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'must be an object');
  const unknown = unknownNames('option of zonedTime', options, optionNames);
  if (unknown.length > 0) throw new InvalidRequestError(unknown);
  for (const [name, choice] of Object.entries(options)) {
    if (!choices.includes(choice)) throw invalid(name, "must be 'reject', 'earlier' or 'later'");
  }
}

/** The time on the clock, as if it were UTC. */
function readLocal(local: unknown): number {
  if (epochOf(local) !== undefined)
    throw invalid('local', 'a Date names its moment already: give it to the call as it is');
  const text = typeof local === 'string' ? local : '';
  const [, day = '', minute = '', second = ''] =
    /^(\d{4}-(?:0[1-9]|1[0-2])-\d\d)(T\d\d:\d\d)(:\d\d)?$/.exec(text) ?? [];
  if (day === '') {
    throw invalid(
      'local',
      hasOffset(text)
        ? 'says its offset already: give it to the call as it is, or leave the offset out'
        : "must be written YYYY-MM-DDTHH:mm or YYYY-MM-DDTHH:mm:ss, for example '2027-03-28T09:00'",
    );
  }
  const missing = missingDay(day);
  if (missing !== undefined) throw invalid('local', missing);
  const time = Date.parse(`${day}${minute}${second}Z`);
  // 24:00 would be carried over.
  if (Number.isNaN(time) || minute > 'T23:59')
    throw invalid('local', 'must be a time of day from 00:00 to 23:59:59; midnight is 00:00 of the next day');
  return time;
}

/** To make one costs more than to use it a hundred times. */
const formats = new Map<unknown, Intl.DateTimeFormat>();

function formatOf(zone: unknown): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  // Without a zone it would be this machine's.
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

function unknownZone(zone: string): InvalidRequestError {
  const near = nearestName(zone, Intl.supportedValuesOf('timeZone'));
  const hint = near === undefined ? ", for example 'Europe/Berlin'" : `; did you mean '${near}'?`;
  return invalid('zone', `must be an IANA time zone that this runtime knows${hint}`);
}

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
function offsetAt(format: Intl.DateTimeFormat, time: number): number {
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const year = parts['era'] === 'BC' ? 1 - Number(parts['year']) : Number(parts['year']);
  const clock = new Date(0);
  // Date.UTC takes the years 0 to 99 for those of the last century.
  clock.setUTCFullYear(year, Number(parts['month']) - 1, Number(parts['day']));
  clock.setUTCHours(Number(parts['hour']), Number(parts['minute']), Number(parts['second']));
  return clock.getTime() - time;
}

/** An instant by the clocks of a zone, with their offset. */
function write(format: Intl.DateTimeFormat, time: number): string {
  const offset = offsetAt(format, time);
  // Before zones had whole minutes; an ISO date-time has no seconds of offset.
  if (offset % minuteMs !== 0) return new Date(time).toISOString().replace('.000Z', 'Z');
  const clock = new Date(time + offset).toISOString().slice(0, 19);
  const minutes = Math.abs(offset) / minuteMs;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${clock}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function invalid(name: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path: [name], message }]);
}
