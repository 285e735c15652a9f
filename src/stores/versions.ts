/**
 * Draws the version of a new item: 48 random bits, to which each swap adds 1. If a key is removed and inserted again, a
 * version of the old item does not match the new one.
 */
export function firstVersion(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 0x1_0000) * 0x1_0000_0000 + low + 1;
}
