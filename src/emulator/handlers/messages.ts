import type { Conversation, Message, messageEndpoints } from '../../resources/messages.js';
import type { IntegrationDetail } from '../../resources/integrations.js';
import { account } from './integrations.js';
import { ErrorReply, type Handlers, cursorPage, newestFirst } from './handler.js';
import { age, timestamp } from '../state/time.js';
import type { Store } from '../state/store.js';
import { addTo } from '../state/table.js';
import type { StoredConversation } from '../state/stored-records.js';

export const messageHandlers: Handlers<typeof messageEndpoints> = {
  listConversations({ store }, { query }) {
    const self = selfOf(account(store, query.accountId, query.platform));
    const conversations = [...store.state.conversations.values()].filter(
      ({ accountId }) => accountId === query.accountId,
    );
    const latestFirst = newestFirst(conversations, ({ updatedTime }) => updatedTime);
    const { items, ...next } = cursorPage(latestFirst, query);
    return {
      success: true,
      selfId: self.id,
      selfUsername: self.name,
      conversations: items.map((conversation) => shownConversation(store, conversation)),
      ...next,
    };
  },

  list({ store }, { param, query }) {
    account(store, query.accountId, query.platform);
    const conversation = store.state.conversations.get(param('conversationId'));
    if (conversation?.accountId !== query.accountId) throw new ErrorReply(404, 'The conversation does not exist.');
    const { items, ...next } = cursorPage(messagesOf(store, conversation.id), query);
    return { success: true, messages: items, ...next };
  },

  send({ store, clock }, { body }) {
    const { platform, accountId, recipientId, text } = body;
    if (platform === undefined || !accountId || !recipientId || !text)
      throw new ErrorReply(400, 'A message needs platform, accountId, recipientId and text.');
    const self = selfOf(account(store, accountId, platform));
    const now = timestamp(clock.now());
    const conversation = conversationWith(store, accountId, { id: recipientId }, now);
    const message = { id: store.id('message'), text, from: self, timestamp: now };
    addMessage(store, conversation, message);
    return { success: true, messageId: message.id };
  },
};

export function selfOf(integration: IntegrationDetail): { id: string; name: string } {
  return { id: integration.platformUserId ?? integration.id, name: integration.username ?? integration.id };
}

export function addMessage(
  store: Store,
  conversation: StoredConversation,
  message: Message & { timestamp: string },
): void {
  addTo(store.state.messages, conversation.id, message);
  if (age(message.timestamp) > age(conversation.updatedTime))
    store.state.conversations.set(conversation.id, { ...conversation, updatedTime: message.timestamp });
}

function messagesOf({ state }: Store, conversationId: string): Message[] {
  return newestFirst(state.messages.get(conversationId) ?? [], ({ timestamp: at }) => at);
}

export function shownConversation(store: Store, conversation: StoredConversation): Conversation {
  const { id, participants, updatedTime } = conversation;
  const [lastMessage] = messagesOf(store, id);
  return { id, participants, ...(lastMessage === undefined ? {} : { lastMessage }), updatedTime };
}

/** Returns the conversation with a user. The first message to a user begins one. */
export function conversationWith(
  store: Store,
  accountId: string,
  person: { readonly id: string; readonly name?: string },
  now: string,
): StoredConversation {
  for (const conversation of store.state.conversations.values()) {
    if (conversation.accountId !== accountId) continue;
    if (conversation.participants.some((participant) => participant.id === person.id)) return conversation;
  }
  const begun: StoredConversation = {
    id: store.id('conversation'),
    accountId,
    participants: [{ ...person }],
    updatedTime: now,
  };
  store.state.conversations.set(begun.id, begun);
  return begun;
}
