/** A post status that the API document names (States and transitions). */
export type KnownPostStatus = 'draft' | 'pending' | 'scheduled' | 'publishing' | 'published' | 'failed' | 'partial';

/** The status of a post. Statuses that the API document doesn't name yet may come. */
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

/** Tells whether a status is one that the API document names, so that a `switch` over it can be exhaustive. */
export function isKnownPostStatus(status: string | undefined): status is KnownPostStatus {
  return knownPostStatuses.includes(status as KnownPostStatus);
}
