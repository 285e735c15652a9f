import { callSafely } from '../core/call/hooks.js';
import type { CreatePostExtraBody, CreatePostFields } from './create-fields.js';
import { abortReason, isAbortReason, onAbort, throwIfAborted } from '../core/flow/abort.js';
import { InvalidRequestError, SocialPublishingError, outcomeOf, recordOutcome } from '../core/errors.js';
import {
  checkCallOptions,
  isFunction,
  isIterable,
  isMilliseconds,
  isObject,
  isWhole,
  optionIssues,
  optionsOf,
  ownOptions,
  unchecked,
} from '../core/call/options.js';
import { defaultOutageMs, evidenceOf, OutageGate, type OutageProgress } from '../core/flow/outage.js';
import { inPool } from '../core/flow/pool.js';
import type { Runtime } from '../core/runtime.js';
import { requestChecks, type RequestOptions } from '../core/call/transport.js';
import type { CreatePostBody, CreatePostResponse, ListPostsQuery } from './post-shapes.js';

/** One of many posts to create: only the body, or with fields that the API document mentions without showing. */
export type CreateManyItem<Body = CreatePostBody> =
  | Body
  | {
      /** The post. */
      readonly body: Body;
      /** Other fields of the body, unchecked, like `extraBody` of a create. */
      readonly extraBody?: CreatePostExtraBody | undefined;
    };

/** The body of an item of `createMany`. */
export type BodyOf<Item> = Item extends {
  /** The post. */
  readonly body: infer Body;
}
  ? Body
  : 'body' extends keyof Item
    ? Omit<Item, 'body' | 'extraBody'> // In an array of both forms, the compiler adds their missing fields.
    : Item;

/** How many creates have ended, and how. */
export interface CreateManyProgress extends OutageProgress {
  /** How many items have ended, with any status. */
  readonly done: number;
  /** How many items there are. Missing: the source is not an array. */
  readonly total?: number;
  /** How many posts were created. */
  readonly created: number;
  /** How many were refused, by the service or before they were sent. */
  readonly failed: number;
  /** How many may have been created: search for them with `posts.reconcile`. */
  readonly unknown: number;
  /** How many never reached the service. They can be created again. */
  readonly notSent: number;
}

/** How to create many posts. */
export interface CreateManyOptions extends RequestOptions {
  /** The most creates in flight, a whole number, 1 or more. Default 4. */
  readonly concurrency?: number | undefined;
  /**
   * How long to wait for a service that is down, in milliseconds from the first failed create, 0 or more. After as many
   * failures in a row as `concurrency`, no create starts until the service answers again. After that time, the remaining
   * items are `not_sent`. Default 600,000 (10 minutes).
   */
  readonly outageMs?: number | undefined;
  /**
   * Called after each item that ended, and before each pause while the service is down. `createMany` ignores its
   * exceptions.
   */
  readonly onProgress?: ((progress: CreateManyProgress) => void) | undefined;
}

/** The result of one of many creates. */
export type CreateManyResult =
  | {
      /** The position of the item in the source, from 0. */
      readonly index: number;
      /** The post was created. */
      readonly status: 'created';
      /** The reply. Read its targets with `targetResults`. */
      readonly post: CreatePostResponse;
      /** Always missing. */
      readonly error?: undefined;
    }
  | {
      /** The position of the item in the source, from 0. */
      readonly index: number;
      /**
       * `failed`: refused, by the service or before it was sent. `unknown`: it may have been created, pass the error to
       * `posts.reconcile`. `not_sent`: it never reached the service and can be created again.
       */
      readonly status: 'failed' | 'unknown' | 'not_sent';
      /** Always missing. */
      readonly post?: undefined;
      /** The reason. */
      readonly error: unknown;
    };

/** The checks are the checks of a create, whatever the compiler knew. */
type Item = CreateManyItem<CreatePostFields>;
type ItemWithExtras = Extract<Item, { readonly body: CreatePostFields }>;

const defaultConcurrency = 4;

const createManyOptions = optionsOf<CreateManyOptions>('an option of createMany', {
  concurrency: isWhole({ least: 1 }),
  outageMs: isMilliseconds({ least: 0 }),
  onProgress: isFunction,
  ...requestChecks,
});
// The create checks the body.
const itemFields = optionsOf<ItemWithExtras>('a field of an item', { body: unchecked, extraBody: isObject });

/** The methods of the resource that it calls. */
interface PostCalls {
  create(body: CreatePostFields, options: RequestOptions): Promise<CreatePostResponse>;
  list(query: ListPostsQuery, options: RequestOptions): PromiseLike<unknown>;
}

