/** Reads whatever number of items a store has, page by page. */
import type { DurableStore, ScannedItem } from './store.js';

const pageSize = 100;

/** Returns the keys of all items with a wake time at or before `until`. */
export async function keysDue(store: DurableStore, prefix: string, until: number): Promise<readonly string[]> {
  for (let limit = 1_000; ; limit *= 4) {
    const keys = await store.due(prefix, until, limit);
    if (keys.length < limit) return keys;
  }
}

/** Returns the keys of all items with a wake time. */
export function keysWaking(store: DurableStore, prefix: string): Promise<readonly string[]> {
  return keysDue(store, prefix, Number.MAX_SAFE_INTEGER);
}

/** Yields all items whose keys start with a prefix, in the order of keys. */
export async function* itemsUnder(store: DurableStore, prefix: string): AsyncGenerator<ScannedItem, void, undefined> {
  for (let after: string | undefined; ;) {
    const page = await store.scan(prefix, after, pageSize);
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.key;
  }
}
