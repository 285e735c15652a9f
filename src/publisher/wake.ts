/** When to come back to an intent. All functions are pure; times are milliseconds. */
import { instantOf } from '../model/instant.js';
import type { PostNews } from './record.js';

const second = 1_000;
const minute = 60 * second;

/** The longest time between two looks at what is open. */
export const lookAtLeastEveryMs = 60 * minute;
/** A key that is refused may be mended any moment, and hitting the service with it in between helps nobody. */
const afterUnauthorizedMs = 5 * minute;
/** Publishing takes a moment: a look in the very second of the appointed time finds nothing. */
const afterScheduledMs = 30 * second;

/** The pauses before the next look for a post. */
const lookPausesMs = [5 * second, 15 * second, minute, 5 * minute, 15 * minute];
/** The pauses before something is sent that did not get through. */
const sendPausesMs = [second, 5 * second, 15 * second, minute, 5 * minute];

export function nextLook(at: number, looks: number): number {
  return at + (lookPausesMs[looks] ?? lookAtLeastEveryMs);
}

export function nextSend(at: number, attempts: number): number {
  return at + (sendPausesMs[attempts - 1] ?? 5 * minute);
}

/** After a 429: never before the service's own time. */
export function afterRateLimit(at: number, attempts: number, retryAfterMs: number | undefined): number {
  return Math.max(nextSend(at, attempts), at + (retryAfterMs ?? 0));
}

export function afterUnauthorized(at: number): number {
  return at + afterUnauthorizedMs;
}

/** When to look at an accepted post: once its time has come, then less and less often. */
export function nextLookAtAccepted(at: number, looks: number, { scheduledFor }: PostNews): number {
  const next = nextLook(at, looks);
  const time = instantOf(scheduledFor);
  return time === undefined ? next : Math.max(next, time + afterScheduledMs);
}
