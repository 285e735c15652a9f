import type { DurableStore } from '../publisher/index.js';

/** A part of a store: all its keys begin with the prefix. */
export function prefixedStore(store: DurableStore, prefix: string): DurableStore {
  const cut = (key: string) => key.slice(prefix.length);
  return {
    get: (key) => store.get(prefix + key),
    insert: (key, data, wakeAt) => store.insert(prefix + key, data, wakeAt),
    swap: (key, version, data, wakeAt) => store.swap(prefix + key, version, data, wakeAt),
    due: async (inner, now, limit) => (await store.due(prefix + inner, now, limit)).map(cut),
    scan: async (inner, after, limit) => {
      const items = await store.scan(prefix + inner, after === undefined ? undefined : prefix + after, limit);
      return items.map((item) => ({ ...item, key: cut(item.key) }));
    },
  };
}
