import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/core/errors.js';
import { defaultRuntime } from '../../src/core/runtime.js';
import { SqliteStore, type SqliteDatabase, type SqliteStoreOptions } from '../../src/stores/sqlite/index.js';

const busy = () => Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });

/** A database that records its statements. `fail` throws at the ones that it refuses. */
class Recorded implements SqliteDatabase {
  readonly calls: string[] = [];
  readonly prepared: string[] = [];
  rows: Record<string, unknown>[] = [];
  busyTimeout = 0;
  fail: (sql: string) => void = () => undefined;

  exec(sql: string): void {
    this.calls.push(sql);
    this.fail(sql);
  }
  prepare(sql: string) {
    this.prepared.push(sql);
    return {
      all: (...parameters: unknown[]) => {
        if (sql === 'PRAGMA busy_timeout') return [{ timeout: this.busyTimeout }];
        this.calls.push([kindOf(sql), ...parameters].join(' '));
        this.fail(sql);
        return sql.startsWith('PRAGMA') ? pragmaRows(sql) : this.rows;
      },
    };
  }
  close(): void {
    this.calls.push('close');
  }
}

/** Returns the first word of a statement; a PRAGMA as a whole. */
function kindOf(sql: string): string {
  return sql.startsWith('PRAGMA') ? sql : (sql.split(' ')[0] ?? '');
}

function pragmaRows(sql: string): Record<string, unknown>[] {
  if (sql === 'PRAGMA database_list') return [{ name: 'main', file: '/data/a.db' }];
  return sql === 'PRAGMA journal_mode' ? [{ journal_mode: 'wal' }] : [{ synchronous: 2 }];
}

const pragmas = ['PRAGMA database_list', 'PRAGMA journal_mode', 'PRAGMA synchronous'];

/** A store on a handle of the caller, after its first call. */
async function opened(options?: SqliteStoreOptions): Promise<{ database: Recorded; store: SqliteStore }> {
  const database = new Recorded();
  const store = new SqliteStore(database, options);
  await store.get('first');
  expect(database.calls.splice(0)).toEqual([...pragmas, 'SELECT first']);
  return { database, store };
}

