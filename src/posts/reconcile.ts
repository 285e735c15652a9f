import * as z from 'zod/mini';
import {
  InvalidRequestError,
  isPackageError,
  recordOutcome,
  SocialPublishingError,
  type Issue,
} from '../core/errors.js';
import {
  checkCallOptions,
  invalidArgument,
  isMilliseconds,
  issueAt,
  optionsOf,
  ownOptions,
} from '../core/call/options.js';
import { isAbortReason, throwIfAborted } from '../core/flow/abort.js';
import { growingWaits, Retries } from '../core/flow/retrying.js';
import { limitedTo, requestChecks, type RequestOptions, type Transport } from '../core/call/transport.js';
import { instantOf, least, momentMessage } from '../model/instant.js';
import { safeParse } from '../schema/check.js';
import type { DateTimeInput } from '../schema/fields.js';
import * as s from '../schema/fields.js';
import { describeIssues, nearestFieldHint } from '../schema/issues.js';
import { localTimeMessage, toWire } from '../schema/wire.js';
import type { CreatePostExtraBody } from './create-fields.js';
import { CreateLog, SentCreate } from './create-log.js';
import { createdWindow, findPost, type Finding, type UnknownCreate } from './find-posts.js';
import { matchPost } from './match-post.js';
import { createPostBodySchema, type CreatePostBody, type Post, type ReconcileResult } from './post-shapes.js';
import { requestOf } from './read-create.js';
import type { PostLists } from './watch-posts.js';

/** A create whose error is not available, for example a create of a process that died. */
export interface LostCreate {
  /** The body as it was passed to `posts.create`. */
  readonly body: CreatePostBody;
  /** The `extraBody` that was passed, if any. */
  readonly extraBody?: CreatePostExtraBody | undefined;
  /** When it was sent, by the clock of the sending machine: a `Date`, or an ISO 8601 date-time with its offset. */
  readonly sentAt: DateTimeInput;
  /** The IDs of posts that belong to other creates. */
  readonly exclude?: readonly string[] | undefined;
}

interface Question {
  readonly create: SentCreate;
  readonly exclude: ReadonlySet<string>;
}

const lostCreateSchema = s.once(() =>
  z.strictObject({
    body: createPostBodySchema(),
    extraBody: s.optionalFreeForm(),
    sentAt: s.dateTime(),
    exclude: s.optionalStrings(),
  }),
);

/** Options of `posts.reconcile`. */
export interface ReconcileOptions extends RequestOptions {
  /** For how long the list is read again while the result can still change, in milliseconds. Default 0: it is read once. */
  readonly waitMs?: number | undefined;
}

const waits = growingWaits(500, 5_000);
/** The minimum time for the last search, if `waitMs` is almost over. */
const leastSearchMs = 2_000;
/** The maximum number of lists in one search, if the service's clock turns out to be behind. */
const mostLists = 3;
/** Posts are listed from 2 minutes before the send: the window begins 5 seconds before it. */
const beforeWindowMs = 115_000;

const reconcileOptions = optionsOf<ReconcileOptions>('an option of reconcile', {
  waitMs: isMilliseconds({ least: 0, orInfinity: true }),
  ...requestChecks,
});

/** Searches for the post of a create whose outcome is unknown (see `PostsResource.reconcile`). */
export async function reconcile(
  transport: Transport,
  resource: PostLists,
  asked: unknown,
  options: ReconcileOptions = {},
): Promise<ReconcileResult> {
  checkCallOptions(reconcileOptions, options, { method: 'GET', route: '/v1/posts/' });
  const own = ownOptions(reconcileOptions, options);
  const log = transport.shared(CreateLog);
  const question = readQuestion(log, asked);
  if (question === undefined) return { status: 'not_found' };
  try {
    return await searchUntilFound(transport, resource, question, own);
  } catch (error) {
    // The outcome of the create, not of the list: the reason of an abort belongs to the caller.
    if (isAbortReason(error, own.signal)) {
      recordOutcome(error, 'unknown');
      log.recordError(error, question.create);
    }
    throw error;
  }
}

async function searchUntilFound(
  transport: Transport,
  resource: PostLists,
  question: Question,
  { waitMs = 0, ...requestOptions }: ReconcileOptions,
): Promise<ReconcileResult> {
  const { signal } = requestOptions;
  const retries = new Retries({ schedule: waits, limitMs: waitMs, signal, runtime: transport.runtime });
  for (;;) {
    const searchMs = waitMs === 0 ? Infinity : Math.max(retries.leftMs, leastSearchMs);
    let finding: Finding | undefined;
    let failure: unknown;
    try {
      finding = await search(transport, resource, question, limitedTo(searchMs, requestOptions));
    } catch (error) {
      // A failed list can succeed at the next search. An abort and an invalid option end the call.
      throwIfAborted(signal);
      if (error instanceof InvalidRequestError) throw error;
      failure = error;
    }
    if (finding !== undefined && !mayChange(finding)) return resultOf(finding);
    if (await retries.wait()) continue;
    if (finding !== undefined) return resultOf(finding);
    throw stillUnknown(failure);
  }
}

