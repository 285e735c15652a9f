/** Reads replies, listed posts and events in one form. */
import { isApiError } from '../core/errors.js';
import { responseOf } from '../core/response.js';
import type { KnownWebhookEvent } from '../model/events.js';
import { targetResults, type TargetResult, type TargetSource } from '../model/targets.js';
import type { CreatePostResponse, Post } from '../resources/post-shapes.js';
import type { PostReport } from './intent-record.js';

export function reportOfReply(reply: CreatePostResponse): PostReport {
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
    // The event of a subscription with a profile contains only the targets of that profile.
    ...(typeof event.profileId === 'string' ? {} : targetsOf(event)),
  };
}

/** Returns the headers of a reply, a page or an error. */
export function headersOf(reply: unknown): Headers | undefined {
  if (isApiError(reply)) return reply.headers;
  return typeof reply === 'object' && reply !== null ? responseOf(reply)?.headers : undefined;
}

function targetsOf(source: TargetSource): { targets?: readonly TargetResult[] } {
  try {
    const { all } = targetResults(source);
    return all.length === 0 ? {} : { targets: all };
  } catch {
    return {}; // Targets of an unknown shape must not lose the post.
  }
}
