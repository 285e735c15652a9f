import type { DurableStore } from '../publisher/index.js';
import { prefixedStore } from './prefixed-store.js';

/** A post that a list shows. */
interface SeenPost {
  readonly postId: string;
  readonly createdAt?: string | undefined;
}

const runKey = 'run';

/**
 * A store with a part for each run of the emulator. A new run without its state assigns the same post IDs again. A
 * known ID with another `createdAt` shows a new run.
 */
export class RunStore {
  readonly #all: DurableStore;
  #current: DurableStore;
  #run = 0;
  /** The part of the current run. */
  readonly store: DurableStore = {
    get: (...args) => this.#current.get(...args),
    insert: (...args) => this.#current.insert(...args),
    swap: (...args) => this.#current.swap(...args),
    due: (...args) => this.#current.due(...args),
    scan: (...args) => this.#current.scan(...args),
  };

  constructor(all: DurableStore) {
    this.#all = all;
    this.#current = prefixedStore(all, 'run/0/');
  }

  get run(): number {
    return this.#run;
  }

  /** Continues with the last run. */
  async open(): Promise<void> {
    this.#use(Number((await this.#all.get(runKey))?.data ?? 0));
  }

  /** Remembers a post. If its ID belongs to another post, a new part begins. */
  async see({ postId, createdAt }: SeenPost): Promise<void> {
    if (createdAt === undefined) return;
    const key = `post/${postId}`;
    const item = await this.#current.get(key);
    if (item?.data === createdAt) return;
    if (item !== undefined) await this.#begin(this.#run + 1);
    await this.#current.insert(key, createdAt, null);
  }

  async #begin(run: number): Promise<void> {
    const item = await this.#all.get(runKey);
    if (item === undefined) await this.#all.insert(runKey, String(run), null);
    else await this.#all.swap(runKey, item.version, String(run), null);
    this.#use(run);
  }

  #use(run: number): void {
    this.#run = run;
    this.#current = prefixedStore(this.#all, `run/${String(run)}/`);
  }
}
