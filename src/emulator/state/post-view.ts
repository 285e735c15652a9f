import type { MediaItem, Post, PostTarget } from '../../posts/posts.js';
import type { StoredPost, StoredTarget } from './stored-records.js';
import { age, instant } from './time.js';
import { issueAt } from '../../core/call/options.js';
import type { Issue } from '../../core/errors.js';
import { parseJson } from '../../core/json.js';
import type { Delivery, RequestRecord } from './traffic.js';

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

/** Returns the issues of media that pass as media of a listed post but could not be part of an event. */
export function mediaIssues(items: readonly MediaItem[]): Issue[] {
  const issues: Issue[] = [];
  // Only events have a thumbnail.
  for (const [index, item] of (items as readonly (MediaItem & { readonly thumbnail?: unknown })[]).entries()) {
    const { size, thumbnail } = item;
    if (size !== undefined && !(Number.isInteger(size) && size >= 0))
      issues.push(issueAt(['mediaItems', index, 'size'], 'must be an integer of 0 or more'));
    if (thumbnail !== undefined && typeof thumbnail !== 'string')
      issues.push(issueAt(['mediaItems', index, 'thumbnail'], 'must be a string'));
  }
  return issues;
}

const sites: Readonly<Record<string, string>> = {
  twitter: 'https://x.com',
  instagram: 'https://www.instagram.com',
  youtube: 'https://www.youtube.com',
  tiktok: 'https://www.tiktok.com',
  pinterest: 'https://www.pinterest.com',
  linkedin: 'https://www.linkedin.com',
  bluesky: 'https://bsky.app',
  facebook: 'https://www.facebook.com',
  threads: 'https://www.threads.net',
  googlebusiness: 'https://business.google.com',
};

export function platformUrl(platform: string): string {
  return sites[platform] ?? `https://${platform}.invalid`;
}

/** Fields of a post that are derived from others, stored so that lists need not compute them. */
export type DerivedField = 'createdMs' | 'scheduledMs';

export function derivedFields({
  createdAt,
  scheduledFor,
}: Pick<StoredPost, 'createdAt' | 'scheduledFor'>): Pick<StoredPost, DerivedField> {
  return {
    createdMs: age(createdAt),
    scheduledMs: scheduledFor === undefined ? Number.NaN : instant(scheduledFor),
  };
}

/** Whether a request created, changed or read this one post. Lists of posts do not count. */
export function isRequestAbout({ method, path, query, body, reply }: RequestRecord, postId: string): boolean {
  if (path.split('/').includes(encodeURIComponent(postId)) || query['postId'] === postId) return true;
  if (method === 'GET') return false;
  const named = `"postId":${JSON.stringify(postId)}`;
  return reply?.body.includes(named) === true || (body !== undefined && JSON.stringify(body).includes(named));
}

export function isDeliveryAbout({ body }: Delivery, postId: string): boolean {
  // Most bodies do not contain the ID, and reading all of them takes long.
  if (!body.includes(JSON.stringify(postId))) return false;
  // Written by the emulator, as the API document shows it.
  const { data } = parseJson(body) as { readonly data: { readonly post: { readonly id: string } } };
  return data.post.id === postId;
}
