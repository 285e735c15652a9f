import type { WebhookClaim } from './webhook-store.js';

type ClaimRefusal = Exclude<WebhookClaim, 'new'>;

interface Releasable {
  readonly release: () => Promise<unknown>;
}

/**
 * Claims every key, or none: if a claim is refused or fails, releases the claims before it. During a rotation, an event has
 * one key for each secret, so that a process that knows only one of the secrets recognises it.
 *
 * @returns the claims, or the reason of the first refusal
 */
export async function claimAll<Claim extends Releasable>(
  keys: readonly string[],
  claim: (key: string) => Promise<Claim | ClaimRefusal>,
): Promise<Claim[] | ClaimRefusal> {
  const claims: Claim[] = [];
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
