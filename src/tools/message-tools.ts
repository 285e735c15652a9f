import * as z from 'zod/mini';
import { commentEndpoints, commentPlatforms, type CommentReply, type PostComment } from '../resources/comments.js';
import {
  listConversationsQuerySchema,
  messageEndpoints,
  type Conversation,
  type LastMessage,
  type Message,
} from '../resources/messages.js';
import * as s from '../schema/fields.js';
import { isErrorNamed } from '../core/errors.js';
import { invalidArgument } from '../core/options.js';
import { addsOnce, readsWorld, type ToolContext } from './tool.js';
import { cursorPart, withField, atMost, defined, listResult, quoted, shortText, type Data } from './results.js';
import type { ToolDefinition } from './define-tool.js';
import { accountId, field, key, listFields, untrustedNote, shownTime } from './fields.js';
import { exceeds } from './create-post-tools.js';
import { planOnce } from './marks.js';
import { automationEndpoints, createAutomationBodySchema } from '../resources/automations.js';

/** Puts text from other people into the only field that may contain it. */
function untrusted(fields: Data): Data {
  const texts = defined(fields);
  return Object.keys(texts).length === 0 ? {} : { untrustedText: texts };
}

const commentFields = () => ({
  accountId: accountId(),
  platform: field(
    z.optional(s.oneOf(commentPlatforms)),
    `The platform of the account: ${commentPlatforms.join(', ')}. Default: the platform of the account, which is read first.`,
  ),
  postId: field(s.id(), "The ID of the post on its platform (platformPostId), not this service's post ID."),
  ...listFields(),
});

export function listComments({ client, timeZone }: ToolContext): ToolDefinition<ReturnType<typeof commentFields>> {
  return {
    name: 'list_comments',
    title: 'List comments',
    description: `${commentEndpoints.list.summary} ${untrustedNote}`,
    annotations: readsWorld,
    fields: commentFields(),
    prepare: async ({ accountId, postId, platform, ...input }, signal) => {
      const known = platform ?? (await platformOf(client, accountId, signal));
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
      const items = part.items.map((comment) => commentView(comment, timeZone));
      return listResult({ ...part, name: 'comments', items }, 'comments');
    },
  };
}

async function platformOf({ integrations }: ToolContext['client'], accountId: string, signal: AbortSignal | undefined) {
  try {
    return (await integrations.get(accountId, { signal })).platform;
  } catch (error) {
    throw isErrorNamed(error, 'InvalidRequestError') ? withField(error, 'accountId') : error;
  }
}

function commentView(comment: PostComment, timeZone: string): Data {
  const { hidden, replies } = comment;
  return {
    ...replyView(comment, timeZone),
    ...defined({ hidden }),
    ...atMost(
      'replies',
      replies?.map((reply) => replyView(reply, timeZone)),
    ),
  };
}

function replyView({ id, text, author, timestamp, likeCount }: CommentReply, timeZone: string): Data {
  return defined({
    id,
    authorId: author?.id,
    timestamp: shownTime(timestamp, timeZone),
    likeCount,
    ...untrusted({ text, author: author?.name }),
  });
}

/** Only Instagram has messages, so the field is optional. */
const platformField = () =>
  field(z.optional(listConversationsQuerySchema().shape.platform), 'The platform of the account: instagram (default).');

const conversationFields = () => ({
  accountId: accountId('The ID of the Instagram account, from list_accounts.'),
  platform: platformField(),
  ...listFields(),
});

export function listConversations({
  client,
  timeZone,
}: ToolContext): ToolDefinition<ReturnType<typeof conversationFields>> {
  return {
    name: 'list_conversations',
    title: 'List conversations',
    description: `${messageEndpoints.listConversations.summary} Messages whose authorId is selfId are the account's own. ${untrustedNote}`,
    annotations: readsWorld,
    fields: conversationFields(),
    prepare: async ({ accountId, platform = 'instagram', ...input }, signal) => {
      const part = await cursorPart(input, (page) =>
        client.messages.listConversations({ platform, accountId, ...page }, { signal }),
      );
      const items = part.items.map((conversation) => conversationView(conversation, timeZone));
      const also = defined({ selfId: part.response.selfId });
      return listResult({ ...part, name: 'conversations', items, also }, 'conversations');
    },
  };
}

function conversationView({ id, participants, lastMessage, updatedTime }: Conversation, timeZone: string): Data {
  const people = participants?.map(({ id, name, username }) => defined({ id, ...untrusted({ name, username }) }));
  return defined({
    conversationId: id,
    updatedTime: shownTime(updatedTime, timeZone),
    ...atMost('participants', people),
    lastMessage: lastMessage && messageView(lastMessage, timeZone),
  });
}

