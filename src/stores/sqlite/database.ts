/** Databases whose statements are synchronous: `node:sqlite`, `bun:sqlite`, better-sqlite3. */
import { ConfigurationError } from '../../core/errors.js';
import type { RunQuery, SqliteDriver, SqliteRows, SqliteTransactionDriver } from './driver.js';
import { isInTransaction } from './failure.js';

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

/** Reads directly, and writes in a separate transaction. On the caller's connection, it fails while one is open there. */
export function synchronousDriver(database: SqliteDatabase): SqliteDriver {
  const run = statementsOf(database);
  return {
    read: run,
    write: (sql, ...parameters) => inTransaction(database, () => run(sql, ...parameters)),
    define: (statements) => database.exec(statements.join(';\n')),
    hasPragmas: true,
  };
}

/** Opens a file, and sets it so that a power cut undoes nothing. */
export function openedFile(open: () => SqliteDatabase): SqliteDriver {
  const database = open();
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

/** The connection on which the caller began a transaction. */
export function databaseTransaction(database: SqliteDatabase): SqliteTransactionDriver {
  return { isOpen: () => hasTransaction(database), run: statementsOf(database) };
}

function statementsOf(database: SqliteDatabase): RunQuery {
  const statements = new Map<string, SqliteStatement>();
  return (sql, ...parameters) => {
    const statement = statements.get(sql) ?? prepared(database, sql);
    statements.set(sql, statement);
    const rows: unknown = statement.all(...parameters);
    if (!Array.isArray(rows))
      throw new ConfigurationError(
        'The statements of this SQLite database are asynchronous. SqliteStore supports asynchronous statements of libSQL and D1 only.',
      );
    if (rows.some((row) => Array.isArray(row)))
      throw new ConfigurationError(
        'The statements of this SQLite database return rows as arrays (returnArrays). SqliteStore needs rows as objects: ' +
          'pass a separate connection without this option.',
      );
    return rows as SqliteRows; // They are objects.
  };
}

/** The option `returnArrays` of the database applies to the caller's statements only. */
function prepared(database: SqliteDatabase, sql: string): SqliteStatement {
  const statement = database.prepare(sql);
  statement.setReturnArrays?.(false);
  return statement;
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

/**
 * Writes in a separate transaction. On the caller's connection, `BEGIN` fails while the caller has a transaction open:
 * the write waits for its end, because a rollback would undo it.
 */
function inTransaction<T>(database: SqliteDatabase, write: () => T): T {
  database.exec('BEGIN IMMEDIATE');
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
