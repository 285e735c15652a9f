import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signWebhook } from '../../src/webhooks/index.js';
import { connectNodeRedis } from './redis.js';

const events = 1000;
const leaseMs = 2000;
const prefix = `${randomUUID()}:`;

/** A receiver in a separate process, which restarts when it crashes. */
class Receiver {
  readonly #kind: string;
  #process: ChildProcess | undefined;
  #url: string | undefined;
  #isStopped = false;
  crashes = 0;

  constructor(kind: string) {
    this.#kind = kind;
  }

  async start(): Promise<void> {
    const child = fork(
      fileURLToPath(new URL('receiver-process.ts', import.meta.url)),
      [this.#kind, prefix, String(leaseMs)],
      {
        execArgv: ['--import', 'tsx'],
      },
    );
    this.#process = child;
    child.once('exit', () => {
      this.#url = undefined;
      if (this.#isStopped) return;
      this.crashes += 1;
      void this.start();
    });
    const [port] = (await once(child, 'message')) as [number];
    this.#url = `http://127.0.0.1:${String(port)}/`;
  }

  /** Waits until it is there again. */
  async ready(): Promise<void> {
    while (this.#url === undefined) await sleep(20);
  }

  /** One attempt at a delivery, as the service makes it: true for a 2xx. */
  async deliver(id: string): Promise<boolean> {
    await this.ready();
    const body = JSON.stringify({ id, type: 'post.failed', data: { post: { id: `post ${id}` }, platforms: [] } });
    try {
      const response = await fetch(this.#url ?? '', {
        method: 'POST',
        body,
        headers: await signWebhook({ body, secret: 'whk_test_redis' }),
      });
      await response.text();
      return response.ok;
    } catch {
      return false; // It crashed in the middle.
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#process?.kill('SIGKILL');
  }
}

let redis: Awaited<ReturnType<typeof connectNodeRedis>>;
const receivers = [new Receiver('node-redis'), new Receiver('ioredis')];

beforeAll(async () => {
  redis = await connectNodeRedis();
  await Promise.all(receivers.map((receiver) => receiver.start()));
});

afterAll(async () => {
  for (const receiver of receivers) receiver.stop();
  await redis.close();
});

function shuffled<T>(list: readonly T[]): T[] {
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}

/** Delivers to a random receiver, twenty at a time; returns the acknowledged IDs. */
async function deliverAll(ids: readonly string[]): Promise<Set<string>> {
  const left = shuffled(ids);
  const acknowledged = new Set<string>();
  const work = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const receiver = receivers[Math.random() < 0.5 ? 0 : 1] as Receiver;
      if (await receiver.deliver(id)) acknowledged.add(id);
    }
  };
  await Promise.all(Array.from({ length: 20 }, work));
  return acknowledged;
}

it('1,000 events, up to three attempts each, two processes that crash: all handled to the end, none completed twice', async () => {
  const ids = Array.from({ length: events }, (_, i) => `evt_${String(i)}`);
  const every = (n: number, offset: number) => ids.filter((_, i) => i % n === offset);
  const [inHandler, beforeComplete, failing] = [every(100, 7), every(100, 57), every(25, 3)];
  await redis.sAdd(`${prefix}crashes`, [
    ...inHandler.map((id) => `in handler ${id}`),
    ...beforeComplete.map((id) => `before complete ${id}`),
  ]);
  await redis.sAdd(`${prefix}failures`, failing);

  // The first attempts, some of them made twice at once.
  const first = await deliverAll([...ids, ...every(10, 1)]);
  await sleep(leaseMs + 200);
  // Later, unacknowledged deliveries are repeated, and some acknowledged ones, because acknowledgements get lost, too.
  const second = await deliverAll([...ids.filter((id) => !first.has(id)), ...every(5, 2)]);
  await sleep(leaseMs + 200);
  // An event without its own failure so far, because another event ended its process, must not use up a last attempt.
  await redis.del([`${prefix}crashes`, `${prefix}failures`]);
  const acknowledged = new Set([...first, ...second]);
  const third = await deliverAll([...ids.filter((id) => !acknowledged.has(id)), ...every(5, 3)]);

  const counts = async (what: string) => new Map(Object.entries(await redis.hGetAll(`${prefix}${what}`)));
  const [started, finished, completed] = [await counts('started'), await counts('finished'), await counts('completed')];
  // Most of the planned failures happened.
  expect(receivers.reduce((sum, { crashes }) => sum + crashes, 0)).toBeGreaterThan(10);
  expect([...started.values()].filter((count) => Number(count) > 1).length).toBeGreaterThan(40);

  expect(
    ids.filter((id) => !first.has(id) && !second.has(id) && !third.has(id)),
    'never acknowledged',
  ).toEqual([]);
  expect(
    ids.filter((id) => !finished.has(id)),
    'never handled to the end',
  ).toEqual([]);
  expect(
    ids.filter((id) => completed.get(id) !== '1'),
    'not completed exactly once',
  ).toEqual([]);
});
