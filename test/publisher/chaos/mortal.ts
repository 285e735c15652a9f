import type { DurableStore } from '../../../src/stores/store.js';

/** Numbers from 0 to 1 that are the same in every run with the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * A process that dies after a number of calls of its store and network: before the last of them was executed, or after.
 * From then on, none of its calls returns.
 */
export class Mortal {
  readonly store: DurableStore;
  readonly fetch: typeof globalThis.fetch;
  isDead = false;
  #callsLeft: number;
  readonly #random: () => number;
  #die: () => void = () => undefined;
  /** Resolves when it dies. */
  readonly death = new Promise<void>((resolve) => (this.#die = resolve));

  constructor(store: DurableStore, fetch: typeof globalThis.fetch, calls: number, random: () => number) {
    this.#callsLeft = calls;
    this.#random = random;
    this.fetch = (input, init) => this.#call(() => fetch(input, init));
    this.store = {
      get: (key) => this.#call(() => store.get(key)),
      insert: (key, data, wakeAt) => this.#call(() => store.insert(key, data, wakeAt)),
      swap: (key, version, data, wakeAt) => this.#call(() => store.swap(key, version, data, wakeAt)),
      due: (prefix, now, limit) => this.#call(() => store.due(prefix, now, limit)),
      scan: (prefix, after, limit) => this.#call(() => store.scan(prefix, after, limit)),
    };
  }

  /** Work without calls: it continues only as long as the process lives. */
  async alive(): Promise<void> {
    if (this.isDead) await never();
  }

  /** Ends it now. */
  kill(): void {
    this.isDead = true;
    this.#die();
  }

  async #call<T>(call: () => Promise<T>): Promise<T> {
    await this.alive();
    this.#callsLeft -= 1;
    const isLast = this.#callsLeft <= 0;
    if (isLast && this.#random() < 0.5) return this.#end();
    const result = await call();
    if (isLast) return this.#end();
    await this.alive();
    return result;
  }

  #end(): Promise<never> {
    this.kill();
    return never();
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
