import { shortText, withoutUndefined, type Fields } from '../core/json.js';
import { mostItems, type ToolResult, type ToolContext } from './tool.js';
import {
  formatIssues,
  isApiError,
  isErrorNamed,
  isPackageError,
  type Issue,
  type SocialPublishingError,
  outcomeOf,
} from '../core/errors.js';
import { shownTime, type InvalidInput, type ListPart } from './fields.js';
import { isFinalStatus } from '../model/known-values.js';
import { targetResults, type TargetResult } from '../model/targets.js';
import type { Intent } from '../publisher/intents/intent-record.js';
import type { Post } from '../posts/post-shapes.js';
import { decidedSendSettlesAt, hasOtherPost, isWaiting, settlesAt } from '../publisher/search-again.js';
import { requestOf } from '../posts/read-create.js';

/** The maximum size of `data` as JSON in UTF-8. */
const mostBytes = 16_384;

/** Fields with text of any length. Only these are shortened: a cut ID or cursor is useless. */
const textFields: ReadonlySet<string> = new Set(['content', 'text', 'untrustedText', 'error', 'warning', 'dmMessage']);
const textLengths = [4_000, 2_000, 1_000, 500, 250, 100];

export function ok(summary: string, data: Fields, next?: string): ToolResult {
  return result('ok', summary, { data, next });
}

export function result(
  status: ToolResult['status'],
  summary: string,
  { data, next }: { readonly data?: Fields | undefined; readonly next?: string | undefined } = {},
): ToolResult {
  return withoutUndefined({ status, summary, data: data && fitted(data), next });
}

/**
 * Creates the result of a list: as many items as fit, and a cursor if there are more.
 * @param name the name of the list in `data`: its kind of items, in the plural
 */
export function listResult<Item>(name: string, part: ListPart<Item>, viewOf: (item: Item) => Fields): ToolResult {
  const { cursorAfter, also } = part;
  const items = part.items.map((item) => viewOf(item));
  const dataOf = (count: number): Fields =>
    withoutUndefined({ ...also, [name]: items.slice(0, count), cursor: cursorAfter(count) });
  let count = Math.min(items.length, mostItems);
  while (count > 1 && bytesOf(dataOf(count)) > mostBytes) count -= 1;
  const data = dataOf(count);
  const summary = `${String(count)} ${count === 1 ? name.replace(/s$/, '') : name}${'cursor' in data ? '; there are more' : ''}.`;
  return ok(summary, data, 'cursor' in data ? 'To read more, call again with this cursor.' : undefined);
}

function bytesOf(data: Fields): number {
  return new TextEncoder().encode(JSON.stringify(data)).length;
}

/** Shortens long texts until the data fits. */
function fitted(data: Fields): Fields {
  if (bytesOf(data) <= mostBytes) return data;
  for (const length of textLengths) {
    // An object stays an object.
    const shorter = { ...(shortened(data, length, false) as Fields), truncated: true };
    if (bytesOf(shorter) <= mostBytes) return shorter;
  }
  return withoutUndefined({ truncated: true, cursor: data['cursor'] });
}

function shortened(value: unknown, length: number, isText: boolean): unknown {
  if (typeof value === 'string') return isText ? shortText(value, length) : value;
  if (Array.isArray(value)) return value.map((item) => shortened(item, length, isText));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, shortened(inner, length, isText || textFields.has(name))]),
  );
}

/** Text for a question to the user, in one line. A line break, or another control character, could hide a part of it. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ');
}

/** The agent's own text for a question to the user, in quotes. */
export function quoted(text: string): string {
  return `"${shortText(oneLine(text), 300)}"`;
}

/** Puts text from other people into the only field that may contain it. */
export function untrusted(fields: Fields): Fields {
  const texts = withoutUndefined(fields);
  return Object.keys(texts).length === 0 ? {} : { untrustedText: texts };
}

/** Keeps a list inside an item short. */
export function atMost<Item>(
  name: string,
  items: readonly Item[] = [],
  viewOf: (item: Item, index: number) => unknown = (item) => item,
): Fields {
  if (items.length === 0) return {};
  const more = items.length - mostItems;
  return { [name]: items.slice(0, mostItems).map(viewOf), ...(more > 0 ? { [`more_${name}`]: more } : {}) };
}

const longestMessage = 500;

