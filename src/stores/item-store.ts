import { checkArguments } from './checks.js';
import { repeatWhenLost, settleWrite, type Failures } from './lost-replies.js';
import type { DurableStore, ScannedItem, StoredItem } from './store.js';
import { firstVersion, judge, nextVersion, type ItemWrite } from './versions.js';

/** The items in a database. Each call reaches it once, and rejects with the error of the driver. */
export interface StoredItems extends Pick<DurableStore, 'get' | 'due' | 'scan'> {
  /** Writes an item. `false`: the key exists, or does not have the version that the write replaces. */
  write(write: ItemWrite): Promise<boolean>;
}

/** How a store reaches its items. */
export interface ItemAccess {
  readonly items: StoredItems;
  /** Executes writes, and the reads that decide whether a write was executed. Default: `items`. */
  readonly writes?: Pick<StoredItems, 'get' | 'write'>;
  readonly failures: Failures;
  /** Returns the version of a swap. Default: a version by which the store recognises its write. */
  readonly nextVersion?: (replaces: number) => number;
}

/**
 * The methods that all stores of the package share. The five of the contract check arguments, choose versions, and repeat
 * calls whose reply was lost.
 */
export class ItemStore implements DurableStore {
  readonly #access: ItemAccess;
  /** The keys whose last write rejected. The caller takes the next read as the result of the write, so this read decides. */
  readonly #unsettled = new Set<string>();

  /** @internal */
  constructor(access: ItemAccess) {
    this.#access = access;
  }

  async get(key: string): Promise<StoredItem | undefined> {
    checkArguments({ key });
    const { items, writes = items, failures } = this.#access;
    const source = this.#unsettled.delete(key) ? writes : items;
    return repeatWhenLost(() => source.get(key), failures);
  }

  async insert(key: string, data: string, wakeAt: number | null): Promise<number | undefined> {
    checkArguments({ key, data, wakeAt });
    return this.#write({ key, replaces: undefined, version: firstVersion(), data, wakeAt });
  }

  async swap(key: string, version: number, data: string | null, wakeAt: number | null): Promise<number | undefined> {
    checkArguments({ key, version, data: data === null ? '' : data, wakeAt });
    const next = (this.#access.nextVersion ?? nextVersion)(version);
    return this.#write({ key, replaces: version, version: next, data, wakeAt });
  }

  async due(prefix: string, now: number, limit: number): Promise<string[]> {
    checkArguments({ prefix, now, limit });
    const { items, failures } = this.#access;
    return repeatWhenLost(() => items.due(prefix, now, limit), failures);
  }

  async scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    checkArguments({ prefix, after, limit });
    const { items, failures } = this.#access;
    return repeatWhenLost(() => items.scan(prefix, after, limit), failures);
  }

  /** Does nothing: your own client stays open, and items in memory stay. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  async #write(write: ItemWrite): Promise<number | undefined> {
    const { items, writes = items, failures } = this.#access;
    const { key, version } = write;
    try {
      const isWritten = await settleWrite(
        { write: () => writes.write(write), read: () => writes.get(key), judge: (seen) => judge(write, seen) },
        failures,
      );
      return isWritten ? version : undefined;
    } catch (error) {
      this.#unsettled.add(key);
      throw error;
    }
  }
}
