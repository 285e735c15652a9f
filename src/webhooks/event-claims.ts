import { ConfigurationError } from '../core/errors.js';
import { defaultRuntime } from '../core/runtime.js';
import { insertItem, swapItem } from '../stores/lost-replies.js';
import type { DurableStore } from '../stores/store.js';
import { claimAll } from './claim-all.js';
import { computeHmac, toHex } from './hmac.js';
import { keySegment, parseStored } from './stored-text.js';
import type { WebhookClaim, WebhookStore } from './webhook-store.js';

export interface EventClaim {
  readonly complete: () => Promise<void>;
  /** Releases the claim, so that the next attempt handles the event. */
  readonly release: () => Promise<void>;
}

export type ClaimEvent = (id: string, secrets: readonly string[]) => Promise<EventClaim | Exclude<WebhookClaim, 'new'>>;

/** Times of a claim, in milliseconds. */
export interface ClaimTimes {
  readonly leaseMs: number;
  readonly keepMs: number;
  readonly now: () => number;
}

/** Creates the claims of a receiver on either kind of store. */
export function createClaims(store: DurableStore | WebhookStore, times: ClaimTimes): ClaimEvent {
  return 'claim' in store ? webhookStoreClaims(store, times) : durableClaims(store, times);
}

function webhookStoreClaims(store: WebhookStore, { leaseMs, keepMs, now }: ClaimTimes): ClaimEvent {
  return async (id, secrets) => {
    const own = typeof store.scopedTo === 'function' ? store.scopedTo(await scopesOf(secrets)) : store;
    const claimedAt = now();
    const claim = await own.claim(id, leaseMs);
    if (claim === 'done' || claim === 'in_progress') return claim;
    // Any other value must not count as `new`: the receiver would handle every repeat, without any sign of it.
    if ((claim as unknown) !== 'new')
      throw new ConfigurationError("The store's claim() must resolve to 'new', 'in_progress' or 'done'.");
    return {
      complete: () => own.complete(id, keepMs),
      release: async () => {
        // After its lease, the claim can belong to another process.
        if (now() - claimedAt < leaseMs) await own.release(id);
      },
    };
  };
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

function durableClaims(store: DurableStore, times: ClaimTimes): ClaimEvent {
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
