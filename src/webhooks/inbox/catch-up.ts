import type { EventMediaItem } from '../../model/events.js';
import { instantOf } from '../../model/instant.js';
import { isFinalStatus, type FinalPostStatus } from '../../model/known-values.js';
import { targetResults, type TargetInfo } from '../../model/targets.js';

/** A client for `catchUp`, for example `SocialPublishing`. */
export interface CatchUpClient {
  /** The posts. */
  readonly posts: {
    /** Iterates over matching posts. */
    list(query: CatchUpQuery): AsyncIterable<CatchUpPost>;
  };
}

/** The filters that `catchUp` uses. */
export interface CatchUpQuery {
  /** Only posts created from this time on. */
  createdAfter?: Date;
  /** Only posts created up to this time. */
  createdBefore?: Date;
  /** Only posts scheduled from this time on. */
  scheduledAfter?: Date;
  /** Posts per page. */
  limit: number;
}

/** The fields of a listed post that `catchUp` reads (Post). */
export interface CatchUpPost {
  /** The post's ID. */
  readonly postId: string;
  /** The overall status. */
  readonly status?: string | undefined;
  /** The text. */
  readonly content?: string | undefined;
  /** When it was scheduled for. */
  readonly scheduledFor?: string | undefined;
  /** When it was created. */
  readonly createdAt?: string | undefined;
  /** When it was last changed. */
  readonly updatedAt?: string | undefined;
  /** The files of the post. */
  readonly mediaItems?: readonly EventMediaItem[] | undefined;
  /** One entry for each target. */
  readonly platforms?: readonly CatchUpTarget[] | undefined;
}

/** A target of a listed post (Post). */
export type CatchUpTarget = TargetInfo;

export interface FinalPost extends CatchUpPost {
  readonly status: FinalPostStatus;
}

/** The longest assumed time of publishing: a post that started this long before `since` can become final after it. */
const publishingMs = 3_600_000;

/** The list of this package's client. Another client, or a function around it, may yield only posts. */
interface PagedList extends AsyncIterable<CatchUpPost> {
  pages?(): AsyncIterable<{
    readonly items: readonly CatchUpPost[];
    readonly response?: { readonly total?: number | undefined } | undefined;
  }>;
}

/** How often a list is read if it becomes shorter each time. */
const mostReads = 3;

/** Yields the posts that became final since a time, as far as the list shows. May yield a post twice. */
export async function* finalPostsSince(client: CatchUpClient, since: number): AsyncGenerator<FinalPost> {
  const [from, at] = [new Date(Math.max(since - publishingMs, 0)), new Date(since)];
  const walks = [
    { createdAfter: from, limit: 100 },
    // The first walk does not include a post that was scheduled last week for today.
    { scheduledAfter: from, createdBefore: at, limit: 100 },
  ];
  const incomplete: CatchUpQuery[] = [];
  for (const query of walks) {
    for await (const post of allPosts(client, query, incomplete)) {
      if (isFinal(post) && mayBeFinalSince(post, since)) yield post;
    }
  }
  if (incomplete.length === 0) return;
  throw new Error(
    `The list of posts became shorter each time that catchUp read it (${String(mostReads)} times). So it may not have ` +
      'shown other posts. Call catchUp again later with the same since.',
  );
}

/**
 * Yields all posts of a list. If it becomes shorter between two pages, a later post can move to a page that was read. Then
 * it is read again. If that happens each time, its query is added to `incomplete`.
 */
async function* allPosts(
  client: CatchUpClient,
  query: CatchUpQuery,
  incomplete: CatchUpQuery[],
): AsyncGenerator<CatchUpPost, void, undefined> {
  for (let reads = 1; reads <= mostReads; reads += 1) {
    const list: PagedList = client.posts.list(query);
    // A caller's own client can be any list.
    if (typeof list.pages !== 'function') {
      yield* list;
      return;
    }
    let [total, isShorter] = [0, false];
    for await (const { items, response } of list.pages()) {
      yield* items;
      const newest = response?.total ?? total;
      isShorter ||= newest < total;
      total = newest;
    }
    if (!isShorter) return;
  }
  incomplete.push(query);
}

function isFinal(post: CatchUpPost): post is FinalPost {
  return isFinalStatus(post.status);
}

function mayBeFinalSince({ createdAt, scheduledFor, updatedAt, platforms = [] }: CatchUpPost, since: number): boolean {
  const times = [createdAt, scheduledFor, updatedAt, ...platforms.map(({ publishedAt }) => publishedAt ?? undefined)]
    .map(instantOf)
    .filter((time) => time !== undefined);
  // Without any time, the post counts as new.
  return times.length === 0 || times.some((time) => time >= since);
}

/** Returns the ID of a recovered event: the same in every process. */
export function recoveredId({ postId, status }: FinalPost): string {
  return `recovered_${postId}_${status}`;
}

/** Returns the body of the event of a post's final state, as far as the list shows it. */
export function recoveredBody(post: FinalPost): string {
  const results = targetResults({ ...post, platforms: post.platforms ?? [] }).all;
  const platforms = (post.platforms ?? []).map((target, i) => ({
    platform: target.platform,
    // Only if the list shows the account.
    integrationId: results[i]?.accountId,
    status: target.status,
    platformPostId: target.platformPostId ?? null,
    platformPostUrl: target.platformPostUrl ?? null,
    publishedAt: target.publishedAt ?? null,
    errorMessage: target.errorMessage ?? null,
    warningMessage: target.warningMessage ?? null,
  }));
  const published = platforms.map(({ publishedAt }) => publishedAt).filter((time) => time !== null);
  return JSON.stringify({
    id: recoveredId(post),
    type: `post.${post.status}`,
    createdAt: post.updatedAt,
    data: {
      post: {
        id: post.postId,
        status: post.status,
        content: post.content,
        scheduledFor: post.scheduledFor ?? null,
        publishedAt: published.sort((a, b) => sortKey(a) - sortKey(b))[0] ?? null,
        mediaItems: post.mediaItems,
      },
      platforms,
    },
  });
}

/** Sorts unreadable times last. */
function sortKey(dateTime: string): number {
  return instantOf(dateTime) ?? Number.MAX_VALUE;
}
