import { SortedList } from './sorted-list.js';
import type { StoredPost } from './stored-records.js';

/**
 * Records by ID, in the order in which they were added. Records are never changed in place: `set` replaces them. So a fork
 * shares the records, and the map until one of the two tables changes.
 */
export class Table<T> {
  #records = new Map<string, T>();
  #shared = false;

  get(id: string): T | undefined {
    return this.#records.get(id);
  }

  has(id: string): boolean {
    return this.#records.has(id);
  }

  set(id: string, record: T): void {
    this.#own().set(id, record);
  }

  /** Returns whether there was a record with this ID. */
  delete(id: string): boolean {
    return this.#own().delete(id);
  }

  clear(): void {
    this.#records = new Map();
    this.#shared = false;
  }

  values(): IterableIterator<T> {
    return this.#records.values();
  }

  entries(): IterableIterator<[string, T]> {
    return this.#records.entries();
  }

  /** Returns a table of the same records. A change of one table doesn't change the other. */
  fork(): Table<T> {
    const fork = new Table<T>();
    fork.#records = this.#records;
    fork.#shared = true;
    this.#shared = true;
    return fork;
  }

  #own(): Map<string, T> {
    if (this.#shared) {
      this.#records = new Map(this.#records);
      this.#shared = false;
    }
    return this.#records;
  }
}

export function addTo<T>(table: Table<readonly T[]>, owner: string, record: T): void {
  table.set(owner, [...(table.get(owner) ?? []), record]);
}

export function replaceIn<T>(table: Table<readonly T[]>, owner: string, before: T, after: T): void {
  table.set(
    owner,
    (table.get(owner) ?? []).map((record) => (record === before ? after : record)),
  );
}

export class PostTable {
  #byId = new Table<StoredPost>();
  #byAge = new SortedList<StoredPost>((a, b) => a.createdMs - b.createdMs || a.order - b.order);

  get(postId: string): StoredPost | undefined {
    return this.#byId.get(postId);
  }

  set(post: StoredPost): void {
    const before = this.#byId.get(post.postId);
    if (before !== undefined && before.createdMs !== post.createdMs) this.#byAge.delete(before);
    this.#byId.set(post.postId, post);
    this.#byAge.set(post);
  }

  /** All posts from the oldest to the newest. Of posts of one instant, the post that was created later is the newer one. */
  fromOldest(): SortedList<StoredPost> {
    return this.#byAge;
  }

  fork(): PostTable {
    const fork = new PostTable();
    fork.#byId = this.#byId.fork();
    fork.#byAge = this.#byAge.fork();
    return fork;
  }
}
