import { get, post } from '../world/workbench.js';
import { changed } from './live.js';
import { remote } from './remote.js';

/** An outcome of publications, before it is planned. */
export interface OutcomeInput {
  readonly platform?: string;
  readonly accountId?: string;
  readonly postId?: string;
  readonly error?: string;
  readonly warning?: string;
  readonly times?: number;
  readonly until?: string | number;
}

/** A planned outcome. */
export interface ShownOutcome extends OutcomeInput {
  readonly id: string;
  /** The number of targets that it applied to. */
  readonly struck: number;
}

export const outcomes = remote(
  async () => (await get<{ readonly outcomes: readonly ShownOutcome[] }>('outcomes')).outcomes,
  ['fault'],
);

/** Plans an outcome. If several match a target, the last one applies. */
export async function planOutcome(outcome: OutcomeInput): Promise<void> {
  await post('outcomes', outcome);
  changed('fault');
}
