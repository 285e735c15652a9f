/** How `SqliteStore` reaches a database: it recognises each handle by its structure, and makes it a driver. */
import { isObjectWith } from '../../core/call/options.js';
import { ConfigurationError } from '../../core/errors.js';
import { isInTransaction, needsReconnect, noTransaction } from './failure.js';

/** The part of a `DatabaseSync` of `node:sqlite`, or of a `Database` of `bun:sqlite` or better-sqlite3, that the store uses. */
export interface SqliteDatabase {
  /** Runs SQL without parameters. */
  exec(sql: string): unknown;
  /** Compiles a statement. */
  prepare(sql: string): SqliteStatement;
  /** Closes the connection. */
  close(): unknown;
}

/** The part of a synchronous statement that the store uses. */
export interface SqliteStatement {
  /** Returns all rows. */
  all(...parameters: (string | number | null)[]): unknown[];
  /** Rows as arrays, or as objects. `node:sqlite` has it, if its databases have the option `returnArrays`. */
  setReturnArrays?(enabled: boolean): unknown;
}

/** The part of a client of `@libsql/client` that the store uses. */
export interface LibsqlClient {
  /** Runs one statement. */
  execute(statement: LibsqlStatement): Promise<LibsqlResult>;
  /** Runs statements in one transaction. */
  batch(statements: LibsqlStatement[], mode?: 'write' | 'deferred'): Promise<LibsqlResult[]>;
  /** Opens new connections. The store calls it if a connection no longer commits. */
  reconnect?(): unknown;
  /** `file` for a database on this machine. */
  readonly protocol?: string;
  /** Only a transaction has it. */
  readonly commit?: never;
}

/** A transaction that `client.transaction()` of `@libsql/client` returned. */
export interface LibsqlTransaction {
  /** Runs one statement. */
  execute(statement: LibsqlStatement): Promise<LibsqlResult>;
  /** Ends the transaction. */
  commit(): Promise<void>;
  /** Ends the transaction and undoes its writes. */
  rollback(): Promise<void>;
  /** Whether it has ended. */
  readonly closed: boolean;
}

/** A statement as `@libsql/client` takes it. */
export interface LibsqlStatement {
  /** The SQL. */
  sql: string;
  /** Its parameters. */
  args: (string | number | null)[];
}

/** The result of a statement of `@libsql/client`. */
export interface LibsqlResult {
  /** The rows. */
  rows: unknown[];
}

/** The part of a D1 database (`env.DB`) that the store uses. */
export interface D1Database {
  /** Compiles a statement. */
  prepare(sql: string): D1Statement;
  /** Runs statements in one transaction. The store only recognises the database by this method. */
  batch(statements: D1Statement[]): Promise<unknown>;
}

/** The part of a statement of D1 that the store uses. */
export interface D1Statement {
  /** Sets the parameters. */
  bind(...parameters: (string | number | null)[]): D1Statement;
  /** Runs the statement. */
  all(): Promise<{
    /** The rows. */
    results: unknown[];
  }>;
}

/** The part of the storage of a Durable Object (`ctx.storage`) that the store uses. Its class must be one with SQLite. */
export interface DurableObjectStorage {
  /** The SQL of the storage. */
  readonly sql: {
    /** Runs SQL. */
    exec(
      sql: string,
      ...parameters: (string | number | null)[]
    ): {
      /** Returns all rows. */
      toArray(): unknown[];
    };
  };
  /** Runs a function in a transaction. The store only recognises the storage by this method. */
  transactionSync<T>(work: () => T): T;
  /** Resolves when all earlier writes are on the disk. */
  sync(): Promise<void>;
}

/** Everything that a `SqliteStore` is made with. */
export type SqliteHandle = string | URL | SqliteDatabase | LibsqlClient | D1Database | DurableObjectStorage;

/** The transactions that `within` of a `SqliteStore` takes. */
export type SqliteTransaction = SqliteDatabase | LibsqlTransaction;

/** A value that every handle binds in the same way. */
export type SqliteValue = string | number | null;

/** Rows, by the names of their columns. */
export type SqliteRows = readonly Readonly<Record<string, unknown>>[];

/**
 * Runs one statement, with a value for each placeholder, and returns its rows. Synchronous handles return them at once:
 * see `within`.
 */
export type RunQuery = (sql: string, ...parameters: SqliteValue[]) => SqliteRows | Promise<SqliteRows>;

/** A database, whatever its handle. */
export interface SqliteDriver {
  /** Runs a statement that changes nothing. */
  readonly read: RunQuery;
  /**
   * Runs a statement in a separate transaction. When it resolves, the write is durable. A read in this way goes to the
   * primary, not to a replica.
   */
  readonly write: RunQuery;
  /** Runs a statement that defines a table or an index. Default: `write`. */
  readonly define?: (sql: string) => unknown;
  /** Whether the database reports `journal_mode` and `synchronous`. Default: it does not. */
  readonly hasPragmas?: boolean;
  /** Closes the connection, if the store opened it. */
  readonly close?: () => void;
}

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
    return { open: () => openedFile(new Database(handle)), file: String(handle) };
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

/**
 * Returns the function that runs statements in a transaction of the caller, and throws if none is open.
 * @throws ConfigurationError the handle has no transactions
 */
