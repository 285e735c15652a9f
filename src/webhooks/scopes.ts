import { computeHmac, toHex } from './hmac.js';

/**
 * Names a subscription by each of its secrets, so that two apps on one store each handle an event. The order is the
 * same everywhere: two processes that claim several keys meet at the first. The names do not reveal the secrets.
 */
export async function scopesOf(secrets: readonly string[]): Promise<string[]> {
  return (await Promise.all(secrets.map(scopeOf))).sort();
}

async function scopeOf(secret: string): Promise<string> {
  const digest = await computeHmac(secret, new TextEncoder().encode('social-publishing webhook scope'));
  return toHex(digest.subarray(0, 8));
}

/** Whether two lists name the same subscription. A record of release 0.2.0 has no list, and belongs to no subscription. */
export function sharesScope(scopes: readonly string[], others: readonly string[] | undefined): boolean {
  return others?.some((scope) => scopes.includes(scope)) ?? false;
}
