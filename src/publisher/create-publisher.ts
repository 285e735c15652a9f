import { throwIfAborted } from '../core/flow/abort.js';
import { ConfigurationError, InvalidRequestError } from '../core/errors.js';
import { isFields } from '../core/json.js';
import { openGate, type Gate } from '../core/flow/outage.js';
import {
  checkCallOptions,
  ifPassed,
  invalidArgument,
  isBoolean,
  isFunction,
  isSignal,
  isString,
  isWhole,
  oneOf,
  optionsOf,
  present,
  unchecked,
} from '../core/call/options.js';
import type { WebhookEvent } from '../model/events.js';
import { isMoment, momentOf } from '../model/instant.js';
import type { CreatePostBody } from '../posts/post-shapes.js';
import { retryFailed } from '../posts/retry-failed.js';
import type { DurableStore, TransactionOf } from '../stores/store.js';
import type { IntentChange } from './intents/before-send.js';
import { conflictOf, isSameContent, readContent, withAhead, type Content } from './intents/content.js';
import { newIntent, type PlannedIntent, type Resolution } from './intents/intent.js';
import { normalKey } from './intents/intent-space.js';
import {
  isOpenState,
  isOverdue,
  prune,
  readAll,
  readOpen,
  readStats,
  resolveAll,
  type IntentStats,
  type ResolutionOfAll,
  type ResolveAllQuery,
  readPrunable,
} from './intent-lists.js';
import { intentStates, type IntentRecord, intentOf, type Intent } from './intents/intent-record.js';
import { IntentWorker, type Moved, type WorkerRuntime } from './intent-worker.js';
import { isSendAhead, readOptions, type PublisherOptions } from './options.js';
import { publishMany, type PublishItem, type PublishManyOptions } from './publish-many.js';
import type {
  EnqueueOptions,
  ListIntentsQuery,
  PruneOptions,
  Publisher,
  PublishOptions,
  SweepOptions,
} from './publisher.js';
import { checkKey, decideAgain, provingNothing, refusedItem, StoredIntents } from './intents/stored-intents.js';
import { ForeignItems, type Versioned } from '../stores/records.js';
import { planSweep, Sweeper } from './sweep.js';

/** Methods that only the command uses. */
export type CommandMethods = Pick<DurablePublisher, 'planSweep' | 'planPrune' | 'publishMany'>;

/**
 * Creates a publisher, which publishes each intent once, even across crashes.
 *
 * @example
 * ```ts
 * const publisher = createPublisher({ client, store: new MemoryDurableStore() });
 * const intent = await publisher.publish('campaign-42/de', body);
 * ```
 * @throws {@link ConfigurationError} an option is invalid
 */
export function createPublisher<Store extends DurableStore>(
  options: PublisherOptions<Store>,
): Publisher<TransactionOf<Store>>;
/** @internal */
export function createPublisher<Store extends DurableStore>(
  options: PublisherOptions<Store>,
  runtime?: WorkerRuntime,
): Publisher<TransactionOf<Store>> & CommandMethods;
export function createPublisher(options: PublisherOptions, runtime?: WorkerRuntime): Publisher & CommandMethods {
  return new DurablePublisher(new IntentWorker(readOptions(options), runtime));
}

const contentChecks = { extraBody: unchecked, sendAheadMs: isSendAhead };
const publishCheck = optionsOf<PublishOptions>('an option of publish', contentChecks);
const editCheck = optionsOf<PublishOptions>('an option of edit', contentChecks);
const enqueueCheck = optionsOf<EnqueueOptions>('an option of enqueue', { ...contentChecks, within: unchecked });
const sweepCheck = optionsOf<SweepOptions>('an option of sweep', {
  limit: isWhole({ least: 1 }),
  send: isBoolean,
  signal: isSignal,
  onProgress: isFunction,
});
const listCheck = optionsOf<ListIntentsQuery>('an option of list', {
  state: oneOf(...intentStates),
  prefix: isString,
  overdue: isBoolean,
});
const pruneCheck = optionsOf<PruneOptions>('an option of prune', { olderThan: isMoment });
const resolveAllCheck = optionsOf<ResolveAllQuery>('an option of resolveAll', {
  result: oneOf('no_match', 'failed'),
  prefix: isString,
  sentBefore: ifPassed(isMoment),
});
const resolutionOfAllCheck = optionsOf<ResolutionOfAll>('a part of a resolution', {
  as: present(oneOf('not_sent', 'abandoned')),
});
const resolutionCheck = optionsOf<{ as: string; postId?: string }>('a part of a resolution', {
  as: present(oneOf('published', 'not_sent', 'abandoned')),
  postId: unchecked,
});

