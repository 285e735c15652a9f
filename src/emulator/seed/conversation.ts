import { conversationSchema, messageSchema, type Conversation, type Message } from '../../resources/messages.js';
import type { Service } from '../handlers/handler.js';
import { withoutUndefined } from '../service/defined.js';
import { addMessage, selfOf, shownConversation } from '../handlers/messages.js';
import { timestamp } from '../service/time.js';
import { integrationOf, integrationOn, newPerson } from './accounts.js';
import { checked } from './checks.js';

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
  const self = selfOf(integrationOn(store, 'conversation', accountId, ['instagram']));
  const other = newPerson(service);
  const participants = rest.participants ?? [
    { ...other, username: other.id, profilePictureUrl: `https://images.service.invalid/${other.id}.png` },
    { id: self.id, name: self.name, username: self.name },
  ];
  const id = rest.id ?? store.id('conversation');
  const given = checked('conversation', conversationSchema(), { ...rest, id, participants });
  const conversation = {
    id,
    accountId,
    participants: given.participants ?? [],
    updatedTime: given.updatedTime ?? timestamp(clock.now()),
  };
  store.state.conversations.set(id, conversation);
  return structuredClone(shownConversation(store, conversation));
}

export function seedMessage({ store, clock }: Service, fields: MessageSeed): Message {
  const { accountId, conversationId, ...rest } = fields;
  const self = selfOf(integrationOf(store, 'message', accountId));
  const conversation = store.state.conversations.get(conversationId);
  if (conversation?.accountId !== accountId)
    throw new TypeError('seed.message: conversationId does not match a conversation of the account.');
  const other = conversation.participants.find((participant) => participant.id !== self.id);
  const from = {
    ...(other?.id === undefined ? {} : { id: other.id }),
    ...(other?.name === undefined ? {} : { name: other.name }),
  };
  const filled = { text: '', from, ...withoutUndefined(rest), id: rest.id ?? store.id('message') };
  const message = {
    ...checked('message', messageSchema(), filled),
    timestamp: rest.timestamp ?? timestamp(clock.now()),
  };
  addMessage(store, conversation, message);
  return structuredClone(message);
}
