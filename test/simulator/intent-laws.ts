/** The life of intents, as their writes in the store show it. */
import { IntentConflictError, InvalidRequestError, outcomeOf } from '../../src/core/errors.js';
import type { IntentRecord, IntentState } from '../../src/publisher/intents/intent-record.js';
import { ChangeLaws } from './change-laws.js';
import { faultsEndMs, hasTwins } from './plan.js';
import { faultWeights, hour, start, type FaultName } from './steps.js';
import { toleranceMs, type CreatedPost, type SendLaws } from './send-laws.js';
import type { Break, Process, StoreWrite, Surroundings } from './parts.js';

const finals: readonly IntentState[] = ['published', 'partial', 'failed', 'abandoned'];
const ofPost: readonly IntentState[] = ['accepted', 'published', 'partial', 'failed'];

const allowedMoves: Readonly<Record<IntentState, readonly IntentState[]>> = {
  // A late reply, or an operator, can show the post at any time.
  ready: ['ready', 'sending', 'rejected', 'abandoned', ...ofPost],
  sending: ['sending', 'ready', 'rejected', 'in_doubt', 'abandoned', ...ofPost],
  in_doubt: ['in_doubt', 'ready', 'abandoned', ...ofPost],
  rejected: ['ready', 'accepted', 'abandoned'],
  // Except by an operator who corrects an ID.
  accepted: ofPost,
  published: [],
  partial: [],
  failed: [],
  abandoned: [],
};

/**
 * The events that can leave a claim behind: a process ends or cannot release it, an operator names another post, or a
 * proxy causes a second post.
 */
const leavesClaims = (Object.keys(faultWeights) as FaultName[]).filter((kind) =>
  /^(?:crash|pause|store|due|sent twice)/.test(kind),
);

/** The keys of intents in a store, without a scope or in one. */
export const isIntent = /^(?:intent|scoped)\//;

/** Returns the name of an intent: its key, after its scope. */
export function intentName(scope: string | undefined, key: string): string {
  return scope === undefined ? key : `${scope}/${key}`;
}

/** The law about errors and records. */
const proved = 'no error claims more than is proved';

interface Known {
  readonly record: IntentRecord;
  /** The number of the key's life: a pruned key is new again. */
  readonly life: number;
}

export class IntentLaws {
  readonly records = new Map<string, Known>();
  readonly changes: ChangeLaws;
  /** The number of operators that are deciding, by process and key. */
  readonly deciding = new Map<string, number>();
  /** Intents whose post an operator named. */
  readonly #named = new Set<string>();
  readonly #owners = new Map<string, string>();
  readonly #lives = new Map<string, number>();
  readonly #world: Surroundings;
  readonly #sends: SendLaws;
  readonly #break: Break;

  constructor(world: Surroundings, sends: SendLaws, breaks: Break) {
    this.#world = world;
    this.#sends = sends;
    this.#break = breaks;
    this.changes = new ChangeLaws(world, sends, breaks);
  }

  written(machine: Process, { key: storedAt, data, wakeAt }: StoreWrite): void {
    const key = storedAt.replace(isIntent, '');
    const before = this.records.get(key);
    if (data === null) {
      this.#removed(key, before?.record);
      return;
    }
    // The publisher wrote it.
    const record = { ...(JSON.parse(data) as IntentRecord), key, wakeAt };
    const life = before?.life ?? this.#lives.get(key) ?? 1;
    this.records.set(key, { record, life });
    const isDecision = (this.deciding.get(`${machine.name} ${key}`) ?? 0) > 0;
    const owner = `${key}@${String(life)}`;
    const isChange = this.changes.written({ machine, owner, before: before?.record, now: record, isDecision });
    if (before !== undefined && !isChange) this.#checkMove(before.record, record, { owner, isDecision });
    if (record.state === 'sending' && before?.record.state !== 'sending') {
      this.#sends.marked(machine, owner, contentOf(record));
    }
    this.#checkOwner(record, life, before?.record);
    this.#checkWakeAt(record);
    const claims = [record.error?.outcome, record.lookup?.error?.outcome].filter((outcome) => outcome !== undefined);
    if (record.state === 'in_doubt' && claims.some((outcome) => outcome !== 'unknown'))
      this.#break(proved, `${key} is in doubt, and its error says ${claims.join(', ')}`);
  }

