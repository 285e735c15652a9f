import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { interleave, median, ratio, type Times } from '../../bench/measure.js';
import { UpstashBridge } from '../../test/stores/servers/upstash-bridge.js';
import { postgresAnswers, startRedis } from '../servers/temporary.js';
import { bunPath, moduleOf, nodePath } from './folder.js';
import { subjectNames } from './programs/publish-subjects.js';
import type { TimesTask } from './programs/times.js';
import { bundle, run, startHost } from './start.js';
import { bridgeWebSockets } from './web-sockets.js';

/** Measures a publish over one handle. Resolves to `undefined` if its server is not there. */
export type Measure = (service: string) => Promise<Times | undefined>;

const databaseUrl = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** How to measure each handle; the IDs are those of `npm run test:handles`, and more. */
export async function timesOfHandles(): Promise<Readonly<Record<string, Measure>>> {
  const [program, worker] = [await bundle('times'), await bundle('worker')];
  const measure =
    (command: () => string, task: Omit<TimesTask, 'baseUrl' | 'database'>): Measure =>
    (baseUrl) =>
      timesIn(command(), program, { ...task, baseUrl, database: join(run, `times-${task.handle}`) });
  const node = () => process.execPath;
  const installed = (name: string) => import.meta.resolve(name);
  const onPostgres =
    (task: Omit<TimesTask, 'baseUrl' | 'database'>): Measure =>
    async (baseUrl) => {
      if (!(await postgresAnswers(databaseUrl))) return undefined;
      try {
        return await timesIn(node(), program, { ...task, baseUrl, database: databaseUrl });
      } finally {
        await dropTables();
      }
    };
  const onRedis =
    (handle: 'redis' | 'ioredis' | 'upstash', module: string): Measure =>
    (baseUrl) =>
      withRedis(handle === 'upstash', (database) => timesIn(node(), program, { handle, module, baseUrl, database }));
  return {
    file: measure(nodePath, { handle: 'file', module: 'node:fs' }),
    bun: measure(bunPath, { handle: 'bun:sqlite', module: 'bun:sqlite' }),
    'bun-file': measure(bunPath, { handle: 'file', module: 'node:fs' }),
    'better-sqlite3': (service) =>
      measure(node, { handle: 'better-sqlite3', module: moduleOf('better-sqlite3') })(service),
    libsql: measure(node, { handle: 'libsql', module: installed('@libsql/client') }),
    d1: (service) => timesInWorker('d1', worker, service),
    'durable-object': (service) => timesInWorker('object', worker, service),
    pglite: measure(node, { handle: 'pglite', module: installed('@electric-sql/pglite') }),
    neon: async (service) => {
      const { hostname: host, port } = new URL(databaseUrl);
      const bridge = await bridgeWebSockets(moduleOf('ws'), { host, port: Number(port || 5432) });
      const webSockets = { module: moduleOf('ws'), port: bridge.port };
      const task = { handle: 'neon', module: moduleOf('@neondatabase/serverless'), webSockets } as const;
      return onPostgres(task)(service).finally(bridge.close);
    },
    pg: onPostgres({ handle: 'pg', module: installed('pg') }),
    postgres: onPostgres({ handle: 'postgres', module: installed('postgres') }),
    redis: onRedis('redis', installed('redis')),
    ioredis: onRedis('ioredis', installed('ioredis')),
    upstash: onRedis('upstash', installed('@upstash/redis')),
  };
}

/** Starts a service that answers each create with a new post, in a thread. */
export async function startService(): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const worker = new Worker(new URL('../../bench/publish-server.mjs', import.meta.url));
  const [port] = (await once(worker, 'message')) as [number];
  return { url: `http://127.0.0.1:${String(port)}`, stop: () => worker.terminate() };
}

/** The columns after the name: publish, create, three bare writes in ms, then the ratio. */
export function columnsOf(times: Times): string[] {
  const ms = (subject: (typeof subjectNames)[number]) => median(times.get(subject)).toFixed(2);
  return [ms('publish'), ms('create'), ms('writes'), ratio(times, 'publish', 'both').toFixed(2)];
}

async function timesIn(command: string, program: string, task: TimesTask): Promise<Times> {
  const { stdout } = await promisify(execFile)(command, [program, JSON.stringify(task)], { timeout: 300_000 });
  return new Map(Object.entries(JSON.parse(stdout) as Record<string, number[]>));
}

/** The times contain a third of a request to the Worker. */
async function timesInWorker(on: 'd1' | 'object', worker: string, service: string): Promise<Times> {
  const host = await startHost(worker, join(run, `times-${on}`));
  const runIn = async (subject: string) => {
    const query = new URLSearchParams({ on, subject, service });
    const reply = await fetch(`${host.url}measure?${query.toString()}`, { method: 'POST' });
    const text = await reply.text();
    if (text !== 'done') throw new Error(text.slice(0, 3000));
  };
  try {
    const subjects = subjectNames.map((name) => ({ name, run: () => runIn(name) }));
    const times = await interleave(subjects, { times: 1, rounds: 61, warmUp: 20 });
    return new Map([...times].map(([name, values]) => [name, values.map((ms) => ms / 3)]));
  } finally {
    await host.kill();
  }
}

/** A Redis that commits each write to disk, as a publisher needs. */
async function withRedis<T>(isOverHttp: boolean, work: (url: string) => Promise<T>): Promise<T> {
  const server = await startRedis();
  const bridge = isOverHttp ? await UpstashBridge.start(server.url) : undefined;
  try {
    return await work(bridge?.url ?? server.url);
  } finally {
    await bridge?.close();
    await server.stop();
  }
}

async function dropTables(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('DROP TABLE IF EXISTS social_publishing_times, social_publishing_bare');
  await client.end();
}
