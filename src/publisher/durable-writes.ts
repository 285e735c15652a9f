/** Writes whose own answer may be lost: they look before they believe, and before they try again. */
import type { DurableStore, InsertedItem, SwappedItem } from '../stores/store.js';

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

/**
 * Swaps an item and inserts another one at once, by a store that {@link writesBoth}.
 * @returns `false`: nothing shows that both were written
 */
export async function swapAndInsertOnce(
  store: DurableStore,
  swapped: SwappedItem,
  inserted: InsertedItem,
): Promise<boolean> {
  try {
    return (await store.swapAndInsert?.(swapped, inserted)) === true;
  } catch {
    const item = await store.get(swapped.key).catch(() => undefined);
    return item?.data === swapped.data;
  }
}

/** A wrapper around `insert` that passes three arguments on would lose the version: the length of the function tells. */
export function tellsVersions(store: DurableStore): boolean {
  return store.predictableVersions === true && store.insert.length > 3;
}

/**
 * Whether the store writes two items at once without passing anybody by: an `insert` or `swap` that a subclass, a proxy or
 * a spy has put in the place of the store's own (one that encrypts what is stored, say) is not that of whoever has
 * `swapAndInsert`.
 */
export function writesBoth(store: DurableStore): boolean {
  if (!tellsVersions(store) || store.swapAndInsert === undefined) return false;
  let owner: object | null = store;
  while (owner !== null && !Object.hasOwn(owner, 'swapAndInsert'))
    owner = Object.getPrototypeOf(owner) as object | null;
  return owner !== null && isOfOwner(store, owner, 'insert') && isOfOwner(store, owner, 'swap');
}

/** Asked for the store, so that a getter works that is the owner's. */
function isOfOwner(store: DurableStore, owner: object, name: 'insert' | 'swap'): boolean {
  return store[name] === Reflect.get(owner, name, store);
}

async function lookAfter(store: DurableStore, key: string, error: unknown) {
  try {
    return await store.get(key);
  } catch {
    throw error;
  }
}
