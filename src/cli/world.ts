import type { DurableStore } from '../publisher/index.js';

export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface InputStream extends AsyncIterable<unknown> {
  readonly isTTY?: boolean | undefined;
}

export interface OpenCommandStore {
  readonly store: DurableStore;
  /** Its place, for messages: a path, or a server without its password. */
  readonly name: string;
  readonly close: () => unknown;
}

/** The parts of the process that the command uses. Tests pass their own. */
export interface World {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ctrl-C aborts it. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Waits until stdout is written. Resolves to the error if that failed, for example if the disk is full. */
  readonly flush?: () => Promise<Error | undefined>;
  /** Replaces the SQLite file, for tests on a Node without `node:sqlite`. */
  readonly openFile?: (file: string) => Promise<OpenCommandStore>;
}
