/**
 * Finds the listed post of a create, for `posts.reconcile` and the durable publisher. All functions are pure. Times are
 * milliseconds since 1970.
 */
import type { Fields } from '../core/json.js';
import { instantOf, greatest } from '../model/instant.js';
import { matchPost, type PostMatch } from './match-post.js';
import type { Post } from './post-shapes.js';

export interface CreatedWindow {
  readonly from: number;
  readonly to: number;
}

export interface UnknownCreate {
  /** The body as sent. With unique times: one body for each time. */
  readonly bodies: readonly Fields[];
  /** Whether these values of `scheduledFor` are unique among all creates. */
  readonly hasOwnTimes?: boolean;
  /** Creates with the same key have equal bodies. */
  readonly key: string;
  /** When it was sent, by the sender's clock. Equal creates take equal posts in this order. */
  readonly sentAt: number;
  /** `undefined`: the service's time at the send is unknown, so no post can be compared with it. */
  readonly window: CreatedWindow | undefined;
  /** Whether its reply may still arrive. */
  readonly inFlight?: boolean;
}

/**
 * The owner of a listed post. A create: it claimed the post. `other`: a create outside the question. `undecided`: the
 * claim of such a create does not prove that the post is its own. `undefined`: no owner.
 */
export type PostOwner<Create> = Create | 'other' | 'undecided' | undefined;

export type Finding =
  /** This is its post. */
  | { readonly result: 'match'; readonly post: Post }
  /**
   * It created one of these posts, or none: equal creates and equal posts differ in number, or an equal create is in
   * flight.
   */
  | {
      readonly result: 'ambiguous';
      readonly posts: readonly Post[];
      /** Whether a later list or reply can resolve it. */
      readonly mayClear: boolean;
    }
  /** Possible posts without sufficient evidence. */
  | { readonly result: 'candidates'; readonly posts: readonly Post[] }
  | { readonly result: 'no_match' };

/** A question about several creates at once. */
export interface PostQuestion<Create> {
  readonly creates: readonly Create[];
  readonly posts: readonly Post[];
  readonly ownerOf: (post: Post) => PostOwner<Create>;
}

/** A service of several machines has several clocks. */
const clockToleranceMs = 5_000;
/** Queues and proxies can delay a create after its caller gave up. */
const latestArrivalMs = 15 * 60_000;

/**
 * Returns the window of a create: from 5 s before the send, in the service's time. If the known offsets differ, the
 * greatest counts: a cached `Date` is too old, and a window that begins too late only makes the post a candidate.
 * @param endedAt when the sender stopped waiting, by its clock; `undefined` if unknown: the window has no end
 * @param offsetsMs how far the service's clock was ahead of the sender's clock, at least one
 */
export function createdWindow(
  sentAt: number,
  endedAt: number | undefined,
  offsetsMs: readonly number[],
  lateMs = latestArrivalMs,
): CreatedWindow {
  return {
    from: sentAt + greatest(offsetsMs) - clockToleranceMs,
    to: endedAt === undefined ? Infinity : endedAt + greatest(offsetsMs) + Math.max(lateMs, latestArrivalMs),
  };
}

/**
 * Finds the post of each create.
 *
 * - A match is a post without an owner, in the window, whose `rawRequestBody` equals the request. With unique times,
 *   the request's `scheduledFor` identifies the post, regardless of the window.
 * - Equal creates are interchangeable: the earliest sent takes the earliest created. If the list shows a different number
 *   of equal posts, each post goes to one of them.
 * - A candidate is an equal post outside the window. A post with the same content, targets and time is a candidate
 *   too, if its request is missing or has more fields. A post that matches any create is not a candidate for another
 *   one.
 */
export function findPosts<Create extends UnknownCreate>(question: PostQuestion<Create>): ReadonlyMap<Create, Finding> {
  const { findings, evidence } = examine(question);
  for (const [create, post] of pair(evidence.creates.keys(), evidence)) findings.set(create, { result: 'match', post });
  for (const create of question.creates) {
    if (!findings.has(create)) findings.set(create, withoutMatch(create, evidence));
  }
  return findings;
}

/** Finds the post of one create by the same rules. Equal creates are ambiguous if the list shows another number of posts. */
export function findPost<Create extends UnknownCreate>(wanted: Create, question: PostQuestion<Create>): Finding {
  const { findings, evidence } = examine(question);
  const posts = evidence.matches.get(wanted);
  if (posts === undefined) return findings.get(wanted) ?? withoutMatch(wanted, evidence);
  const group = groupOf(wanted, evidence);
  const pairs = pair(group.posts, evidence);
  const post = pairs.get(wanted);
  const isAwaited = [...group.creates].some(({ inFlight }) => inFlight === true);
  const isEven = group.creates.size === group.posts.size && pairs.size === group.creates.size;
  if (post !== undefined && isEven && !isAwaited) return { result: 'match', post };
  return { result: 'ambiguous', posts, mayClear: isAwaited || group.posts.size <= group.creates.size };
}

/**
 * Assigns claimed posts to their creates, and compares the others. Other creates do not get claimed posts, which prove
 * nothing about them.
 */
function examine<Create extends UnknownCreate>({ creates, posts, ownerOf }: PostQuestion<Create>) {
  const findings = new Map<Create, Finding>();
  const free: Post[] = [];
  const undecided: Post[] = [];
  for (const post of posts) {
    const owner = ownerOf(post);
    if (owner === undefined) free.push(post);
    else if (owner === 'undecided') undecided.push(post);
    else if (owner !== 'other' && !findings.has(owner)) findings.set(owner, { result: 'match', post });
  }
  const open = creates.filter((create) => !findings.has(create));
  return { findings, evidence: collectEvidence(open, free, undecided) };
}

