import { existsSync, readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../../core/error-code.js';
import type { Emulator, EmulatorState } from '../../index.js';
import { snapshotText } from '../../snapshots.js';
import { FlagError } from './flags.js';
import { parseJson } from '../../../core/json.js';

const writeEveryMs = 100;

/** The content of a state file; empty before the file exists. */
interface SavedState {
  readonly state?: EmulatorState;
  /** The access key of the command that wrote the file. */
  readonly accessKey?: string;
}

/**
 * Reads a state file. The clock advances by the time since the file was written, because it runs in real time.
 * @throws FlagError
 */
export function readStateFile(file: string): SavedState {
  if (!existsSync(file)) return {};
  const saved = readJsonFile('--state', file) as
    (EmulatorState & { readonly savedAt?: unknown; readonly accessKey?: unknown }) | null;
  if (typeof saved !== 'object' || saved === null) throw new FlagError(`--state: '${file}' contains no state.`);
  const { savedAt, accessKey, ...rest } = saved;
  const elapsed = typeof savedAt === 'number' ? Math.max(0, Date.now() - savedAt) : 0;
  const state = { ...rest, ...(typeof rest['time'] === 'number' ? { time: rest['time'] + elapsed } : {}) };
  return { state, ...(typeof accessKey === 'string' ? { accessKey } : {}) };
}

/**
 * Keeps the state of an emulator in a file. Each reply's changes are written shortly after it, and the file is always
 * complete, even after a crash.
 */
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
   * Writes the state now and after each change.
   * @throws FlagError if the file cannot be written
   */
  async start(): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      throw new FlagError(`--state: cannot write '${this.#file}' (${codeOf(error) || String(error)}).`);
    }
    this.#service.observe(() => {
      this.#change();
    });
    // Writes changes that happened during the first write.
    this.#change();
  }

  #change(): void {
    this.#changed = true;
    this.#writing ??= this.#writeChanges();
  }

  async end(): Promise<void> {
    await this.#writing;
    await this.#tryToWrite();
  }

  async #writeChanges(): Promise<void> {
    while (this.#changed) {
      const waitMs = Math.max(0, this.#begun + writeEveryMs - performance.now());
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      // Changes from here on are not part of this write.
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
      // The service continues, and each change tries again. One line is enough.
      const why = codeOf(error) || String(error);
      if (!this.#failed) process.stderr.write(`Cannot write the state to '${this.#file}': ${why}\n`);
      this.#failed = true;
    }
  }

  /** Writes another file completely and renames it, so a reader always sees a complete file. */
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

/** Makes the new name survive a power cut, if the system supports it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/**
 * Reads a JSON file.
 * @throws FlagError with the name of the flag and the file
 */
export function readJsonFile(flag: string, file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    throw new FlagError(
      code === 'ENOENT'
        ? `${flag}: the file '${file}' does not exist.`
        : `${flag}: cannot read '${file}' (${code || String(error)}).`,
    );
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new FlagError(`${flag}: '${file}' is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
