import type * as z from 'zod/mini';
import type { listPostsQuerySchema, MediaItem, postEndpoints } from '../../resources/posts.js';
import { postSchema } from '../../resources/posts.js';
import { describeIssues } from '../../schema/issues.js';
import { formatIssue } from '../../core/errors.js';
import { Refusal, type Behaviours, type Service } from './behaviour.js';
import { age, instant, timestamp } from '../service/time.js';
import { listedPost } from '../service/lifecycle.js';
import { slice, sorted } from './paging.js';
import type { StoredPost, StoredTarget } from '../service/store.js';

export const postBehaviours: Behaviours<typeof postEndpoints> = {
  create({ store, clock, lifecycle }, { body, extraBody, listingLagMs }) {
    const { content, platforms = [], saveAsDraft, publishNow, scheduledFor } = body;
    const ways = [saveAsDraft === true, publishNow === true, scheduledFor !== undefined].filter(Boolean).length;
    if (ways !== 1) throw new Refusal(400, 'A post needs exactly one of saveAsDraft, publishNow and scheduledFor.');
    const extras = readExtras(extraBody);
    const targets = platforms.map(newTarget);
    if (saveAsDraft !== true) checkTargets(store.state.integrations, targets);
    const now = timestamp(clock.now());
    const post: StoredPost = {
      postId: store.id('post'),
      content,
      status: 'draft',
      scheduledFor,
      dueAt: undefined,
      timezone: extras.timezone ?? 'UTC',
      mediaItems: extras.mediaItems ?? [],
      crosspostingEnabled: extras.crosspostingEnabled ?? false,
      rawRequestBody: { ...body, ...extraBody },
      createdAt: now,
      updatedAt: now,
      targets,
      originallyScheduled: scheduledFor !== undefined,
      ...(listingLagMs > 0 ? { listedAt: clock.now() + listingLagMs } : {}),
      credits: 0,
    };
    lifecycle.add(post);
    if (publishNow === true) lifecycle.publish(post);
    else if (scheduledFor !== undefined) lifecycle.schedule(post, true);
    return {
      success: true,
      status: post.status,
      ...(scheduledFor === undefined ? {} : { scheduledFor }),
      postId: post.postId,
      platforms: post.targets.map((target) => ({
        platform: target.platform,
        success: target.status !== 'failed',
        ...(target.platformPostUrl === undefined ? {} : { platformPostUrl: target.platformPostUrl }),
        ...(target.errorMessage === undefined ? {} : { error: target.errorMessage }),
        ...(target.warningMessage === undefined ? {} : { warningMessage: target.warningMessage }),
      })),
    };
  },

  list(service, { query }) {
    const tests = filters(service, query);
    const all = [...service.store.state.posts.values()];
    const matching = all.filter((post) => tests.every((test) => test(post)));
    const order = query.sort ?? 'desc';
    // Of posts created in the same instant the later one is the newer one.
    const aged = order === 'desc' ? matching.reverse() : matching;
    const page = slice(
      sorted(aged, (post) => age(post.createdAt), order),
      query.offset,
      query.limit,
    );
    return { success: true, total: matching.length, posts: page.map(listedPost) };
  },

  updateScheduled({ store, clock, lifecycle }, { param, body, extraBody }) {
    const post = store.state.posts.get(param('postId'));
    if (post === undefined) throw new Refusal(404, 'There is no such post.');
    if (post.status !== 'scheduled')
      throw new Refusal(409, `The post is not scheduled any more: it is ${post.status}.`);
    const extras = readExtras(extraBody);
    const targets = body.platforms?.map(newTarget);
    if (targets !== undefined) checkTargets(store.state.integrations, targets);
    if (body.content !== undefined) post.content = body.content;
    if (extras.mediaItems !== undefined) post.mediaItems = extras.mediaItems;
    if (extras.timezone !== undefined) post.timezone = extras.timezone;
    if (targets !== undefined) {
      post.targets = targets;
      lifecycle.reconcileCredits(post);
    }
    if (extras.scheduledFor !== undefined) {
      post.scheduledFor = extras.scheduledFor;
      lifecycle.plan(post);
    }
    post.updatedAt = timestamp(clock.now());
    return {
      success: true,
      message: 'The scheduled post was updated.',
      postId: post.postId,
      ...(post.scheduledFor === undefined ? {} : { scheduledFor: post.scheduledFor }),
    };
  },
};

