import type { DurableStore } from '../../src/publisher/index.js';

/** A store that fails whenever an item is replaced. */
export class RefusingStore implements DurableStore {
  readonly #store: DurableStore;

  constructor(store: DurableStore) {
    this.#store = store;
  }

  get(key: string) {
    return this.#store.get(key);
  }

  insert(key: string, data: string, wakeAt: number | null) {
    return this.#store.insert(key, data, wakeAt);
  }

  swap(): Promise<never> {
    return Promise.reject(new Error('the disk is full'));
  }

  due(prefix: string, now: number, limit: number) {
    return this.#store.due(prefix, now, limit);
  }

  scan(prefix: string, after: string | undefined, limit: number) {
    return this.#store.scan(prefix, after, limit);
  }
}

/** Makes a store that fails the first time that an item is replaced. */
export function failingOnce(store: DurableStore): DurableStore {
  let hasFailed = false;
  return {
    get: (key) => store.get(key),
    insert: (key, data, wakeAt) => store.insert(key, data, wakeAt),
    swap: (key, version, data, wakeAt) => {
      if (hasFailed) return store.swap(key, version, data, wakeAt);
      hasFailed = true;
      return Promise.reject(new Error('the disk is busy'));
    },
    due: (prefix, now, limit) => store.due(prefix, now, limit),
    scan: (prefix, after, limit) => store.scan(prefix, after, limit),
  };
}
