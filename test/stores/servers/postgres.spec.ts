import { randomUUID } from 'node:crypto';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError, SocialPublishingError } from '../../../src/core/errors.js';
import { PostgresStore, type PgClient, type PgQuery } from '../../../src/stores/postgres/index.js';
import { testDurableStore } from '../../../src/stores/testing/index.js';
import { openStore, type PostgresSpec } from '../open-store.js';
import { describeOldRows } from '../old-rows-suite.js';
import { describeProcesses } from '../process-suite.js';
import { describeLostAnswers } from './lost-answers.js';
import { serverUrl } from './server-url.js';
import { expectShortDue } from './due-time.js';

const url = serverUrl('DATABASE_URL');
const { hostname: host, port } = new URL(url);
// A separate schema, dropped afterwards: other data in the database stays untouched.
const schema = `social_publishing_test_${randomUUID().replaceAll('-', '')}`;
const onWarning = () => {};

let pool: pg.Pool;
const clientOf = (settings = '') =>
  new pg.Pool({ connectionString: url, options: `-c search_path=${schema} ${settings}`, max: 4 });

beforeAll(async () => {
  pool = clientOf();
  await pool.query(`CREATE SCHEMA ${schema}`);
});

afterAll(async () => {
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
});

const kinds = ['pg Pool', 'pg Client', 'postgres.js'] as const;
const specOf = (kind: PostgresSpec['kind'], at = url): PostgresSpec => ({ kind, url: at, schema });

for (const kind of kinds) {
  describe(`PostgresStore over ${kind}`, () => {
    testDurableStore(() => openStore(specOf(kind)), { describe, it });
  });
}

for (const kind of ['pg Pool', 'postgres.js'] as const) {
  describeLostAnswers(
    `PostgresStore over ${kind}`,
    () => ({ host, port: Number(port || 5432) }),
    (proxyPort) => {
      const through = new URL(url);
      through.host = `127.0.0.1:${proxyPort}`;
      return specOf(kind, through.href);
    },
    () => specOf('pg Pool'),
  );
}

describeProcesses('PostgresStore over pg Pool', () =>
  Promise.resolve({
    spec: specOf('pg Pool'),
    unset: async () => {
      await pool.query('DROP TABLE IF EXISTS social_publishing');
    },
  }),
);

