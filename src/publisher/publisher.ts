import type { AnyPostFields, CheckedFields, CreatePostExtraBody, ManyOf } from '../posts/create-fields.js';
import type { DateTimeInput } from '../schema/fields.js';
import type { OutageProgress } from '../core/flow/outage.js';
import type { WebhookEvent } from '../model/events.js';
import type { Resolution } from './intents/intent.js';
import type { IntentState, Intent } from './intents/intent-record.js';
import type { PublishItem, PublishManyOptions } from './publish-many.js';
import type { IntentStats, ResolveAllQuery } from './intent-lists.js';

/** Options of {@link Publisher.publish}. */
export interface PublishOptions {
  /** Fields that the API document mentions but does not show, such as media. They are part of the intent's content. */
  readonly extraBody?: CreatePostExtraBody | undefined;
  /**
   * Sends a scheduled intent this long before its `scheduledFor`, in milliseconds, 0 or more. It is stored with the
   * intent. `Infinity`: at once. Default: the publisher's `sendAheadMs`; of `edit`: the time that the intent has.
   */
  readonly sendAheadMs?: number | undefined;
}

/** Options of {@link Publisher.enqueue}. */
export interface EnqueueOptions<Transaction = unknown> extends PublishOptions {
  /**
   * Your open transaction on the store's database. With `pg` or `node:sqlite`, pass the client or the `DatabaseSync`
   * that ran `BEGIN`. With postgres.js, pass the `sql` that `begin` passes to your function. A commit keeps the
   * intent, a rollback undoes it. If you omit it, the intent is written at once.
   */
  readonly within?: Transaction | undefined;
}

/** Options of {@link Publisher.sweep}. */
export interface SweepOptions {
  /** The maximum number of intents to resume, 1 or more. Default 100. */
  readonly limit?: number | undefined;
  /** `false` pauses every send: it searches for posts and reads results, and sends nothing. Default `true`. */
  readonly send?: boolean | undefined;
  /** Ends a wait for the service, and starts no other send. Then the sweep rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each pause while the service is down. */
  readonly onProgress?: ((progress: OutageProgress) => void) | undefined;
}

/** The intents that {@link Publisher.list} yields. */
export interface ListIntentsQuery {
  /** Only intents in this state. Default: in any. */
  readonly state?: IntentState | undefined;
  /** Only intents with keys that start with this text. Default: all. */
  readonly prefix?: string | undefined;
  /** `true`: only intents that are still open 15 minutes after their time, as {@link IntentStats} counts them. */
  readonly overdue?: boolean | undefined;
}

/** Options of {@link Publisher.prune}. */
export interface PruneOptions {
  /** Only intents that last changed before this time: a `Date`, an instant, or an ISO 8601 date-time with its offset. */
  readonly olderThan: DateTimeInput;
}

/**
 * Publishes each intent once, even across crashes: it sends each intent at most once automatically. An uncertain send
 * is resolved from evidence, or left for an operator to decide. The publisher is not a queue and has no timers: call
 * {@link Publisher.sweep} from a timer, or {@link Publisher.resume} from the jobs of your own engine.
 */
export interface Publisher<Transaction = unknown> {
  /**
   * Publishes a post under a key, once. The same call again, in any process, returns the same intent. A completed
   * intent is not sent again. For an intent in doubt, it searches for the post. A waiting intent is sent, but not
   * before `Retry-After`. The promise resolves for every outcome, so check `state`. While another call sends the same
   * intent, `state` is `sending`.
   *
   * With `sendAheadMs`, a scheduled intent that is not due yet is only written: its `state` is `ready`, and `sendAt`
   * says when a sweep sends it.
   *
   * A publish costs one create, and three writes to the store without a read. It sends other requests only if the
   * create gets no answer.
   *
   * @example
   * ```ts
   * const intent = await publisher.publish('campaign-42/de', body);
   * if (intent.state === 'rejected') console.error(intent.error?.message);
   * ```
   * @param key 1 to 512 characters; the same key means the same intent. Unicode forms of one text are one key
   * @throws {@link IntentConflictError} the key has another body, or belongs to another service; nothing was sent
   * @throws {@link InvalidRequestError} the body cannot be sent; nothing was sent or stored
   * @throws {@link ConfigurationError} a newer version wrote the intent; it was left as it is
   * @throws the store's error. Its `outcomeOf` is `unknown`, because the post may have been sent: make the same call
   *   again
   */
  publish<Fields extends AnyPostFields>(
    key: string,
    body: CheckedFields<Fields>,
    options?: PublishOptions,
  ): Promise<Intent>;

  /**
   * Writes an intent without sending it. A later `sweep` or `resume`, in any process, sends it. With `within`, the
   * intent is written in your own transaction.
   *
   * @example
   * ```ts
   * await publisher.enqueue('order-7', body, { within: tx });
   * ```
   * @throws as {@link Publisher.publish}; {@link ConfigurationError} if the store has no `within`
   */
  enqueue<Fields extends AnyPostFields>(
    key: string,
    body: CheckedFields<Fields>,
    options?: EnqueueOptions<Transaction>,
  ): Promise<Intent>;

