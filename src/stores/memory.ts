import { checkDue, checkInsert, checkKey, checkScan, checkSwap } from './checks.js';
import { compareKeys } from './key-order.js';
import type { DurableStore, ScannedItem, StoredItem } from './store.js';

/**
 * A {@link DurableStore} in the memory of one process: for tests, and to try things out. Nothing of it outlives the
 * process, so it keeps none of the promises that are about crashes.
 *
 * @example
 * ```ts
 * const publisher = createPublisher({ client, store: new MemoryDurableStore() });
 * ```
 */
export class MemoryDurableStore implements DurableStore {
  readonly #items = new Map<string, StoredItem>();
  /** The keys that wake some day. Kept apart, so that `due` does not walk over what is finished. */
  readonly #wakeAt = new Map<string, number>();
  /** All keys in their order; `undefined` once a key has come or gone. */
  #order: string[] | undefined;
  /** The last version that an item got. All items share one count, so that no version is used twice. */
  #version = 0;

  /** How many items there are. */
  get size(): number {
    return this.#items.size;
  }

  /** Does nothing: there is nothing to set up. It is here so that this store can stand where another one will. */
  setup(): Promise<void> {
    return Promise.resolve();
  }

  /** Does nothing: there is nothing to close, and the items stay. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  // The work of each method is done before it returns: between a look and the write nobody else may come in.

  get(key: string): Promise<StoredItem | undefined> {
    return settle(() => {
      checkKey(key);
      return this.#items.get(key);
    });
  }

  insert(key: string, data: string, wakeAt: number | null): Promise<number | undefined> {
    return settle(() => {
      checkInsert(key, data, wakeAt);
      if (this.#items.has(key)) return undefined;
      this.#order = undefined;
      return this.#write(key, data, wakeAt);
    });
  }

  swap(key: string, version: number, data: string | null, wakeAt: number | null): Promise<number | undefined> {
    return settle(() => {
      checkSwap(key, version, data, wakeAt);
      if (this.#items.get(key)?.version !== version) return undefined;
      return data === null ? this.#remove(key) : this.#write(key, data, wakeAt);
    });
  }

  due(prefix: string, now: number, limit: number): Promise<string[]> {
    return settle(() => {
      checkDue(prefix, now, limit);
      return [...this.#wakeAt]
        .filter(([key, wakeAt]) => wakeAt <= now && key.startsWith(prefix))
        .sort(([a, wakeA], [b, wakeB]) => wakeA - wakeB || compareKeys(a, b))
        .slice(0, limit)
        .map(([key]) => key);
    });
  }

  scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    return settle(() => {
      checkScan(prefix, after, limit);
      const order = (this.#order ??= [...this.#items.keys()].sort(compareKeys));
      const page: ScannedItem[] = [];
      for (let i = firstWhere(order, (key) => isAtOrAfter(key, prefix, after)); i < order.length; i += 1) {
        const key = order[i] ?? '';
        const item = this.#items.get(key);
        if (!key.startsWith(prefix) || page.length === limit) break;
        if (item !== undefined) page.push({ key, ...item });
      }
      return page;
    });
  }

  #write(key: string, data: string, wakeAt: number | null): number {
    this.#version += 1;
    this.#items.set(key, { version: this.#version, data });
    if (wakeAt === null) this.#wakeAt.delete(key);
    else this.#wakeAt.set(key, wakeAt);
    return this.#version;
  }

  #remove(key: string): number {
    this.#order = undefined;
    this.#items.delete(key);
    this.#wakeAt.delete(key);
    this.#version += 1;
    return this.#version;
  }
}

/** A promise of what a function returns or throws. The function is called at once. */
function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}

function isAtOrAfter(key: string, prefix: string, after: string | undefined): boolean {
  return compareKeys(key, prefix) >= 0 && (after === undefined || compareKeys(key, after) > 0);
}

/** The first place of a list from which on a condition holds, by halving. */
function firstWhere(list: readonly string[], holds: (item: string) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(list[middle] ?? '')) high = middle;
    else low = middle + 1;
  }
  return low;
}
