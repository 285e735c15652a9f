import type { DurableStore } from '../publisher/index.js';

/** A stream that the command writes to. */
export interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** The stream that the command reads from. */
export interface InputStream extends AsyncIterable<unknown> {
  readonly isTTY?: boolean | undefined;
}

/** A store that the command opened. */
export interface OpenCommandStore {
  readonly store: DurableStore;
  /** Its place, for people: a path, or a server without its password. */
  readonly name: string;
  readonly close: () => unknown;
}

/** Everything that the command uses of its process. Tests pass their own. */
export interface World {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts with Ctrl-C. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Replaces the SQLite file, for tests on a Node without `node:sqlite`. */
  readonly openFile?: (file: string) => Promise<OpenCommandStore>;
}
