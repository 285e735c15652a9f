/** Claims of posts: one post belongs to one intent. */
import { ConfigurationError } from '../core/errors.js';
import type { FoundPost, PostClaims, PostOwner } from '../model/find-posts.js';
import { momentOf } from '../model/instant.js';
import { insertItem, swapItem } from '../stores/lost-replies.js';
import type { DurableStore } from '../stores/store.js';
import type { IntentRecord } from './intent-record.js';
import { decode, decodeIntent, encode, intentPrefix } from './stored-intents.js';

const postPrefix = 'post/';
/** The maximum number of tries for the claim of a post. */
const mostClaimTries = 10;
/** The claim of a pruned intent stays until its post is too old to be found by a search. */
const keptAfterPruneMs = 24 * 3_600_000;

/**
 * The owner of a post: the intent (`key`) that has recorded it (`isDecided`). Otherwise, an intent that has claimed it
 * and recorded no post yet.
 */
export interface PostHolder {
  readonly key: string;
  readonly isDecided: boolean;
}

/** An intent in one life of its key: a pruned key is new again. */
export type Life = Pick<IntentRecord, 'key' | 'createdAt'>;

interface Claim {
  readonly key: string;
  /** The intent's `createdAt`. `undefined`: release 0.2.0 claimed the post. */
  readonly createdAt: number | undefined;
  /** Its intent was pruned: the hash of the intent's request. */
  readonly retired: number | undefined;
  /** No reply showed the post, and its intent was pruned before it recorded the post. */
  readonly isUnproved: boolean;
  readonly version: number;
}

/**
 * The value of a claim. `recorded`: the intent has recorded the post, or a reply proved that the post belongs to the intent.
 * `open`: the intent may still record the post. `void`: the intent has recorded another post. `gone`: the intent was
 * pruned or abandoned before it recorded the post.
 */
type Standing = 'recorded' | 'open' | 'void' | 'gone';

export class StoredClaims implements PostClaims<Life> {
  readonly #store: DurableStore;

  constructor(store: DurableStore) {
    this.#store = store;
  }

  /** `undefined`: no existing intent has the post. */
  async ownerOf(postId: string): Promise<PostHolder | undefined> {
    const found = await this.#read(postPrefix + postId);
    if (found === undefined || found.retired !== undefined) return undefined;
    const standing = await this.#standing(found, postId);
    return standing === 'recorded' || standing === 'open'
      ? { key: found.key, isDecided: standing === 'recorded' }
      : undefined;
  }

  /**
   * Returns the owner of a post for a search. A post stays `undecided` if it was claimed for a pruned intent without
   * proof. It can belong to a new intent under the key, or to an equal one.
   * @param inDoubt the intents that the search is for, which have recorded no post: `createdAt` by key
   */
  async holderOf(postId: string, inDoubt: ReadonlyMap<string, number>): Promise<PostOwner<{ readonly key: string }>> {
    const found = await this.#read(postPrefix + postId);
    if (found === undefined) return undefined;
    const { key, retired } = found;
    const createdAt = inDoubt.get(key);
    if (retired === undefined && createdAt !== undefined && isOf(found, { key, createdAt })) return { key };
    const standing = await this.#standing(found, postId);
    if (standing === 'void') return undefined;
    return standing === 'recorded' ? 'other' : 'undecided';
  }

  /** Claims a post that a search found. `false`: it belongs to another intent, or can belong to one. */
  async claim(intent: Life, post: Pick<FoundPost, 'postId'>): Promise<boolean> {
    return this.#claimPost(intent, post.postId, ['void']);
  }

  /** Claims a post that a reply or an operator named. A search for a pruned intent may have claimed it by mistake. */
  async claimProved(intent: Life, post: Pick<FoundPost, 'postId'>): Promise<boolean> {
    return this.#claimPost(intent, post.postId, ['void', 'gone']);
  }

