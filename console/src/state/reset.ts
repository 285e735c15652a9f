import { post } from '../world/workbench.js';
import { changed } from './live.js';
import { forgetEarlierState } from './earlier-state.js';
import { notify } from './notices.js';

type ResetTarget = 'start' | 'demo' | 'empty';

/** The resets, with the labels of their buttons before and after the first press. */
export const resets = [
  { to: 'start', label: 'Reset to the start', confirm: 'Confirm the reset', icon: 'again' },
  { to: 'demo', label: 'Load the demo', confirm: 'Confirm: load the demo', icon: 'again' },
  { to: 'empty', label: 'Remove everything', confirm: 'Confirm the removal', icon: 'bin' },
] as const satisfies readonly {
  readonly to: ResetTarget;
  readonly label: string;
  readonly confirm: string;
  readonly icon: string;
}[];

const results: Readonly<Record<ResetTarget, string>> = {
  start: 'The emulator is as it was at its start.',
  demo: 'The demo is loaded.',
  empty: 'The emulator is empty.',
};

/** Replaces the whole state of the emulator. */
export async function resetTo(to: ResetTarget): Promise<void> {
  await post('reset', { to });
  forgetEarlierState();
  notify(results[to]);
  changed('post', 'account', 'fault');
}
