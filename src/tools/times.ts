import { InvalidRequestError } from '../core/errors.js';
import { invalidArgument } from '../core/options.js';
import { instantOf, momentOf } from '../model/instant.js';
import { timeInZone, zonedTime } from '../model/zoned-time.js';

/** A time that clocks skip or repeat, with both neighbours. */
export class AmbiguousTime extends InvalidRequestError {
  readonly field: string;
  readonly earlier: string;
  readonly later: string;

  constructor(field: string, message: string, earlier: string, later: string) {
    super([{ path: [field], message }]);
    this.field = field;
    this.earlier = earlier;
    this.later = later;
  }
}

/** Writes a time of the service by the clocks of a zone, with their offset. Another text is returned as it is. */
export function shownTime(text: string | undefined, timeZone: string): string | undefined {
  const instant = instantOf(text);
  return instant === undefined ? text : timeInZone(instant, timeZone);
}

/**
 * Reads a local time of a zone, or a time with its offset. Equal moments are written in the same form (in UTC), so a
 * call repeated in another notation has the same content.
 * @throws AmbiguousTime the clocks skip or repeat this local time
 * @throws InvalidRequestError the time is invalid
 */
export function readTime(field: string, text: string, timeZone: string): string {
  const moment = momentOf(text);
  if (moment !== undefined) return timeInZone(moment, 'UTC');
  const choose = (choice: 'earlier' | 'later') => zonedTime(text, timeZone, { gap: choice, overlap: choice });
  let earlier: string;
  try {
    earlier = choose('earlier');
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    const message =
      "must be a local time such as '2027-03-28T09:00', or a time with its offset such as " +
      "'2027-03-28T09:00:00+02:00'";
    throw invalidArgument(field, message);
  }
  const later = choose('later');
  if (earlier !== later) {
    const isRepeated = earlier.startsWith(text.slice(0, 16)) && later.startsWith(text.slice(0, 16));
    const what = isRepeated ? 'occurs twice' : 'does not exist';
    const message = `${field} ${text} ${what} in ${timeZone}, because the clocks change`;
    throw new AmbiguousTime(field, message, earlier, later);
  }
  return timeInZone(Date.parse(earlier), 'UTC');
}