  /** @param yielding the standings of other claims that it replaces */
  async #claimPost(intent: Life, postId: string, yielding: readonly Standing[]): Promise<boolean> {
    const claim = postPrefix + postId;
    // Other processes can change the claim between two steps.
    for (let tries = 0; tries < mostClaimTries; tries += 1) {
      if (await this.#claim(claim, intent)) return true;
      const found = await this.#read(claim);
      if (found === undefined) continue;
      if (!yielding.includes(await this.#standing(found, postId))) return false;
      // The intent has recorded another post. Its claim would not count, so any equal intent could take this post.
      const own = { ...intent, retired: undefined, isUnproved: false, version: found.version };
      if ((await this.#standing(own, postId)) === 'void') return false;
      if ((await swapItem(this.#store, { key: claim, version: found.version }, dataOf(intent), null)) !== undefined)
        return true;
    }
    return false;
  }

  /** A process can end between two claims. Its intent owns the post that it recorded. */
  async #standing(claim: Claim, postId: string): Promise<Standing> {
    if (claim.retired !== undefined) return claim.isUnproved ? 'gone' : 'recorded';
    const storedAt = intentPrefix + claim.key;
    const item = await this.#store.get(storedAt);
    if (item === undefined) return 'gone';
    const record = recordIn(storedAt, item.data);
    if (record === undefined) return 'open';
    if (!isOf(claim, record)) return 'gone';
    if (record.postId === postId) return 'recorded';
    if (record.postId === undefined) return record.state === 'abandoned' ? 'gone' : 'open';
    // An operator who corrects an ID claims the right post before it is recorded.
    return record.unconfirmed === true ? 'open' : 'void';
  }

  /** Releases a post that does not belong to the intent. */
  async releasePost(postId: string, intent: Life): Promise<void> {
    const claim = postPrefix + postId;
    const found = await this.#read(claim);
    if (found === undefined || !isOf(found, intent)) return;
    // Another operator may have named the post again.
    if ((await this.#standing(found, postId)) === 'recorded') return;
    await swapItem(this.#store, { key: claim, version: found.version }, null, null);
  }

  /**
   * Marks the claim of an intent that is pruned. It stays for now: an equal intent in doubt must not get its post.
   * @param content the hash of the intent's request
   */
  async retire(
    { key, postId, post, createdAt, sent }: IntentRecord,
    content: number,
    { isUnproved = false } = {},
  ): Promise<void> {
    if (postId === undefined) return;
    const claim = postPrefix + postId;
    const found = await this.#read(claim);
    if (found === undefined || !isOf(found, { key, createdAt })) return;
    // A proved claim stays. A claim of release 0.2.0 stays too: it names no life, so it can belong to a later one.
    if (isUnproved && (found.retired !== undefined || found.createdAt === undefined)) return;
    const { at: sentAt = 0, skewMs = 0, laterSkewMs = 0 } = sent ?? {};
    // In the service's time, as far as it is known. A clock that was ahead keeps the claim for longer.
    const postAt = Math.max(momentOf(post?.createdAt) ?? 0, sentAt + Math.max(0, skewMs, laterSkewMs), createdAt);
    const data = encode({ key, createdAt, retired: content, ...(isUnproved && { unproved: true }) });
    await swapItem(this.#store, { key: claim, version: found.version }, data, postAt + keptAfterPruneMs);
  }

  /**
   * Removes claims of pruned intents whose time is over by the service's clock: the clock of this process can be ahead.
   * @param serviceTime is called if a claim may be over. `undefined`: the claims stay
   * @param open the hashes of requests of open intents
   */
  async removeRetired(
    now: number,
    serviceTime: () => Promise<number | undefined>,
    open: ReadonlySet<number>,
  ): Promise<void> {
    if ((await this.#store.due(postPrefix, now, 1)).length === 0) return;
    const over = await serviceTime();
    if (over === undefined) return;
    for (const claim of await this.#dueAt(over)) {
      const found = await this.#read(claim);
      if (found?.retired === undefined || open.has(found.retired)) continue;
      await swapItem(this.#store, { key: claim, version: found.version }, null, null);
    }
  }

  async #dueAt(now: number): Promise<readonly string[]> {
    let limit = 1_000;
    for (;;) {
      const keys = await this.#store.due(postPrefix, now, limit);
      if (keys.length < limit) return keys;
      limit *= 4;
    }
  }

  async #claim(claim: string, intent: Life): Promise<boolean> {
    const version = await insertItem(this.#store, claim, dataOf(intent), null);
    if (version !== undefined) return true;
    const found = await this.#read(claim);
    return found !== undefined && found.retired === undefined && isOf(found, intent);
  }

  async #read(claim: string): Promise<Claim | undefined> {
    const item = await this.#store.get(claim);
    if (item === undefined) return undefined;
    const { key, createdAt, retired, unproved } = decode(claim, item.data);
    if (typeof key !== 'string') return undefined;
    return {
      key,
      createdAt: typeof createdAt === 'number' ? createdAt : undefined,
      retired: typeof retired === 'number' ? retired : undefined,
      isUnproved: unproved === true,
      version: item.version,
    };
  }
}

function dataOf({ key, createdAt }: Life): string {
  return encode({ key, createdAt });
}

/** A claim without `createdAt` belongs to the key, in whatever life. */
function isOf(claim: Claim, { key, createdAt }: Life): boolean {
  return claim.key === key && (claim.createdAt === undefined || claim.createdAt === createdAt);
}

/** `undefined`: a newer version wrote it. Its data proves nothing. */
function recordIn(storedAt: string, data: string): IntentRecord | undefined {
  try {
    return decodeIntent(storedAt, data);
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}
