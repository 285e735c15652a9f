/**
 * Any order of calls, faults, crashes, events and passing time, with two processes on one store whose clocks may be an
 * hour apart. The laws are checked after each step, and once more when the service replies again.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { CreatePostBody, WebhookEvent } from '../../src/index.js';
import { isFinal } from '../../src/publisher/intents/intent.js';
import type { PublisherOptions } from '../../src/publisher/options.js';
import type { Publisher } from '../../src/publisher/publisher.js';
import type { Intent } from '../../src/publisher/intents/intent-record.js';
import { runs, runsTimeoutMs } from '../support/property.js';
import type { CrashPoint } from './crash-points.js';
import { collect } from '../support/collect.js';
import { hour, minute, World } from './world.js';

/** The observations of each intent so far. */
interface Seen {
  readonly intents: Map<string, Intent>;
}

/** Two processes on one store. */
class Real {
  readonly world = new World(undefined, { timeoutMs: 100 });
  readonly apartMs: number;
  /** How far each process's clock was set, in addition. */
  readonly setMs = { first: 0, second: 0 };
  /** Keys whose first send was begun by someone who could not know the service's time are not always found again. */
  readonly options;

  constructor(apartMs: number, options: Pick<PublisherOptions, 'onMissing'>) {
    this.apartMs = apartMs;
    this.options = options;
  }

  process(second: boolean, dieAt?: CrashPoint): { publisher: Publisher; died: Promise<void> } {
    const now = () => this.world.time + (second ? this.apartMs + this.setMs.second : this.setMs.first);
    return this.world.dying(dieAt, { ...this.options, now }, { timeoutMs: 100 });
  }

  /** `a` and `b` are equal; `c` and `d` are like no other. */
  bodyOf(key: string): CreatePostBody {
    if (key === 'd') return { ...this.world.now, content: 'Now' };
    return this.world.later(6 * hour, key === 'c' ? 'Another' : 'Equal');
  }
}

type Command = fc.AsyncCommand<Seen, Real>;

/** A command with the laws that hold after each one. */
function command(name: string, run: (real: Real) => Promise<unknown>): Command {
  return {
    check: () => true,
    toString: () => name,
    run: async (seen, real) => {
      await run(real);
      await checkLaws(seen, real);
    },
  };
}

async function checkLaws(seen: Seen, { world }: Real): Promise<void> {
  const intents = await collect(world.process().list());
  for (const intent of intents) {
    const before = seen.intents.get(intent.key);
    if (before?.postId !== undefined) expect(intent.postId).toBe(before.postId);
    if (before !== undefined && isFinal(before.state)) expect(intent.state).toBe(before.state);
    seen.intents.set(intent.key, intent);
  }
  const posts = intents.flatMap(({ postId }) => postId ?? []);
  expect(new Set(posts).size).toBe(posts.length);
  const count = (content: string) => world.posts.filter((post) => post.content === content).length;
  const begun = (...keys: string[]) => intents.filter(({ key, attempts }) => keys.includes(key) && attempts > 0).length;
  expect(count('Another')).toBeLessThanOrEqual(begun('c'));
  expect(count('Now')).toBeLessThanOrEqual(begun('d'));
  expect(count('Equal')).toBeLessThanOrEqual(begun('a', 'b'));
}

/** An intent that is like no other is never held as `no_match` while its post is listed. */
function checkHeld(seen: Seen, { world }: Real): void {
  for (const [key, content] of [
    ['c', 'Another'],
    ['d', 'Now'],
  ] as const) {
    const intent = seen.intents.get(key);
    const post = world.posts.find((one) => one.content === content);
    if (intent?.state !== 'in_doubt' || post === undefined) continue;
    expect(intent.lookup).toMatchObject({ result: 'candidates', postIds: [post.postId] });
  }
}

const keys = fc.constantFrom('a', 'b', 'c', 'd');
const steps = fc.option(
  fc.constantFrom<CrashPoint>('mark', 'marked', 'replied', 'claimed', 'noted', 'looking', 'looked'),
  { nil: undefined, freq: 2 },
);

/** A step of a process, to its end or to its death. */
const calls = fc
  .record({
    key: keys,
    second: fc.boolean(),
    dieAt: steps,
    what: fc.constantFrom('publish', 'publish', 'publish', 'enqueue', 'resume', 'sweep', 'both'),
  })
  .map(({ key, second, dieAt, what }) => {
    const name = `${second ? 'B' : 'A'}: ${what} ${key}`;
    return command(`${name}${dieAt === undefined ? '' : `, dies at ${dieAt}`}`, async (real) => {
      const { publisher, died } = real.process(second, dieAt);
      const body = real.bodyOf(key);
      const work =
        what === 'publish'
          ? publisher.publish(key, body)
          : what === 'enqueue'
            ? publisher.enqueue(key, body)
            : what === 'sweep'
              ? publisher.sweep()
              : what === 'both'
                ? Promise.all([publisher.publish(key, body), real.process(!second).publisher.publish(key, body)])
                : publisher.resume(key).catch(() => undefined);
      await Promise.race([work, died]);
      // Others that the dead process had under way end before anything else happens.
      await new Promise((resolve) => setTimeout(resolve, 2));
    });
  });

