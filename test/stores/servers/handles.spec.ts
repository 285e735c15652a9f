/** Handles whose packages are installed: libSQL on a file, PGlite, and the client of Upstash in front of a real Redis. */
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { createClient as createLibsql, type Client } from '@libsql/client';
import { Redis as Upstash } from '@upstash/redis';
import { createClient as createRedis } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/core/errors.js';
import { PostgresStore } from '../../../src/stores/postgres/index.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { SqliteStore, type LibsqlClient } from '../../../src/stores/sqlite/index.js';
import { testDurableStore } from '../../../src/stores/testing/index.js';
import { openStore } from '../open-store.js';
import { describeProcesses } from '../process-suite.js';
import { describeLostAnswers } from './lost-answers.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { removeRedisKeys } from './remove-redis-keys.js';
import { serverUrl } from './server-url.js';
import { UpstashBridge } from './upstash-bridge.js';

const folder = temporaryFolder('social-publishing-handles', afterAll);
const prefix = `social-publishing-handles-${randomUUID()}:`;
const onWarning = () => {};
let bridge: UpstashBridge;

beforeAll(async () => {
  bridge = await UpstashBridge.start(serverUrl('REDIS_URL'));
});

afterAll(async () => {
  await bridge.close();
  await removeRedisKeys(prefix);
});

const newFile = () => join(folder, `${randomUUID()}.db`);

describe('SqliteStore over libSQL', () => {
  const shared = newFile();
  testDurableStore(() => openStore({ kind: 'libsql', file: shared }), { describe, it });
});

describeProcesses('SqliteStore over libSQL', () =>
  Promise.resolve({ spec: { kind: 'libsql', file: newFile() }, unset: () => Promise.resolve() }),
);

