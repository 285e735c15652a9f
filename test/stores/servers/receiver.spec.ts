import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createClient, type RedisClientType } from 'redis';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { describeReceiver } from '../../webhooks/receiver-suite.js';
import { openStore, type PostgresSpec, type RedisSpec, type StoreSpec } from '../open-store.js';
import { serverUrl } from './server-url.js';

const databaseUrl = serverUrl('DATABASE_URL');
const redisUrl = serverUrl('REDIS_URL');
const name = `sp_receiver_${randomUUID().slice(0, 8)}`;

let pool: pg.Pool;
let redis: RedisClientType;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: databaseUrl });
  await pool.query(`CREATE SCHEMA ${name}`);
  redis = createClient({ url: redisUrl });
  await redis.connect();
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

afterAll(async () => {
  await pool.query(`DROP SCHEMA ${name} CASCADE`);
  await pool.end();
  for await (const keys of redis.scanIterator({ MATCH: `*${name}*`, COUNT: 1000 }))
    if (keys.length > 0) await redis.unlink(keys);
  await redis.close();
});

/** Two connections to one database, with the real time. */
async function openTwo(spec: StoreSpec) {
  const [store, other] = [await openStore(spec), await openStore(spec)];
  closing.push(
    () => store.close?.() ?? Promise.resolve(),
    () => other.close?.() ?? Promise.resolve(),
  );
  await store.setup?.();
  return { store, other, now: Date.now, pass: (ms: number) => sleep(ms) };
}

for (const kind of ['pg Pool', 'pg Client', 'postgres.js'] as const satisfies readonly PostgresSpec['kind'][])
  describeReceiver(`PostgresStore over ${kind}`, () => openTwo({ kind, url: databaseUrl, schema: name }));

for (const kind of ['node-redis', 'ioredis'] as const satisfies readonly RedisSpec['kind'][])
  describeReceiver(`RedisStore over ${kind}`, () => openTwo({ kind, url: redisUrl, prefix: `${name}:` }));
