import { linkedController, throwIfAborted } from '../core/flow/abort.js';
import { callSafely } from '../core/call/hooks.js';
import {
  ApiError,
  ConnectionError,
  InvalidRequestError,
  isPackageError,
  SocialPublishingError,
  type ErrorDetails,
} from '../core/errors.js';
import {
  ifPassed,
  invalidArgument,
  isFunction,
  isNumber,
  issueAt,
  optional,
  optionIssues,
  optionsOf,
  ownOptions,
} from '../core/call/options.js';
import { growingWaits, Retries } from '../core/flow/retrying.js';
import { longestTimerMs, type Runtime } from '../core/runtime.js';
import { limitedTo, requestChecks, type RequestOptions } from '../core/call/transport.js';
import { responseOf } from '../core/call/response.js';
import type { KnownWebhookEvent, WebhookEvent } from '../model/events.js';
import { instantOf, isMoment, momentOf, least } from '../model/instant.js';
import { longestPage, type DateTimeInput } from '../schema/fields.js';
import type { PaginatorOptions } from '../pagination/paginator.js';
import type { ListPostsQuery, Post } from './post-shapes.js';
import { isFinalStatus } from '../model/known-values.js';

/** A post to wait for: its ID, the reply to its create, or a listed post. The latter two also show when it was created. */
export type PostReference =
  | string
  | {
      /** The post's ID. */
      readonly postId: string;
      /** When the post was created, an ISO 8601 date-time. Missing: unknown. */
      readonly createdAt?: string | undefined;
    };

/** How to wait for posts to become final. */
export interface WatchPostsOptions extends RequestOptions {
  /**
   * A time before the creation of all these posts: a `Date`, an instant, or an ISO 8601 date-time with its offset. It keeps
   * the lists short. Default: the creation times that the posts themselves show. Without any, the first poll reads the
   * whole list.
   */
  readonly since?: DateTimeInput | undefined;
  /** The slowest pace of polls, in milliseconds, above 0. The first polls are faster. Default 15,000. */
  readonly pollMs?: number | undefined;
  /** How long to wait in total, in milliseconds, 0 or more. Default 600,000 (10 minutes). */
  readonly waitMs?: number | undefined;
  /**
   * Webhook events of these posts, for example from a receiver. They save polls. A final event counts even if the list lags
   * behind it. The end of the wait closes the feed. The end of the feed does not end the wait.
   */
  readonly events?: AsyncIterable<WebhookEvent> | undefined;
  /**
   * The client calls it after each poll, with each listed post that is not final. If it throws, the wait ends with that
   * error. A returned promise is not awaited, and its rejection is ignored.
   */
  readonly onUpdate?: ((post: Post) => void) | undefined;
  /**
   * The client calls it after each poll that failed. The wait goes on. If it throws, the wait ends with that error. A
   * returned promise is not awaited, and its rejection is ignored.
   */
  readonly onPollError?: ((error: unknown) => void) | undefined;
}

/** `waitMs` ran out before every post was final. */
export class WaitTimeoutError extends SocialPublishingError {
  override readonly name = 'WaitTimeoutError';
  /** The posts that are not final, as last seen. Not enumerable, so that no log shows their content. */
  declare readonly pending: readonly Post[];
  /** The IDs of posts that were never listed. */
  readonly missing: readonly string[];

  constructor(message: string, pending: readonly Post[], missing: readonly string[], details: ErrorDetails = {}) {
    super(message, { ...details, outcome: 'unknown' });
    Object.defineProperty(this, 'pending', { value: pending });
    this.missing = missing;
  }
}

/** Whether an error is a {@link WaitTimeoutError}, also of another copy of the package. */
export function isWaitTimeout(error: unknown): error is WaitTimeoutError {
  return isPackageError(error) && error.name === 'WaitTimeoutError';
}

/** The list of the resource. */
export interface PostLists {
  list(query: ListPostsQuery, options: RequestOptions & PaginatorOptions): AsyncIterable<Post>;
}

interface Watcher {
  readonly runtime: Runtime;
  readonly posts: PostLists;
  /** The name of the argument that holds the posts. `post`: there is one. */
  readonly argument: 'postIds' | 'post';
}

interface Wait extends Watcher, Pick<WatchPostsOptions, 'onUpdate' | 'onPollError'> {
  readonly requestOptions: RequestOptions;
  readonly retries: Retries;
  readonly pending: Map<string, Post | undefined>;
  /** The error of the last failed poll. */
  lastError?: unknown;
}

const defaultPollMs = 15_000;
const defaultWaitMs = 600_000;
const firstPauseMs = 1_000;
const growth = 1.5;
/** The last poll may start just before the end. It gets at least this time. */
const leastPollMs = 1_000;
/** The API document does not say whether a bound on `createdAt` is inclusive, and clocks may differ. */
const marginMs = 2 * 60_000;
/** How late lists may show a new post. A post that is missing at first is searched among posts of this age. */
const longestLagMs = 60 * 60_000;

