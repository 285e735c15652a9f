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