export function recogniseTransaction(handle: unknown): RunQuery {
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

/**
 * Reads directly, and writes in a separate transaction. On the caller's connection, `BEGIN` fails while the caller has a
 * transaction open: the write waits for its end, because a rollback would undo it.
 */
function synchronousDriver(database: SqliteDatabase): SqliteDriver {
  const run = statementsOf(database);
  return {
    read: run,
    write: (...query) => {
      execAtOnce(database, run, 'BEGIN IMMEDIATE');
      return committed(database, () => run(...query));
    },
    // The statements of better-sqlite3 run only SQL that returns rows.
    define: (sql) => {
      execAtOnce(database, run, sql);
    },
    hasPragmas: true,
  };
}

/**
 * Fails at once while another writer has the lock. The store waits itself: a busy timeout of the connection (better-sqlite3:
 * 5 s) would stop the event loop meanwhile. A COMMIT keeps the timeout: without it, readers of a rollback journal could make
 * each COMMIT fail.
 */
function execAtOnce(database: SqliteDatabase, run: RunQuery, sql: string): void {
  const [row] = run('PRAGMA busy_timeout') as SqliteRows; // The database is synchronous.
  const timeout = Number(row?.['timeout'] ?? 0);
  if (timeout > 0) database.exec('PRAGMA busy_timeout = 0');
  try {
    database.exec(sql);
  } finally {
    if (timeout > 0) database.exec(`PRAGMA busy_timeout = ${timeout}`);
  }
}

/** Sets a file so that a power cut undoes nothing. */
function openedFile(database: SqliteDatabase): SqliteDriver {
  const close = () => {
    database.close();
  };
  try {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
  } catch (error) {
    close();
    throw error;
  }
  return { ...synchronousDriver(database), close };
}

/** It is synchronous up to the statement's end, so no COMMIT comes between a call and its work. */
function databaseTransaction(database: SqliteDatabase): RunQuery {
  const run = statementsOf(database);
  return (...query) => {
    if (!hasTransaction(database)) throw noTransaction();
    return run(...query);
  };
}

function statementsOf(database: SqliteDatabase): RunQuery {
  const statements = new Map<string, SqliteStatement>();
  return (sql, ...parameters) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      // The option `returnArrays` of the database applies to the caller's statements only.
      statement.setReturnArrays?.(false);
      statements.set(sql, statement);
    }
    const rows: unknown = statement.all(...parameters);
    if (!Array.isArray(rows))
      throw new ConfigurationError(
        'The statements of this SQLite database are asynchronous. SqliteStore supports asynchronous statements of libSQL and D1 only.',
      );
    return rows as SqliteRows; // They are objects.
  };
}

/** BEGIN fails inside a transaction; every driver of SQLite reports that in the same words. */
function hasTransaction(database: SqliteDatabase): boolean {
  try {
    database.exec('BEGIN');
  } catch (error) {
    if (isInTransaction(error)) return true;
    throw error;
  }
  database.exec('ROLLBACK');
  return false;
}

/** Writes in the transaction that has begun, and ends it. */
function committed<T>(database: SqliteDatabase, write: () => T): T {
  try {
    const written = write();
    database.exec('COMMIT');
    return written;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back already, for example because the disk is full.
    }
    throw error;
  }
}

/**
 * Every statement is a batch with a separate transaction. After one SQLITE_BUSY, a connection of `@libsql/client` can
 * report success without a commit, because a statement stays open on it. The `COMMIT` of a batch fails then: the
 * connection is replaced, and the statement runs again. In the mode `deferred`, a server asks its primary, not a
 * replica.
 */
function libsqlDriver(client: LibsqlClient): SqliteDriver {
  const batch = async (mode: 'write' | 'deferred', sql: string, args: SqliteValue[]) => {
    try {
      const [result] = await client.batch([{ sql, args }], mode);
      return (result?.rows ?? []) as SqliteRows; // Rows have the names of their columns.
    } catch (error) {
      if (needsReconnect(error)) await client.reconnect?.();
      throw error;
    }
  };
  return {
    read: (sql, ...args) => batch('deferred', sql, args),
    write: (sql, ...args) => batch('write', sql, args),
    hasPragmas: client.protocol === 'file',
  };
}

/** The transaction of a caller. */
function libsqlTransaction(transaction: LibsqlTransaction): RunQuery {
  return async (sql, ...args) => {
    if (transaction.closed) throw noTransaction();
    return (await transaction.execute({ sql, args })).rows as SqliteRows; // As above.
  };
}

/** D1 has no `BEGIN` for callers: each statement is a transaction. */
function d1Driver(database: D1Database): SqliteDriver {
  const run: RunQuery = async (sql, ...parameters) => {
    const statement = database.prepare(sql).bind(...parameters);
    return (await statement.all()).results as SqliteRows; // D1 returns rows as objects.
  };
  return { read: run, write: run };
}

/**
 * A Durable Object resolves a write before it is on the disk, and holds back the object's replies meanwhile. `sync` makes
 * the write durable before the store says so. If it fails, Cloudflare ends the object: a read could not settle the write.
 */
function durableObjectDriver(storage: DurableObjectStorage): SqliteDriver {
  const run = (sql: string, ...parameters: SqliteValue[]) =>
    storage.sql.exec(sql, ...parameters).toArray() as SqliteRows; // Rows are objects.
  return {
    read: run,
    write: async (sql, ...parameters) => {
      const rows = run(sql, ...parameters);
      await storage.sync();
      return rows;
    },
  };
}
