import { isLost } from '../world/lost.js';
import { wordsOfAction } from '../world/blame.js';
import { isAnswering } from './live.js';
import { dismiss, notify } from './notices.js';

/** The notice of a lost connection. */
let lostNotice = 0;

isAnswering.subscribe((answers) => {
  if (answers) dismiss(lostNotice);
});

/** Shows why an action failed. */
export async function notifyError(error: unknown): Promise<void> {
  if (!(await isLost(error))) {
    notify(await wordsOfAction(error), 'bad');
    return;
  }
  dismiss(lostNotice);
  lostNotice = notify('The emulator does not answer.', 'bad');
}
