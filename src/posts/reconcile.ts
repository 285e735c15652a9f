import { InvalidRequestError, SocialPublishingError } from '../core/errors.js';
import { checkCallOptions, isMilliseconds, optionsOf } from '../core/call/options.js';
import { growingWaits, Retries } from '../core/flow/retrying.js';
import { limitedTo, type RequestOptions, type Transport } from '../core/call/transport.js';
import { createdWindow, findPosts, type Finding, type UnknownCreate } from './find-posts.js';
import type { Post, ReconcileResult } from './post-shapes.js';
import { instantOf, least } from '../model/instant.js';
import { matchPost } from './match-post.js';
import type { PaginatorOptions } from '../pagination/paginator.js';
import { CreateLog, type SentCreate } from './create-log.js';
import { readQuestion, type Question } from './reconcile-question.js';

/** Options of `posts.reconcile`. */
export interface ReconcileOptions extends RequestOptions {
  /** For how long the list is read again while the result can still change, in milliseconds. Default 0: it is read once. */
  readonly waitMs?: number | undefined;
}

type ListPosts = (
  query: { readonly createdAfter: string; readonly limit: number },
  options: RequestOptions & PaginatorOptions,
) => AsyncIterable<Post>;

const waits = growingWaits(500, 5_000);
/** The minimum time for the last search, if `waitMs` is almost over. */
const leastSearchMs = 2_000;
/** The maximum number of lists in one search, if the service's clock turns out to be behind. */
const mostLists = 3;
/** The largest page that the API document allows. */
const pageSize = 100;
/** Posts are listed from 2 minutes before the send: the window begins 5 seconds before it. */
const beforeWindowMs = 115_000;

// The call itself checks the other options.
const reconcileOptions = optionsOf<Pick<ReconcileOptions, 'waitMs'>>(
  'an option of reconcile',
  { waitMs: isMilliseconds({ least: 0, orInfinity: true }) },
  'allowed',
);

/** Searches for the post of a create whose outcome is unknown (see `PostsResource.reconcile`). */
export async function reconcile(
  transport: Transport,
  listPosts: ListPosts,
  asked: unknown,
  options: ReconcileOptions = {},
): Promise<ReconcileResult> {
  checkCallOptions(reconcileOptions, options);
  const { waitMs = 0, ...requestOptions } = options;
  const { runtime } = transport;
  const question = readQuestion(transport.shared(CreateLog), asked);
  if (question === undefined) return { status: 'not_found' };

  const retries = new Retries({ schedule: waits, limitMs: waitMs, signal: requestOptions.signal, runtime });
  for (;;) {
    const searchMs = waitMs === 0 ? Infinity : Math.max(retries.leftMs, leastSearchMs);
    const { finding, failure } = await trySearch(transport, listPosts, question, limitedTo(searchMs, requestOptions));
    if (finding !== undefined && !mayChange(finding)) return resultOf(finding);
    if (await retries.wait()) continue;
    if (finding !== undefined) return resultOf(finding);
    throw stillUnknown(failure);
  }
}

function mayChange(finding: Finding): boolean {
  return finding.result === 'ambiguous' ? finding.mayClear : finding.result !== 'match';
}

/** A failed list can succeed at the next search. An abort and an invalid option end the call. */
async function trySearch(
  transport: Transport,
  listPosts: ListPosts,
  question: Question,
  options: RequestOptions,
): Promise<{ readonly finding?: Finding; readonly failure?: unknown }> {
  try {
    return { finding: await search(transport, listPosts, question, options) };
  } catch (failure) {
    if (options.signal?.aborted === true || failure instanceof InvalidRequestError) throw failure;
    return { failure };
  }
}

