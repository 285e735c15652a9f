import type { CheckedFields, CreatePostExtraBody, CreatePostFields } from '../resources/create-fields.js';
import type { DateTimeInput } from '../schema/fields.js';
import type { WebhookEvent } from '../model/events.js';
import type { CreatePostBody } from '../resources/post-shapes.js';
import type { Resolution } from './intent.js';
import type { IntentState } from './intent-record.js';
import type { Intent } from './intent-view.js';
import type { PublishItem, PublishManyOptions } from './publish-many.js';

/** Options of {@link Publisher.publish}. */
export interface PublishOptions {
  /** Fields that the API document mentions without showing, such as media. They belong to the intent's content. */
  readonly extraBody?: CreatePostExtraBody | undefined;
}

/** Options of {@link Publisher.enqueue}. */
export interface EnqueueOptions<Transaction = unknown> extends PublishOptions {
  /**
   * Your open transaction on the store's database: the `pg` client that ran `BEGIN`, the `sql` that postgres.js passes to
   * the function of `begin`, or the `DatabaseSync` that ran `BEGIN`. A commit keeps the intent, a rollback undoes it. If
   * you omit it, the intent is written at once.
   */
  readonly within?: Transaction | undefined;
}

/** Options of {@link Publisher.sweep}. */
export interface SweepOptions {
  /** The most intents that are resumed, 1 or more. Default 100. */
  readonly limit?: number | undefined;
}

/** The intents that {@link Publisher.list} yields. */
export interface ListIntentsQuery {
  /** Only intents in this state. Default: in any. */
  readonly state?: IntentState | undefined;
  /** Only intents with keys that start with this text. Default: all. */
  readonly prefix?: string | undefined;
}

/** Options of {@link Publisher.prune}. */
export interface PruneOptions {
  /** Only intents that last changed before this time: a `Date`, an instant, or an ISO 8601 date-time with its offset. */
  readonly olderThan: DateTimeInput;
}

/**
 * Publishes each intent once, whatever crashes: at most one automatic send per intent. An uncertain send is resolved from
 * evidence, or held, never guessed. It is not a queue and has no timers: call {@link Publisher.sweep} from a timer, or
 * {@link Publisher.resume} from the jobs of your own engine.
 */
export interface Publisher<Transaction = unknown> {
  /** The same for a body whose mode the compiler does not know, for example of a form. See the next signature. */
  publish<Fields extends CreatePostFields>(
    key: string,
    body: CheckedFields<Fields>,
    options?: PublishOptions,
  ): Promise<Intent>;
  /**
   * Publishes a post under a key, once. The same call again, in any process, returns the same intent. It does not send
   * a completed intent again. It searches for an intent in doubt, and sends a waiting one, but not before
   * `Retry-After`. It resolves whatever the outcome is: check `state`. While another call sends the same intent, it
   * resolves to `sending` at once.
   *
   * A publish costs the create, three writes to the store and no read. If the create is answered, it sends no further
   * request.
   *
   * @example
   * ```ts
   * const intent = await publisher.publish('campaign-42/de', body);
   * if (intent.state === 'rejected') console.error(intent.error?.message);
   * ```
   * @param key 1 to 512 characters; the same key means the same intent
   * @throws {@link IntentConflictError} the key has another body; nothing was sent
   * @throws {@link InvalidRequestError} the body cannot be sent; nothing was sent or stored
   * @throws {@link ConfigurationError} a newer version wrote the intent; it was left as it is
   * @throws the store's error
   */
  publish(key: string, body: CreatePostBody, options?: PublishOptions): Promise<Intent>;

  /** The same for a body whose mode the compiler does not know, for example of a form. See the next signature. */
  enqueue<Fields extends CreatePostFields>(
    key: string,
    body: CheckedFields<Fields>,
    options?: EnqueueOptions<Transaction>,
  ): Promise<Intent>;
  /**
   * Writes an intent without sending it: a later `sweep` or `resume`, in any process, sends it. With `within`, it is
   * written in your own transaction.
   *
   * @example
   * ```ts
   * await publisher.enqueue('order-7', body, { within: tx });
   * ```
   * @throws as {@link Publisher.publish}; {@link ConfigurationError} if the store has no `within`
   */
  enqueue(key: string, body: CreatePostBody, options?: EnqueueOptions<Transaction>): Promise<Intent>;

  /**
   * Continues an intent. You can repeat it safely. It sends an intent that is ready (before its time too), searches for
   * an intent in doubt, and checks an accepted one. It ignores an intent that another call is sending.
   *
   * @example
   * ```ts
   * await publisher.resume('campaign-42/de');
   * ```
   * @throws {@link InvalidRequestError} the intent does not exist
   * @throws the store's error
   */
  resume(key: string): Promise<Intent>;

