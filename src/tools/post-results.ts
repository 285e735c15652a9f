/** How results show posts, and what to do next with a post in each state. */
import { withoutUndefined, type Fields } from '../core/json.js';
import { isFinalStatus } from '../model/known-values.js';
import { targetResults, type TargetResult } from '../model/targets.js';
import type { Post } from '../posts/post-shapes.js';
import { requestOf } from '../posts/read-create.js';
import type { Intent } from '../publisher/intents/intent-record.js';
import { decidedSendSettlesAt, hasOtherPost, isWaiting, settlesAt } from '../publisher/search-again.js';
import { shownTime } from './fields.js';
import { afterPause, atMost, result, shownContent } from './results.js';
import type { ToolContext, ToolResult } from './tool.js';

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

/** The result of a call about a key that has no post, or a post that the tools do not show. */
export function unknownKey(): ToolResult {
  const next = 'Check the key: its create_post has it. list_posts lists the posts with their IDs.';
  return result('failed', 'A post with this key was not found.', { next });
}