describe('SqliteStore over libSQL, beside other writers', () => {
  const clients: Client[] = [];
  const connect = (file: string) => {
    const client = createLibsql({ url: `file:${file}` });
    clients.push(client);
    return client;
  };
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  const setUp = async (busyTimeoutMs = 10_000) => {
    const file = newFile();
    const [own, other] = [connect(file), connect(file)];
    await own.execute('PRAGMA journal_mode = WAL');
    const store = new SqliteStore(own, { busyTimeoutMs });
    await store.setup();
    const seen = async () =>
      (await connect(file).execute('SELECT key FROM social_publishing ORDER BY key')).rows.map(({ key }) => key);
    return { own, other, store, seen, file };
  };

  it('commits each write that it reports, after the store met SQLITE_BUSY', async () => {
    const { other, store, seen } = await setUp(1_000);
    const lock = await other.transaction('write');
    await expect(store.insert('refused', 'x', 1)).rejects.toThrow('stayed locked by another writer for 1000 ms');
    await lock.rollback();
    for (const key of ['a', 'b', 'c']) expect(await store.insert(key, 'x', 1)).toEqual(expect.any(Number));
    expect(await seen()).toEqual(['a', 'b', 'c']);
  });

  it('commits each write that it reports, after the caller met SQLITE_BUSY on the same client', async () => {
    const { own, other, store, seen } = await setUp();
    await own.execute('CREATE TABLE articles (slug TEXT)');
    const lock = await other.transaction('write');
    await expect(own.execute("INSERT INTO articles VALUES ('one')")).rejects.toThrow('SQLITE_BUSY');
    await lock.rollback();
    const version = await store.insert('a', 'x', 1);
    expect(await seen()).toEqual(['a']);
    expect(await store.swap('a', version ?? 0, 'y', null)).toEqual(expect.any(Number));
    expect((await connect((await setUp()).file).execute('SELECT 1')).rows).toHaveLength(1);
  });

  it('reads what others wrote, after the caller met SQLITE_BUSY on the same client', async () => {
    const { own, other, store } = await setUp();
    await own.execute('CREATE TABLE articles (slug TEXT)');
    await store.insert('a', 'first', null);
    const lock = await other.transaction('write');
    await expect(own.execute("INSERT INTO articles VALUES ('one')")).rejects.toThrow('SQLITE_BUSY');
    await lock.rollback();
    await own.execute('SELECT * FROM social_publishing');
    await other.execute("UPDATE social_publishing SET version = version + 1, data = 'second'");
    const item = await store.get('a');
    expect(item?.data).toBe('second');
    expect(await store.swap('a', item?.version ?? 0, 'third', null)).toEqual(expect.any(Number));
  });

  it('waits for the end of a transaction on the same client, and does not end it', async () => {
    const { own, store, seen } = await setUp();
    const transaction = await own.transaction('write');
    const inserted = store.insert('a', 'x', 1);
    await sleep(50);
    await store.within(transaction).insert('b', 'x', 1);
    await transaction.commit();
    expect(await inserted).toEqual(expect.any(Number));
    expect(await seen()).toEqual(['a', 'b']);
  });

  it('writes in one commit with the caller’s rows, or not at all', async () => {
    const { own, store, seen } = await setUp();
    const undone = await own.transaction('write');
    await store.within(undone).insert('undone', 'x', 1);
    expect((await store.within(undone).get('undone'))?.data).toBe('x');
    expect(await store.get('undone')).toBeUndefined();
    await undone.rollback();
    const done = await own.transaction('write');
    expect(await store.within(done).insert('done', 'x', 1)).toEqual(expect.any(Number));
    expect(await store.within(done).insert('done', 'y', 1)).toBeUndefined();
    expect(await store.within(done).insert('more', 'y', 1)).toEqual(expect.any(Number));
    await done.commit();
    expect(await seen()).toEqual(['done', 'more']);
    await expect(store.within(done).insert('late', 'x', 1)).rejects.toThrow(/passed to within has no open transaction/);
  });

  it('takes the transaction for within, not the client, and the client for the store', async () => {
    const { own, store } = await setUp();
    // @ts-expect-error The client is not a transaction.
    expect(() => store.within(own)).toThrow(ConfigurationError);
    const transaction = await own.transaction('write');
    // @ts-expect-error A transaction is not a client.
    expect(() => new SqliteStore(transaction)).toThrow(ConfigurationError);
    await transaction.rollback();
  });

  it.each(['before', 'after'] as const)(
    'settles a write whose connection was lost %s it was executed',
    async (when) => {
      const { own, seen } = await setUp();
      let losses = 0;
      const losing: LibsqlClient = {
        execute: (statement) => own.execute(statement),
        batch: async (statements, mode) => {
          const isLost = statements.some(({ sql }) => /^(INSERT|UPDATE|DELETE)/.test(sql)) && losses++ === 0;
          if (isLost && when === 'before') throw new TypeError('fetch failed');
          const results = await own.batch(statements, mode);
          if (isLost) throw new TypeError('fetch failed');
          return results;
        },
      };
      const store = new SqliteStore(losing);
      const lose = () => (losses = 0);
      const version = await store.insert('a', 'x', 1);
      expect(await store.get('a')).toEqual({ version, data: 'x' });
      lose();
      expect(await store.insert('a', 'x', 1)).toBeUndefined();
      lose();
      const swapped = await store.swap('a', version ?? 0, 'y', 1);
      expect(await store.get('a')).toEqual({ version: swapped, data: 'y' });
      lose();
      expect(await store.swap('a', version ?? 0, 'y', 1)).toBeUndefined();
      lose();
      expect(await store.swap('a', swapped ?? 0, null, null)).toEqual(expect.any(Number));
      expect(await seen()).toEqual([]);
    },
  );
});

