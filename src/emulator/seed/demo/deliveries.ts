import type { KnownEventType } from '../../../model/events.js';
import type { NotificationSubscription } from '../../../resources/notifications.js';
import type { Post } from '../../../posts/posts.js';
import {
  accepted,
  crashed,
  demoReceivers,
  refusedSignature,
  unavailable,
  type DeliveryResult,
} from '../../service/receiver.js';
import type { StoredEvent, StoredPost } from '../../state/stored-records.js';
import { dayMs, timestamp } from '../../state/time.js';
import { hmacSha256 } from './hmac.js';
import type { DemoWorld } from './world.js';

interface Story {
  readonly results: readonly DeliveryResult[];
  /** Signed with the secret before the last rotation. */
  readonly isOldSecret?: boolean;
}

const delivered: Story = { results: [accepted] };
const timedOut: DeliveryResult = { ok: false, error: 'timed out', latencyMs: 10_000 };

interface ReceiverPlan {
  readonly url: string;
  readonly eventTypes: KnownEventType[];
  /** The stories of the latest events, the latest first. */
  readonly stories: readonly Story[];
  /** The story of earlier events, as the receiver answers later ones. Default: they are delivered. */
  readonly otherwise?: Story;
}

const plans: readonly ReceiverPlan[] = [
  {
    url: demoReceivers.shop,
    eventTypes: ['post.scheduled', 'post.published', 'post.partial', 'post.failed'],
    stories: [
      delivered,
      delivered,
      { results: [refusedSignature, refusedSignature, refusedSignature], isOldSecret: true },
    ],
  },
  {
    url: demoReceivers.crm,
    eventTypes: ['post.partial', 'post.failed'],
    stories: [],
    otherwise: { results: [crashed, crashed, crashed] },
  },
  {
    url: demoReceivers.reports,
    eventTypes: ['post.published'],
    stories: [{ results: [unavailable, accepted] }, { results: [timedOut, timedOut, timedOut] }],
    otherwise: { results: [unavailable, accepted] },
  },
];

/** Only the latest events, so that the list stays short. */
const days = 4;
const oldSecret = 'whsec_before_the_rotation';
/** When the attempts of an event begin, in milliseconds after it. */
const attemptsAt = [0, 30_000, 90_000];

/** Seeds subscriptions, and deliveries to them with every outcome. */
export function seedDeliveries(world: DemoWorld, posts: readonly Post[]): void {
  const { seed, now } = world;
  const attempts = plans.flatMap((plan) => {
    const subscription = seed.subscription({
      eventTypes: plan.eventTypes,
      webhook: { url: plan.url },
      createdAt: timestamp(now - 30 * dayMs),
      updatedAt: timestamp(now - 30 * dayMs),
    });
    const events = eventsFor(world, posts, subscription);
    return events.flatMap((event, index) =>
      attemptsOf(event, plan.stories[index] ?? plan.otherwise ?? delivered, subscription),
    );
  });
  const { store } = world.service;
  for (const { at, ...delivery } of attempts.sort((a, b) => a.at - b.at)) {
    const order = store.count('delivery');
    store.state.deliveries.set({
      order,
      number: 0,
      delivery: { id: `delivery_${String(order)}`, at: timestamp(at), ...delivery },
    });
  }
}

interface TimedEvent {
  readonly event: StoredEvent;
  readonly at: number;
}

/** Returns the events about posts that became final in the last days, the latest first. */
function eventsFor(
  { service, now }: DemoWorld,
  posts: readonly Post[],
  subscription: NotificationSubscription,
): TimedEvent[] {
  const finals = posts.flatMap(({ postId }) => {
    const post = service.store.state.posts.get(postId);
    const isRecent = post !== undefined && post.scheduledMs >= now - days * dayMs && post.scheduledMs < now;
    const type = isRecent ? finalEventOf(post) : undefined;
    return type === undefined || post === undefined ? [] : [{ post, type }];
  });
  finals.sort((a, b) => b.post.scheduledMs - a.post.scheduledMs);
  return finals.flatMap(({ post, type }) => {
    const event = service.events.eventFor(subscription, type, post, post.scheduledMs);
    return event === undefined ? [] : [{ event, at: post.scheduledMs }];
  });
}

function finalEventOf({ status }: StoredPost): KnownEventType | undefined {
  return status === 'published' || status === 'partial' || status === 'failed' ? `post.${status}` : undefined;
}

function attemptsOf(
  { event, at }: TimedEvent,
  { results, isOldSecret }: Story,
  subscription: NotificationSubscription,
) {
  const { url = '', secret = '' } = subscription.webhook ?? {};
  return results.map((result, index) => {
    const sentAt = at + (attemptsAt[index] ?? 0);
    return {
      subscriptionId: subscription.id,
      eventId: event.id,
      eventType: event.type,
      attempt: index + 1,
      url,
      at: sentAt,
      ...result,
      headers: headersOf(event, isOldSecret === true ? oldSecret : secret, sentAt),
      body: event.body,
    };
  });
}

function headersOf({ id, type, body }: StoredEvent, secret: string, at: number): Record<string, string> {
  const seconds = String(Math.floor(at / 1_000));
  return {
    'X-Service-Event-Id': id,
    'X-Service-Event-Type': type,
    'X-Service-Timestamp': seconds,
    'X-Service-Signature': `sha256=${hmacSha256(secret, `${seconds}.${body}`)}`,
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1.0',
  };
}
