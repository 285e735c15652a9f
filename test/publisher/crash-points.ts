import type { DurableStore } from '../../src/stores/store.js';
import { storeWith } from '../support/stores.js';

/**
 * Where a process can crash, as its store and its network see it.
 *
 * - `mark`: before the first write of the intent.
 * - `marked`: after it; nothing is sent yet.
 * - `replied`: the service answered; nothing of that is stored.
 * - `claimed`: the post is claimed; the intent does not contain it yet.
 * - `noted`: the outcome of the send is stored.
 * - `looking`: before the list is read.
 * - `looked`: it is read and the post is claimed; the intent does not contain it yet.
 */
export type CrashPoint = 'mark' | 'marked' | 'replied' | 'claimed' | 'noted' | 'looking' | 'looked';

/** Called at each point. A promise that never resolves is a crash. */
export type OnPoint = (point: CrashPoint, key: string | undefined) => void | Promise<void>;

/** The store and the network of one process, which report the points at which it can crash. */
export class CrashPoints {
  readonly store: DurableStore;
  readonly fetch: typeof globalThis.fetch;
  #hasSent = false;
  #hasListed = false;

  constructor(store: DurableStore, fetch: typeof globalThis.fetch, onPoint: OnPoint) {
    const write = async <T>(storedAt: string, run: () => Promise<T>): Promise<T> => {
      const isIntent = storedAt.startsWith('intent/');
      const key = isIntent ? storedAt.slice('intent/'.length) : undefined;
      if (isIntent && !this.#hasSent && !this.#hasListed) await onPoint('mark', key);
      if (isIntent && this.#hasListed) await onPoint('looked', key);
      if (storedAt.startsWith('post/') && this.#hasSent && !this.#hasListed) await onPoint('replied', undefined);
      const result = await run();
      if (isIntent && !this.#hasSent && !this.#hasListed) await onPoint('marked', key);
      if (isIntent && this.#hasSent && !this.#hasListed) await onPoint('noted', key);
      if (storedAt.startsWith('post/') && this.#hasSent && !this.#hasListed) await onPoint('claimed', undefined);
      return result;
    };
    this.store = storeWith(store, {
      insert: (key, ...item) => write(key, () => store.insert(key, ...item)),
      swap: (key, ...item) => write(key, () => store.swap(key, ...item)),
    });
    this.fetch = async (input, init) => {
      const method = input instanceof Request ? input.method : (init?.method ?? 'GET');
      if (method !== 'GET') {
        try {
          return await fetch(input, init);
        } finally {
          this.#hasSent = true;
        }
      }
      await onPoint('looking', undefined);
      const reply = await fetch(input, init);
      this.#hasListed = true;
      return reply;
    };
  }
}
