import * as z from 'zod/mini';
import * as s from '../schema/fields.js';
import { commentPlatforms, type CommentReply, type PostComment } from '../resources/comments.js';
import {
  listConversationsQuerySchema,
  type Conversation,
  type LastMessage,
  type Message,
} from '../resources/messages.js';
import { isErrorNamed } from '../core/errors.js';
import { invalidArgument } from '../core/call/options.js';
import type { CallContext, ToolContext, ToolResult } from './tool.js';
import { afterPause, errorResult, atMost, listResult, ok, quoted, result, untrusted } from './results.js';
import { defineTool, wasApproved, type PlannedWrite } from './define-tool.js';
import { accountId, cursorPart, field, key, listFields, untrustedNote, shownTime, withField } from './fields.js';
import { normalKey } from '../publisher/intents/intent-space.js';
import { OnceCalls, type HeldCall, type OnceEnd } from '../publisher/once.js';
import { canonicalJson, shortText, withoutUndefined, type Fields } from '../core/json.js';
import { comparable } from '../resources/preflight/preflight-findings.js';
import { unlessForeign } from '../stores/records.js';
import { createAutomationBodySchema } from '../resources/automations.js';

export const listComments = (context: ToolContext) =>
  defineTool(context, {
    name: 'list_comments',
    title: 'List comments',
    description: `Use it to read the comments on a post, with replies; ${untrustedNote}. Not for direct messages: use list_messages.`,
    effect: 'readsWorld',
    fields: {
      accountId: accountId(),
      platform: field(
        z.optional(s.oneOf(commentPlatforms)),
        'The platform of the account. Default: read from the account.',
      ),
      postId: field(s.id(), 'The ID of the post on its platform (platformPostId), not its postId.'),
      ...listFields(),
    },
    prepare: async ({ accountId, postId, platform, ...input }, call) => {
      const { client, timeZone, signal } = call;
      const known = platform ?? (await platformOf(call, accountId));
      const commented = commentPlatforms.find((name) => name === known);
      if (commented === undefined) {
        throw invalidArgument(
          'accountId',
          `must be an account of ${commentPlatforms.join(', ')}: only their comments can be read`,
        );
      }
      const part = await cursorPart(input, (page) =>
        client.comments.list({ platform: commented, accountId, postId, ...page }, { signal }),
      );
      return listResult('comments', part, (comment) => commentView(comment, timeZone));
    },
  });

async function platformOf({ client, signal }: CallContext, accountId: string) {
  try {
    return (await client.integrations.get(accountId, { signal })).platform;
  } catch (error) {
    throw isErrorNamed(error, 'InvalidRequestError') ? withField(error, 'accountId') : error;
  }
}

function commentView(comment: PostComment, timeZone: string): Fields {
  const { hidden, replies } = comment;
  return {
    ...replyView(comment, timeZone),
    ...withoutUndefined({ hidden }),
    ...atMost('replies', replies, (reply) => replyView(reply, timeZone)),
  };
}

function replyView({ author, likeCount, ...reply }: CommentReply, timeZone: string): Fields {
  return withoutUndefined({ ...messageView({ ...reply, from: author }, timeZone), likeCount });
}

/** Only Instagram has messages, so the field is optional. */
const platformField = () => field(z.optional(listConversationsQuerySchema().shape.platform), 'instagram (default).');

const conversationFields = () => ({
  accountId: accountId('The Instagram account ID, from list_accounts.'),
  platform: platformField(),
  ...listFields(),
});

export const listConversations = (context: ToolContext) =>
  defineTool(context, {
    name: 'list_conversations',
    title: 'List conversations',
    description: `Use it to find the direct conversations of an account, whose own authorId is selfId; ${untrustedNote}. Not for whole conversations: use list_messages.`,
    effect: 'readsWorld',
    fields: conversationFields(),
    prepare: async ({ accountId, platform = 'instagram', ...input }, { client, timeZone, signal }) => {
      const part = await cursorPart(input, (page) =>
        client.messages.listConversations({ platform, accountId, ...page }, { signal }),
      );
      const also = { selfId: part.response.selfId };
      return listResult('conversations', { ...part, also }, (conversation) => conversationView(conversation, timeZone));
    },
  });

