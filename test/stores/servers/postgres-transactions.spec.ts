/** Outside `within`, a store never joins a transaction of the caller; `within` needs an open one. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/core/errors.js';
import { createPublisher } from '../../../src/publisher/create-publisher.js';
import {
  PostgresStore,
  type DurableStore,
  type PgClient,
  type PgQuery,
  type PgTransaction,
} from '../../../src/stores/postgres/index.js';
import { createWebhookInbox } from '../../../src/webhooks/inbox/inbox.js';
import { signWebhook } from '../../../src/webhooks/verify/signatures.js';
import { serverUrl } from './server-url.js';

const url = serverUrl('DATABASE_URL');
const schema = `social_publishing_tx_${randomUUID().replaceAll('-', '')}`;
const onWarning = () => {};
const options = { connectionString: url, options: `-c search_path=${schema}` };

let pool: pg.Pool;
beforeAll(async () => {
  pool = new pg.Pool(options);
  await pool.query(`CREATE SCHEMA ${schema}`);
  await new PostgresStore(pool, { onWarning }).setup();
});
afterAll(async () => {
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
});

function service() {
  let posts = 0;
  const create = () =>
    Promise.resolve({ success: true, postId: `${randomUUID()}/${(posts += 1)}`, status: 'scheduled' });
  return {
    client: { posts: { create, list: () => ({ pages: async function* () {} }) } },
    posts: () => posts,
  };
}

const body = {
  content: 'Hello',
  scheduledFor: '2031-03-01T09:00:00Z',
  platforms: [{ platform: 'bluesky' as const, accountId: 'int_1' }],
};

/** One connection of the caller: the store's handle, and how the caller begins and ends a transaction on it. */
interface Session {
  readonly handle: ConstructorParameters<typeof PostgresStore>[0];
  readonly sql: (text: string) => Promise<unknown>;
  readonly end: () => Promise<unknown>;
}

const connected = async () => {
  const client = new pg.Client(options);
  await client.connect();
  return client;
};

const sessions: Record<string, () => Promise<Session>> = {
  'a pg Client': async () => {
    const client = await connected();
    return { handle: client, sql: (text) => client.query(text), end: () => client.end() };
  },
  'a pg PoolClient': async () => {
    const client = await pool.connect();
    const end = () => {
      client.release();
      return Promise.resolve();
    };
    return { handle: client, sql: (text) => client.query(text), end };
  },
  'a pg Pool of one connection': async () => {
    const one = new pg.Pool({ ...options, max: 1 });
    return Promise.resolve({ handle: one, sql: (text) => one.query(text), end: () => one.end() });
  },
  'a wrapper that hides the state of the transaction': async () => {
    const client = await connected();
    const handle: PgClient = { query: (query: PgQuery) => client.query<unknown[]>(query) };
    return { handle, sql: (text) => client.query(text), end: () => client.end() };
  },
  'a reserved sql of postgres.js': async () => {
    const sql = postgres(url, { connection: { search_path: schema }, onnotice: () => {} });
    const reserved = await sql.reserve();
    const end = () => (reserved.release(), sql.end());
    return { handle: reserved, sql: (text) => reserved.unsafe(text), end };
  },
  'a sql of postgres.js with one connection': async () => {
    const sql = postgres(url, { connection: { search_path: schema }, max: 1, onnotice: () => {} });
    return Promise.resolve({ handle: sql, sql: (text) => sql.unsafe(text), end: () => sql.end() });
  },
};

const withinIsAdvised = /open transaction.*within/s;

