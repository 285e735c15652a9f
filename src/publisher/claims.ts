/** Resources that only one intent can have: a post, and with `correlate: 'schedule'` a time. */
import { ConfigurationError } from '../core/errors.js';
import type { FoundPost, PostClaims } from '../model/find-posts.js';
import { momentOf } from '../model/instant.js';
import { insertItem, swapItem } from '../stores/lost-replies.js';
import type { DurableStore } from '../stores/store.js';
import { hashOf, wireOf } from './content.js';
import type { PublisherSettings } from './options.js';
import type { IntentRecord } from './intent-record.js';
import { decode, decodeIntent, encode, intentPrefix } from './stored-intents.js';

const postPrefix = 'post/';
const slotPrefix = 'slot/';
/** The first tries stay within the second of the requested time, the others within its minute. */
const slotRanges = [999, 999, 999, 59_999] as const;
/** Each try fails with the probability that its range is taken. */
const mostSlotTries = 24;
/** How far ahead a post to publish now is scheduled, because a clock can be slightly wrong. */
const aheadMs = 60_000;
/** An earlier time can be in the past when the request arrives. */
const nearestMs = 10_000;
/** The claim of a pruned intent stays until its post is too old to be found by a search. */
const keptAfterPruneMs = 24 * 3_600_000;

/**
 * The owner of a post: the intent (`key`) that has recorded it or claimed it first (`isDecided`). Otherwise, an intent
 * that has claimed it and recorded no post yet. `undefined`: no owner. The claim of an intent that has recorded another
 * post does not count.
 */
export interface PostHolder {
  readonly key: string;
  readonly isDecided: boolean;
}

export class StoredClaims implements PostClaims<string> {
  readonly #store: DurableStore;

  constructor(store: DurableStore) {
    this.#store = store;
  }

  async ownerOf(postId: string): Promise<PostHolder | undefined> {
    const found = await this.#read(postPrefix + postId);
    return found === undefined || found.retired !== undefined ? undefined : this.#standing(found.key, postId);
  }

  /** @param inDoubt the keys of intents that have recorded no post: they are not read */
  async holderOf(postId: string, inDoubt: ReadonlySet<string>): Promise<PostHolder | undefined> {
    const found = await this.#read(postPrefix + postId);
    if (found === undefined) return undefined;
    const { key, retired } = found;
    if (retired !== undefined) return { key, isDecided: true };
    return inDoubt.has(key) ? { key, isDecided: false } : this.#standing(key, postId);
  }

