/** What replies, listed posts and events tell of a post, in one form. */
import type { KnownWebhookEvent } from '../model/events.js';
import { targetResults, type TargetResult, type TargetSource } from '../model/targets.js';
import type { CreatePostResponse, Post } from '../resources/post-shapes.js';
import type { PostNews } from './record.js';

export function newsOfReply(reply: CreatePostResponse): PostNews {
  const { postId, status, scheduledFor } = reply;
  return { postId, status, scheduledFor, post: { postId, status, scheduledFor }, ...targetsOf(reply) };
}

/** A listed post without the request that it came from: the intent has that already, and it may be long. */
export function newsOfPost(listed: Post): PostNews {
  const { rawRequestBody: _rawRequestBody, ...post } = listed;
  return { postId: post.postId, status: post.status, scheduledFor: post.scheduledFor, post, ...targetsOf(post) };
}

export function newsOfEvent(event: KnownWebhookEvent): PostNews {
  const { id: postId, scheduledFor } = event.data.post;
  return {
    postId,
    // What a final event is about is its type; the post may have moved on since.
    status: event.type.replace('post.', ''),
    scheduledFor: scheduledFor ?? undefined,
    // An event for a profile tells of that profile's targets alone.
    ...(typeof event.profileId === 'string' ? {} : targetsOf(event)),
  };
}

function targetsOf(source: TargetSource): { targets?: readonly TargetResult[] } {
  try {
    const { all } = targetResults(source);
    return all.length === 0 ? {} : { targets: all };
  } catch {
    return {}; // Targets in a form that nobody knows are no reason to lose the post.
  }
}
