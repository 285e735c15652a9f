import { signal } from '@preact/signals';
import { accounts } from './state/accounts.js';
import { watchClock } from './state/clock.js';
import { connect } from './state/live.js';
import { loadPosts } from './state/posts.js';
import { openSession } from './world/session.js';
import { get } from './world/workbench.js';
import { wordsOf } from './world/words.js';

/** Why the page could not begin. */
export const startProblem = signal<string | undefined>(undefined);

/** Asks for the access key, then reads what every view needs. */
export async function start(): Promise<void> {
  startProblem.value = undefined;
  try {
    const { accessKey } = await get<{ readonly accessKey: string | null }>('session');
    openSession(accessKey);
  } catch (error) {
    startProblem.value = `The emulator did not answer: ${wordsOf(error)}`;
    return;
  }
  connect();
  // Every view shows something of these.
  watchClock();
  accounts.watch();
  await loadPosts();
}
