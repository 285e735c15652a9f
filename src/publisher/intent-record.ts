import type { Post } from '../resources/post-shapes.js';
import type { PostStatus } from '../model/post-status.js';
import type { TargetResult } from '../model/targets.js';

/**
 * The state of an intent.
 *
 * - `ready`: nothing was sent, or the service provably did nothing. A sweep sends it.
 * - `sending`: a process is sending it, or ended while sending it.
 * - `accepted`: the service accepted it, and its post is known. A draft stays `accepted` and is done.
 * - `published`, `partial`, `failed`: the final status of its post.
 * - `rejected`: the service refused it. Only {@link Publisher.resolve} changes it.
 * - `in_doubt`: the service may have executed it, but no listed post proves this. Sweeps search for its post.
 * - `abandoned`: an operator decided that it is never sent again.
 */
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

export type JsonObject = Readonly<Record<string, unknown>>;

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
  readonly body: JsonObject;
  readonly extraBody?: JsonObject;
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
  /** The number of searches for its post since the state changed. */
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
export interface LookupRecord {
  /** When it ended, by the clock of the process that searched. */
  readonly at: number;
  /** How far back it read, in the service's time. */
  readonly since: number;
  readonly result: 'no_match' | 'candidates' | 'failed';
  readonly postIds?: readonly string[];
  readonly error?: IntentError;
  /** When the first search began, in the service's time. */
  readonly firstAt: number;
  /** No search knew the service's time yet: `firstAt` is by the clock of the process that searched first. */
  readonly isFirstLocal?: true;
  /** One of the searches since the send read further back than the window. */
  readonly readBack?: true;
}

export interface PostReport {
  readonly postId: string;
  readonly status?: PostStatus | undefined;
  readonly scheduledFor?: string | undefined;
  readonly post?: Post | undefined;
  readonly targets?: readonly TargetResult[] | undefined;
}
