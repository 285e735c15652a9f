/** Recognises the handle of a SQLite database by its structure. */
import { isObjectWith } from '../../core/call/options.js';
import { ConfigurationError } from '../../core/errors.js';
import { d1Driver, durableObjectDriver, type D1Database, type DurableObjectStorage } from './cloudflare.js';
import { databaseTransaction, openedFile, synchronousDriver, type SqliteDatabase } from './database.js';
import type { SqliteDriver, SqliteTransactionDriver } from './driver.js';
import { libsqlDriver, libsqlTransaction, type LibsqlClient, type LibsqlTransaction } from './libsql.js';

/** Everything that a `SqliteStore` is made with. */
export type SqliteHandle = string | URL | SqliteDatabase | LibsqlClient | D1Database | DurableObjectStorage;

/** The transactions that `within` of a `SqliteStore` takes. */
export type SqliteTransaction = SqliteDatabase | LibsqlTransaction;

export interface RecognisedHandle {
  /** Opens the database: a file at the first call, which can wait for other processes. */
  readonly open: () => SqliteDriver;
  /** The path of a file that the store opens. */
  readonly file?: string;
  /** Whether the reply to a write can be lost after the write was executed. */
  readonly losesReplies?: true;
  /** Why callers have no transactions there. */
  readonly noTransactions?: string;
}

/** @throws ConfigurationError the handle is not supported */
export function recogniseHandle(handle: unknown): RecognisedHandle {
  if (handle instanceof URL || (typeof handle === 'string' && handle !== '')) {
    const Database = nodeSqlite();
    return { open: () => openedFile(() => new Database(handle)), file: String(handle) };
  }
  // The structure was checked before each cast below; the types of the members are the caller's.
  if (isStorage(handle)) return { open: () => durableObjectDriver(handle), noTransactions: 'A Durable Object' };
  if (isObjectWith(handle, ['prepare', 'batch']))
    return { open: () => d1Driver(handle as D1Database), losesReplies: true, noTransactions: 'D1' };
  if (isObjectWith(handle, ['execute', 'batch']) && !isObjectWith(handle, ['commit']))
    return { open: () => libsqlDriver(handle as LibsqlClient), losesReplies: true };
  if (isSynchronous(handle)) return { open: () => synchronousDriver(handle) };
  throw new ConfigurationError(
    'A SqliteStore needs the path of a file or a database. Supported: a DatabaseSync of node:sqlite, a Database of ' +
      'bun:sqlite or better-sqlite3, a client of @libsql/client, a D1 database, ctx.storage of a Durable Object with SQLite.',
  );
}

/** @throws ConfigurationError the handle has no transactions */
export function recogniseTransaction(handle: unknown): SqliteTransactionDriver {
  if (isObjectWith(handle, ['execute', 'commit', 'rollback'])) return libsqlTransaction(handle as LibsqlTransaction);
  if (isSynchronous(handle)) return databaseTransaction(handle);
  throw new ConfigurationError(
    'within takes the database on which you began the transaction (DatabaseSync, bun:sqlite or better-sqlite3), or the ' +
      'transaction that client.transaction() of libSQL returned.',
  );
}

function isSynchronous(handle: unknown): handle is SqliteDatabase {
  return isObjectWith(handle, ['prepare', 'exec', 'close']) && !isObjectWith(handle, ['batch']);
}

function isStorage(handle: unknown): handle is DurableObjectStorage {
  return isObjectWith(handle, ['transactionSync']) && 'sql' in handle && isObjectWith(handle.sql, ['exec']);
}

/** A constructor of connections, as `node:sqlite` has it. */
type OpenDatabase = new (path: string | URL) => SqliteDatabase;

/** Not an import: older versions of Node could not load this file, and bundlers would search for the module. */
function nodeSqlite(): OpenDatabase {
  const { process } = globalThis as {
    process?: { version?: string; getBuiltinModule?: (name: string) => { DatabaseSync?: OpenDatabase } | undefined };
  };
  const Database = process?.getBuiltinModule?.('node:sqlite')?.DatabaseSync;
  if (Database !== undefined) return Database;
  throw new ConfigurationError(
    `SqliteStore needs node:sqlite, which Node has from 22.13 on; this is ${process?.version ?? 'another runtime'}. ` +
      'Update Node, or use PostgresStore or RedisStore.',
  );
}
