/** A platform that the API document names (Resources and their fields). */
export type KnownPlatform =
  | 'twitter'
  | 'instagram'
  | 'youtube'
  | 'tiktok'
  | 'pinterest'
  | 'linkedin'
  | 'bluesky'
  | 'facebook'
  | 'threads'
  | 'googlebusiness';

/** A platform identifier. Replies may contain undocumented platforms. */
export type Platform = KnownPlatform | (string & {});

/** The platforms that the API document names, in its order. */
export const knownPlatforms: readonly KnownPlatform[] = [
  'twitter',
  'instagram',
  'youtube',
  'tiktok',
  'pinterest',
  'linkedin',
  'bluesky',
  'facebook',
  'threads',
  'googlebusiness',
];

/** Returns whether the API document names a platform, so that a `switch` over it can be exhaustive. */
export function isKnownPlatform(platform: string | undefined): platform is KnownPlatform {
  return knownPlatforms.includes(platform as KnownPlatform);
}
