import { signal } from '@preact/signals';
import type { Post } from 'social-publishing';
import { client } from '../world/session.js';
import { emulatorNow } from './clock.js';
import { changed } from './live.js';
import { dismiss, notify } from './notices.js';
import { notifyError } from './notify-error.js';
import { findPost, putPost, titleOfPost } from './posts.js';
import { view } from './route.js';
import { formatDateTime, instant } from './time.js';

/** The post that receives the focus when the calendar shows it and no dialog covers it. */
export const postToFocus = signal<string | undefined>(undefined);

/** Whether the service accepts another time for a post. */
export const canReschedule = ({ status, scheduledFor }: Post): boolean =>
  status === 'scheduled' && scheduledFor !== undefined;

/** The label of the button that undoes a move. */
export const undoLabel = 'Undo';

/** The notice of the latest move: only the latest move can be undone. */
let lastMove = 0;

/** Returns a warning for a time of a post that is past by the emulator's clock; `''` for another time. */
export const warningOfPast = (to: Date): string =>
  to.getTime() <= emulatorNow() ? 'That time is past: the post is published when the clock moves.' : '';

/** The label of a button that publishes a post, after a first press. */
export const confirmPast = 'Confirm: the time is past';

/** Moves a scheduled post to another time. The notice offers to undo it, until the post is published. */
export async function reschedule(post: Post, to: Date): Promise<void> {
  const before = post.scheduledFor;
  await setTime(post, to);
  const late = warningOfPast(to);
  const moved = `${titleOfPost(post)} moved to ${formatDateTime(to)}.`;
  dismiss(lastMove);
  lastMove = notify(() => `${moved} ${reasonToKeep(post.postId) ?? late}`.trim(), late === '' ? 'good' : 'warn', {
    label: undoLabel,
    isOffered: () => {
      const now = findPost(post.postId);
      return now !== undefined && canReschedule(now);
    },
    run: () => {
      if (before !== undefined) void undo(post.postId, instant(before));
    },
  });
}

/** Returns why a move can no longer be undone. */
function reasonToKeep(postId: string): string | undefined {
  const post = findPost(postId);
  if (post === undefined || canReschedule(post)) return undefined;
  return `The post is ${post.status ?? 'published'} now, so you can no longer undo the move.`;
}

async function undo(postId: string, to: Date): Promise<void> {
  const post = findPost(postId);
  if (post === undefined) return;
  try {
    await setTime(post, to);
    // The pressed button is gone.
    if (view.value === 'calendar') postToFocus.value = postId;
    dismiss(lastMove);
    lastMove = notify(`${titleOfPost(post)} is back at ${formatDateTime(to)}.`);
  } catch (error) {
    await notifyError(error);
  }
}

async function setTime(post: Post, to: Date): Promise<void> {
  const { postId, content } = post;
  const scheduledFor = to.toISOString();
  // A listed post does not show the accounts of its targets, so they are left as they are.
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one documented way to edit a post
  await client().posts.updateScheduled(postId, content === undefined ? {} : { content }, {
    extraBody: { scheduledFor },
  });
  putPost({ ...post, scheduledFor });
  changed('post');
}
