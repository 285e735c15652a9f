import type { CreatePostExtraBody } from './create-fields.js';
import { InvalidRequestError, type Issue } from '../core/errors.js';
import type { KnownWebhookEvent } from '../model/events.js';
import { isKnownPlatform, knownPlatforms, type KnownPlatform, type Platform } from '../model/platforms.js';
import { requestedTargets, type RequestedTarget } from '../model/requested-targets.js';
import { targetResults, type TargetResult } from '../model/targets.js';
import type { Post, PostTargetInput, PublishPostBody } from './post-shapes.js';

/**
 * Gives an integration as a target of a post.
 *
 * ```ts
 * const { items } = await client.integrations.list({ platform: 'bluesky' });
 * await client.posts.create({ content: 'Hello', platforms: items.map(targetOf), publishNow: true });
 * ```
 *
 * @throws {@link InvalidRequestError} its platform is none that the API document names: nothing can be published to it
 */
export function targetOf(integration: {
  /** The integration's ID. */
  readonly id: string;
  /** Its platform. */
  readonly platform?: Platform | undefined;
}): PostTargetInput {
  const { id, platform } = integration;
  const issues: Issue[] = [];
  if (typeof id !== 'string' || id === '') issues.push({ path: ['id'], message: "must be the integration's ID" });
  if (isKnownPlatform(platform) && issues.length === 0) return { platform, accountId: id };
  if (!isKnownPlatform(platform)) {
    issues.push({ path: ['platform'], message: `must be one that can be published to: ${knownPlatforms.join(', ')}` });
  }
  throw new InvalidRequestError(issues);
}

/** What {@link retryFailed} gives: the arguments of a `posts.create`. */
export interface FailedRetry {
  /** The post's content for the failed targets alone, to be published now. */
  readonly body: PublishPostBody;
  /** The further fields that the post was created with, such as its media. Give them as `extraBody`. */
  readonly extraBody: CreatePostExtraBody;
}

/**
 * Gives what publishes a post again to the targets that failed, and to those alone, with the media and other extras that
 * it was created with. Nothing is sent: hand the result to `posts.create`.
 *
 * ```ts
 * const retry = retryFailed(post);
 * if (retry) await client.posts.create(retry.body, { extraBody: retry.extraBody });
 * ```
 *
 * A listed target names its platform, not its account. The accounts come from the post's `rawRequestBody`, or from the
 * final webhook event of the post, which names them. `rawRequestBody` is the request that created the post: of a post that
 * was edited since, content and extras are those of the create.
 *
 * @param post the post, as `posts.list` gives it
 * @param event its final event, which ends any doubt about two accounts of one platform
 * @returns `undefined` where no target failed
 * @throws {@link InvalidRequestError} it is not certain which account failed: one of two accounts of a platform did, and
 *   no event tells which
 */
export function retryFailed(post: Post, event?: KnownWebhookEvent): FailedRetry | undefined {
  if (event !== undefined && event.data.post.id !== post.postId) {
    throw new InvalidRequestError([{ path: ['event'], message: 'must be an event of this post' }]);
  }
  if (isReplyOfCreate(post)) {
    const message =
      "must be a listed post: the reply to a create doesn't tell its accounts. posts.waitUntilFinal gives the listed one";
    throw new InvalidRequestError([{ path: ['post'], message }]);
  }
  const failed = failedAccounts(post, event);
  if (failed.length === 0) return undefined;
  const { rawRequestBody = {} } = post;
  if (post.rawRequestBody === undefined && (post.mediaItems ?? []).length > 0) {
    const message = 'is missing, and without it nobody knows how the media of the post were sent';
    throw new InvalidRequestError([{ path: ['post', 'rawRequestBody'], message }]);
  }
  const {
    content,
    platforms: _,
    saveAsDraft: _draft,
    publishNow: _now,
    scheduledFor: _time,
    ...extraBody
  } = rawRequestBody;
  const text = typeof content === 'string' ? content : post.content;
  return {
    body: {
      ...(text === undefined ? {} : { content: text }),
      platforms: failed.map(({ platform, accountId }) => ({ platform: platform as KnownPlatform, accountId })),
      publishNow: true,
    },
    // A target may have had fields of its own, which are not documented: they go the way of all such fields.
    extraBody: failed.some((target) => Object.keys(target).length > 2)
      ? { ...extraBody, platforms: failed }
      : extraBody,
  };
}

/** The type of a listed post takes a create's reply too. */
function isReplyOfCreate({ rawRequestBody, platforms = [] }: Post): boolean {
  return rawRequestBody === undefined && platforms.some((target) => 'success' in target);
}

/** The failed targets as they were requested. */
function failedAccounts(post: Post, event: KnownWebhookEvent | undefined): readonly RequestedTarget[] {
  const requested = requestedTargets(post);
  const told = event === undefined ? [] : targetResults(event).failed;
  const failed = targetResults(post).failed;
  if (post.platforms === undefined || post.platforms.length === 0)
    return told.map((target) => fromEvent(target, requested));
  const issues: Issue[] = [];
  const accounts = [...new Set(failed.map(({ platform }) => platform ?? ''))].flatMap((platform) => {
    const count = failed.filter((target) => target.platform === platform).length;
    const byEvent = told.filter((target) => target.platform === platform && target.accountId !== undefined);
    // An event of a subscription with a profile tells of that profile's targets alone.
    if (byEvent.length === count) return byEvent.map((target) => fromEvent(target, requested));
    const all = requested?.get(platform) ?? [];
    if (all.length === count) return all;
    const message =
      `${String(count)} of its targets on ${platform} failed, and nothing tells which account: ` +
      "give the post's final webhook event, or look at the account";
    issues.push({ path: ['post'], message });
    return [];
  });
  if (issues.length > 0) throw new InvalidRequestError(issues);
  return accounts;
}

function fromEvent(
  { platform = '', accountId = '' }: TargetResult,
  requested: ReadonlyMap<string, readonly RequestedTarget[]> | undefined,
): RequestedTarget {
  return requested?.get(platform)?.find((target) => target.accountId === accountId) ?? { platform, accountId };
}
