import { signal } from '@preact/signals';
import type { Post } from 'social-publishing';
import { client } from '../world/session.js';
import { emulatorNow } from './clock.js';
import { onUncertainState } from './earlier-state.js';
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

/** The notice of the latest move. */
let lastMove = 0;

/** A move that can be undone. */
interface Move {
  readonly postId: string;
  /** The time before the move. */
  readonly before: string;
}

/** The moves in the order in which they were made. */
let moves: readonly Move[] = [];

// Other records can have the same IDs.
onUncertainState(() => {
  moves = [];
});

/** Returns a warning for a time of a post that is past by the emulator's clock; `''` for another time. */
export const warningOfPast = (to: Date): string =>
  to.getTime() <= emulatorNow() ? 'That time is past: the post is published when the clock moves.' : '';

/** The label of a button that publishes a post, after a first press. */
export const confirmPast = 'Confirm: the time is past';

/** Moves a scheduled post to another time. The notice offers to undo it, until the post is published. */
export async function reschedule(post: Post, to: Date): Promise<void> {
  const before = post.scheduledFor;
  await setTime(post, to);
  if (before !== undefined) moves = [...moves, { postId: post.postId, before }];
  const late = warningOfPast(to);
  const moved = `${titleOfPost(post)} moved to ${formatDateTime(to)}.`;
  dismiss(lastMove);
  lastMove = notify(() => `${moved} ${reasonToKeep(post.postId) ?? late}`.trim(), late === '' ? 'good' : 'warn', {
    label: 'Undo',
    isOffered: () => {
      const now = findPost(post.postId);
      return now !== undefined && canReschedule(now);
    },
    run: () => void undoMove(),
  });
}

/** Whether there is a move that may be undone. */
export const hasMoves = (): boolean => moves.some(isUndoable);

/** Undoes the latest move that can be undone. Call it again to undo the move before it. */
export async function undoMove(): Promise<void> {
  const { postId, before } = takeMove() ?? {};
  if (postId === undefined || before === undefined) notify('There is no move to undo.', 'warn');
  else await undo(postId, instant(before));
}

/** Whether the post is still scheduled. */
function isUndoable({ postId }: Move): boolean {
  const post = findPost(postId);
  return post !== undefined && canReschedule(post);
}

/** Takes the latest move of a post that is still scheduled. */
function takeMove(): Move | undefined {
  const index = moves.findLastIndex(isUndoable);
  const move = moves[index];
  moves = moves.slice(0, Math.max(0, index));
  return move;
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
