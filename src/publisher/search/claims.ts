/** Claims of posts: one post belongs to one intent. */
import type { PostOwner } from '../../posts/find-posts.js';
import { momentOf } from '../../model/instant.js';
import {
  keysDue,
  change,
  formatOf,
  recordsIn,
  unlessForeign,
  type Records,
  type NextRecord,
  type Versioned,
} from '../../stores/records.js';
import type { DurableStore } from '../../stores/store.js';
import { canonicalOf, hashOf } from '../intents/content.js';
import type { IntentRecord, PostReport } from '../intents/intent-record.js';
import { type IntentSpace, latestFormat, oldFormat, prefixOf } from '../intents/intent-space.js';
import { decodeIntent } from '../intents/stored-intents.js';

const postPrefix = 'post/';
/** After this number of tries, other processes are working on the claim of a post. */
const mostTries = 10;
/** The claim of a pruned intent stays until its post is too old to be found by a search. */
const keptAfterPruneMs = 24 * 3_600_000;

/** An intent in one life of its key: a pruned key is new again. */
export type Life = Pick<IntentRecord, 'key' | 'createdAt'>;

/** A claim as the store has it. */
interface Claim {
  readonly key: string;
  /** Missing: release 0.2.0, or a client without a URL. The claim counts for every service. */
  readonly service?: string | undefined;
  readonly scope?: string | undefined;
  /** The intent's `createdAt`. Missing: release 0.2.0 claimed the post. */
  readonly createdAt?: number | undefined;
  /** Its intent was pruned: the hash of the intent's request. */
  readonly retired?: number | undefined;
  /** No reply showed the post: an operator named it, or a search found it for an intent that was pruned meanwhile. */
  readonly unproved?: true | undefined;
}

const format = formatOf<Claim>('format', latestFormat);

/**
 * The value of a claim. `recorded`: the intent has recorded the post, or a reply proved that the post belongs to the intent.
 * `open`: the intent may still record the post. `void`: the intent has recorded another post. `gone`: the intent was
 * pruned or abandoned before it recorded the post.
 */
type Standing = 'recorded' | 'open' | 'void' | 'gone';

/** What shows that an intent made a post. */
type Proof = 'search' | 'reply' | 'operator';

export class StoredClaims {
  readonly #store: DurableStore;
  readonly #space: IntentSpace;
  readonly #records: Records<Claim>;

  constructor(store: DurableStore, space: IntentSpace) {
    this.#store = store;
    this.#space = space;
    // Release 0.2.0 would search for the intent of a scope at a wrong place.
    const encode = (claim: Claim) => format.encode(claim, claim.scope === undefined ? oldFormat : latestFormat);
    this.#records = recordsIn(store, { ...format, encode });
  }

