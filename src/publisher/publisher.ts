import type { CheckedFields, CreatePostExtraBody, CreatePostFields } from '../resources/create-fields.js';
import type { DateTimeInput } from '../schema/fields.js';
import type { WebhookEvent } from '../model/events.js';
import type { CreatePostBody } from '../resources/post-shapes.js';
import type { Resolution } from './intent.js';
import type { PublishItem, PublishManyOptions } from './many.js';
import type { IntentState } from './record.js';
import type { Intent } from './view.js';

/** What {@link Publisher.publish} takes beside the body. */
export interface PublishOptions {
  /** Fields that the API document mentions without showing, such as media. They belong to the intent's content. */
  readonly extraBody?: CreatePostExtraBody | undefined;
}

/** What {@link Publisher.enqueue} takes beside the body. */
export interface EnqueueOptions<Transaction = unknown> extends PublishOptions {
  /**
   * Your open transaction on the store's database: the `pg` client that ran `BEGIN`, the `sql` that postgres.js passes to
   * the function of `begin`, or the `DatabaseSync` that ran `BEGIN`. A commit keeps the intent, a rollback undoes it. If
   * you omit it, the intent is written at once.
   */
  readonly within?: Transaction | undefined;
}

/** What {@link Publisher.sweep} takes. */
export interface SweepOptions {
  /** How many intents at most, 1 or more. Default 100. */
  readonly limit?: number | undefined;
}

/** Which intents {@link Publisher.list} gives. */
export interface ListIntentsQuery {
  /** Only intents in this state. Default: in any. */
  readonly state?: IntentState | undefined;
  /** Only intents whose keys start with this text. Default: all. */
  readonly prefix?: string | undefined;
}

/** What {@link Publisher.prune} takes. */
export interface PruneOptions {
  /** Only what last changed before this time: a `Date`, an instant, or an ISO 8601 date-time with its offset. */
  readonly olderThan: DateTimeInput;
}

/**
 * Publishes each intent once, whatever crashes: at most one automatic send per intent; a doubt is settled by evidence, or
 * held, never guessed. It is no queue and has no timers: call {@link Publisher.sweep} now and then, or let an engine of
 * your own call {@link Publisher.resume}.
 */
export interface Publisher<Transaction = unknown> {
  /** The same for a body whose mode the compiler does not know, for example of a form. See the next signature. */
  publish<Fields extends CreatePostFields>(
    key: string,
    body: CheckedFields<Fields>,
    options?: PublishOptions,
  ): Promise<Intent>;
  /**
   * Publishes something under a key, once. The same call again, in any process, gives the same intent: what is done is not
   * done again, what is in doubt is looked for, what waits is sent (not before a `Retry-After`). It resolves whatever
   * became of it: look at `state`. While another call sends the same intent, it resolves to `sending` at once.
   *
   * A publish costs the create, three writes to the store and no read. If the create is answered, it sends no further
   * request.
   *
   * @example
   * ```ts
   * const intent = await publisher.publish('campaign-42/de', body);
   * if (intent.state === 'rejected') console.error(intent.error?.message);
   * ```
   * @param key 1 to 512 characters; the same for what is the same to you
   * @throws {@link IntentConflictError} the key has another body; nothing was sent
   * @throws {@link InvalidRequestError} the body can't be sent; nothing was sent or kept
   * @throws {@link ConfigurationError} a newer version wrote the intent; it was left as it is
   * @throws what the store throws
   */
  publish(key: string, body: CreatePostBody, options?: PublishOptions): Promise<Intent>;

  /** The same for a body whose mode the compiler does not know, for example of a form. See the next signature. */
  enqueue<Fields extends CreatePostFields>(
    key: string,
    body: CheckedFields<Fields>,
    options?: EnqueueOptions<Transaction>,
  ): Promise<Intent>;
  /**
   * Writes an intent without sending it: a later `sweep` or `resume`, in any process, sends it. With `within` it is
   * written in your own transaction.
   *
   * @throws as {@link Publisher.publish}; {@link ConfigurationError} where the store knows no `within`
   */
  enqueue(key: string, body: CreatePostBody, options?: EnqueueOptions<Transaction>): Promise<Intent>;

  /**
   * Moves an intent on, however often it is called: sends what is ready (before its time too), looks for what is in
   * doubt, or asks what became of what was accepted. It leaves alone what another call is sending.
   *
   * @throws {@link InvalidRequestError} there is no such intent
   * @throws what the store throws
   */
  resume(key: string): Promise<Intent>;

  /**
   * Resumes what is due: after a crash, or from a timer. Intents that a newer version wrote are left to it.
   *
   * @returns what was resumed. Fewer than `limit`: nothing more is due
   * @throws what the store throws, once the others are resumed
   */
  sweep(options?: SweepOptions): Promise<Intent[]>;

  /**
   * Takes a verified webhook event: the final state of an accepted intent. An event of a post that no intent has prompts a
   * look for intents in doubt with the same text. Events may be lost, doubled and out of order.
   *
   * @returns the intent that the event's post belongs to; `undefined`: it belongs to none
   * @throws what the store throws
   */
  observe(event: WebhookEvent): Promise<Intent | undefined>;

  /**
   * Takes a person's word on an intent that is ready, rejected, in doubt, or whose sender died: `published` with the ID of
   * its post; `not_sent`: it is made ready, and sent by the next `resume` or `sweep`; `abandoned`: it is given up.
   * An intent that has a post keeps it.
   *
   * @throws {@link InvalidRequestError} there is no such intent, it is being sent, it has a post or is final, or the post
   *   belongs to another intent; nothing changed
   */
  resolve(key: string, resolution: Resolution): Promise<Intent>;

  /** The same for bodies whose modes the compiler does not know. See the next signature. */
  publishMany<Fields extends CreatePostFields>(
    items: Iterable<PublishItem<CheckedFields<Fields>>> | AsyncIterable<PublishItem<CheckedFields<Fields>>>,
    options?: PublishManyOptions,
  ): AsyncGenerator<Intent, void, undefined>;
  /**
   * Publishes many, a few at a time, and yields each as it comes: what is refused too, as `rejected`. Run it again after
   * a crash, with the same items: what is done is skipped. It reads its source no further ahead than twice `concurrency`.
   *
   * @throws the signal's reason at an abort; what the source or the store throws
   */
  publishMany(
    items: Iterable<PublishItem> | AsyncIterable<PublishItem>,
    options?: PublishManyOptions,
  ): AsyncGenerator<Intent, void, undefined>;

  /**
   * Reads an intent. Nothing is sent.
   *
   * @returns `undefined` where there is none
   */
  get(key: string): Promise<Intent | undefined>;

  /**
   * Lists intents in the order of their keys. Nothing is sent. It reads every intent that has the prefix.
   *
   * @throws {@link ConfigurationError} one of them was written by a newer version
   */
  list(query?: ListIntentsQuery): AsyncGenerator<Intent, void, undefined>;

  /**
   * Forgets what is final (`published`, `partial`, `failed`, `abandoned`, and drafts that were accepted) and last changed
   * before a time. A key that is forgotten is new again: publish nothing under it that must not be published twice.
   *
   * @returns how many it forgot
   * @throws {@link ConfigurationError} one of the intents was written by a newer version; nothing was forgotten
   */
  prune(options: PruneOptions): Promise<number>;
}
