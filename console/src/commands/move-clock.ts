import { emulatorNow, setClock } from '../state/clock.js';
import { dismiss, notify } from '../state/notices.js';
import { notifyError } from '../state/notify-error.js';
import { formatDateTime } from '../state/time.js';
import { clockMoves } from './clock-moves.js';
import { countsOf, haveFailed, scheduledPosts, showPosts } from './due-posts.js';

/** The notice of the latest move: a later one replaces it. */
let lastMove = 0;

/** Moves the clock. A notice says what time it is, and what happened to the posts that were due. */
export async function moveClock(move: () => Promise<void>): Promise<void> {
  const before = emulatorNow();
  const scheduled = scheduledPosts();
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
  const ids = scheduled.flatMap(({ postId, time }) => (time <= after ? [postId] : []));
  lastMove = notify(
    () => `It is ${formatDateTime(after)}. ${ids.length === 0 ? 'No post was due.' : `Posts: ${countsOf(ids)}.`}`,
    () => (haveFailed(ids) ? 'bad' : 'good'),
    ids.length === 0
      ? undefined
      : {
          label: 'Show',
          run: () => {
            showPosts(ids, after);
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
