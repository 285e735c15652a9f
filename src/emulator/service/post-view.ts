import type { Post, PostTarget } from '../../resources/posts.js';
import type { StoredPost, StoredTarget } from './stored-records.js';
import { age } from './time.js';

/** Returns a post as lists show it. It shares its parts with the stored post. */
export function listedPost(post: StoredPost): Post {
  const { postId, content, status, scheduledFor, timezone, mediaItems, crosspostingEnabled } = post;
  return {
    postId,
    ...(content === undefined ? {} : { content }),
    status,
    ...(scheduledFor === undefined ? {} : { scheduledFor }),
    timezone,
    mediaItems,
    platforms: post.targets.map((target) => listedTarget(target, content)),
    crosspostingEnabled,
    rawRequestBody: post.rawRequestBody,
    createdAt: post.createdAt,
    updatedAt: post.updatedAt,
  };
}

function listedTarget(target: StoredTarget, content: string | undefined): PostTarget {
  // The API document shows no accountId here.
  const { accountId: _, ...shown } = target;
  return { ...(content === undefined ? {} : { content }), ...shown };
}

export function publishedAt({ targets }: StoredPost): string | undefined {
  const times = targets.flatMap((target) => target.publishedAt ?? []);
  return times.sort((a, b) => age(a) - age(b))[0];
}