const watchOptions = optionsOf<WatchPostsOptions>('an option of a wait', {
  since: ifPassed(isMoment),
  pollMs: isNumber({ above: 0, orInfinity: true }),
  waitMs: isNumber({ least: 0, orInfinity: true }),
  events: optional(
    'an async iterable of webhook events',
    (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
  ),
  onUpdate: isFunction,
  onPollError: isFunction,
  ...requestChecks,
});

/** Yields each post once, as it becomes final (see `PostsResource.watch`). */
export async function* watchPosts(
  watcher: Watcher,
  references: Iterable<PostReference>,
  options: WatchPostsOptions,
): AsyncGenerator<Post, void, undefined> {
  const posts = checkWait(watcher, references, options);
  const own = ownOptions(watchOptions, options);
  const { since, pollMs = defaultPollMs, waitMs = defaultWaitMs, events, ...others } = own;
  const { onUpdate, onPollError, ...requestOptions } = others;
  const { runtime } = watcher;
  const pending = new Map<string, Post | undefined>(posts.map(({ postId }) => [postId, undefined]));
  const feed = new FinalEventFeed(events, (postId) => pending.has(postId));
  const retries = new Retries({
    // A feed reports most final posts: polls find the posts that it misses.
    schedule: events === undefined ? growingWaits(Math.min(firstPauseMs, pollMs), pollMs, growth) : () => pollMs,
    limitMs: waitMs,
    signal: requestOptions.signal,
    runtime: {
      monotonic: () => runtime.monotonic(),
      sleep: (ms, signal) => feed.pause(runtime, Math.min(ms, longestTimerMs), signal),
    },
  });
  const wait: Wait = { ...watcher, onUpdate, onPollError, requestOptions, retries, pending };
  try {
    if (pending.size > 0) yield* pollUntilFinal(wait, feed, startOf(posts, since));
  } finally {
    feed.close();
  }
}

async function* pollUntilFinal(
  wait: Wait,
  feed: FinalEventFeed,
  start: number | undefined,
): AsyncGenerator<Post, void, undefined> {
  const { pending, argument, retries } = wait;
  let from = start;
  do {
    throwIfAborted(wait.requestOptions.signal);
    // Only events from before the list was read: for later ones, the list is read once more.
    const events = feed.take();
    const listed = await poll(wait, from);
    for (const [postId, before] of pending) {
      const current = listed?.posts.get(postId);
      const seen = current ?? before;
      pending.set(postId, seen);
      if (seen?.status === 'draft') throw draftError(argument, postId);
      const event = events.get(postId);
      const final = isFinalStatus(seen?.status) ? seen : event && postOfEvent(event, seen);
      if (final === undefined) {
        if (current !== undefined) notify(wait.onUpdate, current);
        continue;
      }
      pending.delete(postId);
      yield final;
    }
    if (pending.size === 0) return;
    if (listed !== undefined) from = nextStart(pending, listed.newest, from);
  } while (await retries.wait());
  throw timeoutError(wait);
}

/** Reads the list once, up to where all posts are found. `undefined`: it failed, and the next poll may succeed. */
async function poll(
  wait: Wait,
  from: number | undefined,
): Promise<{ posts: Map<string, Post>; newest: number } | undefined> {
  const { pending, requestOptions, retries } = wait;
  const query = { limit: longestPage, createdAfter: from === undefined ? undefined : new Date(from).toISOString() };
  const posts = new Map<string, Post>();
  let newest = Number.NaN;
  const options = limitedTo(Math.max(retries.leftMs, leastPollMs), requestOptions);
  try {
    for await (const post of wait.posts.list(query, options)) {
      const createdAt = instantOf(post.createdAt) ?? Number.NaN;
      if (!(createdAt <= newest)) newest = createdAt;
      if (!pending.has(post.postId)) continue;
      posts.set(post.postId, post);
      if (posts.size === pending.size) break;
    }
  } catch (error) {
    if (!mayPass(error)) throw error;
    wait.lastError = error;
    notify(wait.onPollError, error);
    return undefined;
  }
  return { posts, newest };
}

/** Calls a function of the caller. An exception ends the wait. A rejection cannot: nothing waits for it. */
function notify<Value>(call: ((value: Value) => void) | undefined, value: Value): void {
  Promise.resolve(call?.(value)).catch(() => undefined);
}

/** Whether the next poll can succeed after this error. */
function mayPass(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 408 || error.status === 429 || error.status >= 500;
  return error instanceof ConnectionError || (error instanceof SocialPublishingError && error.outcome === 'unknown');
}

/** Returns the start of later polls: the oldest post, if all posts were seen. */
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

type KnownReference = Exclude<PostReference, string>;

/** The earliest creation time of the posts; `undefined` if one of them does not show it. */
function startOf(posts: readonly KnownReference[], since: DateTimeInput | undefined): number | undefined {
  if (since !== undefined) return (momentOf(since) ?? Number.NaN) - marginMs;
  const times = posts.map(
    (post) => instantOf(post.createdAt) ?? Date.parse(responseOf(post)?.headers.get('date') ?? ''),
  );
  const earliest = least(times);
  return Number.isNaN(earliest) ? undefined : earliest - marginMs;
}

function checkWait({ argument }: Watcher, references: unknown, options: unknown): KnownReference[] {
  const issues = optionIssues(watchOptions, options);
  const posts: KnownReference[] = [];
  if (typeof references !== 'object' || references === null || !(Symbol.iterator in references)) {
    issues.push(issueAt([argument], 'must be an array or another iterable of posts'));
  } else {
    // Each reference is checked below.
    [...(references as Iterable<unknown>)].forEach((reference, index) => {
      const post = typeof reference === 'string' ? { postId: reference } : (reference as KnownReference | null);
      if (typeof post?.postId === 'string' && post.postId !== '') posts.push(post);
      else {
        const path = argument === 'post' ? [argument] : [argument, index];
        issues.push(issueAt(path, "must be a post's ID, the reply to its create, or a listed post"));
      }
    });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, { method: 'GET', route: '/v1/posts/' });
  return posts;
}

function draftError(argument: Watcher['argument'], postId: string): InvalidRequestError {
  const what = argument === 'post' ? 'is' : 'contains';
  const message = `${what} a draft (${postId}). A draft never becomes final, because nothing publishes it`;
  return invalidArgument(argument, message);
}

function timeoutError({ pending, lastError }: Wait): WaitTimeoutError {
  const seen = [...pending.values()].filter((post) => post !== undefined);
  const missing = [...pending].flatMap(([postId, post]) => (post === undefined ? [postId] : []));
  const statuses = [...new Set(seen.map(({ status }) => status))].join(', ');
  const counts = [
    ...(seen.length > 0 ? [`${String(seen.length)} not final (${statuses})`] : []),
    ...(missing.length > 0 ? [`${String(missing.length)} not listed`] : []),
  ].join(' and ');
  const message = `waitMs ran out with ${counts}. Nothing was changed. To wait longer, call again with a larger waitMs.`;
  return new WaitTimeoutError(message, seen, missing, { cause: lastError });
}

/** Collects the final events of wanted posts from a feed. An event ends a pause. */
export class FinalEventFeed {
  readonly #iterator: AsyncIterator<WebhookEvent> | undefined;
  readonly #events = new Map<string, KnownWebhookEvent>();
  #isClosed = false;
  #hasNews = false;
  #wake: () => void = () => undefined;

  constructor(events: AsyncIterable<WebhookEvent> | undefined, isWanted: (postId: string) => boolean) {
    this.#iterator = events?.[Symbol.asyncIterator]();
    void this.#read(isWanted);
  }

  take(): ReadonlyMap<string, KnownWebhookEvent> {
    this.#hasNews = false;
    return new Map(this.#events);
  }

  async pause(runtime: Runtime, ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#hasNews) return;
    throwIfAborted(signal);
    const { stop: nap, forget } = linkedController(signal);
    const woken = new Error('An event came.');
    this.#wake = () => {
      nap.abort(woken);
    };
    try {
      await runtime.sleep(ms, nap.signal);
    } catch (error) {
      if (error !== woken) throw error;
    } finally {
      this.#wake = () => undefined;
      forget();
    }
  }

  /** Closes the feed without waiting for it: it may wait for an event that never comes. */
  close(): void {
    this.#isClosed = true;
    void callSafely(() => this.#iterator?.return?.());
  }

  async #read(isWanted: (postId: string) => boolean): Promise<void> {
    try {
      while (!this.#isClosed) {
        const next = await this.#iterator?.next();
        if (next === undefined || next.done === true) return;
        const event = next.value;
        // An unacknowledged delivery is repeated with the same content.
        if (!event.known || event.type === 'post.scheduled' || !isWanted(event.data.post.id)) continue;
        this.#events.set(event.data.post.id, event);
        this.#hasNews = true;
        this.#wake();
      }
    } catch {
      // A feed that fails does not end the wait: there are still the lists.
    }
  }
}

/** Returns a post from its final event, merged over the last listed post. */
export function postOfEvent({ type, data }: KnownWebhookEvent, listed: Post | undefined): Post {
  const { id, content, scheduledFor } = data.post;
  return {
    ...listed,
    ...present({ content, scheduledFor }),
    postId: id,
    status: type.replace('post.', ''),
    platforms: data.platforms.map(present),
  };
}

/** Omits missing values, which are `null` in an event. */
function present<Fields extends object>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  // The other fields are unchanged.
  return Object.fromEntries(entries) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> };
}