/** The result of a call with wrong input. */
export function invalid({ issues, next, data }: Pick<InvalidInput, 'issues'> & Partial<InvalidInput>): ToolResult {
  return result('invalid', `${shortText(formatIssues(issues), longestMessage)}. Nothing was sent.`, {
    data: { issues: issues.slice(0, mostItems).map(shortIssue), ...data },
    next: next ?? 'Fix the named field and call again.',
  });
}

/** The name of a field in the input can have any length. */
function shortIssue({ path, message }: Issue) {
  return { field: shortText(path.join('.'), 100), message: shortText(message, 300) };
}

/** The result of a call about a key that has no post, or a post that the tools do not show. */
export function unknownKey(): ToolResult {
  const next = 'Check the key: its create_post has it. list_posts lists the posts with their IDs.';
  return result('failed', 'A post with this key was not found.', { next });
}

/** The next step for a key with another content, in the other states of its post. */
export const contentOfKey =
  'To repeat a call, pass the content that the key has. Use a new key only if the user asks for a second post or message.';

/**
 * The result of a call that threw. Messages of this package contain no secret; other messages, for example of a driver, are
 * not quoted.
 * @param how how to repeat the call, if nothing of it was executed
 */
export function errorResult(error: unknown, how?: string): ToolResult {
  const again = how === undefined ? 'Call again with the same input.' : `Nothing was executed: ${how}.`;
  if (isErrorNamed(error, 'InvalidRequestError')) return invalid(error);
  if (isErrorNamed(error, 'IntentConflictError')) {
    const another = 'This key already has another content. Nothing was sent.';
    if (error.services === undefined) return result('rejected', another, { next: contentOfKey });
    return result('rejected', `This key belongs to the service ${error.services.recorded}. Nothing was sent.`, {
      next: 'Ask the user to check the base URL and the store of these tools. A new key would publish the post at this service too.',
    });
  }
  if (isErrorNamed(error, 'CreditLimitError')) {
    return result('rejected', 'The call would pass the credit budget. Nothing was sent.', {
      data: { creditsUsed: error.creditsUsed, maxCredits: error.maxCredits },
      next: 'Ask the user for a larger budget.',
    });
  }
  if (!isPackageError(error)) {
    const name = error instanceof Error ? error.name : typeof error;
    return result('failed', `An unexpected error ended the call (${name}).`, { next: again });
  }
  const { message, name } = error;
  const { status, next } = stepAfter(error, again, how);
  const httpStatus = isApiError(error) ? error.status : undefined;
  const data = withoutUndefined({ error: shortText(message, longestMessage), name, httpStatus });
  return result(status, oneSentence(message), { data, next });
}

/** The status and the next step after an error of the client or of a store. */
function stepAfter(
  error: SocialPublishingError,
  again: string,
  how: string | undefined,
): Pick<ToolResult, 'status' | 'next'> {
  const status = 'failed';
  if (isErrorNamed(error, 'NotFoundError'))
    return { status, next: 'Check the IDs of the input: list_accounts and list_posts show the valid ones.' };
  if (isErrorNamed(error, 'RateLimitError')) return { status, next: afterPause(error, how) };
  if (isErrorNamed(error, 'AuthenticationError') || isErrorNamed(error, 'PermissionError'))
    return { status, next: 'Ask the user to check the access key.' };
  if (isApiError(error) && outcomeOf(error) === 'rejected')
    return { status: 'rejected', next: 'Fix the cause that the error names, or report it.' };
  // A store that failed may have failed after a send. Every write has a key.
  const isOpen =
    isApiError(error) || ['ConnectionError', 'TimeoutError'].includes(error.name) || outcomeOf(error) === 'unknown';
  return { status, next: isOpen ? again : 'Report the error to the user.' };
}

/** Says when to repeat a call that the service was too busy for. */
export function afterPause(
  { retryAfterMs }: { readonly retryAfterMs?: number | undefined },
  how = 'call again',
): string {
  if (retryAfterMs === undefined) return `Wait a minute, then ${how}.`;
  return `Wait ${String(Math.ceil(retryAfterMs / 1_000))} seconds, then ${how}.`;
}

