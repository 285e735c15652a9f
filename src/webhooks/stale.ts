import type { KnownEventType } from '../model/events.js';
import { finalPostStatuses } from '../model/post-status.js';
import { epochOf, instantOf } from '../model/instant.js';
import type { DateTimeInput } from '../schema/fields.js';

/** What {@link isStale} compares events by. A stored event may have its `createdAt` as a `Date`. */
export interface EventMoment {
  /** The event's type. */
  readonly type: string;
  /** When it was made: an ISO 8601 date-time, a `Date` or an instant. */
  readonly createdAt?: DateTimeInput | null | undefined;
}

const finalTypes: readonly string[] = finalPostStatuses.map((status): KnownEventType => `post.${status}`);

/**
 * Tells whether an event of a post says nothing newer than what is already known of it. Deliveries are tried again, so
 * that an older event can come after a newer one: a receiver that keeps the state of a post asks this first. Give it two
 * events of the same post.
 *
 * An event is stale where it was made earlier, or where it is `post.scheduled` after a final event: the service sends
 * exactly one final event when publishing finishes. A final event after `post.scheduled` is never stale, for the same
 * reason. Events of the same moment are not stale, except for the first rule.
 *
 * ```ts
 * if (!isStale(known.get(event.data.post.id), event)) known.set(event.data.post.id, event);
 * ```
 *
 * API document: Events, rule 1.
 *
 * @param previous the last event that was taken, or only its `type` and `createdAt`; `undefined` or `null`: none
 */
export function isStale(previous: EventMoment | null | undefined, next: EventMoment): boolean {
  if (previous === undefined || previous === null) return false;
  if (finalTypes.includes(previous.type) && next.type === 'post.scheduled') return true;
  // Whatever the clocks of the service say: the one final event must not be lost.
  if (previous.type === 'post.scheduled' && finalTypes.includes(next.type)) return false;
  // A time that is not told or can't be read is NaN, which is less than nothing: then nothing says that the event is old.
  return timeOf(next) < timeOf(previous);
}

/** Milliseconds since 1970, or NaN. */
function timeOf({ createdAt }: EventMoment): number {
  return (typeof createdAt === 'string' ? instantOf(createdAt) : epochOf(createdAt)) ?? Number.NaN;
}
