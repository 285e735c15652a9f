import { withoutUndefined } from '../../core/json.js';
import { issueAt } from '../../core/call/options.js';
import * as z from 'zod/mini';
import type { Post, postEndpoints } from '../../posts/posts.js';
import { createPostBodySchema, postSchema } from '../../posts/posts.js';
import { once } from '../../schema/fields.js';
import { listedPost, mediaIssues } from '../state/post-view.js';
import type { StoredPost, StoredTarget } from '../state/stored-records.js';
import type { Store } from '../state/store.js';
import { timestamp } from '../state/time.js';
import { ErrorReply, invalidRequest, parsedRequest, type Handlers } from './handler.js';
import { listPosts } from './post-list.js';

export const postHandlers: Handlers<typeof postEndpoints> = {
  create({ store, clock, lifecycle }, { body, extraBody, listingLagMs }) {
    const { content, platforms = [], saveAsDraft, publishNow, scheduledFor } = body;
    const ways = [saveAsDraft === true, publishNow === true, scheduledFor !== undefined].filter(Boolean).length;
    if (ways !== 1) throw new ErrorReply(400, 'A post needs exactly one of saveAsDraft, publishNow and scheduledFor.');
    const extras = readExtras(extraBody);
    const targets = platforms.map(newTarget);
    if (saveAsDraft !== true) checkTargets(store, targets);
    const now = timestamp(clock.now());
    const draft = lifecycle.add({
      postId: store.id('post'),
      content,
      status: 'draft',
      scheduledFor,
      timezone: extras.timezone ?? 'UTC',
      mediaItems: extras.mediaItems ?? [],
      crosspostingEnabled: extras.crosspostingEnabled ?? false,
      rawRequestBody: { ...body, ...extraBody },
      createdAt: now,
      updatedAt: now,
      targets,
      originallyScheduled: scheduledFor !== undefined,
      ...(listingLagMs > 0 ? { listedAt: clock.now() + listingLagMs } : {}),
    });
    if (publishNow === true) return createdReply(lifecycle.publish(draft));
    return createdReply(scheduledFor === undefined ? draft : lifecycle.schedule(draft));
  },

  list(service, { query }) {
    const { total, posts } = listPosts(service, query);
    return { success: true, total, posts: posts.map(listedPost) };
  },

  updateScheduled({ store, clock, lifecycle }, { param, body, extraBody }) {
    const post = store.state.posts.get(param('postId'));
    if (post === undefined) throw new ErrorReply(404, 'The post does not exist.');
    if (post.status !== 'scheduled')
      throw new ErrorReply(400, `The post is no longer scheduled: it is ${post.status}.`);
    const extras = readExtras(extraBody);
    const targets = body.platforms?.map(newTarget);
    if (targets !== undefined) checkTargets(store, targets);
    const { content = post.content } = body;
    const named = { ...post, ...withoutUndefined(extras), content, updatedAt: timestamp(clock.now()) };
    const edited = targets === undefined ? named : lifecycle.reconcileCredits({ ...named, targets });
    lifecycle.keep(edited);
    if (extras.scheduledFor !== undefined) lifecycle.plan(edited);
    return {
      success: true,
      message: 'The scheduled post was updated.',
      postId: post.postId,
      ...(named.scheduledFor === undefined ? {} : { scheduledFor: named.scheduledFor }),
    };
  },
};

export function createdReply({ status, scheduledFor, postId, targets }: StoredPost) {
  return {
    success: true,
    status,
    ...(scheduledFor === undefined ? {} : { scheduledFor }),
    postId,
    platforms: targets.map((target) => ({
      platform: target.platform,
      success: target.status !== 'failed',
      ...(target.platformPostUrl === undefined ? {} : { platformPostUrl: target.platformPostUrl }),
      ...(target.errorMessage === undefined ? {} : { error: target.errorMessage }),
      ...(target.warningMessage === undefined ? {} : { warningMessage: target.warningMessage }),
    })),
  };
}

type TargetInput = NonNullable<z.infer<ReturnType<typeof createPostBodySchema>>['platforms']>[number];

/** Creates a target from a request, with its own text if it has one. The API document does not show that field. */
function newTarget(target: TargetInput & { readonly content?: unknown }, index: number): StoredTarget {
  const { platform, accountId, content } = target;
  if (content === undefined) return { platform, accountId, status: 'pending' };
  if (typeof content !== 'string') throw invalidRequest([issueAt(['platforms', index, 'content'], 'must be a string')]);
  return { platform, accountId, content, status: 'pending' };
}

function checkTargets({ state }: Store, targets: readonly StoredTarget[]): void {
  if (targets.length === 0)
    throw new ErrorReply(400, 'A post needs at least one entry in platforms, unless it is a draft.');
  for (const [index, { platform, accountId }] of targets.entries()) {
    const integration = state.integrations.get(accountId);
    const at = `platforms.${String(index)}.accountId`;
    if (integration === undefined) throw new ErrorReply(404, `${at}: the integration does not exist.`);
    if (integration.platform !== platform)
      throw new ErrorReply(400, `${at}: the integration is not one of ${platform}.`);
  }
}

const editedTime = once(() => z.object({ scheduledFor: createPostBodySchema().shape.scheduledFor }));

/** Returns fields that the API document mentions without showing, under their names in listed posts. */
function readExtras(
  extra: Readonly<Record<string, unknown>>,
): Pick<Post, 'mediaItems' | 'timezone' | 'crosspostingEnabled' | 'scheduledFor'> {
  const read = parsedRequest(postSchema(), { ...extra, postId: '' });
  const { mediaItems, timezone, crosspostingEnabled, scheduledFor } = read;
  parsedRequest(editedTime(), { scheduledFor });
  const issues = mediaIssues(mediaItems ?? []);
  if (issues.length > 0) throw invalidRequest(issues);
  return { mediaItems, timezone, crosspostingEnabled, scheduledFor };
}
