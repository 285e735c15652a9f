import { canonicalJson, type Fields } from '../core/json.js';
import type { Outcome } from '../core/errors.js';
import { keepNewest } from '../core/runtime.js';
import type { CallWatcher, Transport } from '../core/call/transport.js';
import { once } from '../schema/fields.js';
import type { Post } from './post-shapes.js';

/** A process can run for years, so it forgets old posts. */
const mostKnownPosts = 10_000;
const mostInDoubt = 1_000;
/** A caller's `sentAt` and the client's own record of the same create differ by less. */
const sameCreateMs = 2 * 60_000;

export class SentCreate {
  /** When it was sent, in milliseconds since 1970 by this machine's clock. */
  readonly sentAt: number;
  /** When the client stopped waiting for the reply, by the same clock; `undefined` if not known. */
  endedAt: number | undefined;
  /** Its reply may still arrive. */
  inFlight = true;
  /** How far the service's clock was ahead of this machine's, at each reply that showed it. */
  readonly clockOffsetsMs = new Set<number>();
  /** The `sentAt` of a question that it answers: the caller of a lost create knows its time only roughly. */
  askedAt: number | undefined;
  /** The post that it made, as it was listed when it was found. */
  found: Post | undefined;
  /** The body as it was sent. */
  readonly body: () => Fields;
  readonly key: () => string;

  /** @param text the body as it was sent: later changes to the caller's objects have no effect */
  constructor(text: string, sentAt: number) {
    this.sentAt = sentAt;
    // Few creates are searched for. The text was made from an object (see posts.create).
    this.body = once(() => JSON.parse(text) as Fields);
    this.key = once(() => canonicalJson(this.body()));
  }

  /** Records how far the service's clock is ahead, if a reply has shown it. */
  noteClock(offsetMs: number | undefined): void {
    if (offsetMs !== undefined) this.clockOffsetsMs.add(offsetMs);
  }
}

export type KnownError =
  | SentCreate
  /** The create was refused, or never sent: its post does not exist. */
  | 'no_post'
  /** Several creates were aborted with this reason. */
  | 'several';

/**
 * Remembers the creates of a client and claims posts for them, so that each post belongs to one create. Clients made by
 * `withOptions` share it.
 */
export class CreateLog {
  readonly #knownPostIds = new Set<string>();
  /** Creates that may have made a post which is not known as theirs. */
  readonly #open = new Set<SentCreate>();
  /** Creates whose post was found: a caller may ask for one again. */
  readonly #found = new Set<SentCreate>();
  readonly #byError = new WeakMap<object, KnownError>();

  get open(): Iterable<SentCreate> {
    return this.#open;
  }

  send(create: SentCreate): void {
    this.#open.add(create);
  }

  answer(create: SentCreate | undefined, postId: string): void {
    if (create !== undefined) {
      create.inFlight = false;
      this.#open.delete(create);
    }
    keepNewest(this.#knownPostIds.add(postId), mostKnownPosts);
  }

  /**
   * Records a failed create. An abort rejects with the signal's own reason, which several calls can share, and which can
   * be the error of another call. So only `outcome` shows the result of this create.
   */
  fail(create: SentCreate | undefined, error: unknown, outcome: Outcome, endedAt: number): void {
    const inDoubt = outcome === 'unknown' && create !== undefined;
    if (create !== undefined) {
      create.inFlight = false;
      create.endedAt = endedAt;
      if (!inDoubt) this.#open.delete(create);
      this.#forgetOldest();
    }
    this.recordError(error, inDoubt ? create : undefined);
  }

  /**
   * Records the create of an error, which several calls can share. A create that was never sent does not hide another one.
   * @param create a create in doubt; `undefined`: the call's create made no post
   */
  recordError(error: unknown, create: SentCreate | undefined): void {
    if (typeof error !== 'object' || error === null) return;
    const known = this.#byError.get(error);
    if (create === undefined) this.#byError.set(error, known ?? 'no_post');
    else if (known !== create)
      this.#byError.set(error, known === undefined || known === 'no_post' ? create : 'several');
  }

  /** Returns the meaning of a create's error; `undefined` if it is not an error of this client's creates. */
  ofError(error: object): KnownError | undefined {
    return this.#byError.get(error);
  }

  /**
   * Records a create of another process, or a create whose error is lost, as in doubt. The same question returns the same
   * create. An equal create in doubt that this client sent at about that time is taken for it.
   */
  ofQuestion(asked: SentCreate, exclude: ReadonlySet<string>): SentCreate {
    const equal = [...this.#open, ...this.#found].filter(({ key }) => key() === asked.key());
    const same = equal.find(({ askedAt }) => askedAt === asked.sentAt);
    const create = same ?? nearest(equal, asked.sentAt) ?? asked;
    create.askedAt = asked.sentAt;
    create.inFlight = false;
    // The caller has excluded the post that was found before.
    if (create.found !== undefined && exclude.has(create.found.postId)) create.found = undefined;
    if (create.found === undefined) this.#open.add(create);
    this.#forgetOldest();
    return create;
  }

  /** Returns `undefined` for a post that no create is known to have made. */
  ownerOf(postId: string): 'other' | undefined {
    return this.#knownPostIds.has(postId) ? 'other' : undefined;
  }

  claim(create: SentCreate, post: Post): boolean {
    if (this.#knownPostIds.has(post.postId)) return false;
    create.found = post;
    this.#open.delete(create);
    keepNewest(this.#found.add(create), mostInDoubt);
    keepNewest(this.#knownPostIds.add(post.postId), mostKnownPosts);
    return true;
  }

  #forgetOldest(): void {
    for (const create of this.#open) {
      if (this.#open.size <= mostInDoubt) return;
      if (!create.inFlight) this.#open.delete(create);
    }
  }
}

/** Returns the create that was sent next to a time, if it was sent at about that time and answers no other question. */
function nearest(creates: readonly SentCreate[], time: number): SentCreate | undefined {
  const apart = ({ sentAt }: SentCreate) => Math.abs(sentAt - time);
  return creates
    .filter((create) => !create.inFlight && create.askedAt === undefined && apart(create) <= sameCreateMs)
    .sort((a, b) => apart(a) - apart(b))[0];
}

/** Follows one create. It keeps the sent request for `reconcile`: the error must not contain it. */
export class CreateWatch implements CallWatcher {
  readonly #transport: Transport;
  #create: SentCreate | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  onSend(body = '{}'): void {
    if (this.#create === undefined) {
      this.#create = new SentCreate(body, this.#transport.runtime.now());
      this.#log.send(this.#create);
    }
    this.#create.noteClock(this.#offsetMs());
  }

  onFailure(error: unknown, outcome: Outcome): void {
    this.#create?.noteClock(this.#offsetMs());
    this.#log.fail(this.#create, error, outcome, this.#transport.runtime.now());
  }

  answered(postId: string): void {
    this.#log.answer(this.#create, postId);
  }

  #offsetMs(): number | undefined {
    return this.#transport.clock.offsetMs(this.#transport.runtime);
  }

  get #log(): CreateLog {
    return this.#transport.shared(CreateLog);
  }
}
