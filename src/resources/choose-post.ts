import { greatest } from '../core/extremes.js';
import { instantOf } from '../model/instant.js';
import { matchPost, type ListedPost, type PostMatch } from '../model/match-post.js';
import { isWithin, type CreatedWindow } from './created-window.js';

/** A listed post that may be a create's. */
export interface Candidate extends ListedPost {
  readonly postId: string;
  readonly createdAt?: string | undefined;
}

/** A create of which it is not known what post it made, if any. */
export interface OpenCreate {
  readonly body: Readonly<Record<string, unknown>>;
  /** The same for equal bodies. */
  readonly key: string;
  readonly sentAt: number;
  /** Its reply may still come. */
  readonly inFlight: boolean;
}

/** What the listed posts say of a create. */
export type Choice<Post> =
  | { readonly status: 'created'; readonly post: Post }
  | { readonly status: 'not_found' }
  | {
      readonly status: 'ambiguous';
      readonly posts: Post[];
      /** Whether it may become clear by itself: a reply may come, or another post be listed. */
      readonly mayClear: boolean;
    };

const order: Readonly<Record<PostMatch, number>> = { exact: 3, more: 2, similar: 1 };

/**
 * Tells which listed post a create made. Equal creates are interchangeable: with as many posts as creates in doubt, each
 * gets one, the first sent the first created. While an equal create is in flight, or there are fewer posts than creates,
 * or more, none is given away: it may be another one's.
 *
 * @param create the create that is asked for
 * @param others all other open creates
 * @param posts the listed posts that no create is known to have made
 */
export function choosePost<Post extends Candidate, Create extends OpenCreate>(
  create: Create,
  others: readonly Create[],
  posts: readonly Post[],
  windowOf: (create: Create) => CreatedWindow,
): Choice<Post> {
  const fit = fitOf(windowOf);
  const equals = others.filter(({ key }) => key === create.key);
  const strangers = others.filter(({ key }) => key !== create.key);

  const candidates = bestFits(create, posts, equals, strangers, fit);
  const own = candidates.filter((post) => fit(create, post) > 0);
  if (own.length === 0) return { status: 'not_found' };

  const group = connected(create, equals, candidates, (which, post) => fit(which, post) > 0);
  const rivals = group.creates.filter((which) => which !== create);
  const isContested = group.posts.some((post) =>
    strangers.some((stranger) => fit(stranger, post) >= greatest(group.creates.map((which) => fit(which, post)))),
  );
  if (isContested || rivals.some(({ inFlight }) => inFlight))
    return { status: 'ambiguous', posts: own, mayClear: true };
  if (group.posts.length !== group.creates.length)
    return { status: 'ambiguous', posts: own, mayClear: group.posts.length < group.creates.length };

  const bySent = [...group.creates].sort((a, b) => a.sentAt - b.sentAt);
  const byCreated = [...group.posts].sort((a, b) => (instantOf(a.createdAt) ?? 0) - (instantOf(b.createdAt) ?? 0));
  const pairs = bySent.map((which, index) => ({ which, post: byCreated[index] }));
  const post = pairs.find(({ which }) => which === create)?.post;
  const allFit = pairs.every((pair) => pair.post !== undefined && fit(pair.which, pair.post) > 0);
  return allFit && post !== undefined
    ? { status: 'created', post }
    : { status: 'ambiguous', posts: own, mayClear: true };
}

/**
 * How well a post fits a create; 0: not at all. Of hundreds of equal creates each is asked for again and again, with the
 * same answer.
 */
function fitOf<Create extends OpenCreate>(
  windowOf: (create: Create) => CreatedWindow,
): (which: Create, post: Candidate) => number {
  const windows = new Map<Create, CreatedWindow>();
  const matches = new Map<Candidate, Map<string, number>>();
  const matchOf = (which: Create, post: Candidate): number => {
    const known = matches.get(post) ?? new Map<string, number>();
    matches.set(post, known);
    const match = known.get(which.key) ?? rankOf(matchPost(which.body, post));
    known.set(which.key, match);
    return match;
  };
  return (which, post) => {
    const window = windows.get(which) ?? windowOf(which);
    windows.set(which, window);
    return isWithin(window, instantOf(post.createdAt)) ? matchOf(which, post) : 0;
  };
}

function rankOf(match: PostMatch | undefined): number {
  return match === undefined ? 0 : order[match];
}

/** The posts that fit best, and no other create better. */
function bestFits<Post, Create>(
  create: Create,
  posts: readonly Post[],
  equals: readonly Create[],
  strangers: readonly Create[],
  fit: (which: Create, post: Post) => number,
): Post[] {
  const fits = posts
    .map((post) => ({ post, own: greatest([create, ...equals].map((which) => fit(which, post))) }))
    .filter(({ post, own }) => own > 0 && strangers.every((stranger) => fit(stranger, post) <= own));
  const best = greatest(fits.filter(({ post }) => fit(create, post) > 0).map(({ own }) => own));
  return fits.filter(({ own }) => own === best).map(({ post }) => post);
}

/** All creates and posts that hang together with one create by what fits what. */
function connected<Post, Create>(
  create: Create,
  equals: readonly Create[],
  candidates: readonly Post[],
  fits: (which: Create, post: Post) => boolean,
): { readonly creates: Create[]; readonly posts: Post[] } {
  const creates = new Set([create]);
  const posts = new Set<Post>();
  for (let size = 0; size !== creates.size + posts.size;) {
    size = creates.size + posts.size;
    for (const post of candidates) if ([...creates].some((which) => fits(which, post))) posts.add(post);
    for (const which of equals) if ([...posts].some((post) => fits(which, post))) creates.add(which);
  }
  return { creates: [...creates], posts: [...posts] };
}
