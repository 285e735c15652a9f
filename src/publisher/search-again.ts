/**
 * When an intent needs a wait and no decision, when an operator can decide that it was not sent, and the search before: its
 * last send can be newer.
 */
import { noTimeText, ofOtherIntentText, type Intent } from './intents/intent-record.js';
import { defaultSettleMs } from './intents/wake-times.js';
import type { Publisher } from './publisher.js';

export { defaultSettleMs };

/**
 * Why nothing can be decided now. `sent_again`: the decision was about an earlier send. `new_posts`: the search found equal
 * posts that the operator has not seen.
 */
export interface Undecided {
  readonly because: 'sent_again' | 'sending' | 'failed' | 'new_posts';
  readonly message: string;
}

/** @param shown the intent as the operator saw it */
export async function searchAgain(publisher: Pick<Publisher, 'resume' | 'get'>, shown: Intent) {
  const { key, state } = shown;
  // `resume` would send an intent that is ready.
  const isInDoubt = state === 'in_doubt' || state === 'sending';
  const intent = isInDoubt ? await publisher.resume(key) : ((await publisher.get(key)) ?? shown);
  return { intent, undecided: undecidedBy(intent, shown) };
}

function undecidedBy({ state, lookup, attempts, postId }: Intent, shown: Intent): Undecided | undefined {
  if (postId !== undefined) return undefined;
  if (attempts !== shown.attempts)
    return { because: 'sent_again', message: 'It was sent again meanwhile. Nothing was decided.' };
  if (state === 'sending')
    return { because: 'sending', message: 'Its request may still be on its way. Nothing was decided.' };
  if (lookup?.result === 'failed' && lookup.error?.message !== noTimeText) {
    const reason = lookup.error?.message ?? 'no reason';
    return { because: 'failed', message: `The search for its post failed (${reason}). Nothing was decided.` };
  }
  const newIds = lookup?.postIds?.filter((postId) => shown.lookup?.postIds?.includes(postId) !== true) ?? [];
  if (newIds.length === 0) return undefined;
  const message = `The search found an equal post that was not known: ${newIds.join(', ')}. Nothing was decided.`;
  return { because: 'new_posts', message };
}

/** Whether an intent waits for its `sendAt`. */
export function isWaiting({ state, sendAt }: Intent, now: number): boolean {
  return state === 'ready' && sendAt !== undefined && Date.parse(sendAt) > now;
}

/** Whether the service answered with the post of another intent. No other decision than `abandoned` is possible. */
export function hasOtherPost({ state, error }: Pick<Intent, 'state' | 'error'>): boolean {
  return state === 'in_doubt' && error?.message === ofOtherIntentText;
}

/** Assumption: the clock of the sender is ahead of the reader's by at most this time. */
const toleratedMs = 60_000;

/**
 * Until then, the service may still execute the last send of an intent, or list its post: an ISO 8601 date-time.
 * `undefined`: this time has passed, a clock that was ahead hides it, or the intent is not in doubt.
 */
export function settlesAt(intent: Intent, now: number): string | undefined {
  const { state } = intent;
  if ((state !== 'in_doubt' && state !== 'sending') || hasOtherPost(intent)) return undefined;
  return lastSendSettlesAt(intent, now);
}

/**
 * Whether an intent is ready after an earlier send, by an operator's decision or an edit. An intent does not show whether that send
 * was in doubt or refused.
 */
export function isToSendAgain({ state, attempts, error }: Intent): boolean {
  return state === 'ready' && attempts > 0 && (error === undefined || error.outcome === 'unknown');
}

/** Returns the same as `settlesAt`, for an intent that was made ready: an operator can decide too early. */
export function decidedSendSettlesAt(intent: Intent, now: number): string | undefined {
  return isToSendAgain(intent) ? lastSendSettlesAt(intent, now) : undefined;
}

function lastSendSettlesAt({ sentAt, createdAt }: Intent, now: number): string | undefined {
  const sent = Date.parse(sentAt ?? createdAt);
  const at = sent + defaultSettleMs;
  return sent <= now + toleratedMs && at > now ? new Date(at).toISOString() : undefined;
}

/** The evidence that a person decides by, for the question. */
export function evidenceText(intent: Intent, now: number): string {
  const { attempts, sentAt, lookup } = intent;
  const last = sentAt === undefined ? '' : `, the last at ${sentAt}${agoText(intent, now)}`;
  const equal = lookup?.postIds?.length ? `; equal posts that the list shows: ${lookup.postIds.join(', ')}` : '';
  return `sends: ${String(attempts)}${last}${equal}`;
}

/** Says how long ago a send was whose post can still appear. */
function agoText(intent: Intent, now: number): string {
  if (settlesAt(intent, now) === undefined) return '';
  const seconds = Math.max(0, Math.floor((now - Date.parse(intent.sentAt ?? intent.createdAt)) / 1_000));
  return `, only ${String(seconds)} s ago: its post may still appear`;
}