/** Lists the posts once, and claims the post that the create made. */
async function search(
  transport: Transport,
  listPosts: ListPosts,
  { create, exclude }: Question,
  options: RequestOptions,
): Promise<Finding> {
  const log = transport.shared(CreateLog);
  const offsetNow = () => transport.clock.offsetMs(transport.runtime);
  let from = Infinity;
  let posts: Post[] = [];
  // The first reply can show that the service's clock is behind, so that the list began too late. The limit keeps a clock
  // that runs backwards from repeating the search for ever.
  for (let lists = 0; lists < mostLists && earliest(create, log, offsetNow()) < from - beforeWindowMs / 2; lists += 1) {
    from = earliest(create, log, offsetNow());
    posts = [];
    const listedFrom = Math.max(0, from - beforeWindowMs);
    for await (const post of listPosts(
      { createdAfter: new Date(listedFrom).toISOString(), limit: pageSize },
      options,
    )) {
      const isFound = post.postId === create.found?.postId;
      if (isFound || (!exclude.has(post.postId) && mayBe(create, post, listedFrom))) posts.push(post);
    }
  }
  return choose(log, create, posts, offsetNow());
}

/** The service may ignore `createdAfter`. A post without a time of creation can be of any time. */
function mayBe({ body }: SentCreate, post: Post, listedFrom: number): boolean {
  return (instantOf(post.createdAt) ?? Infinity) >= listedFrom && matchPost(body, post) !== undefined;
}

/**
 * The earliest time that matters: an equal create that was sent a little earlier may have created a matching post, and a
 * clock that was set makes a post of any known offset a candidate.
 */
function earliest(create: SentCreate, log: CreateLog, offsetMs: number | undefined): number {
  const own = windowOf(create, offsetMs);
  const rivals = [...log.open].filter(({ key }) => key === create.key).map((rival) => windowOf(rival, offsetMs));
  const early = offsetsOf(create, offsetMs).map((each) => createdWindow(create.sentAt, undefined, [each]).from);
  return Math.min(least(early), least(rivals.filter(({ to }) => to >= own.from).map(({ from }) => from)));
}

/** If no reply showed the service's time, the clocks are assumed to agree, and the window has no end. */
function windowOf(create: SentCreate, offsetMs: number | undefined) {
  const { sentAt, endedAt, clockOffsetsMs } = create;
  const isKnown = clockOffsetsMs.size > 0 || offsetMs !== undefined;
  return createdWindow(sentAt, isKnown ? endedAt : undefined, offsetsOf(create, offsetMs));
}

function offsetsOf({ clockOffsetsMs }: SentCreate, offsetMs: number | undefined): number[] {
  const offsets = [...clockOffsetsMs, ...(offsetMs === undefined ? [] : [offsetMs])];
  return offsets.length === 0 ? [0] : offsets;
}

/** Nothing is awaited here, so concurrent searches see each other's claims. */
function choose(log: CreateLog, create: SentCreate, posts: readonly Post[], offsetMs: number | undefined): Finding {
  const { found } = create;
  if (found !== undefined) {
    // It was claimed as a post of this very list.
    return { result: 'match', post: posts.find(({ postId }) => postId === found.postId) ?? found };
  }
  const wanted = asUnknown(create, offsetMs);
  const rivals = [...log.open].filter((open) => open !== create).map((open) => asUnknown(open, offsetMs));
  const ownerOf = ({ postId }: Post) => log.ownerOf(postId);
  const findings = findPosts({ creates: [wanted, ...rivals], posts, ownerOf, whenUnequal: 'hold' });
  const finding = findings.get(wanted) ?? { result: 'no_match' };
  if (finding.result === 'match') log.claim(create, finding.post);
  return finding;
}

function asUnknown(create: SentCreate, offsetMs: number | undefined): UnknownCreate {
  const { body, key, sentAt, inFlight } = create;
  return { bodies: [body], key, sentAt, inFlight, window: windowOf(create, offsetMs) };
}

function resultOf(finding: Finding): ReconcileResult {
  switch (finding.result) {
    case 'match':
      return { status: 'created', post: finding.post };
    case 'no_match':
      return { status: 'not_found' };
    default:
      return { status: 'ambiguous', posts: [...finding.posts] };
  }
}

function stillUnknown(failure: unknown): SocialPublishingError {
  const name = failure instanceof Error ? failure.name : 'an error';
  return new SocialPublishingError(
    `The posts could not be listed (${name}, see cause), so the outcome of POST /v1/posts/ is still unknown. ` +
      'Call posts.reconcile again before you create the post again. With waitMs, it repeats the search for a while.',
    { method: 'POST', route: '/v1/posts/', outcome: 'unknown', cause: failure },
  );
}
