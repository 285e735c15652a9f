import type { Outcome } from '../core/errors.js';
import type { CallWatcher } from '../core/transport.js';
import type { PlainHeaders } from './headers.js';
import type { Teller } from './call-events.js';

/** How far a call has come. */
export interface CallState {
  /** Attempts handed to `fetch`. */
  attempts: number;
  /** What became of the operation in the attempts that are over. */
  outcome: Outcome;
  /** An attempt's reply was lost, or can't be read. */
  mayHaveSucceeded: boolean;
  /** What it cost. */
  credits: number;
  readonly watcher: CallWatcher | undefined;
  /** `undefined`: nobody listens. */
  teller: Teller | undefined;
  /** Headers of the newest attempt that hooks added. */
  added: PlainHeaders | undefined;
}
