/**
 * The state machine of an intent, without input or output: from a record and an event, it computes the next record and
 * the next action. The promises of the publisher (never twice, nothing lost) depend on this file.
 */
import { isFinalStatus } from '../../model/known-values.js';
import type { TargetResult } from '../../model/targets.js';
import { requestOf } from '../../posts/read-create.js';
import { changed, isLate, isUnsent, type IntentChange, type Step } from './before-send.js';
import {
  decide,
  doubt,
  isFromFuture,
  sendAtOf,
  without,
  type Intent,
  type IntentError,
  type IntentRecord,
  type IntentState,
  type LookupRecord,
  type PostReport,
} from './intent-record.js';
import { afterRateLimit, afterUnauthorized, nextCheck, nextSend, searchPause } from './wake-times.js';

/** The publisher's options that decide what happens to an intent. */
export interface IntentPolicy {
  readonly onMissing: 'hold' | 'resend';
  readonly settleMs: number;
  readonly leaseMs: number;
  readonly maxLateMs: number;
}

/** An operator's decision. */
export type Resolution =
  | {
      /** The create was executed. */
      readonly as: 'published';
      /** The ID of its post. */
      readonly postId: string;
    }
  | {
      /**
       * The create was never executed: the intent becomes ready. A sweep searches for its post once more, and sends the
       * intent if no new post is found.
       */
      readonly as: 'not_sent';
    }
  | {
      /** The operator abandoned the intent. */
      readonly as: 'abandoned';
    };

/** A search that found no post. */
export interface FailedSearch extends Pick<LookupRecord, 'since' | 'result' | 'postIds' | 'error'> {
  /** When it began, by the clock of the process that searched. */
  readonly startedAt: number;
  /** The same in the service's time. `undefined`: no reply showed it. */
  readonly serviceAt: number | undefined;
  /** It failed only because no reply showed the service's time: the list was read, and shows no equal post. */
  readonly isUndated?: boolean | undefined;
  /** It read further back than the window. */
  readonly readBack: boolean;
  /** The offset of the sender's clock, if the sender itself searched. */
  readonly skewMs?: number | undefined;
}

interface Reported {
  readonly at: number;
  readonly report: PostReport;
}

/** The events of an intent. `at` is the time of the process that reports it. */
export type Happening =
  /** A create was answered with a post, which is claimed for this intent. */
  | (Reported & { readonly type: 'reply'; readonly attempt: number; readonly skewMs?: number | undefined })
  /** A create ended without a post. The outcome of the error is proved. */
  | {
      readonly type: 'failure';
      readonly at: number;
      readonly attempt: number;
      readonly error: IntentError;
      readonly skewMs?: number | undefined;
    }
  /** `found`: its post is listed, and claimed for this intent. `event`: a webhook event contains a post. */
  | (Reported & { readonly type: 'found' | 'event' })
  /** A search ended without its post. `searched`: the intent when the search began. */
  | { readonly type: 'not_found'; readonly at: number; readonly search: FailedSearch; readonly searched: IntentRecord }
  /** `serviceAt`: the service's time, if it is known. `attempts`: the sends of the intent as it was read for the decision. */
  | {
      readonly type: 'resolve';
      readonly at: number;
      readonly serviceAt?: number;
      readonly resolution: Resolution;
      readonly attempts?: number;
    }
  | IntentChange;

/** Whether the state cannot change any more. */
export function isFinal(state: IntentState): boolean {
  return isFinalStatus(state) || state === 'abandoned';
}

/** An open intent, and what a sweep does with it. */
export interface PlannedIntent {
  readonly intent: Intent;
  /** Once it is due. */
  readonly action: Need;
  readonly isDue: boolean;
}

/** Whether the intent is complete: the state is final, or the post is a draft, which never wakes. */
export function isDone(record: IntentRecord): boolean {
  return isFinal(record.state) || (record.state === 'accepted' && record.wakeAt === null);
}

