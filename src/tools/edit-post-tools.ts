import * as z from 'zod/mini';
import { InvalidRequestError, isErrorNamed } from '../core/errors.js';
import { invalidArgument } from '../core/options.js';
import type { Intent } from '../publisher/intent-record.js';
import type { CreatePostBody, Post } from '../posts/post-shapes.js';
import { requestedTargets } from '../model/targets.js';
import * as s from '../schema/fields.js';
import { isVisible, targetLabels } from './account-tools.js';
import { approvedCall, extraNote, questionOf, sameTime, exceeds, readTargets, twice } from './create-post-tools.js';
import type { PlannedWrite, ToolDefinition } from './define-tool.js';
import { extraField, field, key, readTime, shownTime, timeDescription, type InputOf } from './fields.js';
import { isSame, recordApproval } from './marks.js';
import { intentView, nextOf } from './post-view.js';
import { checkReference, findPost, shownIntent } from './read-post-tools.js';
import { defined, notFound, ok, quoted, result, shortText } from './results.js';
import { decides, replaces, type PublisherContext, type ToolContext, type ToolResult } from './tool.js';

const editFields = ({ timeZone, extras }: Pick<ToolContext, 'timeZone' | 'extras'>) => ({
  key: { ...key('The key of a post that was not sent yet.'), schema: z.optional(key('').schema) },
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

export function editPost(context: PublisherContext): ToolDefinition<ReturnType<typeof editFields>> {
  return {
    name: 'edit_post',
    title: 'Edit a post',
    description:
      'Use it to change a post that was not sent yet (by key), or the text and accounts of a scheduled post (by postId); other ' +
      'fields stay. Not for drafts, or for published posts.',
    annotations: replaces,
    fields: editFields(context),
    prepare: async (input, signal) => {
      checkReference(input, context.publisher);
      checkChanges(input);
      const { key, postId = '' } = input;
      if (key === undefined) return editScheduled(context, postId, input, signal);
      const intent = await shownIntent(context, context.publisher, key);
      return intent === undefined ? notFound('A post with this key') : editUnsent(context, intent, input, signal);
    },
  };
}

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
  context: PublisherContext,
  intent: Intent,
  { content, accountIds, scheduledFor, extra }: EditInput,
  signal: AbortSignal | undefined,
): Promise<ToolResult | PlannedWrite> {
  const { publisher, mode, store, timeZone } = context;
  const { body: before } = intent;
  const extraBody = (await context.extras?.check(extra)) ?? intent.extraBody;
  const read = accountIds && (await readTargets(context, accountIds, before.platforms, signal));
  const { saveAsDraft: _draft, publishNow: _now, ...timed } = before;
  const time = scheduledFor === undefined ? undefined : readTime('scheduledFor', scheduledFor, timeZone);
  const kept = time === undefined ? before : { ...timed, scheduledFor: sameTime(time, intent) };
  // It has one mode, as before.
  const body = { ...kept, ...defined({ content, platforms: read?.targets }) } as CreatePostBody;
  const planned = { body, extraBody, accounts: read?.accounts ?? [] };
  if (isSame(intent, planned)) return ok('The post has this content already.', intentView(intent, timeZone));
  if (!isUnsent(intent)) return tooLate(context, intent);
  const question = `Change the post with the key ${shortText(intent.key, 100)}, before it is sent. New: `;
  return {
    approval: exceeds('publish', mode) ? question + (await questionOf(context, planned, signal)) : undefined,
    // Another question would ask for the same post.
    onApproved: () => recordApproval(store, approvedCall(intent.key, planned)),
    write: () =>
      beforeSend(context, intent.key, async () => {
        const edited = await publisher.edit(intent.key, body, { extraBody });
        const next = nextOf(edited, context)?.replace('same key and input', 'same key and the changed input');
        return ok('The post is changed. It was not sent yet.', intentView(edited, timeZone), next);
      }),
  };
}

/** Whether nothing of it was executed. A post that was too late is rejected, and was not sent. */
function isUnsent({ state, error }: Intent): boolean {
  return state === 'ready' || (state === 'rejected' && error?.outcome === 'not_sent');
}

/** Another process may send it first. */
async function beforeSend(
  context: PublisherContext,
  key: string,
  change: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await change();
  } catch (error) {
    const intent = isErrorNamed(error, 'InvalidRequestError') ? await context.publisher.get(key) : undefined;
    if (intent === undefined || isUnsent(intent)) throw error;
    return tooLate(context, intent);
  }
}

