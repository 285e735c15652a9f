/** Publishes many intents at the same time, and holds only a few of them in memory. */
import { throwIfAborted } from '../core/flow/abort.js';
import { callSafely } from '../core/call/hooks.js';
import type { CreatePostExtraBody } from '../posts/create-fields.js';
import { IntentConflictError, InvalidRequestError } from '../core/errors.js';
import {
  checkCallOptions,
  isFunction,
  isIterable,
  isSignal,
  isWhole,
  optionsOf,
  unchecked,
} from '../core/call/options.js';
import type { Gate, OutageProgress } from '../core/flow/outage.js';
import { inPool, type PoolOptions } from '../core/flow/pool.js';
import type { Fields } from '../core/json.js';
import type { CreatePostBody } from '../posts/post-shapes.js';
import { hashOf } from './intents/content.js';
import { newIntent } from './intents/intent.js';
import { intentOf, intentStates, type IntentState, type Intent } from './intents/intent-record.js';
import type { IntentWorker } from './intent-worker.js';
import { describeError } from './send.js';

/** One intent of {@link Publisher.publishMany}. */
export interface PublishItem<Body = CreatePostBody> {
  /** The intent's key: 1 to 512 characters. */
  readonly key: string;
  /** The post. */
  readonly body: Body;
  /** Fields that the API document mentions but does not show, such as media. */
  readonly extraBody?: CreatePostExtraBody | undefined;
  /** Overrides the publisher's `sendAheadMs`. */
  readonly sendAheadMs?: number | undefined;
}

/** The number of intents in each state so far. Each intent counts once. */
export interface PublishProgress extends OutageProgress {
  /** The number of items. Missing: the source does not show it. */
  readonly total?: number | undefined;
  /** Not sent yet: its `sendAt` is in the future, the service asked to wait, refused the access key, or could not be reached. */
  readonly ready: number;
  /** Being sent by another call or process. */
  readonly sending: number;
  /** Accepted by the service: scheduled, being published, or saved as a draft. */
  readonly accepted: number;
  /** Published on every target. */
  readonly published: number;
  /** Published on some targets, or with warnings. */
  readonly partial: number;
  /** Published on no target. */
  readonly failed: number;
  /** Refused: by the service, because the body cannot be sent, or because the key has another body. */
  readonly rejected: number;
  /** Possibly executed: sweeps search for their posts. */
  readonly inDoubt: number;
  /** Abandoned by an operator. */
  readonly abandoned: number;
}

/** Options of {@link Publisher.publishMany}. */
export interface PublishManyOptions {
  /** The maximum number of intents at the same time, 1 or more. Default 4. The client's own limits apply too. */
  readonly concurrency?: number | undefined;
  /**
   * Ends the iteration with the signal's reason. No other item is read or sent. Sends that have started are finished
   * and recorded in the background.
   */
  readonly signal?: AbortSignal | undefined;
  /** Called after each intent, and before each pause while the service is down. */
  readonly onProgress?: ((progress: PublishProgress) => void) | undefined;
}

type Items = Iterable<PublishItem> | AsyncIterable<PublishItem>;

/** The number of items read ahead for each concurrent call. */
const aheadPerCall = 2;

const optionsCheck = optionsOf<PublishManyOptions>('an option of publishMany', {
  concurrency: isWhole({ least: 1 }),
  signal: isSignal,
  onProgress: isFunction,
});
/** An item can have other fields too. */
const itemCheck = optionsOf<PublishItem>(
  'a field of an item',
  { key: unchecked, body: unchecked, extraBody: unchecked, sendAheadMs: unchecked },
  'allowed',
);

interface ItemPublisher extends Pick<PoolOptions, 'whenAborted'> {
  readonly worker: IntentWorker;
  readonly publish: (gate: Gate, item: PublishItem) => Promise<Intent>;
}

export async function* publishMany(
  { worker, publish, whenAborted }: ItemPublisher,
  items: Items,
  options: PublishManyOptions,
): AsyncGenerator<Intent, void, undefined> {
  checkCallOptions(optionsCheck, options);
  checkCallOptions((value, _, issues) => {
    isIterable(value, ['items'], issues);
  }, items);
  const { concurrency = 4, signal, onProgress } = options;
  if (whenAborted !== 'finish') throwIfAborted(signal);
  // Counting each key once costs memory for each key.
  const counter = onProgress && new ProgressCounter();
  const total = Array.isArray(items) ? { total: items.length } : {};
  // An exception of a call after an intent ends the iteration. A rejection cannot: nothing waits for it.
  const report = () => {
    if (counter === undefined) return;
    Promise.resolve(onProgress?.({ ...total, ...counter.counts, ...gate.progress })).catch(() => undefined);
  };
  const gate = worker.outageGate({ limit: concurrency, signal, onWait: () => void callSafely(report) });
  const pool = inPool(items, (item) => publishOrReject((one) => publish(gate, one), item, worker), {
    concurrency,
    readAhead: aheadPerCall * concurrency,
    signal,
    whenAborted,
    gate,
  });
  for await (const { intent, isRefused } of pool) {
    counter?.count(intent, isRefused);
    report();
    yield intent;
  }
}

/** A refused item does not stop the others: it is yielded as `rejected`. */
async function publishOrReject(
  publish: (item: PublishItem) => Promise<Intent>,
  item: PublishItem,
  worker: IntentWorker,
): Promise<{ readonly intent: Intent; readonly isRefused: boolean }> {
  try {
    const passed: unknown = item; // A caller without types can yield anything.
    checkCallOptions(itemCheck, passed ?? null);
    return { intent: await publish(item), isRefused: false };
  } catch (error) {
    if (!(error instanceof InvalidRequestError) && !(error instanceof IntentConflictError)) throw error;
    // A caller without types can yield anything.
    const { key, body, extraBody } = (item as PublishItem | undefined) ?? ({} as PublishItem);
    const content = { body: body as unknown as Fields, ...(extraBody && { extraBody }) };
    const rejected = { state: 'rejected', error: describeError(error) } as const;
    const refused = { ...newIntent(key, content, worker.now()), ...rejected };
    return { intent: intentOf(refused, { replayed: error instanceof IntentConflictError }), isRefused: true };
  }
}

type Counts = Omit<PublishProgress, 'total' | keyof OutageProgress>;

function counterOf(state: IntentState): keyof Counts {
  return state === 'in_doubt' ? 'inDoubt' : state;
}

/** Counts each intent once. A repeated key counts in its last state. A refused item says nothing about the key's intent. */
class ProgressCounter {
  // It has every counter.
  readonly counts = Object.fromEntries(intentStates.map((state) => [counterOf(state), 0])) as Record<
    keyof Counts,
    number
  >;
  /** A number per key: a campaign of a million must not hold a million texts. */
  readonly #counted = new Map<number, IntentState>();

  count({ key, state }: Intent, isRefused: boolean): void {
    this.counts[counterOf(state)] += 1;
    if (isRefused) return;
    const number = hashOf(key);
    const before = this.#counted.get(number);
    if (before !== undefined) this.counts[counterOf(before)] -= 1;
    this.#counted.set(number, state);
  }
}
