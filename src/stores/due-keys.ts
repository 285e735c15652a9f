import type { DurableStore } from './store.js';

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
