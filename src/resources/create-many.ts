import type { CreatePostExtraBody, CreatePostFields } from './create-fields.js';
import { onAbort } from '../core/abort.js';
import type { RequestOptions } from '../core/transport.js';
import { InvalidRequestError, SocialPublishingError, type Issue } from '../core/errors.js';
import { misspeltNames } from '../core/names.js';
import type { CreatePostBody, CreatePostResponse } from './post-shapes.js';

/** One of many posts to create: the body alone, or with fields that the API document mentions without showing. */
export type CreateManyItem<Body = CreatePostBody> =
  | Body
  | {
      /** The post. */
      readonly body: Body;
      /** Further fields of the body, unchecked, as a create's `extraBody`. */
      readonly extraBody?: CreatePostExtraBody | undefined;
    };

/** How far {@link CreateManyOptions.onProgress} is. */
export interface CreateManyProgress {
  /** How many items have ended, whatever came of them. */
  readonly done: number;
  /** How many there are in all, where the source is an array. */
  readonly total?: number;
  /** How many posts were created. */
  readonly created: number;
  /** How many were refused: by the service, or before they were sent. */
  readonly failed: number;
  /** How many may have been created: look for them with `posts.reconcile`. */
  readonly unknown: number;
  /** How many never reached the service and may be created again. */
  readonly notSent: number;
}

/** How to create many posts. */
export interface CreateManyOptions extends RequestOptions {
  /** How many creates are under way at once, 1 or more. Default 4. */
  readonly concurrency?: number | undefined;
  /** Told after each item that ended. What it throws is its own affair. */
  readonly onProgress?: ((progress: CreateManyProgress) => void) | undefined;
}

/** What became of one of many creates. */
export type CreateManyResult =
  | {
      /** Which item of the source it was, from 0. */
      readonly index: number;
      /** The post was created. */
      readonly status: 'created';
      /** The reply. Read its targets with `targetResults`. */
      readonly post: CreatePostResponse;
      /** None. */
      readonly error?: undefined;
    }
  | {
      /** Which item of the source it was, from 0. */
      readonly index: number;
      /**
       * `failed`: refused, by the service or before it was sent. `unknown`: it may have been created, give the error to
       * `posts.reconcile`. `not_sent`: it never reached the service and may be created again.
       */
      readonly status: 'failed' | 'unknown' | 'not_sent';
      /** None. */
      readonly post?: undefined;
      /** Why. */
      readonly error: unknown;
    };

/** The checks are those of a create, whatever the compiler knew. */
type Item = CreateManyItem<CreatePostFields>;
type Source = Iterable<Item> | AsyncIterable<Item>;
type Create = (body: CreatePostFields, options: RequestOptions) => Promise<CreatePostResponse>;

const defaultConcurrency = 4;
const ownOptions: ReadonlySet<string> = new Set<keyof CreateManyOptions>(['concurrency', 'onProgress']);
const itemParts: ReadonlySet<string> = new Set(['body', 'extraBody']);

/** Creates many posts side by side (see `PostsResource.createMany`). `wasSent` tells of an aborted create's error. */
export async function* createMany(
  create: Create,
  wasSent: (error: object) => boolean,
  source: Source,
  options: CreateManyOptions,
): AsyncGenerator<CreateManyResult, void, undefined> {
  const { concurrency = defaultConcurrency, onProgress, ...requestOptions } = options;
  checkOptions(source, concurrency, onProgress, misspeltNames(requestOptions, ownOptions));
  const batch = new Batch(source, concurrency, requestOptions, create, wasSent);
  const count = { done: 0, created: 0, failed: 0, unknown: 0, notSent: 0 };
  try {
    for (let result = await batch.next(); result !== undefined; result = await batch.next()) {
      count.done += 1;
      count[result.status === 'not_sent' ? 'notSent' : result.status] += 1;
      tell(onProgress, { ...count, ...(Array.isArray(source) ? { total: source.length } : {}) });
      yield result;
    }
  } finally {
    await batch.close();
  }
}

