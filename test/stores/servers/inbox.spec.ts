import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';
import { createEmulator } from '../../../src/emulator/index.js';
import { SocialPublishing } from '../../../src/index.js';
import type { InboxQuestion, InboxTask } from '../../webhooks/inbox-process.js';
import { bundleProgram } from '../../support/bundle-program.js';
import type { StoreSpec } from '../open-store.js';
import { nodeOf } from './campaign.js';
import { serverUrl } from './server-url.js';

const name = `sp_${randomUUID().slice(0, 8)}`;
const posts = 80;
const kills = 16;

interface Setup {
  readonly engine: string;
  readonly nodeMajor: number;
  readonly open: () => Promise<{ readonly spec: StoreSpec; readonly remove: () => Promise<void> | void }>;
}

const setups: readonly Setup[] = [
  {
    engine: 'SQLite',
    nodeMajor: 22,
    open: () => {
      const folder = mkdtempSync(join(tmpdir(), 'inbox-'));
      return Promise.resolve({
        spec: { kind: 'sqlite', file: join(folder, 'inbox.db') },
        remove: () => {
          rmSync(folder, { recursive: true });
        },
      });
    },
  },
  {
    engine: 'Postgres',
    nodeMajor: 20,
    open: async () => {
      const url = serverUrl('DATABASE_URL');
      const pool = new pg.Pool({ connectionString: url });
      await pool.query(`CREATE SCHEMA ${name}`);
      return {
        spec: { kind: 'pg Pool', url, schema: name },
        remove: async () => {
          await pool.query(`DROP SCHEMA ${name} CASCADE`);
          await pool.end();
        },
      };
    },
  },
  {
    engine: 'Redis',
    nodeMajor: 20,
    open: () => {
      const url = serverUrl('REDIS_URL');
      return Promise.resolve({
        spec: { kind: 'ioredis', url, prefix: `${name}:` },
        remove: async () => {
          const redis = new Redis(url);
          const keys = await redis.keys(`*${name}*`);
          if (keys.length > 0) await redis.del(keys);
          redis.disconnect();
        },
      });
    },
  },
];

/** A process that is started again when it was killed. */
class InboxProcess {
  readonly #node: string;
  readonly #task: InboxTask;
  #child: ChildProcess | undefined;
  port: number | undefined;
  /** The signal that ended it. */
  death: Promise<string | null> = Promise.resolve(null);

  constructor(node: string, task: InboxTask) {
    this.#node = node;
    this.#task = task;
  }

