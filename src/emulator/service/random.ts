/** A source of numbers from 0 up to 1 whose whole state is one integer, so that a snapshot can hold it (mulberry32). */
export function nextRandom(holder: { random: number }): number {
  holder.random = (holder.random + 0x6d2b79f5) | 0;
  let mixed = holder.random;
  mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Hexadecimal digits. Not for secrets that guard anything real. */
export function randomHex(holder: { random: number }, digits: number): string {
  let text = '';
  while (text.length < digits) text += Math.floor(nextRandom(holder) * 16).toString(16);
  return text;
}