  /**
   * Returns the key of the intent that has recorded a post (`isDecided`), or that has claimed it and recorded no post yet.
   * `undefined`: no existing intent has the post. `other scope`: an intent of another scope has it.
   */
  async ownerOf(
    postId: string,
  ): Promise<{ readonly key: string; readonly isDecided: boolean } | 'other scope' | undefined> {
    const claim = (await this.#find(postId))?.known.record;
    if (claim === undefined || claim.retired !== undefined) return undefined;
    const standing = await this.#standing(claim, postId);
    if (standing !== 'recorded' && standing !== 'open') return undefined;
    if (claim.scope !== this.#space.scope) return 'other scope';
    return { key: claim.key, isDecided: standing === 'recorded' };
  }

  /**
   * Returns the owner of a post for a search. A post stays `undecided` if it was claimed for a pruned intent without
   * proof. It can belong to a new intent under the key, or to an equal one.
   * @param inDoubt the intents that the search is for, which have recorded no post, by key
   */
  async holderOf<Doubtful extends { readonly record: Life }>(
    postId: string,
    inDoubt: ReadonlyMap<string, Doubtful>,
  ): Promise<PostOwner<Doubtful>> {
    const claim = (await this.#find(postId))?.known.record;
    if (claim === undefined) return undefined;
    const holder = inDoubt.get(claim.key);
    // The operator's decision was not recorded. The search compares the post like one without a claim.
    if (holder !== undefined && this.#isHeldBy(claim, holder.record))
      return claim.unproved === true ? undefined : holder;
    const standing = await this.#standing(claim, postId);
    if (standing === 'void') return undefined;
    return standing === 'recorded' ? 'other' : 'undecided';
  }

  /**
   * Claims a post. `false`: it belongs to another intent, or can belong to one. If the process ends before the intent
   * records the post, the claim of an operator proves nothing.
   */
  async claim(intent: Life, postId: string, proof: Proof): Promise<boolean> {
    const mine = { ...this.#claimOf(intent), ...(proof === 'operator' && { unproved: true as const }) };
    // A search for a pruned intent may have claimed the post by mistake.
    const yielding: readonly Standing[] = proof === 'search' ? ['void'] : ['void', 'gone'];
    const next = async (claim: Claim | undefined) => {
      if (claim === undefined) return { record: mine, wakeAt: null };
      if (this.#space.isForeign(claim)) return undefined;
      if (this.#isHeldBy(claim, mine)) {
        const isProof = claim.unproved === true && mine.unproved !== true;
        return isProof ? { record: mine, wakeAt: null } : undefined;
      }
      if (!yielding.includes(await this.#standing(claim, postId))) return undefined;
      // If the intent has recorded another post, its claim would not count: any equal intent could take this post.
      const isVoid = (await this.#standing(mine, postId)) === 'void';
      return isVoid ? undefined : { record: mine, wakeAt: null };
    };
    for (const storedAt of this.#placesOf(postId)) {
      const { old, written } = await change(this.#records, storedAt, next, { known: 'new', mostTries });
      if (written !== undefined) return true;
      // Another service has the usual place.
      if (old === undefined || !this.#space.isForeign(old)) return old !== undefined && this.#isHeldBy(old, mine);
    }
    return false;
  }

  /** A process can end between two claims. Its intent owns the post that it recorded. */
  async #standing(claim: Claim, postId: string): Promise<Standing> {
    if (claim.retired !== undefined) return claim.unproved === true ? 'gone' : 'recorded';
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
    await this.#changeFound(postId, async (claim) => {
      if (!this.#isOf(claim, intent)) return undefined;
      // Another operator may have named the post again.
      return (await this.#standing(claim, postId)) === 'recorded' ? undefined : null;
    });
  }

  /**
   * Marks the claim of an intent that is pruned. It stays for now: an equal intent in doubt must not get its post.
   * @param claimed a post that was claimed for the intent, which was pruned before it recorded the post
   * @param options `isUnproved`: no reply showed the post, so it can belong to an equal intent
   */
  async retire(
    intent: IntentRecord,
    { postId, post = intent.post }: Partial<Pick<PostReport, 'postId' | 'post'>> = intent,
    { isUnproved = false } = {},
  ): Promise<void> {
    if (postId === undefined) return;
    const { key, createdAt, sent } = intent;
    const { at: sentAt = 0, skewMs = 0, laterSkewMs = 0 } = sent ?? {};
    // In the service's time, as far as it is known. A clock that was ahead keeps the claim for longer.
    const postAt = Math.max(momentOf(post?.createdAt) ?? 0, sentAt + Math.max(0, skewMs, laterSkewMs), createdAt);
    const mine = this.#claimOf({ key, createdAt });
    const retired = hashOf(canonicalOf(intent));
    const record = { ...mine, retired, ...(isUnproved && { unproved: true as const }) };
    await this.#changeFound(postId, (claim) => {
      if (!this.#isOf(claim, { key, createdAt })) return undefined;
      // A proved claim stays. A claim of release 0.2.0 stays too: it names no life, so it can belong to a later one.
      if (isUnproved && (claim.retired !== undefined || claim.createdAt === undefined)) return undefined;
      return { record, wakeAt: postAt + keptAfterPruneMs };
    });
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
    const isOver = (claim: Claim | undefined) =>
      claim?.retired !== undefined && !open.has(claim.retired) && !this.#space.isForeign(claim);
    for (const storedAt of await keysDue(this.#store, postPrefix, over))
      await unlessForeign(
        () => change(this.#records, storedAt, (claim) => (isOver(claim) ? null : undefined)),
        undefined,
      );
  }

  /** The first service that has a post with this ID has the usual place for its claim, another one a separate place. */
  #placesOf(postId: string): readonly string[] {
    const { service } = this.#space;
    const usual = postPrefix + postId;
    return service === undefined ? [usual] : [usual, `${postPrefix}${encodeURIComponent(service)}/${postId}`];
  }

  /** Reads the claim of a post of the service. A claim without a service counts for every service. */
  async #find(postId: string): Promise<{ readonly storedAt: string; readonly known: Versioned<Claim> } | undefined> {
    for (const storedAt of this.#placesOf(postId)) {
      const known = await this.#records.read(storedAt);
      if (known !== undefined && !this.#space.isForeign(known.record)) return { storedAt, known };
    }
    return undefined;
  }

  /** Changes the claim of a post, if it exists. */
  async #changeFound(
    postId: string,
    next: (claim: Claim) => NextRecord<Claim> | Promise<NextRecord<Claim>>,
  ): Promise<void> {
    const found = await this.#find(postId);
    if (found === undefined) return;
    await change(this.#records, found.storedAt, (claim) => claim && next(claim), { known: found.known });
  }

  #claimOf({ key, createdAt }: Life): Claim & Life {
    const { service, scope } = this.#space;
    return { key, createdAt, service, scope };
  }

  #isHeldBy(claim: Claim, intent: Life): boolean {
    return claim.retired === undefined && this.#isOf(claim, intent);
  }

  /** A claim without `createdAt` belongs to the key, in whatever life. */
  #isOf(claim: Claim, { key, createdAt }: Life): boolean {
    if (claim.key !== key || claim.scope !== this.#space.scope) return false;
    return claim.createdAt === undefined || claim.createdAt === createdAt;
  }
}
