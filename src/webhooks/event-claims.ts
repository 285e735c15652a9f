import { ConfigurationError } from '../core/errors.js';
import { computeHmac, toHex } from './hmac.js';
import type { WebhookClaim, WebhookStore } from './webhook-store.js';

/** One event that this process may handle. */
export interface EventClaim {
  /** Marks the event as handled. */
  readonly complete: () => Promise<void>;
  /** Releases the claim, so that the next attempt handles the event. */
  readonly release: () => Promise<void>;
}

/** Claims an event, for the subscription with these secrets. */
export type ClaimEvent = (id: string, secrets: readonly string[]) => Promise<EventClaim | Exclude<WebhookClaim, 'new'>>;

/** Times of a claim, in milliseconds. */
export interface ClaimTimes {
  readonly leaseMs: number;
  readonly keepMs: number;
  readonly now: () => number;
}

/** Creates the claims of a receiver. */
export function createClaims(store: WebhookStore, { leaseMs, keepMs, now }: ClaimTimes): ClaimEvent {
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

/**
 * Names a subscription by each of its secrets, so that two apps on one store handle the same event each. In one order
 * everywhere: two processes that claim several keys at once meet at the first. The names do not reveal the secrets.
 */
async function scopesOf(secrets: readonly string[]): Promise<string[]> {
  return (await Promise.all(secrets.map(scopeOf))).sort();
}

async function scopeOf(secret: string): Promise<string> {
  const digest = await computeHmac(secret, new TextEncoder().encode('social-publishing webhook scope'));
  return toHex(digest.subarray(0, 8));
}
