import * as z from 'zod/mini';
import type { Intent } from '../publisher/intent-record.js';
import { normalKey } from '../publisher/intent-space.js';
import type { Resolution } from '../publisher/intent.js';
import { retryFailed } from '../posts/retry-failed.js';
import { ForeignDataError } from '../core/errors.js';
import { invalidArgument } from '../core/options.js';
import * as s from '../schema/fields.js';
import { compareKeys } from '../stores/key-order.js';
import { addsOnce, decides, reads, type ToolResult, type PublisherContext } from './tool.js';
import { sizeOf, notFound, defined, listResult, ok, result, shortText, type Data } from './results.js';
import { recordApproval, wasApproved, claimRetry, earlierRetry, type PlannedRetry } from './marks.js';
import type { PlannedWrite, ToolDefinition } from './define-tool.js';
import { field, key, listFields, shownTime } from './fields.js';
import { isVisible, targetLabels } from './account-tools.js';
import { shownIntent } from './read-post-tools.js';
import { requestOf } from '../posts/read-create.js';
import { exceeds } from './create-post-tools.js';
import { intentResult, intentView } from './post-view.js';

const retryFields = () => ({
  key: key('The key of the post.'),
  retryKey: key('Names the retry: the key with /retry-1. The same retryKey never publishes twice.'),
});

export function retryFailedTargets(context: PublisherContext): ToolDefinition<ReturnType<typeof retryFields>> {
  const { timeZone } = context;
  return {
    name: 'retry_failed_targets',
    title: 'Retry failed targets',
    description:
      'Use it to publish a post again, now, to its targets that failed; to repeat the call, pass the same retryKey. Not for ' +
      'held posts, or for targets with a warning.',
    annotations: addsOnce,
    fields: retryFields(),
    prepare: async ({ key, retryKey }, signal) => {
      const original = await currentIntent(context, await shownIntent(context, context.publisher, key));
      if (original === undefined) return notFound('A post with this key');
      if (!['published', 'partial', 'failed'].includes(original.state)) return notFinal(original, context);
      const retry = retryFailed(original);
      if (retry === undefined)
        return ok('No target of the post failed. Nothing was sent.', intentView(original, timeZone));
      return planRetry(context, { original, retryKey: normalKey(retryKey), retry }, signal);
    },
  };
}

async function planRetry(
  context: PublisherContext,
  planned: PlannedRetry,
  signal: AbortSignal | undefined,
): Promise<ToolResult | PlannedWrite> {
  const { publisher, store, mode } = context;
  const { original, retryKey, retry } = planned;
  const existing = await publisher.get(retryKey);
  const earlier = existing === undefined ? await earlierRetry(context, planned) : undefined;
  if (earlier !== undefined) return alreadyRetried(earlier);
  // A key that was pruned and used again has another post.
  const { key, createdAt } = original;
  const call = { tool: 'retry_failed_targets', key: retryKey, content: { key, createdAt, ...retry.body } };
  // Another program may have left it ready.
  const isUnsent = existing === undefined || existing.state === 'ready';
  const isAsked = exceeds('publish', mode) && isUnsent && !(await wasApproved(store, call));
  const targets = isAsked ? await targetLabels(context.client, retry.body.platforms, signal) : '';
  return {
    approval: isAsked ? `Publish the post again, now, to ${targets}.` : undefined,
    onApproved: () => recordApproval(store, call),
    write: async () => {
      const holder = existing === undefined ? await claimRetry(context, planned) : retryKey;
      if (holder !== retryKey) return alreadyRetried(holder);
      const intent = await publisher.retryFailed(original.key, retryKey);
      return intent === undefined ? ok('No target of the post failed.', {}) : intentResult(intent, context);
    },
  };
}

function alreadyRetried(retryKey: string) {
  return result('rejected', 'The failed targets are already published again under another key. Nothing was sent.', {
    data: { retryKey },
    next:
      `For its result, use retryKey ${retryKey}. If it failed too, pass it as key, with a new retryKey. For a further post ` +
      'that the user asks for, call create_post.',
  });
}

/** An accepted post may be final by now: the publisher reads the list. */
async function currentIntent({ publisher }: PublisherContext, intent: Intent | undefined): Promise<Intent | undefined> {
  return intent?.state === 'accepted' ? publisher.resume(intent.key) : intent;
}

function notFinal(intent: Intent, context: PublisherContext) {
  if (intent.state !== 'accepted') return intentResult(intent, context);
  return result('failed', 'The post is not final yet, so that no failed target is known.', {
    data: intentView(intent, context.timeZone),
    next: 'Call wait_for_post, then call again.',
  });
}

/** Reads the intents of the two states, in the order of keys. It reads no finished intent. */
async function maybeHeld(publisher: PublisherContext['publisher']) {
  const intents: Intent[] = [];
  let unreadable: string | undefined;
  for (const state of ['in_doubt', 'sending'] as const) {
    try {
      for await (const intent of publisher.list({ state })) intents.push(intent);
    } catch (error) {
      // The list has yielded all other intents.
      if (!(error instanceof ForeignDataError)) throw error;
      unreadable = error.message;
    }
  }
  return { intents: intents.sort((a, b) => compareKeys(a.key, b.key)), unreadable };
}

