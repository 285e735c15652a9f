import { issueAt } from '../../core/call/options.js';
import type { Issue } from '../../core/errors.js';
import {
  notificationSubscriptionSchema,
  type notificationEndpoints,
  type NotificationSubscription,
} from '../../resources/notifications.js';
import { ErrorReply, invalidRequest, parsedRequest, type Handlers } from './handler.js';
import type { Store } from '../state/store.js';
import { timestamp } from '../state/time.js';

/** Creates a signing secret: the same in every run. */
export const newSecret = (store: Store) => `whsec_${store.hex(48)}`;

export const notificationHandlers: Handlers<typeof notificationEndpoints> = {
  create({ store, clock }, { body, extraBody }) {
    const { channel, eventTypes, webhook } = body;
    if (channel === undefined) throw new ErrorReply(400, 'A subscription needs a channel: webhook or email.');
    if (eventTypes === undefined || eventTypes.length === 0)
      throw new ErrorReply(400, 'A subscription needs eventTypes.');
    if (channel === 'webhook' && !/^https?:/.test(webhook?.url ?? '')) {
      throw new ErrorReply(400, 'A webhook subscription needs webhook.url, an http or https address.');
    }
    const { profileId, onlyScheduledPosts = false, enabled = true, email } = extraBody;
    const now = timestamp(clock.now());
    const draft = {
      id: 'new',
      channel,
      // A subscription without a profile is not restricted.
      profileId: profileId ?? undefined,
      eventTypes,
      onlyScheduledPosts,
      enabled,
      ...(channel === 'webhook'
        ? { webhook: { url: webhook?.url, secret: '' } }
        : { email: email ?? { recipients: [] } }),
      createdAt: now,
      updatedAt: now,
    };
    const checked = parsedRequest(notificationSubscriptionSchema(), draft);
    const issues = recipientIssues(checked.email?.recipients);
    if (issues.length > 0) throw invalidRequest(issues);
    const notification: NotificationSubscription = { ...checked, id: store.id('notification') };
    if (notification.webhook !== undefined) notification.webhook.secret = newSecret(store);
    store.state.subscriptions.set(notification.id, notification);
    return { success: true, notification };
  },
};

/** A user, an @, and a host: the document does not describe more. */
const address = /^[^\s@]+@[^\s@]+$/;

export function recipientIssues(recipients: readonly string[] = []): Issue[] {
  return recipients.flatMap((recipient, index) =>
    address.test(recipient) ? [] : [issueAt(['email', 'recipients', index], 'must be an email address')],
  );
}