function messageView({ id, text, from, timestamp }: Message | LastMessage, timeZone: string): Data {
  return defined({
    id,
    authorId: from?.id,
    timestamp: shownTime(timestamp, timeZone),
    ...untrusted({ text, author: from?.name }),
  });
}

const messagesFields = () => ({
  conversationId: field(s.id(), 'The ID of the conversation, from list_conversations.'),
  ...conversationFields(),
});

export function listMessages({ client, timeZone }: ToolContext): ToolDefinition<ReturnType<typeof messagesFields>> {
  return {
    name: 'list_messages',
    title: 'List messages',
    description: `${messageEndpoints.list.summary} Their order is not documented. ${untrustedNote}`,
    annotations: readsWorld,
    fields: messagesFields(),
    prepare: async ({ conversationId, accountId, platform = 'instagram', ...input }, signal) => {
      const part = await cursorPart(input, (page) =>
        client.messages.list(conversationId, { platform, accountId, ...page }, { signal }),
      );
      const items = part.items.map((message) => messageView(message, timeZone));
      return listResult({ ...part, name: 'messages', items }, 'messages');
    },
  };
}

const sendFields = () => ({
  key: key('Names this message, for example reply/conversation-1/2. The same key again sends nothing twice.'),
  accountId: accountId('The ID of the Instagram account that sends, from list_accounts.'),
  recipientId: field(s.id(), 'The ID of the participant who receives it, from list_conversations.'),
  text: field(s.text(), 'The text. Its greatest length is not documented.'),
  platform: platformField(),
});

export function sendMessage(context: ToolContext): ToolDefinition<ReturnType<typeof sendFields>> {
  const { client, mode } = context;
  return {
    name: 'send_message',
    title: 'Send a message',
    description:
      `${messageEndpoints.send.summary} The same key again sends nothing: it returns the result of the first call, or held ` +
      'if that is unknown.',
    annotations: addsOnce,
    fields: sendFields(),
    prepare: ({ key, accountId, recipientId, text, platform = 'instagram' }) => {
      const body = { platform, accountId, recipientId, text };
      const to = `${shortText(recipientId, 100)} from the account ${shortText(accountId, 100)}`;
      return planOnce(context, {
        tool: 'send_message',
        key,
        body,
        approval: exceeds('publish', mode) ? `Send a direct message to ${to}: ${quoted(text)}.` : undefined,
        done: 'The message was sent.',
        send: async () => {
          const { messageId } = await client.messages.send(body);
          return { messageId };
        },
      });
    },
  };
}

const automationFields = () => {
  const { postScope, keywords, publicReplies, dmMessage } = createAutomationBodySchema().shape;
  return {
    key: key('Names this automation. The same key again creates no second one.'),
    accountId: accountId('The ID of the account whose comments it answers, from list_accounts.'),
    name: field(s.text(), 'The name of the automation.'),
    postScope: field(postScope, 'Which posts it watches. any is the only documented value.'),
    keywords: field(keywords, 'The words in a comment that start it: an array of strings.'),
    publicReplies: field(publicReplies, 'The public replies: an array of strings.'),
    dmMessage: field(dmMessage, 'The direct message that the author of the comment gets.'),
  };
};

export function createAutomation(context: ToolContext): ToolDefinition<ReturnType<typeof automationFields>> {
  const { client, mode } = context;
  return {
    name: 'create_automation',
    title: 'Create a comment automation',
    description:
      `${automationEndpoints.create.summary} It answers strangers from then on, without further questions. The same key ` +
      'again creates nothing: it returns the result of the first call, or held if that is unknown.',
    annotations: addsOnce,
    fields: automationFields(),
    prepare: ({ key, ...input }) => {
      const texts = [...(input.publicReplies ?? []), ...(input.dmMessage === undefined ? [] : [input.dmMessage])].join(
        ' / ',
      );
      const account = shortText(input.accountId, 100);
      return planOnce(context, {
        tool: 'create_automation',
        key,
        body: defined(input),
        approval: exceeds('publish', mode)
          ? `Create the automation ${quoted(input.name)}, which answers comments on the account ${account}: ${quoted(texts)}.`
          : undefined,
        done: 'The automation was created.',
        send: async () => {
          const { id, status } = await client.automations.create(input);
          return defined({ automationId: id, automationStatus: status });
        },
      });
    },
  };
}
