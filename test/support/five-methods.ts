import type { DurableStore } from '../../src/stores/store.js';

/** A store as the least of them are: five methods, and nothing beside them. */
export function fiveMethods(store: DurableStore): DurableStore {
  return {
    get: (key) => store.get(key),
    insert: (key, data, wakeAt) => store.insert(key, data, wakeAt),
    swap: (key, version, data, wakeAt) => store.swap(key, version, data, wakeAt),
    due: (prefix, now, limit) => store.due(prefix, now, limit),
    scan: (prefix, after, limit) => store.scan(prefix, after, limit),
  };
}
