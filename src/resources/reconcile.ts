import type { CreateMemory, SentCreate } from '../core/creates.js';
import type { RequestOptions, Transport } from '../core/transport.js';
import { InvalidRequestError, SocialPublishingError, type Outcome } from '../core/errors.js';
import { matchPost } from '../model/match-post.js';
import type { PaginatorOptions } from '../pagination/paginator.js';

/** How to look for a create whose outcome is unknown. */
export interface ReconcileOptions extends RequestOptions {
  /** How long to look again while nothing is found, in milliseconds. Default 0: look once. */
  readonly waitMs?: number | undefined;
}

/** What reconciling looks at in a post. */
interface Candidate {
  postId: string;
  content?: string | undefined;
  scheduledFor?: string | undefined;
  platforms?: readonly { platform?: string | undefined }[] | undefined;
  createdAt?: string | undefined;
  rawRequestBody?: Record<string, unknown> | undefined;
}

type Found<Post> =
  | { readonly status: 'created'; readonly post: Post }
  | { readonly status: 'not_found' }
  | { readonly status: 'ambiguous'; readonly posts: Post[] };

type ListPosts<Post> = (
  query: { readonly createdAfter: string; readonly limit: number },
  options: RequestOptions & PaginatorOptions,
) => AsyncIterable<Post>;

/** How far this machine's clock may run ahead of the service's. */
const clockSkewMs = 2 * 60_000;
const firstPauseMs = 500;
const longestPauseMs = 5_000;
/** The fewest pages: the largest that the API document allows. */
const pageSize = 100;
/** A process that runs for years must not remember every post that it ever made. */
const mostKnownPosts = 10_000;

/** Which post a failed create turned out to be, by the create's error: looking again must find it again. */
const found = new WeakMap<object, string>();

/** Remembers a post as a known create's, so that no other create is taken for it. */
export function rememberPost(creates: CreateMemory, postId: string): void {
  creates.knownPostIds.add(postId);
  if (creates.knownPostIds.size <= mostKnownPosts) return;
  const [oldest] = creates.knownPostIds;
  if (oldest !== undefined) creates.knownPostIds.delete(oldest);
}

/**
 * Remembers what a create sent, by what it was rejected with. An abort rejects with the signal's own reason, which many
 * calls may share: then it does not say which of them is meant.
 */
export function rememberFailure(
  creates: CreateMemory,
  error: unknown,
  describe: (outcome: Outcome) => SentCreate,
): void {
  if (typeof error !== 'object' || error === null) return;
  let sent: SentCreate;
  try {
    sent = describe(error instanceof SocialPublishingError ? error.outcome : 'unknown');
  } catch {
    return; // Aborted before its body was found to be none that JSON can hold: it was not sent.
  }
  creates.failed.set(error, creates.failed.has(error) ? 'several' : sent);
}

/** Looks for the post of a create whose outcome is unknown (see `PostsResource.reconcile`). */
export async function reconcile<Post extends Candidate>(
  transport: Transport,
  listPosts: ListPosts<Post>,
  error: unknown,
  options: ReconcileOptions = {},
): Promise<Found<Post>> {
  const sent = typeof error === 'object' && error !== null ? transport.creates.failed.get(error) : undefined;
  if (sent === undefined || typeof error !== 'object' || error === null) {
    throw new InvalidRequestError([
      { path: ['error'], message: "must be what this client's posts.create was rejected with" },
    ]);
  }
  if (sent === 'several') {
    throw new InvalidRequestError([
      {
        path: ['error'],
        message: 'is the reason with which several creates were aborted: give each a signal of its own',
      },
    ]);
  }
  // Never sent, or refused: there is nothing to look for.
  if (sent.outcome !== 'unknown') return { status: 'not_found' };
  const { waitMs = 0, ...requestOptions } = options;
  if (!(waitMs >= 0))
    throw new InvalidRequestError([{ path: ['waitMs'], message: 'must be a number of milliseconds, 0 or more' }]);

  const { runtime, creates } = transport;
  const giveUpAt = runtime.monotonic() + waitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const posts = await candidates(
      listPosts,
      sent,
      ({ postId }) => found.get(error) === postId || !creates.knownPostIds.has(postId),
      requestOptions,
    );
    const [post, ...others] = posts;
    if (post !== undefined) {
      if (others.length > 0) return { status: 'ambiguous', posts };
      rememberPost(creates, post.postId);
      found.set(error, post.postId);
      return { status: 'created', post };
    }
    const left = giveUpAt - runtime.monotonic();
    if (left <= 0) return { status: 'not_found' };
    await runtime.sleep(Math.min(pauseMs, left), requestOptions.signal);
  }
}

async function candidates<Post extends Candidate>(
  listPosts: ListPosts<Post>,
  sent: SentCreate,
  mayBeIt: (post: Post) => boolean,
  options: RequestOptions,
): Promise<Post[]> {
  const earliest = sent.sentAt - clockSkewMs;
  const createdAfter = new Date(earliest).toISOString();
  const posts: Post[] = [];
  for await (const post of listPosts({ createdAfter, limit: pageSize }, options)) {
    // A service may take the filter for less than it says. An old post must not be taken for the new one.
    if (Date.parse(post.createdAt ?? '') < earliest) continue;
    if (mayBeIt(post) && matchPost(sent.body, post) !== undefined) posts.push(post);
  }
  return posts;
}
