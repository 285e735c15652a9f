import { get, post } from '../world/workbench.js';
import { changed } from './live.js';
import { remote } from './remote.js';

/** A planned outcome of publications. */
export interface OutcomeEntry {
  readonly platform?: string;
  readonly accountId?: string;
  readonly postId?: string;
  readonly error?: string;
  readonly warning?: string;
  readonly times?: number;
  readonly until?: string | number;
}

export const outcomes = remote(
  async () => (await get<{ readonly outcomes: readonly OutcomeEntry[] }>('outcomes')).outcomes,
  ['fault', 'post'],
);

/** Plans an outcome. If several match a target, the last one applies. */
export async function planOutcome(outcome: OutcomeEntry): Promise<void> {
  await post('outcomes', outcome);
  changed('fault');
}
