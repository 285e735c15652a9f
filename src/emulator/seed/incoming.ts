import * as z from 'zod/mini';
import { formatIssues } from '../../core/errors.js';
import { commentPlatforms, type Comment, type CommentAuthor } from '../../resources/comments.js';
import type { IntegrationDetail } from '../../resources/integrations.js';
import type { Message, MessageSender } from '../../resources/messages.js';
import { id, once } from '../../schema/fields.js';
import { describeIssues, nearestFieldHint } from '../../schema/issues.js';
import { safeParse } from '../../schema/parse.js';
import { beginRuns, type StartedRun } from '../handlers/automation-runs.js';
import type { Service } from '../handlers/handler.js';
import { conversationWith, selfOf } from '../handlers/messages.js';
import { withoutUndefined } from '../service/defined.js';
import { timestamp } from '../service/time.js';
import { newPerson } from './accounts.js';
import { seedComment } from './comment.js';
import { seedMessage } from './conversation.js';

/** A comment that comes in. */
export interface IncomingComment {
  /** The integration's ID. */
  readonly accountId: string;
  /** The post's ID on the platform. */
  readonly postId: string;
  /** What is written. */
  readonly text: string;
  /** Who writes. Without an `id` it is somebody new. */
  readonly author?: CommentAuthor | undefined;
}

/** What a comment led to. */
export interface IncomingCommentResult {
  /** The comment, as lists show it. */
  readonly comment: Comment;
  /** The runs that it began. Each is over after a second of the clock. */
  readonly runs: StartedRun[];
}

/** A direct message that comes in. */
export interface IncomingMessage {
  /** The integration's ID. It is of an Instagram account. */
  readonly accountId: string;
  /** The conversation's ID. Missing: the one with the sender, begun where there is none. */
  readonly conversationId?: string | undefined;
  /** What is written. */
  readonly text: string;
  /** Who writes. Default: the conversation's other side. Without conversation and `id` it is somebody new. */
  readonly from?: MessageSender | undefined;
}

/** What a message led to. */
export interface IncomingMessageResult {
  /** The message, as lists show it. */
  readonly message: Message;
  /** The ID of the conversation that it is in. */
  readonly conversationId: string;
}

/** What people on the platforms do, and what it sets off. Seeds set nothing off. */
export interface EmulatorIncoming {
  /**
   * Somebody comments on a post. Each active automation of the account that the comment matches begins a run, which is over
   * after a second of the clock: the public reply, the direct message, and the entry in the log.
   * @throws TypeError where the account is unknown or its platform has no comments, and where the comment is its own
   * @example
   * const { runs } = service.incoming.comment({ accountId, postId: 'media_1', text: 'Guide' });
   * await service.clock.advance({ seconds: 1 });
   */
  comment(fields: IncomingComment): IncomingCommentResult;
  /**
   * Somebody writes a direct message.
   * @throws TypeError where the account or the conversation is unknown, and where the message is the account's own
   * @example
   * service.incoming.message({ accountId, text: 'Hi', from: { id: 'kim', name: 'Kim' } });
   */
  message(fields: IncomingMessage): IncomingMessageResult;
}

const person = () => z.optional(z.strictObject({ id: z.optional(id()), name: z.optional(z.string()) }));
const text = () => z.string().check(z.minLength(1));

export const incomingCommentSchema = once(() =>
  z.strictObject({ accountId: id(), postId: id(), text: text(), author: person() }),
);
export const incomingMessageSchema = once(() =>
  z.strictObject({ accountId: id(), conversationId: z.optional(id()), text: text(), from: person() }),
);

export function createIncoming(service: Service): EmulatorIncoming {
  const { store } = service;
  const told = <Result>(result: Result): Result => {
    store.observers.tell(() => ({ type: 'state', what: 'incoming' }));
    return structuredClone(result);
  };
  return {
    comment: (fields) => told(takeComment(service, checked('comment', incomingCommentSchema(), fields))),
    message: (fields) => told(takeMessage(service, checked('message', incomingMessageSchema(), fields))),
  };
}

function checked<T>(what: string, schema: z.ZodMiniType<T>, fields: unknown): T {
  const result = safeParse(schema, fields);
  if (result.success) return result.data;
  const issues = describeIssues(result.error.issues, nearestFieldHint(schema));
  throw new TypeError(`incoming.${what}: ${formatIssues(issues)}`);
}

function takeComment(service: Service, fields: IncomingComment): IncomingCommentResult {
  const { accountId, postId, text, author = {} } = fields;
  const account = accountOn(service, 'comment', accountId, commentPlatforms);
  refuseOwn('comment', 'author', account, author);
  const comment = seedComment(service, { accountId, postId, text, author: known(service, author) });
  return { comment, runs: beginRuns(service, accountId, postId, comment) };
}

function takeMessage(service: Service, fields: IncomingMessage): IncomingMessageResult {
  const { accountId, text, from = {}, conversationId } = fields;
  const account = accountOn(service, 'message', accountId, ['instagram']);
  refuseOwn('message', 'from', account, from);
  const { store, clock } = service;
  if (conversationId !== undefined) {
    if (store.state.conversations.get(conversationId)?.accountId !== accountId)
      throw new TypeError('incoming.message: conversationId names no conversation of the account.');
    return { message: seedMessage(service, withoutUndefined({ ...fields, conversationId })), conversationId };
  }
  const sender = known(service, from);
  const { id } = conversationWith(store, accountId, sender, timestamp(clock.now()));
  return { message: seedMessage(service, { accountId, conversationId: id, text, from: sender }), conversationId: id };
}

/** Somebody without an ID is new. */
function known(service: Service, { id, name }: CommentAuthor): { id: string; name?: string } {
  const given = name === undefined ? {} : { name };
  return id === undefined ? { ...newPerson(service), ...given } : { id, ...given };
}

function accountOn(
  { store }: Service,
  what: string,
  accountId: string,
  platforms: readonly (string | undefined)[],
): IntegrationDetail {
  const account = store.state.integrations.get(accountId);
  if (account === undefined) throw new TypeError(`incoming.${what}: accountId names no integration; seed that first.`);
  if (!platforms.includes(account.platform))
    throw new TypeError(`incoming.${what}: accountId must be of an integration on ${platforms.join(', ')}.`);
  return account;
}

/** An automation that answered its own account would have no end. */
function refuseOwn(what: string, field: string, account: IntegrationDetail, { id }: CommentAuthor): void {
  if (id === selfOf(account).id)
    throw new TypeError(`incoming.${what}: ${field} is the account itself; what comes in is of somebody else.`);
}
