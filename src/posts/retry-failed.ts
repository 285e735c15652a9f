import type { CreatePostExtraBody } from './create-fields.js';
import { InvalidRequestError } from '../core/errors.js';
import { areFields, isFields } from '../core/json.js';
import { invalidArgument, issueAt } from '../core/call/options.js';
import type { KnownWebhookEvent } from '../model/events.js';
import {
  isKnownPlatform,
  knownPlatforms,
  type KnownPlatform,
  type Platform,
  isFinalStatus,
} from '../model/known-values.js';
import { type RequestedTarget, requestedTargets, type TargetResult, targetResults } from '../model/targets.js';
import type { CreatePostBody, Post, PostTargetInput, PublishPostBody } from './post-shapes.js';

/**
 * Returns an integration as a target of a post.
 *
 * @example
 * ```ts
 * const { items } = await client.integrations.list({ platform: 'bluesky' });
 * await client.posts.create({ content: 'Hello', platforms: items.map(targetOf), publishNow: true });
 * ```
 * @throws {@link InvalidRequestError} posts cannot be published to the integration's platform, or it has no ID
 */
export function targetOf(integration: {
  /** The integration's ID. */
  readonly id: string;
  /** Its platform. */
  readonly platform?: Platform | undefined;
}): PostTargetInput {
  // A caller without types may pass anything.
  const { id, platform } = (integration as Partial<typeof integration> | null | undefined) ?? {};
  const hasId = typeof id === 'string' && id !== '';
  if (hasId && isKnownPlatform(platform)) return { platform, accountId: id };
  const issues = hasId ? [] : [issueAt(['id'], "must be the integration's ID, a non-empty string")];
  if (!isKnownPlatform(platform)) {
    issues.push(issueAt(['platform'], `is not a supported platform; supported: ${knownPlatforms.join(', ')}`));
  }
  throw new InvalidRequestError(issues);
}

/** An intent of the publisher. {@link retryFailed} reads these fields of it. */
export interface RetryableIntent {
  /** The intent's key. */
  readonly key: string;
  /** The intent's state. Only `published`, `partial` and `failed` can be retried. */
  readonly state: string;
  /** The body as it was sent. */
  readonly body: CreatePostBody;
  /** The other fields as they were sent. Missing: there were none. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** The ID of its post. Missing: the post is unknown. */
  readonly postId?: string | undefined;
  /** The result of each target. Missing: no reply, list or event contained them. */
  readonly targets?: readonly TargetResult[] | undefined;
}

/** A post of a list. The compiler refuses the reply to a create, which does not contain the request. */
export type RetryablePost = Post & {
  /** Only the reply to a create has this field. The compiler quotes the text. */
  readonly success?:
    'Pass a listed post, for example from posts.waitUntilFinal, not the reply to a create.' | undefined;
};

/** The arguments of a `posts.create` for the failed targets of a post. */
export interface FailedRetry {
  /** The post's content for the failed targets only, to publish now. */
  readonly body: PublishPostBody;
  /** The other fields that the post was created with, such as its media. Pass them as `extraBody`. */
  readonly extraBody: CreatePostExtraBody;
}

/**
 * Returns the arguments of a create that publishes a post again to its failed targets only. They contain the media and
 * other extras of the original create. It sends nothing.
 *
 * Publish the result under a key. Without a key, a program that runs again publishes to the same targets again.
 *
 * A listed target names its platform, not its account. The accounts come from the post's `rawRequestBody`, or from the
 * final webhook event of the post, which names them. `rawRequestBody` is the request that created the post: if the post
 * was edited later, content and extras are the original ones.
 *
 * @example
 * ```ts
 * const retry = retryFailed(post);
 * if (retry) await publisher.publish(`retry/${post.postId}`, retry.body, { extraBody: retry.extraBody });
 * ```
 * @param post a post from `posts.list`, `posts.watch` or `posts.waitUntilFinal`, or an intent of the publisher, with
 *   the status `published`, `partial` or `failed`
 * @param event the final event of the post. It names the account if the post has two accounts of one platform
 * @returns `undefined` if no target failed
 * @throws {@link InvalidRequestError} the post is not final, does not show whether a target failed or which of two
 *   accounts of a platform failed, or has media that its request does not contain
 */
