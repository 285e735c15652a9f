import { SortedList } from './sorted-list.js';
import type { StoredPost } from './stored-records.js';
import { Table } from './table.js';

export class PostTable {
  #byId = new Table<StoredPost>();
  #byAge = new SortedList<StoredPost>((a, b) => a.createdMs - b.createdMs || a.order - b.order);
  #lastListedAt = -Infinity;

  get(postId: string): StoredPost | undefined {
    return this.#byId.get(postId);
  }

  has(postId: string): boolean {
    return this.#byId.has(postId);
  }

  set(post: StoredPost): void {
    const before = this.#byId.get(post.postId);
    if (before !== undefined && before.createdMs !== post.createdMs) this.#byAge.delete(before);
    this.#byId.set(post.postId, post);
    this.#byAge.set(post);
    this.#lastListedAt = Math.max(this.#lastListedAt, post.listedAt ?? -Infinity);
  }

  /** All posts from the oldest to the newest. Of posts of one instant, the post that was created later is the newer one. */
  fromOldest(): SortedList<StoredPost> {
    return this.#byAge;
  }

  /** Whether lists omit some posts at this time, because a fault lists them later. */
  lagsAt(now: number): boolean {
    return now < this.#lastListedAt;
  }

  fork(): PostTable {
    const fork = new PostTable();
    fork.#byId = this.#byId.fork();
    fork.#byAge = this.#byAge.fork();
    fork.#lastListedAt = this.#lastListedAt;
    return fork;
  }
}