let waits: number[];
let now: number;
beforeEach(() => {
  waits = [];
  now = 0;
  vi.spyOn(defaultRuntime, 'random').mockReturnValue(1);
  vi.spyOn(defaultRuntime, 'monotonic').mockImplementation(() => now);
  vi.spyOn(defaultRuntime, 'sleep').mockImplementation((ms) => {
    waits.push(ms);
    now += ms;
    return Promise.resolve();
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a SqliteStore on your own handle', () => {
  it('writes in a separate transaction, and reads without one', async () => {
    const { database, store } = await opened();
    database.rows = [{ key: 'a', version: 7, data: 'x' }];
    const version = await store.insert('a', 'x', 5);
    expect(database.calls.splice(0)).toEqual(['BEGIN IMMEDIATE', `INSERT a ${String(version)} x 5`, 'COMMIT']);
    const next = await store.swap('a', 7, 'y', null);
    expect(database.calls.splice(0)).toEqual(['BEGIN IMMEDIATE', `UPDATE ${String(next)} y  a 7`, 'COMMIT']);
    expect(await store.swap('a', 7, null, null)).toEqual(expect.any(Number));
    expect(database.calls.splice(0)).toEqual(['BEGIN IMMEDIATE', 'DELETE a 7', 'COMMIT']);
    expect(await store.get('a')).toStrictEqual({ version: 7, data: 'x' });
    expect(await store.due('p', 9, 3)).toEqual(['a']);
    expect(await store.scan('p', undefined, 4)).toStrictEqual([{ key: 'a', version: 7, data: 'x' }]);
    expect(await store.scan('\u{10ffff}', 'b', 4)).toHaveLength(1);
    expect(database.calls.splice(0)).toEqual(['SELECT a', 'SELECT 9 p q 3', 'SELECT p q 4', 'SELECT \u{10ffff} 4']);
    // One lower bound: with two, SQLite would read all earlier pages again.
    expect(await store.scan('p', 'pm', 4)).toHaveLength(1);
    expect(database.calls).toEqual(['SELECT pm q 4']);
    expect(waits).toEqual([]);
  });

  it('compiles each statement once', async () => {
    const { database, store } = await opened();
    database.prepared.splice(0);
    await store.get('a');
    await store.get('b');
    expect(database.prepared).toEqual([]);
    await store.insert('a', 'x', null);
    await store.insert('b', 'x', null);
    expect(database.prepared.map(kindOf)).toEqual(['PRAGMA busy_timeout', 'INSERT']);
  });

  it('has written nothing if the statement returns no row', async () => {
    const { store } = await opened();
    expect(await store.insert('a', 'x', null)).toBeUndefined();
    expect(await store.swap('a', 7, 'x', null)).toBeUndefined();
    expect(await store.swap('a', 7, null, null)).toBeUndefined();
    expect(await store.get('a')).toBeUndefined();
  });

  it.each(['INSERT', 'COMMIT'])('rolls back if %s fails, and reports that error', async (statement) => {
    const { database, store } = await opened();
    database.fail = (sql) => {
      if (sql.startsWith(statement)) throw new Error(`${statement} failed`);
    };
    await expect(store.insert('a', 'x', null)).rejects.toThrow(`SQLite failed: ${statement} failed.`);
    expect(database.calls.at(0)).toBe('BEGIN IMMEDIATE');
    expect(database.calls.at(-1)).toBe('ROLLBACK');
  });

  it('reports the first error if SQLite has rolled back already', async () => {
    const { database, store } = await opened();
    database.fail = (sql) => {
      if (sql.startsWith('INSERT')) throw Object.assign(new Error('x'), { errcode: 13 });
      if (sql === 'ROLLBACK') throw new Error('no transaction is active');
    };
    await expect(store.insert('a', 'x', null)).rejects.toThrow('The disk of the SQLite file is full, so');
  });

  it('creates its table and its index', async () => {
    const database = new Recorded();
    const store = new SqliteStore(database, { table: 'mine' });
    await store.setup();
    const statements = database.calls.filter((call) => call.startsWith('CREATE')).join(';\n');
    expect(statements.replace(/\s+/g, ' ')).toBe(
      'CREATE TABLE IF NOT EXISTS "mine" ( key TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, data TEXT NOT NULL, wake_at REAL ); ' +
        'CREATE INDEX IF NOT EXISTS "mine_due" ON "mine" (wake_at, key) WHERE wake_at IS NOT NULL',
    );
    expect(SqliteStore.sql).toBe(`${statements.replaceAll('mine', 'social_publishing')};`);
  });

  it('is not set up, and not closed, by the store', async () => {
    const { database, store } = await opened();
    await store.close();
    await store.close();
    expect(database.calls).toEqual([]);
  });
});

describe('a lock of another writer', () => {
  it('is waited for at random, longer each time, for 10 seconds by default', async () => {
    const { database, store } = await opened();
    database.fail = (sql) => {
      if (sql === 'BEGIN IMMEDIATE') throw busy();
    };
    await expect(store.insert('a', 'x', null)).rejects.toThrow(
      'The SQLite file stayed locked by another writer for 10000 ms (busyTimeoutMs), so',
    );
    expect(waits.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 25, 25]);
    expect(now).toBe(10_000);
  });

  it('of a refused write does not delay the next read', async () => {
    const { database, store } = await opened({ busyTimeoutMs: 0 });
    database.fail = (sql) => {
      if (sql === 'BEGIN IMMEDIATE') throw busy();
    };
    await expect(store.insert('a', 'x', null)).rejects.toThrow('stayed locked');
    expect(await store.get('a')).toBeUndefined();
    expect(database.calls).toEqual(['BEGIN IMMEDIATE', 'SELECT a']);
  });

  it('is waited for as long as busyTimeoutMs says, also 0 ms', async () => {
    const { database, store } = await opened({ busyTimeoutMs: 0 });
    database.fail = () => {
      throw busy();
    };
    await expect(store.get('a')).rejects.toThrow('for 0 ms (busyTimeoutMs)');
    expect([waits, database.calls]).toEqual([[], ['SELECT a']]);
  });

  it('delays a call only until it ends', async () => {
    const { database, store } = await opened();
    let left = 2;
    database.fail = () => {
      left -= 1;
      if (left >= 0) throw busy();
    };
    database.rows = [{ version: 7, data: 'x' }];
    expect(await store.get('a')).toEqual({ version: 7, data: 'x' });
    expect(waits).toEqual([1, 2]);
  });

  it('does not stop the event loop, although the connection has a busy timeout', async () => {
    const { database, store } = await opened({ busyTimeoutMs: 0 });
    database.busyTimeout = 5_000;
    database.fail = (sql) => {
      if (sql === 'BEGIN IMMEDIATE') throw busy();
    };
    await expect(store.insert('a', 'x', null)).rejects.toThrow('for 0 ms (busyTimeoutMs)');
    const write = ['PRAGMA busy_timeout = 0', 'BEGIN IMMEDIATE', 'PRAGMA busy_timeout = 5000'];
    expect(database.calls.splice(0)).toEqual(write);
    database.fail = () => undefined;
    await store.insert('a', 'x', null);
    // A COMMIT waits for the readers of a rollback journal.
    expect(database.calls.splice(0).map((call) => call.replace(/^(INSERT) .*/, '$1'))).toEqual([
      ...write,
      'INSERT',
      'COMMIT',
    ]);
    await store.setup();
    expect(database.calls.map((call) => call.split(' IF')[0])).toEqual(
      ['CREATE TABLE', 'CREATE INDEX'].flatMap((create) => [write[0], create, write[2]]),
    );
  });

  it('is not waited for if the error is another one', async () => {
    const { database, store } = await opened();
    database.fail = () => {
      throw new Error('it failed');
    };
    await expect(store.get('a')).rejects.toThrow('SQLite failed: it failed.');
    expect([waits, database.calls]).toEqual([[], ['SELECT a']]);
  });
});

describe('within a transaction', () => {
  const inTransaction = () => {
    const database = new Recorded();
    database.fail = (sql) => {
      if (sql === 'BEGIN') throw new Error('cannot start a transaction within a transaction');
    };
    return database;
  };

  it('each call has done its work when it returns its promise', async () => {
    const database = inTransaction();
    database.rows = [{ version: 7, data: 'x' }];
    const inserted = new SqliteStore(new Recorded()).within(database).insert('a', 'x', 5);
    expect(database.calls).toEqual(['BEGIN', expect.stringMatching(/^INSERT a \d+ x 5$/)]);
    expect(await inserted).toEqual(expect.any(Number));
  });

  it('a handle without a transaction is left as it was', async () => {
    const database = new Recorded();
    await expect(new SqliteStore(new Recorded()).within(database).get('a')).rejects.toThrow(
      new ConfigurationError(
        'The handle that was passed to within has no open transaction, so nothing was written. Run BEGIN on it first.',
      ),
    );
    expect(database.calls).toEqual(['BEGIN', 'ROLLBACK']);
  });

  it('other errors are reported, and a lock is not waited for', async () => {
    const database = new Recorded();
    const within = new SqliteStore(new Recorded()).within(database);
    database.fail = () => {
      throw new Error('it failed');
    };
    await expect(within.get('a')).rejects.toThrow('SQLite failed: it failed.');
    expect(database.calls).toEqual(['BEGIN']);
    database.fail = () => {
      throw busy();
    };
    await expect(within.get('a')).rejects.toThrow('Begin the transaction with BEGIN IMMEDIATE, and try again.');
    expect(waits).toEqual([]);
  });

  it('writes to the table of the store', async () => {
    const database = inTransaction();
    await new SqliteStore(new Recorded(), { table: 'mine' }).within(database).get('a');
    expect(database.prepared).toEqual(['SELECT version, data FROM "mine" WHERE key = ?']);
  });
});

describe('a SqliteStore on a path', () => {
  const onPath = (open: () => SqliteDatabase, path: string | URL = '/data/a.db') => {
    const paths: unknown[] = [];
    // A constructor may return another object.
    const DatabaseSync = function (at: unknown) {
      paths.push(at);
      return open();
    };
    const modules = vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ DatabaseSync });
    const store = new SqliteStore(path);
    expect(modules.mock.calls).toEqual([['node:sqlite']]);
    return { store, paths };
  };

  it('opens the file at the first call, and sets it so that a power cut undoes nothing', async () => {
    const database = new Recorded();
    const { store, paths } = onPath(() => database);
    expect(paths).toEqual([]);
    await store.get('a');
    expect(paths).toEqual(['/data/a.db']);
    expect(database.calls.map((call) => call.split('\n')[0])).toEqual([
      'PRAGMA journal_mode = WAL',
      'PRAGMA synchronous = FULL',
      'CREATE TABLE IF NOT EXISTS "social_publishing" (',
      'CREATE INDEX IF NOT EXISTS "social_publishing_due" ON "social_publishing" (wake_at, key) WHERE wake_at IS NOT NULL',
      ...pragmas,
      'SELECT a',
    ]);
  });

  it('opens it once, writes in a separate transaction, and closes it once', async () => {
    const database = new Recorded();
    const { store, paths } = onPath(() => database);
    await Promise.all([store.get('a'), store.get('b'), store.setup()]);
    database.calls.splice(0);
    database.rows = [{ key: 'a' }];
    const version = await store.insert('a', 'x', null);
    expect(database.calls.splice(0)).toEqual(['BEGIN IMMEDIATE', `INSERT a ${String(version)} x `, 'COMMIT']);
    await store.close();
    await store.close();
    expect(database.calls).toEqual(['close']);
    expect(paths).toHaveLength(1);
    await expect(store.get('a')).rejects.toThrow(
      new ConfigurationError('This SqliteStore was closed. Create another one.'),
    );
  });

  it('opens nothing if it is closed first', async () => {
    const { store, paths } = onPath(() => new Recorded());
    await store.close();
    await expect(store.setup()).rejects.toThrow('This SqliteStore was closed.');
    expect(paths).toEqual([]);
  });

  it.each(['PRAGMA journal_mode = WAL', 'PRAGMA synchronous = FULL'])('closes the file if %s fails', async (sql) => {
    const database = new Recorded();
    database.fail = (call) => {
      if (call === sql) throw Object.assign(new Error('x'), { errcode: 26 });
    };
    const { store } = onPath(() => database);
    await expect(store.get('a')).rejects.toThrow('The file is not a SQLite database, or it is encrypted.');
    expect(database.calls.slice(-2)).toEqual([sql, 'close']);
    await store.close();
  });

  it('tries again at the next call if the file could not be opened, and names a URL as it is', async () => {
    let isMissing = true;
    const url = new URL('file:///data/a.db');
    const { store } = onPath(() => {
      if (isMissing) throw Object.assign(new Error('x'), { errcode: 14 });
      return new Recorded();
    }, url);
    await expect(store.get('a')).rejects.toThrow("The SQLite file 'file:///data/a.db' could not be opened.");
    isMissing = false;
    expect(await store.get('a')).toBeUndefined();
  });

  it('waits for a lock while it opens the file', async () => {
    let left = 1;
    const database = new Recorded();
    database.fail = (sql) => {
      if (sql.startsWith('CREATE') && (left -= 1) >= 0) throw busy();
    };
    const { store } = onPath(() => database);
    expect(await store.get('a')).toBeUndefined();
    expect(waits).toEqual([1]);
  });

  it('needs node:sqlite', () => {
    const error = (runtime: string) =>
      new ConfigurationError(
        `SqliteStore needs node:sqlite, which Node has from 22.13 on; this is ${runtime}. Update Node, or use PostgresStore or RedisStore.`,
      );
    const modules = vi.spyOn(process, 'getBuiltinModule');
    for (const module of [undefined, {}]) {
      modules.mockReturnValue(module);
      expect(() => new SqliteStore('a.db')).toThrow(error(process.version));
    }
    for (const runtime of [undefined, {}]) {
      vi.stubGlobal('process', runtime);
      const open = () => new SqliteStore('a.db');
      const thrown = (() => {
        try {
          return open();
        } catch (reason) {
          return reason;
        } finally {
          vi.unstubAllGlobals();
        }
      })();
      expect(thrown).toEqual(error('another runtime'));
    }
  });
});

