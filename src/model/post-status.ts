/** A post status that nothing follows: publishing has finished. */
export type FinalPostStatus = 'published' | 'failed' | 'partial';

/** The statuses that nothing follows (States and transitions). */
export const finalPostStatuses: readonly FinalPostStatus[] = ['published', 'failed', 'partial'];

/**
 * Tells whether publishing has finished: the post is `published`, `partial` or `failed`.
 *
 * API document: States and transitions.
 */
export function isFinalStatus(status: string | undefined): status is FinalPostStatus {
  return finalPostStatuses.includes(status as FinalPostStatus);
}
