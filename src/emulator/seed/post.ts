import { withoutUndefined } from '../../core/json.js';
import { formatIssues } from '../../core/errors.js';
import type { Post, PostTarget } from '../../posts/posts.js';
import type { KnownPlatform, KnownPostStatus } from '../../model/known-values.js';
import type { Service } from '../handlers/handler.js';
import { listedPost, mediaIssues } from '../state/post-view.js';
import type { StoredTarget, TargetStatus } from '../state/stored-records.js';
import { timestamp } from '../state/time.js';
import { onlyAccountOn } from './accounts.js';

/**
 * A post to seed: any of its fields. Its targets may name their integration. Seeding sends no `post.scheduled`; a
 * scheduled post sends its final event when it is published.
 */
export type PostSeed = Omit<Partial<Post>, 'platforms' | 'status'> & {
  /** Default: `scheduled` with `scheduledFor`, else `draft`. A scheduled post is published at its time. */
  readonly status?: KnownPostStatus | undefined;
  /** You can omit `accountId` if only one integration is on the platform. */
  readonly platforms?: readonly PostTargetSeed[] | undefined;
};

/** A target of a post to seed: any of its fields. */
export type PostTargetSeed = PostTarget & {
  /** The platform. */
  readonly platform: KnownPlatform;
  /** The integration's ID. */
  readonly accountId?: string | undefined;
};

export function seedPost(service: Service, given: PostSeed): Post {
  const { store, clock, lifecycle } = service;
  const issues = mediaIssues(given.mediaItems ?? []);
  if (issues.length > 0) throw new TypeError(`seed.post: ${formatIssues(issues)}.`);
  const status = given.status ?? (given.scheduledFor === undefined ? 'draft' : 'scheduled');
  if (status === 'scheduled' && given.scheduledFor === undefined)
    throw new TypeError('seed.post: a scheduled post needs scheduledFor.');
  const createdAt = given.createdAt ?? timestamp(clock.now());
  const reached = given.scheduledFor ?? createdAt;
  const targets = (given.platforms ?? []).map((target) => storedTarget(service, target, status, reached));
  const post = lifecycle.add({
    postId: given.postId ?? store.id('post'),
    content: given.content,
    status,
    scheduledFor: given.scheduledFor,
    timezone: given.timezone ?? 'UTC',
    mediaItems: given.mediaItems ?? [],
    crosspostingEnabled: given.crosspostingEnabled ?? false,
    rawRequestBody: given.rawRequestBody ?? {},
    createdAt,
    updatedAt: given.updatedAt ?? createdAt,
    targets,
    originallyScheduled: given.scheduledFor !== undefined,
  });
  if (status === 'scheduled') lifecycle.plan(post);
  if (status === 'publishing') lifecycle.begin(post);
  return listedPost(post);
}

function storedTarget(
  { store, lifecycle }: Service,
  target: PostTargetSeed,
  status: KnownPostStatus,
  reached: string,
): StoredTarget {
  const { platform, content, platformPostId, platformPostUrl, publishedAt, errorMessage, warningMessage } = target;
  const accountId = target.accountId ?? onlyAccountOn(store, platform);
  const known = { content, platformPostId, platformPostUrl, publishedAt, errorMessage, warningMessage };
  const stored: StoredTarget = {
    ...withoutUndefined(known),
    platform,
    accountId,
    status: targetStatus(status, target),
  };
  return stored.status === 'published' ? lifecycle.placeTarget(stored, reached) : stored;
}

function targetStatus(status: KnownPostStatus, target: PostTarget): TargetStatus {
  if (target.status !== undefined) return target.status;
  if (status === 'failed' || (status === 'partial' && target.errorMessage !== undefined)) return 'failed';
  if (status === 'published' || status === 'partial') return 'published';
  return status === 'publishing' ? 'publishing' : 'pending';
}
