import { signal } from '@preact/signals';
import { accounts } from './state/accounts.js';
import { watchClock } from './state/clock.js';
import { watchActiveRules } from './state/rules.js';
import { watchFailures } from './state/failures.js';
import { checkConnection, connect } from './state/live.js';
import { loadPosts } from './state/posts.js';
import { checkVisibility } from './state/visibility.js';
import { readSession } from './world/read-session.js';
import { gathered } from './state/timers.js';
import { wordsOfRead } from './world/words.js';

/** Why the page could not start. */
export const startProblem = signal<string | undefined>(undefined);

const startAgain = gathered(3_000, () => void start());

let isStarting = false;

/** Asks for the access key, then reads the data that every view needs. Repeats this until the emulator answers. */
export async function start(): Promise<void> {
  if (isStarting) return;
  isStarting = true;
  checkVisibility();
  try {
    await readSession();
  } catch (error) {
    // A lost emulator is reported once for the whole page.
    await checkConnection();
    startProblem.value = wordsOfRead(error);
    isStarting = false;
    startAgain();
    return;
  }
  startProblem.value = undefined;
  connect();
  // Every view uses these.
  watchClock();
  accounts.watch();
  watchFailures();
  watchActiveRules();
  await loadPosts();
}