/** Makes an intent that was not sent yet. */
export function newIntent(
  key: string,
  content: Pick<IntentRecord, 'body' | 'extraBody' | 'service' | 'sendAheadMs'>,
  at: number,
): IntentRecord {
  const wakeAt = Math.max(at, sendAtOf(content) ?? at);
  return { key, state: 'ready', ...content, attempts: 0, looks: 0, wakeAt, createdAt: at, updatedAt: at };
}

/** Computes the next record. What the intent needs then, `needs` says. */
export function step(record: IntentRecord, happening: Happening, policy: IntentPolicy): Step {
  switch (happening.type) {
    case 'reply':
      return { record: replied(record, happening) };
    case 'failure':
      return { record: failed(record, happening) };
    case 'found':
      return { record: found(record, happening) };
    case 'not_found':
      return { record: notFound(record, happening, policy) };
    case 'event':
      return { record: record.postId === happening.report.postId ? withPost(record, happening) : record };
    case 'resolve':
      return resolve(record, happening, policy);
    case 'cancel':
    case 'edit':
      return changed(record, happening);
  }
}

/** Only searches count: an event reads no list. */
function found(record: IntentRecord, listed: Reported): IntentRecord {
  if (record.state === 'rejected') return record;
  const next = withPost(record, listed);
  return next === record || record.state !== 'accepted' ? next : { ...next, looks: record.looks + 1 };
}

/** Only an intent that is being sent has a lease. */
function isLeased(record: IntentRecord, at: number): boolean {
  return record.lease !== undefined && record.lease.until > at && !isFromFuture(record, at);
}

/** Whether an operator has made it ready, although its create may have been executed. */
export function isDecided({ state, overruled, error, lookup, resent }: IntentRecord): boolean {
  if (state !== 'ready') return false;
  // Release 0.2.0 left only the error of the send.
  return overruled !== undefined || (error?.outcome === 'unknown' && lookup === undefined && resent === undefined);
}

/** What an intent needs next: a send, a search for its post, a record that it is too late to send it, or nothing. */
export type Need = 'send' | 'search' | 'expire' | 'nothing';

/** When, and how, an intent is resumed. */
export interface Resuming {
  readonly at: number;
  /** The service's time, or `at` if it is not known. */
  readonly serviceAt: number;
  /** Ignores `Retry-After`. */
  readonly force: boolean;
  /** `false`: searches only. */
  readonly send?: boolean | undefined;
}

export function needs(
  record: IntentRecord,
  { at, serviceAt, force, send }: Resuming,
  { leaseMs, maxLateMs }: Pick<IntentPolicy, 'leaseMs' | 'maxLateMs'>,
): Need {
  switch (record.state) {
    case 'ready': {
      if (send === false || at < (sendAtOf(record) ?? at)) return 'nothing';
      if (!force && (record.notBefore ?? 0) > at && !isFromFuture(record, at)) return 'nothing';
      // Its process did not send it after the search, or an operator decided: its post may be listed by now.
      const isSearched = record.lookup !== undefined && Math.abs(at - record.updatedAt) <= leaseMs;
      if (!isUnsent(record) && !isSearched) return 'search';
      return isLate(record, serviceAt, maxLateMs) ? 'expire' : 'send';
    }
    // An expired lease triggers only reads: its owner may still be sending.
    case 'sending':
    case 'in_doubt':
    case 'accepted':
      return isDone(record) || isLeased(record, at) ? 'nothing' : 'search';
    default:
      return 'nothing';
  }
}

/** The sender of an intent. */
export interface Sender {
  readonly at: number;
  /** Random. */
  readonly owner: string;
  readonly skewMs?: number | undefined;
  /** The service that it is sent to. */
  readonly service?: string | undefined;
}

