import type { Post, PostTarget } from '../../resources/posts.js';
import type { KnownEventType } from '../../model/events.js';
import type { NotificationSubscription } from '../../resources/notifications.js';
import { webhookEventSchema } from '../../schema/event.js';
import { age, instant, timestamp } from './time.js';
import type { Clock } from './clock.js';
import type { Store, StoredPost, StoredTarget } from './store.js';

/** What is to become of targets when they are published. */
export interface PublishingOutcome {
  /** Only targets on this platform. */
  readonly platform?: string | undefined;
  /** Only targets of this integration. */
  readonly accountId?: string | undefined;
  /** They fail with this error. */
  readonly error?: string | undefined;
  /** They are published with this warning. Without `error` and `warning` they succeed. */
  readonly warning?: string | undefined;
  /** How many targets it is for. Default: no end. */
  readonly times?: number | undefined;
}

const projectId = 'project_1';
const payloadVersion = '1';
// Names under .invalid never resolve: nobody is called by mistake.
const dashboardUrl = 'https://dashboard.service.invalid';
const apiUrl = 'https://api.service.invalid';

const sites: Readonly<Record<string, string>> = {
  twitter: 'https://x.com',
  instagram: 'https://www.instagram.com',
  youtube: 'https://www.youtube.com',
  tiktok: 'https://www.tiktok.com',
  pinterest: 'https://www.pinterest.com',
  linkedin: 'https://www.linkedin.com',
  bluesky: 'https://bsky.app',
  facebook: 'https://www.facebook.com',
  threads: 'https://www.threads.net',
  googlebusiness: 'https://business.google.com',
};

/** Where an account is on its platform. */
export function siteOf(platform: string): string {
  return sites[platform] ?? `https://${platform}.invalid`;
}

/** The states of posts and the events that tell of them. */
export class Lifecycle {
  readonly #store: Store;
  readonly #clock: () => Clock;
  readonly #creditsPerTarget: number;

  constructor(store: Store, clock: () => Clock, creditsPerTarget: number) {
    this.#store = store;
    this.#clock = clock;
    this.#creditsPerTarget = creditsPerTarget;
  }

  outcome(rule: PublishingOutcome): void {
    const { platform, accountId, error, warning, times = Infinity } = rule;
    this.#store.state.outcomes.push({ platform, accountId, error, warning, times });
  }

  resetOutcomes(): void {
    this.#store.state.outcomes.length = 0;
  }

  /** Takes a post in: from here on it is listed. */
  add(post: StoredPost): void {
    this.#store.state.posts.set(post.postId, post);
  }

  /** A post was accepted with a time. */
  schedule(post: StoredPost, tell: boolean): void {
    post.status = 'scheduled';
    this.reconcileCredits(post);
    this.plan(post);
    if (tell) this.#emit('post.scheduled', post);
  }

  /** Plans the publication of a scheduled post. An earlier plan of the same post comes to nothing. */
  plan(post: StoredPost): void {
    const at = post.scheduledFor === undefined ? Number.NaN : instant(post.scheduledFor);
    post.dueAt = Number.isNaN(at) ? this.#clock().now() : at;
    this.#store.schedule(post.dueAt, { kind: 'publish', postId: post.postId });
  }

  /** Charges what the targets cost, or the difference to what was charged before. */
  reconcileCredits(post: StoredPost): void {
    const credits = post.targets.length * this.#creditsPerTarget;
    this.#store.state.creditsUsed += credits - post.credits;
    post.credits = credits;
  }

  /** A planned publication is due. */
  publishDue(postId: string, at: number): void {
    const post = this.#store.state.posts.get(postId);
    // It was edited since, or published.
    if (post?.status !== 'scheduled' || post.dueAt !== at) return;
    this.publish(post);
  }

