import { post } from '../world/workbench.js';
import { changed } from './live.js';
import { dismissActions, notify } from './notices.js';

type ResetTarget = 'start' | 'demo' | 'empty';

const results: Readonly<Record<ResetTarget, string>> = {
  start: 'The emulator is as it was at its start.',
  demo: 'The demo is loaded.',
  empty: 'The emulator is empty.',
};

/** Replaces the whole state of the emulator. */
export async function resetTo(to: ResetTarget): Promise<void> {
  await post('reset', { to });
  dismissActions();
  notify(results[to]);
  changed('post', 'account', 'fault');
}
