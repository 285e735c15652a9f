import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, SocialPublishingError } from '../../src/core/errors.js';
import { defaultRuntime } from '../../src/core/runtime.js';
import { SqliteStore, type DurableObjectStorage, type LibsqlStatement } from '../../src/stores/sqlite/index.js';

const lost = () => new Error('Network connection lost.');

let waits: number[];
beforeEach(() => {
  waits = [];
  vi.spyOn(defaultRuntime, 'sleep').mockImplementation((ms) => {
    waits.push(ms);
    return Promise.resolve();
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A database that answers each statement as its plan says, and records all calls. */
class Plan {
  readonly calls: string[] = [];
  readonly warnings: string[] = [];
  /** The rows or the error of each statement, in order; no rows after the last one. */
  answers: (Record<string, unknown>[] | Error)[] = [];

  run(sql: string, parameters: readonly unknown[]): unknown[] {
    this.calls.push([sql.split(' ')[0], ...parameters].join(' '));
    const answer = this.answers.shift() ?? [];
    if (answer instanceof Error) throw answer;
    return answer;
  }

  d1(): SqliteStore {
    const prepare = (sql: string, parameters: readonly unknown[] = []) => ({
      sql,
      bind: (...values: unknown[]) => prepare(sql, values),
      all: () =>
        new Promise<{ results: unknown[] }>((resolve) => {
          resolve({ results: this.run(sql, parameters) });
        }),
    });
    const batch = () => Promise.reject(new Error('not called'));
    return new SqliteStore({ prepare, batch }, { onWarning: (message) => this.warnings.push(message) });
  }

  libsql(fields: { protocol?: string; reconnect?: () => void } = {}): SqliteStore {
    const batch = (statements: LibsqlStatement[], mode?: string) =>
      new Promise<{ rows: unknown[] }[]>((resolve) => {
        this.calls.push(String(mode));
        resolve(statements.map(({ sql, args }) => ({ rows: this.run(sql, args) })));
      });
    const execute = () => Promise.reject(new Error('not called'));
    return new SqliteStore({ execute, batch, ...fields }, { onWarning: (message) => this.warnings.push(message) });
  }
}

describe('a write on D1', () => {
  it('is one statement, without a read', async () => {
    const plan = new Plan();
    plan.answers = [[{ key: 'a' }]];
    const version = await plan.d1().insert('a', 'x', 5);
    expect(plan.calls).toEqual([`INSERT a ${String(version)} x 5`]);
    expect(plan.warnings).toEqual([]);
  });

  it('is read back if its reply is lost, and not repeated if it was executed', async () => {
    const plan = new Plan();
    const version = 5 * 2 ** 20;
    plan.answers = [lost()];
    const store = plan.d1();
    vi.spyOn(defaultRuntime, 'random48').mockReturnValue(3);
    plan.answers.push([{ version: 6 * 2 ** 20 + 3, data: 'x' }]);
    expect(await store.swap('a', version, 'x', null)).toBe(6 * 2 ** 20 + 3);
    expect(plan.calls).toEqual([`UPDATE ${String(6 * 2 ** 20 + 3)} x  a ${String(version)}`, 'SELECT a']);
    expect(waits).toEqual([5]);
  });

  it('is never reported as refused if it was executed, and a process that counts versions swapped the item since', async () => {
    const plan = new Plan();
    vi.spyOn(defaultRuntime, 'random48').mockReturnValue(3);
    // Release 0.2.0 adds 1 to the version.
    plan.answers = [lost(), [{ version: 6 * 2 ** 20 + 3 + 1, data: 'later' }]];
    await expect(plan.d1().swap('a', 5 * 2 ** 20, 'x', null)).rejects.toMatchObject({ outcome: 'unknown' });
    expect(plan.calls).toEqual([`UPDATE ${String(6 * 2 ** 20 + 3)} x  a ${String(5 * 2 ** 20)}`, 'SELECT a']);
  });

  it('is repeated if its reply is lost and it was not executed', async () => {
    const plan = new Plan();
    plan.answers = [lost(), [], [{ key: 'a' }]];
    const version = await plan.d1().insert('a', 'x', null);
    const insert = `INSERT a ${String(version)} x `;
    expect(plan.calls).toEqual([insert, 'SELECT a', insert]);
  });

  it('rejects if no reply comes at all', async () => {
    const plan = new Plan();
    plan.answers = Array.from({ length: 20 }, lost);
    const error: unknown = await plan
      .d1()
      .insert('a', 'x', null)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SocialPublishingError);
    expect(error).toMatchObject({
      outcome: 'unknown',
      message:
        'The SQLite database did not answer: Network connection lost. A write may have happened. You can repeat the call. Only before you repeat resolve(), read the intent or the held call again.',
    });
    expect(waits).toEqual([5, 50, 250, 1000]);
  });

  it('is not repeated if SQLite refused it', async () => {
    const plan = new Plan();
    plan.answers = [new Error('D1_ERROR: no such table: social_publishing: SQLITE_ERROR')];
    await expect(plan.d1().insert('a', 'x', null)).rejects.toThrow(
      new ConfigurationError(
        'There is no table social_publishing in this SQLite database. Call await store.setup() once.',
      ),
    );
    expect([plan.calls.length, waits]).toEqual([1, []]);
  });
});

describe('a read on D1', () => {
  it('is repeated if its reply is lost', async () => {
    const plan = new Plan();
    plan.answers = [lost(), lost(), [{ version: 7, data: 'x' }]];
    expect(await plan.d1().get('a')).toStrictEqual({ version: 7, data: 'x' });
    expect(plan.calls).toEqual(['SELECT a', 'SELECT a', 'SELECT a']);
    expect(waits).toEqual([5, 50]);
  });
});

it('the table of D1 is created, then its index', async () => {
  const plan = new Plan();
  await plan.d1().setup();
  expect(plan.calls).toEqual(['CREATE', 'CREATE']);
});

describe('libSQL', () => {
  it('writes in a transaction, reads from the primary or a replica, and asks for settings only in a file', async () => {
    const plan = new Plan();
    const store = plan.libsql();
    plan.answers = [[{ version: 7, data: 'x' }], [{ key: 'a' }]];
    await store.get('a');
    const version = await store.swap('a', 7, 'y', 1);
    expect(plan.calls).toEqual(['deferred', 'SELECT a', 'write', `UPDATE ${String(version)} y 1 a 7`]);
    expect(plan.warnings).toEqual([]);

    const onFile = new Plan();
    onFile.answers = [[{ name: 'main', file: '' }]];
    await onFile.libsql({ protocol: 'file' }).get('a');
    expect(onFile.warnings).toEqual([expect.stringContaining('this database is in memory')]);
  });

  it('asks the primary for the item of a write whose result is unknown', async () => {
    const plan = new Plan();
    const store = plan.libsql();
    plan.answers = Array.from({ length: 20 }, lost);
    await expect(store.insert('a', 'x', null)).rejects.toMatchObject({ outcome: 'unknown' });
    plan.answers = [[{ version: 7, data: 'x' }], []];
    plan.calls.length = 0;
    await store.get('a');
    await store.get('a');
    expect(plan.calls).toEqual(['write', 'SELECT a', 'deferred', 'SELECT a']);
  });

  it('gets new connections only if one no longer commits', async () => {
    const plan = new Plan();
    let reconnected = 0;
    const store = plan.libsql({ reconnect: () => (reconnected += 1) });
    plan.answers = [
      Object.assign(new Error('SQL statements in progress'), { code: 'SQLITE_BUSY' }),
      Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' }),
      [{ key: 'a' }],
    ];
    expect(await store.insert('a', 'x', null)).toEqual(expect.any(Number));
    expect(reconnected).toBe(1);
  });

  it('runs within a transaction of yours until it is closed', async () => {
    const statements: LibsqlStatement[] = [];
    const transaction = {
      closed: false,
      execute: (statement: LibsqlStatement) => {
        statements.push(statement);
        return Promise.resolve({ rows: [{ version: 7, data: 'x' }] });
      },
      commit: () => Promise.resolve(),
      rollback: () => Promise.resolve(),
    };
    const within = new Plan().libsql().within(transaction);
    expect(await within.get('a')).toEqual({ version: 7, data: 'x' });
    expect(statements).toEqual([{ sql: 'SELECT version, data FROM "social_publishing" WHERE key = ?', args: ['a'] }]);
    transaction.closed = true;
    await expect(within.get('a')).rejects.toThrow('has no open transaction');
    expect(statements).toHaveLength(1);
  });
});

it('a Durable Object writes to the disk before a write resolves, and loses no replies', async () => {
  const calls: string[] = [];
  let rows: unknown[] = [{ key: 'a' }];
  const storage: DurableObjectStorage = {
    sql: {
      exec: (sql, ...parameters) => {
        calls.push([sql.split(' ')[0], ...parameters].join(' '));
        return { toArray: () => rows };
      },
    },
    transactionSync: (work) => work(),
    sync: () => {
      calls.push('sync');
      return Promise.resolve();
    },
  };
  const store = new SqliteStore(storage);
  await store.setup();
  expect(calls.splice(0)).toEqual(['CREATE', 'sync', 'CREATE', 'sync']);
  const version = await store.swap('a', 7, 'x', null);
  expect(calls.splice(0)).toEqual([`UPDATE ${String(version)} x  a 7`, 'sync']);
  rows = [];
  expect(await store.get('a')).toBeUndefined();
  expect(calls).toEqual(['SELECT a']);
  storage.sync = () => Promise.reject(new Error('the object was reset'));
  await expect(store.insert('a', 'x', null)).rejects.toThrow('SQLite failed: the object was reset.');
  expect(calls).toHaveLength(2);
});
