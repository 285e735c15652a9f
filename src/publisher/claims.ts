/** What one intent alone may have: a post, and with `correlate: 'schedule'` a millisecond of the calendar. */
import { ConfigurationError } from '../core/errors.js';
import { insertItem, swapItem } from '../stores/lost-replies.js';
import type { DurableStore } from '../stores/store.js';
import { decode, decodeIntent, encode, storeKey } from './codec.js';

const postPrefix = 'post/';
const slotPrefix = 'slot/';
/** So many intents can have the same appointed time. */
const mostSlots = 60_000;
/** The first of them stay within the second that the caller named. */
const slotsInSecond = 999;

/**
 * Who has a post: `nobody` (a claim of an intent that has noted another post counts for nothing), the intent that asks
 * (`self`), an intent that has noted it (`other`), or one that has claimed it and noted no post yet (`undecided`).
 */
export type Holder = 'nobody' | 'self' | 'other' | 'undecided';

/** The claims of a store. They are given up only when their intent is forgotten, or has noted another post. */
export class Claims {
  readonly #store: DurableStore;

  constructor(store: DurableStore) {
    this.#store = store;
  }

  /** The intent that a post belongs to. */
  async ownerOf(postId: string): Promise<string | undefined> {
    return this.#read(postPrefix + postId);
  }

  async holderOf(postId: string, key: string): Promise<Holder> {
    const owner = await this.ownerOf(postId);
    if (owner === undefined) return 'nobody';
    if (owner === key) return 'self';
    return this.#holdOf(owner, postId);
  }

  /** Takes a post for an intent. `false`: it belongs to another one. */
  async claimPost(postId: string, key: string): Promise<boolean> {
    const claim = postPrefix + postId;
    if (await this.#claim(claim, key)) return true;
    const item = await this.#store.get(claim);
    if (item === undefined) return this.#claim(claim, key); // Its intent was forgotten just now.
    const owner = ownerIn(claim, item.data);
    if (owner === undefined || (await this.#holdOf(owner, postId)) !== 'nobody') return false;
    return (await swapItem(this.#store, { key: claim, version: item.version }, claimOf(key), null)) !== undefined;
  }

  /** A process may have died between two claims: the post that its intent noted in the end is the one that it has. */
  async #holdOf(owner: string, postId: string): Promise<Exclude<Holder, 'self'>> {
    const storedAt = storeKey(owner);
    const item = await this.#store.get(storedAt);
    if (item === undefined) return 'other';
    const noted = notedIn(storedAt, item.data);
    if (noted === undefined) return 'undecided';
    return noted === postId ? 'other' : 'nobody';
  }

  /** Takes a time, a few milliseconds after the one that was asked for, that no other intent has. */
  async claimSlot(time: number, key: string): Promise<number> {
    // Two intents of one campaign seldom ask for the same millisecond first.
    const start = hash(key) % slotsInSecond;
    for (let tried = 0; tried < mostSlots; tried += 1) {
      const offset = tried < slotsInSecond ? ((start + tried) % slotsInSecond) + 1 : tried + 1;
      if (await this.#claim(slotPrefix + String(time + offset), key)) return time + offset;
    }
    throw new ConfigurationError(
      `More than ${mostSlots} intents have the same scheduledFor: spread them, or leave out correlate.`,
    );
  }

  /** Gives up all that an intent has, once it is forgotten. */
  async release(key: string, postId: string | undefined, slots: readonly number[] = []): Promise<void> {
    const all = [...(postId === undefined ? [] : [postPrefix + postId]), ...slots.map((at) => slotPrefix + String(at))];
    for (const claim of all) {
      const item = await this.#store.get(claim);
      if (item === undefined || decode(claim, item.data)['key'] !== key) continue;
      await this.#store.swap(claim, item.version, null, null);
    }
  }

  async #claim(claim: string, key: string): Promise<boolean> {
    const version = await insertItem(this.#store, claim, claimOf(key), null);
    return version !== undefined || (await this.#read(claim)) === key;
  }

  async #read(claim: string): Promise<string | undefined> {
    const item = await this.#store.get(claim);
    if (item === undefined) return undefined;
    return ownerIn(claim, item.data);
  }
}

/** What a newer version wrote shows nothing that could be relied on. */
function notedIn(storedAt: string, data: string): string | undefined {
  try {
    return decodeIntent(storedAt, data).postId;
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/** The text of a claim. */
function claimOf(key: string): string {
  return encode({ key });
}

function ownerIn(claim: string, data: string): string | undefined {
  const { key } = decode(claim, data);
  return typeof key === 'string' ? key : undefined;
}

/** FNV-1a: spreads keys that differ in a digit alone. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}
