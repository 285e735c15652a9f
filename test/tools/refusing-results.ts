import type { DurableStore } from '../../src/publisher/index.js';
import { storeWith } from '../support/stores.js';

/** Makes a store that fails whenever an item is replaced. */
export function refusingSwaps(store: DurableStore): DurableStore {
  return storeWith(store, { swap: () => Promise.reject(new Error('the disk is full')) });
}

/** Makes a store that fails the first time that an item is replaced. */
export function failingOnce(store: DurableStore): DurableStore {
  let hasFailed = false;
  return storeWith(store, {
    swap: (key, version, data, wakeAt) => {
      if (hasFailed) return store.swap(key, version, data, wakeAt);
      hasFailed = true;
      return Promise.reject(new Error('the disk is busy'));
    },
  });
}
