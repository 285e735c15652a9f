import { withoutUndefined, type Fields } from '../../core/json.js';
import { isFromClockAhead } from '../../model/instant.js';
import type { PostStatus } from '../../model/known-values.js';
import type { TargetResult } from '../../model/targets.js';
import type { Post, CreatePostBody } from '../../posts/post-shapes.js';
import { requestOf, scheduledTime } from '../../posts/read-create.js';

/** The state of an intent: {@link Intent.state} explains each. */
export type IntentState =
  'ready' | 'sending' | 'accepted' | 'published' | 'partial' | 'failed' | 'rejected' | 'in_doubt' | 'abandoned';

/** Every state, roughly in the order of an intent's life. */
export const intentStates: readonly IntentState[] = [
  'ready',
  'sending',
  'accepted',
  'published',
  'partial',
  'failed',
  'rejected',
  'in_doubt',
  'abandoned',
];

/** Why the last send, or the last search for its post, failed. It contains no body, no header and no key. */
export interface IntentError {
  /** The error's class, for example `RateLimitError`. */
  readonly name: string;
  /** The problem, and what to do. */
  readonly message: string;
  /** The outcome of the create: see `Outcome`. */
  readonly outcome: 'not_sent' | 'rejected' | 'unknown';
  /** The HTTP status. Missing: no reply arrived. */
  readonly status?: number | undefined;
  /** How long the service asked to wait, in milliseconds. Missing: it did not say. */
  readonly retryAfterMs?: number | undefined;
}

/** The error of an intent that may have been executed, in this package's own words. */
export function doubt(message: string): IntentError {
  return { name: 'SocialPublishingError', message, outcome: 'unknown' };
}

/** The next step of an operator. A request can take 5 minutes, and the service can list its post later. */
export const decide = 'Wait until at least 10 minutes after the send, and check the service. Then call `resolve`';

/** The error of a reply whose post belongs to another intent. */
export const ofOtherIntentText =
  'The service answered with a post that belongs to another intent. That intent took it while it was in doubt, or the ' +
  'service used its ID twice (for example, a new emulator with an old store). The post exists, so do not use not_sent: ' +
  "call `resolve` with as: 'abandoned'. The key is then never sent again.";

/** The error of a complete search without the service's time. An operator can decide without it. */
export const noTimeText =
  "The service's replies have no Date header, so listed posts cannot be matched to the time of the send. The intent is " +
  `held. ${decide}.`;

/**
 * An intent as the store contains it. Times are milliseconds since 1970 by the clock of the process that wrote them.
 * Release 0.2.0 reads and keeps fields that it does not know.
 */
