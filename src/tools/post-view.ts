import { isFinalStatus } from '../model/post-status.js';
import { targetResults, type TargetResult } from '../model/targets.js';
import type { Intent } from '../publisher/intent-record.js';
import type { Post } from '../posts/post-shapes.js';
import { requestOf } from '../posts/read-create.js';
import { afterPause, atMost, defined, result, shortText, type Data } from './results.js';
import { shownTime } from './fields.js';
import type { ToolContext, ToolResult } from './tool.js';

const listedTextLength = 1_000;

export function postView(post: Post, timeZone: string): Data {
  const { postId, status, content, scheduledFor, createdAt } = post;
  return defined({
    postId,
    status,
    content: content === undefined ? undefined : shortText(content, listedTextLength),
    scheduledFor: shownTime(scheduledFor, timeZone),
    createdAt: shownTime(createdAt, timeZone),
    ...atMost('targets', listedTargets(post, timeZone)),
  });
}

/** `list_comments` needs the post's ID on the platform, which the result of a target does not have. */
function listedTargets(post: Post, timeZone: string): Data[] {
  const { platforms = [] } = post;
  if (platforms.length === 0) return [];
  return targetResults(post).all.map((target, index) => ({
    ...targetView(target, timeZone),
    ...defined({ platformPostId: platforms[index]?.platformPostId }),
  }));
}

function targetView(target: TargetResult, timeZone: string): Data {
  const { platform, accountId, state, url, error, warning, publishedAt } = target;
  return defined({ platform, accountId, state, url, error, warning, publishedAt: shownTime(publishedAt, timeZone) });
}

export function intentView(intent: Intent, timeZone: string): Data {
  const { key, state, postId, replayed, targets, error, attempts } = intent;
  return defined({
    key,
    state,
    status: statusOf(intent),
    postId,
    replayed,
    scheduledFor: timeOfBody(intent, timeZone),
    sendAt: shownTime(intent.sendAt, timeZone),
    ...atMost(
      'targets',
      targets?.map((target) => targetView(target, timeZone)),
    ),
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

/** The result of a write or a wait that led to this state. */
export function intentResult(intent: Intent, context: ShownIn, also: Data = {}): ToolResult {
  const data = { ...intentView(intent, context.timeZone), ...also };
  const { status, summary, next } = outcomeOfState(intent, context);
  return result(status, summary, { data, next });
}

/** Returns the next step for a post in this state. */
export function nextOf(intent: Intent, context: ShownIn): string | undefined {
  const { next } = outcomeOfState(intent, context);
  if (intent.state !== 'ready' || next === undefined) return next;
  return 'To send it, call create_post again with the same key and input.';
}

/** The zone of times, and the time. */
type ShownIn = Pick<ToolContext, 'timeZone' | 'now'>;

interface StateOutcome {
  readonly status: ToolResult['status'];
  readonly summary: string;
  readonly next?: string;
}

const askUser = 'Call list_held_posts and ask the user. Do not send it again under a new key.';

const senderEnded =
  'Wait a minute, then call create_post again with the same key and input: it searches, and sends nothing twice.';

function outcomeOfState(intent: Intent, { timeZone, now }: ShownIn): StateOutcome {
  const { state, error, targets = [], sendAt } = intent;
  const failed = targets.filter((target) => target.state === 'failed').length;
  switch (state) {
    case 'accepted':
      return { status: 'ok', summary: acceptedSummary(intent, timeZone) };
    case 'published':
      return { status: 'ok', summary: 'The post is published.' };
    case 'partial':
      return partialOutcome(failed, targets.length);
    case 'failed':
      return {
        status: 'failed',
        summary: 'No target of the post was published.',
        next: 'See the errors of the targets. To publish them again, call retry_failed_targets.',
      };
    case 'sending':
      return {
        status: 'held',
        summary: 'Another call is sending the post, or ended while it was sending it.',
        next: senderEnded,
      };
    case 'in_doubt':
      return { status: 'held', summary: 'The post may have been sent, and no listed post proves it.', next: askUser };
    case 'ready': {
      if (sendAt !== undefined && Date.parse(sendAt) > now())
        return { status: 'ok', summary: `The post waits, and is sent at ${shownTime(sendAt, timeZone) ?? ''}.` };
      const again = 'call again with the same key';
      const next = error === undefined ? `To send it, ${again}.` : afterPause(error, again);
      return { status: 'failed', summary: 'The post was not sent yet.', next };
    }
    case 'rejected':
      return {
        status: 'rejected',
        summary: 'The service refused the post.',
        next: 'See error. Fix the cause, then choose one new key for the post, and repeat only with that key.',
      };
    case 'abandoned':
      return {
        status: 'rejected',
        summary: 'An operator abandoned this key.',
        next: 'Use a new key only if the user asks for a new post.',
      };
  }
}

/** A post with warnings has the status `partial` too. */
function partialOutcome(failed: number, all: number): StateOutcome {
  if (failed === 0 && all > 0) {
    const next = 'See the warnings of the targets. Nothing needs to be published again.';
    return { status: 'failed', summary: 'The post is published, with warnings.', next };
  }
  return {
    status: 'failed',
    summary: `The post is published in part: ${String(failed)} of ${String(all)} targets failed.`,
    next: 'See the errors of the targets. To publish the failed targets again, call retry_failed_targets.',
  };
}

function acceptedSummary(intent: Intent, timeZone: string): string {
  if (requestOf(intent).saveAsDraft === true) return 'The draft is saved. Nothing is published.';
  const time = timeOfBody(intent, timeZone);
  return time === undefined ? 'The service accepted the post and publishes it.' : `The post is scheduled for ${time}.`;
}
