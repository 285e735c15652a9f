import { checkArguments } from './checks.js';
import type { DurableStore, ScannedItem, StoredItem } from './store.js';
import { firstVersion, nextVersion, type TriedWrite } from './versions.js';

export interface ItemWrite extends TriedWrite {
  readonly key: string;
  readonly wakeAt: number | null;
}

export type ItemReads = Pick<DurableStore, 'get' | 'due' | 'scan'>;

/** How a store reaches its database. */
export interface ItemAccess {
  /** Reads, with the retries and the errors of the store. */
  readonly read: <T>(work: (items: ItemReads) => Promise<T>) => Promise<T>;
  /** Writes an item. `false`: the key exists, or does not have the version that the write replaces. */
  readonly write: (write: ItemWrite) => Promise<boolean>;
  /** Returns the version of a swap. Default: a version by which the store recognises its write. */
  readonly nextVersion?: ((replaces: number) => number) | undefined;
}

/** The methods that all stores of the package share. The five of the contract check arguments and choose versions. */
export class ItemStore implements DurableStore {
  readonly #access: ItemAccess;

  /** @internal */
  constructor(access: ItemAccess) {
    this.#access = access;
  }

  async get(key: string): Promise<StoredItem | undefined> {
    checkArguments({ key });
    return this.#access.read((items) => items.get(key));
  }

  async insert(key: string, data: string, wakeAt: number | null): Promise<number | undefined> {
    checkArguments({ key, data, wakeAt });
    const version = firstVersion();
    const isWritten = await this.#access.write({ key, replaces: undefined, version, data, wakeAt });
    return isWritten ? version : undefined;
  }

  async swap(key: string, version: number, data: string | null, wakeAt: number | null): Promise<number | undefined> {
    checkArguments({ key, version, data: data === null ? '' : data, wakeAt });
    const next = (this.#access.nextVersion ?? nextVersion)(version);
    const isWritten = await this.#access.write({ key, replaces: version, version: next, data, wakeAt });
    return isWritten ? next : undefined;
  }

  async due(prefix: string, now: number, limit: number): Promise<string[]> {
    checkArguments({ prefix, now, limit });
    return this.#access.read((items) => items.due(prefix, now, limit));
  }

  async scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    checkArguments({ prefix, after, limit });
    return this.#access.read((items) => items.scan(prefix, after, limit));
  }

  /** Does nothing: your own client stays open, and items in memory stay. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
