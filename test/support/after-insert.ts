import type { DurableStore } from '../../src/stores/store.js';

/** A store that calls a function after each insert, before the caller gets the version. */
export function afterInsert(store: DurableStore, run: (key: string) => Promise<unknown>): DurableStore {
  return {
    get: (key) => store.get(key),
    due: (...query) => store.due(...query),
    scan: (...query) => store.scan(...query),
    swap: (...item) => store.swap(...item),
    insert: async (key, ...item) => {
      const version = await store.insert(key, ...item);
      await run(key);
      return version;
    },
  };
}