const create = 'POST /v1/posts/';
const faults = fc
  .record({
    route: fc.constantFrom(create, create, 'GET /v1/posts/'),
    kind: fc.constantFrom(
      'reset_after_commit' as const,
      'reset_after_commit' as const,
      'reset_before' as const,
      'truncated_body' as const,
      'invalid_json' as const,
    ),
    status: fc.option(fc.constantFrom(400, 401, 403, 429, 500, 503), { nil: undefined, freq: 2 }),
    times: fc.integer({ min: 1, max: 2 }),
  })
  .map(({ route, kind, status, times }) =>
    command(`fault ${status ?? kind} on ${route}, ${times} times`, ({ world }) => {
      const headers = { 'retry-after': '2' };
      world.service.faults.add(
        status === undefined ? { route, kind, times } : { route, kind: 'status', status, headers, times },
      );
      return Promise.resolve();
    }),
  );

const others = fc.oneof(
  fc.integer({ min: 1, max: 60_000 }).map((lagMs) =>
    command(`listing lag of ${lagMs} ms`, ({ world }) => {
      world.service.faults.add({ kind: 'listing_lag', lagMs, times: 1 });
      return Promise.resolve();
    }),
  ),
  fc.constant(
    command('a request that times out', ({ world }) => {
      world.service.faults.add({ route: create, kind: 'timeout', times: 1 });
      return Promise.resolve();
    }),
  ),
  fc
    .constantFrom(1_000, 61_000, 5 * minute, hour, 7 * hour)
    .map((ms) => command(`${ms} ms pass`, ({ world }) => world.pass(ms))),
  fc.record({ at: fc.nat({ max: 5 }), second: fc.boolean() }).map(({ at, second }) =>
    command(`event of post ${at}`, async (real) => {
      const post = real.world.posts[at];
      if (post === undefined) return;
      const type = post.status === 'published' ? 'post.published' : 'post.scheduled';
      const { postId: id, content, status } = post;
      const event = { known: true, id: 'evt', type, data: { post: { id, content, status }, platforms: [] } };
      // Made by hand, as the type of events is closed.
      await real.process(second).publisher.observe(event as unknown as WebhookEvent);
    }),
  ),
);

/** A clock is set, also while a create of an earlier command is in flight. */
const jumps = fc
  .record({ second: fc.boolean(), ms: fc.constantFrom(15_000, -15_000, hour, -hour, 365 * 24 * hour, 0) })
  .map(({ second, ms }) =>
    command(`the clock of ${second ? 'B' : 'A'} is ${String(ms)} ms off`, (real) => {
      real.setMs[second ? 'second' : 'first'] = ms;
      return Promise.resolve();
    }),
  );

/** The first create of a process, whose clock is wrong: it dies before it knows the service's time. */
const firstCreates = fc
  .record({ key: fc.constantFrom('c', 'd'), ms: fc.constantFrom(15_000, hour, -hour, 365 * 24 * hour) })
  .map(({ key, ms }) =>
    command(`a new process, ${String(ms)} ms off: publish ${key}, dies at replied`, async (real) => {
      const setMs = real.setMs.first;
      real.setMs.first = ms;
      const { publisher, died } = real.process(false, 'replied');
      await Promise.race([publisher.publish(key, real.bodyOf(key)), died]);
      real.setMs.first = setMs;
    }),
  );

/** Four processes sweep at the same time. */
const parallelSweeps = fc.constant(
  command('four processes sweep', async (real) => {
    await Promise.all([false, true, false, true].map((second) => real.process(second).publisher.sweep()));
  }),
);

/** The service replies again, and time passes: open intents end, or are held. */
async function comeToRest(real: Real): Promise<void> {
  const { world } = real;
  world.service.faults.clear();
  Object.assign(real.setMs, { first: 0, second: 0 });
  for (let round = 0; round < 8; round += 1) {
    await world.pass(2 * hour);
    await real.process(round % 2 === 0).publisher.sweep();
  }
}

const few = 40;
/** For all histories of a test. */
export const timeoutMs = runsTimeoutMs(1_500, few);

export const usual: readonly fc.Arbitrary<Command>[] = [calls, calls, faults, others];
export const jumping: readonly fc.Arbitrary<Command>[] = [...usual, jumps, firstCreates, parallelSweeps];

export type Kinds = typeof usual;

/** Runs random histories. Each breaks a law, or passes. */
export async function keepsLaws(
  apartMs: number,
  kinds: Kinds,
  options: Pick<PublisherOptions, 'onMissing'>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.commands([...kinds], { maxCommands: 25 }), async (commands) => {
      const real = new Real(apartMs, options);
      const seen: Seen = { intents: new Map() };
      await fc.asyncModelRun(() => ({ model: seen, real }), commands);
      await comeToRest(real);
      await checkLaws(seen, real);
      for (const { state, key } of seen.intents.values()) {
        expect([key, ['published', 'rejected', 'in_doubt'].includes(state) ? 'ended' : state]).toEqual([key, 'ended']);
      }
      checkHeld(seen, real);
      if (apartMs !== 0 || kinds === jumping) return;
      // If the clocks agree, every post has an owner.
      const known = new Set([...seen.intents.values()].map(({ postId }) => postId));
      expect(real.world.posts.filter(({ postId }) => !known.has(postId))).toEqual([]);
    }),
    runs(few),
  );
}