function mayChange(finding: Finding): boolean {
  return finding.result === 'ambiguous' ? finding.mayClear : finding.result !== 'match';
}

/** Lists the posts once, and claims the post that the create made. */
async function search(
  transport: Transport,
  resource: PostLists,
  { create, exclude }: Question,
  options: RequestOptions,
): Promise<Finding> {
  const log = transport.shared(CreateLog);
  const offsetNow = () => transport.clock.offsetMs(transport.runtime);
  let from = Infinity;
  let posts: Post[] = [];
  // The first reply can show that the service's clock is behind, so that the list began too late. The limit keeps a clock
  // that runs backwards from repeating the search for ever.
  for (let lists = 0; lists < mostLists; lists += 1) {
    const start = earliest(create, log, offsetNow());
    if (start >= from - beforeWindowMs / 2) break;
    from = start;
    posts = [];
    const listedFrom = Math.max(0, from - beforeWindowMs);
    const query = { createdAfter: new Date(listedFrom).toISOString(), limit: s.longestPage };
    for await (const post of resource.list(query, options)) {
      const isFound = post.postId === create.found?.postId;
      if (isFound || (!exclude.has(post.postId) && mayBe(create, post, listedFrom))) posts.push(post);
    }
  }
  return choose(log, create, posts, offsetNow());
}

/** The service may ignore `createdAfter`. A post without a time of creation can be of any time. */
function mayBe({ body }: SentCreate, post: Post, listedFrom: number): boolean {
  return (instantOf(post.createdAt) ?? Infinity) >= listedFrom && matchPost(body(), post) !== undefined;
}

/**
 * The earliest time that matters: an equal create that was sent a little earlier may have created a matching post, and a
 * clock that was set makes a post of any known offset a candidate.
 */
function earliest(create: SentCreate, log: CreateLog, offsetMs: number | undefined): number {
  const own = windowOf(create, offsetMs);
  const rivals = [...log.open].filter(({ key }) => key() === create.key()).map((rival) => windowOf(rival, offsetMs));
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
  const finding = findPost(wanted, { creates: [wanted, ...rivals], posts, ownerOf });
  if (finding.result === 'match') log.claim(create, finding.post);
  return finding;
}

function asUnknown(create: SentCreate, offsetMs: number | undefined): UnknownCreate {
  const { body, key, sentAt, inFlight } = create;
  return { bodies: [body()], key: key(), sentAt, inFlight, window: windowOf(create, offsetMs) };
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

/**
 * Reads the argument of `posts.reconcile`. Returns `undefined` if the create made no post.
 * @throws InvalidRequestError the argument does not identify a create
 */
function readQuestion(log: CreateLog, asked: unknown): Question | undefined {
  if (typeof asked !== 'object' || asked === null) {
    throw invalidArgument('error', typeof asked === 'undefined' ? notOurs : `${primitive} ${otherWay}`);
  }
  const known = log.ofError(asked);
  if (known === 'no_post') return undefined;
  if (known === 'several') {
    throw invalidArgument(
      'error',
      `is the reason that aborted several creates. Pass each create its own signal. ${otherWay}`,
    );
  }
  if (known !== undefined) return { create: known, exclude: new Set() };
  if (isPackageError(asked) && asked.route === '/v1/posts/' && asked.method === 'POST')
    throw invalidArgument('error', `is from another client's create. Call reconcile on that client, or ${lostCreate}.`);
  if (asked instanceof Error || !('body' in asked || 'sentAt' in asked)) throw invalidArgument('error', notOurs);
  return readLostCreate(log, asked);
}

const lostCreate = 'call reconcile({ body, sentAt })';
const otherWay = `If you do not have the error, ${lostCreate}.`;
const notOurs = `must be the error that this client's posts.create rejected with. ${otherWay}`;
const primitive = 'must be an object. Abort a create with an Error, not with a string or a number.';

function readLostCreate(log: CreateLog, asked: object): Question {
  const schema = lostCreateSchema();
  // The schema checks its type.
  const { timezone } = (asked as Partial<LostCreate>).extraBody ?? {};
  const issues: Issue[] = [];
  const wire = toWire(schema, asked, (path) => {
    if (path[0] === 'sentAt') issues.push(issueAt(path, momentMessage(undefined)));
    else if (timezone === undefined) issues.push(issueAt(path, localTimeMessage('extraBody')));
  });
  const parsed = safeParse(schema, wire);
  if (!parsed.success) issues.push(...describeIssues(parsed.error.issues, nearestFieldHint(schema)));
  if (!parsed.success || issues.length > 0) throw new InvalidRequestError(issues);

  const exclude = new Set(parsed.data.exclude);
  const create = new SentCreate(JSON.stringify(requestOf(parsed.data)), Date.parse(parsed.data.sentAt));
  return { create: log.ofQuestion(create, exclude), exclude };
}
