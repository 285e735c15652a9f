import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, SocialPublishingError } from '../../src/core/errors.js';
import {
  isBusy,
  isInTransaction,
  isReply,
  needsReconnect,
  noTransaction,
  sqliteFailures,
} from '../../src/stores/sqlite/failure.js';

const sqliteFailure = (error: unknown, context: Parameters<typeof sqliteFailures>[0]) =>
  sqliteFailures(context).explain(error);
const errorWith = (fields: object, message = 'it failed') => Object.assign(new Error(message), fields);
const nested = 'cannot start a transaction within a transaction';

/** The errors of a result code, as each driver reports it. */
const ofCode = (code: number, name: string): [string, Error][] => [
  ['node:sqlite', errorWith({ code: 'ERR_SQLITE_ERROR', errcode: code })],
  ['node:sqlite, with details', errorWith({ code: 'ERR_SQLITE_ERROR', errcode: code | (2 << 8) })],
  ['bun:sqlite, better-sqlite3 and libSQL', errorWith({ code: `SQLITE_${name}` })],
  ['better-sqlite3, with details', errorWith({ code: `SQLITE_${name}_DETAIL` })],
  ['D1', new Error(`D1_ERROR: it failed: SQLITE_${name}`)],
];

const codes: [number, string][] = [
  [5, 'BUSY'],
  [6, 'LOCKED'],
  [8, 'READONLY'],
  [10, 'IOERR'],
  [13, 'FULL'],
  [14, 'CANTOPEN'],
  [26, 'NOTADB'],
];

describe.each(codes)('an error of SQLite with code %d', (code, name) => {
  it.each(ofCode(code, name))('of %s is a reply', (_, error) => {
    expect(isReply(error)).toBe(true);
    expect(isBusy(error)).toBe(name === 'BUSY' || name === 'LOCKED');
    expect(isInTransaction(error)).toBe(false);
  });
});

describe('an error of a driver', () => {
  it.each<[string, unknown]>([
    ['an open transaction', new Error(nested)],
    ['an open transaction of libSQL', errorWith({ code: 'TRANSACTION_ACTIVE' })],
  ])('means a busy handle: %s', (_, error) => {
    expect([isBusy(error), isInTransaction(error), isReply(error)]).toEqual([true, true, true]);
  });

  it('means a busy handle while libSQL reconnects', () => {
    const closed = errorWith({ code: 'CLIENT_CLOSED' }, 'closed with a statement in flight');
    expect([isBusy(closed), isInTransaction(closed), isReply(closed)]).toEqual([true, false, true]);
    const byCaller = errorWith({ code: 'CLIENT_CLOSED' }, 'The client is closed');
    expect([isBusy(byCaller), isReply(byCaller)]).toEqual([false, true]);
    expect(isBusy(errorWith({ code: 'OTHER' }, 'in flight'))).toBe(false);
  });

  it.each<[string, unknown, boolean]>([
    ['of this package', new SocialPublishingError('x'), true],
    ['of SQL', errorWith({ code: 'SQL_PARSE_ERROR' }), true],
    ['of a client', errorWith({ code: 'CLIENT_CLOSED' }), true],
    ['of a transaction', errorWith({ code: 'TRANSACTION_CLOSED' }), true],
    ['of SQLite in its message', new Error('D1_ERROR: no such column: SQLITE_ERROR'), true],
    ['of SQLite in its code', errorWith({ code: 'SQLITE_CONSTRAINT' }), true],
    ['of another realm', runInNewContext("Object.assign(new Error('database is locked'), { errcode: 5 })"), true],
    ['of the network', errorWith({ code: 'ECONNRESET' }), false],
    ['of the network, with such a word later', errorWith({ code: 'ECONNRESET' }, 'CLIENT_ and SQL'), false],
    ['without a code', new Error('fetch failed'), false],
    ['without a code, that begins with such a word', new Error('SQL failed'), false],
    ['of no class', { code: 'SQLITE_BUSY' }, false],
    ['of no class, a text', 'SQLITE_BUSY', false],
  ])('shows whether SQLite replied: %s', (_, error, replied) => {
    expect(isReply(error)).toBe(replied);
    if (!replied) expect(isBusy(error)).toBe(false);
  });

  it.each<[string, unknown, boolean]>([
    ['busy with an old snapshot', errorWith({ code: 'SQLITE_BUSY', rawCode: 517 }), true],
    ['busy with its own statements', errorWith({ code: 'SQLITE_BUSY' }, 'SQL statements in progress'), true],
    ['busy with a snapshot in its message', errorWith({ code: 'SQLITE_BUSY' }, 'SQLITE_BUSY_SNAPSHOT'), true],
    ['busy', errorWith({ code: 'SQLITE_BUSY', rawCode: 5 }, 'database is locked'), false],
    ['locked', errorWith({ code: 'SQLITE_LOCKED', rawCode: 517 }, 'SNAPSHOT'), false],
    ['of another kind', errorWith({ rawCode: 517 }, 'SNAPSHOT'), false],
  ])('shows whether libSQL needs a new connection: %s', (_, error, needed) => {
    expect(needsReconnect(error)).toBe(needed);
  });
});