  /**
   * Resumes due intents: after a crash, or from a timer. A walk over the list also settles further intents that it shows.
   * Once an hour it also reads open intents of processes whose clocks were ahead. Intents that a newer version wrote are
   * left to it.
   *
   * @example
   * ```ts
   * setInterval(() => void publisher.sweep(), 60_000);
   * ```
   * @returns the resumed intents. Fewer than `limit`: nothing more is due, or other processes are sweeping it
   * @throws {@link InvalidRequestError} an option is invalid
   * @throws the store's error, after the others are resumed
   */
  sweep(options?: SweepOptions): Promise<Intent[]>;

  /**
   * Takes a verified webhook event: the final state of an accepted intent. An event of a post that no intent has triggers a
   * search for intents in doubt with the same text. Events can be lost, duplicated and out of order.
   *
   * @example
   * ```ts
   * createWebhookReceiver({ secret, on: { default: (event) => publisher.observe(event) } });
   * ```
   * @returns the intent that the event's post belongs to; `undefined`: it belongs to none
   * @throws the store's error
   */
  observe(event: WebhookEvent): Promise<Intent | undefined>;

  /**
   * Records an operator's decision on an intent that is ready, rejected, in doubt, or whose sender ended.
   *
   * - `published`: it has the post with the passed ID. You can correct the ID until a reply, an event or a list confirms
   *   it.
   * - `not_sent`: it becomes ready, and the next `resume` or `sweep` sends it.
   * - `abandoned`: it is never sent again.
   *
   * An intent with a post keeps it.
   *
   * @example
   * ```ts
   * await publisher.resolve('campaign-42/it', { as: 'published', postId });
   * ```
   * @throws {@link InvalidRequestError} the intent does not exist, it is being sent, it has a post or is final, or the
   *   post belongs to another intent; nothing changed
   */
  resolve(key: string, resolution: Resolution): Promise<Intent>;

  /**
   * Publishes the failed targets of a final intent, once, under their own key. The same call again returns the same intent.
   *
   * @example
   * ```ts
   * const retry = await publisher.retryFailed('campaign-42/de', 'campaign-42/de/retry-1');
   * ```
   * @returns the intent of `retryKey`; `undefined`: no target failed
   * @throws {@link InvalidRequestError} there is no such intent, it is not `published`, `partial` or `failed`, or it is not
   *   certain which account failed
   */
  retryFailed(key: string, retryKey: string): Promise<Intent | undefined>;

  /** The same for bodies whose modes the compiler does not know. See the next signature. */
  publishMany<Fields extends CreatePostFields>(
    items: Iterable<PublishItem<CheckedFields<Fields>>> | AsyncIterable<PublishItem<CheckedFields<Fields>>>,
    options?: PublishManyOptions,
  ): AsyncGenerator<Intent, void, undefined>;
  /**
   * Publishes many intents, a few at a time, and yields each as it is ready: refused ones too, as `rejected`. After a crash,
   * run it again with the same items: it skips completed ones. It reads its source at most twice `concurrency` ahead.
   *
   * @example
   * ```ts
   * for await (const intent of publisher.publishMany(campaign, { concurrency: 8 })) console.log(intent.key, intent.state);
   * ```
   * @throws the signal's reason after an abort; the error of the source or of the store
   */
  publishMany(
    items: Iterable<PublishItem> | AsyncIterable<PublishItem>,
    options?: PublishManyOptions,
  ): AsyncGenerator<Intent, void, undefined>;

  /**
   * Reads an intent. Nothing is sent.
   *
   * @example
   * ```ts
   * const intent = await publisher.get('campaign-42/de');
   * ```
   * @returns `undefined` if the intent does not exist
   */
  get(key: string): Promise<Intent | undefined>;

  /**
   * Lists intents in the order of their keys. Nothing is sent. It reads every intent with the prefix.
   *
   * @example
   * ```ts
   * for await (const intent of publisher.list({ state: 'in_doubt' })) console.log(intent.key, intent.lookup);
   * ```
   * @throws {@link ConfigurationError} a newer version wrote one of them
   */
  list(query?: ListIntentsQuery): AsyncGenerator<Intent, void, undefined>;

  /**
   * Removes intents that are final (`published`, `partial`, `failed`, `abandoned`, and accepted drafts) and last changed
   * before a time. A pruned key is new again: keep intents for longer than anything repeats them. The claim of a pruned
   * intent's post stays until the post is older than 24 hours and no equal intent is open; a later `prune` removes it. The
   * service's clock decides how old the post is, so `prune` can read one post of the list.
   *
   * @example
   * ```ts
   * await publisher.prune({ olderThan: new Date(Date.now() - 30 * 86_400_000) });
   * ```
   * @returns how many intents it removed
   * @throws {@link InvalidRequestError} `olderThan` is missing or invalid
   * @throws {@link ConfigurationError} a newer version wrote one of the intents; nothing was removed
   */
  prune(options: PruneOptions): Promise<number>;
}