/** Creates many posts (see `PostsResource.createMany`). */
export async function* createMany(
  posts: PostCalls,
  runtime: Runtime,
  source: Iterable<Item> | AsyncIterable<Item>,
  options: CreateManyOptions,
): AsyncGenerator<CreateManyResult, void, undefined> {
  const issues = optionIssues(createManyOptions, options);
  isIterable(source, ['bodies'], issues);
  if (issues.length > 0) throw new InvalidRequestError(issues, { method: 'POST', route: '/v1/posts/' });
  const own = ownOptions(createManyOptions, options);
  const { concurrency = defaultConcurrency, outageMs = defaultOutageMs, onProgress, ...requestOptions } = own;
  const isArray = Array.isArray(source);
  const total = isArray ? { total: source.length } : {};
  const count = { done: 0, created: 0, failed: 0, unknown: 0, notSent: 0 };
  const report = () => void callSafely(() => onProgress?.({ ...count, ...total, ...gate.progress }));
  const { signal, headers, timeoutMs, totalTimeoutMs } = requestOptions;
  const gate = new OutageGate({
    limit: concurrency,
    outageMs,
    runtime,
    now: () => runtime.now(),
    signal,
    onWait: report,
    probe: async (ended) => {
      await posts.list({ limit: 1 }, { signal: ended, headers, timeoutMs, totalTimeoutMs, maxRetries: 0 });
    },
  });
  const work = (item: Item, index: number) => createOne({ posts, gate, outageMs, requestOptions }, item, index);
  const results = inPool(source, work, {
    concurrency,
    // An array is read to its end: each of its items has a result.
    signal: isArray ? undefined : signal,
    whenAborted: 'finish',
    gate,
  });
  for await (const result of results) {
    count.done += 1;
    count[result.status === 'not_sent' ? 'notSent' : result.status] += 1;
    report();
    yield result;
  }
}

interface Creating {
  readonly posts: PostCalls;
  readonly gate: OutageGate;
  readonly outageMs: number;
  readonly requestOptions: RequestOptions;
}

/** Never rejects: a failure is the result. */
async function createOne(
  { posts, gate, outageMs, requestOptions }: Creating,
  item: Item,
  index: number,
): Promise<CreateManyResult> {
  // Each create is aborted with a separate error, so that `posts.reconcile` can search for each.
  const { signal } = requestOptions;
  const controller = new AbortController();
  const forget = onAbort(signal, () => {
    controller.abort(abortedCreate(signal));
  });
  try {
    throwIfAborted(signal);
    const { body, extraBody } = readItem(item);
    const extras = extraBody === undefined ? {} : { extraBody: { ...requestOptions.extraBody, ...extraBody } };
    const createOptions = { ...requestOptions, ...extras, signal: controller.signal };
    const post = await gate.run(async (report) => {
      try {
        const reply = await posts.create(body, createOptions);
        report('answers');
        return reply;
      } catch (error) {
        report(evidenceOf(error));
        throw error;
      }
    });
    if (post === 'held') throw outageError(outageMs);
    return { index, status: 'created', post };
  } catch (error) {
    // Once it is sent, a create rejects with the reason of the signal of the call.
    if (!isAbortReason(error, signal)) return { index, status: statusOf(error), error };
    const neverSent = abortedCreate(signal);
    recordOutcome(neverSent, 'not_sent');
    return { index, status: 'not_sent', error: neverSent };
  } finally {
    forget();
  }
}

/** The abort of one of several creates. */
function abortedCreate(signal: AbortSignal | undefined): Error {
  const error = new Error('The create was aborted.', { cause: signal && abortReason(signal) });
  error.name = 'AbortError';
  return error;
}

function outageError(outageMs: number): Error {
  return new SocialPublishingError(
    `The service did not answer within ${String(outageMs)} ms (outageMs) of the first failed create. This post was not ` +
      'sent. Create it again once the service answers.',
    { outcome: 'not_sent' },
  );
}

function statusOf(error: unknown): 'failed' | 'unknown' | 'not_sent' {
  if (error instanceof InvalidRequestError) return 'failed';
  const outcome = outcomeOf(error) ?? 'unknown';
  return outcome === 'rejected' ? 'failed' : outcome;
}

function readItem(item: Item): ItemWithExtras {
  if (!hasBody(item)) return { body: item };
  checkCallOptions(itemFields, item, { method: 'POST', route: '/v1/posts/' });
  return item;
}

function hasBody(item: Item): item is ItemWithExtras {
  // A caller without types may pass anything.
  return typeof item === 'object' && (item as Item | null) !== null && 'body' in item;
}
