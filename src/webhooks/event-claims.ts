import { defaultRuntime } from '../core/runtime.js';
import { insertItem, swapItem } from '../stores/lost-replies.js';
import type { DurableStore } from '../stores/store.js';
import { computeHmac, toHex } from './hmac.js';
import { OwnMemory, type ClaimRefusal, type EventClaim } from './own-memory.js';
import { keySegment, parseStored } from './stored-text.js';

export type ClaimEvent = (id: string, secrets: readonly string[]) => Promise<EventClaim | ClaimRefusal>;

/** Times of a claim, in milliseconds. */
export interface ClaimTimes {
  readonly leaseMs: number;
  readonly keepMs: number;
  readonly now: () => number;
}

/** The stored form of a claim. `until`: the end of the lease, or the time at which a handled event is forgotten. */
interface ClaimRecord {
  readonly v: 1;
  readonly state: 'claimed' | 'done';
  /** Random, so that a process recognises its own claim after a lost reply. */
  readonly owner?: string;
  readonly until: number;
}

const keyPrefix = 'receiver/';
/** How many old records each claim removes at most. */
const prunedPerClaim = 10;
/** A record can change between a refused write and the read. More often than this, other processes are working on it. */
const claimTries = 5;

/**
 * Creates the claims of a receiver.
 * @param store the store that it shares with other processes. `undefined`: it remembers events in memory
 */
export function createClaims(store: DurableStore | undefined, times: ClaimTimes): ClaimEvent {
  if (store === undefined) {
    const memory = new OwnMemory(times);
    return (id) => Promise.resolve(memory.claim(id));
  }
  return async (id, secrets) => {
    const segment = await keySegment(id);
    const keys = (await scopesOf(secrets)).map((scope) => `${keyPrefix}${scope}/${segment}`);
    const [claims] = await Promise.all([claimAll(keys, (key) => claimKey(store, key, times)), prune(store, times.now)]);
    if (typeof claims === 'string') return claims;
    return {
      complete: async () => {
        await Promise.all(claims.map((claim) => claim.complete()));
      },
      release: async () => {
        await Promise.all(claims.map((claim) => claim.release()));
      },
    };
  };
}

/**
 * Claims every key, or none: if a claim is refused or fails, releases the claims before it. During a rotation, an event
 * has one key for each secret, so that a process that knows only one of the secrets recognises it.
 *
 * @returns the claims, or the reason of the first refusal
 */
export async function claimAll(
  keys: readonly string[],
  claim: (key: string) => Promise<EventClaim | ClaimRefusal>,
): Promise<EventClaim[] | ClaimRefusal> {
  const claims: EventClaim[] = [];
  const releaseAll = () => Promise.all(claims.map((one) => one.release()));
  for (const key of keys) {
    const claimed = await claim(key).catch(async (error: unknown) => {
      await releaseAll().catch(() => undefined); // Otherwise, the claims expire.
      throw error;
    });
    if (typeof claimed === 'string') {
      await releaseAll();
      return claimed;
    }
    claims.push(claimed);
  }
  return claims;
}

async function claimKey(store: DurableStore, key: string, times: ClaimTimes): ReturnType<ClaimEvent> {
  const { leaseMs, now } = times;
  const until = now() + leaseMs;
  const data = encode({ v: 1, state: 'claimed', owner: defaultRuntime.newId(), until });
  for (let tries = 0; tries < claimTries; tries += 1) {
    const inserted = await insertItem(store, key, data, until);
    if (inserted !== undefined) return claimOf(store, { key, version: inserted }, times);
    const item = await store.get(key);
    if (item === undefined) continue;
    const record = decode(key, item.data);
    if (record.until > now()) return record.state === 'done' ? 'done' : 'in_progress';
    const swapped = await swapItem(store, { key, version: item.version }, data, until);
    if (swapped !== undefined) return claimOf(store, { key, version: swapped }, times);
  }
  return 'in_progress';
}

function claimOf(
  store: DurableStore,
  item: { readonly key: string; readonly version: number },
  times: ClaimTimes,
): EventClaim {
  return {
    complete: async () => {
      const until = times.now() + times.keepMs;
      const data = encode({ v: 1, state: 'done', until });
      if ((await swapItem(store, item, data, until)) !== undefined) return;
      // The lease expired. Whichever process has the event now, it was handled.
      await completeAnyway(store, item.key, data, until);
    },
    release: async () => {
      await swapItem(store, item, null, null);
    },
  };
}

async function completeAnyway(store: DurableStore, key: string, data: string, until: number): Promise<void> {
  for (;;) {
    const item = await store.get(key);
    const written =
      item === undefined
        ? await insertItem(store, key, data, until)
        : await swapItem(store, { key, version: item.version }, data, until);
    if (written !== undefined) return;
  }
}

/** Removes records whose time is over. */
async function prune(store: DurableStore, now: () => number): Promise<void> {
  try {
    const keys = await store.due(keyPrefix, now(), prunedPerClaim);
    await Promise.all(
      keys.map(async (key) => {
        const item = await store.get(key);
        if (item === undefined || decode(key, item.data).until > now()) return;
        await swapItem(store, { key, version: item.version }, null, null);
      }),
    );
  } catch {
    // The next claim tries again.
  }
}

function encode(record: ClaimRecord): string {
  return JSON.stringify(record);
}

function decode(key: string, data: string): ClaimRecord {
  return parseStored(key, data) as ClaimRecord; // Its version is checked, and only this file writes these keys.
}

/**
 * Names a subscription by each of its secrets, so that two apps on one store each handle an event. The order is the
 * same everywhere: two processes that claim several keys meet at the first. The names do not reveal the secrets.
 */
async function scopesOf(secrets: readonly string[]): Promise<string[]> {
  return (await Promise.all(secrets.map(scopeOf))).sort();
}

async function scopeOf(secret: string): Promise<string> {
  const digest = await computeHmac(secret, new TextEncoder().encode('social-publishing webhook scope'));
  return toHex(digest.subarray(0, 8));
}