describe.each(Object.entries(sessions))('over %s', (name, open) => {
  it('publishes once: BEGIN, publish, ROLLBACK, publish', async () => {
    const session = await open();
    const { client, posts } = service();
    const publisher = createPublisher({ client, store: new PostgresStore(session.handle, { onWarning }) });
    const key = randomUUID();
    await session.sql('BEGIN');
    const error = await publisher.publish(key, body).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toMatch(withinIsAdvised);
    expect(posts()).toBe(0);
    await session.sql('ROLLBACK');
    expect(await publisher.publish(key, body)).toMatchObject({ state: 'accepted', replayed: false });
    expect(posts()).toBe(1);
    await session.end();
  });

  it('refuses every write in an open transaction, writes nothing and leaves the transaction usable', async () => {
    const session = await open();
    const store = new PostgresStore(session.handle, { onWarning });
    const key = randomUUID();
    const version = (await store.insert(key, 'before', null)) ?? 0;
    await session.sql('BEGIN');
    for (const write of [
      () => store.insert(`${key}/b`, 'x', 1),
      () => store.swap(key, version, 'x', 1),
      () => store.swap(key, version, null, null),
    ])
      await expect(write()).rejects.toThrow(ConfigurationError);
    await session.sql(`CREATE TABLE "${key}" (n int)`);
    await session.sql('COMMIT');
    expect(await store.get(key)).toEqual({ version, data: 'before' });
    expect(await store.get(`${key}/b`)).toBeUndefined();
    await session.sql(`DROP TABLE "${key}"`);
    await session.end();
  });

  it('refuses writes of several stores at once in an open transaction', async () => {
    const session = await open();
    const stores = [1, 2, 3].map(() => new PostgresStore(session.handle, { onWarning }));
    for (const store of stores) await store.setup();
    const keys = Array.from({ length: 8 }, () => randomUUID());
    await session.sql('BEGIN');
    const writes = await Promise.allSettled(keys.flatMap((key) => stores.map((store) => store.insert(key, 'x', 1))));
    await session.sql('ROLLBACK');
    expect(writes.map(({ status }) => status)).not.toContain('fulfilled');
    for (const write of writes) expect(write).toMatchObject({ reason: expect.any(ConfigurationError) as Error });
    await session.end();
  });

  // A Pool closes the connection of a failed statement, and the transaction with it.
  if (!name.includes('Pool of')) {
    it('refuses in a failed transaction, and works after its end', async () => {
      const session = await open();
      const store = new PostgresStore(session.handle, { onWarning });
      await session.sql('BEGIN');
      await session.sql('SELECT 1 / 0').catch(() => undefined);
      await expect(store.insert(randomUUID(), 'x', 1)).rejects.toThrow(ConfigurationError);
      await session.sql('ROLLBACK');
      expect(await store.insert(randomUUID(), 'x', 1)).toEqual(expect.any(Number));
      await session.end();
    });
  }
});