describe('the table of PostgresStore', () => {
  it('is the same from setup and from PostgresStore.sql, and both may run again', async () => {
    const form = async (table: string) => {
      const columns = await pool.query<Record<string, unknown>>(
        `SELECT column_name, data_type, collation_name, is_nullable FROM information_schema.columns
         WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position`,
        [schema, table],
      );
      const indexes = await pool.query<{ indexdef: string }>(
        'SELECT indexdef FROM pg_indexes WHERE schemaname = $1 AND tablename = $2 ORDER BY indexname',
        [schema, table],
      );
      return JSON.stringify([columns.rows, indexes.rows]).replaceAll(table, 'social_publishing');
    };
    await pool.query('DROP TABLE IF EXISTS social_publishing');
    await pool.query(PostgresStore.sql);
    await pool.query(PostgresStore.sql);
    await new PostgresStore(pool, { onWarning }).setup();
    const other = new PostgresStore(pool, { table: 'other', onWarning });
    await other.setup();
    await other.setup();
    expect(await form('other')).toBe(await form('social_publishing'));
    expect(await other.insert('a', 'x', null)).toEqual(expect.any(Number));
    expect(await new PostgresStore(pool, { onWarning }).get('a')).toBeUndefined();
    expect(PostgresStore.sql).toMatch(/^CREATE TABLE IF NOT EXISTS "social_publishing" \(/);
  });

  it('needs no right to create it where it is there', async () => {
    const role = `reader_${randomUUID().replaceAll('-', '')}`;
    await new PostgresStore(pool, { onWarning }).setup();
    await pool.query(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON social_publishing TO ${role}`);
    const limited = clientOf(`-c role=${role}`);
    const store = new PostgresStore(limited, { onWarning });
    await store.setup();
    expect(await store.insert(randomUUID(), 'x', null)).toEqual(expect.any(Number));
    await expect(new PostgresStore(limited, { table: 'missing', onWarning }).setup()).rejects.toThrow(
      /Postgres refused the statement: permission denied for schema/,
    );
    await limited.end();
    await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it('is created nowhere else because its index is missing', async () => {
    const first = `${schema}_first`;
    const store = new PostgresStore(pool, { table: 'unindexed', onWarning });
    await store.setup();
    await store.insert('a', 'x', null);
    await pool.query(`DROP INDEX unindexed_due; CREATE SCHEMA ${first}`);
    const other = new pg.Pool({ connectionString: url, options: `-c search_path=${first},${schema}`, max: 1 });
    const again = new PostgresStore(other, { table: 'unindexed', onWarning });
    await again.setup();
    expect(await again.get('a')).toMatchObject({ data: 'x' });
    expect((await pool.query("SELECT to_regclass('unindexed_due') AS index")).rows).not.toEqual([{ index: null }]);
    await other.end();
    await pool.query(`DROP SCHEMA ${first} CASCADE`);
  });

  it('of 1,000,000 items finds 100 that are due in less than 10 ms, by an index', async () => {
    const store = new PostgresStore(pool, { table: 'large', onWarning });
    await store.setup();
    await pool.query(`INSERT INTO large (key, version, data, wake_at, write_id)
      SELECT 'intent/' || i, 1, '{"state":"published"}', CASE WHEN i % 10000 = 0 THEN i END, 'w' FROM generate_series(1, 1000000) i`);
    for (const analysed of [false, true]) {
      if (analysed) await pool.query('ANALYZE large');
      await expectShortDue(store, `PostgresStore, ${analysed ? 'after' : 'before'} ANALYZE`);
      const { rows } = await pool.query<Record<string, string>>(
        `EXPLAIN SELECT key FROM "large" WHERE wake_at <= 2000000::double precision AND key >= 'intent/' AND key < 'intent0'
         ORDER BY wake_at, key LIMIT 100`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      console.log(plan);
      expect(plan).toContain('large_due');
      expect(plan).not.toContain('Seq Scan');
    }
    await pool.query('DROP TABLE large');
  });
});

it('reads the page of a scan and due items only, with any number of finished items before, in a prepared statement, too', async () => {
  const statements: { text: string; values: (string | null)[] }[] = [];
  const recording: PgClient = {
    query: async (query) => {
      statements.push(query);
      return { rows: (await pool.query<unknown[]>(query)).rows };
    },
  };
  const store = new PostgresStore(recording, { table: 'finished', onWarning });
  await store.setup();
  await pool.query(`INSERT INTO finished (key, version, data, wake_at, write_id)
    SELECT 'intent/' || lpad(i::text, 6, '0'), 1, '{}', CASE WHEN i % 1000 = 0 THEN i END, 'w' FROM generate_series(1, 50000) i`);
  await pool.query('VACUUM ANALYZE finished');
  statements.length = 0;
  expect(await store.scan('intent/', 'intent/049000', 10)).toHaveLength(10);
  expect(await store.due('intent/', 60_000, 10)).toHaveLength(10);
  const client = await pool.connect();
  await client.query('SET plan_cache_mode = force_generic_plan');
  for (const [index, { text, values }] of statements.entries()) {
    await client.query(`PREPARE s${String(index)} AS ${text}`);
    const literals = values.map((value) => (value === null ? 'NULL' : client.escapeLiteral(value)));
    const { rows } = await client.query<Record<string, string>>(
      `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE s${String(index)}(${literals.join(', ')})`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index (Only )?Scan using finished_(pkey|due)/);
    expect(plan).not.toMatch(/Filter|Sort|Seq Scan/);
  }
  client.release(true);
  await pool.query('DROP TABLE finished');
});

describeOldRows('PostgresStore', async (rows) => {
  const table = `old_${randomUUID().replaceAll('-', '')}`;
  const store = new PostgresStore(pool, { table, onWarning });
  await store.setup();
  for (const { key, version, data, wakeAt } of rows)
    await pool.query(`INSERT INTO ${table} (key, version, data, wake_at, write_id) VALUES ($1, $2, $3, $4, $5)`, [
      ...[key, version, data, wakeAt, randomUUID()],
    ]);
  return store;
});

describe('within a transaction of the caller', () => {
  const store = () => new PostgresStore(pool, { onWarning });
  const begin = async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    return client;
  };
  beforeAll(async () => {
    await store().setup();
    await pool.query('CREATE TABLE articles (slug text)');
  });
  const articles = async (slug: string) =>
    (await pool.query('SELECT 1 FROM articles WHERE slug = $1', [slug])).rowCount;

  it('writes in one commit with the caller’s own rows, over pg', async () => {
    const [key, client] = [randomUUID(), await begin()];
    await client.query('INSERT INTO articles VALUES ($1)', [key]);
    expect(await store().within(client).insert(key, 'x', 1)).toEqual(expect.any(Number));
    expect(await store().get(key)).toBeUndefined();
    await client.query('COMMIT');
    client.release();
    expect((await store().get(key))?.data).toBe('x');
    expect(await articles(key)).toBe(1);
  });

  it('writes nothing where the caller rolls back, over pg', async () => {
    const [key, client] = [randomUUID(), await begin()];
    expect(await store().within(client).insert(key, 'x', 1)).toEqual(expect.any(Number));
    expect((await store().within(client).get(key))?.data).toBe('x');
    await client.query('ROLLBACK');
    client.release();
    expect(await store().get(key)).toBeUndefined();
  });

  it('leaves the transaction usable where the key is there, over pg', async () => {
    const [key, client] = [randomUUID(), await begin()];
    await store().insert(key, 'first', 1);
    expect(await store().within(client).insert(key, 'second', 1)).toBeUndefined();
    await client.query('INSERT INTO articles VALUES ($1)', [key]);
    await client.query('COMMIT');
    client.release();
    expect((await store().get(key))?.data).toBe('first');
    expect(await articles(key)).toBe(1);
  });

  it('commits, rolls back and stays usable over postgres.js', async () => {
    const sql = postgres(url, { connection: { search_path: schema } });
    const key = randomUUID();
    await sql.begin(async (tx) => {
      await tx`INSERT INTO articles VALUES (${key})`;
      expect(await store().within(tx).insert(key, 'x', 1)).toEqual(expect.any(Number));
    });
    expect((await store().get(key))?.data).toBe('x');
    await sql.begin(async (tx) => {
      expect(await store().within(tx).insert(key, 'second', 1)).toBeUndefined();
      await tx`INSERT INTO articles VALUES (${key})`;
    });
    expect(await articles(key)).toBe(2);
    await expect(
      sql.begin(async (tx) => {
        await store().within(tx).insert(`${key}/b`, 'x', 1);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    expect(await store().get(`${key}/b`)).toBeUndefined();
    await sql.end();
  });

  it('refuses a pool, which has no transaction, and anything that is not a client', async () => {
    const sql = postgres(url);
    // @ts-expect-error a Pool does not compile
    expect(() => store().within(pool)).toThrow(/on which you began the transaction, not its Pool/);
    // @ts-expect-error the sql outside a transaction does not compile
    expect(() => store().within(sql)).toThrow(/the sql that sql.begin passes/);
    expect(() => store().within({} as PgClient)).toThrow(ConfigurationError);
    await sql.end();
  });

  it('returns the error of a failed transaction', async () => {
    const client = await begin();
    await expect(client.query('SELECT nonsense')).rejects.toThrow();
    await expect(store().within(client).insert(randomUUID(), 'x', 1)).rejects.toThrow(/Postgres refused: .*\(25P02\)/);
    await client.query('ROLLBACK');
    client.release();
  });
});

describe('what PostgresStore says', () => {
  it('of a table that is missing', async () => {
    const store = new PostgresStore(pool, { table: 'nowhere', onWarning });
    for (const call of [() => store.get('a'), () => store.insert('a', '', null), () => store.scan('', undefined, 1)])
      await expect(call()).rejects.toThrow(/There is no table nowhere where the search_path .* await store.setup\(\)/);
    await expect(store.get('a')).rejects.toBeInstanceOf(ConfigurationError);
  });

  it('of a table with other columns', async () => {
    await pool.query('CREATE TABLE foreign_form (key text, version bigint)');
    await expect(new PostgresStore(pool, { table: 'foreign_form', onWarning }).setup()).rejects.toThrow(
      'has other columns than this version of the package needs',
    );
  });

  it('of a server that is gone, without the password', async () => {
    const gone = 'postgres://somebody:pa55word@127.0.0.1:1/db';
    const [nobody, sql] = [new pg.Pool({ connectionString: gone }), postgres(gone)];
    for (const client of [nobody, sql]) {
      const error: unknown = await new PostgresStore(client).get('a').catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(SocialPublishingError);
      expect(error).toMatchObject({
        outcome: 'unknown',
        message: expect.stringMatching(/^Postgres did not answer: .*ECONNREFUSED/) as string,
      });
      expect(JSON.stringify([error, String((error as Error).cause)])).not.toContain('pa55word');
    }
    await nobody.end();
    await sql.end();
  });

  it('of a read-only server and of a role that may not log in', async () => {
    const replica = clientOf('-c default_transaction_read_only=on');
    await expect(new PostgresStore(replica, { onWarning }).insert('a', 'x', null)).rejects.toThrow(
      'This Postgres is read-only',
    );
    await replica.end();
    const login = new URL(url);
    login.username = `nobody_${randomUUID()}`;
    const nobody = new pg.Pool({ connectionString: login.href });
    await expect(new PostgresStore(nobody, { onWarning }).get('a')).rejects.toThrow(/Postgres refused the statement/);
    await nobody.end();
  });

  it('of settings that can’t keep the promise, once, with what to set; without setup, too', async () => {
    const careless = clientOf('-c synchronous_commit=off');
    for (const first of ['setup', 'insert'] as const) {
      const warnings: string[] = [];
      const store = new PostgresStore(careless, { onWarning: (message) => warnings.push(message) });
      if (first === 'setup') await store.setup();
      await store.insert(randomUUID(), 'x', null);
      await store.insert(randomUUID(), 'x', null);
      await store.setup();
      expect(warnings.filter((text) => text.includes('synchronous_commit'))).toEqual([
        expect.stringMatching(/synchronous_commit is off.*Set it to on/),
      ]);
    }
    await careless.end();
  });

  it('of a server that is too old, or has another encoding', async () => {
    const server = (...settings: string[]): PgClient => ({ query: () => Promise.resolve({ rows: [settings] }) });
    await expect(new PostgresStore(server('90400', 'UTF8', 'on', 'on')).setup()).rejects.toThrow(
      'PostgresStore needs Postgres 9.6 or later; this server has version number 90400.',
    );
    await expect(new PostgresStore(server('150000', 'LATIN1', 'on', 'on')).setup()).rejects.toThrow(/UTF8.*LATIN1/);
  });

  it('nothing of a wrapper that passes one query object on and returns nothing except the rows', async () => {
    const around = { query: async (query: PgQuery) => ({ rows: (await pool.query<unknown[]>(query)).rows }) };
    const store = new PostgresStore(around, { table: 'around' });
    await store.setup();
    const version = await store.insert('a', 'x', null);
    expect(await store.get('a')).toEqual({ version, data: 'x' });
    expect(await store.insert('a', 'y', null)).toBeUndefined();
    const swapped = await store.swap('a', version ?? 0, 'z', null);
    expect(await store.get('a')).toEqual({ version: swapped, data: 'z' });
    expect(await store.swap('a', version ?? 0, null, null)).toBeUndefined();
    expect(await store.swap('a', swapped ?? 0, null, null)).toEqual(expect.any(Number));
    expect(await store.get('a')).toBeUndefined();
  });

  it('of invalid arguments', () => {
    for (const wrong of [undefined, null, {}, 'postgres://a', () => {}])
      expect(() => new PostgresStore(wrong as PgClient)).toThrow(ConfigurationError);
    expect(() => new PostgresStore(pool, { table: 'public.x' })).toThrow(/without a schema/);
    expect(() => new PostgresStore(pool, { prefix: 'x' } as object)).toThrow(
      "'prefix' is not an option of PostgresStore",
    );
  });
});
