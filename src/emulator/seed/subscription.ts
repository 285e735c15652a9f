import { knownEventTypes } from '../../model/events.js';
import { notificationSubscriptionSchema, type NotificationSubscription } from '../../resources/notifications.js';
import { recipientIssues } from '../handlers/recipients.js';
import type { Service } from '../handlers/handler.js';
import { withoutUndefined } from '../service/defined.js';
import { timestamp } from '../service/time.js';
import { checked, checkWebhook, failing } from './checks.js';

/** A subscription to seed, including its signing secret. */
export type SubscriptionSeed = Partial<NotificationSubscription>;

const secretDigits = 48;

export function seedSubscription({ store, clock }: Service, fields: SubscriptionSeed): NotificationSubscription {
  const id = fields.id ?? store.id('notification');
  const channel = fields.channel ?? (fields.email === undefined ? 'webhook' : 'email');
  const now = timestamp(clock.now());
  const filled = {
    channel,
    eventTypes: [...knownEventTypes],
    onlyScheduledPosts: false,
    enabled: true,
    createdAt: now,
    updatedAt: now,
    ...withoutUndefined(fields),
    ...(channel === 'webhook' ? { webhook: { secret: `whsec_${store.hex(secretDigits)}`, ...fields.webhook } } : {}),
    id,
  };
  const subscription: NotificationSubscription = checked('subscription', notificationSubscriptionSchema(), filled);
  const fail = failing('subscription');
  if (channel !== 'webhook' && channel !== 'email') fail('channel must be webhook or email.');
  if (channel === 'webhook') checkWebhook(fail, subscription.webhook ?? {});
  const [issue] = recipientIssues(subscription.email?.recipients);
  if (issue !== undefined) fail(`${issue.path.join('.')} ${issue.message}.`);
  for (const type of subscription.eventTypes ?? []) {
    // The types of `includes` accept only its items.
    if (!(knownEventTypes as readonly string[]).includes(type))
      fail(`eventTypes must contain only ${knownEventTypes.join(', ')}.`);
  }
  store.state.subscriptions.set(id, subscription);
  return structuredClone(subscription);
}
