/**
 * The state machine of an intent, without input or output: from a record and an event, it computes the next record and
 * the next action. The promises of the publisher (never twice, nothing lost) depend on this file.
 */
import { isFinalStatus } from '../../model/known-values.js';
import type { TargetResult } from '../../model/targets.js';
import { requestOf } from '../../posts/read-create.js';
import { changed, isLate, isUnsent, type IntentChange } from './before-send.js';
import {
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

/** Why a send did not end with a post. */
export type SendFailure =
  /** The request never reached the service. */
  | { readonly kind: 'not_sent'; readonly error: IntentError }
  /** 429: refused before the work. */
  | { readonly kind: 'rate_limited'; readonly error: IntentError; readonly retryAfterMs?: number | undefined }
  /** 401 and 403: the key is wrong, not the body. */
  | { readonly kind: 'unauthorized'; readonly error: IntentError }
  /** The service answered that it did not execute the create. */
  | { readonly kind: 'rejected'; readonly error: IntentError }
  /** The create may have been executed. */
  | { readonly kind: 'unknown'; readonly error: IntentError; readonly skewMs?: number | undefined };

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
  /** The number of searches that the intent had counted when it began. */
  readonly looks?: number | undefined;
  /** When the intent was made ready by an operator, as the search saw it. Missing: it began before such a decision. */
  readonly decidedAt?: number | undefined;
}

interface OfSend {
  readonly at: number;
  readonly attempt: number;
}

/** The events of an intent. `at` is the time of the process that reports it. */
export type Happening =
  /** A create was answered with a post, which is claimed for this intent. */
  | ({ readonly type: 'reply'; readonly report: PostReport; readonly skewMs?: number | undefined } & OfSend)
  /** A create ended without a post. */
  | ({ readonly type: 'failure'; readonly failure: SendFailure } & OfSend)
  /** Its post is listed, and claimed for this intent. */
  | { readonly type: 'found'; readonly at: number; readonly report: PostReport }
  /** A search ended without its post. */
  | { readonly type: 'not_found'; readonly at: number; readonly search: FailedSearch }
  | { readonly type: 'event'; readonly at: number; readonly report: PostReport }
  /** `serviceAt`: the service's time, if it is known. `attempts`: the sends of the intent as it was read for the decision. */
  | {
      readonly type: 'resolve';
      readonly at: number;
      readonly serviceAt?: number;
      readonly resolution: Resolution;
      readonly attempts?: number;
    }
  | IntentChange;

export interface Step {
  /** The next record. It is the same object if nothing needs to be written. */
  readonly record: IntentRecord;
  /**
   * The action after the write. `search`: search for its post. `resume`: mark it and send it.
   */
  readonly todo: 'search' | 'resume' | 'nothing';
  /** Why an operator's decision was refused. */
  readonly refused?: string | undefined;
}

/** Whether the state cannot change any more. */
export function isFinal(state: IntentState): boolean {
  return isFinalStatus(state) || state === 'abandoned';
}

/** What a sweep does with an intent. `check`: read its post. `decide`: nothing, until an operator decides. */
export type NextAction = 'send' | 'search' | 'check' | 'decide' | 'nothing';

/** An open intent, and what a sweep does with it. */
export interface PlannedIntent {
  readonly intent: Intent;
  /** Once it is due. `expire`: it records that it is too late to send it. */
  readonly action: NextAction | 'expire';
  readonly isDue: boolean;
}

/** Shows what a sweep would do. Only the command uses it. */
export interface SweepPlanner {
  readonly plan: () => AsyncIterable<PlannedIntent>;
}

/** An intent as the store contains it, or as callers see it: without `wakeAt`. */
interface AnyIntent {
  readonly state: IntentState;
  readonly body: unknown;
  readonly extraBody?: unknown;
  readonly post?: { readonly status?: unknown } | undefined;
  readonly wakeAt?: number | null;
}

/** Returns what a sweep does with an intent once it is due. */
export function nextAction(intent: AnyIntent): NextAction {
  switch (intent.state) {
    case 'ready':
      return 'send';
    case 'sending':
    case 'in_doubt':
      return 'search';
    case 'accepted':
      return isDraft(intent) ? 'nothing' : 'check';
    case 'rejected':
      return 'decide';
    default:
      return 'nothing';
  }
}

/** Whether the intent is complete: the state is final, or the post is a draft. */
export function isDone(intent: AnyIntent): boolean {
  return nextAction(intent) === 'nothing';
}