/** Marks an intent that needs a send. The mark is stored before the send. */
export function marked(record: IntentRecord, sender: Sender, { leaseMs }: Pick<IntentPolicy, 'leaseMs'>): IntentRecord {
  const { at, owner, skewMs, service } = sender;
  return {
    ...without(record, 'error', 'notBefore', 'lookup'),
    // An intent of release 0.2.0 belongs to the service that it is sent to.
    ...(service !== undefined && { service }),
    // A search has made it ready again (`onMissing: 'resend'`). If this send is refused, a new search comes first, because
    // the first create may have been executed meanwhile.
    ...(record.lookup !== undefined && { resent: true as const }),
    state: 'sending',
    attempts: record.attempts + 1,
    lease: { owner, until: at + leaseMs },
    sent: { at, ...(skewMs === undefined ? {} : { skewMs }) },
    wakeAt: at + leaseMs,
    updatedAt: at,
  };
}

/** A late reply counts too, but it changes no recorded post. */
function replied(record: IntentRecord, reply: Happening & { type: 'reply' }): IntentRecord {
  const { at, attempt, report, skewMs } = reply;
  if (record.state === 'rejected') return record;
  if (record.state === 'abandoned') {
    if (record.postId !== undefined) return record;
    return { ...record, postId: report.postId, ...newer(record, report), updatedAt: at };
  }
  const merged = withPost(record, reply);
  // The time of the send is where later searches start.
  return merged === record || attempt !== record.attempts ? merged : withSkew(merged, skewMs);
}

/** Only the sender of this attempt can report its failure, and only before another process has searched for it. */
function failed(record: IntentRecord, failure: Happening & { type: 'failure' }): IntentRecord {
  const { at, attempt, error, skewMs } = failure;
  if (record.state !== 'sending' || attempt !== record.attempts) return record;
  const base = { ...without(record, 'lease'), error, updatedAt: at };
  if (error.outcome === 'unknown') {
    const wakeAt = at + searchPause(at - (record.sent?.at ?? at));
    return { ...withSkew(base, skewMs), state: 'in_doubt', wakeAt };
  }
  const ready = { ...base, state: 'ready' as const };
  // A client that waits for its own rate limit reports that without a reply.
  if (error.status === 429 || error.name === 'RateLimitError') {
    const notBefore = afterRateLimit(at, attempt, error);
    return { ...ready, wakeAt: notBefore, notBefore };
  }
  // The key is wrong, not the body.
  if (error.status === 401 || error.status === 403) return { ...ready, wakeAt: afterUnauthorized(at) };
  // The client itself can refuse a body too.
  const isRefused = error.outcome === 'rejected' || error.name === 'InvalidRequestError';
  if (!isRefused) return { ...ready, wakeAt: nextSend(at, attempt) };
  // A send before this one may have been executed.
  const mayBeSentBefore = record.resent === true || record.overruled !== undefined;
  if (!mayBeSentBefore) return { ...base, state: 'rejected', wakeAt: null };
  const wakeAt = at + searchPause(0);
  return { ...base, error: refusalOfFurtherSend(error), state: 'in_doubt', refusedLater: true, wakeAt };
}

/**
 * Returns the time between the send and the start of a search. If the sender's clock is not known, the time counts from
 * the first search, which was after the send.
 */
export function sinceSend(
  record: IntentRecord,
  { startedAt, serviceAt }: Pick<FailedSearch, 'startedAt' | 'serviceAt'>,
): number {
  const { sent, lookup } = record;
  if (sent?.skewMs !== undefined && serviceAt !== undefined) {
    return serviceAt - (sent.at + Math.max(sent.skewMs, sent.laterSkewMs ?? -Infinity));
  }
  const searchedAt = serviceAt ?? startedAt;
  return searchedAt - (firstSearchAt(lookup, serviceAt) ?? searchedAt);
}

/** Returns when the first search began. `undefined`: there was none, or it did not know the service's time and this one does. */
export function firstSearchAt(lookup: LookupRecord | undefined, serviceAt: number | undefined): number | undefined {
  return lookup?.isFirstLocal === true && serviceAt !== undefined ? undefined : lookup?.firstAt;
}

type NotFound = Happening & { type: 'not_found' };

