import { shortText, withoutUndefined, type Fields } from '../core/json.js';
import * as z from 'zod/mini';
import * as s from '../schema/fields.js';
import type { Intent } from '../publisher/intents/intent-record.js';
import { isSameContent } from '../publisher/intents/content.js';
import { normalKey } from '../publisher/intents/intent-space.js';
import type { Resolution } from '../publisher/intents/intent.js';
import { evidenceText, searchAgain, settlesAt } from '../publisher/search-again.js';
import { retryFailed } from '../posts/retry-failed.js';
import { InvalidRequestError, isErrorNamed } from '../core/errors.js';
import { invalidArgument } from '../core/call/options.js';
import { isFinalStatus } from '../model/known-values.js';
import { compareKeys } from '../stores/key-order.js';
import { mostItems, type CallContext, type PublisherContext, type ToolContext, type ToolResult } from './tool.js';
import { errorResult, listResult, ok, result, quoted, shownContent } from './results.js';
import { unknownKey, intentResult, intentView, isUnsent, keptDraft, nextIfKept, nextOf } from './post-results.js';
import { defineTool, wasApproved, type PlannedWrite } from './define-tool.js';
import {
  field,
  key,
  listFields,
  shownTime,
  sizeOf,
  extraField,
  readTime,
  timeDescription,
  type InputOf,
} from './fields.js';
import { accountLabel, isVisible, targetLabels, findPost } from './account-tools.js';
import { checkReference, shownIntent, unlistedResult } from './read-post-tools.js';
import { claimRetry, readOpen, retryHolder, targetsOf, type PlannedRetry } from './equal-posts.js';
import { requestOf } from '../posts/read-create.js';
import { approvedCall, effectOf, extraNote, questionOf, sameTime, readTargets, twice } from './create-post-tools.js';
import type { CreatePostBody } from '../posts/post-shapes.js';

type PublisherCall = CallContext<PublisherContext>;

export const retryFailedTargets = (context: PublisherContext) =>
  defineTool(context, {
    name: 'retry_failed_targets',
    title: 'Retry failed targets',
    description:
      'Use it to publish a post again, now, to its targets that failed; to repeat the call, pass the same retryKey. Not for ' +
      'held posts, or for targets with a warning.',
    effect: 'addsOnce',
    fields: {
      key: key('The key of the post.'),
      retryKey: key('Names the retry: the key with /retry-1. The same retryKey never publishes twice.'),
    },
    prepare: async ({ key, retryKey }, call) => {
      const { publisher, timeZone } = call;
      const shown = await shownIntent(call, key);
      if (shown === undefined) return unknownKey();
      // An accepted post may be final by now: the publisher reads the list.
      const original = shown.state === 'accepted' ? await publisher.resume(shown.key) : shown;
      if (original.state === 'accepted')
        return result('failed', 'The post is not final yet, so that no failed target is known.', {
          data: intentView(original, timeZone),
          next: 'Call wait_for_post, then call again.',
        });
      if (!isFinalStatus(original.state)) return intentResult(original, call);
      const retry = retryFailed(original);
      if (retry === undefined)
        return ok('No target of the post failed. Nothing was sent.', intentView(original, timeZone));
      return planRetry(call, { original, retryKey: normalKey(retryKey), retry });
    },
  });

