import type { Keys } from './keys.js';

/** Something to do, found by its words or by its keys. */
export interface Command {
  readonly id: string;
  readonly label: string;
  /** Facts beside the label. */
  readonly hint?: string;
  readonly keys?: Keys;
  readonly run: () => unknown;
}
