/** Publishing many intents side by side, without ever holding more than a few of them. */
import type { CreatePostExtraBody } from '../resources/create-fields.js';
import { IntentConflictError, InvalidRequestError } from '../core/errors.js';
import { misspeltNames } from '../core/names.js';
import type { CreatePostBody } from '../resources/post-shapes.js';
import { checkCall } from './check-call.js';
import type { IntentState } from './record.js';
import { describeError } from './send.js';
import type { Intent } from './view.js';

/** One intent of {@link Publisher.publishMany}. */
export interface PublishItem<Body = CreatePostBody> {
  /** The intent's key: 1 to 512 characters. */
  readonly key: string;
  /** What is to be published. */
  readonly body: Body;
  /** Fields that the API document mentions without showing, such as media. */
  readonly extraBody?: CreatePostExtraBody | undefined;
}

/** How many intents are in which state, as far as they came by. Each intent counts once. */
export interface PublishProgress {
  /** How many items there are in all. Missing: the source does not tell. */
  readonly total?: number | undefined;
  /** To be sent later: the service asked to wait, refused the key, or was not reached. */
  readonly ready: number;
  /** Another call or process is sending them. */
  readonly sending: number;
  /** Taken by the service: scheduled, being published, or saved as a draft. */
  readonly accepted: number;
  /** Published on every target. */
  readonly published: number;
  /** Published on some targets, or with warnings. */
  readonly partial: number;
  /** Published on no target. */
  readonly failed: number;
  /** Refused: by the service, or since the body can't be sent, or since the key has another body. */
  readonly rejected: number;
  /** Perhaps carried out: they are looked for. */
  readonly inDoubt: number;
  /** Given up by a person. */
  readonly abandoned: number;
}

/** How to publish many. */
export interface PublishManyOptions {
  /** How many are under way at once, 1 or more. Default 4. The client's own limits hold beside it. */
  readonly concurrency?: number | undefined;
  /**
   * Ends the iteration with the signal's reason. No further item is taken and no further one is sent; what is being sent
   * is finished and noted in the background.
   */
  readonly signal?: AbortSignal | undefined;
  /** Is told after each intent. */
  readonly onProgress?: ((progress: PublishProgress) => void) | undefined;
}

type Items = Iterable<PublishItem> | AsyncIterable<PublishItem>;
type Publish = (item: PublishItem) => Promise<Intent>;

/** What is under way or waits to be taken, for each call that may be under way. */
const aheadPerCall = 2;

export async function* publishMany(
  publish: Publish,
  items: Items,
  options: PublishManyOptions,
): AsyncGenerator<Intent, void, undefined> {
  checkCall(options, ['concurrency', 'signal', 'onProgress']);
  const { concurrency = 4, signal, onProgress } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new InvalidRequestError([{ path: ['concurrency'], message: 'must be an integer of 1 or more' }]);
  }
  signal?.throwIfAborted();
  const run = new Run(publish, items, concurrency, signal);
  const progress = new Counter(Array.isArray(items) ? items.length : undefined);
  try {
    for (;;) {
      const intent = await run.next();
      if (intent === undefined) return;
      progress.count(intent);
      onProgress?.(progress.counts());
      yield intent;
    }
  } finally {
    await run.close();
  }
}

const itemParts: ReadonlySet<string> = new Set<keyof PublishItem>(['key', 'body', 'extraBody']);

/** @throws InvalidRequestError a part is misspelt. What else an item holds is its own affair */
export function checkItem(item: PublishItem): PublishItem {
  const issues = misspeltNames(item, itemParts);
  if (issues.length > 0) throw new InvalidRequestError(issues);
  return item;
}

