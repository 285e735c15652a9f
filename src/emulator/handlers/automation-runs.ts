import type { Automation, AutomationLog, AutomationStats } from '../../resources/automations.js';
import type { Comment, CommentReply } from '../../resources/comments.js';
import type { IntegrationDetail } from '../../resources/integrations.js';
import { nextRandom, timestamp } from '../state/time.js';
import type { Store } from '../state/store.js';
import { addTo, replaceIn } from '../state/table.js';
import { connectionError } from '../state/tokens.js';
import { commentedPost } from './comments.js';
import type { Service } from './handler.js';
import { addMessage, conversationWith, selfOf } from './messages.js';

/** How long a run takes, by the clock. The API document doesn't say. */
const runMs = 1000;

/** A run of an automation. */
export interface StartedRun {
  /** The automation's ID. */
  readonly automationId: string;
  /** Its entry in the automation's log, still `running`. */
  readonly log: AutomationLog;
}

/** Begins a run of each automation that a comment triggers. `postId` is the platform's own ID of the commented post. */
export function beginRuns(
  { store, clock }: Service,
  accountId: string,
  postId: string,
  { id: commentId, text, author }: Comment,
): StartedRun[] {
  const now = clock.now();
  const matching = [...store.state.automations.values()].filter(
    (automation) => automation.accountId === accountId && isSetOff(automation, { postId, text: text ?? '' }),
  );
  return matching.map((automation) => {
    const log: AutomationLog = {
      id: store.id('log'),
      commentId,
      ...(author?.id === undefined ? {} : { commenterId: author.id }),
      ...(author?.name === undefined ? {} : { commenterName: author.name }),
      commentText: text,
      platformPostId: postId,
      status: 'running',
      privateReplySent: false,
      createdAt: timestamp(now),
    };
    addTo(store.state.logs, automation.id, log);
    countRun(store, automation, 'triggered', { lastRunAt: timestamp(now) });
    store.schedule(now + runMs, { kind: 'answer', automationId: automation.id, logId: log.id });
    return { automationId: automation.id, log };
  });
}

/** Ends a run: it answers or fails. */
export function finishRun({ store, clock }: Service, automationId: string, logId: string): void {
  const automation = store.state.automations.get(automationId);
  const account = store.state.integrations.get(automation?.accountId ?? '');
  const log = store.state.logs.get(automationId)?.findLast(({ id }) => id === logId);
  if (automation === undefined || account === undefined || log === undefined) return;
  const error = connectionError(account);
  const outcome: Partial<AutomationLog> =
    error === undefined
      ? { status: 'succeeded', ...answer(store, account, automation, log, timestamp(clock.now())) }
      : { status: 'failed', error };
  replaceIn(store.state.logs, automationId, log, { ...log, ...outcome });
  if (error === undefined) countRun(store, automation, 'succeeded', {});
  else countRun(store, automation, 'failed', { lastError: error });
  store.changed('incoming');
}

function answer(
  store: Store,
  account: IntegrationDetail,
  { actions }: Automation,
  log: AutomationLog,
  now: string,
): Partial<AutomationLog> {
  const replies = actions?.publicReplies ?? [];
  const text = replies[Math.floor(nextRandom(store.state) * replies.length)];
  const self = selfOf(account);
  const author = { ...self, name: account.displayName ?? self.name };
  if (text !== undefined)
    addReply(store, account.id, log, { id: store.id('reply'), text, author, timestamp: now, likeCount: 0 });
  return {
    ...(text === undefined ? {} : { publicReplyStatus: 'sent' }),
    privateReplySent: sendMessage(store, account, log, actions?.dmMessage, now),
  };
}

function addReply(store: Store, accountId: string, log: AutomationLog, reply: CommentReply): void {
  const place = commentedPost({ accountId, postId: log.platformPostId ?? '' });
  const comment = store.state.comments.get(place)?.findLast(({ id }) => id === log.commentId);
  if (comment === undefined) return;
  const replies = [...(comment.replies ?? []), reply];
  replaceIn(store.state.comments, place, comment, { ...comment, replies });
}

/** Only Instagram has direct messages. */
function sendMessage(
  store: Store,
  account: IntegrationDetail,
  { commenterId, commenterName }: AutomationLog,
  text: string | undefined,
  now: string,
): boolean {
  if (text === undefined || commenterId === undefined || account.platform !== 'instagram') return false;
  const person = { id: commenterId, ...(commenterName === undefined ? {} : { name: commenterName }) };
  const conversation = conversationWith(store, account.id, person, now);
  addMessage(store, conversation, { id: store.id('message'), text, from: selfOf(account), timestamp: now });
  return true;
}

/** Adds a run to the stats. Seeded stats do not include the log, so the run is added to them. */
function countRun(
  store: Store,
  { id }: Automation,
  name: 'triggered' | 'succeeded' | 'failed',
  latest: Pick<AutomationStats, 'lastRunAt' | 'lastError'>,
): void {
  const automation = store.state.automations.get(id);
  if (automation?.stats === undefined) return;
  const count = automation.stats[name];
  const counted = count === undefined ? {} : { [name]: count + 1 };
  store.state.automations.set(id, { ...automation, stats: { ...automation.stats, ...counted, ...latest } });
}

// The API document names only `exact` and does not define it: these rules are the emulator's.

/** Whether a comment triggers an automation. `postId` is the platform's own ID of the commented post. */
function isSetOff(
  { status = 'active', trigger = {} }: Automation,
  comment: { readonly postId: string; readonly text: string },
): boolean {
  const { postScope = 'any', platformPostId, matchMode = 'exact' } = trigger;
  const watches = postScope === 'any' || platformPostId === comment.postId;
  if (status !== 'active' || !watches) return false;
  const text = folded(comment.text);
  if (words(trigger.excludeKeywords).some((keyword) => holdsWord(text, keyword))) return false;
  const keywords = words(trigger.keywords);
  if (keywords.length === 0) return true;
  return keywords.some((keyword) => (matchMode === 'exact' ? text === keyword : holdsWord(text, keyword)));
}

/** Normalises case and the encoding of accents. */
function folded(text: string): string {
  return text.normalize('NFC').toLowerCase().trim();
}

function words(keywords: readonly string[] = []): string[] {
  return keywords.map(folded).filter((keyword) => keyword !== '');
}

/** Whether a text contains a keyword as a word: neither `guides` nor `misguide` contains `guide`. */
function holdsWord(text: string, keyword: string): boolean {
  for (let at = text.indexOf(keyword); at !== -1; at = text.indexOf(keyword, at + 1)) {
    const end = at + keyword.length;
    // A keyword that ends in a symbol, such as `c++` or an emoji, ends its word.
    if (!goesOn(text.slice(0, at), keyword) && !goesOn(keyword, text.slice(end))) return true;
  }
  return false;
}

/** Whether a word continues from the end of one text into the next. */
function goesOn(before: string, after: string): boolean {
  return /[\p{L}\p{M}\p{N}]$/u.test(before) && /^[\p{L}\p{M}\p{N}]/u.test(after);
}
