/** Connections of Postgres that are lost, or that are all in use. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../src/core/errors.js';
import { defaultRuntime } from '../../../src/core/runtime.js';
import { createPublisher } from '../../../src/publisher/create-publisher.js';
import { PostgresStore, type PgClient } from '../../../src/stores/postgres/index.js';
import { serverUrl } from './server-url.js';

const url = serverUrl('DATABASE_URL');
const schema = `social_publishing_connections_${randomUUID().replaceAll('-', '')}`;
const onWarning = () => {};
const options = { connectionString: url, options: `-c search_path=${schema}` };

let pool: pg.Pool;
const ends: (() => unknown)[] = [];
beforeAll(async () => {
  pool = new pg.Pool(options);
  await pool.query(`CREATE SCHEMA ${schema}`);
  await new PostgresStore(pool, { onWarning }).setup();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of ends.splice(0)) await end();
});
afterAll(async () => {
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
});

const body = {
  content: 'Hello',
  scheduledFor: '2031-03-01T09:00:00Z',
  platforms: [{ platform: 'bluesky' as const, accountId: 'int_1' }],
};

function publisherOn(store: PostgresStore) {
  const sent: unknown[] = [];
  const create = (post: unknown) => {
    sent.push(post);
    return Promise.resolve({ success: true, postId: randomUUID(), status: 'scheduled' });
  };
  const list = () => ({ pages: async function* () {} });
  return { publisher: createPublisher({ client: { posts: { create, list } }, store }), sent };
}

describe('a connection of a pg Pool that dies as the pool hands it over', () => {
  it.each(['an idle', 'a new'])('does not end the process: %s connection', async (kind) => {
    const dying = new pg.Pool({ ...options, max: 1 });
    ends.push(() => dying.end());
    dying.on('error', () => {}); // As the guide says.
    if (kind === 'an idle') await dying.query('SELECT 1');
    dying.once('acquire', (client) => {
      // pg has no type for its socket. `destroy` reports the error in the next tick, as a reset by the peer does.
      const { connection } = client as unknown as { connection: { stream: net.Socket } };
      connection.stream.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    });
    const { publisher, sent } = publisherOn(new PostgresStore(dying, { onWarning }));
    expect(await publisher.publish(randomUUID(), body)).toMatchObject({ state: 'accepted', replayed: false });
    expect(sent).toHaveLength(1);
  });
});

describe('a pg Pool that is ended while a publish waits for its connection', () => {
  const ending = (max: number) => {
    const own = new pg.Pool({ ...options, max });
    own.on('error', () => {});
    return { own, ...publisherOn(new PostgresStore(own, { onWarning })) };
  };
  /** Ends the pool as soon as the store has asked it for the connection with this number. */
  const endAt = (pool: pg.Pool, call: number) => {
    const connect = pool.connect.bind(pool);
    let calls = 0;
    vi.spyOn(pool, 'connect').mockImplementation((callback?: Parameters<pg.Pool['connect']>[0]) => {
      if (callback === undefined) throw new Error('The store passes a callback.');
      connect(callback);
      if ((calls += 1) === call) void pool.end();
    });
  };

  it.each([1, 10])('before the send: rejects, and nothing is sent (max %i)', async (max) => {
    const { own, publisher, sent } = ending(max);
    await own.query('SELECT 1');
    endAt(own, 1);
    await expect(publisher.publish(randomUUID(), body)).rejects.toThrow(/Postgres did not answer: .*pool/i);
    expect(sent).toEqual([]);
  });

  it.each([1, 10])('after the send: rejects with the outcome unknown (max %i)', async (max) => {
    const { own, publisher, sent } = ending(max);
    endAt(own, 2);
    await expect(publisher.publish(randomUUID(), body)).rejects.toMatchObject({
      outcome: 'unknown',
      message: expect.stringMatching(/Postgres did not answer: .*pool/i) as string,
    });
    expect(sent).toHaveLength(1);
  });
});

