import { misspeltNames } from '../core/names.js';
import { InvalidRequestError, SocialPublishingError } from '../core/errors.js';
import type { RequestOptions, Transport } from '../core/transport.js';
import { matchPost } from '../model/match-post.js';
import type { PaginatorOptions } from '../pagination/paginator.js';
import { choosePost, type Candidate, type Choice } from './choose-post.js';
import { CreateLog, type SentCreate } from './create-log.js';
import { clockMarginMs, createdWindow, type CreatedWindow } from './created-window.js';
import { readQuestion, type Question } from './reconcile-question.js';

/** How to look for a create whose outcome is unknown. */
export interface ReconcileOptions extends RequestOptions {
  /** How long to look again while nothing is found, in milliseconds. Default 0: look once. */
  readonly waitMs?: number | undefined;
}

type Found<Post> =
  | { readonly status: 'created'; readonly post: Post }
  | { readonly status: 'not_found' }
  | { readonly status: 'ambiguous'; readonly posts: Post[] };

type ListPosts<Post> = (
  query: { readonly createdAfter: string; readonly limit: number },
  options: RequestOptions & PaginatorOptions,
) => AsyncIterable<Post>;

const firstPauseMs = 500;
const longestPauseMs = 5_000;
/** What the last look gets where `waitMs` is all but over, in milliseconds. */
const leastLookMs = 2_000;
/** How often one look lists the posts anew. */
const mostLists = 3;
/** The fewest pages: the largest that the API document allows. */
const pageSize = 100;

const ownOptions: ReadonlySet<string> = new Set<keyof ReconcileOptions>(['waitMs']);

/** Looks for the post of a create whose outcome is unknown (see `PostsResource.reconcile`). */
export async function reconcile<Post extends Candidate>(
  transport: Transport,
  listPosts: ListPosts<Post>,
  asked: unknown,
  options: ReconcileOptions = {},
): Promise<Found<Post>> {
  const { waitMs = 0, ...requestOptions } = options;
  const issues = misspeltNames(requestOptions, ownOptions);
  if (!(waitMs >= 0)) issues.push({ path: ['waitMs'], message: 'must be a number of milliseconds, 0 or more' });
  if (issues.length > 0) throw new InvalidRequestError(issues);
  const { runtime } = transport;
  const question = readQuestion(transport.shared(CreateLog), asked);
  if (question === undefined) return { status: 'not_found' };

  const giveUpAt = runtime.monotonic() + waitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const lookMs = waitMs === 0 ? Infinity : Math.max(giveUpAt - runtime.monotonic(), leastLookMs);
    const seen = await tryToLook(transport, listPosts, question, within(requestOptions, lookMs));
    const left = giveUpAt - runtime.monotonic();
    if (seen.choice !== undefined && (left <= 0 || !mayClear(seen.choice))) return resultOf(seen.choice);
    if (left <= 0) throw stillUnknown(seen.failure);
    await runtime.sleep(Math.min(pauseMs, left), requestOptions.signal);
  }
}

/** The options of a look that must not take longer. */
function within(options: RequestOptions, ms: number): RequestOptions {
  return ms === Infinity ? options : { ...options, totalTimeoutMs: Math.min(options.totalTimeoutMs ?? ms, ms) };
}

/** Whether looking again may tell more. */
function mayClear(choice: Choice<unknown>): boolean {
  return choice.status === 'not_found' || (choice.status === 'ambiguous' && choice.mayClear);
}

/** A list that fails may be there again for the next look. An abort, and an option that can't work, end the search. */
async function tryToLook<Post extends Candidate>(
  transport: Transport,
  listPosts: ListPosts<Post>,
  question: Question,
  options: RequestOptions,
): Promise<{ readonly choice?: Choice<Post>; readonly failure?: unknown }> {
  try {
    return { choice: await look(transport, listPosts, question, options) };
  } catch (failure) {
    if (options.signal?.aborted === true || failure instanceof InvalidRequestError) throw failure;
    return { failure };
  }
}

/** Walks the posts once, and claims the one that the create made. */
async function look<Post extends Candidate>(
  transport: Transport,
  listPosts: ListPosts<Post>,
  { create, exclude }: Question,
  options: RequestOptions,
): Promise<Choice<Post>> {
  const log = transport.shared(CreateLog);
  const windowOf = (which: SentCreate) => createdWindow(which, transport.clock.offsetMs);
  let from = Infinity;
  let posts: Post[] = [];
  // The first reply may tell that the service's clock is far behind, so that too little was listed. One whose clock runs
  // backwards is not followed for ever.
  for (let lists = 0; lists < mostLists && earliest(create, log, windowOf) < from - clockMarginMs / 2; lists += 1) {
    from = earliest(create, log, windowOf);
    posts = [];
    const query = { createdAfter: new Date(Math.max(0, from)).toISOString(), limit: pageSize };
    for await (const post of listPosts(query, options)) {
      const isFound = post.postId === create.found?.postId;
      if (isFound || (!exclude.has(post.postId) && matchPost(create.body, post) !== undefined)) posts.push(post);
    }
  }
  // From here on nothing is waited for: of several that look at once, each sees what the others have claimed.
  const { found } = create;
  // It is claimed with a post of this very list (see below).
  if (found !== undefined)
    return { status: 'created', post: posts.find((post) => post.postId === found.postId) ?? (found as Post) };
  const free = posts.filter(({ postId }) => !log.isKnown(postId));
  const others = [...log.open].filter((which) => which !== create);
  const choice = choosePost(create, others, free, windowOf);
  if (choice.status === 'created') log.claim(create, choice.post);
  return choice;
}

/** From when on posts are listed: an equal create that was sent a little earlier may have made a post that fits this one. */
function earliest(create: SentCreate, log: CreateLog, windowOf: (which: SentCreate) => CreatedWindow): number {
  const own = windowOf(create);
  const rivals = [...log.open].filter(({ key }) => key === create.key).map(windowOf);
  return Math.min(own.from, ...rivals.filter(({ to }) => to >= own.from).map(({ from }) => from));
}

function resultOf<Post>(choice: Choice<Post>): Found<Post> {
  return choice.status === 'ambiguous' ? { status: 'ambiguous', posts: choice.posts } : choice;
}

/** What reconciling throws speaks of the create, and not of the list that failed: that one may well be called again. */
function stillUnknown(failure: unknown): SocialPublishingError {
  const name = failure instanceof Error ? failure.name : 'an error';
  return new SocialPublishingError(
    `It is still not known whether POST /v1/posts/ was carried out: the posts could not be listed (${name}, see cause). ` +
      'Reconcile again before you create the post once more; waitMs keeps looking for a while.',
    { method: 'POST', route: '/v1/posts/', outcome: 'unknown', cause: failure },
  );
}
