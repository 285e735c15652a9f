import { keysDue } from '../stores/due-keys.js';
import { insertItem, swapItem } from '../stores/lost-replies.js';
import type { DurableStore, StoredItem } from '../stores/store.js';
import { handledFrom, keyPrefixes, parseRecord, wakeAtOf, type InboxRecord } from './inbox-record.js';

/** How many items are read of a store at once. */
export const pageSize = 100;

/** Reads and writes the items of an inbox. */
export class InboxStorage {
  readonly #store: DurableStore;

  constructor(store: DurableStore) {
    this.#store = store;
  }

  /** Writes a new record. `false`: there is one already. */
  async add(key: string, record: InboxRecord): Promise<boolean> {
    return this.insert(key, JSON.stringify(record), wakeAtOf(record));
  }

  /** Writes a new item. `false`: the key exists. */
  async insert(key: string, data: string, wakeAt: number | null): Promise<boolean> {
    return (await insertItem(this.#store, key, data, wakeAt)) !== undefined;
  }

  /** Writes the next state of an item, or removes it. `false`: another write was faster. */
  async swap(key: string, { version }: StoredItem, data: string | null, wakeAt: number | null): Promise<boolean> {
    return (await swapItem(this.#store, { key, version }, data, wakeAt)) !== undefined;
  }

  /**
   * Writes the next state of a record, and repeats it if another write is faster.
   *
   * @param next returns the next state; `undefined`: the record stays unchanged
   * @returns the written record; `undefined`: nothing was written
   */
  async update<T extends InboxRecord>(
    key: string,
    next: (record: InboxRecord) => T | undefined,
  ): Promise<T | undefined> {
    for (;;) {
      const item = await this.#store.get(key);
      const record = item && next(parseRecord(key, item.data));
      if (item === undefined || record === undefined) return undefined;
      if (await this.swap(key, item, JSON.stringify(record), wakeAtOf(record))) return record;
    }
  }

  get(key: string): Promise<StoredItem | undefined> {
    return this.#store.get(key);
  }

  /** The keys of events that are due, the oldest first. */
  dueEvents(now: number, limit: number): Promise<string[]> {
    return this.#store.due(keyPrefixes.event, now, limit);
  }

  /** The keys of claims on the states of posts whose time is over. */
  dueStates(now: number): Promise<string[]> {
    return this.#store.due(keyPrefixes.state, now, pageSize);
  }

  /** The keys of all events that are neither handled nor dead, the next due first. */
  waitingEvents(): Promise<readonly string[]> {
    return keysDue(this.#store, keyPrefixes.event, handledFrom - 1);
  }

  /** The keys of handled events whose time is over, the oldest first: a page or more. */
  async expiredEvents(now: number): Promise<readonly string[]> {
    // The store returns the waiting ones first. If there are many, many expired ones must pay for that read.
    const waiting = new Set(await this.waitingEvents());
    const limit = waiting.size + Math.max(waiting.size, pageSize);
    const keys = await this.dueEvents(handledFrom + now, limit);
    return keys.filter((key) => !waiting.has(key));
  }

  /** The items of all events that are neither handled nor dead. */
  async *waitingItems(): AsyncGenerator<StoredItem & { readonly key: string }> {
    for (const key of await this.waitingEvents()) {
      const item = await this.#store.get(key);
      if (item !== undefined) yield { key, ...item };
    }
  }

  /** All items whose keys start with a prefix. */
  async *items(prefix: string): AsyncGenerator<StoredItem & { readonly key: string }> {
    let after: string | undefined;
    for (;;) {
      const page = await this.#store.scan(prefix, after, pageSize);
      yield* page;
      after = page.at(-1)?.key;
      if (page.length < pageSize) return;
    }
  }
}