  /** Claims a post for the intent of a key. `false`: it belongs to another intent. */
  async claim(key: string, { postId }: Pick<FoundPost, 'postId'>): Promise<boolean> {
    const claim = postPrefix + postId;
    if (await this.#claim(claim, key)) return true;
    const found = await this.#read(claim);
    if (found === undefined) return this.#claim(claim, key); // Its intent was pruned in between.
    if (found.retired !== undefined || (await this.#standing(found.key, postId)) !== undefined) return false;
    return (await swapItem(this.#store, { key: claim, version: found.version }, encode({ key }), null)) !== undefined;
  }

  /** A process can end between two claims. Its intent owns the post that it recorded. */
  async #standing(key: string, postId: string): Promise<PostHolder | undefined> {
    const storedAt = intentPrefix + key;
    const item = await this.#store.get(storedAt);
    if (item === undefined) return { key, isDecided: true };
    const recorded = recordedIn(storedAt, item.data);
    return recorded === undefined || recorded === postId ? { key, isDecided: recorded === postId } : undefined;
  }

  /**
   * Chooses the time that an intent is sent with, and claims it. `undefined`: the intent's own time, or none.
   * @param serviceTime `undefined`: it is not known
   */
  async chooseSlot(
    { correlate, publishNowAs }: PublisherSettings,
    record: IntentRecord,
    serviceTime: () => Promise<number | undefined>,
  ): Promise<number | undefined> {
    if (correlate === undefined) return undefined;
    const last = record.slots?.at(-1);
    const { scheduledFor, publishNow } = wireOf(record);
    if (typeof scheduledFor === 'string') {
      // Only the service knows the time zone of a time without an offset.
      const at = momentOf(scheduledFor);
      return at === undefined ? undefined : (last ?? this.#claimSlot(at, record.key));
    }
    if (publishNow !== true || publishNowAs === undefined) return undefined;
    const now = await serviceTime();
    // By a wrong clock, it would be published at a wrong time. A time that was sent before is sent again.
    if (now === undefined) return last;
    if (last !== undefined && last > now + nearestMs) return last;
    return this.#claimSlot(Math.round(now) + aheadMs, record.key);
  }

  /**
   * Claims a time, a few milliseconds after the requested one. The order of tries depends only on the key. A process
   * that ended after its claim and a process that races for the same key choose the same time.
   */
  async #claimSlot(time: number, key: string): Promise<number> {
    for (let tried = 0; tried < mostSlotTries; tried += 1) {
      const range = slotRanges[tried] ?? slotRanges[3];
      const slot = time + 1 + (hashOf(`${String(tried)}/${key}`) % range);
      if (await this.#claim(slotPrefix + String(slot), key)) return slot;
    }
    throw new ConfigurationError(
      'Too many intents have the same scheduledFor: about 50,000 fit. Spread them, or omit correlate.',
    );
  }

  /** Releases a time that the intent does not use. */
  async releaseSlot(slot: number, key: string): Promise<void> {
    await this.#release(slotPrefix + String(slot), key);
  }

  /** Releases a post that an operator named by mistake. */
  async releasePost(postId: string, key: string): Promise<void> {
    await this.#release(postPrefix + postId, key);
  }

  async #release(claim: string, key: string): Promise<void> {
    const found = await this.#read(claim);
    if (found?.key === key) await swapItem(this.#store, { key: claim, version: found.version }, null, null);
  }

  /**
   * Marks the claims of an intent that is pruned. They stay for now: an equal intent in doubt must not get its post.
   * @param content the hash of the intent's request
   */
  async retire({ key, postId, slots = [], post, createdAt, sent }: IntentRecord, content: number): Promise<void> {
    const { at: sentAt = 0, skewMs = 0, laterSkewMs = 0 } = sent ?? {};
    // In the service's time, as far as it is known. A clock that was ahead keeps the claim for longer.
    const postAt = Math.max(momentOf(post?.createdAt) ?? 0, sentAt + Math.max(0, skewMs, laterSkewMs), createdAt);
    if (postId !== undefined) await this.#retire(postPrefix + postId, key, content, postAt + keptAfterPruneMs);
    for (const slot of slots) {
      await this.#retire(slotPrefix + String(slot), key, content, Math.max(slot, postAt) + keptAfterPruneMs);
    }
  }

  async #retire(claim: string, key: string, content: number, wakeAt: number): Promise<void> {
    const found = await this.#read(claim);
    if (found?.key !== key) return;
    await swapItem(this.#store, { key: claim, version: found.version }, encode({ key, retired: content }), wakeAt);
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
    for (const prefix of [postPrefix, slotPrefix]) {
      if ((await this.#store.due(prefix, now, 1)).length === 0) continue;
      const over = await serviceTime();
      if (over === undefined) return;
      for (const claim of await this.#dueOf(prefix, over)) {
        const found = await this.#read(claim);
        if (found?.retired === undefined || open.has(found.retired)) continue;
        await swapItem(this.#store, { key: claim, version: found.version }, null, null);
      }
    }
  }

  async #dueOf(prefix: string, now: number): Promise<readonly string[]> {
    let limit = 1_000;
    for (;;) {
      const keys = await this.#store.due(prefix, now, limit);
      if (keys.length < limit) return keys;
      limit *= 4;
    }
  }

  async #claim(claim: string, key: string): Promise<boolean> {
    const version = await insertItem(this.#store, claim, encode({ key }), null);
    if (version !== undefined) return true;
    const found = await this.#read(claim);
    return found?.key === key && found.retired === undefined;
  }

  async #read(claim: string): Promise<{ key: string; retired: number | undefined; version: number } | undefined> {
    const item = await this.#store.get(claim);
    if (item === undefined) return undefined;
    const { key, retired } = decode(claim, item.data);
    if (typeof key !== 'string') return undefined;
    return { key, retired: typeof retired === 'number' ? retired : undefined, version: item.version };
  }
}

/** Data of a newer version proves nothing. */
function recordedIn(storedAt: string, data: string): string | undefined {
  try {
    return decodeIntent(storedAt, data).postId;
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}
