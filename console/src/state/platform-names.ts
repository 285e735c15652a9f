import { isKnownPlatform, type KnownPlatform } from 'social-publishing';
import { countByName } from './quantity.js';

/** Display names, and the letters of the badges. */
export const platformNames: Readonly<Record<KnownPlatform, { readonly name: string; readonly letters: string }>> = {
  twitter: { name: 'Twitter', letters: 'Tw' },
  instagram: { name: 'Instagram', letters: 'Ig' },
  youtube: { name: 'YouTube', letters: 'Yt' },
  tiktok: { name: 'TikTok', letters: 'Tt' },
  pinterest: { name: 'Pinterest', letters: 'Pi' },
  linkedin: { name: 'LinkedIn', letters: 'Li' },
  bluesky: { name: 'Bluesky', letters: 'Bs' },
  facebook: { name: 'Facebook', letters: 'Fb' },
  threads: { name: 'Threads', letters: 'Th' },
  googlebusiness: { name: 'Google Business', letters: 'Gb' },
};

/** Names each platform once, with the number of its targets if there are several. */
export function namesOfPlatforms(platforms: readonly (string | undefined)[]): string {
  return countByName(platforms.map(platformName), (name, count) =>
    count === 1 ? name : `${name} (${count} accounts)`,
  );
}

export function platformName(platform: string | undefined): string {
  return isKnownPlatform(platform) ? platformNames[platform].name : (platform ?? 'unknown platform');
}
