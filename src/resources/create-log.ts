import type { Outcome } from '../core/errors.js';

/** A process that runs for years must not remember every post that it ever made. */
const mostKnownPosts = 10_000;
/** How many creates in doubt are remembered that nobody asks for. */
const mostInDoubt = 1_000;

/** A create that went out, and what is known of it since. */
export class SentCreate {
  /** When it was sent, in milliseconds since 1970 by this machine's clock. */
  readonly sentAt: number;
  /** When nobody waited for its reply any more, where that is known. */
  endedAt: number | undefined;
  /** Its reply may still come. */
  inFlight = true;
  /** How far the service's clock was ahead of this machine's, each time that a reply told it. */
  readonly clockOffsetsMs = new Set<number>();
  /** The post that it turned out to have made, as it was listed then. */
  found: { readonly postId: string } | undefined;
  readonly #text: string;
  #body: Readonly<Record<string, unknown>> | undefined;
  #key: string | undefined;

  /** @param text the body as it was sent: what the caller does with its objects later changes nothing */
  constructor(text: string, sentAt: number) {
    this.#text = text;
    this.sentAt = sentAt;
  }

  /** The body as it was sent. */
  get body(): Readonly<Record<string, unknown>> {
    // It was made from an object (see posts.create).
    return (this.#body ??= JSON.parse(this.#text) as Record<string, unknown>);
  }

  /** The same for equal bodies, whatever the order of their fields. */
  get key(): string {
    return (this.#key ??= JSON.stringify(this.body, sortFields));
  }

  /** Notes how far the service's clock is ahead, if a reply has told. */
  noteClock(offsetMs: number | undefined): void {
    if (offsetMs !== undefined) this.clockOffsetsMs.add(offsetMs);
  }
}

/** What a create is known as by the error that it ended with. */
export type KnownError =
  | SentCreate
  /** It was refused, or never sent: there is no post to look for. */
  | 'no_post'
  /** Several creates were aborted with this reason. */
  | 'several';

/**
 * What a client remembers of its creates, so that a post is one create's and no other's. Clients made by `withOptions`
 * share it.
 */
export class CreateLog {
  readonly #knownPostIds = new Set<string>();
  /** Those that may have made a post that no create is known to have made. */
  readonly #open = new Set<SentCreate>();
  /** Those whose post was found: a caller may ask for one in another way. */
  readonly #found = new Set<SentCreate>();
  readonly #byError = new WeakMap<object, KnownError>();
  readonly #asked = new Map<string, SentCreate>();

  /** The creates in flight and in doubt. */
  get open(): Iterable<SentCreate> {
    return this.#open;
  }

  /** Whether a post is known as some create's. */
  isKnown(postId: string): boolean {
    return this.#knownPostIds.has(postId);
  }

  /** A create goes out. */
  send(create: SentCreate): void {
    this.#open.add(create);
  }

  /** A create was answered with its post. */
  answer(create: SentCreate | undefined, postId: string): void {
    if (create !== undefined) {
      create.inFlight = false;
      this.#open.delete(create);
    }
    this.#remember(postId);
  }

  /**
   * A create failed. An abort fails with the signal's own reason, which many calls may share, and which may be an error
   * of another call: what became of this one stands in `outcome` alone.
   */
  fail(create: SentCreate | undefined, error: unknown, outcome: Outcome, endedAt: number): void {
    const inDoubt = outcome === 'unknown' && create !== undefined;
    if (create !== undefined) {
      create.inFlight = false;
      create.endedAt = endedAt;
      if (!inDoubt) this.#open.delete(create);
      this.#forgetOldest();
    }
    if (typeof error !== 'object' || error === null) return;
    const known = this.#byError.get(error);
    // One that was never sent says nothing of another one that was.
    if (!inDoubt) this.#byError.set(error, known ?? 'no_post');
    else this.#byError.set(error, known === undefined || known === 'no_post' ? create : 'several');
  }

  /** What the error of a create says; `undefined`: it is none of this client's. */
  ofError(error: object): KnownError | undefined {
    return this.#byError.get(error);
  }

  /**
   * A create that another process made, or whose error is lost. It is in doubt from now on, as others are; asked for
   * again, it is the same create. One that this client knows in doubt, and that was sent about then, is that one.
   */
  ofQuestion(asked: SentCreate, exclude: ReadonlySet<string>, marginMs: number): SentCreate {
    const question = JSON.stringify([asked.key, asked.sentAt]);
    const create = this.#asked.get(question) ?? this.#nearest(asked, marginMs) ?? asked;
    create.inFlight = false;
    // The caller knows better by now.
    if (create.found !== undefined && exclude.has(create.found.postId)) create.found = undefined;
    if (create.found === undefined) this.#open.add(create);
    this.#asked.set(question, create);
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= mostInDoubt) break;
      this.#asked.delete(oldest);
    }
    this.#forgetOldest();
    return create;
  }

  #nearest(asked: SentCreate, marginMs: number): SentCreate | undefined {
    const adopted = new Set(this.#asked.values());
    const apart = (open: SentCreate) => Math.abs(open.sentAt - asked.sentAt);
    return [...this.#open, ...this.#found]
      .filter((open) => !open.inFlight && !adopted.has(open) && open.key === asked.key && apart(open) <= marginMs)
      .sort((a, b) => apart(a) - apart(b))[0];
  }

  /** A post was found to be a create's. No other one gets it from now on. */
  claim(create: SentCreate, post: { readonly postId: string }): void {
    create.found = post;
    this.#open.delete(create);
    keepNewest(this.#found.add(create), mostInDoubt);
    this.#remember(post.postId);
  }

  #remember(postId: string): void {
    keepNewest(this.#knownPostIds.add(postId), mostKnownPosts);
  }

  #forgetOldest(): void {
    if (this.#open.size <= mostInDoubt) return;
    for (const create of this.#open) {
      if (this.#open.size <= mostInDoubt) return;
      if (!create.inFlight) this.#open.delete(create);
    }
  }
}

/** A set gives its oldest element first. */
function keepNewest<T>(set: Set<T>, most: number): void {
  for (const oldest of set) {
    if (set.size <= most) return;
    set.delete(oldest);
  }
}

function sortFields(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields);
}
