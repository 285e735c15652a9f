import { checkDue, checkInsert, checkKey, checkScan, checkSwap } from './checks.js';
import type { DurableStore, ScannedItem, StoredItem } from './store.js';

/** One write of an item. */
export interface ItemWrite {
  readonly key: string;
  /** The version that the write replaces; `undefined` for an insert. */
  readonly replaces: number | undefined;
  /** The item's new version. */
  readonly version: number;
  /** The new text; `null` removes the item. */
  readonly data: string | null;
  readonly wakeAt: number | null;
}

/** The reads of a {@link DurableStore}, as a database does them. */
export interface ItemReads {
  get(key: string): StoredItem | undefined | Promise<StoredItem | undefined>;
  due(prefix: string, now: number, limit: number): string[] | Promise<string[]>;
  scan(prefix: string, after: string | undefined, limit: number): ScannedItem[] | Promise<ScannedItem[]>;
}

/** The part that all stores of the package share: it checks arguments and counts versions. */
export abstract class ItemStore implements DurableStore {
  async get(key: string): Promise<StoredItem | undefined> {
    checkKey(key);
    return this.read((items) => items.get(key));
  }

  async insert(key: string, data: string, wakeAt: number | null): Promise<number | undefined> {
    checkInsert(key, data, wakeAt);
    const version = firstVersion();
    return (await this.write({ key, replaces: undefined, version, data, wakeAt })) ? version : undefined;
  }

  async swap(key: string, replaces: number, data: string | null, wakeAt: number | null): Promise<number | undefined> {
    checkSwap(key, replaces, data, wakeAt);
    const version = replaces + 1;
    return (await this.write({ key, replaces, version, data, wakeAt })) ? version : undefined;
  }

  async due(prefix: string, now: number, limit: number): Promise<string[]> {
    checkDue(prefix, now, limit);
    return this.read((items) => items.due(prefix, now, limit));
  }

  async scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    checkScan(prefix, after, limit);
    return this.read((items) => items.scan(prefix, after, limit));
  }

  /** Reads from the database, with the retries and the errors of this store. */
  protected abstract read<T>(work: (items: ItemReads) => T | Promise<T>): Promise<T>;

  /** Writes an item. `false`: the key exists, or does not have the version that the write replaces. */
  protected abstract write(write: ItemWrite): Promise<boolean>;
}

/**
 * Draws the version of a new item: 48 random bits, to which each swap adds 1. If a key is removed and inserted again, a
 * version of the old item does not match the new one.
 */
export function firstVersion(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 0x1_0000) * 0x1_0000_0000 + low + 1;
}
