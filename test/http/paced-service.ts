import { SocialPublishing, type PaceLimits } from '../../src/index.js';

/** Time that runs on as soon as nothing is left to do but to wait. */
export class Time {
  now = 0;
  readonly #sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const sleeper = { at: this.now + Math.max(0, ms), wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        const index = this.#sleepers.indexOf(sleeper);
        if (index !== -1) this.#sleepers.splice(index, 1);
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a signal's reason can be anything
        reject(signal.reason);
      });
    });

  async run<T>(work: Promise<T>): Promise<T> {
    const state = { isDone: false };
    const done = work.finally(() => (state.isDone = true));
    done.catch(() => undefined);
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (state.isDone) return done;
      this.#sleepers.sort((a, b) => a.at - b.at);
      const next = this.#sleepers.shift();
      if (next === undefined) continue;
      this.now = Math.max(this.now, next.at);
      next.wake();
    }
  }
}

export interface Service {
  readonly client: SocialPublishing;
  readonly time: Time;
  /** When each request came. */
  readonly came: number[];
  /** The contents of the posts that were made. */
  readonly made: string[];
  most: number;
}

/** Numbers from 0 up to 1, the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** A service that takes so many requests in any second. */
export function service(
  perSecond: number,
  options: {
    limits?: PaceLimits;
    /** The time of a reply. */
    latencyMs?: number;
    /** The time of a 429. Default: `latencyMs`. */
    refusalMs?: number;
    /** Default: '1'. */
    retryAfter?: string | null;
    lateMs?: number;
    /** The time that the key function takes, by its number of calls. */
    keyMs?: (count: number) => number;
    random?: () => number;
  } = {},
): Service {
  const {
    latencyMs = 50,
    refusalMs = latencyMs,
    retryAfter = '1',
    lateMs = 0,
    keyMs,
    random = () => 0.5,
    ...rest
  } = options;
  const time = new Time();
  const taken: number[] = [];
  let underWay = 0;
  let keys = 0;
  const slowKey = keyMs && (() => time.sleep(keyMs((keys += 1))).then(() => 'k'));
  const fetch = async (_: unknown, init?: RequestInit) => {
    state.came.push(time.now);
    underWay += 1;
    state.most = Math.max(state.most, underWay);
    const isTaken = taken.filter((at) => time.now - at < 1_000).length < perSecond;
    if (isTaken) taken.push(time.now);
    await time.sleep(isTaken ? latencyMs : refusalMs);
    underWay -= 1;
    if (!isTaken) {
      const headers = retryAfter === null ? new Headers() : { 'retry-after': retryAfter };
      return Response.json({ success: false, message: 'slow down' }, { status: 429, headers });
    }
    state.made.push((JSON.parse(init?.body as string) as { content: string }).content);
    return Response.json({ success: true, postId: `post_${String(state.made.length)}` });
  };
  const client = new SocialPublishing(
    { baseUrl: 'https://api.test', accessKey: slowKey ?? 'k', fetch, ...rest },
    {
      monotonic: () => time.now,
      now: () => time.now,
      sleep: (ms, signal) => time.sleep(ms + lateMs * random(), signal),
      random,
    },
  );
  const state: Service = { client, time, came: [], made: [], most: 0 };
  return state;
}

export const create = ({ client }: Service, index: number, options = {}) =>
  client.posts.create({ content: String(index), saveAsDraft: true }, options);