  async start(): Promise<void> {
    const child = fork(bundleProgram('test/webhooks/inbox-process.ts'), [JSON.stringify(this.#task)], {
      execPath: this.#node,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#child = child;
    this.death = once(child, 'exit').then(([, signal]) => signal as string | null);
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    this.port = port;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.port = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** Asks, and waits for the answer unless the process is killed before. */
  async ask<T>(question: InboxQuestion): Promise<T | undefined> {
    const child = this.#child;
    if (child === undefined) return undefined;
    const answer = new Promise<T>((resolve, reject) => {
      child.on('message', ({ ask, value, error }: { ask: string; value: T; error?: string }) => {
        if (ask !== question) return;
        if (error === undefined) resolve(value);
        else reject(new Error(error));
      });
    });
    child.send(question);
    return Promise.race([answer, once(child, 'exit').then(() => undefined)]);
  }
}

let stop: () => Promise<void>;
afterEach(() => stop());

/** The service, and a subscription whose deliveries go to one of the processes. */
async function setUp({ nodeMajor, open }: Setup) {
  const { spec, remove } = await open();
  const processes: InboxProcess[] = [];
  const service = createEmulator({
    accessKey: 'test-key',
    deliver: async (request) => {
      const { port } = processes[Math.floor(Math.random() * processes.length)] ?? {};
      if (port === undefined) throw new Error('connection refused');
      const { method, headers } = request;
      return fetch(`http://127.0.0.1:${String(port)}/`, { method, headers, body: await request.text() });
    },
  });
  const server = await serveEmulator(service, { port: 0, realTime: true });
  const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'test-key' });
  const platforms = [{ platform: 'bluesky', accountId: service.seed.integration({ platform: 'bluesky' }).id }] as const;
  const { webhook } = await client.notifications.create({
    channel: 'webhook',
    eventTypes: ['post.published'],
    webhook: { url: 'https://inbox.test/' },
  });
  const since = service.clock.now() - 1000;
  const task = { spec, secret: webhook?.secret ?? '', baseUrl: server.url, since };
  const node = await nodeOf(nodeMajor);
  stop = async () => {
    await Promise.all(processes.map((process) => process.kill()));
    await server.close();
    await remove();
  };
  return {
    spec,
    service,
    publish: (content: string) => client.posts.create({ content, publishNow: true, platforms }),
    /** Starts one more. One after the other: SQLite makes a new file in one process. */
    start: async (dieAt?: InboxTask['dieAt']): Promise<InboxProcess> => {
      const process = new InboxProcess(node, { ...task, dieAt });
      processes.push(process);
      await process.start();
      return process;
    },
  };
}

/** Returns the handled events once they are from this number of posts, or after a while. */
async function handledBy(process: InboxProcess, count: number, before: () => Promise<unknown>): Promise<string[]> {
  let handled: string[] = [];
  for (let tries = 0; tries < 100 && new Set(handled).size < count; tries += 1) {
    await before();
    await sleep(300);
    handled = (await process.ask<string[]>('handled')) ?? [];
  }
  return handled;
}

describe.each(setups)('an inbox on $engine, in two processes that are killed', (setup) => {
  it('in a handler: the other one handles the event once the lease is over, and once', async () => {
    const { service, publish, start } = await setUp(setup);
    const mortal = await start('handler');
    await publish('hello');
    await service.settled();
    expect(await mortal.death).toBe('SIGKILL');
    const other = await start();
    expect(await handledBy(other, 1, () => Promise.resolve())).toEqual([service.posts[0]?.postId]);
    // Nothing remains for later.
    await sleep(2_000);
    expect(await other.ask('handled')).toHaveLength(1);
  });

  it('in catchUp: the other one catches up on the rest, and each state is handled once', async () => {
    const { service, publish, start } = await setUp(setup);
    for (let i = 0; i < 5; i += 1) await publish(`post ${String(i)}`);
    await service.settled();
    const mortal = await start(3);
    void mortal.ask('catchUp').catch(() => undefined);
    expect(await mortal.death).toBe('SIGKILL');
    const other = await start();
    const handled = await handledBy(other, 5, () => other.ask('catchUp'));
    expect([...new Set(handled)].sort()).toEqual(service.posts.map(({ postId }) => postId).sort());
    // Events that the first process may have been handling when it died.
    expect(handled.length).toBeLessThanOrEqual(5 + 3);
  });

  it(`has each of ${String(posts)} final states handled, and none twice but where a process was killed`, async () => {
    const { spec, service, publish, start } = await setUp(setup);
    const first = await start();
    const processes = [first, await start()];
    const publishing = (async () => {
      for (let i = 0; i < posts; i += 1) {
        await publish(`post ${String(i)}`);
        await sleep(Math.random() * 60);
      }
    })();
    for (let i = 0; i < kills; i += 1) {
      await sleep(Math.random() * 250);
      const process = processes[i % 2];
      // Every other one is killed while it catches up.
      if (i % 4 < 2) void process?.ask('catchUp').catch(() => undefined);
      await sleep(Math.random() * 20);
      await process?.kill();
      await process?.start();
    }
    await publishing;

    const handled = await handledBy(first, posts, () => first.ask('catchUp'));
    expect(new Set(handled)).toEqual(new Set(service.posts.map(({ postId }) => postId)));
    // A process that is killed has at most three handlers under way.
    expect(handled.length - posts).toBeLessThanOrEqual(3 * kills);
    console.log(
      `${spec.kind}: ${String(posts)} posts, ${String(kills)} kills, ${String(handled.length - posts)} handled twice`,
    );
  });
});
