import type * as NodeSqlite from 'node:sqlite';
import { randomUUID } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConfigurationError, SocialPublishingError } from '../../src/core/errors.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import { SqliteStore, type SqliteDatabase } from '../../src/stores/sqlite/index.js';
import { testDurableStore } from '../../src/stores/testing/index.js';
import { patienceMs } from '../support/patience.js';
import { describeOldRows } from './old-rows-suite.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const sqlite = process.getBuiltinModule('node:sqlite') as typeof NodeSqlite | undefined;

const folder = temporaryFolder('social-publishing-sqlite', afterAll);
const newFile = () => join(folder, `${randomUUID()}.db`);

if (sqlite === undefined) {
  console.warn(
    `node:sqlite needs Node 22.13 and this is ${process.version}: npm run test:stores runs the tests of it.`,
  );
  it('says that Node is too old', () => {
    expect(() => new SqliteStore('a.db')).toThrow(ConfigurationError);
    expect(() => new SqliteStore('a.db')).toThrow(`from 22.13 on; this is ${process.version}`);
  });
} else {
  describeSqlite(sqlite.DatabaseSync);
}

function describeSqlite(DatabaseSync: typeof NodeSqlite.DatabaseSync): void {
  /** Opens a database, which ends with the test. */
  const open = (path = newFile(), options: NodeSqlite.DatabaseSyncOptions = {}) => {
    const database = new DatabaseSync(path, options);
    onTestFinished(() => {
      if (database.isOpen) database.close();
    });
    return database;
  };

  describe('SqliteStore on a file', () => {
    const shared = newFile();
    testDurableStore(() => new SqliteStore(shared), { describe, it });
  });

  describe('SqliteStore in memory', () => {
    testDurableStore(() => new SqliteStore(':memory:'), { describe, it });
  });

  describe('SqliteStore on a DatabaseSync', () => {
    const shared = newFile();
    const openShared = () => {
      const database = open(shared);
      database.exec('PRAGMA journal_mode = WAL');
      return new SqliteStore(database);
    };
    testDurableStore(openShared, { describe, it });
  });

  describe('SqliteStore on a DatabaseSync with other options', () => {
    const newClient = () => {
      const sent: unknown[] = [];
      const create = (post: unknown) => {
        sent.push(post);
        return Promise.resolve({ success: true, postId: 'post_1', status: 'scheduled' });
      };
      return { client: { posts: { create, list: () => ({ pages: async function* () {} }) } }, sent };
    };
    const body = {
      content: 'Hello',
      scheduledFor: '2031-03-01T09:00:00Z',
      platforms: [{ platform: 'bluesky' as const, accountId: 'int_1' }],
    };

    it.each([
      ['returnArrays', { returnArrays: true }],
      ['readBigInts', { readBigInts: true }],
      ['both', { returnArrays: true, readBigInts: true }],
    ])('publishes a key once: %s', async (_, options) => {
      const warnings: string[] = [];
      const database = open(newFile(), options);
      database.exec('PRAGMA journal_mode = WAL');
      const store = new SqliteStore(database, { onWarning: (message) => warnings.push(message) });
      await store.setup();
      const { client, sent } = newClient();
      const publish = () => createPublisher({ client, store }).publish('campaign-42', body);
      expect(await publish()).toMatchObject({ state: 'accepted', replayed: false });
      expect(await publish()).toMatchObject({ state: 'accepted', replayed: true });
      database.exec('BEGIN');
      expect(await store.within(database).insert('b', 'x', 1)).toEqual(expect.any(Number));
      expect(await store.within(database).get('b')).toMatchObject({ data: 'x' });
      database.exec('COMMIT');
      expect(await store.due('b', 1, 5)).toEqual(['b']);
      expect(await store.scan('b', undefined, 5)).toMatchObject([{ key: 'b', data: 'x' }]);
      expect(sent).toHaveLength(1);
      expect(warnings).toEqual([]);
    });

    it('reads the settings of the database too: returnArrays', async () => {
      const warnings: string[] = [];
      const database = open(newFile(), { returnArrays: true, readBigInts: true });
      database.exec('PRAGMA synchronous = OFF');
      await new SqliteStore(database, { onWarning: (message) => warnings.push(message) }).setup();
      expect(warnings).toEqual([expect.stringContaining('synchronous = OFF')]);
    });
  });

  describe('a file of SqliteStore', () => {
    it('is set so that a power cut undoes nothing', async () => {
      const file = newFile();
      const store = new SqliteStore(file);
      await store.setup();
      const other = open(file);
      expect(other.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
      other.close();
      await store.close();
      await store.close();
      await expect(store.get('a')).rejects.toThrow('This SqliteStore was closed. Create another one.');
    });

    it('needs no setup, as the store makes its table when it opens it', async () => {
      const store = new SqliteStore(newFile());
      expect(await store.insert('a', 'x', null)).toEqual(expect.any(Number));
      await store.close();
    });

    it('holds more than one table', async () => {
      const file = newFile();
      const [one, two] = [new SqliteStore(file), new SqliteStore(file, { table: 'Other_1' })];
      await one.insert('a', 'one', null);
      await two.insert('a', 'two', null);
      expect([(await one.get('a'))?.data, (await two.get('a'))?.data]).toEqual(['one', 'two']);
      await one.close();
      await two.close();
    });

    it('shows the SQL that makes its table', async () => {
      const database = open();
      database.exec(SqliteStore.sql);
      database.exec(SqliteStore.sql);
      expect(await new SqliteStore(database).insert('a', 'x', 1)).toEqual(expect.any(Number));
    });

    it('finds the items that are due by an index', async () => {
      const database = open();
      const store = new SqliteStore(database);
      await store.setup();
      const plan = database
        .prepare(
          `EXPLAIN QUERY PLAN SELECT key FROM "social_publishing" WHERE wake_at <= ? AND +key >= ? AND +key < ? ORDER BY wake_at, key LIMIT ?`,
        )
        .all(1, 'a', 'b', 1)
        .map((row) => row['detail']);
      expect(plan).toEqual(['SEARCH social_publishing USING COVERING INDEX social_publishing_due (wake_at<?)']);
    });
  });

  describe('within a transaction of the caller', () => {
    const setUp = async () => {
      const file = newFile();
      const database = open(file);
      database.exec('CREATE TABLE articles (slug TEXT)');
      const store = new SqliteStore(file);
      await store.setup();
      onTestFinished(() => store.close());
      return { database, store };
    };

    it('writes in one commit with the caller’s own rows', async () => {
      const { database, store } = await setUp();
      database.exec('BEGIN IMMEDIATE');
      database.prepare('INSERT INTO articles VALUES (?)').run('one');
      expect(await store.within(database).insert('a', 'x', 1)).toEqual(expect.any(Number));
      expect(await store.get('a')).toBeUndefined();
      database.exec('COMMIT');
      expect((await store.get('a'))?.data).toBe('x');
      expect(await store.due('', 1, 10)).toEqual(['a']);
    });

    it('writes nothing where the caller rolls back', async () => {
      const { database, store } = await setUp();
      database.exec('BEGIN');
      expect(await store.within(database).insert('a', 'x', 1)).toEqual(expect.any(Number));
      expect((await store.within(database).get('a'))?.data).toBe('x');
      database.exec('ROLLBACK');
      expect(await store.get('a')).toBeUndefined();
    });

    it('leaves the transaction usable where the key is there', async () => {
      const { database, store } = await setUp();
      await store.insert('a', 'first', 1);
      database.exec('BEGIN');
      expect(await store.within(database).insert('a', 'second', 1)).toBeUndefined();
      database.prepare('INSERT INTO articles VALUES (?)').run('one');
      database.exec('COMMIT');
      expect(database.prepare('SELECT count(*) AS n FROM articles').get()).toEqual({ n: 1 });
      expect((await store.get('a'))?.data).toBe('first');
    });

    it('does its work before it returns its promise', async () => {
      const { database, store } = await setUp();
      database.exec('BEGIN');
      const inserted = store.within(database).insert('a', 'x', 1);
      database.exec('COMMIT');
      expect(await inserted).toEqual(expect.any(Number));
      expect((await store.get('a'))?.data).toBe('x');
    });

    it('keeps the store’s own writes out of it, which wait for its end', async () => {
      const database = open();
      const store = new SqliteStore(database, { busyTimeoutMs: patienceMs });
      await store.setup();
      database.exec('BEGIN');
      const inserted = store.insert('a', 'x', 1);
      await sleep(50);
      database.exec('ROLLBACK');
      expect(await inserted).toEqual(expect.any(Number));
      expect((await store.get('a'))?.data).toBe('x');
    });

    it('refuses them if it does not end within busyTimeoutMs, and writes nothing', async () => {
      const database = open();
      const store = new SqliteStore(database, { busyTimeoutMs: 50 });
      await store.setup();
      const version = (await store.insert('a', 'x', 1)) ?? 0;
      database.exec('BEGIN');
      for (const write of [
        () => store.insert('b', 'x', 1),
        () => store.swap('a', version, 'y', 1),
        () => store.swap('a', version, null, null),
      ]) {
        const error = await write().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toMatch(/open transaction .* did not end within 50 ms .* pass it with within/);
      }
      database.exec('COMMIT');
      expect(await store.scan('', undefined, 10)).toEqual([{ key: 'a', version, data: 'x' }]);
    });

    it('is refused without an open transaction, and writes nothing', async () => {
      const { database, store } = await setUp();
      for (const call of [
        () => store.within(database).insert('a', 'x', 1),
        () => store.within(database).swap('a', 1, 'x', 1),
        () => store.within(database).get('a'),
      ]) {
        const error = await call().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toMatch(/passed to within has no open transaction/);
      }
      database.exec('BEGIN');
      expect(await store.within(database).insert('a', 'x', 1)).toEqual(expect.any(Number));
      database.exec('COMMIT');
      await expect(store.within(database).insert('b', 'x', 1)).rejects.toThrow(ConfigurationError);
      expect(await store.get('b')).toBeUndefined();
    });
  });

  describeOldRows('SqliteStore', async (rows) => {
    const database = open(newFile());
    const store = new SqliteStore(database);
    await store.setup();
    const insert = database.prepare('INSERT INTO social_publishing (key, version, data, wake_at) VALUES (?, ?, ?, ?)');
    for (const { key, version, data, wakeAt } of rows) insert.run(key, version, data, wakeAt);
    return store;
  });

  describe('what SqliteStore says', () => {
    it('of a table that is missing', async () => {
      const database = open();
      const store = new SqliteStore(database);
      const inTransaction = () => {
        database.exec('BEGIN');
        const got = store.within(database).get('a');
        database.exec('ROLLBACK');
        return got;
      };
      for (const call of [() => store.get('a'), () => store.insert('a', '', null), inTransaction])
        await expect(call()).rejects.toThrow(
          new ConfigurationError(
            'There is no table social_publishing in this SQLite database. Call await store.setup() once.',
          ),
        );
    });

    it('of a folder that is missing, and goes on once it is there', async () => {
      const store = new SqliteStore(join(folder, 'missing', 'a.db'));
      await expect(store.setup()).rejects.toThrow(
        `The SQLite file '${join(folder, 'missing', 'a.db')}' could not be opened. Its folder must exist`,
      );
      await store.close();
    });

    it('of a file that is not a database', async () => {
      const file = newFile();
      writeFileSync(file, 'x'.repeat(5000));
      await expect(new SqliteStore(file).setup()).rejects.toThrow('The file is not a SQLite database');
    });

    it('of a lock that another process keeps, and of a full disk', async () => {
      const file = newFile();
      const store = new SqliteStore(file, { busyTimeoutMs: 50 });
      await store.setup();
      const other = open(file);
      other.exec('BEGIN IMMEDIATE');
      await expect(store.insert('a', 'x', 1)).rejects.toThrow('stayed locked by another writer for 50 ms');
      await expect(store.insert('a', 'x', 1)).rejects.toBeInstanceOf(SocialPublishingError);
      expect(await store.get('a')).toBeUndefined();
      other.exec('ROLLBACK');
      other.close();
      await store.close();

      const small = open();
      const full = new SqliteStore(small);
      await full.setup();
      small.exec('PRAGMA max_page_count = 10');
      await expect(full.insert('a', 'x'.repeat(1_000_000), 1)).rejects.toThrow('The disk of the SQLite file is full');
      expect(await full.insert('a', 'x', 1)).toEqual(expect.any(Number));
    });

    it('of a file that is read-only', async () => {
      const file = newFile();
      await new SqliteStore(file).setup();
      chmodSync(file, 0o444);
      const store = new SqliteStore(new DatabaseSync(file, { readOnly: true }));
      await expect(store.insert('a', 'x', 1)).rejects.toThrow('The SQLite file is read-only');
    });

    const warningsOf = async (database: string | SqliteDatabase) => {
      const warnings: string[] = [];
      const store = new SqliteStore(database, { onWarning: (message) => warnings.push(message) });
      await store.setup();
      await store.insert('a', 'x', 1);
      await store.close();
      return warnings;
    };

    it.each([
      ['synchronous = NORMAL', /synchronous = NORMAL.*twice.*Set: PRAGMA synchronous = FULL/],
      ['synchronous = OFF', /synchronous = OFF.*twice.*Set: PRAGMA synchronous = FULL/],
      ['journal_mode = DELETE', /journal_mode = DELETE and synchronous = FULL.*twice.*Set: PRAGMA journal_mode = WAL/],
      ['journal_mode = MEMORY', /journal_mode = MEMORY.*twice.*Set: PRAGMA journal_mode = WAL/],
    ])('of %s, once, with the setting to use', async (setting, message) => {
      const database = open(newFile());
      if (setting.startsWith('synchronous')) database.exec('PRAGMA journal_mode = WAL');
      database.exec(`PRAGMA ${setting}`);
      expect(await warningsOf(database)).toEqual([expect.stringMatching(message)]);
    });

    it('of a database in memory, and nothing of a file with its default settings', async () => {
      const inMemory = [expect.stringMatching(/in memory.*twice.*Use a file/)];
      expect(await warningsOf(':memory:')).toEqual(inMemory);
      const database = open(':memory:');
      expect(await warningsOf(database)).toEqual(inMemory);
      expect(await warningsOf(newFile())).toEqual([]);
      const file = open(newFile());
      file.exec('PRAGMA journal_mode = WAL');
      expect(await warningsOf(file)).toEqual([]);
    });
  });
}
