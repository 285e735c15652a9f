/** Claims of posts: one post belongs to one intent. */
import type { FoundPost, PostClaims, PostOwner } from '../model/find-posts.js';
import { momentOf } from '../model/instant.js';
import { keysDue } from '../stores/read-all.js';
import { insertItem, swapItem } from '../stores/lost-replies.js';
import type { DurableStore } from '../stores/store.js';
import type { IntentRecord } from './intent-record.js';
import { IntentSpace, prefixOf } from './intent-space.js';
import { decode, encode, unlessForeign } from './stored-data.js';
import { decodeIntent } from './stored-intents.js';

const postPrefix = 'post/';
/** The maximum number of tries for the claim of a post. */
const mostClaimTries = 10;
/** The claim of a pruned intent stays until its post is too old to be found by a search. */
const keptAfterPruneMs = 24 * 3_600_000;

/**
 * The owner of a post, if it is in the scope: the intent (`key`) that has recorded it (`isDecided`). Otherwise, an intent that has claimed it
 * and recorded no post yet.
 */
export interface PostHolder {
  readonly key: string;
  readonly isDecided: boolean;
}

/** An intent in one life of its key: a pruned key is new again. */
export type Life = Pick<IntentRecord, 'key' | 'createdAt'>;

interface Claim {
  /** The key of its item. */
  readonly storedAt: string;
  readonly key: string;
  /** Missing: release 0.2.0, or a client without a URL. The claim counts for every service. */
  readonly service: string | undefined;
  readonly scope: string | undefined;
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
  readonly #space: IntentSpace;

  constructor(store: DurableStore, space = new IntentSpace(store)) {
    this.#store = store;
    this.#space = space;
  }

