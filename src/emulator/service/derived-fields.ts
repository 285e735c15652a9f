import type { StoredPost } from './stored-records.js';
import { age, instant } from './time.js';

/** Fields of a post that are derived from others, stored so that lists need not compute them. */
export type DerivedField = 'createdMs' | 'scheduledMs';

export function derivedFields({
  createdAt,
  scheduledFor,
}: Pick<StoredPost, 'createdAt' | 'scheduledFor'>): Pick<StoredPost, DerivedField> {
  return {
    createdMs: age(createdAt),
    scheduledMs: scheduledFor === undefined ? Number.NaN : instant(scheduledFor),
  };
}