describe('the settings of a database', () => {
  const warningsOf = async (rows: Record<string, Record<string, unknown>[]>) => {
    const warnings: string[] = [];
    const database = new Recorded();
    const prepare = database.prepare.bind(database);
    database.prepare = (sql) => (rows[sql] === undefined ? prepare(sql) : { all: () => rows[sql] ?? [] });
    const store = new SqliteStore(database, { onWarning: (message) => warnings.push(message) });
    await store.get('a');
    await store.get('b');
    return warnings;
  };
  const loss = 'can undo acknowledged writes, and a post can be published twice';
  const inMemory = `SqliteStore: this database is in memory. The end of the process ${loss}. Use a file.`;
  const journal = (mode: string) =>
    `SqliteStore: this database has journal_mode = ${mode}. A crash ${loss}. Set: PRAGMA journal_mode = WAL.`;
  const synchronous = (level: string) =>
    `SqliteStore: this database has synchronous = ${level}. A power cut ${loss}. Set: PRAGMA synchronous = FULL.`;

  it.each<[string, Record<string, Record<string, unknown>[]>, string[]]>([
    ['a file', {}, []],
    ['EXTRA', { 'PRAGMA synchronous': [{ synchronous: 3 }] }, []],
    ['NORMAL', { 'PRAGMA synchronous': [{ synchronous: 1 }] }, [synchronous('NORMAL')]],
    ['OFF', { 'PRAGMA synchronous': [{ synchronous: 0 }] }, [synchronous('OFF')]],
    ['a journal in memory', { 'PRAGMA journal_mode': [{ journal_mode: 'memory' }] }, [journal('MEMORY')]],
    ['no journal', { 'PRAGMA journal_mode': [{ journal_mode: 'off' }] }, [journal('OFF')]],
    ['another journal', { 'PRAGMA journal_mode': [{ journal_mode: 'truncate' }] }, []],
    [
      'a journal that is deleted',
      { 'PRAGMA journal_mode': [{ journal_mode: 'delete' }], 'PRAGMA synchronous': [{ synchronous: 2 }] },
      [
        `SqliteStore: this database has journal_mode = DELETE and synchronous = FULL. A power cut ${loss}. ` +
          'Set: PRAGMA journal_mode = WAL.',
      ],
    ],
    [
      'a journal that is deleted, with EXTRA',
      { 'PRAGMA journal_mode': [{ journal_mode: 'delete' }], 'PRAGMA synchronous': [{ synchronous: 3 }] },
      [],
    ],
    [
      'both',
      { 'PRAGMA journal_mode': [{ journal_mode: 'off' }], 'PRAGMA synchronous': [{ synchronous: 0 }] },
      [journal('OFF'), synchronous('OFF')],
    ],
    ['memory', { 'PRAGMA database_list': [{ name: 'main', file: '' }] }, [inMemory]],
    ['memory, without a file', { 'PRAGMA database_list': [{ name: 'main', file: null }] }, [inMemory]],
    [
      'a temporary database beside a file',
      {
        'PRAGMA database_list': [
          { name: 'main', file: 'a.db' },
          { name: 'temp', file: '' },
        ],
      },
      [],
    ],
  ])('that can lose writes are warned about once: %s', async (_, rows, warnings) => {
    expect(await warningsOf(rows)).toEqual(warnings);
  });
});