export function retryFailed(post: RetryablePost | RetryableIntent, event?: KnownWebhookEvent): FailedRetry | undefined {
  const published = readPublished(post);
  if (event !== undefined && !isEventOf(published, event))
    throw invalidArgument('event', 'must be an event of this post');
  const failed = failedAccounts(published, event);
  if (failed.length === 0) return undefined;
  const { request } = published;
  const {
    content = published.content,
    platforms: _,
    saveAsDraft: _draft,
    publishNow: _now,
    scheduledFor: _time,
    ...extraBody
  } = request ?? {};
  // The API document does not name the field of the media, so any other field may contain them.
  if (published.hasMedia && Object.keys(extraBody).length === 0) {
    const message =
      'does not contain the media of the post, so they cannot be sent again: create the post yourself, with its media in extraBody';
    throw invalidArgument('post.rawRequestBody', message);
  }
  return {
    body: {
      ...(typeof content === 'string' ? { content } : {}),
      // The service accepted the platform before.
      platforms: failed.map(({ platform, accountId }) => ({ platform: platform as KnownPlatform, accountId })),
      publishNow: true,
    },
    // The API document does not show other fields of a target: they go into extraBody, as all such fields.
    extraBody: failed.some((target) => Object.keys(target).length > 2)
      ? { ...extraBody, platforms: failed }
      : extraBody,
  };
}

/** A caller without types may pass anything. */
function isEventOf({ postId }: PublishedPost, event: unknown): boolean {
  if (!isFields(event) || !isFields(event.data)) return false;
  const { post, platforms } = event.data;
  return isFields(post) && post.id === postId && areFields(platforms);
}

interface PublishedPost {
  readonly postId: string | undefined;
  readonly status: string | undefined;
  readonly content: string | undefined;
  readonly hasMedia: boolean;
  readonly request: Readonly<Record<string, unknown>> | undefined;
  readonly targets: readonly TargetResult[];
}

function readPublished(post: Post | RetryableIntent): PublishedPost {
  // A caller without types may pass null.
  const read = typeof post !== 'object' || (post as Post | null) === null ? undefined : published(post);
  if (read === undefined) throw invalidArgument('post', 'must be a post from a list, or an intent of the publisher');
  if (!isFinalStatus(read.status)) {
    throw invalidArgument(
      'post',
      'key' in post
        ? `is of an intent that is ${post.state}. It must be published, partial or failed. publisher.resume(key) reads the result of an accepted intent`
        : 'must have the status published, partial or failed. posts.waitUntilFinal returns such a post',
    );
  }
  return read;
}

function published(post: Post | RetryableIntent): PublishedPost {
  if ('body' in post && 'state' in post) {
    const { postId, state, body, extraBody, targets = [] } = post;
    return {
      postId,
      status: state,
      content: body.content,
      hasMedia: false,
      request: { ...body, ...extraBody },
      targets,
    };
  }
  const { postId, status, content, mediaItems = [], rawRequestBody, platforms = [] } = post;
  if (rawRequestBody === undefined && platforms.some((target) => 'success' in target)) {
    throw invalidArgument(
      'post',
      'must be a listed post, not the reply to a create. posts.waitUntilFinal returns the listed post',
    );
  }
  const targets = platforms.length === 0 ? [] : targetResults(post).all;
  return { postId, status, content, hasMedia: mediaItems.length > 0, request: rawRequestBody, targets };
}

function failedAccounts(post: PublishedPost, event: KnownWebhookEvent | undefined): readonly RequestedTarget[] {
  const { status, targets, request } = post;
  const inEvent = event === undefined ? [] : targetResults(event).all;
  // An event of a subscription with a profile contains only that profile's targets.
  const isWhole = typeof event?.profileId !== 'string';
  const all = targets.length === 0 && isWhole ? inEvent : targets;
  const failed = all.filter(({ state }) => state === 'failed');
  // A target with a warning makes a post partial, although it was published.
  const isWarned = status === 'partial' && all.some(({ warning }) => warning !== undefined);
  const isWithoutFailure = status === 'published' || (isWarned && all.every(({ state }) => state === 'published'));
  if (all.length === 0 || (failed.length === 0 && !isWithoutFailure)) {
    throw invalidArgument(
      'post',
      "does not show which targets failed. Pass a listed post, or the post's final webhook event",
    );
  }
  const requested = requestedTargets({ platforms: all, rawRequestBody: request });
  return [...new Set(failed.map(({ platform }) => platform ?? ''))].flatMap((platform) => {
    const onPlatform = (target: TargetResult) => target.state === 'failed' && target.platform === platform;
    const count = failed.filter(onPlatform).length;
    for (const named of [inEvent, all]) {
      const accounts = named.filter((target) => onPlatform(target) && target.accountId !== undefined);
      if (accounts.length === count) return accounts.map((target) => asRequested(target, requested));
    }
    const accounts = requested?.get(platform) ?? [];
    if (accounts.length === count) return accounts;
    const message =
      `does not show which account of ${platform} failed (${String(count)} of several targets). ` +
      "Pass the post's final webhook event to publisher.observe, or as the second argument of retryFailed(post, event)";
    throw invalidArgument('post', message);
  });
}

function asRequested(
  { platform = '', accountId = '' }: TargetResult,
  requested: ReadonlyMap<string, readonly RequestedTarget[]> | undefined,
): RequestedTarget {
  return requested?.get(platform)?.find((target) => target.accountId === accountId) ?? { platform, accountId };
}
