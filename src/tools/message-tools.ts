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
import { addsOnce, readsWorld, type Tool, type ToolContext } from './tool.js';
import {
  cursorPart,
  withField,
  atMost,
  defined,
  listResult,
  quoted,
  shortText,
  untrusted,
  type Data,
} from './results.js';
import { defineTool } from './define-tool.js';
import { accountId, field, key, listFields, untrustedNote, shownTime } from './fields.js';
import { planOnce } from './marks.js';
import { checkAllowed } from './account-tools.js';
import { createAutomationBodySchema } from '../resources/automations.js';

export function listComments(context: ToolContext): Tool {
  const { client, timeZone } = context;
  return defineTool(context, {
    name: 'list_comments',
    title: 'List comments',
    description: `Use it to read the comments on a post, with replies; ${untrustedNote}. Not for direct messages: use list_messages.`,
    annotations: readsWorld,
    fields: {
      accountId: accountId(),
      platform: field(
        z.optional(s.oneOf(commentPlatforms)),
        'The platform of the account. Default: read from the account.',
      ),
      postId: field(s.id(), 'The ID of the post on its platform (platformPostId), not its postId.'),
      ...listFields(),
    },
    prepare: async ({ accountId, postId, platform, ...input }, signal) => {
      checkAllowed(context, accountId);
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
      return listResult('comments', part, (comment) => commentView(comment, timeZone));
    },
  });
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
const platformField = () => field(z.optional(listConversationsQuerySchema().shape.platform), 'instagram (default).');

const conversationFields = () => ({
  accountId: accountId('The Instagram account ID, from list_accounts.'),
  platform: platformField(),
  ...listFields(),
});

export function listConversations(context: ToolContext): Tool {
  const { client, timeZone } = context;
  return defineTool(context, {
    name: 'list_conversations',
    title: 'List conversations',
    description: `Use it to find the direct conversations of an account, whose own authorId is selfId; ${untrustedNote}. Not for whole conversations: use list_messages.`,
    annotations: readsWorld,
    fields: conversationFields(),
    prepare: async ({ accountId, platform = 'instagram', ...input }, signal) => {
      checkAllowed(context, accountId);
      const part = await cursorPart(input, (page) =>
        client.messages.listConversations({ platform, accountId, ...page }, { signal }),
      );
      const also = defined({ selfId: part.response.selfId });
      return listResult('conversations', { ...part, also }, (conversation) => conversationView(conversation, timeZone));
    },
  });
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

export function listMessages(context: ToolContext): Tool {
  const { client, timeZone } = context;
  return defineTool(context, {
    name: 'list_messages',
    title: 'List messages',
    description: `Use it to read a conversation, in no documented order; ${untrustedNote}. Not for comments: use list_comments.`,
    annotations: readsWorld,
    fields: {
      conversationId: field(s.id(), 'From list_conversations.'),
      ...conversationFields(),
    },
    prepare: async ({ conversationId, accountId, platform = 'instagram', ...input }, signal) => {
      checkAllowed(context, accountId);
      const part = await cursorPart(input, (page) =>
        client.messages.list(conversationId, { platform, accountId, ...page }, { signal }),
      );
      return listResult('messages', part, (message) => messageView(message, timeZone));
    },
  });
}

export function sendMessage(context: ToolContext): Tool {
  const { client } = context;
  return defineTool(context, {
    name: 'send_message',
    title: 'Send a message',
    description:
      'Use it to answer a direct message, once per key: the same key again returns the first result, or held if that is ' +
      'unknown. Not for comments, and never with a new key after a failure.',
    annotations: addsOnce,
    fields: {
      key: key('Names this message: reply/MESSAGE_ID. The same key never sends twice.'),
      accountId: accountId('The Instagram account ID that sends, from list_accounts.'),
      recipientId: field(s.id(), 'The ID of a participant, from list_conversations.'),
      text: field(s.text(), 'The text.'),
      platform: platformField(),
    },
    prepare: async ({ key, accountId, recipientId, text, platform = 'instagram' }) => {
      checkAllowed(context, accountId);
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
}

export function createAutomation(context: ToolContext): Tool {
  const { client } = context;
  const { postScope, keywords, publicReplies, dmMessage } = createAutomationBodySchema().shape;
  return defineTool(context, {
    name: 'create_automation',
    title: 'Create a comment automation',
    description:
      'Use it to answer all comments with a keyword from now on, without further questions, once per key: the same key again ' +
      'returns the first result, or held. Not to answer one message: use send_message.',
    annotations: addsOnce,
    fields: {
      key: key('Names this automation. The same key never creates two.'),
      accountId: accountId('The account whose comments it answers, from list_accounts.'),
      name: field(s.text(), 'Its name.'),
      postScope: field(postScope, 'The posts that it watches. Only any is documented.'),
      keywords: field(keywords, 'The words in a comment that start it.'),
      publicReplies: field(publicReplies, 'The public replies.'),
      dmMessage: field(dmMessage, 'The direct message to the author of the comment.'),
    },
    prepare: async ({ key, ...input }) => {
      checkAllowed(context, input.accountId);
      const texts = [input.publicReplies ?? [], input.dmMessage ?? []].flat().join(' / ');
      const account = shortText(input.accountId, 100);
      return planOnce(context, {
        tool: 'create_automation',
        key,
        body: defined(input),
        question: `Create the automation ${quoted(input.name)}, which answers comments on the account ${account}: ${quoted(texts)}.`,
        done: 'The automation was created.',
        ifUnknown:
          'Ask the user to check whether the automation exists. For one more, they must ask for another name, under a new key.',
        send: async () => {
          const { id, status } = await client.automations.create(input);
          return defined({ automationId: id, automationStatus: status });
        },
      });
    },
  });
}
