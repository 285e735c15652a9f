/** The intents of a store: reading them, and moving them by what happened, whoever else does so at the same time. */
import type { DurableStore, InsertedItem, StoredItem } from '../stores/store.js';
import { firstVersion } from '../stores/versions.js';
import { decodeIntent, encodeIntent, storeKey } from './codec.js';
import { insertOnce, swapAndInsertOnce, swapOnce, tellsVersions, writesBoth } from './durable-writes.js';
import { step, type Happening, type IntentPolicy, type Step } from './intent.js';
import type { IntentRecord } from './record.js';

/** An intent with the version that it was read in. */
export interface Versioned {
  readonly record: IntentRecord;
  readonly version: number;
}

/** An intent that was written just now. */
export interface Written {
  readonly record: IntentRecord;
  /** Missing: the store alone knows it. */
  readonly version: number | undefined;
}

export class Intents {
  readonly #store: DurableStore;
  readonly #policy: IntentPolicy;

  constructor(store: DurableStore, policy: IntentPolicy) {
    this.#store = store;
    this.#policy = policy;
  }

  async read(key: string): Promise<Versioned | undefined> {
    const storedAt = storeKey(key);
    return versioned(storedAt, await this.#store.get(storedAt));
  }

  /** `undefined`: it is there. */
  async insert(record: IntentRecord, store = this.#store): Promise<Written | undefined> {
    const version = tellsVersions(store) ? firstVersion() : undefined;
    const isNew = await insertOnce(store, storeKey(record.key), encodeIntent(record), record.wakeAt, version);
    return isNew ? { record, version } : undefined;
  }

  /** Writes what a step gave. `undefined`: another was faster. */
  async replace({ record: { key }, version }: Versioned, next: IntentRecord): Promise<Written | undefined> {
    if (!(await swapOnce(this.#store, storeKey(key), version, encodeIntent(next), next.wakeAt))) return undefined;
    return { record: next, version: tellsVersions(this.#store) ? version + 1 : undefined };
  }

  /**
   * Moves an intent by what happened, together with an item that only it may have, in one write. `undefined`: nothing
   * shows that both were written, or the store has no such write.
   */
  async applyWith(item: InsertedItem, { record, version }: Versioned, happening: Happening): Promise<Step | undefined> {
    if (!writesBoth(this.#store)) return undefined;
    const next = this.step(record, happening);
    const { key, wakeAt } = next.record;
    const swapped = { key: storeKey(key), version, data: encodeIntent(next.record), wakeAt };
    return (await swapAndInsertOnce(this.#store, swapped, item)) ? next : undefined;
  }

  /** What was written a moment ago, as it is to be swapped. A store that tells no versions is asked. */
  async readAgain({ record, version }: Written): Promise<Versioned | undefined> {
    return version === undefined ? this.read(record.key) : { record, version };
  }

  async remove({ record: { key }, version }: Versioned): Promise<boolean> {
    return swapOnce(this.#store, storeKey(key), version, null, null);
  }

  step(record: IntentRecord, happening: Happening): Step {
    return step(record, happening, this.#policy);
  }

  /**
   * Moves an intent by what happened, however often others are faster. `undefined`: there is no such intent.
   * @param known as it was read a moment ago
   */
  async apply(key: string, happening: Happening, known?: Versioned): Promise<Step | undefined> {
    for (let read = known; ; read = undefined) {
      read ??= await this.read(key);
      if (read === undefined) return undefined;
      const next = this.step(read.record, happening);
      if (next.record === read.record || (await this.replace(read, next.record)) !== undefined) return next;
    }
  }
}

export function versioned(storedAt: string, item: StoredItem | undefined): Versioned | undefined {
  return item && { record: decodeIntent(storedAt, item.data), version: item.version };
}