function newTarget({ platform, accountId }: { readonly platform: string; readonly accountId: string }): StoredTarget {
  return { platform, accountId, status: 'pending' };
}

function checkTargets(
  integrations: ReadonlyMap<string, { readonly platform?: string | undefined }>,
  targets: readonly StoredTarget[],
): void {
  if (targets.length === 0) throw new Refusal(400, 'A post that is no draft needs at least one entry in platforms.');
  for (const [index, { platform, accountId }] of targets.entries()) {
    const integration = integrations.get(accountId);
    const at = `platforms.${String(index)}.accountId`;
    if (integration === undefined) throw new Refusal(404, `${at}: there is no such integration.`);
    if (integration.platform !== platform) throw new Refusal(400, `${at}: the integration is not one of ${platform}.`);
  }
}

/** Fields that the API document mentions without showing, under the names that a listed post has. */
function readExtras(extra: Readonly<Record<string, unknown>>): {
  readonly mediaItems?: MediaItem[] | undefined;
  readonly timezone?: string | undefined;
  readonly crosspostingEnabled?: boolean | undefined;
  readonly scheduledFor?: string | undefined;
} {
  const result = postSchema().safeParse({ ...extra, postId: '' });
  if (!result.success) {
    throw new Refusal(
      400,
      `The request is not valid: ${describeIssues(result.error.issues).map(formatIssue).join('; ')}`,
    );
  }
  const { mediaItems, timezone, crosspostingEnabled, scheduledFor } = result.data;
  if (scheduledFor !== undefined && Number.isNaN(instant(scheduledFor))) {
    throw new Refusal(400, 'The request is not valid: scheduledFor: must be a date-time.');
  }
  return { mediaItems, timezone, crosspostingEnabled, scheduledFor };
}

type Filter = (post: StoredPost) => boolean;

/** The filters that a query asks for. Given together, they narrow each other. */
function filters(service: Service, query: z.infer<ReturnType<typeof listPostsQuerySchema>>): Filter[] {
  const { status, platform, profileId, createdAfter, createdBefore, scheduledAfter, scheduledBefore } = query;
  const now = service.clock.now();
  const tests: Filter[] = [({ listedAt = -Infinity }) => listedAt <= now];
  if (status !== undefined) tests.push((post) => post.status === status);
  if (platform !== undefined) {
    const wanted: readonly string[] = platform;
    tests.push((post) => post.targets.some((target) => wanted.includes(target.platform)));
  }
  if (profileId !== undefined) tests.push((post) => hasProfile(service, post, profileId));
  const created = range(createdAfter, createdBefore);
  if (created !== undefined) tests.push((post) => created(post.createdAt));
  const scheduled = range(scheduledAfter, scheduledBefore);
  if (scheduled !== undefined) tests.push((post) => scheduled(post.scheduledFor));
  return tests;
}

/** A test for a time within bounds, both inclusive; `undefined` where there are none. */
function range(
  after: string | undefined,
  before: string | undefined,
): ((time: string | undefined) => boolean) | undefined {
  if (after === undefined && before === undefined) return undefined;
  const from = after === undefined ? -Infinity : instant(after);
  const to = before === undefined ? Infinity : instant(before);
  return (time) => {
    const at = time === undefined ? Number.NaN : instant(time);
    return at >= from && at <= to;
  };
}

/** A post is a profile's where one of its integrations is, and nobody's (`null`) where none of them has a profile. */
function hasProfile({ lifecycle }: Service, post: StoredPost, profileId: string | null): boolean {
  const profiles = post.targets.map((target) => lifecycle.profileOf(target));
  if (profileId === null) return profiles.length > 0 && profiles.every((profile) => profile === null);
  return profiles.includes(profileId);
}
