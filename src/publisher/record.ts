import type { Post } from '../resources/post-shapes.js';
import type { PostStatus } from '../resources/post-status.js';
import type { TargetResult } from '../model/targets.js';

/**
 * Where an intent stands.
 *
 * - `ready`: nothing is sent, or it is proved that nothing arrived. It will be sent.
 * - `sending`: somebody sends it, or died while sending it.
 * - `accepted`: the service took it, and its post is known. A draft stays here and is done.
 * - `published`, `partial`, `failed`: what became of its post.
 * - `rejected`: the service refused it. Only {@link Publisher.resolve} moves it on.
 * - `in_doubt`: it may have been carried out, and no listed post proves it. It is looked for, and never sent by itself.
 * - `abandoned`: a person gave it up.
 */
export type IntentState =
  'ready' | 'sending' | 'accepted' | 'published' | 'partial' | 'failed' | 'rejected' | 'in_doubt' | 'abandoned';

/** Every state, in the order in which an intent goes through them. */
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

/** Why the last send, or the last look for its post, failed. It holds no body, no header and no key. */
export interface IntentError {
  /** The error's class, for example `RateLimitError`. */
  readonly name: string;
  /** What went wrong, and what to do. */
  readonly message: string;
  /** What became of the create: see `Outcome`. */
  readonly outcome: 'not_sent' | 'rejected' | 'unknown';
  /** The HTTP status. Missing: no reply came. */
  readonly status?: number | undefined;
  /** How long the service asked to wait, in milliseconds. Missing: it did not say. */
  readonly retryAfterMs?: number | undefined;
}

/** JSON's objects. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An intent as the store holds it. Times are milliseconds since 1970 by the clock of who wrote them. */
export interface IntentRecord {
  readonly key: string;
  readonly state: IntentState;
  /** The typed body as it goes over the wire: no `Date`, no `undefined`. */
  readonly body: JsonObject;
  readonly extraBody?: JsonObject;
  /** How many sends were begun. */
  readonly attempts: number;
  /** Who sends it, and until when nobody else needs to look. */
  readonly lease?: { readonly owner: string; readonly until: number };
  readonly sent?: Sent;
  /** With `correlate: 'schedule'`: the times that this intent alone was sent with, the last one last. */
  readonly slots?: readonly number[];
  /** How often its post was looked for since the state changed. */
  readonly looks: number;
  /** `Retry-After`: not to be sent earlier. */
  readonly notBefore?: number;
  /** When something is to be done without anybody asking. `null`: never. */
  readonly wakeAt: number | null;
  readonly postId?: string;
  readonly post?: Post;
  readonly targets?: readonly TargetResult[];
  readonly error?: IntentError;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The last send. */
export interface Sent {
  /** When it was marked, by the clock of who sent it. */
  readonly at: number;
  /**
   * What to add to `at` for the service's clock. Missing: whoever sent it had no reply to learn it from. It errs on the
   * early side.
   */
  readonly skewMs?: number;
}

/** What a reply, a listed post or an event tells of a post. */
export interface PostNews {
  readonly postId: string;
  readonly status?: PostStatus | undefined;
  readonly scheduledFor?: string | undefined;
  readonly post?: Post | undefined;
  readonly targets?: readonly TargetResult[] | undefined;
}
