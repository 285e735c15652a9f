import { ItemStore } from './item-store.js';
import { compareKeys } from './key-order.js';
import type { ScannedItem, StoredItem } from './store.js';
import type { ItemWrite } from './versions.js';

/**
 * Keeps items in the memory of one process, for tests and first steps. The items end with the process, so this store
 * keeps no promise about crashes.
 *
 * @example
 * ```ts
 * const publisher = createPublisher({ client, store: new MemoryDurableStore() });
 * ```
 */
export class MemoryDurableStore extends ItemStore {
  readonly #stored = new Map<string, StoredItem>();
  /** The keys with a `wakeAt`, so that `due` does not walk over finished items. */
  readonly #wakeAt = new Map<string, number>();
  /** All keys in order, and some that were removed; `undefined` after an insert. */
  #order: string[] | undefined;

  /** Creates an empty store. */
  constructor() {
    super({
      items: {
        get: (key) => Promise.resolve(this.#stored.get(key)),
        write: (write) => Promise.resolve(this.#write(write)),
        due: (...range) => Promise.resolve(this.#due(...range)),
        scan: (...page) => Promise.resolve(this.#scan(...page)),
      },
      // No reply is lost here, and nothing fails.
      failures: { isLost: () => false, explain: (error) => error as Error },
      nextVersion: (replaces) => replaces + 1,
    });
  }

  /** The number of items. */
  get size(): number {
    return this.#stored.size;
  }

  /** Does nothing. It exists so that this store can replace another one. */
  setup(): Promise<void> {
    return Promise.resolve();
  }

  // It is synchronous: no other call comes between the check of a version and the write.
  #write({ key, replaces, version, data, wakeAt }: ItemWrite): boolean {
    if (this.#stored.get(key)?.version !== replaces) return false;
    if (replaces === undefined) this.#order = undefined;
    if (data === null) this.#stored.delete(key);
    else this.#stored.set(key, { version, data });
    if (data === null || wakeAt === null) this.#wakeAt.delete(key);
    else this.#wakeAt.set(key, wakeAt);
    return true;
  }

  #due(prefix: string, now: number, limit: number): string[] {
    return [...this.#wakeAt]
      .filter(([key, wakeAt]) => wakeAt <= now && key.startsWith(prefix))
      .sort(([a, wakeA], [b, wakeB]) => wakeA - wakeB || compareKeys(a, b))
      .slice(0, limit)
      .map(([key]) => key);
  }

  #scan(prefix: string, after: string | undefined, limit: number): ScannedItem[] {
    const order = (this.#order ??= [...this.#stored.keys()].sort(compareKeys));
    const page: ScannedItem[] = [];
    for (const key of order) {
      if (!key.startsWith(prefix) || (after !== undefined && compareKeys(key, after) <= 0)) continue;
      const item = this.#stored.get(key);
      if (item !== undefined) page.push({ key, ...item });
      if (page.length === limit) break;
    }
    return page;
  }
}