/** A search ended without the post of an intent. It changes no intent that has moved since. */
function notFound(record: IntentRecord, ended: NotFound, policy: IntentPolicy): IntentRecord {
  if (record.state === 'accepted') return isDone(record) ? record : checked(record, ended);
  if (isDecided(record)) return afterDecision(record, ended, policy);
  const isLapsed = record.state === 'sending' && !isLeased(record, ended.at);
  const isResent = record.state === 'ready' && !isUnsent(record);
  return record.state === 'in_doubt' || isLapsed || isResent ? stillInDoubt(record, ended, policy) : record;
}

/** The list does not show an accepted post. */
function checked(record: IntentRecord, { search, searched, at }: NotFound): IntentRecord {
  const { acceptedAt, updatedAt, post, looks } = record;
  const wakeAt = nextCheck(at, acceptedAt ?? updatedAt, post?.scheduledFor);
  // A search that failed has not read the list.
  if (search.result === 'failed') return { ...record, wakeAt, updatedAt: at };
  // Searches at the same time read the same window, so they count as one.
  return { ...record, looks: Math.max(looks, searched.looks + 1), wakeAt, updatedAt: at };
}

/** An operator's decision counts, unless the search found a candidate that the operator could not see. */
function afterDecision(record: IntentRecord, ended: NotFound, policy: IntentPolicy): IntentRecord {
  const { search, searched, at } = ended;
  const { overruled = [], error } = record;
  // Without the service's time, a complete list without an equal post is sufficient after a decision.
  if (search.result === 'failed' && search.isUndated !== true) {
    const wakeAt = at + searchPause(at - record.updatedAt);
    return { ...without(record, 'lookup'), error: search.error ?? error ?? notRead, wakeAt, updatedAt: at };
  }
  // It began before the decision, or joined the search for others: the next search reads further back.
  const isBefore = !isDecided(searched) || searched.updatedAt !== record.updatedAt;
  if (isBefore || !search.readBack) return record;
  if (search.postIds?.some((postId) => !overruled.includes(postId)) === true)
    return stillInDoubt(record, ended, policy);
  return { ...record, overruled, lookup: lookupAfter(record, ended), wakeAt: at, updatedAt: at };
}

/** The intent is held. With `onMissing: 'resend'`, it is made ready again after `settleMs`. */
function stillInDoubt(record: IntentRecord, ended: NotFound, policy: IntentPolicy): IntentRecord {
  const { search, at } = ended;
  const { onMissing, settleMs, maxLateMs } = policy;
  const lookup = lookupAfter(record, ended);
  const known = withSkew(without(record, 'lease', 'overruled'), search.skewMs);
  const passed = sinceSend(known, search);
  const pause = searchPause(passed + (at - search.startedAt));
  const error = errorAfter(record, lookup);
  const held: IntentRecord = { ...known, state: 'in_doubt', error, lookup, wakeAt: at + pause, updatedAt: at };
  // Without the service's time, the search cannot show that it began long enough after the send.
  const isProof = search.result === 'no_match' && search.serviceAt !== undefined;
  const mayResend = onMissing === 'resend' && isProof && record.refusedLater !== true && !isLate(held, at, maxLateMs);
  if (!mayResend) return held;
  if (passed < settleMs) return { ...held, wakeAt: at + Math.min(pause, settleMs - passed) };
  // The search before a resend must have read further back than the window.
  return search.readBack ? { ...held, state: 'ready', wakeAt: at } : held;
}

/**
 * Adds a search to the earlier ones. Their candidates can be further back than its window: they stay, unless it read
 * further back too.
 */
