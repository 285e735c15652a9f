import { isFinalStatus } from 'social-publishing';
import { openDialog } from '../state/dialogs.js';
import { followAddress } from '../state/history.js';
import { hasProblem } from '../state/post-filter.js';
import { findPost, posts } from '../state/posts.js';
import { countByName } from '../state/quantity.js';
import { linkTo } from '../state/route.js';
import { dayOf, instant } from '../state/time.js';

interface ScheduledPost {
  readonly postId: string;
  /** In milliseconds. */
  readonly time: number;
}

/** The scheduled posts and their times. Call it before the clock moves: afterwards, some are published. */
export const scheduledPosts = (): readonly ScheduledPost[] =>
  posts.value.flatMap(({ postId, status, scheduledFor }) =>
    status === 'scheduled' && scheduledFor !== undefined ? [{ postId, time: instant(scheduledFor).getTime() }] : [],
  );

/** The posts change while a notice is shown: the page receives their results after the move. */
function resultOf(postId: string): string {
  const status = findPost(postId)?.status;
  return isFinalStatus(status) ? status : 'due';
}

function hasFailed(postId: string): boolean {
  const post = findPost(postId);
  return post !== undefined && hasProblem(post);
}

export const haveFailed = (ids: readonly string[]): boolean => ids.some(hasFailed);

/** Counts posts by status: 3 published, 1 partial. */
export const countsOf = (ids: readonly string[]): string => countByName(ids.map(resultOf));

/** Leads to the only post, or to the only one with a problem, else to the day. */
export function showPosts(ids: readonly string[], time: number): void {
  const failed = ids.filter(hasFailed);
  const [first, ...others] = failed.length > 0 ? failed : ids;
  if (first !== undefined && others.length === 0) openDialog.value = { kind: 'post', postId: first };
  else followAddress(linkTo('calendar', { day: dayOf(time) }));
}
