import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/core/errors.js';
import { PostgresStore } from '../../src/stores/postgres/index.js';
import { RedisStore } from '../../src/stores/redis/index.js';
import { SqliteStore } from '../../src/stores/sqlite/index.js';

const fail = () => Promise.reject(new Error('not called'));
const statement = { bind: () => statement, all: fail };
const d1 = { prepare: () => statement, batch: fail };
const storage = {
  sql: { exec: () => ({ toArray: () => [] }) },
  transactionSync: <T>(work: () => T) => work(),
  sync: () => Promise.resolve(),
};
const libsql = { execute: fail, batch: fail };
const database = { prepare: () => ({ all: () => [] }), exec: () => undefined, close: () => undefined };

describe('a SqliteStore recognises its handle by structure', () => {
  it.each([
    ['a synchronous database', database],
    ['a client of libSQL', libsql],
    ['D1', d1],
    ['the storage of a Durable Object', storage],
  ])('%s', (_name, handle) => {
    expect(() => new SqliteStore(handle)).not.toThrow();
  });

  it.each([
    ['nothing', undefined],
    ['an empty path', ''],
    ['a number', 5],
    ['an object without methods', {}],
    ['a transaction of libSQL', { ...libsql, commit: fail, rollback: fail, closed: false }],
    ['the sql of a Durable Object without its storage', storage.sql],
    ['a database without close', { prepare: database.prepare, exec: database.exec }],
  ])('and refuses %s, with the names of the handles', (_name, handle) => {
    const make = () => new SqliteStore(handle as string);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/path of a file.*DatabaseSync.*bun:sqlite.*libsql.*D1.*Durable Object/);
  });

  it('and refuses a database with asynchronous statements at the first call', async () => {
    const asynchronous = { ...database, prepare: () => ({ all: () => Promise.resolve([]) }) };
    const store = new SqliteStore(asynchronous as unknown as typeof database);
    await expect(store.get('a')).rejects.toThrow(ConfigurationError);
    await expect(store.get('a')).rejects.toThrow('The statements of this SQLite database are asynchronous.');
  });

  it.each([
    ['D1', d1],
    ['a Durable Object', storage],
  ])('and has no within on %s', (name, handle) => {
    const store = new SqliteStore(handle);
    expect(() => store.within(database)).toThrow(
      new ConfigurationError(
        `${name === 'D1' ? name : 'A Durable Object'} has no transactions that span several calls, so this SqliteStore has no within. Omit within.`,
      ),
    );
    // @ts-expect-error It is not a transaction.
    expect(() => store.within(handle)).toThrow(ConfigurationError);
  });

  it('and takes only transactions for within', () => {
    const store = new SqliteStore(libsql);
    for (const wrong of [undefined, {}, libsql, d1, storage])
      expect(() => store.within(wrong as never)).toThrow(/^within takes the database on which you began/);
  });
});

describe('the name of a table', () => {
  it.each(['a', '_a', 'Z_9', 'x'.repeat(59)])('may be %s', (table) => {
    expect(() => new SqliteStore(database, { table })).not.toThrow();
    expect(() => new PostgresStore({ query: fail }, { table })).not.toThrow();
  });

  it.each(['', '9a', 'a-b', 'a.b', 'a b', 'é', 'a"', 'a\n', ' a', 'x'.repeat(60), 5, ['a'], null])(
    'must not be %j',
    (table) => {
      const error = new ConfigurationError(
        'table must be a name of at most 59 letters, digits and underscores, without a schema: search_path decides where it is.',
      );
      expect(() => new SqliteStore(database, { table: table as string })).toThrow(error);
      expect(() => new PostgresStore({ query: fail }, { table: table as string })).toThrow(error);
    },
  );

  it('is social_publishing by default', () => {
    expect(SqliteStore.sql).toContain('CREATE TABLE IF NOT EXISTS "social_publishing" (');
  });
});

describe('a PostgresStore recognises its handle by structure', () => {
  it('and refuses Bun.SQL and the HTTP function of Neon, with the handle to use', () => {
    const neon = Object.assign(() => fail(), { query: fail, unsafe: () => ({}), transaction: fail });
    const make = () => new PostgresStore(neon);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/Bun\.SQL, or neon\(\) .* over HTTP.* Pool/);
  });

  it('and lets a PGlite start, or say that it is closed: it knows of no transaction before and after', async () => {
    const query = () => Promise.resolve({ rows: [['7', '.x']] });
    const isInTransaction = () => {
      throw new TypeError('PGlite has no instance yet');
    };
    const pglite = { ready: false, query, transaction: fail, isInTransaction };
    expect(await new PostgresStore(pglite).get('a')).toEqual({ version: 7, data: 'x' });
  });

  it('and refuses a PGlite for within', () => {
    const pglite = { query: (_text: string) => Promise.resolve({ rows: [] }), transaction: fail };
    const store = new PostgresStore(pglite);
    // @ts-expect-error It is not a transaction.
    expect(() => store.within(pglite)).toThrow('within takes the tx that transaction() of PGlite passes');
  });
});

