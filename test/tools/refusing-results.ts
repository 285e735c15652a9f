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