export interface IntentRecord {
  readonly key: string;
  readonly state: IntentState;
  /** The normalised URL of its service. Missing: release 0.2.0, or a client without a URL. It belongs to every service. */
  readonly service?: string;
  /** The typed body as it is sent: no `Date`, no `undefined`. */
  readonly body: Fields;
  readonly extraBody?: Fields;
  /** A scheduled intent is sent this long before its time. Missing: at once. */
  readonly sendAheadMs?: number;
  /** An operator decided to send it, however late. */
  readonly sendLate?: true;
  /** Its caller cancelled or edited it. The same call again changes nothing. */
  readonly changed?: 'cancel' | 'edit';
  /** The number of sends that were started. */
  readonly attempts: number;
  /** The process that sends it. Its lease began at `sent.at`. */
  readonly lease?: { readonly owner: string; readonly until: number };
  readonly sent?: Sent;
  /**
   * Unique times that release 0.2.0 sent it with, the latest last. The last one is its `scheduledFor`, and each of them
   * identifies its post.
   */
  readonly slots?: readonly number[];
  /**
   * An operator decided that it was not sent, although its create may have been executed. A search precedes the next send.
   * The IDs are the candidates that the operator could see.
   */
  readonly overruled?: readonly string[];
  /** It was sent again although its earlier create may have been executed (`onMissing: 'resend'`). */
  readonly resent?: true;
  /** The service refused the last send, although an earlier one may have been executed: only an operator sends it again. */
  readonly refusedLater?: true;
  /** The number of searches since the service accepted it. */
  readonly looks: number;
  /** The last search for the post of an intent in doubt. */
  readonly lookup?: LookupRecord;
  /** The index of intents in doubt has an entry for it. */
  readonly isIndexed?: true;
  /** `Retry-After`: do not send earlier. */
  readonly notBefore?: number;
  /** When a sweep resumes it. `null`: never. */
  readonly wakeAt: number | null;
  readonly postId?: string;
  /** An operator passed the `postId`, and no reply, event or list has confirmed it. */
  readonly unconfirmed?: true;
  /** When the service accepted it. Missing: release 0.2.0 wrote it. */
  readonly acceptedAt?: number;
  readonly post?: Post;
  readonly targets?: readonly TargetResult[];
  readonly error?: IntentError;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Sent {
  /** When it was marked, by the clock of the sender. */
  readonly at: number;
  /**
   * How far the service's clock was ahead of the sender's, by the first `Date` that the sender knew. Missing: the sender
   * knew none. It is never above the true value.
   */
  readonly skewMs?: number;
  /** The same by a later `Date`, if it differs: a clock was set in between. */
  readonly laterSkewMs?: number;
}

/** The last search for the post of an intent in doubt. */
export interface LookupRecord extends Pick<IntentLookup, 'result' | 'postIds' | 'error'> {
  /** When it ended, by the clock of the process that searched. */
  readonly at: number;
  /** How far back it read, in the service's time. */
  readonly since: number;
  /** When the first search began, in the service's time. */
  readonly firstAt: number;
  /** No search knew the service's time yet: `firstAt` is by the clock of the process that searched first. */
  readonly isFirstLocal?: true | undefined;
  /** One of the searches since the send read further back than the window. */
  readonly readBack?: true | undefined;
}

export interface PostReport {
  readonly postId: string;
  readonly status?: PostStatus | undefined;
  readonly scheduledFor?: string | undefined;
  readonly post?: Post | undefined;
  readonly targets?: readonly TargetResult[] | undefined;
}

/** The last search for the post of an intent in doubt. */
export interface IntentLookup {
  /** When it ended, an ISO 8601 date-time by the clock of the process that searched. */
  readonly at: string;
  /** The earliest time that the search read back to, an ISO 8601 date-time in the service's time. */
  readonly since: string;
  /**
   * `no_match`: since `since`, the list shows no equal post without an owner. `candidates`: the list shows such posts,
   * but the evidence is not sufficient. `failed`: the list could not be read whole (see `error`), or no reply had a
   * `Date` header.
   */
  readonly result: 'no_match' | 'candidates' | 'failed';
  /** The IDs of the candidates. */
  readonly postIds?: readonly string[] | undefined;
  /** Why it failed. */
  readonly error?: IntentError | undefined;
}

/** A post to publish once, under a key. */
export interface Intent {
  /** The caller's key: 1 to 512 characters. */
  readonly key: string;
  /**
   * The state.
   *
   * - `ready`: nothing was sent, or the service provably did nothing. A sweep sends it.
   * - `sending`: a process is sending it, or ended while sending it.
   * - `accepted`: the service accepted it, and its post is known. A draft stays `accepted` and is done.
   * - `published`, `partial`, `failed`: the final status of its post.
   * - `rejected`: the service refused it, or it was too late to send it. Only {@link Publisher.resolve} changes it, or
   *   {@link Publisher.edit} if it was never sent.
   * - `in_doubt`: the service may have executed it, but no listed post proves this. Sweeps search for its post.
   * - `abandoned`: an operator, or {@link Publisher.cancel}, decided that it is never sent again.
   */
  readonly state: IntentState;
  /** The body as it is sent: each `Date` is a string. */
  readonly body: CreatePostBody;
  /** Fields in addition to the typed ones. Missing: none were passed. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The ID of its post. Missing: not known. It never changes, unless an operator passed it and it is not confirmed yet.
   */
  readonly postId?: string | undefined;
  /** Its post, as the last reply or list showed it, without `rawRequestBody`. Missing: no reply or list showed it. */
  readonly post?: Post | undefined;
  /** The result of each target, as `targetResults` returns it. Missing: not known. */
  readonly targets?: readonly TargetResult[] | undefined;
  /** Why the last send, or the last search for its post, failed. Missing: it did not fail. */
  readonly error?: IntentError | undefined;
  /** The last search for its post. Only on an intent in doubt; missing before the first search. */
  readonly lookup?: IntentLookup | undefined;
  /**
   * When it is sent: `sendAheadMs` before its `scheduledFor`, an ISO 8601 date-time. A `ready` intent waits until then.
   * Missing: it is not scheduled, or has no `sendAheadMs`.
   */
  readonly sendAt?: string | undefined;
  /** The number of sends that were started. */
  readonly attempts: number;
  /** When its last send began, an ISO 8601 date-time by the clock of the sender. Missing: it was never sent. */
  readonly sentAt?: string | undefined;
  /** When it was first requested, an ISO 8601 date-time by the clock of that process. */
  readonly createdAt: string;
  /** When it last changed, an ISO 8601 date-time by the clock of the process that changed it. */
  readonly updatedAt: string;
  /** Whether it existed before this call. */
  readonly replayed: boolean;
}

/** Returns the time before which an intent is not sent. `undefined`: there is none. */
export function sendAtOf(record: Pick<IntentRecord, 'body' | 'extraBody' | 'sendAheadMs'>): number | undefined {
  const time = record.sendAheadMs === undefined ? undefined : scheduledTime(requestOf(record));
  return time === undefined ? undefined : Math.max(0, time - (record.sendAheadMs ?? 0));
}

/** Copies a record without some of its fields. */
export function without<Name extends keyof IntentRecord>(
  record: IntentRecord,
  ...names: readonly Name[]
): Omit<IntentRecord, Name> {
  const copy = { ...record };
  for (const name of names) Reflect.deleteProperty(copy, name);
  return copy;
}

/** Whether the writer's clock was ahead. Its lease, `Retry-After` and `wakeAt` would last too long by that time. */
export function isFromFuture({ updatedAt }: Pick<IntentRecord, 'updatedAt'>, at: number): boolean {
  return isFromClockAhead(updatedAt, at);
}

/** Makes the public form of an intent. Unknown fields are missing. */
export function intentOf(record: IntentRecord, { replayed = true }: Partial<Pick<Intent, 'replayed'>> = {}): Intent {
  const { key, state, body, extraBody, postId, post, targets, error, lookup, attempts } = record;
  const sendAt = sendAtOf(record);
  return withoutUndefined({
    key,
    state,
    // The schema of a create accepted it before it was stored.
    body: body as unknown as CreatePostBody,
    attempts,
    sentAt: record.sent && new Date(record.sent.at).toISOString(),
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    replayed,
    extraBody,
    sendAt: sendAt === undefined ? undefined : new Date(sendAt).toISOString(),
    postId,
    post,
    targets,
    error,
    lookup: lookup && state === 'in_doubt' ? lookupOf(lookup) : undefined,
  });
}

function lookupOf({ at, since, result, postIds, error }: LookupRecord): IntentLookup {
  const times = { at: new Date(at).toISOString(), since: new Date(since).toISOString() };
  return withoutUndefined({ ...times, result, postIds, error });
}
