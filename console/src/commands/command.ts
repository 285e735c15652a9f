import type { Keys } from './keys.js';

/** Something to do, found by its words or by its keys. */
export interface Command {
  readonly id: string;
  readonly label: string;
  /** Facts beside the label. */
  readonly hint?: string;
  readonly keys?: Keys;
  /** Other words that find it. */
  readonly aliases?: string;
  /** The question before an irreversible command: it runs on the second Enter. */
  readonly confirm?: string;
  readonly run: () => unknown;
}