function conversationView({ id, participants, lastMessage, updatedTime }: Conversation, timeZone: string): Fields {
  return withoutUndefined({
    conversationId: id,
    updatedTime: shownTime(updatedTime, timeZone),
    ...atMost('participants', participants, ({ id, name, username }) =>
      withoutUndefined({ id, ...untrusted({ name, username }) }),
    ),
    lastMessage: lastMessage && messageView(lastMessage, timeZone),
  });
}

/** A text of another person, and its author. */
function messageView({ id, text, from, timestamp }: Message | LastMessage, timeZone: string): Fields {
  return withoutUndefined({
    id,
    authorId: from?.id,
    timestamp: shownTime(timestamp, timeZone),
    ...untrusted({ text, author: from?.name }),
  });
}

export const listMessages = (context: ToolContext) =>
  defineTool(context, {
    name: 'list_messages',
    title: 'List messages',
    description: `Use it to read a conversation, in no documented order; ${untrustedNote}. Not for comments: use list_comments.`,
    effect: 'readsWorld',
    fields: {
      conversationId: field(s.id(), 'From list_conversations.'),
      ...conversationFields(),
    },
    prepare: async ({ conversationId, accountId, platform = 'instagram', ...input }, call) => {
      const { client, timeZone, signal } = call;
      const part = await cursorPart(input, (page) =>
        client.messages.list(conversationId, { platform, accountId, ...page }, { signal }),
      );
      return listResult('messages', part, (message) => messageView(message, timeZone));
    },
  });

export const sendMessage = (context: ToolContext) =>
  defineTool(context, {
    name: 'send_message',
    title: 'Send a message',
    description:
      'Use it to answer a direct message, once per key: the same key again returns the first result, or held if that is ' +
      'unknown. Not for comments, and never with a new key after a failure.',
    effect: 'addsOnce',
    fields: {
      key: key('Names this message: reply/MESSAGE_ID. The same key never sends twice.'),
      accountId: accountId('The Instagram account ID that sends, from list_accounts.'),
      recipientId: field(s.id(), 'The ID of a participant, from list_conversations.'),
      text: field(s.text(), 'The text.'),
      platform: platformField(),
    },
    prepare: async ({ key, accountId, recipientId, text, platform = 'instagram' }, { client }) => {
      const body = { platform, accountId, recipientId, text };
      const to = `${shortText(recipientId, 100)} from the account ${shortText(accountId, 100)}`;
      return planOnce(context, {
        tool: 'send_message',
        key,
        body,
        question: `Send a direct message to ${to}: ${quoted(text)}.`,
        done: 'The message was sent.',
        ifUnknown:
          'Call list_messages to see whether it arrived, and ask the user. To send a message again, they must ask for another ' +
          'text, under a new key.',
        send: async () => {
          const { messageId } = await client.messages.send(body);
          return { messageId };
        },
      });
    },
  });

export function createAutomation(context: ToolContext) {
  const { postScope, keywords, publicReplies, dmMessage } = createAutomationBodySchema().shape;
  return defineTool(context, {
    name: 'create_automation',
    title: 'Create a comment automation',
    description:
      'Use it to answer all comments with a keyword from now on, without further questions, once per key: the same key again ' +
      'returns the first result, or held. Not to answer one message: use send_message.',
    effect: 'addsOnce',
    fields: {
      key: key('Names this automation. The same key never creates two.'),
      accountId: accountId('The account whose comments it answers, from list_accounts.'),
      name: field(s.text(), 'Its name.'),
      postScope: field(postScope, 'The posts that it watches. Only any is documented.'),
      keywords: field(keywords, 'The words in a comment that start it.'),
      publicReplies: field(publicReplies, 'The public replies.'),
      dmMessage: field(dmMessage, 'The direct message to the author of the comment.'),
    },
    prepare: async ({ key, ...input }, { client }) => {
      const texts = [input.publicReplies ?? [], input.dmMessage ?? []].flat().join(' / ');
      const account = shortText(input.accountId, 100);
      return planOnce(context, {
        tool: 'create_automation',
        key,
        body: withoutUndefined(input),
        question: `Create the automation ${quoted(input.name)}, which answers comments on the account ${account}: ${quoted(texts)}.`,
        done: 'The automation was created.',
        ifUnknown:
          'Ask the user to check whether the automation exists. For one more, they must ask for another name, under a new key.',
        send: async () => {
          const { id, status } = await client.automations.create(input);
          return withoutUndefined({ automationId: id, automationStatus: status });
        },
      });
    },
  });
}

