/** Sends one create and describes its outcome for the state machine. */
import {
  type ApiError,
  isApiError,
  isErrorNamed,
  isPackageError,
  type InvalidRequestError,
  outcomeOf,
  provenOutcome,
} from '../core/errors.js';
import { evidenceOf, type ReportEvidence } from '../core/flow/outage.js';
import { withoutUndefined } from '../core/json.js';
import type { KnownWebhookEvent } from '../model/events.js';
import { targetResults, type TargetResult, type TargetSource } from '../model/targets.js';
import type { CreatePostBody, CreatePostResponse, Post } from '../posts/post-shapes.js';
import { sentContent } from './intents/content.js';
import type { IntentError, IntentRecord, PostReport } from './intents/intent-record.js';
import type { LearnedClock } from './search/list-walk.js';
import type { PublisherClient } from './options.js';

export type SendResult =
  | { readonly report: PostReport }
  /** `invalid`: the client itself refused to send it. */
  | { readonly error: IntentError; readonly invalid?: InvalidRequestError };

export async function send(
  client: PublisherClient,
  record: IntentRecord,
  clock: LearnedClock,
  report: ReportEvidence,
): Promise<SendResult> {
  // A copy: a caller's own client must not change the recorded content.
  const { body, extraBody } = structuredClone(sentContent(record));
  try {
    // The schema of a create accepted `body` before it was stored.
    const reply = await client.posts.create(body as unknown as CreatePostBody, extraBody && { extraBody });
    clock.learn(reply);
    report('answers');
    // A caller's own client, or release 0.2.0 of this one, can return any ID.
    if (typeof reply.postId !== 'string' || reply.postId === '') return { error: noId };
    return { report: reportOfReply(reply) };
  } catch (error) {
    if (isErrorNamed(error, 'InvalidRequestError') && provenOutcome(error) === 'not_sent')
      return { error: describeError(error), invalid: error };
    clock.learn(error);
    report(evidenceOf(error));
    return { error: { ...describeError(error), outcome: provenOutcome(error) } };
  }
}

const noId: IntentError = {
  name: 'ResponseError',
  message: 'The service accepted the create without the ID of its post. The publisher searches for the post.',
  outcome: 'unknown',
};

/** Describes an error for the store. An error of another package can be anything: its outcome is unknown. */
export function describeError(error: unknown): IntentError {
  if (!isPackageError(error)) {
    // Its message can quote anything, also a request with its key.
    const name = error instanceof Error ? error.name : 'Error';
    const message = `The client rejected with ${name}, not with an error of this package.`;
    return { name, message, outcome: 'unknown' };
  }
  const { name, message } = error;
  const { status, retryAfterMs }: Partial<ApiError> = isApiError(error) ? error : {};
  return withoutUndefined({ name, message, outcome: outcomeOf(error) ?? 'unknown', status, retryAfterMs });
}

function reportOfReply(reply: CreatePostResponse): PostReport {
  const { postId, status, scheduledFor } = reply;
  return { postId, status, scheduledFor, post: { postId, status, scheduledFor }, ...targetsOf(reply) };
}

/** Omits the request of the post: the intent contains it, and it can be long. */
export function reportOfListed(listed: Post): PostReport {
  const { rawRequestBody: _rawRequestBody, ...post } = listed;
  return { postId: post.postId, status: post.status, scheduledFor: post.scheduledFor, post, ...targetsOf(listed) };
}

export function reportOfEvent(event: KnownWebhookEvent): PostReport {
  const { id: postId, scheduledFor } = event.data.post;
  return {
    postId,
    // The type names the final status. The post itself may have changed since.
    status: event.type.replace('post.', ''),
    scheduledFor: scheduledFor ?? undefined,
    ...targetsOf(event),
  };
}

function targetsOf(source: TargetSource): { targets?: readonly TargetResult[] } {
  try {
    const { all } = targetResults(source);
    return all.length === 0 ? {} : { targets: all };
  } catch {
    return {}; // Targets of an unknown shape must not lose the post.
  }
}
