import { knownPlatforms } from '../../model/platforms.js';

const bits = new Map<string, number>(knownPlatforms.map((platform, index) => [platform, 1 << index]));

/** A set of platforms as one number. A platform that isn't known is in no set: no filter can name it. */
export function platformBits(platforms: readonly string[]): number {
  return platforms.reduce((all, platform) => all | (bits.get(platform) ?? 0), 0);
}
