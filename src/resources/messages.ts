import type { ListReply } from '../pagination/page.js';
import * as z from 'zod/mini';
import { endpoint, listEndpoint } from '../core/call/endpoint.js';
import { Resource, type RequestOptions } from '../core/call/transport.js';
import { Paginator, type PaginatorOptions } from '../pagination/paginator.js';
import * as s from '../schema/fields.js';

/** A participant of a conversation (Conversation and message). */
export interface Participant {
  /** The participant's ID on the platform. Pass it to `messages.send` as `recipientId`. */
  id?: string | undefined;
  /** The display name. */
  name?: string | undefined;
  /** The user name. */
  username?: string | undefined;
  /** The URL of the profile picture. */
  profilePictureUrl?: string | undefined;
}

/** The author of a message (Conversation and message). */
export interface MessageSender {
  /**
   * The sender's ID on the platform. If the account itself sent the message, this is the `selfId` of the conversation
   * list.
   */
  id?: string | undefined;
  /** The sender's name. */
  name?: string | undefined;
}

/** A direct message (Conversation and message). */
export interface Message {
  /** The message's ID on the platform. */
  id: string;
  /** The text. */
  text?: string | undefined;
  /** The author. */
  from?: MessageSender | undefined;
  /** When it was sent, an ISO 8601 date-time. */
  timestamp?: string | undefined;
}

/** A conversation's newest message. Here even its ID may be missing. */
export type LastMessage = { [Field in keyof Message]?: Message[Field] | undefined };

/** A conversation of an Instagram account (Conversation and message). */
export interface Conversation {
  /** The conversation's ID on the platform. */
  id: string;
  /** The participants. */
  participants?: Participant[] | undefined;
  /** The newest message. Missing: the conversation has none. */
  lastMessage?: LastMessage | undefined;
  /** The time of its last activity, an ISO 8601 date-time. */
  updatedTime?: string | undefined;
}

/** Which conversations `messages.listConversations` reads (GET /v1/messages/). */
export interface ListConversationsQuery {
  /** The account's platform: only Instagram. */
  platform: 'instagram';
  /** The integration's ID. */
  accountId: string;
  /** Conversations in a page, 1 to 100. Default 20. */
  limit?: number | undefined;
  /** A cursor from an earlier reply's `nextCursor`. */
  after?: string | undefined;
}

/** A page of conversations (GET /v1/messages/). */
export interface ListConversationsResponse extends ListReply<ListConversationsQuery> {
  /** The account's own ID on the platform: it identifies the account's messages. */
  selfId?: string | undefined;
  /** The account's own user name. */
  selfUsername?: string | undefined;
  /** The conversations of this page. */
  conversations: Conversation[];
  /** The cursor of the next page. Missing or empty: this is the last one. */
  nextCursor?: string | undefined;
}

/** Which messages `messages.list` reads (GET /v1/messages/{conversationId}). */
export interface ListMessagesQuery extends ListConversationsQuery {
  /** Messages in a page, 1 to 100. Default 25. */
  limit?: number | undefined;
}

/** A page of messages (GET /v1/messages/{conversationId}). */
export interface ListMessagesResponse extends ListReply<ListMessagesQuery> {
  /** The messages of this page. Their order is not documented. */
  messages: Message[];
  /** The cursor of the next page. Missing or empty: this is the last one. */
  nextCursor?: string | undefined;
}

/** A direct message to send (POST /v1/messages/). The API document does not say which fields are required. */
export interface SendMessageBody {
  /** The account's platform: only Instagram. */
  platform?: 'instagram' | undefined;
  /** The integration's ID. */
  accountId?: string | undefined;
  /** The ID of the participant to write to. */
  recipientId?: string | undefined;
  /** The text. The API document does not state a maximum length. */
  text?: string | undefined;
}

/** The reply to `messages.send` (POST /v1/messages/). */
export interface SendMessageResponse {
  /** `true` if the service accepted the request. */
  success?: boolean | undefined;
  /** The new message's ID. */
  messageId: string;
}

export const messageSchema = s.once(() =>
  s.reply({
    id: z.string(),
    text: s.optionalString(),
    from: s.optional(s.reply({ id: s.optionalString(), name: s.optionalString() })),
    timestamp: s.optionalReplyDateTime(),
  }),
);

export const conversationSchema = s.once(() =>
  s.reply({
    id: z.string(),
    participants: s.optional(
      z.array(
        s.reply({
          id: s.optionalString(),
          name: s.optionalString(),
          username: s.optionalString(),
          profilePictureUrl: s.optionalString(),
        }),
      ),
    ),
    lastMessage: s.optional(s.reply({ ...messageSchema().shape, id: s.optionalString() })),
    updatedTime: s.optionalReplyDateTime(),
  }),
);