/** Creates under way, and what has ended but was not handed over yet. Together they are never more than `concurrency`. */
class Batch {
  readonly #iterator: Iterator<Item> | AsyncIterator<Item>;
  readonly #isArray: boolean;
  readonly #concurrency: number;
  readonly #options: RequestOptions;
  readonly #create: Create;
  readonly #wasSent: (error: object) => boolean;
  readonly #ended: CreateManyResult[] = [];
  readonly #running = new Set<Promise<void>>();
  #pulled = 0;
  #pulling: Promise<void> | undefined;
  #isDrained = false;
  #isClosed = false;
  #sourceError: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(
    source: Source,
    concurrency: number,
    options: RequestOptions,
    create: Create,
    wasSent: (error: object) => boolean,
  ) {
    this.#iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    this.#isArray = Array.isArray(source);
    this.#concurrency = concurrency;
    this.#options = options;
    this.#create = create;
    this.#wasSent = wasSent;
  }

  /** The next result, in the order in which creates end; `undefined` after the last one. */
  async next(): Promise<CreateManyResult | undefined> {
    const { signal } = this.#options;
    for (;;) {
      this.#fill();
      const result = this.#ended.shift();
      if (result !== undefined) return result;
      if (this.#running.size === 0 && this.#pulling === undefined) break;
      // A source that never answers must not hold an abort up.
      if (signal?.aborted === true && this.#running.size === 0 && !this.#isArray) break;
      await new Promise<void>((resolve) => {
        const forget = onAbort(signal, () => {
          this.#wake();
        });
        this.#wake = () => {
          forget();
          resolve();
        };
      });
    }
    if (this.#sourceError !== undefined) throw this.#sourceError.error;
    return undefined;
  }

  /** Pulls no more, and waits for what is under way: no create goes on unseen. */
  async close(): Promise<void> {
    const isOpen = !this.#isDrained;
    this.#isDrained = true;
    this.#isClosed = true;
    if (isOpen) this.#closeSource();
    await Promise.all(this.#running);
  }

  #fill(): void {
    const { signal } = this.#options;
    if (this.#isDrained || this.#pulling !== undefined) return;
    if (signal?.aborted === true && !this.#isArray) {
      this.#isDrained = true;
      this.#closeSource();
      return;
    }
    if (this.#running.size + this.#ended.length >= this.#concurrency) return;
    this.#pulling = this.#pull().finally(() => {
      this.#pulling = undefined;
      this.#wake();
    });
  }

  async #pull(): Promise<void> {
    try {
      const next = await this.#iterator.next();
      if (next.done === true) this.#isDrained = true;
      else if (!this.#isClosed) this.#start(next.value);
    } catch (error) {
      this.#isDrained = true;
      this.#sourceError = { error };
    }
  }

  #start(item: Item): void {
    const index = this.#pulled;
    this.#pulled += 1;
    const running = this.#run(index, item).then((result) => {
      this.#running.delete(running);
      this.#ended.push(result);
      this.#wake();
    });
    this.#running.add(running);
  }

  /** Never rejects: what goes wrong is the result. */
  async #run(index: number, item: Item): Promise<CreateManyResult> {
    const { signal } = this.#options;
    // Each create is aborted with an error of its own, so that each can be looked for by its error.
    const controller = new AbortController();
    const aborted = new AbortedCreateError(signal);
    const forget = onAbort(signal, () => {
      controller.abort(aborted);
    });
    if (signal?.aborted === true) controller.abort(aborted);
    try {
      const { body, extraBody } = readItem(item);
      const extras = extraBody === undefined ? {} : { extraBody: { ...this.#options.extraBody, ...extraBody } };
      const post = await this.#create(body, { ...this.#options, ...extras, signal: controller.signal });
      return { index, status: 'created', post };
    } catch (error) {
      if (error !== aborted) return { index, status: statusOf(error), error };
      return { index, status: this.#wasSent(aborted) ? 'unknown' : 'not_sent', error };
    } finally {
      forget();
    }
  }

  #closeSource(): void {
    // Not waited for: a source that waits for its next item may never answer.
    Promise.resolve(this.#iterator.return?.()).catch(() => undefined);
  }
}

/** A create of several that was aborted. */
class AbortedCreateError extends Error {
  override readonly name = 'AbortError';

  constructor(signal: AbortSignal | undefined) {
    super('The create was aborted.');
    Object.defineProperty(this, 'cause', { get: () => signal?.reason as unknown, configurable: true });
  }
}

function statusOf(error: unknown): 'failed' | 'unknown' | 'not_sent' {
  if (!(error instanceof SocialPublishingError)) return 'unknown';
  if (error instanceof InvalidRequestError || error.outcome === 'rejected') return 'failed';
  return error.outcome;
}

type ItemWithExtras = Extract<Item, { readonly body: CreatePostFields }>;

function readItem(item: Item): ItemWithExtras {
  if (!isWithExtras(item)) return { body: item };
  const issues = misspeltNames(item, itemParts);
  if (issues.length > 0) throw new InvalidRequestError(issues);
  return item;
}

function isWithExtras(item: Item): item is ItemWithExtras {
  return typeof item === 'object' && (item as Item | null) !== null && 'body' in item;
}

function checkOptions(source: unknown, concurrency: unknown, onProgress: unknown, issues: Issue[]): void {
  const isIterable =
    typeof source === 'object' && source !== null && (Symbol.iterator in source || Symbol.asyncIterator in source);
  if (!isIterable) issues.push({ path: ['bodies'], message: 'must be an array or another (async) iterable of bodies' });
  if (!Number.isInteger(concurrency) || (concurrency as number) < 1) {
    issues.push({ path: ['concurrency'], message: 'must be a whole number, 1 or more' });
  }
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    issues.push({ path: ['onProgress'], message: 'must be a function' });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues);
}

function tell(onProgress: CreateManyOptions['onProgress'], progress: CreateManyProgress): void {
  try {
    onProgress?.(progress);
  } catch {
    // What was created must not look failed.
  }
}
