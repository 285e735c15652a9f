import type { KnownPostStatus } from '../../resources/posts.js';
import { OrderedList, type OrderKey } from './ordered-list.js';
import type { StoredPost } from './stored.js';
import { Table } from './table.js';

/** So many maps that a change after a fork copies a small part of the posts. */
const shardCount = 64;

const age: OrderKey<StoredPost> = [({ createdMs }) => createdMs, ({ order }) => order];

/** Posts in the order of their age, by something that a list asks for. */
class Index<Name> {
  #lists = new Map<Name, OrderedList<StoredPost>>();

  of(name: Name): OrderedList<StoredPost> {
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    const posts = new OrderedList(...age);
    this.#lists.set(name, posts);
    return posts;
  }

  fork(): Index<Name> {
    const copy = new Index<Name>();
    copy.#lists = new Map([...this.#lists].map(([name, posts]) => [name, posts.fork()]));
    return copy;
  }
}

/** The posts: by ID, by age, by status and by platform. */
export class PostTable {
  #shards: Table<StoredPost>[] = Array.from({ length: shardCount }, () => new Table<StoredPost>());
  #byAge = new OrderedList(...age);
  #byStatus = new Index<KnownPostStatus>();
  #byPlatform = new Index<string>();
  #latestListing = -Infinity;

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
    if (before !== undefined) this.#leave(before, post);
    shard.set(post.postId, post);
    this.#byAge.set(post);
    this.#byStatus.of(post.status).set(post);
    for (const platform of platformsOf(post)) this.#byPlatform.of(platform).set(post);
    this.#latestListing = Math.max(this.#latestListing, post.listedAt ?? -Infinity);
  }

  /** All posts from the oldest to the newest. Of posts of one instant the later one is the newer one. */
  fromOldest(): OrderedList<StoredPost> {
    return this.#byAge;
  }

  /** Those with a status. */
  withStatus(status: KnownPostStatus): OrderedList<StoredPost> {
    return this.#byStatus.of(status);
  }

  /** Those with a target on a platform. */
  onPlatform(platform: string): OrderedList<StoredPost> {
    return this.#byPlatform.of(platform);
  }

  /** Whether lists leave posts out at a time, because they lag. */
  lagsAt(now: number): boolean {
    return now < this.#latestListing;
  }

  fork(): PostTable {
    const copy = new PostTable();
    copy.#shards = this.#shards.map((shard) => shard.fork());
    copy.#byAge = this.#byAge.fork();
    copy.#byStatus = this.#byStatus.fork();
    copy.#byPlatform = this.#byPlatform.fork();
    copy.#latestListing = this.#latestListing;
    return copy;
  }

  /** Takes a post out of the lists where the one that comes in its place doesn't belong, or not there. */
  #leave(before: StoredPost, after: StoredPost): void {
    const moved = before.createdMs !== after.createdMs || before.order !== after.order;
    if (moved) this.#byAge.delete(before);
    if (moved || before.status !== after.status) this.#byStatus.of(before.status).delete(before);
    if (!moved && before.platformBits === after.platformBits) return;
    for (const platform of platformsOf(before)) this.#byPlatform.of(platform).delete(before);
  }

  #shard(postId: string): Table<StoredPost> {
    let hash = 0;
    for (let index = 0; index < postId.length; index += 1) hash = (hash * 31 + postId.charCodeAt(index)) | 0;
    const shard = this.#shards[(hash >>> 0) % shardCount];
    if (shard === undefined) throw new RangeError('There are shards for every hash.');
    return shard;
  }
}

function platformsOf({ targets }: StoredPost): Set<string> {
  return new Set(targets.map(({ platform }) => platform));
}
