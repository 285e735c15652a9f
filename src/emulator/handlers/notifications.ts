import {
  notificationSubscriptionSchema,
  type notificationEndpoints,
  type NotificationSubscription,
} from '../../resources/notifications.js';
import { formatIssue } from '../../core/errors.js';
import { describeIssues } from '../../schema/issues.js';
import { Refusal, type Behaviours } from './behaviour.js';
import { timestamp } from '../service/time.js';

const secretDigits = 48;

export const notificationBehaviours: Behaviours<typeof notificationEndpoints> = {
  create({ store, clock }, { body, extraBody }) {
    const { channel, eventTypes, webhook } = body;
    if (channel === undefined) throw new Refusal(400, 'A subscription needs a channel: webhook or email.');
    if (eventTypes === undefined || eventTypes.length === 0) throw new Refusal(400, 'A subscription needs eventTypes.');
    if (channel === 'webhook' && !/^https?:/.test(webhook?.url ?? '')) {
      throw new Refusal(400, 'A webhook subscription needs webhook.url, an http or https address.');
    }
    const { profileId, onlyScheduledPosts = false, enabled = true, email } = extraBody;
    const now = timestamp(clock.now());
    const draft = {
      id: '',
      channel,
      // Nothing restricts a subscription that names no profile.
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
    const checked = notificationSubscriptionSchema().safeParse(draft);
    if (!checked.success) {
      throw new Refusal(
        400,
        `The request is not valid: ${describeIssues(checked.error.issues).map(formatIssue).join('; ')}`,
      );
    }
    const notification: NotificationSubscription = { ...checked.data, id: store.id('notification') };
    if (notification.webhook !== undefined) notification.webhook.secret = `whsec_${store.hex(secretDigits)}`;
    store.state.subscriptions.set(notification.id, notification);
    return { success: true, notification };
  },
};
