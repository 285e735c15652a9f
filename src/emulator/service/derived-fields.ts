import { platformBits } from './platform-bits.js';
import type { StoredPost } from './stored.js';
import { age, instant } from './time.js';

/** Fields of a post that follow from others, kept so that lists need not work them out. */
export type DerivedField = 'createdMs' | 'scheduledMs' | 'platformBits';

export function derivedFields({
  createdAt,
  scheduledFor,
  targets,
}: Pick<StoredPost, 'createdAt' | 'scheduledFor' | 'targets'>): Pick<StoredPost, DerivedField> {
  return {
    createdMs: age(createdAt),
    scheduledMs: scheduledFor === undefined ? Number.NaN : instant(scheduledFor),
    platformBits: platformBits(targets.map(({ platform }) => platform)),
  };
}