function lookupAfter({ lookup: known }: IntentRecord, { search, at }: NotFound): LookupRecord {
  const { startedAt, serviceAt, since, result, postIds, error } = search;
  const wasLocal = known === undefined || known.isFirstLocal === true;
  // Without the service's time, an earlier search may have read back from a wrong time.
  const wasReadBack = known?.readBack === true && !(wasLocal && serviceAt !== undefined);
  const shared = {
    at,
    firstAt: firstSearchAt(known, serviceAt) ?? serviceAt ?? startedAt,
    isFirstLocal: wasLocal && serviceAt === undefined ? (true as const) : undefined,
    readBack: search.readBack || wasReadBack ? (true as const) : undefined,
  };
  if (known?.result !== 'candidates' || (search.readBack && result !== 'failed'))
    return { ...shared, since, result, postIds, error };
  if (result !== 'candidates') return { ...known, ...shared };
  const both = [...new Set([...(known.postIds ?? []), ...(postIds ?? [])])];
  return { ...shared, since, result, postIds: both, error };
}

/** The error of the send stays until a search shows more. */
function errorAfter(
  { state, error, lookup: before, resent, refusedLater }: IntentRecord,
  lookup: LookupRecord,
): IntentError {
  // It says why the intent is not sent again.
  if (refusedLater === true && error !== undefined) return error;
  if (lookup.result === 'candidates') return lookup.error ?? equalPosts(lookup.postIds ?? []);
  if (lookup.result === 'failed') return lookup.error ?? error ?? unrecorded;
  if (state === 'sending') return unrecorded;
  // The error is of an earlier search, or of the refusal of the last send. The doubt is about an earlier one.
  const isOfSend = before === undefined || before.result === 'no_match';
  return isOfSend && !(state === 'ready' && resent === true) ? (error ?? unrecorded) : notListed;
}

const unrecorded = doubt(
  'The sending process has recorded no result: it ended, or still waits for the reply. The service lists no matching ' +
    `post. ${decide}.`,
);

const notRead = doubt('The list of posts could not be read. The intent is sent once a search has found no post of it.');

const notListed = doubt(`The result of the send is unknown, and the service lists no matching post. ${decide}.`);

/** A service can refuse a second create because the first one was executed. */
function refusalOfFurtherSend({ message, ...rest }: IntentError): IntentError {
  const says =
    `The last send was refused, but an earlier one may have been executed. ${decide}. If its post does not exist, and the ` +
    "refusal would come again, use as: 'abandoned', and publish a corrected post under another key. The refusal: ";
  return { ...rest, message: says + message, outcome: 'unknown' };
}

function equalPosts(postIds: readonly string[]): IntentError {
  const shown = postIds.slice(0, 5).join(', ') + (postIds.length > 5 ? ', …' : '');
  return doubt(
    `The service lists an equal post (${shown}), but the evidence does not suffice: its time of creation or its request ` +
      `does not match the send, or another intent claimed it. The intent is held and not sent again. ${decide}.`,
  );
}

/** The first offset comes from the mark. A later one that differs shows that a clock was set. */
function withSkew(record: IntentRecord, skewMs: number | undefined): IntentRecord {
  const { sent } = record;
  if (skewMs === undefined || sent === undefined) return record;
  if (sent.skewMs === undefined) return { ...record, sent: { ...sent, skewMs } };
  if (Math.abs(sent.skewMs - skewMs) < 2_000) return record;
  return { ...record, sent: { ...sent, laterSkewMs: skewMs } };
}

/** Updates the post of an intent. Final results do not change, and no other post replaces the recorded one. */
function withPost(record: IntentRecord, { report, at }: Reported): IntentRecord {
  if (isFinal(record.state)) return withAccounts(record, report, at);
  if (record.postId !== undefined && record.postId !== report.postId) return record;
  const { state, looks, acceptedAt = record.updatedAt } = record;
  const known = {
    ...without(record, 'lease', 'error', 'notBefore', 'lookup', 'unconfirmed', 'overruled', 'refusedLater'),
    postId: report.postId,
    ...newer(record, report),
    looks: state === 'accepted' ? looks : 0,
    acceptedAt: state === 'accepted' ? acceptedAt : at,
    updatedAt: at,
  };
  const { status } = report;
  if (isFinalStatus(status)) return { ...known, state: status, wakeAt: null };
  return {
    ...known,
    state: 'accepted',
    wakeAt: status === 'draft' || wantsDraft(record) ? null : nextCheck(at, known.acceptedAt, report.scheduledFor),
  };
}