/** One run: a source that is read ahead, calls under way, and intents that nobody has taken yet. */
class Run {
  readonly #publish: Publish;
  readonly #source: Iterator<PublishItem> | AsyncIterator<PublishItem>;
  readonly #concurrency: number;
  readonly #signal: AbortSignal | undefined;
  readonly #done: Intent[] = [];
  /** Calls of workers that wait until there is room for one more intent. */
  readonly #waiting: (() => void)[] = [];
  #workers = 0;
  #underWay = 0;
  /** The source is asked one question at a time: many sources can't answer two. */
  #turn: Promise<unknown> = Promise.resolve();
  #sourceEnded = false;
  /** Nothing more is to be begun. */
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;
  readonly #onAbort = () => {
    this.#ended = true;
    this.#wake?.();
  };

  constructor(publish: Publish, items: Items, concurrency: number, signal: AbortSignal | undefined) {
    this.#publish = publish;
    this.#source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
    this.#concurrency = concurrency;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort);
    for (let index = 0; index < concurrency; index += 1) void this.#work();
  }

  /** The next intent, whichever is ready first; `undefined` at the end. */
  async next(): Promise<Intent | undefined> {
    for (;;) {
      this.#signal?.throwIfAborted();
      const intent = this.#done.shift();
      if (intent !== undefined) {
        this.#wakeWorkers();
        return intent;
      }
      if (this.#workers === 0) {
        if (this.#failure !== undefined) throw this.#failure.error;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    const wasEnded = this.#sourceEnded;
    this.#ended = true;
    this.#wakeWorkers();
    if (!wasEnded) await this.#closeSource();
  }

  async #closeSource(): Promise<void> {
    this.#sourceEnded = true;
    // A source that is busy closes once it has answered; nobody waits for that.
    const closing = this.#turn.then(() => this.#source.return?.());
    if (this.#signal?.aborted === true) void closing.catch(() => undefined);
    else await closing;
  }

  #wakeWorkers(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #work(): Promise<void> {
    this.#workers += 1;
    try {
      while (!this.#ended) {
        if (this.#underWay + this.#done.length >= aheadPerCall * this.#concurrency) {
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
          continue;
        }
        this.#underWay += 1;
        try {
          const item = await this.#pull();
          if (item === undefined || this.#isOver()) return;
          this.#done.push(await this.#one(item));
        } finally {
          this.#underWay -= 1;
        }
        this.#wake?.();
      }
    } catch (error) {
      this.#failure ??= { error };
      this.#ended = true;
    } finally {
      this.#workers -= 1;
      this.#wakeWorkers();
      this.#wake?.();
    }
  }

  /** Changes while others work. */
  #isOver(): boolean {
    return this.#ended;
  }

  #pull(): Promise<PublishItem | undefined> {
    const pulled = this.#turn.then(async () => {
      if (this.#ended || this.#sourceEnded) return undefined;
      const { done, value } = (await this.#source.next()) as IteratorResult<PublishItem, unknown>;
      if (done !== true) return value;
      this.#sourceEnded = true;
      return undefined;
    });
    this.#turn = pulled.catch(() => {
      // A source that threw is over, and closes itself.
      this.#sourceEnded = true;
    });
    return pulled;
  }

  /** What is refused is no reason to stop the others: it is yielded as what it is. */
  async #one(item: PublishItem): Promise<Intent> {
    try {
      return await this.#publish(item);
    } catch (error) {
      if (!(error instanceof InvalidRequestError) && !(error instanceof IntentConflictError)) throw error;
      const now = new Date().toISOString();
      const { key, body, extraBody } = item;
      return {
        key,
        state: 'rejected',
        body,
        ...(extraBody && { extraBody }),
        error: describeError(error),
        attempts: 0,
        createdAt: now,
        updatedAt: now,
        replayed: error instanceof IntentConflictError,
      };
    }
  }
}

const counters: Readonly<Record<IntentState, keyof Omit<PublishProgress, 'total'>>> = {
  ready: 'ready',
  sending: 'sending',
  accepted: 'accepted',
  published: 'published',
  partial: 'partial',
  failed: 'failed',
  rejected: 'rejected',
  in_doubt: 'inDoubt',
  abandoned: 'abandoned',
};

/** Counts each intent once: one whose key comes twice counts in its last state alone. */
class Counter {
  readonly #total: number | undefined;
  readonly #counts: Record<keyof Omit<PublishProgress, 'total'>, number> = {
    ready: 0,
    sending: 0,
    accepted: 0,
    published: 0,
    partial: 0,
    failed: 0,
    rejected: 0,
    inDoubt: 0,
    abandoned: 0,
  };

  /** By a number for each key: a campaign of a million must not keep a million texts. */
  readonly #counted = new Map<number, IntentState>();

  constructor(total: number | undefined) {
    this.#total = total;
  }

  count({ key, state }: Intent): void {
    const number = numberOf(key);
    const before = this.#counted.get(number);
    if (before !== undefined) this.#counts[counters[before]] -= 1;
    this.#counted.set(number, state);
    this.#counts[counters[state]] += 1;
  }

  counts(): PublishProgress {
    return { ...(this.#total === undefined ? {} : { total: this.#total }), ...this.#counts };
  }
}

/** 53 bits of a text: among a million texts, two agree with a chance of one in 18,000. */
function numberOf(text: string): number {
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995) ^ (high >>> 13);
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}
