/** Writes to any store. If a write rejects, it may have been executed: the item is read before the write counts as lost. */
import { ConfigurationError } from '../core/errors.js';
import type { DurableStore, StoredItem } from './store.js';

/**
 * Inserts an item.
 * @returns the version of this item; `undefined` if the key exists
 * @throws the store's error if the item was not written
 */
export async function insertItem(
  store: DurableStore,
  key: string,
  data: string,
  wakeAt: number | null,
): Promise<number | undefined> {
  try {
    return checkedVersion(await store.insert(key, data, wakeAt), 'insert');
  } catch (error) {
    const item = await readAfter(store, key, error);
    if (item === undefined) throw error;
    return item.data === data ? item.version : undefined;
  }
}

/**
 * Swaps or removes an item.
 * @returns the new version (for a removal, a number of 1 or more); `undefined` if another write was faster
 * @throws the store's error if nothing was written
 */
export async function swapItem(
  store: DurableStore,
  { key, version }: { readonly key: string; readonly version: number },
  data: string | null,
  wakeAt: number | null,
): Promise<number | undefined> {
  try {
    return checkedVersion(await store.swap(key, version, data, wakeAt), 'swap');
  } catch (error) {
    const item = await readAfter(store, key, error);
    if (item?.version === version) throw error;
    if (item === undefined) return data === null ? version : undefined;
    return item.data === data ? item.version : undefined;
  }
}

/** Stores of release 0.2.0 resolved to a boolean. */
function checkedVersion(version: unknown, method: 'insert' | 'swap'): number | undefined {
  if (version === undefined || (Number.isSafeInteger(version) && (version as number) >= 1))
    return version as number | undefined;
  throw new ConfigurationError(
    `${method}() of the DurableStore resolved to ${JSON.stringify(version)}. It must resolve to the item's new version (a whole ` +
      'number of 1 or more), or to undefined if it wrote nothing. Stores for release 0.2.0 resolved to a boolean: ' +
      'return the version in place of true, and undefined in place of false.',
  );
}

async function readAfter(store: DurableStore, key: string, error: unknown): Promise<StoredItem | undefined> {
  if (error instanceof ConfigurationError) throw error;
  try {
    return await store.get(key);
  } catch {
    throw error;
  }
}