describe('the error for the caller', () => {
  const context = { table: 'posts', busyTimeoutMs: 50, file: '/data/a.db' };
  const inUse = (message: string) => ({ name: 'SocialPublishingError', outcome: 'unknown', message });
  const ofSetup = (message: string) => ({ name: 'ConfigurationError', outcome: 'not_sent', message });

  const busy = inUse(
    'The SQLite file stayed locked by another writer for 50 ms (busyTimeoutMs), so it refused this write. Repeat the call, or raise busyTimeoutMs.',
  );
  it.each<[string, object]>([
    ['BUSY', busy],
    ['LOCKED', busy],
    ['READONLY', inUse('The SQLite file is read-only. Let this process write to it and to its folder.')],
    ['IOERR', inUse('The SQLite file could not be read or written: it failed. Check its disk.')],
    ['FULL', inUse('The disk of the SQLite file is full, so it refused this write. Free some space.')],
    [
      'CANTOPEN',
      ofSetup(
        "The SQLite file '/data/a.db' could not be opened. Its folder must exist, and this process must have the right to write to it.",
      ),
    ],
    ['NOTADB', ofSetup('The file is not a SQLite database, or it is encrypted. Pass another path.')],
    ['CONSTRAINT', inUse('SQLite failed: it failed.')],
  ])('of SQLITE_%s', (name, expected) => {
    const error = errorWith({ code: `SQLITE_${name}` });
    expect(sqliteFailure(error, context)).toMatchObject({ ...expected, cause: { message: 'it failed' } });
  });

  it('has no path of your own handle, and no time-out in your own transaction', () => {
    expect(sqliteFailure(errorWith({ errcode: 14 }), { table: 'posts' }).message).toBe(
      'The SQLite file could not be opened. Its folder must exist, and this process must have the right to write to it.',
    );
    expect(sqliteFailure(errorWith({ errcode: 5 }), { table: 'posts' })).toMatchObject(
      inUse(
        'The SQLite database is locked by another writer. Begin the transaction with BEGIN IMMEDIATE, and try again.',
      ),
    );
  });

  it('of an open transaction, a missing table, and a closed database', () => {
    expect(sqliteFailure(new Error(nested), context)).toMatchObject({
      ...ofSetup(
        'Your open transaction on the handle of this SqliteStore did not end within 50 ms (busyTimeoutMs), so nothing was ' +
          'written: a rollback would undo an acknowledged write. End the transaction sooner, or pass it with within.',
      ),
      cause: { message: nested },
    });
    expect(sqliteFailure(errorWith({ errcode: 1 }, 'no such table: posts'), context)).toMatchObject({
      ...ofSetup('There is no table posts in this SQLite database. Call await store.setup() once.'),
      cause: { message: 'no such table: posts' },
    });
    expect(sqliteFailure(errorWith({ code: 'ERR_INVALID_STATE' }, 'database is not open'), context)).toMatchObject({
      ...inUse('The database of this SqliteStore was closed. Close it after the last call.'),
      cause: { message: 'database is not open' },
    });
  });

  it('of a lost reply, which only some handles have', () => {
    const error = new Error('fetch failed');
    expect(sqliteFailures({ ...context, losesReplies: true }).isLost(error)).toBe(true);
    expect(sqliteFailure(error, { ...context, losesReplies: true })).toMatchObject({
      ...inUse(
        'The SQLite database did not answer: fetch failed. A write may have happened. You can repeat the call. Only before you repeat resolve(), read the intent or the held call again.',
      ),
      cause: { message: 'fetch failed' },
    });
    expect(sqliteFailures(context).isLost(error)).toBe(false);
    const other = sqliteFailure(error, context);
    expect(other).toMatchObject(inUse('SQLite failed: fetch failed.'));
    expect(sqliteFailure('no error', context)).toMatchObject(inUse('SQLite failed: no error.'));
  });

  it('is the error of this package, if it is one', () => {
    const error = new ConfigurationError('x');
    expect(sqliteFailure(error, context)).toBe(error);
  });

  it('of a transaction that is not open', () => {
    expect(noTransaction()).toMatchObject(
      ofSetup(
        'The handle that was passed to within has no open transaction, so nothing was written. Run BEGIN on it first.',
      ),
    );
  });
});