describe('PostgresStore over PGlite', () => {
  let database: PGlite;
  beforeAll(async () => {
    // Parsers of types of the caller do not affect the store.
    const changed = () => 'changed';
    database = await PGlite.create({ parsers: { 20: changed, 23: changed, 25: changed } });
  });
  afterAll(() => database.close());
  testDurableStore(() => new PostgresStore(database, { onWarning }), { describe, it });

  const store = () => new PostgresStore(database, { onWarning });

  it('writes in one commit with the caller’s rows, or not at all', async () => {
    await store().setup();
    await database.exec('CREATE TABLE articles (slug TEXT)');
    await database.transaction(async (tx) => {
      await store().within(tx).insert('undone', 'x', 1);
      await tx.rollback();
    });
    let ended: Parameters<PostgresStore['within']>[0] | undefined;
    await database.transaction(async (tx) => {
      ended = tx;
      await tx.query('INSERT INTO articles VALUES ($1)', ['one']);
      expect(await store().within(tx).insert('done', 'x', 1)).toEqual(expect.any(Number));
      expect(await store().within(tx).insert('done', 'y', 1)).toBeUndefined();
      await tx.query('INSERT INTO articles VALUES ($1)', ['two']);
    });
    expect(await store().get('undone')).toBeUndefined();
    expect((await store().get('done'))?.data).toBe('x');
    expect((await database.query('SELECT * FROM articles')).rows).toHaveLength(2);
    if (ended === undefined) throw new Error('The transaction did not run.');
    await expect(store().within(ended).insert('late', 'x', 1)).rejects.toThrow(
      /passed to within has no open transaction/,
    );
    // @ts-expect-error A PGlite is not a transaction.
    expect(() => store().within(database)).toThrow('within takes the tx that transaction() of PGlite passes');
  });

  it('waits for the end of another transaction', async () => {
    let written: Promise<unknown> | undefined;
    await database.transaction(async (tx) => {
      written = store().insert('waited', 'x', 1);
      await sleep(50);
      await tx.rollback();
    });
    expect(await written).toEqual(expect.any(Number));
    expect((await store().get('waited'))?.data).toBe('x');
  });

  it('refuses a write inside a transaction without within, instead of waiting for ever', async () => {
    await database.transaction(async () => {
      await expect(store().insert('refused', 'x', 1)).rejects.toThrow(ConfigurationError);
    });
    await database.query('BEGIN');
    await expect(store().insert('refused', 'x', 1)).rejects.toThrow(/open transaction, so nothing was written/);
    await database.query('ROLLBACK');
    expect(await store().get('refused')).toBeUndefined();
  });

  it('warns about a PGlite in memory, and about its fsync on a folder', async () => {
    const warnings: string[] = [];
    await new PostgresStore(database, { onWarning: (message) => warnings.push(message) }).setup();
    expect(warnings).toEqual([expect.stringMatching(/this PGlite is in memory.*twice/)]);
    const kept = await PGlite.create(join(folder, 'warned'));
    await new PostgresStore(kept, { onWarning: (message) => warnings.push(message) }).setup();
    await kept.close();
    await expect(new PostgresStore(kept).get('a')).rejects.toThrow('PGlite is closed');
    expect(warnings.slice(1)).toEqual([expect.stringMatching(/fsync is off.*twice.*PGlite cannot turn it on/)]);
  });
});

for (const kind of ['upstash', 'upstash, raw'] as const) {
  describe(`RedisStore over ${kind}`, () => {
    testDurableStore(() => openStore({ kind, url: bridge.url, prefix }), { describe, it });
  });
}

describeLostAnswers(
  'RedisStore over upstash',
  () => ({ host: '127.0.0.1', port: bridge.port }),
  (port) => ({ kind: 'upstash', url: `http://127.0.0.1:${String(port)}`, prefix }),
  () => ({ kind: 'upstash', url: bridge.url, prefix }),
);

describeProcesses('RedisStore over upstash', () =>
  Promise.resolve({
    spec: { kind: 'upstash', url: bridge.url, prefix: `${prefix}${randomUUID()}:` },
    unset: () => Promise.resolve(),
  }),
);

