import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createClient, type RedisClientType } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/core/errors.js';
import { PostgresStore } from '../../../src/stores/postgres/index.js';
import { createWebhookInbox, createWebhookReceiver, signWebhook } from '../../../src/webhooks/index.js';
import { describeReceiver } from '../../webhooks/receiver-suite.js';
import { published, secret } from '../../webhooks/verify-suite.js';
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

/** Two connections to one database. */
async function openTwo(spec: StoreSpec) {
  const [store, other] = [await openStore(spec), await openStore(spec)];
  closing.push(
    () => store.close?.() ?? Promise.resolve(),
    () => other.close?.() ?? Promise.resolve(),
  );
  await store.setup?.();
  let time = Date.now();
  return { store, other, now: () => time, pass: (ms: number) => void (time += ms) };
}

for (const kind of ['pg Pool', 'pg Client', 'postgres.js'] as const satisfies readonly PostgresSpec['kind'][])
  describeReceiver(`PostgresStore over ${kind}`, () => openTwo({ kind, url: databaseUrl, schema: name }));

for (const kind of ['node-redis', 'ioredis'] as const satisfies readonly RedisSpec['kind'][])
  describeReceiver(`RedisStore over ${kind}`, () => openTwo({ kind, url: redisUrl, prefix: `${name}:` }));

describe('a delivery while a transaction is open on the connection of the store', () => {
  const setUp = async () => {
    const client = new pg.Client({ connectionString: databaseUrl, options: `-c search_path=${name}` });
    await client.connect();
    closing.push(() => client.end());
    const store = new PostgresStore(client, { onWarning: () => undefined });
    await store.setup();
    const errors: unknown[] = [];
    const handled: string[] = [];
    const onError = (error: unknown) => errors.push(error);
    const on = { default: ({ id = '' }: { readonly id?: string | undefined }) => handled.push(id) };
    return { client, store, errors, handled, onError, on };
  };
  const request = async (id: string) => {
    const body = JSON.stringify({ ...published, id });
    const headers = await signWebhook({ body, secret });
    return new Request('https://receiver.test/', { method: 'POST', body, headers });
  };

  it('gets 500 from an inbox, and the event is not lost by a rollback', async () => {
    const { client, store, errors, handled, onError, on } = await setUp();
    const inbox = createWebhookInbox({ secret, store, on, onError });
    await client.query('BEGIN');
    expect((await inbox.fetch(await request('evt_inbox'))).status).toBe(500);
    await client.query('ROLLBACK');
    expect(errors).toEqual([expect.any(ConfigurationError)]);
    expect((await inbox.fetch(await request('evt_inbox'))).status).toBe(200);
    const worker = inbox.start({ pollMs: 10 });
    while (handled.length === 0) await sleep(10);
    await worker.stop();
    expect(handled).toEqual(['evt_inbox']);
  });

  it('gets 500 from a receiver, and the handler does not run', async () => {
    const { client, store, errors, handled, onError, on } = await setUp();
    const receiver = createWebhookReceiver({ secret, store, on, onError });
    await client.query('BEGIN');
    expect((await receiver.fetch(await request('evt_receiver'))).status).toBe(500);
    expect(handled).toEqual([]);
    await client.query('ROLLBACK');
    expect(errors).toEqual([expect.any(ConfigurationError)]);
    expect((await receiver.fetch(await request('evt_receiver'))).status).toBe(200);
    expect(handled).toEqual(['evt_receiver']);
  });
});
