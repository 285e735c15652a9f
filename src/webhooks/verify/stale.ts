import type { KnownEventType } from '../../model/events.js';
import { finalPostStatuses } from '../../model/known-values.js';
import { epochOf, instantOf } from '../../model/instant.js';
import type { DateTimeInput } from '../../schema/fields.js';

/** The fields of an event that {@link isStale} compares. A stored event may have a `Date` as `createdAt`. */
export interface EventMoment {
  /** The event's type. */
  readonly type: string;
  /** When the event was created: an ISO 8601 date-time, a `Date` or an instant. Missing or `null`: unknown. */
  readonly createdAt?: DateTimeInput | null | undefined;
}

const finalTypes: readonly string[] = finalPostStatuses.map((status): KnownEventType => `post.${status}`);

/**
 * Returns whether an event of a post is older than the event that you already have. The service retries deliveries, so
 * an older event can arrive after a newer one. If you store the state of a post, call it before each update, with two
 * events of the same post.
 *
 * An event is stale if it was created earlier, or if it is `post.scheduled` after a final event. A final event after
 * `post.scheduled` is never stale, because the service sends exactly one final event, when publishing ends. An event
 * with the same time as the previous one is not stale, unless it is `post.scheduled` after a final event.
 *
 * @example
 * ```ts
 * if (!isStale(known.get(event.data.post.id), event)) known.set(event.data.post.id, event);
 * ```
 *
 * API document: Events, rule 1.
 *
 * @param previous the last event that you accepted, or only its `type` and `createdAt`; `undefined` or `null`: none
 */
export function isStale(previous: EventMoment | null | undefined, next: EventMoment): boolean {
  if (previous === undefined || previous === null) return false;
  if (finalTypes.includes(previous.type) && next.type === 'post.scheduled') return true;
  // Even if its time is earlier: the final event must not be lost.
  if (previous.type === 'post.scheduled' && finalTypes.includes(next.type)) return false;
  // A missing or unreadable time is NaN, and comparisons with NaN are false: the event is not stale.
  return timeOf(next) < timeOf(previous);
}

/** Returns milliseconds since 1970, or NaN. */
function timeOf({ createdAt }: EventMoment): number {
  return (typeof createdAt === 'string' ? instantOf(createdAt) : epochOf(createdAt)) ?? Number.NaN;
}
