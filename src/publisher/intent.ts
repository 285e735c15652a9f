/**
 * The life of an intent, without any input or output: what an intent is and what happened give what it is next and what
 * there is to do. All that is promised of a publisher (never twice, nothing forgotten) is decided here.
 */
import { isFinalStatus } from '../model/post-status.js';
import type { IntentError, IntentRecord, IntentState, PostNews } from './record.js';
import { afterRateLimit, afterUnauthorized, nextLook, nextLookAtAccepted, nextSend } from './wake.js';

/** How the publisher was set up. */
export interface IntentPolicy {
  readonly onMissing: 'hold' | 'resend';
  readonly settleMs: number;
  readonly leaseMs: number;
}

/** Why a send did not end in a post. */
export type Failure =
  /** Nothing reached the service. */
  | { readonly kind: 'not_sent'; readonly error: IntentError }
  /** 429: refused before the work. */
  | { readonly kind: 'rate_limited'; readonly error: IntentError; readonly retryAfterMs?: number | undefined }
  /** 401 and 403: the key is wrong, not the body. */
  | { readonly kind: 'unauthorized'; readonly error: IntentError }
  /** The service answered that it did not carry it out. */
  | { readonly kind: 'rejected'; readonly error: IntentError }
  /** It may have been carried out. */
  | { readonly kind: 'unknown'; readonly error: IntentError; readonly skewMs?: number | undefined };

/** A person's word. */
export type Resolution =
  | {
      /** It was carried out. */
      readonly as: 'published';
      /** The ID of its post. */
      readonly postId: string;
    }
  | {
      /** It was never carried out: it is made ready, to be sent again. */
      readonly as: 'not_sent';
    }
  | {
      /** It is not wanted any more. */
      readonly as: 'abandoned';
    };

/** What can happen to an intent. `at` is the time of who tells of it. */
export type Happening =
  /** Somebody wants it to go on. `force`: before `Retry-After` too. */
  | {
      readonly type: 'resume';
      readonly at: number;
      readonly owner: string;
      readonly force: boolean;
      readonly skewMs?: number | undefined;
      readonly slot?: number | undefined;
    }
  /** A create answered with a post, which is claimed for this intent. */
  | {
      readonly type: 'reply';
      readonly at: number;
      readonly attempt: number;
      readonly createdAt: number;
      readonly news: PostNews;
      readonly skewMs?: number | undefined;
    }
  /** A create ended without one. */
  | {
      readonly type: 'failure';
      readonly at: number;
      readonly attempt: number;
      /** Of the intent that was sent: one that was pruned since, and made again, is another one. */
      readonly createdAt: number;
      readonly failure: Failure;
    }
  /** Its post is listed, and claimed for this intent. */
  | { readonly type: 'found'; readonly at: number; readonly news: PostNews }
  /**
   * The whole list of the time in which it was sent was read, and it is not there. `skewMs`: of the sender's own clock,
   * where the sender itself looked.
   */
  | { readonly type: 'missing'; readonly at: number; readonly skewMs?: number | undefined }
  /** The list could not be read, or does not tell. */
  | {
      readonly type: 'unseen';
      readonly at: number;
      readonly error?: IntentError | undefined;
      readonly skewMs?: number | undefined;
    }
  /** An event tells of its post. */
  | { readonly type: 'told'; readonly at: number; readonly news: PostNews }
  /** A person says what became of it. */
  | { readonly type: 'resolve'; readonly at: number; readonly resolution: Resolution };

/** What comes of it. */
export interface Step {
  /** The very same record: nothing is to be written. */
  readonly record: IntentRecord;
  /**
   * What to do once the record is written. `send`: the lease is taken, send it. `look`: look for its post. `resume`: take
   * the lease and send it.
   */
  readonly todo: 'send' | 'look' | 'resume' | 'nothing';
  /** Why a person's word was not followed. */
  readonly refused?: string | undefined;
}

/** Whether nothing changes an intent any more. */
export function isFinal(state: IntentState): boolean {
  return isFinalStatus(state) || state === 'abandoned';
}

/** Whether an intent has a post and nothing more is to come: a draft. */
export function isDone({ state, wakeAt }: IntentRecord): boolean {
  return isFinal(state) || (state === 'accepted' && wakeAt === null);
}

