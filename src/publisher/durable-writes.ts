/** Writes whose own answer may be lost: they look before they believe, and before they try again. */
import type { DurableStore } from '../stores/store.js';

/**
 * Inserts an item. Where the store fails, it is asked whether the item is there.
 * @returns whether this very item was written
 * @throws what the store threw, where nothing shows that it was written
 */
export async function insertOnce(
  store: DurableStore,
  key: string,
  data: string,
  wakeAt: number | null,
  version?: number,
): Promise<boolean> {
  try {
    return await (version === undefined ? store.insert(key, data, wakeAt) : store.insert(key, data, wakeAt, version));
  } catch (error) {
    const item = await lookAfter(store, key, error);
    if (item === undefined) throw error;
    return item.data === data;
  }
}

/**
 * Swaps an item. Where the store fails, it is asked what is there.
 * @returns whether this very item was written
 * @throws what the store threw, where nothing was written
 */
export async function swapOnce(
  store: DurableStore,
  key: string,
  version: number,
  data: string | null,
  wakeAt: number | null,
): Promise<boolean> {
  try {
    return await store.swap(key, version, data, wakeAt);
  } catch (error) {
    const item = await lookAfter(store, key, error);
    if (item?.version === version) throw error;
    return (item?.data ?? null) === data;
  }
}

async function lookAfter(store: DurableStore, key: string, error: unknown) {
  try {
    return await store.get(key);
  } catch {
    throw error;
  }
}