describe('invalid arguments of a SqliteStore', () => {
  it.each([
    [{ busyTimeoutMs: -1 }, 'busyTimeoutMs must be a number of milliseconds, 0 or more.'],
    [{ busyTimeoutMs: Number.NaN }, 'busyTimeoutMs must be a number of milliseconds, 0 or more.'],
    [{ table: 'a"; DROP' }, expect.stringContaining('table must be a name') as string],
    [{ onWarning: 'log' }, 'onWarning must be a function.'],
    [
      { tabel: 'x' },
      "'tabel' is not an option of SqliteStore; did you mean 'table'? Supported: table, busyTimeoutMs, onWarning.",
    ],
    [null, 'options must be an object.'],
  ])('are refused: %o', (options, message) => {
    expect(() => new SqliteStore(new Recorded(), options as SqliteStoreOptions)).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', message }),
    );
  });

  it.each([undefined, null, '', 5, {}])('list the supported handles: %j', (wrong) => {
    expect(() => new SqliteStore(wrong as string)).toThrow(
      new ConfigurationError(
        'A SqliteStore needs the path of a file or a database. Supported: a DatabaseSync of node:sqlite, a Database of ' +
          'bun:sqlite or better-sqlite3, a client of @libsql/client, a D1 database, ctx.storage of a Durable Object with SQLite.',
      ),
    );
    expect(() => new SqliteStore(new Recorded()).within({} as never)).toThrow(
      new ConfigurationError(
        'within takes the database on which you began the transaction (DatabaseSync, bun:sqlite or better-sqlite3), or the ' +
          'transaction that client.transaction() of libSQL returned.',
      ),
    );
  });
});
