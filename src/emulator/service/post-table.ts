import type { KnownPostStatus } from '../../resources/posts.js';
import { OrderedList } from './ordered-list.js';
import type { StoredPost } from './stored.js';
import { Table } from './table.js';

/** So many maps that a change after a fork copies a small part of the posts. */
const shardCount = 64;

function byAge(a: StoredPost, b: StoredPost): number {
  return a.createdMs === b.createdMs ? a.order - b.order : a.createdMs < b.createdMs ? -1 : 1;
}

/** The posts: by ID, by age, and by status and age. */
export class PostTable {
  #shards: Table<StoredPost>[] = Array.from({ length: shardCount }, () => new Table<StoredPost>());
  #byAge = new OrderedList(byAge);
  #byStatus = new Map<KnownPostStatus, OrderedList<StoredPost>>();
  #latestListing = -Infinity;

  get size(): number {
    return this.#byAge.size;
  }

  get(postId: string): StoredPost | undefined {
    return this.#shard(postId).get(postId);
  }

  has(postId: string): boolean {
    return this.#shard(postId).has(postId);
  }

  /** Adds a post, or puts it in the place of the one with its ID. */
  set(post: StoredPost): void {
    const shard = this.#shard(post.postId);
    const before = shard.get(post.postId);
    if (before !== undefined) {
      const moved = byAge(before, post) !== 0;
      if (moved) this.#byAge.delete(before);
      if (moved || before.status !== post.status) this.#byStatus.get(before.status)?.delete(before);
    }
    shard.set(post.postId, post);
    this.#byAge.set(post);
    this.#ofStatus(post.status).set(post);
    this.#latestListing = Math.max(this.#latestListing, post.listedAt ?? -Infinity);
  }

  /** All posts from the oldest to the newest, or those of one status. Of posts of one instant the later one is the newer one. */
  fromOldest(status?: KnownPostStatus): OrderedList<StoredPost> {
    return status === undefined ? this.#byAge : this.#ofStatus(status);
  }

  values(): Iterable<StoredPost> {
    return this.#byAge;
  }

  /** Whether lists leave posts out at a time, because they lag. */
  lagsAt(now: number): boolean {
    return now < this.#latestListing;
  }

  fork(): PostTable {
    const copy = new PostTable();
    copy.#shards = this.#shards.map((shard) => shard.fork());
    copy.#byAge = this.#byAge.fork();
    copy.#byStatus = new Map([...this.#byStatus].map(([status, posts]) => [status, posts.fork()]));
    copy.#latestListing = this.#latestListing;
    return copy;
  }

  #shard(postId: string): Table<StoredPost> {
    let hash = 0;
    for (let index = 0; index < postId.length; index += 1) hash = (hash * 31 + postId.charCodeAt(index)) | 0;
    const shard = this.#shards[(hash >>> 0) % shardCount];
    if (shard === undefined) throw new RangeError('There are shards for every hash.');
    return shard;
  }

  #ofStatus(status: KnownPostStatus): OrderedList<StoredPost> {
    const known = this.#byStatus.get(status);
    if (known !== undefined) return known;
    const posts = new OrderedList(byAge);
    this.#byStatus.set(status, posts);
    return posts;
  }
}
