import { misspeltNames } from '../core/names.js';
import { InvalidRequestError, type Issue, ApiError, SocialPublishingError, type ErrorDetails } from '../core/errors.js';
import { least } from '../core/extremes.js';
import type { Runtime } from '../core/runtime.js';
import type { RequestOptions } from '../core/transport.js';
import { responseOf } from '../core/response.js';
import type { WebhookEvent } from '../model/events.js';
import { instantOf, momentMessage, momentOf } from '../model/instant.js';
import type { DateTimeInput } from '../schema/fields.js';
import type { PaginatorOptions } from '../pagination/paginator.js';
import { FinalEventFeed, postOfEvent } from './final-events.js';
import type { ListPostsQuery, Post } from './post-shapes.js';
import { isFinalStatus } from '../model/post-status.js';

/** A post to wait for: its ID, or what tells it and when it was created: the reply to its create, or a listed post. */
export type PostReference =
  | string
  | {
      /** The post's ID. */
      readonly postId: string;
      /** When it was created, an ISO 8601 date-time. */
      readonly createdAt?: string | undefined;
    };

/** How to wait for posts to become final. */
export interface WatchPostsOptions extends RequestOptions {
  /**
   * No post that is waited for was created before this: a `Date`, an instant, or an ISO 8601 date-time with its offset. It keeps the lists that are
   * read short. Default: what the posts themselves tell, else none, and the first look reads the whole list.
   */
  readonly since?: DateTimeInput | undefined;
  /** The slowest pace of looking, in milliseconds, any number above 0. It is quicker at first. Default 15,000. */
  readonly pollMs?: number | undefined;
  /** How long to wait in all, in milliseconds, 0 or more. Default 600,000 (10 minutes). */
  readonly waitMs?: number | undefined;
  /**
   * Webhook events of these posts, for example from a receiver: they spare polls. A final event is believed, also where
   * the list lags behind it. The feed is closed when the wait ends; a feed that ends does not end the wait.
   */
  readonly events?: AsyncIterable<WebhookEvent> | undefined;
}

/** The time to wait ran out before every post was final. */
export class WaitTimeoutError extends SocialPublishingError {
  override readonly name = 'WaitTimeoutError';
  /** The posts that are not final, as they were last seen. Not enumerable, so that no log shows their content. */
  declare readonly pending: readonly Post[];
  /** The IDs of posts that were never listed. */
  readonly missing: readonly string[];

  constructor(message: string, pending: readonly Post[], missing: readonly string[], details: ErrorDetails = {}) {
    super(message, { ...details, outcome: 'unknown' });
    Object.defineProperty(this, 'pending', { value: pending });
    this.missing = missing;
  }
}

type ListPosts = (query: ListPostsQuery, options: RequestOptions & PaginatorOptions) => AsyncIterable<Post>;

interface Wait {
  readonly runtime: Runtime;
  readonly listPosts: ListPosts;
  readonly requestOptions: RequestOptions;
  readonly pollMs: number;
  readonly giveUpAt: number;
  /** The posts that are not final yet, as last seen. */
  readonly pending: Map<string, Post | undefined>;
  /** The last failed look's error. */
  lastError?: unknown;
}

const defaultPollMs = 15_000;
const defaultWaitMs = 600_000;
const firstPauseMs = 1_000;
const growth = 1.5;
/** The largest page that the API document allows: the fewest requests. */
const pageSize = 100;
/** Whether a bound on `createdAt` is itself in is not documented, and clocks may differ. */
const marginMs = 2 * 60_000;
/** How late a new post may show up in lists: one that is not listed at first is looked for among posts this old. */
const longestLagMs = 60 * 60_000;

const ownOptions: ReadonlySet<string> = new Set<keyof WatchPostsOptions>(['since', 'pollMs', 'waitMs', 'events']);

/** Yields each post once, as it becomes final (see `PostsResource.watch`). */
export async function* watchPosts(
  runtime: Runtime,
  listPosts: ListPosts,
  references: Iterable<PostReference>,
  options: WatchPostsOptions,
): AsyncGenerator<Post, void, undefined> {
  const { since, pollMs = defaultPollMs, waitMs = defaultWaitMs, events, ...requestOptions } = options;
  const posts = checkWait(references, since, pollMs, waitMs, events, misspeltNames(requestOptions, ownOptions));
  const wait: Wait = {
    runtime,
    listPosts,
    requestOptions,
    pollMs,
    giveUpAt: runtime.monotonic() + waitMs,
    pending: new Map(posts.map(({ postId }) => [postId, undefined])),
  };
  const feed = new FinalEventFeed(events, (postId) => wait.pending.has(postId));
  try {
    yield* wait.pending.size === 0 ? [] : look(wait, feed, startOf(posts, since));
  } finally {
    feed.close();
  }
}

async function* look(
  wait: Wait,
  feed: FinalEventFeed,
  start: number | undefined,
): AsyncGenerator<Post, void, undefined> {
  const { runtime, pending, pollMs } = wait;
  const { signal } = wait.requestOptions;
  let from = start;
  // Whoever has a feed hears of most ends by it: polls are for what it misses.
  let pauseMs = feed.isOpen ? pollMs : Math.min(firstPauseMs, pollMs);
  for (;;) {
    signal?.throwIfAborted();
    // What the feed told before the list was read: of what it tells meanwhile, the list is asked once more.
    const told = feed.take();
    const listed = await poll(wait, from);
    for (const [postId, before] of pending) {
      const seen = listed?.posts.get(postId) ?? before;
      pending.set(postId, seen);
      if (seen?.status === 'draft') throw draftError(postId);
      const event = told.get(postId);
      const final = isFinalStatus(seen?.status) ? seen : event && postOfEvent(event, seen);
      if (final === undefined) continue;
      pending.delete(postId);
      yield final;
    }
    if (pending.size === 0) return;
    if (listed !== undefined) from = nextStart(pending, listed.newest, from);
    const left = wait.giveUpAt - runtime.monotonic();
    if (left <= 0) throw timeoutError(wait);
    await feed.pause(runtime, Math.min(pauseMs, left), signal);
    pauseMs = Math.min(pauseMs * growth, pollMs);
  }
}