const query = () =>
  z.strictObject({
    platform: s.oneOf(['instagram']),
    accountId: s.id(),
    limit: s.optionalLimit(),
    after: s.optionalString(),
  });

export const listConversationsQuerySchema = s.once(query);

export const listConversationsResponseSchema = s.once(() =>
  s.envelope({
    selfId: s.optionalString(),
    selfUsername: s.optionalString(),
    conversations: z.array(conversationSchema()),
    nextCursor: s.optionalString(),
  }),
);

export const listMessagesQuerySchema = s.once(query);

export const listMessagesResponseSchema = s.once(() =>
  s.envelope({ messages: z.array(messageSchema()), nextCursor: s.optionalString() }),
);

export const sendMessageBodySchema = s.once(() =>
  z.strictObject({
    platform: z.optional(s.oneOf(['instagram'])),
    accountId: z.optional(s.id()),
    recipientId: z.optional(s.id()),
    text: s.optionalString(),
  }),
);

export const sendMessageResponseSchema = s.once(() => s.envelope({ messageId: s.id() }));

export const messageEndpoints = {
  listConversations: listEndpoint({
    route: 'GET /v1/messages/',
    summary: 'Lists the direct-message conversations of a connected Instagram account.',
    query: listConversationsQuerySchema,
    response: listConversationsResponseSchema,
    retry: 'repeatable',
    defaults: { limit: 20 },
    list: { style: 'cursor', items: 'conversations', itemId: 'id', next: 'nextCursor' },
  }),
  list: listEndpoint({
    route: 'GET /v1/messages/{conversationId}',
    summary: 'Lists the messages of a conversation.',
    params: { conversationId: { description: "The conversation's ID on the platform." } },
    query: listMessagesQuerySchema,
    response: listMessagesResponseSchema,
    retry: 'repeatable',
    defaults: { limit: 25 },
    list: { style: 'cursor', items: 'messages', itemId: 'id', next: 'nextCursor' },
  }),
  send: endpoint({
    route: 'POST /v1/messages/',
    summary: 'Sends a direct-message reply on Instagram.',
    body: sendMessageBodySchema,
    response: sendMessageResponseSchema,
    retry: 'once',
  }),
};

/** Reads and sends direct messages of Instagram accounts. A plain object can implement it in tests. */
export interface Messages extends Pick<MessagesResource, keyof MessagesResource> {}

/** Direct messages of Instagram accounts. */
export class MessagesResource extends Resource {
  /**
   * Lists the direct-message conversations of a connected Instagram Business account. The account needs the permission to
   * manage messages.
   *
   * API document: Messages (Instagram), GET /v1/messages/.
   *
   * @example
   * ```ts
   * const { items } = await client.messages.listConversations({ platform: 'instagram', accountId });
   * ```
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   */
  listConversations(
    query: ListConversationsQuery,
    options?: RequestOptions & PaginatorOptions,
  ): Paginator<Conversation, ListConversationsResponse> {
    return Paginator.of(this.transport, messageEndpoints.listConversations, { query }, options);
  }

  /**
   * Lists the messages of a conversation.
   *
   * API document: Messages (Instagram), GET /v1/messages/{conversationId}.
   *
   * @example
   * ```ts
   * for await (const message of client.messages.list(conversationId, { platform: 'instagram', accountId })) {
   *   console.log(message.text);
   * }
   * ```
   * @param conversationId the conversation's ID on the platform, from `listConversations`
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   */
  list(
    conversationId: string,
    query: ListMessagesQuery,
    options?: RequestOptions & PaginatorOptions,
  ): Paginator<Message, ListMessagesResponse> {
    return Paginator.of(this.transport, messageEndpoints.list, { params: { conversationId }, query }, options);
  }

  /**
   * Sends a direct-message reply on Instagram and resolves to the new message's ID. It is never retried once it may
   * have reached the service: see `error.outcome`.
   *
   * API document: Messages (Instagram), POST /v1/messages/.
   *
   * @example
   * ```ts
   * const { messageId } = await client.messages.send({ platform: 'instagram', accountId, recipientId, text: 'Hello' });
   * ```
   * @throws {@link InvalidRequestError} an argument breaks a documented rule; nothing was sent
   * @throws {@link ApiError} the service refused
   */
  send(body: SendMessageBody, options?: RequestOptions): Promise<SendMessageResponse> {
    return this.transport.call(messageEndpoints.send, { body }, options);
  }
}
