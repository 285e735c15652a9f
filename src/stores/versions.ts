/**
 * The version of an item that is written for the first time. It is random, and each swap adds 1: were it always 1, a
 * version that was read before a key was removed could fit the item that came after.
 */
export function firstVersion(): number {
  // 48 bits, so that no number of swaps leads out of what a double counts exactly. Node draws UUIDs from bytes that it has
  // at hand, which is several times as fast as `getRandomValues`.
  const drawn = Number.parseInt(crypto.randomUUID().slice(-12), 16);
  if (Number.isFinite(drawn)) return drawn + 1;
  // Tests put a randomUUID of their own in its place.
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 0x1_0000) * 0x1_0000_0000 + low + 1;
}

/** Whether an item may begin with this version. */
export function isFirstVersion(version: number): boolean {
  return Number.isSafeInteger(version) && version >= 1 && version <= 2 ** 48;
}