/** An intent that nobody has sent yet. */
export function newIntent(key: string, content: Pick<IntentRecord, 'body' | 'extraBody'>, at: number): IntentRecord {
  return { key, state: 'ready', ...content, attempts: 0, looks: 0, wakeAt: at, createdAt: at, updatedAt: at };
}

/** What an intent becomes by what happened. */
export function step(record: IntentRecord, happening: Happening, policy: IntentPolicy): Step {
  switch (happening.type) {
    case 'resume':
      return resume(record, happening, policy);
    case 'reply':
      return replied(record, happening);
    case 'failure':
      return failed(record, happening);
    case 'found':
      return stay(record.state === 'rejected' ? record : withPost(record, happening.news, happening.at));
    case 'missing':
      return missing(looked(record, happening), happening.at, policy);
    case 'unseen':
      return stay(unseen(looked(record, happening), happening.at, happening.error));
    case 'told':
      return stay(record.postId === happening.news.postId ? withPost(record, happening.news, happening.at) : record);
    case 'resolve':
      return resolve(record, happening.resolution, happening.at);
  }
}

const stay = (record: IntentRecord): Step => ({ record, todo: 'nothing' });

/** What is not being sent has no lease. */
function isLeased({ lease }: IntentRecord, at: number): boolean {
  return lease !== undefined && lease.until > at;
}

function resume(record: IntentRecord, happening: Happening & { type: 'resume' }, { leaseMs }: IntentPolicy): Step {
  const { at, owner, force, skewMs, slot } = happening;
  switch (record.state) {
    case 'ready': {
      if (!force && (record.notBefore ?? 0) > at) return stay(record);
      const { error: _error, notBefore: _notBefore, ...kept } = record;
      const marked: IntentRecord = {
        ...kept,
        state: 'sending',
        attempts: record.attempts + 1,
        lease: { owner, until: at + leaseMs },
        sent: { at, ...(skewMs === undefined ? {} : { skewMs }) },
        ...(slot === undefined || record.slots?.includes(slot) === true
          ? {}
          : { slots: [...(record.slots ?? []), slot] }),
        looks: 0,
        wakeAt: at + leaseMs,
        updatedAt: at,
      };
      return { record: marked, todo: 'send' };
    }
    // A lease that ran out triggers reads alone: whoever had it may still be sending.
    case 'sending':
      return { record, todo: isLeased(record, at) ? 'nothing' : 'look' };
    case 'in_doubt':
    case 'accepted':
      return { record, todo: isDone(record) ? 'nothing' : 'look' };
    default:
      return stay(record);
  }
}

/** The reply of a late owner counts too, but it changes no recorded post. */
function replied(record: IntentRecord, happening: Happening & { type: 'reply' }): Step {
  const { at, attempt, createdAt, news, skewMs } = happening;
  if (record.state === 'rejected' || createdAt !== record.createdAt) return stay(record);
  const merged = withPost(record, news, at);
  // Where it was created is what later looks start from.
  return stay(merged === record || attempt !== record.attempts ? merged : withSkew(merged, skewMs));
}

/** Only who made the attempt can tell that it failed, and only while nobody has looked for it. */
function failed(record: IntentRecord, { at, attempt, createdAt, failure }: Happening & { type: 'failure' }): Step {
  if (record.state !== 'sending' || attempt !== record.attempts || createdAt !== record.createdAt) return stay(record);
  const { lease: _lease, ...kept } = record;
  const base = { ...kept, error: failure.error, updatedAt: at };
  switch (failure.kind) {
    case 'not_sent':
      return stay({ ...base, state: 'ready', wakeAt: nextSend(at, attempt) });
    case 'rate_limited': {
      const notBefore = afterRateLimit(at, attempt, failure.retryAfterMs);
      return stay({ ...base, state: 'ready', wakeAt: notBefore, notBefore });
    }
    case 'unauthorized':
      return stay({ ...base, state: 'ready', wakeAt: afterUnauthorized(at) });
    case 'rejected':
      return stay({ ...base, state: 'rejected', wakeAt: null });
    case 'unknown':
      return {
        record: { ...withSkew(base, failure.skewMs), state: 'in_doubt', looks: 0, wakeAt: nextLook(at, 0) },
        todo: 'look',
      };
  }
}