/** Whether an accepted intent is a draft, which no sweep follows. */
function isDraft(intent: AnyIntent): boolean {
  if (intent.wakeAt !== undefined) return intent.wakeAt === null;
  return wantsDraft(intent) || intent.post?.status === 'draft';
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

export function step(record: IntentRecord, happening: Happening, policy: IntentPolicy): Step {
  switch (happening.type) {
    case 'reply':
      return replied(record, happening);
    case 'failure':
      return failed(record, happening);
    case 'found':
      return stay(record.state === 'rejected' ? record : found(record, happening.report, happening.at));
    case 'not_found':
      return notFound(record, happening.search, happening.at, policy);
    case 'event':
      return stay(
        record.postId === happening.report.postId ? withPost(record, happening.report, happening.at) : record,
      );
    case 'resolve':
      return resolve(record, happening, policy);
    case 'cancel':
    case 'edit':
      return { ...changed(record, happening), todo: 'nothing' };
  }
}

/** A search found it. Only searches count: an event reads no list. */
function found(record: IntentRecord, report: PostReport, at: number): IntentRecord {
  const next = withPost(record, report, at);
  return next === record || record.state !== 'accepted' ? next : { ...next, looks: record.looks + 1 };
}

const stay = (record: IntentRecord): Step => ({ record, todo: 'nothing' });

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

/**
 * @param when `serviceAt`: the service's time, or `at` if it is not known. `force` ignores `Retry-After`; `send: false`
 *   sends nothing
 */
export function needs(
  record: IntentRecord,
  {
    at,
    serviceAt,
    force,
    send,
  }: {
    readonly at: number;
    readonly serviceAt: number;
    readonly force: boolean;
    readonly send?: boolean | undefined;
  },
  { leaseMs, maxLateMs }: Pick<IntentPolicy, 'leaseMs' | 'maxLateMs'>,
): Need {
  switch (nextAction(record)) {
    case 'send': {
      if (send === false || at < (sendAtOf(record) ?? at)) return 'nothing';
      if (!force && (record.notBefore ?? 0) > at && !isFromFuture(record, at)) return 'nothing';
      // Its process did not send it after the search, or an operator decided: its post may be listed by now.
      const isSearched = record.lookup !== undefined && Math.abs(at - record.updatedAt) <= leaseMs;
      if (!isUnsent(record) && !isSearched) return 'search';
      return isLate(record, serviceAt, maxLateMs) ? 'expire' : 'send';
    }
    // An expired lease triggers only reads: its owner may still be sending.
    case 'search':
    case 'check':
      return isLeased(record, at) ? 'nothing' : 'search';
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
    looks: 0,
    wakeAt: at + leaseMs,
    updatedAt: at,
  };
}

/** A late reply counts too, but it changes no recorded post. */
function replied(record: IntentRecord, happening: Happening & { type: 'reply' }): Step {
  const { at, attempt, report, skewMs } = happening;
  if (record.state === 'rejected') return stay(record);
  if (record.state === 'abandoned') {
    if (record.postId !== undefined) return stay(record);
    return stay({ ...record, postId: report.postId, ...newer(record, report), updatedAt: at });
  }
  const merged = withPost(record, report, at);
  // The time of the send is where later searches start.
  return stay(merged === record || attempt !== record.attempts ? merged : withSkew(merged, skewMs));
}

/** Only the sender of this attempt can report its failure, and only before another process has searched for it. */
function failed(record: IntentRecord, { at, attempt, failure }: Happening & { type: 'failure' }): Step {
  if (record.state !== 'sending' || attempt !== record.attempts) return stay(record);
  const base = { ...without(record, 'lease'), error: failure.error, updatedAt: at };
  const ready = { ...base, state: 'ready' as const };
  switch (failure.kind) {
    case 'not_sent':
      return stay({ ...ready, wakeAt: nextSend(at, attempt) });
    case 'rate_limited': {
      const notBefore = afterRateLimit(at, attempt, failure.retryAfterMs);
      return stay({ ...ready, wakeAt: notBefore, notBefore });
    }
    case 'unauthorized':
      return stay({ ...ready, wakeAt: afterUnauthorized(at) });
    case 'rejected': {
      // A send before this one may have been executed.
      const mayBeSentBefore = record.resent === true || record.overruled !== undefined;
      if (!mayBeSentBefore) return stay({ ...base, state: 'rejected', wakeAt: null });
      const error = refusalOfFurtherSend(failure.error);
      return stay({ ...base, error, state: 'in_doubt', refusedLater: true, looks: 0, wakeAt: at + searchPause(0) });
    }
    case 'unknown': {
      const wakeAt = at + searchPause(at - (record.sent?.at ?? at));
      return {
        record: { ...withSkew(base, failure.skewMs), state: 'in_doubt', looks: 0, wakeAt },
        todo: 'search',
      };
    }
  }
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

function notFound(found: IntentRecord, reported: FailedSearch, at: number, policy: IntentPolicy): Step {
  const search = withKnownCandidates(found, reported);
  const { onMissing, settleMs, maxLateMs } = policy;
  if (nextAction(found) === 'check') {
    const { acceptedAt, updatedAt, post } = found;
    const wakeAt = nextCheck(at, acceptedAt ?? updatedAt, post?.scheduledFor);
    // A search that failed has not read the list. Searches at the same time read the same window, so they count as one.
    const looks = search.result === 'failed' ? found.looks : Math.max(found.looks, (search.looks ?? found.looks) + 1);
    return stay({ ...found, looks, wakeAt, updatedAt: at });
  }
  const decided = isDecided(found) ? afterDecision(found, search, at) : undefined;
  if (decided !== undefined) return decided;
  const isLapsed = found.state === 'sending' && !isLeased(found, at);
  const isReady = found.state === 'ready' && !isUnsent(found);
  if (!isLapsed && !isReady && found.state !== 'in_doubt') return stay(found);
  const record = withSkew(without(found, 'lease', 'overruled'), search.skewMs);
  const passed = sinceSend(record, search);
  const pause = searchPause(passed + (at - search.startedAt));
  const next: IntentRecord = {
    ...record,
    state: 'in_doubt',
    error: errorAfter(found, search),
    lookup: lookupOf(found, search, at),
    looks: isLapsed ? 1 : record.looks + 1,
    wakeAt: at + pause,
    updatedAt: at,
  };
  // Without the service's time, the search cannot show that it began long enough after the send.
  const isDated = search.serviceAt !== undefined;
  const isHeld = onMissing === 'hold' || record.refusedLater === true;
  if (isHeld || search.result !== 'no_match' || !isDated || isLate(next, at, maxLateMs)) return stay(next);
  if (passed < settleMs) return stay({ ...next, wakeAt: at + Math.max(0, Math.min(pause, settleMs - passed)) });
  // The search before a resend must have read further back than the window.
  return search.readBack ? { record: { ...next, state: 'ready', looks: 0, wakeAt: at }, todo: 'resume' } : stay(next);
}

/** An operator's decision counts, unless the search found a candidate that the operator could not see: `undefined`. */
function afterDecision(record: IntentRecord, search: FailedSearch, at: number): Step | undefined {
  const { overruled = [] } = record;
  // Without the service's time, a complete list without an equal post is sufficient after a decision.
  if (search.result === 'failed' && search.isUndated !== true) {
    const wakeAt = at + searchPause(at - record.updatedAt);
    return stay({ ...record, error: search.error ?? record.error ?? notRead, wakeAt, updatedAt: at });
  }
  // It began before the decision, or joined the search for others: the next search reads further back.
  if (search.decidedAt !== record.updatedAt || !search.readBack) return stay(record);
  if (search.postIds?.some((postId) => !overruled.includes(postId)) === true) return undefined;
  const lookup = lookupOf(record, search, at);
  return { record: { ...record, overruled, lookup, wakeAt: at, updatedAt: at }, todo: 'resume' };
}

/**
 * Candidates that a search found further back stay: a later search that fails, or that reads only the window, does not read
 * them.
 */
function keepsCandidates({ lookup }: IntentRecord, { result, readBack }: FailedSearch): boolean {
  return lookup?.result === 'candidates' && (result === 'failed' || (result === 'no_match' && !readBack));
}

/** Adds the known candidates if a search read only the window: some of them can be further back. */
function withKnownCandidates({ lookup }: IntentRecord, search: FailedSearch): FailedSearch {
  if (search.result !== 'candidates' || search.readBack) return search;
  return { ...search, postIds: [...new Set([...(lookup?.postIds ?? []), ...(search.postIds ?? [])])] };
}

function lookupOf(record: IntentRecord, search: FailedSearch, at: number): LookupRecord {
  const { lookup } = record;
  if (lookup !== undefined && keepsCandidates(record, search)) return { ...lookup, at, ...firstOf(lookup, search) };
  const { since, result, postIds, error, serviceAt } = search;
  // Without the service's time, it may have read back from a wrong time.
  const isFirstDated = lookup?.isFirstLocal === true && serviceAt !== undefined;
  const readBack = search.readBack ? true : isFirstDated ? undefined : lookup?.readBack;
  return { at, since, result, postIds, error, ...firstOf(lookup, search), readBack };
}

function firstOf(lookup: LookupRecord | undefined, { startedAt, serviceAt }: FailedSearch) {
  const firstAt = firstSearchAt(lookup, serviceAt) ?? serviceAt ?? startedAt;
  const isLocal = serviceAt === undefined && (lookup === undefined || lookup.isFirstLocal === true);
  return { firstAt, isFirstLocal: isLocal ? (true as const) : undefined };
}

/** The error of the send stays until a search finds more. */
function errorAfter(record: IntentRecord, search: FailedSearch): IntentError {
  const { state, error, lookup, resent, refusedLater } = record;
  // It says why the intent is not sent again.
  if (refusedLater === true && error !== undefined) return error;
  if (keepsCandidates(record, search)) return error ?? equalPosts(lookup?.postIds ?? []);
  if (search.result === 'candidates') return search.error ?? equalPosts(search.postIds ?? []);
  if (search.result === 'failed') return search.error ?? error ?? ended;
  if (state === 'sending') return ended;
  // Its error is the refusal of the last send. The doubt is about an earlier one.
  if (state === 'ready' && resent === true) return notListed;
  return lookup === undefined || lookup.result === 'no_match' ? (error ?? ended) : notListed;
}

const decide = 'Check the service, then call `resolve`.';

const ended = doubt(
  `The sending process ended before it recorded a result, and the service lists no matching post. ${decide}`,
);

const notRead = doubt('The list of posts could not be read. The intent is sent once a search has found no post of it.');

const notListed = doubt(`The result of the send is unknown, and the service lists no matching post. ${decide}`);

/** A service can refuse a second create because the first one was executed. */
function refusalOfFurtherSend({ message, ...rest }: IntentError): IntentError {
  const says =
    `The last send was refused, but an earlier one may have been executed. ${decide} If its post does not exist, and the ` +
    "refusal would come again, use as: 'abandoned', and publish a corrected post under another key. The refusal: ";
  return { ...rest, message: says + message, outcome: 'unknown' };
}

function equalPosts(postIds: readonly string[]): IntentError {
  const shown = postIds.slice(0, 5).join(', ') + (postIds.length > 5 ? ', …' : '');
  return doubt(
    `The service lists an equal post (${shown}), but the evidence does not suffice: its time of creation or its request ` +
      `does not match the send, or another intent claimed it. The intent is held and not sent again. ${decide}`,
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
function withPost(record: IntentRecord, report: PostReport, at: number): IntentRecord {
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

function wantsDraft(intent: Pick<AnyIntent, 'body' | 'extraBody'>): boolean {
  return requestOf(intent).saveAsDraft === true;
}

const sentAgain = 'was sent again since it was read. Read it again before you decide';

function resolve(
  record: IntentRecord,
  { resolution, at, serviceAt = at, attempts = record.attempts }: Happening & { type: 'resolve' },
  { maxLateMs }: IntentPolicy,
): Step {
  const { state, postId, unconfirmed } = record;
  const refuse = (refused: string): Step => ({ record, todo: 'nothing', refused });
  if (isLeased(record, at)) return refuse('is being sent. Wait until its lease ends, then check it again');
  if (resolution.as === 'not_sent' && attempts !== record.attempts) return refuse(sentAgain);
  // The same decision again changes nothing and is allowed.
  if (resolution.as === 'abandoned' && state === 'abandoned') return stay(record);
  if (postId !== undefined) {
    if (resolution.as === 'published' && resolution.postId === postId) return stay(record);
    if (unconfirmed !== true) return refuse('has a post, which it keeps. It is never sent again');
  }
  if (isFinal(state)) return refuse(`is ${state}, which is final`);
  const open = without(record, 'lease', 'notBefore', 'lookup', 'refusedLater');
  const kept = without(open, 'postId', 'unconfirmed', 'acceptedAt', 'post', 'targets');
  switch (resolution.as) {
    case 'published': {
      const wakeAt = wantsDraft(record) ? null : at;
      const named = { postId: resolution.postId, unconfirmed: true as const, acceptedAt: at };
      return stay({ ...without(kept, 'error'), ...named, state: 'accepted', looks: 0, wakeAt, updatedAt: at });
    }
    case 'not_sent': {
      const seen = [...(record.overruled ?? []), ...(record.lookup?.postIds ?? [])];
      // A create that was refused was not executed.
      const mayBeSent = record.sent !== undefined && state !== 'rejected' && !isUnsent(record);
      return stay({
        ...without(kept, 'error'),
        // An operator who decides so after its time wants it sent.
        ...(isLate(record, serviceAt, maxLateMs) && { sendLate: true as const }),
        ...(mayBeSent && { overruled: seen }),
        state: 'ready',
        looks: 0,
        wakeAt: Math.max(at, sendAtOf(record) ?? at),
        updatedAt: at,
      });
    }
    case 'abandoned':
      return stay({ ...kept, state: 'abandoned', wakeAt: null, updatedAt: at });
  }
}
