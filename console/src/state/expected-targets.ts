import type { Post, TargetResult } from 'social-publishing';
import { accounts, isConnected } from './accounts.js';
import { isProblem, targetsOf } from './posts.js';
import { accountsOf } from './target-accounts.js';

const warning = 'The account is not connected, so this target will fail.';

/** Returns a target of a scheduled post with a warning, if its account cannot publish. */
export function withExpectation(target: TargetResult, accountId: string | undefined): TargetResult {
  const account = accounts.value.value?.find(({ id }) => id === accountId);
  return account === undefined || isConnected(account) ? target : { ...target, warning };
}

/** Returns the targets of a post. A target that will fail has a warning, so that lists show it as a problem. */
export function expectedTargets(post: Post): readonly TargetResult[] {
  const targets = targetsOf(post);
  if (post.status !== 'scheduled' || accounts.value.value?.every(isConnected) !== false) return targets;
  const ids = accountsOf(post);
  return targets.map((target, index) => withExpectation(target, ids[index]));
}

/** Whether a target of a scheduled post will fail, because its account is not connected. */
const willFail = (post: Post): boolean => post.status === 'scheduled' && expectedTargets(post).some(isProblem);

/** The status of a post for its symbol, and in words. A post that will fail has the symbol of a warning. */
export function signOf(post: Post): { readonly sign: string | undefined; readonly words: string } {
  const { status } = post;
  return willFail(post)
    ? { sign: 'partial', words: 'scheduled, a target will fail' }
    : { sign: status, words: status ?? 'unknown' };
}