/** Reads the list once, up to where all posts are found. `undefined`: it failed in a way that another look may not. */
async function poll(
  wait: Wait,
  from: number | undefined,
): Promise<{ posts: Map<string, Post>; newest: number } | undefined> {
  const { runtime, listPosts, pending, requestOptions, giveUpAt } = wait;
  const query: ListPostsQuery = {
    limit: pageSize,
    ...(from === undefined ? {} : { createdAfter: new Date(from).toISOString() }),
  };
  const posts = new Map<string, Post>();
  let newest = Number.NaN;
  // The last look may be made as time runs out: it gets a second all the same.
  const left = Math.max(giveUpAt - runtime.monotonic(), 1_000);
  const totalTimeoutMs = Math.min(requestOptions.totalTimeoutMs ?? left, left);
  try {
    for await (const post of listPosts(query, { ...requestOptions, totalTimeoutMs })) {
      const createdAt = instantOf(post.createdAt) ?? Number.NaN;
      if (!(createdAt <= newest)) newest = createdAt;
      if (!pending.has(post.postId)) continue;
      posts.set(post.postId, post);
      if (posts.size === pending.size) break;
    }
  } catch (error) {
    if (!mayPass(error)) throw error;
    wait.lastError = error;
    return undefined;
  }
  return { posts, newest };
}

/** A failed look is survived, unless the next one can only fail as well. */
function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 408 || error.status === 429 || error.status >= 500;
  return error instanceof SocialPublishingError && error.outcome === 'unknown';
}

/** Where later looks start: at the oldest post that is waited for, as far as all of them were seen. */
function nextStart(
  pending: ReadonlyMap<string, Post | undefined>,
  newest: number,
  from: number | undefined,
): number | undefined {
  const starts = [...pending.values()].map((post) =>
    post === undefined ? newest - longestLagMs : (instantOf(post.createdAt) ?? Number.NaN) - marginMs,
  );
  const earliest = least(starts);
  return Number.isNaN(earliest) ? from : Math.max(earliest, from ?? -Infinity);
}

/** When the oldest of the posts can have been created, as far as that is told. */
function startOf(
  posts: readonly Exclude<PostReference, string>[],
  since: DateTimeInput | undefined,
): number | undefined {
  if (since !== undefined) return (momentOf(since) ?? Number.NaN) - marginMs;
  const times = posts.map(
    (post) => instantOf(post.createdAt) ?? Date.parse(responseOf(post)?.headers.get('date') ?? ''),
  );
  const earliest = least(times);
  return Number.isNaN(earliest) ? undefined : earliest - marginMs;
}

function checkWait(
  references: unknown,
  since: unknown,
  pollMs: unknown,
  waitMs: unknown,
  events: unknown,
  issues: Issue[],
): Exclude<PostReference, string>[] {
  const posts: Exclude<PostReference, string>[] = [];
  const list: unknown[] =
    typeof references === 'object' && references !== null && Symbol.iterator in references
      ? [...(references as Iterable<unknown>)]
      : [undefined];
  list.forEach((reference, index) => {
    const post = (typeof reference === 'string' ? { postId: reference } : reference) as
      { postId?: unknown } | undefined;
    if (typeof post?.postId === 'string' && post.postId !== '') posts.push(post as Exclude<PostReference, string>);
    else
      issues.push({
        path: ['postIds', index],
        message: "must be a post's ID, the reply to its create, or a listed post",
      });
  });
  if (since !== undefined && momentOf(since) === undefined)
    issues.push({ path: ['since'], message: momentMessage(since) });
  if (typeof pollMs !== 'number' || !(pollMs > 0)) {
    issues.push({ path: ['pollMs'], message: 'must be a number of milliseconds above 0' });
  }
  if (typeof waitMs !== 'number' || !(waitMs >= 0)) {
    issues.push({ path: ['waitMs'], message: 'must be a number of milliseconds, 0 or more' });
  }
  if (events !== undefined && (typeof events !== 'object' || events === null || !(Symbol.asyncIterator in events))) {
    issues.push({ path: ['events'], message: 'must be an async iterable of webhook events' });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues);
  return posts;
}

function draftError(postId: string): InvalidRequestError {
  const message = `holds a draft (${postId}): nothing publishes it, so that it never becomes final`;
  return new InvalidRequestError([{ path: ['postIds'], message }]);
}

function timeoutError({ pending, lastError }: Wait): WaitTimeoutError {
  const seen = [...pending.values()].filter((post) => post !== undefined);
  const missing = [...pending].flatMap(([postId, post]) => (post === undefined ? [postId] : []));
  const counts = [
    ...(seen.length > 0
      ? [`${String(seen.length)} not final yet (${[...new Set(seen.map(({ status }) => status))].join(', ')})`]
      : []),
    ...(missing.length > 0 ? [`${String(missing.length)} not listed`] : []),
  ].join(' and ');
  const message = `The time to wait ran out with ${counts}. Wait again with a larger waitMs: nothing was changed.`;
  return new WaitTimeoutError(message, seen, missing, { cause: lastError });
}