function tooLate(context: PublisherContext, intent: Intent): ToolResult {
  const { state, postId } = intent;
  const next =
    state === 'accepted' && postId !== undefined
      ? 'To change its text or accounts while it is scheduled, call edit_post with its postId. To cancel it, ask the user.'
      : (nextOf(intent, context) ?? 'To publish another text, the user must ask for a new post.');
  return result('failed', `The post is ${state}: it can no longer be changed before it is sent.`, {
    data: intentView(intent, context.timeZone),
    next,
  });
}

/** Edits a post that the service has. */
async function editScheduled(
  context: PublisherContext,
  postId: string,
  { content, accountIds, extra }: EditInput,
  signal: AbortSignal | undefined,
): Promise<ToolResult | PlannedWrite> {
  const { client, timeZone, mode } = context;
  const post = await findPost(client, postId, signal);
  if (post === undefined || !isVisible(context, post.rawRequestBody))
    return notFound('The post', 'A new post can be listed late: call again in a minute.');
  if (post.status !== 'scheduled') {
    return result(
      'failed',
      `The post is ${post.status ?? 'in an unknown state'}: only a scheduled post can be changed.`,
      {
        next: 'Call get_post for its state. To publish another text, the user must ask for a new post.',
      },
    );
  }
  const extraBody = await context.extras?.check(extra);
  const targets = accountIds && (await readTargets(context, accountIds, undefined, signal)).targets;
  const names = (await targetLabels(client, targets ?? targetsOf(post), signal)) || 'its accounts';
  const text = content === undefined ? '' : `: ${quoted(content)}`;
  const time = shownTime(post.scheduledFor, timeZone) ?? 'an unknown time';
  const open = [...(targets === undefined ? ['accounts'] : []), ...(content === undefined ? ['text'] : []), 'media'];
  const question =
    `Change the post ${shortText(postId, 100)}, scheduled for ${time}, to ${names}${text}.${extraNote(extraBody)} Its ` +
    `${open.join(', ')} and time may change too: the API document does not say what an omitted field does.`;
  return {
    approval: exceeds('publish', mode) ? question : undefined,
    write: async () => {
      const body = defined({ content, platforms: targets });
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the API document does not show the new operation
      const reply = await client.posts.updateScheduled(postId, body, { extraBody });
      const data = defined({ postId, scheduledFor: shownTime(reply.scheduledFor, timeZone), content });
      // The intent of the post keeps the text of its create.
      const next =
        'Call get_post to check it. If targets fail later, create a new post: retry_failed_targets sends the old text.';
      return ok('The scheduled post is changed.', data, next);
    },
  };
}

/** The targets that a post was created with. */
function targetsOf(post: Post) {
  return [...(requestedTargets(post)?.values() ?? [])].flat();
}

const cancelFields = () => ({ key: key('The key of the post.') });

export function cancelPost(context: PublisherContext): ToolDefinition<ReturnType<typeof cancelFields>> {
  const { publisher, timeZone, mode } = context;
  return {
    name: 'cancel_post',
    title: 'Cancel a post',
    description:
      'Use it to cancel a post that was not sent yet, by its key. Not for a post that the service has: it shows no way to ' +
      'cancel one.',
    annotations: decides,
    fields: cancelFields(),
    prepare: async ({ key }, signal) => {
      const intent = await shownIntent(context, publisher, key);
      if (intent === undefined) return notFound('A post with this key');
      const cancelled = (now: Intent) => ok('The post is cancelled: it will not be sent.', intentView(now, timeZone));
      if (intent.state === 'abandoned') return cancelled(intent);
      if (!isUnsent(intent)) return tooLate(context, intent);
      const planned = { body: intent.body, extraBody: intent.extraBody, accounts: [] };
      const question = `Cancel the post with the key ${shortText(key, 100)}, so that this is not done: `;
      return {
        approval: exceeds('publish', mode) ? question + (await questionOf(context, planned, signal)) : undefined,
        write: () => beforeSend(context, key, async () => cancelled(await publisher.cancel(key))),
      };
    },
  };
}
