import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { Redis } from 'ioredis';
import pg from 'pg';
import { SocialPublishing } from 'social-publishing';
import { createPublisher, type DurableStore, type PublishItem } from 'social-publishing/publisher';
import { PostgresStore } from 'social-publishing/stores/postgres';
import { RedisStore } from 'social-publishing/stores/redis';
import { SqliteStore } from 'social-publishing/stores/sqlite';
import { startRedis } from '../test/support/temporary-servers.js';
import { interleave, median, milliseconds, ratio } from './measure.js';
import { atMost, atMostTimes, ms, type Row } from './table.js';

const body = {
  content: 'Hello from the bench. '.repeat(10),
  scheduledFor: '2031-03-01T09:00:00Z',
  platforms: [{ platform: 'bluesky' as const, accountId: 'int_1' }],
};
/** The limit for a publish (the create, the mark, the claim, the note) over a create and three bare writes. */
const limit = 1.35;

/** Changes the data: SQLite writes nothing if an update changes no byte. */
const noted = (data: string) => data.replace('sending', 'accepted');

interface Place {
  readonly name: string;
  readonly store: DurableStore;
  /** The minimum cost of three durable writes of this length: two inserts, one update. */
  readonly bare: (key: string, data: string) => Promise<unknown>;
  readonly close: () => Promise<void> | void;
}

/**
 * Measures the publisher's overhead on each available store, sweeps over many intents, and the memory of a campaign.
 */
export async function benchPublisher(): Promise<Row[]> {
  const worker = new Worker(new URL('publish-server.mjs', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'bench-publisher-'));
  try {
    const [port] = (await once(worker, 'message')) as [number];
    const client = new SocialPublishing({ baseUrl: `http://127.0.0.1:${String(port)}`, accessKey: 'bench-key' });
    const rows: Row[] = [];
    for (const open of [() => openSqlite(folder), openPostgres, openRedis]) {
      const place = await open().catch(() => undefined); // This server is not available.
      if (place === undefined) continue;
      rows.push(await publishing(client, place));
      await place.close();
    }
    return [...rows, await sweeping(folder), await memory()];
  } finally {
    await worker.terminate();
    rmSync(folder, { recursive: true });
  }
}

async function publishing(client: SocialPublishing, { name, store, bare }: Place): Promise<Row> {
  const publisher = createPublisher({ client, store });
  const data = JSON.stringify({ state: 'sending', body });
  const times = await interleave(
    [
      { name: 'create', run: () => client.posts.create(body) },
      { name: 'publish', run: () => publisher.publish(randomUUID(), body) },
      { name: 'writes', run: () => bare(randomUUID(), data) },
      {
        name: 'limit',
        run: async () => {
          await client.posts.create(body);
          await bare(randomUUID(), data);
        },
      },
    ],
    // All subjects run a create, so it is warm soon; only one runs the publisher.
    { times: 5, warmUp: 60 },
  );
  const [create, writes, publish] = ['create', 'writes', 'publish'].map((subject) => median(times.get(subject))) as [
    number,
    number,
    number,
  ];
  // The ratio of each round, because the speed of a disk varies.
  const found = ratio(times, 'publish', 'limit');
  const detail = `publish ${ms(publish)}, create ${ms(create)}, three bare writes ${ms(writes)}`;
  const what = `publish on ${name}, over a create and three bare writes`;
  return atMostTimes(what, found, limit, detail);
}

async function openSqlite(folder: string): Promise<Place> {
  const store = new SqliteStore(join(folder, 'publisher.db'));
  await store.setup();
  const database = new DatabaseSync(join(folder, 'bare.db'));
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE bare (key TEXT PRIMARY KEY, data TEXT)',
  );
  const insert = database.prepare('INSERT INTO bare VALUES (?, ?)');
  const update = database.prepare('UPDATE bare SET data = ? WHERE key = ?');
  return {
    name: 'SQLite',
    store,
    bare: (key, data) => {
      insert.run(key, data);
      insert.run(`post/${key}`, '{}');
      update.run(noted(data), key);
      return Promise.resolve();
    },
    close: async () => {
      database.close();
      await store.close();
    },
  };
}

