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

/** A post status that the API document names (States and transitions). */
export type KnownPostStatus = 'draft' | 'pending' | 'scheduled' | 'publishing' | 'published' | 'failed' | 'partial';

/** The status of a post. Undocumented statuses are possible. */
export type PostStatus = KnownPostStatus | (string & {});

/** The post statuses that the API document names. */
export const knownPostStatuses: readonly KnownPostStatus[] = [
  'draft',
  'pending',
  'scheduled',
  'publishing',
  'published',
  'failed',
  'partial',
];

/** Returns whether the API document names a status, so that a `switch` over it can be exhaustive. */
export function isKnownPostStatus(status: string | undefined): status is KnownPostStatus {
  return knownPostStatuses.includes(status as KnownPostStatus);
}

/** A final post status: publishing has finished. */
export type FinalPostStatus = 'published' | 'failed' | 'partial';

export const finalPostStatuses: readonly FinalPostStatus[] = ['published', 'failed', 'partial'];

/**
 * Returns whether publishing has finished: the post is `published`, `partial` or `failed`.
 *
 * API document: States and transitions.
 */
export function isFinalStatus(status: string | undefined): status is FinalPostStatus {
  return finalPostStatuses.includes(status as FinalPostStatus);
}
