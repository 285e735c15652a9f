import { existsSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Emulator, EmulatorState } from '../../index.js';
import { snapshotText } from '../../snapshots.js';
import { codeOf, readJsonFile } from './json-file.js';
import { UsageError } from './usage-error.js';

/** No two writes begin within this time. */
const writeEveryMs = 100;

/**
 * Reads the state that a file holds; `undefined` where there is no such file yet. Its clock has gone on since the command wrote
 * it: what runs in step with the real time must not lag behind it by the time that nobody ran it.
 * @throws UsageError
 */
export function readStateFile(file: string): EmulatorState | undefined {
  if (!existsSync(file)) return undefined;
  const state = readJsonFile('--state', file) as (EmulatorState & { savedAt?: unknown }) | null;
  if (typeof state !== 'object' || state === null) throw new UsageError(`--state: '${file}' holds no state.`);
  const { savedAt, ...rest } = state;
  const away = typeof savedAt === 'number' ? Math.max(0, Date.now() - savedAt) : 0;
  return { ...rest, ...(typeof rest['time'] === 'number' ? { time: rest['time'] + away } : {}) };
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
    const written = `{"savedAt":${String(Date.now())},${text.slice(1)}`;
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
