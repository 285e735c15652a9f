import type { KnownEventType } from '../../../model/events.js';
import { isFinalStatus } from '../../../model/known-values.js';
import type { Post } from '../../../posts/posts.js';
import { demoReceivers } from '../../service/receiver.js';
import { dayMs, timestamp } from '../../state/time.js';
import type { DemoWorld } from './world.js';

const subscriptions: readonly { readonly url: string; readonly eventTypes: KnownEventType[] }[] = [
  { url: demoReceivers.shop, eventTypes: ['post.scheduled', 'post.published', 'post.partial', 'post.failed'] },
  { url: demoReceivers.crm, eventTypes: ['post.partial', 'post.failed'] },
  { url: demoReceivers.reports, eventTypes: ['post.published'] },
];

/** Only the latest events, so that the list stays short. */
const days = 4;

/** Seeds subscriptions, and sends them the final events of the latest posts. */
export function seedDeliveries({ service, seed, now }: DemoWorld, posts: readonly Post[]): void {
  const { store, events, clock } = service;
  const createdAt = timestamp(now - 30 * dayMs);
  const stored = posts.flatMap(({ postId }) => store.state.posts.get(postId) ?? []);
  const recent = stored.filter(({ scheduledMs }) => scheduledMs >= now - days * dayMs);
  for (const { url, eventTypes } of subscriptions) {
    const subscription = seed.subscription({ eventTypes, webhook: { url }, createdAt, updatedAt: createdAt });
    for (const post of recent) {
      if (!isFinalStatus(post.status)) continue;
      // Other subscriptions get no events of seeded posts.
      const event = events.eventFor(subscription, `post.${post.status}`, post, post.scheduledMs);
      if (event !== undefined) store.schedule(now, { kind: 'deliver', event, attempt: 1 });
    }
  }
  clock.kick();
}
