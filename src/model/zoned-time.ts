import { InvalidRequestError } from '../core/errors.js';
import { dayMs } from './day.js';

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
  const times = [...new Set([wall - before, wall - after])].sort((a, b) => a - b);
  const [first = 0, last = first] = times.filter((time) => time + offsetAt(format, time) === wall);
  const isGap = !times.some((time) => time + offsetAt(format, time) === wall);
  if (!isGap && first === last) return write(format, first);
  const [earlier, later] = isGap ? [Math.min(...times), Math.max(...times)] : [first, last];
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
  for (const [name, choice] of Object.entries(options)) {
    if (name !== 'gap' && name !== 'overlap') throw invalid(name, 'is no option of zonedTime; there are gap, overlap');
    if (!choices.includes(choice)) throw invalid(name, "must be 'reject', 'earlier' or 'later'");
  }
}

/** The time on the clock, as if it were UTC. */
function readLocal(local: unknown): number {
  const match = typeof local === 'string' ? /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2})?$/.exec(local) : null;
  const text = `${match?.[1] ?? ''}${match?.[2] ?? ':00'}.000Z`;
  const time = Date.parse(text);
  // A day that no month has, or 24:00, would be carried over.
  if (match === null || Number.isNaN(time) || new Date(time).toISOString() !== text) {
    throw invalid(
      'local',
      "must be a time that exists, as YYYY-MM-DDTHH:mm or YYYY-MM-DDTHH:mm:ss ('2027-03-28T09:00'), without an offset",
    );
  }
  return time;
}

/** To make one costs more than to use it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: unknown): Intl.DateTimeFormat {
  const known = typeof zone === 'string' ? formats.get(zone) : undefined;
  if (known !== undefined) return known;
  // Without a zone it would be this machine's.
  if (typeof zone !== 'string' || zone === '') throw invalid('zone', zoneRule);
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
    throw invalid('zone', zoneRule);
  }
}

const zoneRule = "must be an IANA time zone that this runtime knows, for example 'Europe/Berlin'";

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
