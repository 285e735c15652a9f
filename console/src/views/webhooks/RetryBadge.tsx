import { Icon } from '../../parts/Icon.js';
import { formatSecondsAfter } from '../../state/time.js';
import type { Delivery } from './deliveries.js';

/** Shows that a failed attempt is followed by another one, and when. */
export function RetryBadge({ attempt: { retryAt, at } }: { readonly attempt: Delivery }) {
  if (retryAt === undefined) return null;
  return (
    <span class="status status-pending">
      <Icon name="waiting" />
      <span class="line">Retry at {formatSecondsAfter(retryAt, at)}</span>
    </span>
  );
}
