/** Decides when an intent is due next. All functions are pure; times are milliseconds. */
import { dayMs, instantOf } from '../../model/instant.js';
import type { IntentError } from './intent-record.js';

const second = 1_000;
const minute = 60 * second;

/** The longest time between two searches for an open intent. */
export const longestPauseMs = 60 * minute;
/** An operator can fix a refused key at any time, and more requests before that do not help. */
const afterUnauthorizedMs = 5 * minute;
/** Publishing takes a moment, so a search at the scheduled second would find nothing. */
const afterScheduledMs = 30 * second;

/** The default of `settleMs`. Advice to decide about an intent counts from the same time. */
export const defaultSettleMs = 10 * minute;

/** The times of searches, counted from the send. Later ones follow every hour. */
const searchTimesMs = [5 * second, 20 * second, 80 * second, 380 * second, 1_280 * second];
/** The pauses before an intent that was not sent is sent again. */
const sendPausesMs = [second, 5 * second, 15 * second, minute, 5 * minute];

/**
 * Returns the pause before the next search. It depends only on the time since the send, so a search by another process
 * does not postpone it.
 * @param passedMs since the send. A negative time comes from clocks that differ: its amount counts
 */
export function searchPause(passedMs: number): number {
  const passed = Math.abs(passedMs);
  const next = searchTimesMs.find((time) => time > passed);
  if (next !== undefined) return next - passed;
  return longestPauseMs - ((passed - (searchTimesMs.at(-1) ?? 0)) % longestPauseMs);
}

export function nextSend(at: number, attempts: number): number {
  return at + (sendPausesMs[attempts - 1] ?? 5 * minute);
}

/**
 * After a 429: not before the time in `Retry-After`. If the client did not send the intent because of another call's 429:
 * at most a day later. One wrong `Retry-After` must not hold back all intents for years.
 */
export function afterRateLimit(
  at: number,
  attempts: number,
  { outcome, retryAfterMs = 0 }: Pick<IntentError, 'outcome' | 'retryAfterMs'>,
): number {
  const waitMs = outcome === 'not_sent' ? Math.min(retryAfterMs, dayMs) : retryAfterMs;
  return Math.max(nextSend(at, attempts), at + waitMs);
}

export function afterUnauthorized(at: number): number {
  return at + afterUnauthorizedMs;
}

/**
 * Returns when an accepted post is checked next: once its time has come, then less and less often.
 * @param acceptedAt when the service accepted it
 */
export function nextCheck(at: number, acceptedAt: number, scheduledFor: string | undefined): number {
  const time = instantOf(scheduledFor);
  const firstCheckAt = time === undefined ? undefined : time + afterScheduledMs;
  if (firstCheckAt !== undefined && at < firstCheckAt) return Math.max(firstCheckAt, at + (searchTimesMs[0] ?? 0));
  const since = firstCheckAt === undefined ? acceptedAt : Math.max(acceptedAt, firstCheckAt - (searchTimesMs[0] ?? 0));
  return at + searchPause(at - since);
}
