import { withoutUndefined } from '../../core/json.js';
import * as z from 'zod/mini';
import { commentPlatforms, type Comment, type CommentAuthor } from '../../resources/comments.js';
import type { IntegrationDetail } from '../../resources/integrations.js';
import type { Message, MessageSender } from '../../resources/messages.js';
import { id, once, text } from '../../schema/fields.js';
import { parsed } from '../../schema/issues.js';
import { beginRuns, type StartedRun } from '../handlers/automation-runs.js';
import type { Service } from '../handlers/handler.js';
import { conversationWith, selfOf } from '../handlers/messages.js';
import { timestamp } from '../state/time.js';
import { integrationOf, newPerson } from './accounts.js';
import { seedComment, seedMessage } from './conversation.js';

/** An incoming comment. */
export interface IncomingComment {
  /** The integration's ID. */
  readonly accountId: string;
  /** The post's ID on the platform. */
  readonly postId: string;
  /** The text. */
  readonly text: string;
  /** The author. Without an `id`, a new user. */
  readonly author?: CommentAuthor | undefined;
}

/** The result of a comment. */
export interface IncomingCommentResult {
  /** The comment, as lists show it. */
  readonly comment: Comment;
  /** The runs that it began. Each ends after a second of the clock. */
  readonly runs: StartedRun[];
}

/** An incoming direct message. */
export interface IncomingMessage {
  /** The integration's ID. The integration must be an Instagram account. */
  readonly accountId: string;
  /** The conversation's ID. Default: the conversation with the sender, created if necessary. */
  readonly conversationId?: string | undefined;
  /** The text. */
  readonly text: string;
  /** The author. Default: the other participant of the conversation. Without conversation and `id`, a new user. */
  readonly from?: MessageSender | undefined;
}

/** The result of a message. */
export interface IncomingMessageResult {
  /** The message, as lists show it. */
  readonly message: Message;
  /** The ID of its conversation. */
  readonly conversationId: string;
}

/** Simulates users of the platforms and triggers automations. Seeds trigger nothing. */
export interface EmulatorIncoming {
  /**
   * Adds a user's comment to a post. Each active automation of the account that the comment matches begins a run. The
   * run ends after a second of the clock: the public reply, the direct message, and the entry in the log.
   * @throws TypeError if the account is unknown, its platform has no comments, or the author is the account itself
   * @example const { runs } = service.incoming.comment({ accountId, postId: 'media_1', text: 'Guide' }); await
   *   service.clock.advance({ seconds: 1 });
   */
  comment(fields: IncomingComment): IncomingCommentResult;
  /**
   * Adds a user's direct message.
   * @throws TypeError if the account or the conversation is unknown, or the author is the account itself
   * @example service.incoming.message({ accountId, text: 'Hi', from: { id: 'kim', name: 'Kim' } });
   */
  message(fields: IncomingMessage): IncomingMessageResult;
}

const person = () => z.optional(z.strictObject({ id: z.optional(id()), name: z.optional(z.string()) }));

export const incomingCommentSchema = once(() =>
  z.strictObject({ accountId: id(), postId: id(), text: text(), author: person() }),
);
export const incomingMessageSchema = once(() =>
  z.strictObject({ accountId: id(), conversationId: z.optional(id()), text: text(), from: person() }),
);

export function createIncoming(service: Service): EmulatorIncoming {
  const { store } = service;
  const told = <Result>(result: Result): Result => {
    store.changed('incoming');
    return structuredClone(result);
  };
  return {
    comment: (fields) => told(takeComment(service, checked('comment', incomingCommentSchema(), fields))),
    message: (fields) => told(takeMessage(service, checked('message', incomingMessageSchema(), fields))),
  };
}

function checked<T>(what: string, schema: z.ZodMiniType<T>, fields: unknown): T {
  return parsed(schema, fields, (issues) => new TypeError(`incoming.${what}: ${issues}`));
}

function takeComment(service: Service, fields: IncomingComment): IncomingCommentResult {
  const { accountId, postId, text, author = {} } = fields;
  const account = integrationOf(service.store, 'incoming.comment', accountId, commentPlatforms);
  refuseOwn('comment', 'author', account, author);
  const comment = seedComment(service, { accountId, postId, text, author: known(service, author) });
  return { comment, runs: beginRuns(service, accountId, postId, comment) };
}

function takeMessage(service: Service, fields: IncomingMessage): IncomingMessageResult {
  const { accountId, text, from = {}, conversationId } = fields;
  const account = integrationOf(service.store, 'incoming.message', accountId, ['instagram']);
  refuseOwn('message', 'from', account, from);
  const { store, clock } = service;
  if (conversationId !== undefined) {
    if (store.state.conversations.get(conversationId)?.accountId !== accountId)
      throw new TypeError('incoming.message: conversationId does not match a conversation of the account.');
    return { message: seedMessage(service, withoutUndefined({ ...fields, conversationId })), conversationId };
  }
  const sender = known(service, from);
  const { id } = conversationWith(store, accountId, sender, timestamp(clock.now()));
  return { message: seedMessage(service, { accountId, conversationId: id, text, from: sender }), conversationId: id };
}

/** An author without an ID is a new user. */
function known(service: Service, { id, name }: CommentAuthor): { id: string; name?: string } {
  const given = name === undefined ? {} : { name };
  return id === undefined ? { ...newPerson(service), ...given } : { id, ...given };
}

/** An automation that answers its own account would never end. */
function refuseOwn(what: string, field: string, account: IntegrationDetail, { id }: CommentAuthor): void {
  if (id === selfOf(account).id)
    throw new TypeError(`incoming.${what}: ${field} is the account itself; incoming texts must be from another user.`);
}