  /**
   * Continues an intent. You can call it again safely. It sends a ready intent, even before its retry time, but not
   * before its `sendAt`. It searches for the post of an intent in doubt, and checks the status of an accepted intent.
   * It ignores an intent that another call is sending.
   *
   * @example
   * ```ts
   * await publisher.resume('campaign-42/de');
   * ```
   * @throws {@link InvalidRequestError} the intent does not exist
   * @throws the store's error, as {@link Publisher.publish}
   */
  resume(key: string): Promise<Intent>;

  /**
   * Resumes due intents: call it after a crash, and from a timer. Posts that a search reads can also resolve other
   * intents. Once an hour, it also reads open intents of processes whose clocks were ahead. It skips intents that a
   * newer version of the package wrote. After 8 failed creates in a row, it first searches for the posts of the others.
   * Then it waits until the service answers again, at most `outageMs`, and continues.
   *
   * @example
   * ```ts
   * setInterval(() => void publisher.sweep().catch(console.error), 60_000);
   * ```
   * @returns the resumed intents. If there are fewer than `limit`, no other intent is due, other processes are resuming
   *   the others, or the service is down
   * @throws {@link InvalidRequestError} an option is invalid
   * @throws the signal's reason if an abort kept an intent from being sent
   * @throws the store's error, as {@link Publisher.publish}, after the others are resumed
   */
  sweep(options?: SweepOptions): Promise<Intent[]>;

  /**
   * Records the final state of an accepted intent from a verified webhook event. If no intent has the event's post, it
   * searches for an intent in doubt with the same text. Events can be lost, duplicated and out of order. An event of an
   * unknown post costs at most 5 store operations.
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
   * Records an operator's decision on an intent that is ready, rejected, in doubt, or whose lease has ended. Decide at
   * least `settleMs` after `sentAt`: until then, the sender may still wait for its reply, and the list may show its post late.
   *
   * - `published`: the intent was executed, and the passed ID is the ID of its post. You can correct the ID until a
   *   reply, an event or a list confirms it.
   * - `not_sent`: the intent becomes ready. The next `resume` or `sweep` searches once more. It sends the intent unless it
   *   finds its post, or an equal post that you had not seen. If the service refuses that send, the intent is in doubt again.
   * - `abandoned`: the intent is never sent again.
   *
   * If the intent already has a post, it keeps this post.
   *
   * @example
   * ```ts
   * await publisher.resolve('campaign-42/it', { as: 'published', postId });
   * ```
   * @throws {@link InvalidRequestError} the intent does not exist, is being sent, has a post, is final, or was sent again
   *   meanwhile. Or the post belongs to another intent, or no store can hold its ID. Nothing changed
   * @throws the store's error. Its `outcomeOf` is `unknown`, because the decision may be recorded, and a sweep may have
   *   sent the intent since: read it with {@link Publisher.get} before you decide again
   */
  resolve(key: string, resolution: Resolution): Promise<Intent>;

  /**
   * Cancels an intent that was not sent: it becomes `abandoned` and is never sent. With `sendAheadMs`, a scheduled
   * intent is not sent until its `sendAt`. An intent that is ready after sends that are proved to have done nothing
   * can be cancelled too. If another call sends the intent at the same time, one of the two wins. The same call again
   * returns the same intent.
   *
   * @example
   * ```ts
   * const { state } = await publisher.cancel('campaign-42/de'); // 'abandoned'
   * ```
   * @throws {@link InvalidRequestError} the intent does not exist, or it was sent, is being sent, or is decided. Nothing
   *   changed. The message says what to do instead
   * @throws {@link IntentConflictError} it belongs to another service
   * @throws the store's error, as {@link Publisher.publish}
   */
  cancel(key: string): Promise<Intent>;

  /**
   * Replaces the body of an intent that was not sent. It sends nothing: a sweep sends the new body, at its `sendAt`. From
   * then on the key belongs to the new body, and a `publish` with the old body is a conflict. It applies to the same
   * intents as `cancel`, and to an intent that was rejected because it was too late. The same call again returns the
   * same intent, also after it was sent.
   *
   * It replaces `extraBody` too, such as media: without the option, the stored `extraBody` is removed. To keep it, pass
   * the `extraBody` of the intent.
   *
   * @example
   * ```ts
   * const intent = await publisher.get('campaign-42/de');
   * if (intent) {
   *   const { key, body, extraBody } = intent;
   *   await publisher.edit(key, { ...body, content: 'Now in blue' }, { extraBody });
   * }
   * ```
   * @throws {@link InvalidRequestError} the body cannot be sent; or as {@link Publisher.cancel}. Nothing changed
   * @throws {@link IntentConflictError} it belongs to another service
   * @throws the store's error, as {@link Publisher.publish}
   */
  edit<Fields extends AnyPostFields>(
    key: string,
    body: CheckedFields<Fields>,
    options?: PublishOptions,
  ): Promise<Intent>;

