import type { DurableStore, StoredItem } from '../store.js';
import { assert } from './asserts.js';

/** A store as the suite opens it. */
export interface TestableStore extends DurableStore {
  /** Creates what the store needs, for example tables. The suite calls it each time it has opened the store. */
  setup?(): Promise<void>;
  /** Ends what opening began. The suite calls it at the end of each test. */
  close?(): Promise<void>;
}

/**
 * Defines a test. It gets the opened store, a prefix that no other test has, and a function that opens the store once
 * more, as another process would.
 */
export type ContractTest = (
  name: string,
  test: (store: DurableStore, room: string, openAnother: () => Promise<DurableStore>) => Promise<void>,
) => unknown;

/** An item that must be there. */
export async function read(store: DurableStore, key: string): Promise<StoredItem> {
  const item = await store.get(key);
  assert(item !== undefined, 'an item');
  return item;
}