describe('a RedisStore recognises its handle by structure', () => {
  const client = { eval: (_script: string, ...args: unknown[]) => Promise.resolve(args) };

  it('a client of Upstash has eval and no connection', async () => {
    const seen: unknown[] = [];
    const upstash = {
      eval: (_script: string, keys: string[], args: string[]) => {
        seen.push([keys.length, args]);
        return Promise.resolve(['~social-publishing', ['~7 mark', '~{"a":1}']]);
      },
    };
    expect(await new RedisStore(upstash).get('a')).toEqual({ version: 7, data: '{"a":1}' });
    expect(seen).toEqual([[3, ['a']]]);
  });

  it('a client of node-redis has a connection too', async () => {
    const seen: unknown[] = [];
    const connected = {
      connect: fail,
      eval: (_script: string, options: { keys: string[]; arguments: string[] }) => {
        seen.push(options.arguments);
        return Promise.resolve(['7 mark', 'x']);
      },
    };
    expect(await new RedisStore(connected).get('a')).toEqual({ version: 7, data: 'x' });
    expect(seen).toEqual([['a']]);
  });

  // redis 5.0 to 5.8 decodes each piece of a text on its own.
  it('a client of node-redis replies in bytes, if it can', async () => {
    const bytes = ['7 mark', 'é😀'].map((text) => Buffer.from(text));
    const connected = {
      connect: fail,
      eval: () => Promise.resolve(bytes.map((text) => text.toString('latin1'))),
      withTypeMapping: (types: Record<number, unknown>) => ({
        eval: () => Promise.resolve(types[36] === Buffer ? bytes : fail()),
      }),
    };
    expect(await new RedisStore(connected).get('a')).toEqual({ version: 7, data: 'é😀' });
  });

  it.each([
    ['ioredis', { call: fail, options: { keyPrefix: 'app:' } }],
    ['the cluster of ioredis', { call: fail, options: { redisOptions: { keyPrefix: 'app:' } } }],
    ['redis', { eval: fail, connect: fail, options: { keyPrefix: Buffer.from('app:') } }],
    ['the cluster of redis', { eval: fail, connect: fail, _keyPrefix: 'app:' }],
  ])('and refuses a keyPrefix of %s, with the values that read the existing data', (_, handle) => {
    const make = (options = {}) => new RedisStore(handle, options);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/has keyPrefix "app:".*prefix: "social-publishing:"\..*prefix: "app:social-publishing:"\.$/);
    expect(() => make({ prefix: 'own:' })).toThrow(/prefix: "own:"\..*prefix: "app:own:"\.$/);
  });

  it('and takes an empty keyPrefix', () => {
    expect(() => new RedisStore({ call: fail, options: { keyPrefix: '', redisOptions: null } } as never)).not.toThrow();
  });

  it.each([1, '1', 1n])('and reads %o as a write that succeeded', async (reply) => {
    const store = new RedisStore(() => Promise.resolve(reply), { onWarning: () => {} });
    expect(await store.insert('a', 'x', null)).toEqual(expect.any(Number));
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('of onWarning');
      },
    ],
    ['rejects', () => Promise.reject(new Error('of onWarning'))],
  ])('and writes, even if onWarning %s', async (_, onWarning) => {
    const isSetting = (command: string) => command === 'CONFIG';
    const ask = (command: string) => Promise.resolve(isSetting(command) ? ['appendonly', 'no'] : 1);
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- a caller can pass a function that returns a promise
    const warnings = vi.fn<(warning: string) => void>(onWarning);
    const store = new RedisStore(ask, { onWarning: warnings });
    expect(await store.insert('a', 'x', null)).toEqual(expect.any(Number));
    expect(warnings).toHaveBeenCalled();
  });

  it('and does not accept another reply as the reply of its script', async () => {
    await expect(new RedisStore(client).get('a')).rejects.toThrow(/^Redis did not answer: the request was aborted/);
  });
});