/** Keeps fields of an older report that the newer one does not contain. */
function newer(record: IntentRecord, { post, targets }: PostReport): Pick<IntentRecord, 'post' | 'targets'> {
  return { ...(post === undefined ? {} : { post: { ...record.post, ...post } }), ...(targets && { targets }) };
}

/**
 * A list does not show the accounts of several targets on one platform. A final event that arrives after the list
 * shows them. It changes nothing else.
 */
function withAccounts(record: IntentRecord, report: PostReport, at: number): IntentRecord {
  const { postId, state, targets = [] } = record;
  const named = report.targets ?? [];
  if (report.postId !== postId || report.status !== state || !hasUnclearAccount(targets)) return record;
  if (hasUnclearAccount(named) || resultsOf(named) !== resultsOf(targets)) return record;
  return { ...record, targets: named, updatedAt: at };
}

/** Whether a target has no account, and the post has another target on its platform. */
function hasUnclearAccount(targets: readonly TargetResult[]): boolean {
  return targets.some(
    (one) => one.accountId === undefined && targets.some((other) => other !== one && other.platform === one.platform),
  );
}

/** The platforms and results of targets, in one order. */
function resultsOf(targets: readonly TargetResult[]): string {
  return JSON.stringify(targets.map(({ platform, state }) => [platform, state].join()).sort());
}

function wantsDraft(record: IntentRecord): boolean {
  return requestOf(record).saveAsDraft === true;
}

const sentAgain = 'was sent again since it was read. Read it again before you decide';

function resolve(
  record: IntentRecord,
  { resolution, at, serviceAt = at, attempts = record.attempts }: Happening & { type: 'resolve' },
  { maxLateMs }: IntentPolicy,
): Step {
  const { state, postId, unconfirmed } = record;
  const refuse = (refused: string): Step => ({ record, refused });
  if (isLeased(record, at)) return refuse(`is being sent. ${decide}`);
  if (resolution.as === 'not_sent' && attempts !== record.attempts) return refuse(sentAgain);
  // The same decision again changes nothing and is allowed.
  if (resolution.as === 'abandoned' && state === 'abandoned') return { record };
  if (postId !== undefined) {
    if (resolution.as === 'published' && resolution.postId === postId) return { record };
    if (unconfirmed !== true) return refuse('has a post, which it keeps. It is never sent again');
  }
  if (isFinal(state)) return refuse(`is ${state}, which is final`);
  const open = without(record, 'lease', 'notBefore', 'lookup', 'refusedLater');
  const kept = without(open, 'postId', 'unconfirmed', 'acceptedAt', 'post', 'targets');
  switch (resolution.as) {
    case 'published': {
      const wakeAt = wantsDraft(record) ? null : at;
      const named = { postId: resolution.postId, unconfirmed: true as const, acceptedAt: at };
      return { record: { ...without(kept, 'error'), ...named, state: 'accepted', looks: 0, wakeAt, updatedAt: at } };
    }
    case 'not_sent': {
      const seen = [...(record.overruled ?? []), ...(record.lookup?.postIds ?? [])];
      // A create that was refused was not executed.
      const mayBeSent = record.sent !== undefined && state !== 'rejected' && !isUnsent(record);
      const ready: IntentRecord = {
        ...without(kept, 'error'),
        // An operator who decides so after its time wants it sent.
        ...(isLate(record, serviceAt, maxLateMs) && { sendLate: true as const }),
        ...(mayBeSent && { overruled: seen }),
        state: 'ready',
        wakeAt: Math.max(at, sendAtOf(record) ?? at),
        updatedAt: at,
      };
      return { record: ready };
    }
    case 'abandoned':
      return { record: { ...kept, state: 'abandoned', wakeAt: null, updatedAt: at } };
  }
}
