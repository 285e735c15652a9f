import { signal } from '@preact/signals';
import { accounts } from './state/accounts.js';
import { watchClock } from './state/clock.js';
import { watchFailures } from './state/failures.js';
import { checkConnection, connect, isAnswering } from './state/live.js';
import { loadPosts } from './state/posts.js';
import { checkVisibility } from './state/visibility.js';
import { readSession } from './world/read-session.js';
import { wordsOf } from './world/words.js';

/** Why the page could not start. */
export const startProblem = signal<string | undefined>(undefined);

isAnswering.subscribe((answers) => {
  if (answers && startProblem.value !== undefined) void start();
});

/** Asks for the access key, then reads the data that every view needs. */
export async function start(): Promise<void> {
  startProblem.value = undefined;
  checkVisibility();
  try {
    await readSession();
  } catch (error) {
    startProblem.value = wordsOf(error);
    checkConnection();
    return;
  }
  connect();
  // Every view uses these.
  watchClock();
  accounts.watch();
  watchFailures();
  await loadPosts();
}