function missing(record: IntentRecord, at: number, { onMissing, settleMs }: IntentPolicy): Step {
  const next = unseen(record, at, undefined);
  if (next.state !== 'in_doubt' || onMissing === 'hold') return stay(next);
  const settledAt = (record.sent?.at ?? record.createdAt) + settleMs;
  if (at < settledAt) return stay({ ...next, wakeAt: Math.min(next.wakeAt ?? settledAt, settledAt) });
  return { record: { ...next, state: 'ready', looks: 0, wakeAt: at }, todo: 'resume' };
}

/** What the sender learns of its own clock right after a send holds for good, whoever looks later. */
function looked(record: IntentRecord, { skewMs }: Happening & { type: 'missing' | 'unseen' }): IntentRecord {
  return record.state === 'in_doubt' ? withSkew(record, skewMs) : record;
}

function withSkew(record: IntentRecord, skewMs: number | undefined): IntentRecord {
  if (skewMs === undefined || record.sent === undefined) return record;
  return { ...record, sent: { ...record.sent, skewMs } };
}

function unseen(record: IntentRecord, at: number, error: IntentError | undefined): IntentRecord {
  const { state, looks } = record;
  const told = error === undefined ? {} : { error };
  if (state === 'in_doubt') {
    return { ...record, ...told, looks: looks + 1, wakeAt: nextLook(at, looks), updatedAt: at };
  }
  if (state === 'accepted' && !isDone(record)) {
    return { ...record, looks: looks + 1, wakeAt: nextLook(at, looks), updatedAt: at };
  }
  if (state !== 'sending' || isLeased(record, at)) return record;
  const { lease: _lease, ...kept } = record;
  return { ...kept, error: error ?? died, state: 'in_doubt', looks: 1, wakeAt: nextLook(at, 0), updatedAt: at };
}

const died: IntentError = {
  name: 'SocialPublishingError',
  message:
    'Whoever sent it did not note what became of it, and no listed post shows that it was carried out. ' +
    'Look at the service, then tell the publisher with `resolve`.',
  outcome: 'unknown',
};

/** What is known of an intent's post. Nothing final changes, and nothing names another post than the recorded one. */
function withPost(record: IntentRecord, news: PostNews, at: number): IntentRecord {
  if (isFinal(record.state)) return record;
  if (record.postId !== undefined && record.postId !== news.postId) return record;
  const { lease: _lease, error: _error, notBefore: _notBefore, ...kept } = record;
  const looks = record.state === 'accepted' ? record.looks + 1 : 0;
  const known = { ...kept, postId: news.postId, ...newer(record, news), looks, updatedAt: at };
  const { status } = news;
  if (isFinalStatus(status)) return { ...known, state: status, wakeAt: null };
  const wakeAt = status === 'draft' || isDraft(record) ? null : nextLookAtAccepted(at, looks, news);
  return { ...known, state: 'accepted', wakeAt };
}

/** What an older look knew stays, where the newer one does not tell. */
function newer(record: IntentRecord, { post, targets }: PostNews): Pick<IntentRecord, 'post' | 'targets'> {
  return { ...(post === undefined ? {} : { post: { ...record.post, ...post } }), ...(targets && { targets }) };
}

function isDraft({ body }: IntentRecord): boolean {
  return body.saveAsDraft === true;
}

function resolve(record: IntentRecord, resolution: Resolution, at: number): Step {
  const { state, postId } = record;
  const refuse = (refused: string): Step => ({ record, todo: 'nothing', refused });
  if (isLeased(record, at)) return refuse('is being sent right now: wait for the end of the lease, then look again');
  if (postId !== undefined) {
    // The same word again changes nothing and is no fault.
    if (resolution.as === 'published' && resolution.postId === postId) return stay(record);
    return refuse('has a post already, which it keeps: it is never sent again');
  }
  // What is final without a post is abandoned.
  if (isFinal(state)) return resolution.as === 'abandoned' ? stay(record) : refuse(`is ${state}: that is final`);
  const { lease: _lease, notBefore: _notBefore, ...kept } = record;
  switch (resolution.as) {
    case 'published': {
      const { error: _error, ...known } = kept;
      const wakeAt = isDraft(record) ? null : at;
      return stay({ ...known, state: 'accepted', postId: resolution.postId, looks: 0, wakeAt, updatedAt: at });
    }
    case 'not_sent': {
      const { error: _error, ...toSend } = kept;
      return stay({ ...toSend, state: 'ready', looks: 0, wakeAt: at, updatedAt: at });
    }
    case 'abandoned':
      return stay({ ...kept, state: 'abandoned', wakeAt: null, updatedAt: at });
  }
}