// Writes that the service would execute twice, and whose result no list shows: messages and automations.

interface WriteOnce {
  /** The name of the tool: two tools do not share keys. */
  readonly tool: string;
  readonly key: string;
  readonly body: Fields;
  readonly send: () => Promise<Fields>;
  /** The effect of the call. The user must approve it, unless the mode allows it. */
  readonly question: string;
  /** The effect of the finished call, in one sentence. */
  readonly done: string;
  /** The next step if the outcome of the call, or of an equal one, is unknown. */
  readonly ifUnknown: string;
}

/** Prepares a write. A key that has a call is never sent again. */
async function planOnce({ store, now, mode }: ToolContext, write: WriteOnce): Promise<ToolResult | PlannedWrite> {
  const { tool, key, body, question } = write;
  const calls = new OnceCalls(store, `tools/${tool}/`, now); // Release 0.2.0 stored its marks there too.
  const earlier = await calls.earlier(key, body);
  if (earlier !== undefined) return resultOf(write, earlier);
  const held = await heldEqual(calls, write);
  if (held !== undefined) return held;
  // After a refusal, the key can be used again.
  const call = { tool, key, content: body };
  const isAsked = mode !== 'publish' && !(await wasApproved(store, call));
  return {
    approval: isAsked ? question : undefined,
    approved: call,
    write: async () => {
      // While the user was asked, an equal call can have been made.
      const heldSince = isAsked ? await heldEqual(calls, write) : undefined;
      return heldSince ?? resultOf(write, await calls.run(key, body, write.send));
    },
  };
}

function heldResult(summary: string, { key, createdAt }: Partial<HeldCall>, { ifUnknown }: WriteOnce): ToolResult {
  return result('held', summary, { data: withoutUndefined({ key, markedAt: createdAt }), next: ifUnknown });
}

/** Finds a call with an equal body whose outcome is unknown. Models like to choose a new key after a lost reply. */
async function heldEqual(calls: OnceCalls, write: WriteOnce): Promise<ToolResult | undefined> {
  const text = comparableJson(write.body);
  const find = async () => {
    for await (const { held, body } of calls.open())
      if (normalKey(held.key) !== normalKey(write.key) && comparableJson(body) === text) return held;
    return undefined;
  };
  const held = await unlessForeign(find, undefined);
  return held && heldResult('An equal call under another key may have been executed. Nothing was sent.', held, write);
}

/** The same text for bodies that differ only in white space. */
function comparableJson(body: unknown): string {
  const text = JSON.stringify(body, (_, value: unknown) => (typeof value === 'string' ? comparable(value) : value));
  return canonicalJson(JSON.parse(text));
}

function resultOf(write: WriteOnce, end: OnceEnd<unknown>): ToolResult {
  const { key, done } = write;
  switch (end.kind) {
    case 'done': {
      const next = end.isStored ? undefined : 'The store did not record the result: do not repeat the call.';
      // Each tool stores an object.
      return ok(done, { key, ...(end.result as Fields), replayed: end.replayed }, next);
    }
    case 'held':
      return heldResult('An earlier call with this key may have been executed. It is not repeated.', end.error, write);
    case 'refused':
      return end.isFree ? errorResult(end.error, 'call again with the same key') : stuckResult(end.error);
    case 'unknown':
      return heldResult('The request was sent, and its outcome is unknown. It is not repeated.', { key }, write);
  }
}

/** Nothing was executed, but the key stays marked. */
function stuckResult(error: unknown): ToolResult {
  const again = isErrorNamed(error, 'RateLimitError')
    ? afterPause(error, 'use a new key, and another text')
    : 'To try again, ask the user for another text, and use a new key.';
  const next = `Nothing was executed, but the store did not free the key. ${again}`;
  return { ...errorResult(error), next };
}