  /** `undefined`: no existing intent has the post. `other scope`: an intent of another scope has it. */
  async ownerOf(postId: string): Promise<PostHolder | 'other scope' | undefined> {
    const found = await this.#find(postId);
    if (found === undefined || found.retired !== undefined) return undefined;
    const standing = await this.#standing(found, postId);
    if (standing !== 'recorded' && standing !== 'open') return undefined;
    if (found.scope !== this.#space.scope) return 'other scope';
    return { key: found.key, isDecided: standing === 'recorded' };
  }

  /**
   * Returns the owner of a post for a search. A post stays `undecided` if it was claimed for a pruned intent without
   * proof. It can belong to a new intent under the key, or to an equal one.
   * @param inDoubt the intents that the search is for, which have recorded no post: `createdAt` by key
   */
  async holderOf(postId: string, inDoubt: ReadonlyMap<string, number>): Promise<PostOwner<{ readonly key: string }>> {
    const found = await this.#find(postId);
    if (found === undefined) return undefined;
    const { key, retired } = found;
    const createdAt = inDoubt.get(key);
    if (retired === undefined && createdAt !== undefined && this.#isOf(found, { key, createdAt })) return { key };
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
  async #claimPost(
    intent: Life,
    postId: string,
    yielding: readonly Standing[],
    storedAt = postPrefix + postId,
  ): Promise<boolean> {
    // Other processes can change the claim between two steps.
    for (let tries = 0; tries < mostClaimTries; tries += 1) {
      if ((await insertItem(this.#store, storedAt, this.#dataOf(intent), null)) !== undefined) return true;
      const found = await this.#read(storedAt);
      if (found === undefined) continue;
      if (this.#space.isForeign(found)) return this.#claimPost(intent, postId, yielding, this.#ownPlace(postId));
      if (found.retired === undefined && this.#isOf(found, intent)) return true;
      if (!yielding.includes(await this.#standing(found, postId))) return false;
      // The intent has recorded another post. Its claim would not count, so any equal intent could take this post.
      const own = { ...found, ...intent, scope: this.#space.scope, retired: undefined, isUnproved: false };
      if ((await this.#standing(own, postId)) === 'void') return false;
      const item = { key: storedAt, version: found.version };
      if ((await swapItem(this.#store, item, this.#dataOf(intent), null)) !== undefined) return true;
    }
    return false;
  }

  /** A process can end between two claims. Its intent owns the post that it recorded. */
  async #standing(claim: Claim, postId: string): Promise<Standing> {
    if (claim.retired !== undefined) return claim.isUnproved ? 'gone' : 'recorded';
    const storedAt = prefixOf(claim.scope) + claim.key;
    const item = await this.#store.get(storedAt);
    if (item === undefined) return 'gone';
    // A newer version's data proves nothing.
    const record = await unlessForeign(() => decodeIntent(storedAt, item.data, claim.key), undefined);
    if (record === undefined) return 'open';
    if (claim.createdAt !== undefined && claim.createdAt !== record.createdAt) return 'gone';
    if (record.postId === postId) return 'recorded';
    if (record.postId === undefined) return record.state === 'abandoned' ? 'gone' : 'open';
    // An operator who corrects an ID claims the right post before it is recorded.
    return record.unconfirmed === true ? 'open' : 'void';
  }

  /** Releases a post that does not belong to the intent. */
  async releasePost(postId: string, intent: Life): Promise<void> {
    const found = await this.#find(postId);
    if (found === undefined || !this.#isOf(found, intent)) return;
    // Another operator may have named the post again.
    if ((await this.#standing(found, postId)) === 'recorded') return;
    await swapItem(this.#store, { key: found.storedAt, version: found.version }, null, null);
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
    const found = await this.#find(postId);
    if (found === undefined || !this.#isOf(found, { key, createdAt })) return;
    // A proved claim stays. A claim of release 0.2.0 stays too: it names no life, so it can belong to a later one.
    if (isUnproved && (found.retired !== undefined || found.createdAt === undefined)) return;
    const { at: sentAt = 0, skewMs = 0, laterSkewMs = 0 } = sent ?? {};
    // In the service's time, as far as it is known. A clock that was ahead keeps the claim for longer.
    const postAt = Math.max(momentOf(post?.createdAt) ?? 0, sentAt + Math.max(0, skewMs, laterSkewMs), createdAt);
    const data = this.#dataOf({ key, createdAt }, { retired: content, ...(isUnproved && { unproved: true }) });
    await swapItem(this.#store, { key: found.storedAt, version: found.version }, data, postAt + keptAfterPruneMs);
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
    for (const claim of await keysDue(this.#store, postPrefix, over)) {
      const found = await unlessForeign(() => this.#read(claim), undefined);
      if (found?.retired === undefined || open.has(found.retired) || this.#space.isForeign(found)) continue;
      await swapItem(this.#store, { key: claim, version: found.version }, null, null);
    }
  }

  /** The place for the second service that has a post with this ID: the first one has the usual place. */
  #ownPlace(postId: string): string {
    return `${postPrefix}${encodeURIComponent(this.#space.service ?? '')}/${postId}`;
  }

  /** Reads the claim of a post of the service. A claim without a service counts for every service. */
  async #find(postId: string): Promise<Claim | undefined> {
    const found = await this.#read(postPrefix + postId);
    if (this.#space.service === undefined || (found !== undefined && !this.#space.isForeign(found))) return found;
    return this.#read(this.#ownPlace(postId));
  }

  async #read(storedAt: string): Promise<Claim | undefined> {
    const item = await this.#store.get(storedAt);
    if (item === undefined) return undefined;
    const { key, createdAt, retired, unproved, service, scope } = decode(storedAt, item.data);
    if (typeof key !== 'string') return undefined;
    return {
      storedAt,
      key,
      service: typeof service === 'string' ? service : undefined,
      scope: typeof scope === 'string' ? scope : undefined,
      createdAt: typeof createdAt === 'number' ? createdAt : undefined,
      retired: typeof retired === 'number' ? retired : undefined,
      isUnproved: unproved === true,
      version: item.version,
    };
  }

  #dataOf({ key, createdAt }: Life, more: object = {}): string {
    const { service, scope } = this.#space;
    return encode({ key, createdAt, service, scope, ...more }, scope === undefined ? 1 : 2);
  }

  /** A claim without `createdAt` belongs to the key, in whatever life. */
  #isOf(claim: Claim, { key, createdAt }: Life): boolean {
    if (claim.key !== key || claim.scope !== this.#space.scope) return false;
    return claim.createdAt === undefined || claim.createdAt === createdAt;
  }
}