export function listHeldPosts(context: PublisherContext): ToolDefinition<ReturnType<typeof listFields>> {
  const { publisher, timeZone, now } = context;
  return {
    name: 'list_held_posts',
    title: 'List held posts',
    description:
      'Use it after a result held, for posts that may have been sent, with the evidence of the last search (lookup). Not to ' +
      'send one again: the user decides with resolve_post, and for state sending, create_post with the same key and input searches.',
    annotations: reads,
    fields: listFields(),
    prepare: async (input) => {
      const { cursor } = input;
      const size = sizeOf(input);
      const { intents, unreadable } = await maybeHeld(publisher);
      const held = intents.filter(
        (intent) =>
          isHeld(intent, now()) &&
          isVisible(context, requestOf(intent)) &&
          (cursor === undefined || compareKeys(intent.key, cursor) > 0),
      );
      const items = held.slice(0, size).map((intent) => heldView(intent, timeZone));
      const cursorAfter = (count: number) => (count < held.length ? held[count - 1]?.key : undefined);
      const listed = listResult({ name: 'posts', items, cursorAfter }, 'posts');
      if (unreadable === undefined) return listed;
      return { ...listed, next: [unreadable, ...(listed.next === undefined ? [] : [listed.next])].join(' ') };
    },
  };
}

/** Longer than a send takes, with its searches. */
const longestSendMs = 180_000;

/** Whether the post needs a decision: it is in doubt, or the process that sent it has ended. */
function isHeld({ state, updatedAt }: Intent, at: number): boolean {
  return state === 'in_doubt' || (state === 'sending' && at - Date.parse(updatedAt) > longestSendMs);
}

function heldView(intent: Intent, timeZone: string): Data {
  const { body, lookup, createdAt } = intent;
  return {
    ...intentView({ ...intent, replayed: true }, timeZone),
    ...defined({
      content: body.content === undefined ? undefined : shortText(body.content, 500),
      accountIds: body.platforms?.map(({ accountId }) => accountId).slice(0, 20),
      createdAt: shownTime(createdAt, timeZone),
      lookup: lookup && defined({ ...lookup, postIds: lookup.postIds?.slice(0, 20), error: lookup.error?.message }),
    }),
  };
}

const decisions = ['published', 'not_sent', 'abandoned'] as const;

const resolveFields = () => ({
  key: key('The key of the held post.'),
  as: field(
    s.oneOf(decisions),
    'published: it was sent as postId. not_sent: create_post with the same key then sends it. abandoned: never send it.',
  ),
  postId: field(z.optional(s.id()), 'With as published: the ID of its post.'),
});

export function resolvePost(context: PublisherContext): ToolDefinition<ReturnType<typeof resolveFields>> {
  const { publisher, timeZone } = context;
  return {
    name: 'resolve_post',
    title: 'Decide on a held post',
    description:
      'Use it to record the decision of the user on a held post, after a check of the account on its platform. Not for a ' +
      'guess: a wrong decision publishes a post twice, or never, so it always needs approval.',
    annotations: decides,
    fields: resolveFields(),
    prepare: async ({ key, as, postId }) => {
      const resolution = resolutionOf(as, postId);
      const intent = await shownIntent(context, publisher, key);
      if (intent === undefined) return notFound('A post with this key');
      if (isDone(intent, resolution)) return decided(intent, timeZone);
      const what = as === 'published' ? `published as ${postId ?? ''}` : as === 'not_sent' ? 'not sent' : 'abandoned';
      return {
        approval: `Record that the post with the key ${shortText(key, 100)} is ${what}.`,
        write: async () =>
          (as === 'not_sent' ? await searchAgain(context, intent) : undefined) ??
          decided(await publisher.resolve(key, resolution), timeZone),
      };
    },
  };
}

/**
 * Searches for the post again, because the last send can be newer than the decision. `undefined`: the post was not
 * found.
 */
async function searchAgain({ publisher, timeZone }: PublisherContext, { key, state }: Intent) {
  if (state !== 'in_doubt' && state !== 'sending') return undefined;
  const searched = await publisher.resume(key);
  if (searched.postId !== undefined)
    return ok('The post was found, so that no decision is needed.', intentView(searched, timeZone));
  if (searched.state === 'sending') {
    return result('held', 'The request may still be on its way. Nothing was decided.', {
      data: intentView(searched, timeZone),
      next: 'Wait a minute, then call again.',
    });
  }
  if (searched.lookup?.result !== 'failed') return undefined;
  return result('held', 'The search for the post failed. Nothing was decided.', {
    data: heldView(searched, timeZone),
    next: 'Call again in a minute.',
  });
}

function resolutionOf(as: (typeof decisions)[number], postId: string | undefined): Resolution {
  if ((as === 'published') !== (postId !== undefined)) {
    const message = as === 'published' ? 'is required with as published' : `cannot be combined with as ${as}`;
    throw invalidArgument('postId', message);
  }
  return as === 'published' ? { as, postId: postId ?? '' } : { as };
}

/** Whether the decision was recorded before. */
function isDone({ state, postId }: Intent, resolution: Resolution): boolean {
  if (resolution.as === 'not_sent') return state === 'ready';
  if (resolution.as === 'abandoned') return state === 'abandoned';
  return postId === resolution.postId;
}

function decided(intent: Intent, timeZone: string) {
  const next = intent.state === 'ready' ? 'To send it, call create_post again with the same key and input.' : undefined;
  return ok(`The decision is recorded: the post is ${intent.state}.`, intentView(intent, timeZone), next);
}
