import { withoutUndefined } from '../../core/json.js';
import type { Conversation, Message } from '../../resources/messages.js';
import type { Service } from '../handlers/handler.js';
import { addMessage, selfOf, shownConversation } from '../handlers/messages.js';
import { timestamp } from '../state/time.js';
import { integrationOf, newPerson } from './accounts.js';
import { commentPlatforms, type Comment, type CommentReply } from '../../resources/comments.js';
import { commentedPost } from '../handlers/comments.js';
import { addTo } from '../state/table.js';

/** A conversation to seed. */
export type ConversationSeed = Omit<Partial<Conversation>, 'lastMessage'> & {
  /** The integration's ID. */
  readonly accountId: string;
};

/** A message to seed. Default sender: the conversation's other side. */
export type MessageSeed = Partial<Message> & {
  /** The integration's ID. */
  readonly accountId: string;
  /** The conversation's ID. */
  readonly conversationId: string;
};

export function seedConversation(service: Service, fields: ConversationSeed): Conversation {
  const { store, clock } = service;
  const { accountId, ...rest } = fields;
  const self = selfOf(integrationOf(store, 'seed.conversation', accountId, ['instagram']));
  const other = newPerson(service);
  const participants = rest.participants ?? [
    { ...other, username: other.id, profilePictureUrl: `https://images.service.invalid/${other.id}.png` },
    { id: self.id, name: self.name, username: self.name },
  ];
  const id = rest.id ?? store.id('conversation');
  const updatedTime = rest.updatedTime ?? timestamp(clock.now());
  const conversation = { id, accountId, participants, updatedTime };
  store.state.conversations.set(id, conversation);
  return shownConversation(store, conversation);
}

export function seedMessage({ store, clock }: Service, fields: MessageSeed): Message {
  const { accountId, conversationId, ...rest } = fields;
  const self = selfOf(integrationOf(store, 'seed.message', accountId));
  const conversation = store.state.conversations.get(conversationId);
  if (conversation?.accountId !== accountId)
    throw new TypeError('seed.message: conversationId does not match a conversation of the account.');
  const other = conversation.participants.find((participant) => participant.id !== self.id);
  const from = withoutUndefined({ id: other?.id, name: other?.name });
  const id = rest.id ?? store.id('message');
  const defaults = { id, text: '', from, timestamp: timestamp(clock.now()) };
  const message = { ...defaults, ...withoutUndefined(rest) };
  addMessage(store, conversation, message);
  return message;
}

/** A comment to seed. `postId` is the platform's own post ID. */
export type CommentSeed = Omit<Partial<Comment>, 'replies'> & {
  /** The integration's ID. */
  readonly accountId: string;
  /** The post's ID on the platform. */
  readonly postId: string;
  /** First-level replies: any of their fields. */
  readonly replies?: readonly Partial<CommentReply>[] | undefined;
};

export function seedComment(service: Service, fields: CommentSeed): Comment {
  const { store, clock } = service;
  const { accountId, postId: _, ...rest } = fields;
  integrationOf(store, 'seed.comment', accountId, commentPlatforms);
  const now = timestamp(clock.now());
  const replies = (rest.replies ?? []).map((reply) => ({
    id: reply.id ?? store.id('reply'),
    author: newPerson(service),
    timestamp: now,
    likeCount: 0,
    ...withoutUndefined(reply),
  }));
  const comment: Comment = {
    id: rest.id ?? store.id('comment'),
    text: '',
    author: newPerson(service),
    timestamp: now,
    likeCount: 0,
    hidden: false,
    ...withoutUndefined(rest),
    replies,
  };
  addTo(store.state.comments, commentedPost(fields), comment);
  return comment;
}
