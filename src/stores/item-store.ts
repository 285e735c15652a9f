import { defaultRuntime } from '../core/runtime.js';
import { checkDue, checkInsert, checkKey, checkScan, checkSwap } from './checks.js';
import type { DurableStore, ScannedItem, StoredItem } from './store.js';

export interface ItemWrite {
  readonly key: string;
  /** The version that the write replaces; `undefined` for an insert. */
  readonly replaces: number | undefined;
  readonly version: number;
  /** The new text; `null` removes the item. */
  readonly data: string | null;
  readonly wakeAt: number | null;
}

export interface ItemReads {
  get(key: string): StoredItem | undefined | Promise<StoredItem | undefined>;
  due(prefix: string, now: number, limit: number): string[] | Promise<string[]>;
  scan(prefix: string, after: string | undefined, limit: number): ScannedItem[] | Promise<ScannedItem[]>;
}

/** How a store reaches its database. */
export interface ItemAccess {
  /** Reads, with the retries and the errors of the store. */
  readonly read: <T>(work: (items: ItemReads) => T | Promise<T>) => Promise<T>;
  /** Writes an item. `false`: the key exists, or does not have the version that the write replaces. */
  readonly write: (write: ItemWrite) => Promise<boolean>;
  /** Returns the version of a swap. Default: adds 1. */
  readonly nextVersion?: ((replaces: number) => number) | undefined;
}

/** Returns the five methods that all stores of the package share: they check arguments and count versions. */
export function itemStore({ read, write, nextVersion = addOne }: ItemAccess): DurableStore {
  return {
    get: async (key) => {
      checkKey(key);
      return read((items) => items.get(key));
    },
    insert: async (key, data, wakeAt) => {
      checkInsert(key, data, wakeAt);
      const version = firstVersion();
      return (await write({ key, replaces: undefined, version, data, wakeAt })) ? version : undefined;
    },
    swap: async (key, replaces, data, wakeAt) => {
      checkSwap(key, replaces, data, wakeAt);
      const version = nextVersion(replaces);
      return (await write({ key, replaces, version, data, wakeAt })) ? version : undefined;
    },
    due: async (prefix, now, limit) => {
      checkDue(prefix, now, limit);
      return read((items) => items.due(prefix, now, limit));
    },
    scan: async (prefix, after, limit) => {
      checkScan(prefix, after, limit);
      return read((items) => items.scan(prefix, after, limit));
    },
  };
}

function addOne(version: number): number {
  return version + 1;
}

/**
 * Draws the version of a new item: 48 random bits, to which each swap adds 1. If a key is removed and inserted again, a
 * version of the old item does not match the new one.
 */
export function firstVersion(): number {
  return defaultRuntime.random48() + 1;
}