describe('a session that Postgres ended', () => {
  /** Passes everything on, but delays the end of an idle session until the client sends its next statement. */
  async function delayingProxy(): Promise<number> {
    const { hostname: host, port } = new URL(url);
    const server = net.createServer((client) => {
      const upstream = net.connect({ host, port: Number(port || 5432) });
      let held: Buffer | undefined;
      let hasEnded = false;
      upstream.on('data', (chunk) => {
        // The end can be in one chunk with an earlier reply. A message begins with its kind and its length, in 5 bytes.
        const end = chunk.includes('57P05') ? chunk.indexOf('SFATAL') - 5 : chunk.length;
        client.write(chunk.subarray(0, end));
        if (end < chunk.length) held = chunk.subarray(end);
      });
      client.on('data', (chunk) => {
        if (held === undefined) {
          if (!hasEnded) upstream.write(chunk);
          return;
        }
        client.end(held);
        held = undefined;
      });
      upstream.on('close', () => {
        hasEnded = true;
        if (held === undefined) client.destroy();
      });
      for (const socket of [client, upstream]) socket.on('error', () => {});
      client.on('close', () => upstream.destroy());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    ends.push(() => server.close());
    return (server.address() as AddressInfo).port;
  }

  it('is replaced, and the statement is repeated: idle_session_timeout', async () => {
    const through = new URL(url);
    through.host = `127.0.0.1:${String(await delayingProxy())}`;
    const slow = new pg.Pool({ ...options, connectionString: through.href, max: 1 });
    ends.push(() => slow.end());
    slow.on('error', () => {});
    const store = new PostgresStore(slow, { onWarning });
    const key = randomUUID();
    const version = await store.insert(key, 'x', 1);
    const { rows } = await slow.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await slow.query(`SET idle_session_timeout = 1`);
    await expect
      .poll(async () => (await pool.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [rows[0]?.pid])).rowCount)
      .toBe(0);
    expect(await store.get(key)).toEqual({ version, data: 'x' });
  });

  const failing = (code: string) => {
    let calls = 0;
    const handle: PgClient = {
      query: async (query) => {
        if ((calls += 1) === 1) throw Object.assign(new Error('terminating connection'), { severity: 'FATAL', code });
        return { rows: (await pool.query<unknown[]>(query)).rows };
      },
      getTransactionStatus: () => 'I',
    };
    return { store: new PostgresStore(handle, { onWarning }), calls: () => calls };
  };

  it.each(['57P01', '57P02', '57P03', '57P05', '25P03', '25P04', '08006', '08P01'])('%s is repeated', async (code) => {
    const { store } = failing(code);
    expect(await store.insert(randomUUID(), 'x', 1)).toEqual(expect.any(Number));
  });

  it.each(['57P04', '57014', '55P03'])('%s is reported', async (code) => {
    const { store, calls } = failing(code);
    await expect(store.insert(randomUUID(), 'x', 1)).rejects.toThrow(
      `Postgres refused: terminating connection (${code}).`,
    );
    expect(calls()).toBe(1);
  });
});

describe('a shared connection whose driver does not report a transaction', () => {
  it.each([
    ['is open at the check after the write', 'nothing'],
    ['ends during the check after the write', 'SELECT txid_current'],
    ['ends before the check after the write', 'INSERT'],
  ])('is not written to in a transaction that begins after the check before the write, and %s', async (_, last) => {
    const client = new pg.Client(options);
    await client.connect();
    ends.push(() => client.end());
    let begun: Promise<unknown> | undefined;
    let ended: Promise<unknown> | undefined;
    const handle: PgClient = {
      query: async (query) => {
        const answered = client.query<unknown[]>(query);
        if (begun !== undefined && query.text.startsWith(last)) ended ??= client.query('ROLLBACK');
        // Another caller queues its BEGIN behind the check.
        if (query.text.startsWith('SELECT current_setting')) begun ??= client.query('BEGIN');
        return { rows: (await answered).rows };
      },
    };
    const { publisher, sent } = publisherOn(new PostgresStore(handle, { onWarning }));
    const key = randomUUID();
    const error = await publisher.publish(key, body).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain('the write became part of it');
    await client.query('ROLLBACK');
    expect(sent).toEqual([]);
    expect(await publisher.get(key)).toBeUndefined();
    expect(await publisher.publish(key, body)).toMatchObject({ state: 'accepted', replayed: false });
  });

  it('does not report a write as successful if a rollback undid it, and another process wrote since', async () => {
    const client = new pg.Client(options);
    await client.connect();
    ends.push(() => client.end());
    const other = new PostgresStore(pool, { onWarning });
    const key = randomUUID();
    let begun: Promise<unknown> | undefined;
    let ended: Promise<unknown> | undefined;
    const handle: PgClient = {
      query: async (query) => {
        const answered = client.query<unknown[]>(query);
        if (query.text.startsWith('SELECT current_setting')) begun ??= client.query('BEGIN');
        if (query.text.startsWith('INSERT')) ended ??= client.query('ROLLBACK');
        const { rows } = await answered;
        if (query.text.startsWith('INSERT')) {
          await ended;
          await other.insert(key, 'of the other', 1);
        }
        return { rows };
      },
    };
    const store = new PostgresStore(handle, { onWarning });
    await expect(store.insert(key, 'x', 1)).rejects.toThrow('the write became part of it');
    expect(await other.get(key)).toMatchObject({ data: 'of the other' });
  });
});

describe('a pool whose connections are all in use by the caller’s transactions', () => {
  const endWaits = () => {
    let now = defaultRuntime.monotonic();
    return vi.spyOn(defaultRuntime, 'monotonic').mockImplementation(() => (now += 10_000));
  };
  const refusal = /had no free connection for 30 seconds, so it wrote nothing\. If your own transaction.*within/;

  it.each([1, 2])('of %i connections of pg: publish is refused, and works after the end', async (max) => {
    const own = new pg.Pool({ ...options, max });
    ends.push(() => own.end());
    const { publisher, sent } = publisherOn(new PostgresStore(own, { onWarning }));
    const clients = await Promise.all(Array.from({ length: max }, () => own.connect()));
    for (const client of clients) await client.query('BEGIN');
    const waits = endWaits();
    const [key, [client]] = [randomUUID(), clients];
    const error = await publisher.publish(key, body).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toMatch(refusal);
    await expect(publisher.get(key)).rejects.toThrow(refusal);
    waits.mockRestore();
    if (client === undefined) throw new Error('No client');
    await publisher.enqueue(key, body, { within: client });
    for (const each of clients) {
      await each.query('ROLLBACK');
      each.release();
    }
    expect(sent).toEqual([]);
    expect(await publisher.publish(key, body)).toMatchObject({ state: 'accepted', replayed: false });
    expect(own.waitingCount).toBe(0);
  });

  it('of one connection of postgres.js: the same', async () => {
    const sql = postgres(url, { connection: { search_path: schema }, max: 1, onnotice: () => {} });
    ends.push(() => sql.end());
    const { publisher, sent } = publisherOn(new PostgresStore(sql, { onWarning }));
    const key = randomUUID();
    await sql`SELECT 1`;
    const waits = endWaits();
    await sql.begin(async (tx) => {
      const error = await publisher.publish(key, body).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(refusal);
      await tx`SELECT 1`;
    });
    waits.mockRestore();
    expect(sent).toEqual([]);
    expect(await publisher.publish(key, body)).toMatchObject({ state: 'accepted', replayed: false });
  });

  it('of a transaction of postgres.js: a lost connection is reported as such', async () => {
    const unsent = { raw: () => new Promise<never>(() => {}), cancel: () => {} };
    const tx = Object.assign(() => {}, { unsafe: () => unsent });
    endWaits();
    const inside = new PostgresStore(pool, { onWarning }).within(tx);
    await expect(inside.insert(randomUUID(), 'x', 1)).rejects.toThrow(/connection of your transaction was lost/);
  });

  it('only briefly: publish waits', async () => {
    const own = new pg.Pool({ ...options, max: 1 });
    ends.push(() => own.end());
    const { publisher } = publisherOn(new PostgresStore(own, { onWarning }));
    const client = await own.connect();
    const published = publisher.publish(randomUUID(), body);
    await client.query('SELECT 1');
    client.release();
    expect(await published).toMatchObject({ state: 'accepted' });
  });
});
