/**
 * Returns a random number from 0 up to 1. Its whole state is one integer, so a snapshot can contain it (mulberry32).
 */
export function nextRandom(holder: { random: number }): number {
  holder.random = (holder.random + 0x6d2b79f5) | 0;
  let mixed = holder.random;
  mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Returns hexadecimal digits. Do not use them for real secrets. */
export function randomHex(holder: { random: number }, digits: number): string {
  let text = '';
  while (text.length < digits) text += Math.floor(nextRandom(holder) * 16).toString(16);
  return text;
}
