import { isLost } from '../world/lost.js';
import { explain } from '../world/blame.js';
import { followAddress } from './history.js';
import { isAnswering } from './live.js';
import { dismiss, notify } from './notices.js';
import { addressOf } from './route.js';

/** The notice of a lost connection. */
let lostNotice = 0;

isAnswering.subscribe((answers) => {
  if (answers) dismiss(lostNotice);
});

/** Shows why an action failed. */
export async function notifyError(error: unknown): Promise<void> {
  if (!(await isLost(error))) {
    const { words, isByRule } = await explain(error);
    const showRules = {
      label: 'Show the rules',
      run: () => {
        followAddress(addressOf('faults'));
      },
    };
    notify(words, 'bad', isByRule ? showRules : undefined);
    return;
  }
  dismiss(lostNotice);
  lostNotice = notify('The emulator does not answer.', 'bad');
}
