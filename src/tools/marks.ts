import type { DurableStore, StoredItem } from '../stores/store.js';

/** The part of a store that keeps marks: of writes, approvals and retries. */
export type MarkStore = Pick<DurableStore, 'get' | 'insert' | 'swap'>;

/** Keeps marks until the program ends. */
export function marksInMemory(): MarkStore {
  const items = new Map<string, StoredItem>();
  let writes = 0;
  const write = (key: string, data: string | null) => {
    writes += 1;
    if (data === null) items.delete(key);
    else items.set(key, { version: writes, data });
    return writes;
  };
  return {
    get: (key) => Promise.resolve(items.get(key)),
    insert: (key, data) => Promise.resolve(items.has(key) ? undefined : write(key, data)),
    swap: (key, version, data) => Promise.resolve(items.get(key)?.version === version ? write(key, data) : undefined),
  };
}