async function openPostgres(): Promise<Place> {
  const url = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  const schema = `bench_${randomUUID().slice(0, 8)}`;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}; SET search_path = ${schema}`);
  await client.query('CREATE TABLE bare (key TEXT PRIMARY KEY, data TEXT)');
  const store = new PostgresStore(client);
  await store.setup();
  return {
    name: 'Postgres',
    store,
    bare: async (key, data) => {
      await client.query('INSERT INTO bare VALUES ($1, $2)', [key, data]);
      await client.query('INSERT INTO bare VALUES ($1, $2)', [`post/${key}`, '{}']);
      await client.query('UPDATE bare SET data = $1 WHERE key = $2', [noted(data), key]);
    },
    close: async () => {
      await client.query(`DROP SCHEMA ${schema} CASCADE`);
      await client.end();
    },
  };
}

/** A separate server that commits each write to disk (`appendfsync always`), as a publisher needs. */
async function openRedis(): Promise<Place> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  return {
    name: 'Redis',
    store: new RedisStore(redis),
    bare: async (key, data) => {
      await redis.set(`bare:${key}`, data);
      await redis.set(`bare:post/${key}`, '{}');
      await redis.set(`bare:${key}`, noted(data));
    },
    close: async () => {
      redis.disconnect();
      await server.stop();
    },
  };
}

/** Measures how fast a sweep finds due intents among a million finished ones. */
async function sweeping(folder: string): Promise<Row> {
  const [finished, due] = [1_000_000, 100];
  const file = join(folder, 'million.db');
  const store = new SqliteStore(file);
  await store.setup();
  const database = new DatabaseSync(file);
  const fill = (prefix: string, count: number, wakeAt: string) => {
    database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${String(count)})
      INSERT INTO social_publishing (key, version, data, wake_at)
      SELECT 'intent/${prefix}/' || i, 1, '{"state":"published","postId":"post_' || i || '"}', ${wakeAt} FROM n`);
  };
  fill('done', finished, 'NULL');
  fill('due', due, 'i');
  database.close();
  const times: number[] = [];
  for (let round = 0; round < 21; round += 1) {
    times.push(
      await milliseconds(async () => {
        const keys = await store.due('intent/', Date.now(), due);
        if (keys.length !== due) throw new Error(`${String(keys.length)} are due.`);
        for (const key of keys) await store.get(key);
      }),
    );
  }
  await store.close();
  const what = 'sweep on SQLite: 100 due intents found and read';
  return atMost(what, median(times), 10, 'ms', `among ${finished.toLocaleString('en')} that are done`);
}

/** Measures the memory after a campaign, with a store and a service that keep nothing. */
async function memory(): Promise<Row> {
  let posts = 0;
  const fetch = () => {
    posts += 1;
    return Promise.resolve(Response.json({ success: true, postId: `post_${String(posts)}`, status: 'scheduled' }));
  };
  const client = new SocialPublishing({ baseUrl: 'https://bench.test', accessKey: 'bench-key', fetch });
  const publisher = createPublisher({ client, store: forgetful() });
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Node releases the memory of a `Request` in callbacks, which run after a collection, when the event loop turns. Here
  // it would not turn otherwise: the service and the store reply at once.
  const heap = async () => {
    for (let times = 0; times < 5; times += 1) {
      collect();
      await setImmediate();
    }
    return process.memoryUsage().heapUsed;
  };
  const [early, late] = [10_000, 100_000];
  let [count, before, after] = [0, 0, 0];
  for await (const { state } of publisher.publishMany(campaign(late), { concurrency: 8 })) {
    if (state !== 'accepted') throw new Error(`One is ${state}.`);
    count += 1;
    if (count === early) before = await heap();
    if (count === late) after = await heap();
  }
  const perIntent = (after - before) / (late - early);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const detail = `heap after ${String(early)} intents ${megabytes(before)}, after ${String(late)} ${megabytes(after)}`;
  return atMost('publishMany: memory for each further intent', perIntent, 100, 'bytes', detail);
}

function* campaign(count: number): Generator<PublishItem> {
  for (let i = 0; i < count; i += 1) yield { key: `campaign/${String(i)}`, body };
}

/** Keeps only the last write: enough for intents in progress. */
function forgetful(): DurableStore {
  const items = new Map<string, { version: number; data: string }>();
  const keep = (key: string, version: number, data: string) => {
    items.set(key, { version, data });
    if (items.size <= 100) return;
    const [oldest] = items.keys();
    if (oldest !== undefined) items.delete(oldest);
  };
  return {
    get: (key) => Promise.resolve(items.get(key)),
    insert: (key, data) => {
      keep(key, 1, data);
      return Promise.resolve(1);
    },
    swap: (key, version, data) => {
      keep(key, version + 1, data ?? '');
      return Promise.resolve(version + 1);
    },
    due: () => Promise.resolve([]),
    scan: () => Promise.resolve([]),
  };
}
