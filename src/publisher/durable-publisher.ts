import { ConfigurationError, IntentConflictError, InvalidRequestError } from '../core/errors.js';
import type { WebhookEvent } from '../model/events.js';
import type { CreatePostBody } from '../resources/post-shapes.js';
import { checkCall } from './check-call.js';
import { storeKey } from './codec.js';
import { isSameContent, readContent, type Content } from './content.js';
import { Engine } from './engine.js';
import { newIntent, type Resolution } from './intent.js';
import { Intents, type Versioned } from './intents.js';
import { checkItem, publishMany, type PublishItem, type PublishManyOptions } from './many.js';
import type { PublisherSettings } from './options.js';
import type {
  EnqueueOptions,
  ListIntentsQuery,
  PruneOptions,
  Publisher,
  PublishOptions,
  SweepOptions,
} from './publisher.js';
import type { IntentRecord } from './record.js';
import type { Internals } from './steps.js';
import { observe, sweep } from './sweep.js';
import { checkList, prune, readAll, readTime } from './upkeep.js';
import { intentOf, type Intent } from './view.js';

/** The publisher over the engine: keys, bodies and words of callers are checked here. */
export class DurablePublisher implements Publisher {
  readonly #settings: PublisherSettings;
  readonly #engine: Engine;

  constructor(settings: PublisherSettings, internals: Internals) {
    this.#settings = settings;
    this.#engine = new Engine(settings, internals);
  }

  async publish(key: string, body: CreatePostBody, options: PublishOptions = {}): Promise<Intent> {
    checkCall(options, ['extraBody']);
    storeKey(key);
    const engine = this.#engine;
    const content = readContent(body, options.extraBody);
    // What is new is written without a look first. Where it would claim a time of its own, it must be new for certain.
    let read = this.#settings.correlate && (await engine.intents.read(key));
    for (;;) {
      if (read !== undefined) {
        checkContent(read, content);
        const replay = read.record.state === 'accepted' ? read : await engine.advance(read, false);
        return intentOf(replay.record, true);
      }
      const { record } = await engine.begin(newIntent(key, content, engine.now()), false);
      const marked = await engine.mark(record, () => engine.intents.insert(record));
      if (marked !== undefined) return this.#deliver(marked);
      read = await engine.intents.read(key); // Nothing, where it was pruned since.
    }
  }

  async #deliver(marked: Versioned): Promise<Intent> {
    const { record, invalid } = await this.#engine.deliver(marked);
    if (invalid === undefined) return intentOf(record, false);
    await this.#forget(record);
    throw invalid;
  }

  async enqueue(key: string, body: CreatePostBody, options: EnqueueOptions = {}): Promise<Intent> {
    checkCall(options, ['extraBody', 'within']);
    storeKey(key);
    const content = readContent(body, options.extraBody);
    const store = this.#storeWithin(options.within);
    const intents = new Intents(store, this.#settings);
    for (;;) {
      const record = newIntent(key, content, this.#engine.now());
      if ((await intents.insert(record)) !== undefined) return intentOf(record, false);
      const read = await intents.read(key);
      if (read === undefined) continue; // Pruned since.
      checkContent(read, content);
      return intentOf(read.record, true);
    }
  }

  async resume(key: string): Promise<Intent> {
    const read = await this.#engine.intents.read(key);
    if (read === undefined) throw unknownKey();
    return intentOf((await this.#engine.advance(read, true)).record, true);
  }

  async sweep(options: SweepOptions = {}): Promise<Intent[]> {
    checkCall(options, ['limit']);
    const { limit = 100 } = options;
    if (!Number.isInteger(limit) || limit < 1) throw invalid('limit', 'must be an integer of 1 or more');
    return (await sweep(this.#engine, limit)).map((record) => intentOf(record, true));
  }

  async observe(event: WebhookEvent): Promise<Intent | undefined> {
    const key = await observe(this.#engine, event);
    return key === undefined ? undefined : this.get(key);
  }

  async resolve(key: string, resolution: Resolution): Promise<Intent> {
    checkResolution(resolution);
    const { intents, claims } = this.#engine;
    const happening = () => ({ type: 'resolve', at: this.#engine.now(), resolution }) as const;
    const read = await intents.read(key);
    if (read === undefined) throw unknownKey();
    // Before its post is claimed: a word that is refused must claim nothing.
    const { refused } = intents.step(read.record, happening());
    if (refused !== undefined) throw invalid('key', refused);
    if (resolution.as === 'published' && !(await claims.claimPost(resolution.postId, key))) {
      throw invalid('postId', 'belongs to another intent');
    }
    const next = await intents.apply(key, happening());
    if (next === undefined) throw unknownKey();
    if (next.refused !== undefined) throw invalid('key', next.refused);
    return intentOf(next.record, true);
  }

  publishMany(
    items: Iterable<PublishItem> | AsyncIterable<PublishItem>,
    options: PublishManyOptions = {},
  ): AsyncGenerator<Intent, void, undefined> {
    const publish = async (item: PublishItem) => {
      const { key, body, extraBody } = checkItem(item);
      return this.publish(key, body, { extraBody });
    };
    return publishMany(publish, items, options);
  }

  async get(key: string): Promise<Intent | undefined> {
    const read = await this.#engine.intents.read(key);
    return read && intentOf(read.record, true);
  }

  async *list(query: ListIntentsQuery = {}): AsyncGenerator<Intent, void, undefined> {
    checkList(query);
    for await (const { record } of readAll(this.#engine, query.prefix ?? '')) {
      if (query.state === undefined || record.state === query.state) yield intentOf(record, true);
    }
  }

  async prune(options: PruneOptions): Promise<number> {
    return prune(this.#engine, readTime(options));
  }

  #storeWithin(transaction: unknown) {
    const { store } = this.#settings;
    if (transaction === undefined) return store;
    if (store.within === undefined) {
      throw new ConfigurationError(
        'This store can write nothing in a transaction of yours: enqueue without `within`, or use a SqliteStore or a PostgresStore.',
      );
    }
    return store.within(transaction);
  }

  /** What the client refused to send is forgotten, so that it can be mended under the same key. */
  async #forget({ key, updatedAt, slots }: IntentRecord): Promise<void> {
    const { intents, claims } = this.#engine;
    const read = await intents.read(key);
    if (read?.record.state !== 'rejected' || read.record.updatedAt !== updatedAt) return;
    await claims.release(key, undefined, slots);
    await intents.remove(read);
  }
}

function invalid(name: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path: [name], message }]);
}

const unknownKey = () => invalid('key', 'is not known: there is no such intent');

/** @throws IntentConflictError */
function checkContent({ record }: Versioned, content: Content): void {
  if (!isSameContent(record, content)) throw new IntentConflictError(record.key);
}

/** @throws InvalidRequestError */
function checkResolution(resolution: unknown): void {
  if (typeof resolution === 'object' && resolution !== null) checkCall(resolution, ['as', 'postId']);
  const { as, postId } = (resolution ?? {}) as { as?: unknown; postId?: unknown };
  if (as !== 'published' && as !== 'not_sent' && as !== 'abandoned') {
    throw invalid('as', "must be 'published', 'not_sent' or 'abandoned'");
  }
  if (as === 'published' ? typeof postId !== 'string' || postId === '' : postId !== undefined) {
    throw invalid('postId', "must be the post's ID with as: 'published', and is not given otherwise");
  }
}
