import type { KnownEventType } from '../../../model/events.js';
import { isFinalStatus } from '../../../model/known-values.js';
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
import type { StoredEvent } from '../../state/stored-records.js';
import { dayMs, timestamp } from '../../state/time.js';
import { hmacSha256 } from './hmac.js';
import type { DemoWorld } from './world.js';

/** The results of the attempts to deliver one event. */
type Results = readonly DeliveryResult[];

const timedOut: DeliveryResult = { ok: false, error: 'timed out', latencyMs: 10_000 };

interface ReceiverPlan {
  readonly url: string;
  readonly eventTypes: KnownEventType[];
  /** The results of the latest events, the latest first. */
  readonly latest: readonly Results[];
  /** The results of earlier events, as the receiver answers later ones. */
  readonly otherwise: Results;
}

const plans: readonly ReceiverPlan[] = [
  {
    url: demoReceivers.shop,
    eventTypes: ['post.scheduled', 'post.published', 'post.partial', 'post.failed'],
    latest: [[accepted], [accepted], [refusedSignature, refusedSignature, refusedSignature]],
    otherwise: [accepted],
  },
  {
    url: demoReceivers.crm,
    eventTypes: ['post.partial', 'post.failed'],
    latest: [],
    otherwise: [crashed, crashed, crashed],
  },
  {
    url: demoReceivers.reports,
    eventTypes: ['post.published'],
    latest: [
      [unavailable, accepted],
      [timedOut, timedOut, timedOut],
    ],
    otherwise: [unavailable, accepted],
  },
];

/** Only the latest events, so that the list stays short. */
const days = 4;
/** The secret before the last rotation, which a receiver refuses. */
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
    return events.flatMap((event, index) => attemptsOf(event, plan.latest[index] ?? plan.otherwise, subscription));
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
  const recent = posts
    .flatMap(({ postId }) => service.store.state.posts.get(postId) ?? [])
    .filter(({ scheduledMs }) => scheduledMs >= now - days * dayMs && scheduledMs < now);
  recent.sort((a, b) => b.scheduledMs - a.scheduledMs);
  return recent.flatMap((post) => {
    const { status, scheduledMs: at } = post;
    const event = isFinalStatus(status) && service.events.eventFor(subscription, `post.${status}`, post, at);
    return event ? [{ event, at }] : [];
  });
}

function attemptsOf({ event, at }: TimedEvent, results: Results, subscription: NotificationSubscription) {
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
      headers: headersOf(event, result === refusedSignature ? oldSecret : secret, sentAt),
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
