import { signal } from '@preact/signals';
import { accounts } from './state/accounts.js';
import { watchClock } from './state/clock.js';
import { watchFailures } from './state/failures.js';
import { connect } from './state/live.js';
import { loadPosts } from './state/posts.js';
import { readSession } from './world/read-session.js';
import { wordsOf } from './world/words.js';

/** Why the page could not start. */
export const startProblem = signal<string | undefined>(undefined);

/** Asks for the access key, then reads the data that every view needs. */
export async function start(): Promise<void> {
  startProblem.value = undefined;
  try {
    await readSession();
  } catch (error) {
    startProblem.value = `The emulator did not answer: ${wordsOf(error)}`;
    return;
  }
  connect();
  // Every view uses these.
  watchClock();
  accounts.watch();
  watchFailures();
  await loadPosts();
}
