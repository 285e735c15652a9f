/** Options of a driver that change rows or values under the store: they work, or are refused by name. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/core/errors.js';
import { PostgresStore, type PostgresHandle } from '../../../src/stores/postgres/index.js';
import { serverUrl } from './server-url.js';

const url = serverUrl('DATABASE_URL');
const schema = `social_publishing_options_${randomUUID().replaceAll('-', '')}`;
const onWarning = () => {};
const changed = () => 'changed';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
const onPg = (options: object = {}) => {
  const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}`, ...options });
  ends.push(() => pool.end());
  return pool;
};
const onPostgresJs = (options: object = {}) => {
  const sql = postgres(url, { connection: { search_path: schema }, onnotice: () => {}, ...options });
  ends.push(() => sql.end());
  return sql;
};

let admin: pg.Client;
beforeAll(async () => {
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE SCHEMA ${schema}`);
});
afterAll(async () => {
  await admin.query(`DROP SCHEMA ${schema} CASCADE`);
  await admin.end();
});

const changedType = (oid: number) => ({ to: oid, from: [oid], serialize: (value: unknown) => value, parse: changed });

describe('the store works with', () => {
  const settings: Record<string, () => PostgresHandle> = {
    'pg: parsers of all types': () => onPg({ types: { getTypeParser: () => changed } }),
    'pg: binary': () => onPg({ binary: true }),
    'postgres.js: camel': () => onPostgresJs({ transform: postgres.camel }),
    'postgres.js: transforms of values, names and undefined': () =>
      onPostgresJs({
        transform: { undefined: null, value: { from: changed }, column: { from: changed, to: changed } },
      }),
    'postgres.js: parsers of types': () =>
      onPostgresJs({ types: { bigint: postgres.BigInt, text: changedType(25), int4: changedType(23) } }),
    'postgres.js: no prepared statements': () => onPostgresJs({ prepare: false, fetch_types: false }),
  };
  it.each(Object.entries(settings))('%s', async (_, open) => {
    const store = new PostgresStore(open(), { onWarning });
    await store.setup();
    const key = `${randomUUID()}/é`;
    const version = (await store.insert(key, '\uFEFF{"a":1} ', 1.5)) ?? 0;
    expect(await store.get(key)).toEqual({ version, data: '\uFEFF{"a":1} ' });
    expect(await store.insert(key, 'other', 1)).toBeUndefined();
    const swapped = (await store.swap(key, version, 'y', 1.5)) ?? 0;
    expect(swapped).toBeGreaterThan(version);
    expect(await store.swap(key, version, 'late', 1)).toBeUndefined();
    expect(await store.due(key, 2, 5)).toEqual([key]);
    expect(await store.scan(key, undefined, 5)).toEqual([{ key, version: swapped, data: 'y' }]);
    expect(await store.swap(key, swapped, null, null)).toEqual(expect.any(Number));
  });
});

it('refuses transform.row of postgres.js by its name, also in a transaction', async () => {
  const sql = onPostgresJs({ transform: { row: { from: (row: object) => ({ ...row }) } } });
  const make = () => new PostgresStore(sql, { onWarning });
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(/transform\.row.*separate sql for the store/);
  const store = new PostgresStore(onPostgresJs(), { onWarning });
  await store.setup();
  await sql.begin(async (tx) => {
    await expect(store.within(tx).insert('a', 'x', 1)).rejects.toThrow(/transform\.row/);
  });
});
