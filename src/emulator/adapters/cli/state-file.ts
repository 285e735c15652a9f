import { existsSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Emulator, EmulatorState } from '../../index.js';
import { snapshotText } from '../../snapshots.js';
import { codeOf, readJsonFile } from './json-file.js';
import { UsageError } from './usage-error.js';

/** No two writes begin within this time. */
const writeEveryMs = 100;

/** The content of a state file; empty before the file exists. */
interface SavedState {
  readonly state?: EmulatorState;
  /** The access key of the command that wrote the file. */
  readonly accessKey?: string;
}

/**
 * Reads a state file. The clock of the state moves on by the time since the file was written, because it runs in step with the
 * real time.
 * @throws UsageError
 */
export function readStateFile(file: string): SavedState {
  if (!existsSync(file)) return {};
  const saved = readJsonFile('--state', file) as
    (EmulatorState & { readonly savedAt?: unknown; readonly accessKey?: unknown }) | null;
  if (typeof saved !== 'object' || saved === null) throw new UsageError(`--state: '${file}' contains no state.`);
  const { savedAt, accessKey, ...rest } = saved;
  const elapsed = typeof savedAt === 'number' ? Math.max(0, Date.now() - savedAt) : 0;
  const state = { ...rest, ...(typeof rest['time'] === 'number' ? { time: rest['time'] + elapsed } : {}) };
  return { state, ...(typeof accessKey === 'string' ? { accessKey } : {}) };
}

/** Keeps the state of an emulator in a file: what was answered is there soon after, whole, whatever becomes of the process. */
export class StateFile {
  readonly #file: string;
  readonly #service: Emulator;
  #begun = -Infinity;
  #changed = false;
  #writing: Promise<void> | undefined;
  #failed = false;

  constructor(file: string, service: Emulator) {
    this.#file = file;
    this.#service = service;
  }

  /**
   * Writes the state, and again after each change.
   * @throws UsageError where it can't be written at all
   */
  async start(): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      throw new UsageError(`--state: '${this.#file}' can't be written (${codeOf(error) ?? String(error)}).`);
    }
    this.#service.observe(() => {
      this.#change();
    });
    // What has changed while it was written the first time.
    this.#change();
  }

  #change(): void {
    this.#changed = true;
    this.#writing ??= this.#writeChanges();
  }

  /** Writes the state as it is now, at the end. */
  async end(): Promise<void> {
    await this.#writing;
    await this.#tryToWrite();
  }

  async #writeChanges(): Promise<void> {
    while (this.#changed) {
      const waitMs = Math.max(0, this.#begun + writeEveryMs - performance.now());
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      // What changes from here on is not in what is written now.
      this.#changed = false;
      await this.#tryToWrite();
    }
    this.#writing = undefined;
  }

  async #tryToWrite(): Promise<void> {
    try {
      await this.#write();
      this.#failed = false;
    } catch (error) {
      // The service goes on, and each change tries again; one line is enough.
      const why = codeOf(error) ?? String(error);
      if (!this.#failed) process.stderr.write(`The state can't be written to '${this.#file}': ${why}\n`);
      this.#failed = true;
    }
  }

  /** Another file is written whole and then takes the place of this one: a reader sees the one or the other. */
  async #write(): Promise<void> {
    this.#begun = performance.now();
    const text = snapshotText(this.#service.snapshot());
    const head = JSON.stringify({ savedAt: Date.now(), accessKey: this.#service.accessKey });
    const written = `${head.slice(0, -1)},${text.slice(1)}`;
    const temporary = `${this.#file}.tmp`;
    const handle = await open(temporary, 'w', 0o600);
    try {
      await handle.writeFile(written);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, this.#file);
    await syncFolder(dirname(this.#file));
  }
}

/** Makes the new name outlive a power cut, where the system can. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
