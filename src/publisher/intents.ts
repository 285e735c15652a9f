/** The intents of a store: reading them, and moving them by what happened, whoever else does so at the same time. */
import type { DurableStore, StoredItem } from '../stores/store.js';
import { decodeIntent, encodeIntent, storeKey } from './codec.js';
import { insertOnce, swapOnce } from './durable-writes.js';
import { step, type Happening, type IntentPolicy, type Step } from './intent.js';
import type { IntentRecord } from './record.js';

/** An intent with the version that it was read in. */
export interface Versioned {
  readonly record: IntentRecord;
  readonly version: number;
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

  /** `false`: it is there. */
  insert(record: IntentRecord, store = this.#store): Promise<boolean> {
    return insertOnce(store, storeKey(record.key), encodeIntent(record), record.wakeAt);
  }

  /** Writes what a step gave. `false`: another was faster. */
  replace({ record: { key }, version }: Versioned, next: IntentRecord): Promise<boolean> {
    return swapOnce(this.#store, storeKey(key), version, encodeIntent(next), next.wakeAt);
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
      if (next.record === read.record || (await this.replace(read, next.record))) return next;
    }
  }
}

export function versioned(storedAt: string, item: StoredItem | undefined): Versioned | undefined {
  return item && { record: decodeIntent(storedAt, item.data), version: item.version };
}