async function planRetry(context: PublisherCall, planned: PlannedRetry): Promise<ToolResult | PlannedWrite> {
  const { publisher, store, mode } = context;
  const { original, retryKey, retry } = planned;
  const existing = await publisher.get(retryKey);
  const holder = existing === undefined ? await retryHolder(context, planned) : retryKey;
  if (holder !== retryKey) return alreadyRetried(holder);
  // A key that was pruned and used again has another post.
  const { key, createdAt } = original;
  const call = { tool: 'retry_failed_targets', key: retryKey, content: { key, createdAt, ...retry.body } };
  // Another program may have left it ready.
  const isToSend = existing === undefined || existing.state === 'ready';
  const isAsked = mode !== 'publish' && isToSend && !(await wasApproved(store, call));
  return {
    approval: isAsked
      ? `Publish the post with the key ${shortText(key, 100)} again: ${await effectOf(context, retry)}`
      : undefined,
    approved: call,
    write: async () => {
      const claimed = existing === undefined ? await claimRetry(context, planned) : retryKey;
      if (claimed !== retryKey) return alreadyRetried(claimed);
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

export const listHeldPosts = (context: PublisherContext) =>
  defineTool(context, {
    name: 'list_held_posts',
    title: 'List held posts',
    description:
      'Use it after a result held, for posts that may have been sent, with the evidence of the last search (lookup). Not to ' +
      'send one again: the user decides with resolve_post, and for state sending, create_post with the same key and input searches.',
    effect: 'reads',
    fields: listFields(),
    prepare: async (input, { publisher, now }) => {
      const { cursor } = input;
      const size = sizeOf(input);
      const { intents, unreadable } = await readOpen(publisher, ['in_doubt', 'sending']);
      const held = intents.filter(
        (intent) =>
          isHeld(intent, now()) &&
          isVisible(context, requestOf(intent)) &&
          (cursor === undefined || compareKeys(intent.key, cursor) > 0),
      );
      const items = held.slice(0, size);
      const cursorAfter = (count: number) => (count < held.length ? held[count - 1]?.key : undefined);
      const listed = listResult('posts', { items, cursorAfter }, (intent) => heldView(intent, context));
      const isEarly = items.some((intent) => settlesAt(intent, now()) !== undefined);
      const next = [unreadable, isEarly ? decideLater : undefined, listed.next].filter((text) => text !== undefined);
      return next.length === 0 ? listed : { ...listed, next: next.join(' ') };
    },
  });

const decideLater =
  'The service may still execute or list a post until its waitUntil. Wait until then before the user decides on it, and ' +
  'call create_post again with its key and input: it searches, and sends nothing twice.';

/** Whether the post needs a decision: it is in doubt, or its sender has recorded no result for too long. */
function isHeld(intent: Intent, now: number): boolean {
  return intent.state === 'in_doubt' || (intent.state === 'sending' && settlesAt(intent, now) === undefined);
}

function heldView(intent: Intent, { timeZone, now }: ToolContext): Fields {
  const { body, lookup, createdAt } = intent;
  return {
    ...intentView({ ...intent, replayed: true }, timeZone),
    ...withoutUndefined({
      content: shownContent(body.content),
      accountIds: body.platforms?.map(({ accountId }) => accountId).slice(0, mostItems),
      createdAt: shownTime(createdAt, timeZone),
      waitUntil: shownTime(settlesAt(intent, now()), timeZone),
      lookup:
        lookup &&
        withoutUndefined({ ...lookup, postIds: lookup.postIds?.slice(0, mostItems), error: lookup.error?.message }),
    }),
  };
}

const decisions = ['published', 'not_sent', 'abandoned'] as const;

export const resolvePost = (context: PublisherContext) =>
  defineTool(context, {
    name: 'resolve_post',
    title: 'Decide on a held post',
    description:
      'Use it to record the decision of the user on a held post, after a check of the account on its platform. Not for a ' +
      'guess: a wrong decision publishes a post twice, or never, so it always needs approval.',
    effect: 'decides',
    fields: {
      key: key('The key of the held post.'),
      as: field(
        s.oneOf(decisions),
        'published: it was sent as postId. not_sent: create_post with the same key then sends it. abandoned: never send it.',
      ),
      postId: field(z.optional(s.id()), 'With as published: the ID of its post.'),
    },
    prepare: async ({ key, as, postId }, call) => {
      const resolution = resolutionOf(as, postId);
      const intent = await shownIntent(call, key);
      if (intent === undefined) return unknownKey();
      if (isDone(intent, resolution)) return decided(intent, call);
      const what = {
        published: `published as ${postId ?? ''}`,
        not_sent: `not sent (${evidenceText(intent, call.now())})`,
        abandoned: 'abandoned',
      }[as];
      return {
        approval: `Record that the post with the key ${shortText(key, 100)} is ${what}: ${await effectOf(call, intent)}`,
        write: async () => {
          const obstacle = as === 'not_sent' ? await postOrObstacle(call, intent) : undefined;
          if (obstacle !== undefined) return obstacle;
          try {
            return decided(await call.publisher.resolve(key, resolution), call);
          } catch (error) {
            // A sweep can have sent it since: the same decision would be about that send.
            return { ...errorResult(error), next: askAgain };
          }
        },
      };
    },
  });

/** Searches for the post again. `undefined`: it was not found, and nothing keeps the user from the decision. */
async function postOrObstacle(context: PublisherContext, shown: Intent) {
  const { publisher, timeZone, now } = context;
  const { intent, undecided } = await searchAgain(publisher, shown);
  if (intent.postId !== undefined && shown.postId === undefined)
    return ok('The post was found, so that no decision is needed.', intentView(intent, timeZone));
  if (undecided === undefined) return undefined;
  const settled = settlesAt(intent, now());
  const wait = settled === undefined ? '' : `Wait until ${shownTime(settled, timeZone) ?? ''}. `;
  const next = {
    sent_again: `${wait}Ask the user to check the account again. If the post is missing, call again.`,
    sending: `${wait}Ask the user to check the account. If the post is missing, call again.`,
    failed: wait === '' ? 'Call again in a minute.' : `${wait}Then call again.`,
    new_posts:
      'Show it to the user. If it is this post, call resolve_post with as published and its ID. If the user says that it is ' +
      'another post, call again.',
  }[undecided.because];
  return result('held', undecided.message, { data: heldView(intent, context), next });
}

const askAgain = 'Call list_held_posts, and ask the user again. Do not repeat this call.';

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

function decided(intent: Intent, context: ToolContext) {
  const next = intent.state === 'ready' ? nextOf(intent, context) : undefined;
  return ok(`The decision is recorded: the post is ${intent.state}.`, intentView(intent, context.timeZone), next);
}

const editFields = ({ timeZone, extras }: Pick<ToolContext, 'timeZone' | 'extras'>) => ({
  key: z.optional(key('The key of a post that was not sent yet.')),
  postId: field(z.optional(s.id()), 'Or the ID of a scheduled post.'),
  content: field(z.optional(s.text()), 'The new text.'),
  accountIds: field(
    z.optional(z.array(s.id()).check(s.sized(z.minLength(1)))),
    'All accounts to publish to: IDs from list_accounts.',
  ),
  scheduledFor: field(z.optional(s.text()), timeDescription('Only with key: the new time', timeZone)),
  ...extraField(extras),
});

type EditInput = InputOf<ReturnType<typeof editFields>>;

export const editPost = (context: PublisherContext) =>
  defineTool(context, {
    name: 'edit_post',
    title: 'Edit a post',
    description:
      'Use it to change a post that was not sent yet (by key), or the text and accounts of a scheduled post (by postId); other ' +
      'fields stay. Not for drafts, or for published posts.',
    effect: 'replaces',
    fields: editFields(context),
    prepare: async (input, call) => {
      checkReference(input, call);
      checkChanges(input);
      const { key, postId = '' } = input;
      if (key === undefined) return editScheduled(call, postId, input);
      const intent = await shownIntent(call, key);
      return intent === undefined ? unknownKey() : editUnsent(call, intent, input);
    },
  });

/** @throws InvalidRequestError nothing would change, or the API document does not show how to change it */
function checkChanges({ postId, content, accountIds, scheduledFor, extra }: EditInput): void {
  if (new Set(accountIds).size < (accountIds?.length ?? 0)) throw new InvalidRequestError([twice]);
  if (postId !== undefined && scheduledFor !== undefined)
    throw invalidArgument('scheduledFor', 'can only be changed by key: the service shows no way to change the time');
  if (content === undefined && accountIds === undefined && scheduledFor === undefined && extra === undefined)
    throw invalidArgument('content', 'is required, or accountIds, or another field to change');
}

/** Edits an intent before it is sent. */
async function editUnsent(
  context: PublisherCall,
  intent: Intent,
  { content, accountIds, scheduledFor, extra }: EditInput,
): Promise<ToolResult | PlannedWrite> {
  const { publisher, mode, timeZone } = context;
  const { body: before } = intent;
  const extraBody = (await context.extras?.check(extra)) ?? intent.extraBody;
  const read = accountIds && (await readTargets(context, accountIds, before.platforms));
  const { saveAsDraft: _draft, publishNow: _now, ...timed } = before;
  const time = sameTime(readTime('scheduledFor', scheduledFor, timeZone), intent);
  const kept = time === undefined ? before : { ...timed, scheduledFor: time };
  // It has one mode, as before.
  const body = { ...kept, ...withoutUndefined({ content, platforms: read?.targets }) } as CreatePostBody;
  const planned = { body, extraBody, accounts: read?.accounts ?? [] };
  if (isSameContent(intent, planned)) return ok('The post has this content already.', intentView(intent, timeZone));
  if (!isUnsent(intent)) return tooLate(context, intent);
  const question = `Change the post with the key ${shortText(intent.key, 100)}, before it is sent. New: `;
  return {
    approval: mode !== 'publish' ? question + (await questionOf(context, planned)) : undefined,
    // Another question would ask for the same post.
    approved: approvedCall(intent.key, planned),
    write: () =>
      beforeSend(context, intent, async () => {
        const edited = await publisher.edit(intent.key, body, { extraBody });
        // No send of a post that can be edited is in doubt.
        const next = nextOf({ ...edited, attempts: 0 }, context)?.replace(
          'same key and input',
          'same key and the changed input',
        );
        return ok('The post is changed. It was not sent yet.', intentView(edited, timeZone), next);
      }),
  };
}

/** Another process may change it or send it first, while the user is asked. */
async function beforeSend(
  context: PublisherContext,
  shown: Intent,
  change: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const { key } = shown;
  const now = await context.publisher.get(key);
  if (now !== undefined && isUnsent(now) && !isSameContent(now, shown))
    return result('failed', 'The post was changed by another call meanwhile. Nothing was changed.', {
      data: intentView(now, context.timeZone),
      next: 'Call get_post with its key, and ask the user again.',
    });
  try {
    return await change();
  } catch (error) {
    const isOfKey = isErrorNamed(error, 'InvalidRequestError') && error.issues[0]?.path[0] === 'key';
    const intent = isOfKey ? await context.publisher.get(key) : undefined;
    if (intent === undefined) throw error;
    if (!isUnsent(intent)) return tooLate(context, intent);
    return result(
      'failed',
      'An earlier send of the post may have been executed, so it cannot be changed or cancelled.',
      {
        data: intentView(intent, context.timeZone),
        next: 'To never send it again, ask the user, then call resolve_post with abandoned.',
      },
    );
  }
}

function tooLate(context: PublisherContext, intent: Intent): ToolResult {
  return result('failed', `The post is ${intent.state}: it can no longer be changed before it is sent.`, {
    data: intentView(intent, context.timeZone),
    next: nextIfKept(intent, context) ?? 'To publish another text, the user must ask for a new post.',
  });
}

/** Edits a post that the service has. */
async function editScheduled(
  context: PublisherCall,
  postId: string,
  { content, accountIds, extra }: EditInput,
): Promise<ToolResult | PlannedWrite> {
  const { client, timeZone, mode } = context;
  const post = await findPost(context, postId);
  if (post === undefined || !isVisible(context, post.rawRequestBody))
    return { ...(await unlistedResult(context, postId)), status: 'failed' };
  if (post.status !== 'scheduled') {
    const summary = `The post is ${post.status ?? 'in an unknown state'}: only a scheduled post can be changed.`;
    return result('failed', summary, {
      next:
        post.status === 'draft'
          ? keptDraft
          : 'Call get_post for its state. To publish another text, the user must ask for a new post.',
    });
  }
  const extraBody = await context.extras?.check(extra);
  const read = accountIds && (await readTargets(context, accountIds));
  const names = read?.accounts.map(accountLabel).join(', ') ?? (await targetLabels(context, targetsOf(post)));
  const text = content === undefined ? '' : `: ${quoted(content)}`;
  const time = shownTime(post.scheduledFor, timeZone) ?? 'an unknown time';
  const kept = content === undefined ? [`text ${quoted(post.content ?? '')}`] : [];
  const open = [...(read === undefined ? ['accounts'] : []), ...kept, 'media'];
  const question =
    `Change the post ${shortText(postId, 100)}, scheduled for ${time}, to ${names || 'its accounts'}${text}.${extraNote(extraBody)} Its ` +
    `${open.join(', ')} and time may change too: the API document does not say what an omitted field does.`;
  return {
    approval: mode !== 'publish' ? question : undefined,
    write: async () => {
      const body = withoutUndefined({ content, platforms: read?.targets });
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the API document does not show the new operation
      const reply = await client.posts.updateScheduled(postId, body, { extraBody });
      const data = withoutUndefined({ postId, scheduledFor: shownTime(reply.scheduledFor, timeZone), content });
      // The intent of the post keeps the text of its create.
      const next =
        'Call get_post to check it. If targets fail later, create a new post: retry_failed_targets sends the old text.';
      return ok('The scheduled post is changed.', data, next);
    },
  };
}

export const cancelPost = (context: PublisherContext) =>
  defineTool(context, {
    name: 'cancel_post',
    title: 'Cancel a post',
    description:
      'Use it to cancel a post that was not sent yet, by its key. Not for a post that the service has: it shows no way to ' +
      'cancel one.',
    effect: 'decides',
    fields: { key: key('The key of the post.') },
    prepare: async ({ key }, call) => {
      const { publisher, timeZone, mode } = call;
      const intent = await shownIntent(call, key);
      if (intent === undefined) return unknownKey();
      const cancelled = (now: Intent) => ok('The post is cancelled: it will not be sent.', intentView(now, timeZone));
      if (intent.state === 'abandoned') return cancelled(intent);
      if (!isUnsent(intent)) return tooLate(call, intent);
      const question = `Cancel the post with the key ${shortText(key, 100)}, so that this is not done: `;
      return {
        approval: mode !== 'publish' ? question + (await effectOf(call, intent)) : undefined,
        write: () => beforeSend(call, intent, async () => cancelled(await publisher.cancel(key))),
      };
    },
  });