function oneSentence(message: string): string {
  const text = shortText(message.replace(/\s+/g, ' '), longestMessage);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Shortens the text of a post. */
export function shownContent(content: string | undefined): string | undefined {
  return content === undefined ? undefined : shortText(content, 1_000);
}

export function postView(post: Post, timeZone: string): Fields {
  const { postId, status, content, scheduledFor, createdAt, platforms } = post;
  return withoutUndefined({
    postId,
    status,
    content: shownContent(content),
    scheduledFor: shownTime(scheduledFor, timeZone),
    createdAt: shownTime(createdAt, timeZone),
    ...atMost('targets', targetResults(post).all, (target, index) => ({
      ...targetView(target, timeZone),
      // `list_comments` needs it, and the result of a target does not have it.
      ...withoutUndefined({ platformPostId: platforms?.[index]?.platformPostId }),
    })),
  });
}

function targetView(target: TargetResult, timeZone: string): Fields {
  return withoutUndefined({ ...target, publishedAt: shownTime(target.publishedAt, timeZone) });
}

export function intentView(intent: Intent, timeZone: string): Fields {
  const { key, state, postId, replayed, targets, error, attempts } = intent;
  return withoutUndefined({
    key,
    state,
    status: statusOf(intent),
    postId,
    replayed,
    scheduledFor: timeOfBody(intent, timeZone),
    sendAt: shownTime(intent.sendAt, timeZone),
    ...atMost('targets', targets, (target) => targetView(target, timeZone)),
    error: error?.message,
    attempts,
  });
}

/** The status of its post, as far as it is known. */
function statusOf(intent: Intent): string | undefined {
  const { state, post } = intent;
  if (isFinalStatus(state)) return state;
  return state === 'accepted' && requestOf(intent).saveAsDraft === true ? 'draft' : post?.status;
}

export function timeOfBody(content: Pick<Intent, 'body' | 'extraBody'>, timeZone: string): string | undefined {
  const { scheduledFor } = requestOf(content);
  return typeof scheduledFor === 'string' ? shownTime(scheduledFor, timeZone) : undefined;
}

/** Whether nothing of it was executed. A post that was too late is rejected, and was not sent. */
export function isUnsent({ state, error }: Intent): boolean {
  return state === 'ready' || (state === 'rejected' && error?.outcome === 'not_sent');
}

/** The result of a write or a wait that led to this state. */
export function intentResult(intent: Intent, context: ShownIn, also: Fields = {}): ToolResult {
  const data = { ...intentView(intent, context.timeZone), ...also };
  const { status, summary, next } = outcomeOfState(intent, context);
  return result(status, summary, { data, next });
}

/** Returns the next step for a post in this state. */
export function nextOf(intent: Intent, context: ShownIn): string | undefined {
  const { next } = outcomeOfState(intent, context);
  if (intent.state !== 'ready' || next === undefined) return next;
  return `${earlyWait(intent, context)}To send it, call create_post again with the same key and input.`;
}

function earlyWait(intent: Intent, { timeZone, now }: ShownIn): string {
  const waitUntil = shownTime(decidedSendSettlesAt(intent, now()), timeZone);
  if (waitUntil === undefined) return '';
  return `If its last send was held, wait until ${waitUntil}, because the service may still execute it or list its post. `;
}

/** The API document shows no way to change or delete a draft. */
export const keptDraft =
  'A draft cannot be changed: it stays as it is. To publish it, or to save another text, choose one new key, and call create_post with it.';

/** Returns the next step after a call that would have changed this post. */
export function nextIfKept(intent: Intent, context: ShownIn): string | undefined {
  const { state, postId = '' } = intent;
  if (isUnsent(intent)) return 'To change the post, call edit_post with this key. get_post with this key shows it.';
  if (state !== 'accepted') return nextOf(intent, context);
  if (requestOf(intent).saveAsDraft === true) return keptDraft;
  return (
    `To change its text or accounts while it is scheduled, call edit_post with postId ${postId}. To cancel it, ask the user. ` +
    'For a further post that the user asks for, choose a new key.'
  );
}

/** The zone of times, and the time. */
type ShownIn = Pick<ToolContext, 'timeZone' | 'now'>;

type StateOutcome = Omit<ToolResult, 'data'>;

const repeatCall = 'call create_post again with the same key and input: it searches, and sends nothing twice.';

/** A host may repeat a call while the first one still runs. */
const followOther =
  'Call wait_for_post with its key: the other call mostly ends within seconds. If the post is still held then,';

const abandonOther =
  'Its post belongs to another key. Show this to the user, and call resolve_post with its key and as abandoned. Do not use not_sent.';

/** The outcomes of states with one text. */
const outcomes: Readonly<Record<'sending' | 'in_doubt' | 'rejected' | 'abandoned', StateOutcome>> = {
  sending: {
    status: 'held',
    summary: 'Another call is sending the post, or ended while it was sending it.',
    next: `To search for it, ${repeatCall}`,
  },
  in_doubt: {
    status: 'held',
    summary: 'The post may have been sent, and no listed post proves it.',
    next: 'Call list_held_posts and ask the user. Do not send it again under a new key.',
  },
  rejected: {
    status: 'rejected',
    summary: 'The service refused the post.',
    next: 'See its error. Fix the cause, then choose one new key, and repeat only with that key.',
  },
  abandoned: {
    status: 'rejected',
    summary: 'The post of this key is cancelled: it is never sent.',
    next: 'Use a new key only if the user asks for a new post.',
  },
};

/** The outcome of a post that no sweep sent in time. */
const tooLateOutcome: StateOutcome = {
  status: 'rejected',
  summary: 'It was too late to send the post. Nothing was sent.',
  next: 'Ask the user for another time, then call edit_post with its key. To give it up, call cancel_post.',
};

function outcomeOfState(intent: Intent, { timeZone, now }: ShownIn): StateOutcome {
  const { state, error, targets, sendAt } = intent;
  if (isFinalStatus(state)) return finalOutcome(state, targets);
  if (state === 'accepted') return { status: 'ok', summary: acceptedSummary(intent, timeZone) };
  if (state === 'rejected' && isUnsent(intent)) return tooLateOutcome;
  if (state !== 'ready') {
    if (hasOtherPost(intent)) return { ...outcomes.in_doubt, next: abandonOther };
    const waitUntil = shownTime(settlesAt(intent, now()), timeZone);
    if (waitUntil === undefined) return outcomes[state];
    const wait = state === 'sending' ? `${followOther} wait` : 'Wait';
    const until = `until ${waitUntil}, because the service may still execute or list it. Then ${repeatCall}`;
    return { ...outcomes[state], next: `Do not send it under a new key. ${wait} ${until}` };
  }
  if (isWaiting(intent, now()))
    return { status: 'ok', summary: `The post waits, and is sent at ${shownTime(sendAt, timeZone) ?? ''}.` };
  const again = 'call again with the same key';
  const next = error === undefined ? `To send it, ${again}.` : afterPause(error, again);
  return { status: 'failed', summary: 'The post was not sent yet.', next };
}

/** The result of a wait for a post that is final. */
export function finalResult(post: Post, data: Fields): ToolResult {
  const { status, summary, next } = finalOutcome(post.status, targetResults(post).all);
  return result(status, summary, { data: { ...data, final: true }, next });
}

/** The outcome of a final post. A post with warnings has the status `partial` too. */
function finalOutcome(status: string | undefined, targets: readonly TargetResult[] = []): StateOutcome {
  if (status === 'published') return { status: 'ok', summary: 'The post is published.' };
  if (status !== 'partial')
    return {
      status: 'failed',
      summary: 'No target of the post was published.',
      next: 'See the errors of the targets. To publish them again, call retry_failed_targets.',
    };
  if (targets.length > 0 && targets.every(({ state }) => state === 'published')) {
    const next = 'See the warnings of the targets. Nothing needs to be published again.';
    return { status: 'failed', summary: 'The post is published, with warnings.', next };
  }
  const failed = targets.filter(({ state }) => state === 'failed').length;
  const count = failed === 0 ? ', or with warnings' : `: ${String(failed)} of ${String(targets.length)} targets failed`;
  return {
    status: 'failed',
    summary: `The post is published in part${count}.`,
    next: 'See the errors of the targets. To publish the failed targets again, call retry_failed_targets.',
  };
}

function acceptedSummary(intent: Intent, timeZone: string): string {
  if (requestOf(intent).saveAsDraft === true) return 'The draft is saved. Nothing is published.';
  const time = timeOfBody(intent, timeZone);
  return time === undefined ? 'The service accepted the post and publishes it.' : `The post is scheduled for ${time}.`;
}