/** Checks the arguments of callers: keys, bodies, options and decisions. */
class DurablePublisher implements Publisher {
  readonly #worker: IntentWorker;
  readonly #sweeper: Sweeper;

  constructor(worker: IntentWorker) {
    this.#worker = worker;
    this.#sweeper = new Sweeper(worker);
  }

  async publish(key: string, body: CreatePostBody, options: PublishOptions = {}): Promise<Intent> {
    checkCallOptions(publishCheck, options);
    return this.#publishThrough(openGate, key, this.#read(key, body, options));
  }

  async #publishThrough(gate: Gate, key: string, content: Content): Promise<Intent> {
    const { record, invalid, replayed } = await provingNothing(() => this.#publish(gate, key, content));
    if (invalid !== undefined) throw invalid;
    return intentOf(record, { replayed });
  }

  async #publish(gate: Gate, key: string, content: Content): Promise<Moved & Pick<Intent, 'replayed'>> {
    const worker = this.#worker;
    const { intents } = worker;
    const when = { force: false, gate };
    const newIntent = () => this.#newIntent(key, content);
    // A new intent is written without a read, unless its key has several forms, or it would wait.
    let read = await (gate.isDown ? intents.find(key) : intents.findOtherForm(key));
    // Otherwise it waits for its time, or is too late.
    if (read === undefined && worker.needs(newIntent(), when) === 'send') {
      const sent = await gate.run((report) => worker.send(newIntent(), undefined, when, report));
      if (sent === 'held') return this.#write(intents, key, content, await intents.findOtherForm(key));
      if (sent?.invalid !== undefined) await this.#forget(sent.record);
      if (sent !== undefined) return { ...sent, replayed: false };
      read = await intents.find(key);
    }
    const stored = await this.#write(intents, key, content, read);
    if (stored.record.state === 'accepted') return stored;
    const { record } = await worker.advance(stored, when);
    this.#checkIsSame(record, content); // It was edited in between.
    return { record, replayed: stored.replayed };
  }

  async enqueue(key: string, body: CreatePostBody, options: EnqueueOptions = {}): Promise<Intent> {
    checkCallOptions(enqueueCheck, options);
    const content = this.#read(key, body, options);
    const { settings, space } = this.#worker;
    // A transaction can still be rolled back, so its new intent is not reported.
    const intents =
      options.within === undefined
        ? this.#worker.intents
        : new StoredIntents(storeWithin(settings.store, options.within), space, settings);
    const { record, replayed } = await this.#write(intents, key, content, await intents.findOtherForm(key));
    return intentOf(record, { replayed });
  }

  /**
   * Writes an intent that nothing sends now, unless it exists.
   * @param known the intent as it was read
   */
  async #write(
    intents: StoredIntents,
    key: string,
    content: Content,
    known: Versioned<IntentRecord> | undefined,
  ): Promise<Versioned<IntentRecord> & Pick<Intent, 'replayed'>> {
    for (let read = known; ; read = await intents.find(key)) {
      if (read !== undefined) {
        this.#checkIsSame(read.record, content);
        return { ...read, replayed: true };
      }
      const written = await intents.put(this.#newIntent(key, content));
      if (written !== undefined) return { ...written, replayed: false };
    }
  }

  async resume(key: string): Promise<Intent> {
    const read = await this.#known(key);
    const { record } = await provingNothing(() => this.#worker.advance(read, { force: true }));
    this.#worker.intents.checkService(record);
    return intentOf(record);
  }

  async sweep(options: SweepOptions = {}): Promise<Intent[]> {
    checkCallOptions(sweepCheck, options);
    throwIfAborted(options.signal);
    const moved = await provingNothing(() => this.#sweeper.sweep(options));
    return moved.map((record) => intentOf(record));
  }

  async observe(event: WebhookEvent): Promise<Intent | undefined> {
    // A caller without types may pass anything.
    if (!isFields(event)) throw invalidArgument('event', 'must be a webhook event');
    const key = await this.#sweeper.observe(event);
    return key === undefined ? undefined : this.get(key);
  }

  async resolve(key: string, resolution: Resolution): Promise<Intent> {
    checkResolution(resolution);
    const { record } = await this.#known(key);
    const decided = await provingNothing(() => this.#resolve(record, resolution), decideAgain);
    if (decided instanceof InvalidRequestError) throw decided;
    return intentOf(decided);
  }

  /** Returns the changed intent, or why the decision is refused. */
  async #resolve(known: IntentRecord, resolution: Resolution): Promise<IntentRecord | InvalidRequestError> {
    const { intents, claims } = this.#worker;
    const { attempts } = known;
    const happening = () => ({ type: 'resolve', ...this.#worker.times(), resolution, attempts }) as const;
    // Before the post is claimed: a refused decision must not claim it.
    const { refused } = intents.step(known, happening());
    if (refused !== undefined) return invalidKey(known.key, refused);
    if (resolution.as === 'published') {
      const wrong = await this.#claimNamed(known, resolution.postId);
      if (wrong !== undefined) return invalidArgument('postId', wrong);
    }
    const next = await intents.apply(known, happening());
    if (next === undefined) {
      if (resolution.as === 'published') await claims.retire(known, resolution, { isUnproved: true });
      return unknownKey(known.key);
    }
    if (next.refused !== undefined) return invalidKey(known.key, next.refused);
    // An unconfirmed ID was replaced.
    const { postId } = known;
    if (postId !== undefined && next.record.postId !== postId) await claims.releasePost(postId, known);
    return next.record;
  }

  /** Claims the post that an operator named. Returns why that is not possible. */
  async #claimNamed(record: IntentRecord, postId: string): Promise<string | undefined> {
    try {
      return (await this.#worker.claims.claim(record, postId, 'operator')) ? undefined : 'belongs to another intent';
    } catch (error) {
      const wrong = refusedItem(error);
      if (wrong === undefined) throw error;
      return wrong;
    }
  }

  async cancel(key: string): Promise<Intent> {
    return this.#change(await this.#known(key), (at) => ({ type: 'cancel', at }));
  }

  async edit(key: string, body: CreatePostBody, options: PublishOptions = {}): Promise<Intent> {
    checkCallOptions(editCheck, options);
    const passed = readContent(body, options.extraBody);
    const read = await this.#known(key);
    const { sendAheadMs = read.record.sendAheadMs ?? this.#worker.settings.sendAheadMs } = options;
    const content = withAhead(passed, sendAheadMs);
    return this.#change(read, (at) => ({ type: 'edit', at, content }));
  }

  async #change(read: Versioned<IntentRecord>, change: (at: number) => IntentChange): Promise<Intent> {
    const { intents } = this.#worker;
    const next = await provingNothing(() => intents.apply(read.record, change(this.#worker.now()), read));
    if (next === undefined) throw unknownKey(read.record.key);
    if (next.refused !== undefined) throw invalidKey(read.record.key, next.refused);
    return intentOf(next.record);
  }

  async retryFailed(key: string, retryKey: string): Promise<Intent | undefined> {
    checkKey(retryKey, 'retryKey');
    if (normalKey(retryKey) === normalKey(key))
      throw invalidArgument('retryKey', 'must differ from the key of the intent');
    const retry = retryFailed(intentOf((await this.#known(key)).record));
    if (retry === undefined) return undefined;
    return this.publish(retryKey, retry.body, { extraBody: retry.extraBody });
  }

  /**
   * @param whenAborted `finish`: after an abort, it finishes the started requests, and yields their intents. Then it ends
   *   without an error
   */
  publishMany(
    items: Iterable<PublishItem> | AsyncIterable<PublishItem>,
    options: PublishManyOptions = {},
    whenAborted?: 'finish',
  ): AsyncGenerator<Intent, void, undefined> {
    const publish = async (gate: Gate, { key, body, extraBody, sendAheadMs }: PublishItem) =>
      this.#publishThrough(gate, key, this.#read(key, body, { extraBody, sendAheadMs }));
    return publishMany({ worker: this.#worker, publish, whenAborted }, items, options);
  }

  /** Shows what `sweep` would do. */
  planSweep(): AsyncIterable<PlannedIntent> {
    return planSweep(this.#worker);
  }

  /** Yields the intents that `prune` removes. */
  async *planPrune(olderThan: number): AsyncGenerator<Intent, void, undefined> {
    const foreign = new ForeignItems();
    for await (const { record } of readPrunable(this.#worker, olderThan, foreign)) yield intentOf(record);
    foreign.check();
  }

  async get(key: string): Promise<Intent | undefined> {
    checkKey(key);
    const read = await provingNothing(() => this.#worker.intents.find(key));
    if (read === undefined || this.#worker.space.isForeign(read.record)) return undefined;
    return intentOf(read.record);
  }

  async *list(query: ListIntentsQuery = {}): AsyncGenerator<Intent, void, undefined> {
    checkCallOptions(listCheck, query);
    const { state, prefix = '', overdue = false } = query;
    const foreign = new ForeignItems();
    const read = overdue || isOpenState(state) ? readOpen : readAll;
    for await (const { record } of read(this.#worker, prefix, foreign)) {
      if (state !== undefined && record.state !== state) continue;
      if (!overdue || isOverdue(record, this.#worker.now())) yield intentOf(record);
    }
    foreign.check();
  }

  async *resolveAll(query: ResolveAllQuery = {}, resolution: ResolutionOfAll): AsyncGenerator<Intent, void, undefined> {
    checkCallOptions(resolveAllCheck, query);
    checkCallOptions(present(resolutionOfAllCheck), resolution);
    for await (const record of resolveAll(this.#worker, query, resolution)) yield intentOf(record);
  }

  async stats(): Promise<IntentStats> {
    return readStats(this.#worker);
  }

  async prune(options: PruneOptions): Promise<number> {
    checkCallOptions(present(pruneCheck), options);
    return prune(this.#worker, momentOf(options.olderThan) ?? -Infinity);
  }

  async #known(key: string): Promise<Versioned<IntentRecord>> {
    checkKey(key);
    const read = await provingNothing(() => this.#worker.intents.find(key));
    if (read === undefined) throw unknownKey(key);
    this.#worker.intents.checkService(read.record);
    return read;
  }

  /** Checks the arguments of a new intent. */
  #read(key: string, body: CreatePostBody, { extraBody, sendAheadMs }: PublishOptions): Content {
    checkKey(key);
    return withAhead(readContent(body, extraBody), sendAheadMs ?? this.#worker.settings.sendAheadMs);
  }

  #newIntent(key: string, content: Content): IntentRecord {
    const { service } = this.#worker.space;
    return newIntent(normalKey(key), { ...content, ...(service !== undefined && { service }) }, this.#worker.now());
  }

  /** @throws IntentConflictError it has another body, or belongs to another service */
  #checkIsSame(record: IntentRecord, content: Content): void {
    this.#worker.intents.checkService(record);
    if (!isSameContent(record, content)) throw conflictOf(record.key, record, content);
  }

  /** An intent that the client refused is removed, so that its body can be fixed under the same key. */
  async #forget({ key, updatedAt }: IntentRecord): Promise<void> {
    const { intents } = this.#worker;
    const read = await intents.read(key);
    if (read?.record.state !== 'rejected' || read.record.updatedAt !== updatedAt) return;
    await intents.remove(read);
  }
}

function storeWithin(store: DurableStore, transaction: unknown): DurableStore {
  if (store.within === undefined) {
    throw new ConfigurationError(
      'This store cannot write in your transaction. Omit `within`, or use a SqliteStore or a PostgresStore.',
    );
  }
  return store.within(transaction);
}

const invalidKey = (key: string, predicate: string) => invalidArgument('key', `${JSON.stringify(key)} ${predicate}`);

const unknownKey = (key: string) => invalidKey(key, 'is not known: there is no such intent');

/** @throws InvalidRequestError */
function checkResolution(resolution: { readonly as: string; readonly postId?: unknown }): void {
  checkCallOptions(present(resolutionCheck), resolution);
  const { as, postId } = resolution;
  if (as === 'published' ? typeof postId !== 'string' || postId === '' : postId !== undefined) {
    throw invalidArgument('postId', "must be the post's ID with as: 'published', and omitted otherwise");
  }
}
