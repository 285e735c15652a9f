import type { Outcome } from '../core/errors.js';
import type { CallWatcher } from '../core/transport.js';

/** How far a call has come. */
export interface CallState {
  /** Attempts handed to `fetch`. */
  attempts: number;
  /** What became of the operation in the attempts that are over. */
  outcome: Outcome;
  /** An attempt's reply was lost, or can't be read. */
  mayHaveSucceeded: boolean;
  readonly watcher: CallWatcher | undefined;
}
