/** The search before an operator's decision that an intent was not sent: its last send can be newer than the decision. */
import { noTimeText, type Intent } from './intents/intent-record.js';
import type { Publisher } from './publisher.js';

/**
 * Why nothing can be decided now. `sent_again`: the decision was about an earlier send. `new_posts`: the search found equal
 * posts that the operator has not seen.
 */
export interface Undecided {
  readonly because: 'sent_again' | 'sending' | 'failed' | 'new_posts';
  readonly message: string;
}

export interface SearchedAgain {
  readonly intent: Intent;
  readonly undecided?: Undecided | undefined;
}

/** @param shown the intent as the operator saw it */
export async function searchAgain(publisher: Pick<Publisher, 'resume' | 'get'>, shown: Intent): Promise<SearchedAgain> {
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

/** The evidence that a person decides by, for the question. */
export function evidenceText({ attempts, sentAt, lookup }: Intent): string {
  const last = sentAt === undefined ? '' : `, the last at ${sentAt}`;
  const equal = lookup?.postIds?.length ? `; equal posts that the list shows: ${lookup.postIds.join(', ')}` : '';
  return `sends: ${String(attempts)}${last}${equal}`;
}