  #removed(key: string, record: IntentRecord | undefined): void {
    this.records.delete(key);
    this.#lives.set(key, (this.#lives.get(key) ?? 1) + 1);
    if (record === undefined) return;
    const { postId } = record;
    // An operator named the post of another request for it: after a day, the intent that made the post may record it.
    if (postId !== undefined && this.#sends.posts.get(postId)?.content !== contentOf(record))
      this.#owners.delete(postId);
    const isDone = finals.includes(record.state) || (record.state === 'accepted' && record.wakeAt === null);
    // An intent that the client refused is removed too.
    if (!isDone && record.state !== 'rejected') {
      this.#break('only what is done is pruned', `${key} was removed while it was ${record.state}`);
    }
  }

  #checkMove(
    before: IntentRecord,
    now: IntentRecord,
    { owner, isDecision }: { readonly owner: string; readonly isDecision: boolean },
  ): void {
    const { key } = now;
    const moves = `${key}: ${before.state} became ${now.state}`;
    if (finals.includes(before.state)) {
      const gained = before.state === 'abandoned' && before.postId === undefined && now.postId !== undefined;
      if (now.state !== before.state || !(gained || isOnlyNamed(before, now)))
        this.#break('nothing final changes', moves);
      return;
    }
    const isCorrected = before.unconfirmed === true && isDecision;
    // A resend, or an operator's decision, was put off, and a new search found a candidate.
    const wasPutOff = before.lookup !== undefined || before.overruled !== undefined || before.resent === true;
    const isPutOff = before.state === 'ready' && wasPutOff && now.state === 'in_doubt';
    if (!allowedMoves[before.state].includes(now.state) && !isCorrected && !isPutOff)
      this.#break('states follow the rules', moves);
    if (before.postId !== undefined && before.postId !== now.postId && before.unconfirmed !== true) {
      this.#break('a recorded post never changes', `${key}: ${before.postId} became ${now.postId ?? 'nothing'}`);
    }
    if (now.attempts < before.attempts) this.#break('states follow the rules', `${key} has fewer attempts`);
    if (now.state !== 'ready' || before.state === 'ready') return;
    if (isDecision) {
      this.#sends.mayBeSentAgain(owner, contentOf(now));
      return;
    }
    // With `resend`, a search makes it ready too: see the laws of sends.
    if (this.#world.plan.onMissing === 'resend') return;
    if (before.state === 'sending') this.#checkNotSent(now);
    else this.#break('a held intent is not sent again', moves);
  }

  /** `sending` to `ready` needs proof that the service did nothing. */
  #checkNotSent(record: IntentRecord): void {
    if (this.isTwin(record)) return;
    const life = this.records.get(record.key)?.life ?? 1;
    const sends = this.#sends.lastSends(`${record.key}@${String(life)}`, contentOf(record));
    const uncertain = sends.find(({ isRefused }) => !isRefused);
    if (uncertain !== undefined) {
      this.#break('not sent needs proof', `${record.key} became ready, and its create may have been executed`);
    }
  }

  isTwin(record: IntentRecord): boolean {
    return hasTwins(this.#world.plan, contentOf(record));
  }

  #checkOwner(record: IntentRecord, life: number, before: IntentRecord | undefined): void {
    const { key, postId, unconfirmed } = record;
    const owner = `${key}@${String(life)}`;
    if (before?.postId !== undefined && before.postId !== postId) this.#owners.delete(before.postId);
    if (unconfirmed === true) this.#named.add(owner);
    if (postId === undefined || postId === before?.postId) return;
    const known = this.#owners.get(postId);
    if (known !== undefined && known !== owner) {
      this.#break('one post belongs to one intent', `${postId} of ${known} was recorded for ${owner}`);
    }
    this.#owners.set(postId, owner);
    if (!this.#named.has(owner)) this.#checkMaker(record, owner, postId);
  }

  /** Equal requests cannot be told apart. An equal post that is older than the first send is another post. */
  #checkMaker(record: IntentRecord, owner: string, postId: string): void {
    const { key } = record;
    const content = contentOf(record);
    const post = this.#sends.posts.get(postId);
    if (post?.content !== content) {
      this.#break('a post belongs to the intent that made it', `${key} has ${postId}, which it did not make`);
      return;
    }
    const markedAt = this.#sends.markedAt(owner, content);
    if (markedAt === undefined) {
      this.#break('nothing is published without a send', `${key} has ${postId}, and was never sent`);
    } else if (post.at < markedAt - toleranceMs && this.#knewTime(owner, content)) {
      const early = String(markedAt - post.at);
      this.#break('nothing is published without a send', `${key} has ${postId}, created ${early} ms before its send`);
    }
  }

  /** A sender that read a right `Date` knows the time of the service, whatever caches answer. */
  #knewTime(owner: string, content: string): boolean {
    if (this.#world.hasGoodClocks && !this.#hasLateReplies()) return true;
    return this.#world.hasSteadyClocks && this.#sends.knewTime(owner, content);
  }

  /** The `Date` of a late reply makes a sender's clock look ahead, so the window of its post begins earlier. */
  #hasLateReplies(): boolean {
    return this.#world.faults.has('replies are late');
  }

  /**
   * A call of a user rejected: its error says nothing that is not proved.
   * @param key see `intentName`
   */
  checkClaim(key: string, error: unknown, startedAt: number): void {
    const outcome = outcomeOf(error);
    // An abort rejects with the caller's own reason.
    if (outcome === 'unknown' || (error instanceof DOMException && error.name === 'AbortError')) return;
    // The key belongs to another body: this body was not sent under it.
    if (error instanceof IntentConflictError) return;
    const { record, life } = this.records.get(key) ?? {};
    if (record === undefined || this.isTwin(record)) return;
    const sends = this.#sends.sendsOf(`${key}@${String(life)}`, contentOf(record));
    // If no intent had the key when the call began, another call may have sent it since.
    const known = error instanceof InvalidRequestError ? sends.filter(({ at }) => at < startedAt) : sends;
    if (known.some(({ isRefused, executed }) => executed > 0 || !isRefused))
      this.#break(proved, `a call for ${key} rejected with ${String(outcome)}, and its create may have been executed`);
  }

  /** Every open intent is due again. */
  #checkWakeAt(record: IntentRecord): void {
    const { key, state, wakeAt, updatedAt } = record;
    if (finals.includes(state) || state === 'rejected') return;
    const isDraft = state === 'accepted' && this.#isDraft(record);
    if (wakeAt === null) {
      if (!isDraft) this.#break('every open intent is due again', `${key} is ${state} and is never due`);
      return;
    }
    const most = state === 'sending' ? this.#world.plan.leaseMs : state === 'in_doubt' ? hour : Infinity;
    if (wakeAt - updatedAt > most + 1) {
      this.#break(
        'every open intent is due again',
        `${key} is ${state} and is due after ${String(wakeAt - updatedAt)} ms`,
      );
    }
  }

  #isDraft({ body, post }: IntentRecord): boolean {
    return body['saveAsDraft'] === true || post?.status === 'draft';
  }

  /**
   * Whether the result of a post is searched for at a time that is wrong by more than a day, because a cache changed a `Date`.
   * Hourly sweeps find it within two days.
   */
  awaitsDistantPost(): boolean {
    return [...this.records.values()].some(({ record, life }) => {
      const { key, state, sent } = record;
      const markedAt = this.#sends.lastMarkedAt(`${key}@${String(life)}`, contentOf(record));
      if (state !== 'accepted' || sent?.skewMs === undefined || markedAt === undefined) return false;
      return Math.abs(sent.at + sent.skewMs - markedAt - this.#world.plan.serviceSkewMs) > 23 * hour;
    });
  }

  async atRest(): Promise<void> {
    await this.#world.service.emulator.settled();
    for (const { record, life } of this.records.values()) this.#checkEnded(record, life);
    const { plan, faults } = this.#world;
    const decides = plan.steps.some((step) => step.type === 'operation' && step.what.startsWith('resolve'));
    if (!decides && !faults.has(...leavesClaims)) await this.#checkClaims();
    this.#sends.atRest();
  }

  /** Without crashes, each claimed post belongs to an intent that recorded it. */
  async #checkClaims(): Promise<void> {
    const prefix = 'post/';
    for (const { key: claim, data } of await this.#world.store.scan(prefix, undefined, 1_000)) {
      const { key, scope, retired } = JSON.parse(data) as { key: string; scope?: string; retired?: number };
      if (this.#world.writers.get(claim) !== this.#world.baseUrl) continue;
      const { postId } = this.records.get(intentName(scope, key))?.record ?? {};
      if (retired === undefined && postId !== claim.slice(claim.lastIndexOf('/') + 1)) {
        this.#break('no claim is left behind', `${claim} is claimed for ${key}, which does not have it`);
      }
    }
  }

  /** Every open intent has ended, or is held. */
  #checkEnded(record: IntentRecord, life: number): void {
    const { key, state } = record;
    if (state === 'ready' || state === 'sending') {
      this.#break('every open intent ends or is held', `${key} is still ${state}`);
    }
    const isNamed = this.#named.has(`${key}@${String(life)}`);
    if (state === 'accepted' && !this.#isDraft(record) && !isNamed) {
      this.#break('every open intent ends or is held', `${key} is still accepted (${record.post?.status ?? '?'})`);
    }
    if (state === 'in_doubt' && this.isTwin(record)) this.#checkHeldTwin(record);
    else if (state === 'in_doubt') this.#checkHeld(record, life);
    if (state === 'rejected' && !isNamed && !this.isTwin(record)) this.#checkRejected(record, life);
  }

  /** A held intent has no listed post that the rules could have matched. */
  #checkHeld(record: IntentRecord, life: number): void {
    const { key, lookup } = record;
    const own = [...this.#sends.posts].filter(
      ([postId, post]) =>
        post.content === contentOf(record) &&
        !this.#owners.has(postId) &&
        post.at < start + faultsEndMs &&
        life === 1 &&
        !this.#isBeyond(post, record),
    );
    const [postId] = own[0] ?? [];
    if (postId === undefined) return;
    if (lookup?.result !== 'candidates' || lookup.postIds?.includes(postId) !== true) {
      this.#break('a held intent has no post', `${key} is held as ${lookup?.result ?? '?'}, and ${postId} is its post`);
    } else if (
      this.#world.hasGoodClocks &&
      own.length === 1 &&
      !this.#sends.wasAllowedAgain(`${key}@${String(life)}`, contentOf(record))
    ) {
      this.#break('a held intent has no post', `${key} is held with the candidate ${postId}, which is its post`);
    }
  }

  /**
   * The list is read further back once, after `settleMs`. If the sender's clock was ahead, and the request arrived later or no
   * search knew the service's time for a day, no search reads its post, and `since` says so.
   */
  #isBeyond({ at, sent: { at: sentAt } }: CreatedPost, { sent, lookup }: IntentRecord): boolean {
    if (lookup?.readBack !== true || at >= lookup.since) return false;
    const isUndated = sent?.skewMs === undefined && lookup.firstAt > at + 23 * hour;
    return isUndated || at - sentAt > this.#world.plan.settleMs;
  }

  /** Equal intents are interchangeable: a post without an owner is a candidate of the held ones. */
  #checkHeldTwin(record: IntentRecord): void {
    const content = contentOf(record);
    const held = [...this.records.values()].filter(
      (one) => one.record.state === 'in_doubt' && contentOf(one.record) === content,
    );
    if ([...this.#lives.values()].some((life) => life > 1)) return;
    const candidates = new Set(held.flatMap((one) => one.record.lookup?.postIds ?? []));
    for (const [postId, post] of this.#sends.posts) {
      if (post.content !== content || this.#owners.has(postId) || candidates.has(postId)) continue;
      if (held.every((one) => this.#isBeyond(post, one.record) || this.#isOfLaterSend(post, one.record))) continue;
      this.#break('a held intent has no post', `${record.key} is held, and ${postId} belongs to none of its equals`);
    }
  }

  /** An equal intent was sent later: the search for this one reads only `settleMs` further than its send. */
  #isOfLaterSend({ sent }: CreatedPost, record: IntentRecord): boolean {
    const [owner, content] = [`${record.key}@1`, contentOf(record)];
    const markedAt = this.#sends.lastMarkedAt(owner, content) ?? Infinity;
    return sent.at - markedAt > this.#world.plan.settleMs && !this.#sends.sendsOf(owner, content).includes(sent);
  }

  #checkRejected(record: IntentRecord, life: number): void {
    const sends = this.#sends.sendsOf(`${record.key}@${String(life)}`, contentOf(record));
    if (sends.some(({ executed }) => executed > 0)) {
      this.#break('rejected was not executed', `${record.key} is rejected, and its create was executed`);
    }
  }
}

export function contentOf({ body }: IntentRecord): string {
  return String(body['content']);
}

/** Whether a final intent gained only the accounts of targets whose platform has several. */
function isOnlyNamed(before: IntentRecord, now: IntentRecord): boolean {
  const [old = [], named = []] = [before.targets, now.targets];
  const results = (targets: typeof old) => targets.map(({ platform, state }) => `${platform ?? ''} ${state}`).sort();
  const hadTwins = new Set(old.map(({ platform }) => platform)).size < old.length;
  const rest = ({ targets: _targets, updatedAt: _updatedAt, ...kept }: IntentRecord) => JSON.stringify(kept);
  return (
    hadTwins &&
    named.every(({ accountId }) => accountId !== undefined) &&
    rest(before) === rest(now) &&
    results(old).join() === results(named).join()
  );
}
