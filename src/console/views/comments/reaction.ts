import type { Automation, Conversation } from 'social-publishing';
import { background } from '../../world/session.js';
import { post } from '../../world/workbench.js';
import type { CommentedPost } from './commented-posts.js';

/** Somebody who comments. */
export interface Person {
  readonly id: string;
  readonly name: string;
}

/**
 * The automation that a comment sets off. How keywords are matched is documented by its one value alone, `exact`: the page
 * takes it as the whole comment, or one of its words, in any case.
 */
export async function automationFor(place: CommentedPost, text: string): Promise<Automation | undefined> {
  const all = await background().automations.list({ accountId: place.account.id });
  const comment = text.trim().toLowerCase();
  const words = new Set([comment, ...comment.split(/[^\p{L}\p{N}]+/u)]);
  return all.find(({ status, trigger }) => {
    const has = (keywords: readonly string[] = []) =>
      keywords.some((keyword) => words.has(keyword.trim().toLowerCase()));
    const isHere = trigger?.platformPostId === undefined || trigger.platformPostId === place.platformPostId;
    return status === 'active' && isHere && has(trigger?.keywords) && !has(trigger?.excludeKeywords);
  });
}

/** The emulator runs no automations by itself: the page plays the run, its log entry and its direct message. */
export async function playRun(
  automation: Automation,
  place: CommentedPost,
  comment: { readonly id: string; readonly text: string; readonly author: Person },
): Promise<void> {
  const { author } = comment;
  const message = automation.actions?.dmMessage;
  // Messages are Instagram's alone.
  const isSent = message !== undefined && place.account.platform === 'instagram';
  await post('seed/automationLog', {
    automationId: automation.id,
    commentId: comment.id,
    commenterId: author.id,
    commenterName: author.name,
    commentText: comment.text,
    platformPostId: place.platformPostId,
    status: 'succeeded',
    publicReplyStatus: replyOf(automation) === undefined ? 'none' : 'sent',
    privateReplySent: isSent,
  });
  if (isSent) await sendMessage(place, author, message);
}

/** What an automation answers in public. */
export function replyOf({ actions }: Automation): string | undefined {
  return actions?.publicReplies?.[0];
}

async function sendMessage({ account }: CommentedPost, author: Person, text: string): Promise<void> {
  const query = { platform: 'instagram' as const, accountId: account.id, limit: 100 };
  const conversations = await background().messages.listConversations(query).toArray({ maxItems: 500 });
  const known = conversations.find(({ participants }) => participants?.some(({ id }) => id === author.id) === true);
  const { id: conversationId } =
    known ??
    (await post<Conversation>('seed/conversation', {
      accountId: account.id,
      participants: [{ id: author.id, name: author.name, username: author.name.toLowerCase().replaceAll(/\W+/g, '.') }],
    }));
  const from = { id: account.platformUserId, name: account.username };
  await post('seed/message', { accountId: account.id, conversationId, text, from });
}
