import { signal } from '@preact/signals';
import { isFinalStatus } from 'social-publishing';
import { emulatorNow, setClock } from '../state/clock.js';
import { openDialog } from '../state/dialogs.js';
import { followAddress } from '../state/history.js';
import { dismiss, notify } from '../state/notices.js';
import { notifyError } from '../state/notify-error.js';
import { findPost, posts, timeOf } from '../state/posts.js';
import { linkTo } from '../state/route.js';
import { dayOf, formatDateTime, instant } from '../state/time.js';

/** The number of moves: a form shows the new time after each. */
export const clockMoves = signal(0);

/** The notice of the latest move: a later one replaces it. */
let lastMove = 0;

/** Moves the clock. A notice says what time it is, and what happened to the posts that were due. */
export async function moveClock(move: () => Promise<void>): Promise<void> {
  const before = emulatorNow();
  const scheduled = posts.value.filter(({ status }) => status === 'scheduled');
  await move();
  const after = emulatorNow();
  clockMoves.value += 1;
  dismiss(lastMove);
  if (after < before) {
    lastMove = notify('The clock went back. Nothing was undone.', 'warn', {
      label: 'Go forward again',
      run: () => void goForwardTo(before),
    });
    return;
  }
  const due = scheduled.filter((post) => instant(timeOf(post) ?? Infinity).getTime() <= after);
  const ids = due.map(({ postId }) => postId);
  const [first] = ids;
  lastMove = notify(
    () => `It is ${formatDateTime(after)}. ${ids.length === 0 ? 'No post was due.' : `Posts: ${countsOf(ids)}.`}`,
    () => (statusesOf(ids).some((status) => status === 'failed' || status === 'partial') ? 'bad' : 'good'),
    first === undefined
      ? undefined
      : {
          label: 'Show',
          run: () => {
            if (ids.length === 1) openDialog.value = { kind: 'post', postId: first };
            else followAddress(linkTo('calendar', { day: dayOf(after) }));
          },
        },
  );
}

async function goForwardTo(time: number): Promise<void> {
  try {
    await moveClock(() => setClock(new Date(time)));
  } catch (error) {
    await notifyError(error);
  }
}

/** The posts change while the notice is shown: the page receives their results after the move. */
function statusesOf(ids: readonly string[]): readonly string[] {
  return ids.map((postId) => {
    const status = findPost(postId)?.status;
    return isFinalStatus(status) ? status : 'due';
  });
}

/** Counts posts by status: 3 published, 1 partial. */
function countsOf(ids: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const status of statusesOf(ids)) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}