describe('over the sql of begin of postgres.js', () => {
  it('refuses to publish, and publishes once with the sql outside', async () => {
    const sql = postgres(url, { connection: { search_path: schema } });
    const { client, posts } = service();
    const publisherOn = (handle: PgClient | postgres.ISql) =>
      createPublisher({ client, store: new PostgresStore(handle as PgClient, { onWarning }) });
    const key = randomUUID();
    const rolledBack = sql.begin(async (tx) => {
      await expect(publisherOn(tx).publish(key, body)).rejects.toThrow(withinIsAdvised);
      await expect(publisherOn(tx).publish(key, body)).rejects.toThrow(ConfigurationError);
      await tx.savepoint((point) => expect(publisherOn(point).publish(key, body)).rejects.toThrow(ConfigurationError));
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(posts()).toBe(0);
    expect(await publisherOn(sql).publish(key, body)).toMatchObject({ state: 'accepted', replayed: false });
    expect(posts()).toBe(1);
    await sql.end();
  });
});

it('sends nothing if a BEGIN overtakes the mark', async () => {
  const client = await connected();
  const { client: api, posts } = service();
  const publisher = createPublisher({ client: api, store: new PostgresStore(client, { onWarning }) });
  await publisher.publish(randomUUID(), body); // The settings are read.
  const begun = client.query('BEGIN');
  await expect(publisher.publish(randomUUID(), body)).rejects.toThrow(ConfigurationError);
  await begun;
  await client.query('ROLLBACK');
  expect(posts()).toBe(1);
  await client.end();
});

it('answers 500 to an event, and acknowledges it only once it is durable', async () => {
  const client = await connected();
  const secret = 'whsec_test';
  const inbox = createWebhookInbox({
    secret,
    store: new PostgresStore(client, { onWarning }),
    on: {},
    onError: () => {},
  });
  const body = JSON.stringify({ id: randomUUID(), type: 'post.published', data: {} });
  const deliver = async () => {
    const headers = await signWebhook({ body, secret });
    return (await inbox.fetch(new Request('https://inbox.test/', { method: 'POST', body, headers }))).status;
  };
  await client.query('BEGIN');
  expect(await deliver()).toBe(500);
  await client.query('ROLLBACK');
  expect(await deliver()).toBe(200);
  await client.end();
});

describe('within', () => {
  const noTransaction = /has no open transaction/;
  const enqueueing = () => {
    const { client } = service();
    return createPublisher({ client, store: new PostgresStore(pool, { onWarning }) });
  };

  const transactions = Object.entries(sessions).filter(([name]) => !/with one|Pool of/.test(name));

  it.each(transactions)('takes several intents at once in a transaction of %s', async (_, open) => {
    const session = await open();
    const [publisher, within] = [enqueueing(), session.handle as PgTransaction];
    const keys = [randomUUID(), randomUUID(), randomUUID()];
    await session.sql('BEGIN');
    await Promise.all(keys.map((key) => publisher.enqueue(key, body, { within })));
    expect(await publisher.get(keys[0] ?? '')).toBeUndefined();
    await session.sql('COMMIT');
    for (const key of keys) expect(await publisher.get(key)).toMatchObject({ state: 'ready' });
    await session.end();
  });

  it.each(transactions)('writes nothing if the transaction of %s ends before the write', async (_, open) => {
    const session = await open();
    const store = new PostgresStore(pool, { onWarning });
    const key = randomUUID();
    const version = (await store.insert(key, 'before', null)) ?? 0;
    for (const write of [
      (inside: DurableStore) => inside.insert(`${key}/b`, 'x', 1),
      (inside: DurableStore) => inside.swap(key, version, 'x', 1),
      (inside: DurableStore) => inside.swap(key, version, null, null),
    ]) {
      await session.sql('BEGIN');
      const ended = Promise.resolve(session.sql('ROLLBACK')); // postgres.js sends a query when it is awaited.
      await expect(write(store.within(session.handle as PgTransaction))).rejects.toThrow(noTransaction);
      await ended;
    }
    expect(await store.get(key)).toEqual({ version, data: 'before' });
    expect(await store.get(`${key}/b`)).toBeUndefined();
    await session.end();
  });

  it('writes nothing if the transaction ends between the check and the write', async () => {
    const client = await connected();
    const within: PgTransaction = {
      query: async (query) => {
        if (query.text.startsWith('INSERT')) await client.query('ROLLBACK');
        return client.query<unknown[]>(query);
      },
    };
    const [publisher, key] = [enqueueing(), randomUUID()];
    await client.query('BEGIN');
    await expect(publisher.enqueue(key, body, { within })).rejects.toThrow(noTransaction);
    expect(await publisher.get(key)).toBeUndefined();
    await client.end();
  });

  it('writes nothing after the server ended the connection of begin of postgres.js', async () => {
    const sql = postgres(url, { connection: { search_path: schema }, max: 1 });
    const [publisher, key] = [enqueueing(), randomUUID()];
    let reply: (result: unknown) => void = () => {};
    const enqueued = new Promise((resolve) => (reply = resolve));
    const lost = sql.begin(async (tx) => {
      const [row] = await tx`SELECT pg_backend_pid() AS pid`;
      await pool.query('SELECT pg_terminate_backend($1)', [row?.['pid']]);
      // postgres.js opens another connection, and runs the next statements of the transaction on it.
      await expect.poll(() => sql`SELECT 1`.then(String, () => 'lost')).not.toBe('lost');
      await publisher.enqueue(key, body, { within: tx }).then(reply, reply);
    });
    await expect(lost).rejects.toThrow();
    expect(String(await enqueued)).toMatch(noTransaction);
    expect(await publisher.get(key)).toBeUndefined();
    await sql.end();
  });

  it.each(transactions)('refuses %s without an open transaction, and writes nothing', async (_, open) => {
    const session = await open();
    const [publisher, key] = [enqueueing(), randomUUID()];
    const within = session.handle as PgTransaction;
    const error = await publisher.enqueue(key, body, { within }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toMatch(noTransaction);
    expect(await publisher.get(key)).toBeUndefined();
    await session.sql('BEGIN');
    await publisher.enqueue(key, body, { within });
    await session.sql('COMMIT');
    await expect(publisher.enqueue(`${key}/b`, body, { within })).rejects.toThrow(noTransaction);
    expect(await publisher.get(key)).toMatchObject({ state: 'ready' });
    expect(await publisher.get(`${key}/b`)).toBeUndefined();
    await session.end();
  });

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
    'names the isolation level if %s makes the write fail',
    async (level) => {
      const client = await connected();
      const [publisher, key] = [enqueueing(), randomUUID()];
      await client.query(`BEGIN ISOLATION LEVEL ${level}`);
      await client.query('SELECT 1 FROM social_publishing LIMIT 1');
      await publisher.enqueue(key, body);
      const error: unknown = await publisher.enqueue(key, body, { within: client }).catch((thrown: unknown) => thrown);
      expect(String(error)).toMatch(/isolation level.*(REPEATABLE READ|SERIALIZABLE).*READ COMMITTED/s);
      expect(String(error)).not.toMatch(/did not answer/);
      await client.query('ROLLBACK');
      await client.end();
    },
  );
});