  /**
   * Publishes the failed targets of a final intent once, under the key `retryKey`. The same call again returns the same
   * intent.
   *
   * @example
   * ```ts
   * const retry = await publisher.retryFailed('campaign-42/de', 'campaign-42/de/retry-1');
   * ```
   * @returns the intent of `retryKey`; `undefined`: no target failed
   * @throws {@link InvalidRequestError} there is no such intent, it is not `published`, `partial` or `failed`, or it is
   *   not certain which account failed
   */
  retryFailed(key: string, retryKey: string): Promise<Intent | undefined>;

  /**
   * Publishes many intents, a few at a time, and yields each intent when its result is known. A refused intent is
   * yielded as `rejected`. After a crash, run it again with the same items: completed intents are not sent again. It
   * reads the source at most twice `concurrency` items ahead.
   *
   * After as many failed creates in a row as `concurrency` (5xx, time-outs, lost and refused connections), it starts no
   * create until the service answers again. It reads one post of the list after 1, 2, 4 … 60 seconds, then sends one
   * create as a trial. So an outage leaves at most 2 × `concurrency` intents in doubt, plus one for each trial. After
   * `outageMs`, it writes the items that it has read, and the rest of an array, as `ready`, and yields them. It reads no
   * more of another source: run it again with the same items.
   *
   * @example
   * ```ts
   * for await (const intent of publisher.publishMany(campaign, { concurrency: 8 })) console.log(intent.key, intent.state);
   * ```
   * @throws the signal's reason after an abort; the error of the source or of the store
   */
  publishMany<Fields extends AnyPostFields>(
    items: ManyOf<PublishItem<CheckedFields<Fields>>>,
    options?: PublishManyOptions,
  ): AsyncGenerator<Intent, void, undefined>;

  /**
   * Reads an intent. Nothing is sent.
   *
   * @example
   * ```ts
   * const intent = await publisher.get('campaign-42/de');
   * ```
   * @returns `undefined` if the intent does not exist, or belongs to another service
   */
  get(key: string): Promise<Intent | undefined>;

  /**
   * Lists intents in the order of their keys. Nothing is sent. For a `state` of open intents (`ready`, `sending`,
   * `in_doubt`, `accepted`), it reads only open intents: an accepted draft is done, so `list({ state: 'accepted' })` does
   * not yield it. The same applies to `overdue`. Otherwise it reads every intent with the prefix. An intent of a newer
   * version hides no other: the list yields the others first, and then rejects.
   *
   * @example
   * ```ts
   * for await (const intent of publisher.list({ state: 'in_doubt' })) console.log(intent.key, intent.lookup);
   * ```
   * @throws {@link ForeignDataError} a newer version wrote one of them
   */
  list(query?: ListIntentsQuery): AsyncGenerator<Intent, void, undefined>;

  /**
   * Decides many intents in doubt, for example after an outage. It searches for the posts of all of them again, with the
   * list calls of one search. It keeps each intent that has a post or a candidate by then, and decides and yields the others.
   * A reply that arrives in the meantime wins. With `not_sent`, an intent becomes ready, and the next `resume` or `sweep`
   * searches once more before it sends. The same call again, also after a crash, decides the rest.
   *
   * Intents in state `sending` are not decided: call {@link Publisher.sweep} first, which searches for their posts.
   *
   * @example
   * ```ts
   * for await (const { key } of publisher.resolveAll({ prefix: 'campaign-42/' }, { as: 'not_sent' })) console.log(key);
   * ```
   * @throws {@link InvalidRequestError} an option is invalid; nothing was decided
   * @throws {@link ForeignDataError} a newer version wrote one of the intents; the others were decided
   * @throws the store's error. Call it again
   */
  resolveAll(
    query: ResolveAllQuery,
    resolution: {
      /** The decision, as in {@link Publisher.resolve}. */
      readonly as: 'not_sent' | 'abandoned';
    },
  ): AsyncGenerator<Intent, void, undefined>;

  /**
   * Counts the open intents, and the late ones among them. It reads each open intent, and no finished one. Nothing is sent.
   *
   * @example
   * ```ts
   * const { byState, overdue } = await publisher.stats();
   * if (overdue > 0 || byState.in_doubt > 0) await alertOperator();
   * ```
   * @throws the store's error
   */
  stats(): Promise<IntentStats>;

  /**
   * Removes intents that are final (`published`, `partial`, `failed`, `abandoned`, and accepted drafts) and last
   * changed before a time. A pruned key counts as new, so keep an intent for as long as any program could publish its
   * key again. The claim of a pruned intent's post stays until the post is older than 24 hours and no equal intent is
   * open. A later `prune` removes it. The service's clock decides how old the post is, so `prune` can read one post of
   * the list.
   *
   * @example
   * ```ts
   * await publisher.prune({ olderThan: new Date(Date.now() - 30 * 86_400_000) });
   * ```
   * @returns how many intents it removed
   * @throws {@link InvalidRequestError} `olderThan` is missing or invalid
   * @throws {@link ForeignDataError} a newer version wrote one of the intents. The others were removed; the message names
   *   its key, and their number
   */
  prune(options: PruneOptions): Promise<number>;
}