describe('RedisStore over upstash, and its settings', () => {
  it('warns about maxmemory-policy, as far as the server reports it', async () => {
    const redis = createRedis({ url: serverUrl('REDIS_URL') });
    await redis.connect();
    const before = (await redis.configGet('maxmemory-policy'))['maxmemory-policy'] ?? 'noeviction';
    const warnings: string[] = [];
    try {
      await redis.configSet('maxmemory-policy', 'allkeys-lru');
      const client = new Upstash({ url: bridge.url, token: 'test', enableTelemetry: false });
      await new RedisStore(client, { prefix, onWarning: (message) => warnings.push(message) }).setup();
    } finally {
      await redis.configSet('maxmemory-policy', before);
      await redis.close();
    }
    expect(warnings).toContainEqual(expect.stringMatching(/maxmemory-policy is allkeys-lru/));
  });

  it('takes an aborted request for a lost reply, not for a refusal', async () => {
    const stop = new AbortController();
    stop.abort('stopped');
    const client = new Upstash({ url: bridge.url, token: 'test', enableTelemetry: false, signal: stop.signal });
    const store = new RedisStore(client, { prefix, onWarning });
    await expect(store.insert(randomUUID(), 'x', 1)).rejects.toThrow(/^Redis did not answer/);
  });

  it.each(['ERR broken', 'WRONGPASS broken'])('does not repeat the item in an error: %s', async (reply) => {
    const client = { eval: () => Promise.reject(new Error(`${reply}, command was: ["EVAL","a\u2028secret text"]`)) };
    const error: unknown = await new RedisStore(client, { onWarning }).get('a').catch((caught: unknown) => caught);
    expect(String(error)).toContain(`: ${reply}`);
    expect(inspect(error)).not.toContain('secret text');
  });
});

describe('RedisStore over upstash, after a lost reply and a write of another process', () => {
  const close: (() => void)[] = [];
  afterEach(() => {
    for (const end of close.splice(0)) end();
  });

  /** Passes requests on to the bridge. Loses the first reply after a call of `loseNext`, which then runs `meanwhile`. */
  async function losingProxy() {
    let meanwhile: (() => Promise<unknown>) | undefined;
    const server = createServer((request, response) => {
      const pass = async () => {
        const body = await text(request);
        const headers = new Headers();
        for (const [name, value] of Object.entries(request.headers))
          if (name.startsWith('upstash-')) headers.set(name, String(value));
        const reply = await fetch(bridge.url + (request.url ?? ''), { method: 'POST', body, headers });
        const answer = await reply.text();
        const work = meanwhile;
        meanwhile = undefined;
        if (work === undefined) return response.writeHead(reply.status).end(answer);
        await work();
        return response.destroy();
      };
      pass().catch(() => response.destroy());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    close.push(() => {
      server.close();
      server.closeAllConnections();
    });
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    return { url, loseNext: (work: () => Promise<unknown>) => (meanwhile = work) };
  }

  it.each([
    ['reports the write as refused if the client repeated it', {}, undefined],
    ['reports that the result is unknown if the client repeats nothing', { retry: { retries: 0 } }, 'unknown'],
  ] as const)('%s', async (_name, settings, expected) => {
    const { url, loseNext } = await losingProxy();
    const options = { prefix, onWarning };
    const store = new RedisStore(new Upstash({ url, token: 'test', enableTelemetry: false, ...settings }), options);
    const other = new RedisStore(new Upstash({ url: bridge.url, token: 'test', enableTelemetry: false }), options);
    const key = randomUUID();
    const version = (await store.insert(key, 'first', 1)) ?? 0;
    loseNext(async () => other.swap(key, (await other.get(key))?.version ?? 0, 'of the other', 1));
    const write = store.swap(key, version, 'second', 1);
    if (expected === undefined) expect(await write).toBeUndefined();
    else await expect(write).rejects.toThrow(/the result is unknown/);
    expect(await store.get(key)).toMatchObject({ data: 'of the other' });
  });
});
