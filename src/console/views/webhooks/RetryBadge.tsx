import { Icon } from '../../parts/Icon.js';
import { formatSecondsAfter } from '../../state/time.js';

interface Props {
  /** When the next attempt is due. */
  readonly retryAt: string;
  /** The time of the failed attempt. */
  readonly failedAt: string;
}

/** Shows that a failed delivery is tried again, and when. */
export function RetryBadge({ retryAt, failedAt }: Props) {
  return (
    <span class="status status-pending">
      <Icon name="waiting" />
      <span class="line">Retry at {formatSecondsAfter(retryAt, failedAt)}</span>
    </span>
  );
}
