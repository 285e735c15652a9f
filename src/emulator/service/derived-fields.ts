import type { StoredPost } from './stored-records.js';
import { age, instant } from './time.js';

/** Fields of a post that follow from others, kept so that lists need not work them out. */
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
