import { openDialog, subjectOf } from '../../state/dialogs.js';
import { remote } from '../../state/remote.js';
import { get } from '../../world/workbench.js';
import type { RequestRecord } from '../requests/requests.js';
import type { Delivery } from '../webhooks/deliveries.js';

/** The traffic about one post, the latest first. */
interface PostTraffic {
  readonly postId: string;
  readonly requests: readonly RequestRecord[];
  readonly deliveries: readonly Delivery[];
}

/** The number of requests, and of delivery attempts, that a post shows. */
const shownRecords = 50;

/** The traffic about the post of the open dialog. */
export const postTraffic = remote<PostTraffic | undefined>(async () => {
  const postId = subjectOf(openDialog.value);
  if (postId === undefined) return undefined;
  const query = `limit=${shownRecords}&post=${encodeURIComponent(postId)}`;
  const [{ requests }, { deliveries }] = await Promise.all([
    get<{ readonly requests: readonly RequestRecord[] }>(`requests?${query}`),
    get<{ readonly deliveries: readonly Delivery[] }>(`deliveries?${query}`),
  ]);
  return { postId, requests: requests.toReversed(), deliveries: deliveries.toReversed() };
}, ['request', 'delivery']);
