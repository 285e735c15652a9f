import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEmulator } from '../../src/emulator/index.js';
import { SocialPublishing } from '../../src/client.js';
import { SocialPublishingError } from '../../src/core/errors.js';
import type { CreatePostBody, ReconcileResult } from '../../src/posts/posts.js';
import { runs, runsTimeoutMs } from '../support/property.js';
import { skippingTime, testKey } from './client.js';

/** The fate of a create: whether it is executed, and the caller's result. */
const fates = [
  'answered',
  'lost',
  'never arrives',
  'aborted',
  'aborted before',
  'gateway error',
  'odd refusal',
  'held',
] as const;
type Fate = (typeof fates)[number];

type Step =
  | { readonly kind: 'create'; readonly text: number; readonly fate: Fate; readonly kin: boolean }
  | { readonly kind: 'release' }
  | {
      readonly kind: 'reconcile';
      readonly which: readonly number[];
      readonly atOnce: boolean;
      readonly waitMs: number;
    };

const create = fc.record({
  kind: fc.constant('create' as const),
  text: fc.nat(2),
  fate: fc.constantFrom(...fates),
  kin: fc.boolean(),
});
const reconcile = fc.record({
  kind: fc.constant('reconcile' as const),
  which: fc.array(fc.nat(7), { minLength: 1, maxLength: 4 }),
  atOnce: fc.boolean(),
  waitMs: fc.constantFrom(0, 2_000),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: create },
  { weight: 3, arbitrary: reconcile },
  { weight: 1, arbitrary: fc.constant({ kind: 'release' as const }) },
);

/** One create, and the truth about it. */
interface Made {
  readonly text: number;
  readonly call: number;
  readonly result: Promise<unknown>;
  error?: unknown;
  answeredId?: string;
  foundId?: string;
}

class Story {
  readonly service = createEmulator({ accessKey: testKey });
  readonly made: Made[] = [];
  /** The post that each call created at the service, regardless of the caller's result. */
  readonly carriedOut = new Map<number, string>();
  readonly #fates = new Map<number, Fate>();
  readonly #held: (() => void)[] = [];
  readonly #time = skippingTime([]);
  readonly #client: SocialPublishing;
  readonly #kin: SocialPublishing;
  readonly #controllers = new Map<number, AbortController>();

  constructor() {
    this.#client = new SocialPublishing(
      {
        baseUrl: 'https://emulator.test',
        accessKey: testKey,
        maxRetries: 0,
        fetch: (input, init) => this.#fetch(input, init),
      },
      this.#time,
    );
    this.#kin = this.#client.withOptions({ headers: { 'x-kin': '1' } });
  }

  body(text: number): CreatePostBody {
    return { content: `Text ${String(text)}`, saveAsDraft: true };
  }

  async create({ text, fate, kin }: Extract<Step, { kind: 'create' }>): Promise<void> {
    const call = this.made.length;
    this.#fates.set(call, fate);
    const controller = new AbortController();
    this.#controllers.set(call, controller);
    if (fate === 'aborted before') controller.abort(new Error('before'));
    const { posts } = kin ? this.#kin : this.#client;
    const made: Made = {
      text,
      call,
      result: posts.create(this.body(text), { headers: { 'x-call': String(call) }, signal: controller.signal }).then(
        ({ postId }) => (made.answeredId = postId),
        (error: unknown) => (made.error = error),
      ),
    };
    this.made.push(made);
    if (fate === 'held') await new Promise((resolve) => setTimeout(resolve, 0));
    else await made.result;
  }

  async release(): Promise<void> {
    this.#held.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }

  async reconcile({ which, atOnce, waitMs }: Extract<Step, { kind: 'reconcile' }>): Promise<void> {
    const asked = which.flatMap((index) => this.made[index] ?? []).filter(({ error }) => error !== undefined);
    const ask = async (made: Made) => {
      const result = await this.#client.posts.reconcile(made.error, { waitMs });
      this.#check(made, result);
    };
    if (atOnce) await Promise.all(asked.map(ask));
    else for (const made of asked) await ask(made);
  }

  async end(): Promise<void> {
    while (this.#held.length > 0) await this.release();
    await Promise.all(this.made.map(({ result }) => result));
    for (const { error, call } of this.made) {
      const outcome = error instanceof SocialPublishingError ? error.outcome : undefined;
      // Creates reported as not executed were not executed.
      if (outcome === 'not_sent' || outcome === 'rejected') expect(this.carriedOut.has(call)).toBe(false);
    }
    const ids = this.made.flatMap(({ answeredId, foundId }) => answeredId ?? foundId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    // Each create was sent at most once.
    expect(this.service.posts).toHaveLength(this.carriedOut.size);
  }

  #check(made: Made, result: ReconcileResult): void {
    const alone = this.made.filter(({ text }) => text === made.text).length === 1;
    const own = this.carriedOut.get(made.call);
    if (result.status === 'created') {
      // The same create has the same post, and never the post of another known create.
      expect(made.foundId ?? result.post.postId).toBe(result.post.postId);
      expect(result.post.content).toBe(this.body(made.text).content);
      made.foundId = result.post.postId;
    }
    if (!alone) return;
    // A create that nothing else equals is found if its post is there, and nothing is taken for it if not.
    expect(result.status === 'created' ? result.post.postId : result.status).toBe(own ?? 'not_found');
  }

  /** The service's clock runs with the client's. One that stood still would seem to go back while the client waits. */
  async #serve(request: Request): Promise<Response> {
    const now = this.#time.now?.() ?? Date.now();
    if (this.service.clock.now() < now) await this.service.clock.set(now);
    return this.service.fetch(request);
  }

  readonly #fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const call = Number(request.headers.get('x-call') ?? Number.NaN);
    if (Number.isNaN(call)) return this.#serve(request);
    const fate = this.#fates.get(call) ?? 'answered';
    if (fate === 'never arrives') throw Object.assign(new TypeError('fetch failed'), { cause: new Error('reset') });
    const response = await this.#serve(new Request(request, { signal: null }));
    const { postId } = (await response.clone().json()) as { postId: string };
    this.carriedOut.set(call, postId);
    switch (fate) {
      case 'lost':
        throw Object.assign(new TypeError('fetch failed'), { cause: new Error('reset') });
      case 'aborted':
        this.#controllers.get(call)?.abort(new Error('in flight'));
        return response;
      case 'gateway error':
        return Response.json({ error: 'Bad gateway' }, { status: 502 });
      case 'odd refusal':
        return Response.json({ success: false, message: 'Not quite', postId });
      case 'held':
        await new Promise<void>((resolve) => this.#held.push(resolve));
        return response;
      default:
        return response;
    }
  };
}

describe('random creates in doubt', () => {
  it(
    'are found if they are unique, never share a post, and are never reported missing if listed',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), async (steps) => {
          const story = new Story();
          for (const next of steps) {
            if (next.kind === 'create') await story.create(next);
            else if (next.kind === 'release') await story.release();
            else await story.reconcile(next);
          }
          await story.end();
        }),
        runs(150),
      );
    },
    runsTimeoutMs(100, 150),
  );
});
