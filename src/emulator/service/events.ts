import type { KnownEventType } from '../../model/events.js';
import type { NotificationSubscription } from '../../resources/notifications.js';
import { webhookEventSchema } from '../../schema/event.js';
import type { Clock } from './clock.js';
import { publishedAt } from '../state/post-view.js';
import type { Store } from '../state/store.js';
import type { StoredEvent, StoredPost, StoredTarget } from '../state/stored-records.js';
import { timestamp } from '../state/time.js';

const projectId = 'project_1';
const payloadVersion = '1';
// Names under .invalid never resolve, so no real server is called.
const dashboardUrl = 'https://dashboard.service.invalid';
const mediaUrl = 'https://media.service.invalid';
const apiUrl = 'https://api.service.invalid';

/** Sends events about posts to subscriptions (Events). */
export class Events {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  emit(type: KnownEventType, post: StoredPost): void {
    const now = this.#clock.now();
    for (const subscription of this.#store.state.subscriptions.values()) {
      const event = this.eventFor(subscription, type, post, now);
      if (event !== undefined) this.#store.schedule(now, { kind: 'deliver', event, attempt: 1 });
    }
    this.#clock.kick();
  }

  /** Returns the event that a subscription gets about a post, or `undefined` if it gets none. */
  eventFor(
    subscription: NotificationSubscription,
    type: KnownEventType,
    post: StoredPost,
    at: number,
  ): StoredEvent | undefined {
    const targets = this.#targetsFor(subscription, type, post);
    if (targets === undefined) return undefined;
    const id = this.#store.id('event');
    const payload = {
      version: payloadVersion,
      id,
      type,
      createdAt: timestamp(at),
      projectId,
      profileId: subscription.profileId ?? null,
      data: { post: eventPost(post), platforms: targets.map((target) => this.#eventTarget(target)) },
    };
    return { id, type, subscriptionId: subscription.id, body: JSON.stringify(webhookEventSchema().parse(payload)) };
  }

  /** The profile that a target's integration is assigned to now. */
  profileOf(target: StoredTarget): string | null {
    return this.#store.state.integrations.get(target.accountId)?.profileId ?? null;
  }

  /** Returns the targets in a subscription's event, or `undefined` if it gets no event. */
  #targetsFor(
    subscription: NotificationSubscription,
    type: KnownEventType,
    post: StoredPost,
  ): readonly StoredTarget[] | undefined {
    const { channel, enabled, eventTypes, onlyScheduledPosts, profileId } = subscription;
    if (channel !== 'webhook' || enabled === false || eventTypes?.includes(type) !== true) return undefined;
    if (onlyScheduledPosts === true && !post.originallyScheduled) return undefined;
    if (profileId === undefined) return post.targets;
    const targets = post.targets.filter((target) => this.profileOf(target) === profileId);
    return targets.length === 0 ? undefined : targets;
  }

  #eventTarget(target: StoredTarget): object {
    return {
      platform: target.platform,
      integrationId: target.accountId,
      profileId: this.profileOf(target),
      status: target.status,
      platformPostId: target.platformPostId ?? null,
      platformPostUrl: target.platformPostUrl ?? null,
      publishedAt: target.publishedAt ?? null,
      errorMessage: target.errorMessage ?? null,
      warningMessage: target.warningMessage ?? null,
    };
  }
}

function eventPost(post: StoredPost): object {
  return {
    id: post.postId,
    status: post.status,
    content: post.content ?? '',
    scheduledFor: post.scheduledFor ?? null,
    publishedAt: publishedAt(post) ?? null,
    mediaItems: post.mediaItems.map((item, index) => ({
      thumbnail: `${mediaUrl}/${post.postId}/thumbnail-${String(index + 1)}.jpg`,
      ...item,
    })),
    links: { service: `${dashboardUrl}/posts/${post.postId}`, api: `${apiUrl}/v1/posts/${post.postId}` },
  };
}