function withoutMatch<Create>(create: Create, { candidates, creates }: Evidence<Create>): Finding {
  const posts = (candidates.get(create) ?? []).filter((post) => !creates.has(post));
  return posts.length > 0 ? { result: 'candidates', posts } : { result: 'no_match' };
}

interface Evidence<Create> {
  readonly matches: ReadonlyMap<Create, readonly Post[]>;
  readonly candidates: ReadonlyMap<Create, readonly Post[]>;
  /** The creates that each post matches. Posts without a match are missing. */
  readonly creates: ReadonlyMap<Post, readonly Create[]>;
}

function collectEvidence<Create extends UnknownCreate>(
  open: readonly Create[],
  free: readonly Post[],
  undecided: readonly Post[],
): Evidence<Create> {
  const matches = new Map<Create, Post[]>();
  const candidates = new Map<Create, Post[]>();
  const creates = new Map<Post, Create[]>();
  const isClaimed = new Set(undecided);
  const compare = comparison([...free, ...undecided]);
  for (const create of open) {
    for (const { post, strength, createdAt } of compare(create)) {
      const isMatch = strength === 'identified' || (strength === 'equal' && isWithin(create.window, createdAt));
      add(isMatch && !isClaimed.has(post) ? matches : candidates, create, post);
      if (isMatch && !isClaimed.has(post)) add(creates, post, create);
    }
  }
  return { matches, candidates, creates };
}

function add<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** `identified`: by the create's unique time. */
type Strength = PostMatch | 'identified';

interface Fit {
  readonly post: Post;
  readonly strength: Strength;
  /** `undefined`: the time of creation is missing or unreadable. */
  readonly createdAt: number | undefined;
}

/** Compares creates with posts: equal creates once, and only with posts that have their content. */
function comparison(posts: readonly Post[]) {
  const byContent = new Map<unknown, Post[]>();
  for (const post of posts) add(byContent, contentOf(post.rawRequestBody ?? post), post);
  const compared = new Map<string, Fit[]>();
  return (create: UnknownCreate): Fit[] => {
    const known = compared.get(create.key);
    if (known !== undefined) return known;
    const fits: Fit[] = [];
    for (const post of byContent.get(contentOf(create.bodies[0] ?? {})) ?? []) {
      const strength = strengthOf(create, post);
      if (strength !== undefined) fits.push({ post, strength, createdAt: instantOf(post.createdAt) });
    }
    compared.set(create.key, fits);
    return fits;
  };
}

/** An empty text equals a missing one. */
function contentOf(fields: { readonly content?: unknown }): unknown {
  return fields.content ?? '';
}

function strengthOf({ bodies, hasOwnTimes }: UnknownCreate, post: Post): Strength | undefined {
  const fits = bodies.map((body) => matchPost(body, post));
  if (hasOwnTimes !== true) return fits[0];
  if (fits.some((fit) => fit !== undefined)) return 'identified';
  return bodies.some((body) => fitsWithoutOwnTime(body, post)) ? 'similar' : undefined;
}

/**
 * Whether a post may belong to the create although its time differs. The service may have dropped the milliseconds, or
 * a user rescheduled the post and the list shows no request.
 */
function fitsWithoutOwnTime(body: Fields, post: Post): boolean {
  const { scheduledFor, ...untimed } = body;
  const ownTime = instantOf(typeof scheduledFor === 'string' ? scheduledFor : undefined);
  if (post.rawRequestBody === undefined || ownTime === undefined) return matchPost(untimed, post) !== undefined;
  const wholeSecond = new Date(ownTime - (ownTime % 1_000)).toISOString();
  return matchPost({ ...untimed, scheduledFor: wholeSecond }, post) !== undefined;
}

/** A post without a readable time of creation is in no window. */
function isWithin(window: CreatedWindow | undefined, createdAt: number | undefined): boolean {
  return window !== undefined && createdAt !== undefined && createdAt >= window.from && createdAt <= window.to;
}

/** Returns the creates that compete with one for posts, directly or through others, and these posts. */
function groupOf<Create>(first: Create, { matches, creates }: Evidence<Create>) {
  const members = new Set([first]);
  const posts = new Set<Post>();
  for (const member of members) {
    for (const post of matches.get(member) ?? []) {
      if (posts.has(post)) continue;
      posts.add(post);
      for (const rival of creates.get(post) ?? []) members.add(rival);
    }
  }
  return { creates: members, posts };
}

/** Assigns each post, the earliest created first, to the create whose window ends first. */
function pair<Create extends UnknownCreate>(posts: Iterable<Post>, { creates }: Evidence<Create>): Map<Create, Post> {
  const pairs = new Map<Create, Post>();
  for (const post of [...posts].sort((a, b) => createdAtOf(a) - createdAtOf(b))) {
    let next: Create | undefined;
    for (const create of creates.get(post) ?? []) {
      if (!pairs.has(create) && (next === undefined || isBefore(create, next))) next = create;
    }
    if (next !== undefined) pairs.set(next, post);
  }
  return pairs;
}

function createdAtOf(post: Post): number {
  return instantOf(post.createdAt) ?? 0;
}

/** Windows without an end are compared only by the time of the send. */
function isBefore(one: UnknownCreate, other: UnknownCreate): boolean {
  const [end, otherEnd] = [one.window?.to ?? Infinity, other.window?.to ?? Infinity];
  return end === otherEnd ? one.sentAt < other.sentAt : end < otherEnd;
}
