/** The intents of a store: reading them, and moving them by what happened, whoever else does so at the same time. */
import { insertItem, swapItem } from '../stores/lost-replies.js';
import type { DurableStore, StoredItem } from '../stores/store.js';
import { decodeIntent, encodeIntent, storeKey } from './codec.js';
import { step, type Happening, type IntentPolicy, type Step } from './intent.js';
import type { IntentRecord } from './record.js';

/** An intent with the version of its item: as it was read, or as it was just written. */
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

  /** `undefined`: the intent exists. */
  async insert(record: IntentRecord, store = this.#store): Promise<Versioned | undefined> {
    const version = await insertItem(store, storeKey(record.key), encodeIntent(record), record.wakeAt);
    return version === undefined ? undefined : { record, version };
  }

  /** Writes the record of a step. `undefined`: another write was faster. */
  async replace(read: Versioned, record: IntentRecord): Promise<Versioned | undefined> {
    const version = await swapItem(this.#store, at(read), encodeIntent(record), record.wakeAt);
    return version === undefined ? undefined : { record, version };
  }

  async remove(read: Versioned): Promise<boolean> {
    return (await swapItem(this.#store, at(read), null, null)) !== undefined;
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

/** The item that a swap replaces. */
function at({ record, version }: Versioned): { key: string; version: number } {
  return { key: storeKey(record.key), version };
}

export function versioned(storedAt: string, item: StoredItem | undefined): Versioned | undefined {
  return item && { record: decodeIntent(storedAt, item.data), version: item.version };
}