  publish(post: StoredPost): void {
    const now = this.#clock().now();
    this.reconcileCredits(post);
    post.status = 'publishing';
    post.dueAt = undefined;
    post.updatedAt = timestamp(now);
    for (const target of post.targets) target.status = 'publishing';
    if (this.#store.state.publishingMs === 0) this.finish(post.postId);
    else this.begin(post);
  }

  /** Publishing is under way: it finishes after the time that it takes. */
  begin({ postId }: StoredPost): void {
    this.#store.schedule(this.#clock().now() + this.#store.state.publishingMs, { kind: 'finish', postId });
  }

  /** Publishing finishes: each target's outcome, the post's status, and its one final event (States and transitions). */
  finish(postId: string): void {
    const post = this.#store.state.posts.get(postId);
    if (post?.status !== 'publishing') return;
    for (const target of post.targets) this.#finishTarget(target);
    const failed = post.targets.filter((target) => target.status === 'failed').length;
    const warned = post.targets.some((target) => target.warningMessage !== undefined);
    if (failed > 0 && failed === post.targets.length) post.status = 'failed';
    else post.status = failed > 0 || warned ? 'partial' : 'published';
    post.updatedAt = timestamp(this.#clock().now());
    this.#emit(`post.${post.status}`, post);
  }

  #finishTarget(target: StoredTarget): void {
    const { error, warning } = this.#outcomeOf(target);
    if (error !== undefined) {
      target.status = 'failed';
      target.errorMessage = error;
      return;
    }
    target.status = 'published';
    this.placeTarget(target, timestamp(this.#clock().now()));
    if (warning !== undefined) target.warningMessage = warning;
  }

  /** Gives a target its place on the platform. */
  placeTarget(target: StoredTarget, publishedAt: string): void {
    target.platformPostId ??= `${target.platform}_${String(this.#store.count('platformPost'))}`;
    target.platformPostUrl ??= `${siteOf(target.platform)}/${target.platformPostId}`;
    target.publishedAt ??= publishedAt;
  }

  #outcomeOf(target: StoredTarget): { error?: string | undefined; warning?: string | undefined } {
    const { outcomes, integrations } = this.#store.state;
    const rule = outcomes.findLast(
      ({ platform, accountId, times }) =>
        times > 0 &&
        (platform ?? target.platform) === target.platform &&
        (accountId ?? target.accountId) === target.accountId,
    );
    if (rule !== undefined) {
      rule.times -= 1;
      return rule;
    }
    const integration = integrations.get(target.accountId);
    if (integration?.authStatus !== undefined && integration.authStatus !== 'active') {
      return {
        error: `The account must be connected again (${integration.authFailureReason ?? integration.authStatus}).`,
      };
    }
    return {};
  }

  /** Sends an event to the subscriptions that asked for it (Events, Rules). */
  #emit(type: KnownEventType, post: StoredPost): void {
    const now = this.#clock().now();
    for (const subscription of this.#store.state.subscriptions.values()) {
      const targets = this.#targetsFor(subscription, type, post);
      if (targets === undefined) continue;
      const id = this.#store.id('event');
      const payload = {
        version: payloadVersion,
        id,
        type,
        createdAt: timestamp(now),
        projectId,
        profileId: subscription.profileId ?? null,
        data: { post: eventPost(post), platforms: targets.map((target) => this.#eventTarget(target)) },
      };
      const body = JSON.stringify(webhookEventSchema().parse(payload));
      this.#store.schedule(now, {
        kind: 'deliver',
        event: { id, type, subscriptionId: subscription.id, body },
        attempt: 1,
      });
    }
    this.#clock().kick();
  }

  /** The targets that a subscription is told of, or `undefined` where it isn't told at all. */
  #targetsFor(
    subscription: NotificationSubscription,
    type: KnownEventType,
    post: StoredPost,
  ): StoredTarget[] | undefined {
    const { channel, enabled, eventTypes, onlyScheduledPosts, profileId } = subscription;
    if (channel !== 'webhook' || enabled === false || eventTypes?.includes(type) !== true) return undefined;
    if (onlyScheduledPosts === true && !post.originallyScheduled) return undefined;
    if (profileId === undefined) return post.targets;
    const targets = post.targets.filter((target) => this.profileOf(target) === profileId);
    return targets.length === 0 ? undefined : targets;
  }

  /** The profile that a target's integration is assigned to now. */
  profileOf(target: StoredTarget): string | null {
    return this.#store.state.integrations.get(target.accountId)?.profileId ?? null;
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
    mediaItems: post.mediaItems,
    links: { service: `${dashboardUrl}/posts/${post.postId}`, api: `${apiUrl}/v1/posts/${post.postId}` },
  };
}

/** The earliest successful publication on a platform. */
export function publishedAt(post: StoredPost): string | undefined {
  const times = post.targets.flatMap((target) => target.publishedAt ?? []);
  return times.sort((a, b) => age(a) - age(b))[0];
}

/** A post as lists show it. It shares its parts with the stored one. */
export function listedPost(post: StoredPost): Post {
  const { postId, content, status, scheduledFor, timezone, mediaItems, crosspostingEnabled } = post;
  return {
    postId,
    ...(content === undefined ? {} : { content }),
    status,
    ...(scheduledFor === undefined ? {} : { scheduledFor }),
    timezone,
    mediaItems,
    platforms: post.targets.map((target) => listedTarget(target, content)),
    crosspostingEnabled,
    rawRequestBody: post.rawRequestBody,
    createdAt: post.createdAt,
    updatedAt: post.updatedAt,
  };
}

function listedTarget(target: StoredTarget, content: string | undefined): PostTarget {
  // The API document shows no accountId here.
  const { accountId: _, ...shown } = target;
  return { ...shown, ...(content === undefined ? {} : { content }) };
}
