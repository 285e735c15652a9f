/** The search before an operator's decision that an intent was not sent: its last send can be newer than the decision. */
import type { Intent } from './intents/intent-record.js';
import type { Publisher } from './publisher.js';

/** Why nothing can be decided now. `new_posts`: the search found equal posts that the operator has not seen. */
export interface Undecided {
  readonly because: 'sending' | 'failed' | 'new_posts';
  readonly message: string;
}

export interface SearchedAgain {
  readonly intent: Intent;
  readonly undecided?: Undecided | undefined;
}

/** @param shown the intent as the operator saw it */
export async function searchAgain(publisher: Pick<Publisher, 'resume'>, shown: Intent): Promise<SearchedAgain> {
  if (shown.state !== 'in_doubt' && shown.state !== 'sending') return { intent: shown };
  const intent = await publisher.resume(shown.key);
  return { intent, undecided: undecidedBy(intent, shown) };
}

function undecidedBy({ state, lookup }: Intent, shown: Intent): Undecided | undefined {
  if (state === 'sending')
    return { because: 'sending', message: 'Its request may still be on its way. Nothing was decided.' };
  if (lookup?.result === 'failed') {
    const reason = lookup.error?.message ?? 'no reason';
    return { because: 'failed', message: `The search for its post failed (${reason}). Nothing was decided.` };
  }
  const newIds = lookup?.postIds?.filter((postId) => shown.lookup?.postIds?.includes(postId) !== true) ?? [];
  if (newIds.length === 0) return undefined;
  const message = `The search found an equal post that was not known: ${newIds.join(', ')}. Nothing was decided.`;
  return { because: 'new_posts', message };
}
