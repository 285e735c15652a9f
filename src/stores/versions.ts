/**
 * The version of an item that is written for the first time. It is random, and each swap adds 1: were it always 1, a
 * version that was read before a key was removed could fit the item that came after.
 */
export function firstVersion(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  // 47 bits, so that no number of swaps leads out of what a double counts exactly.
  return (high % 0x8000) * 0x1_0000_0000 + low + 1;
}
