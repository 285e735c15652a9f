/** libSQL and Turso: a client of `@libsql/client`, for a file or a server. */
import { needsReconnect } from './failure.js';
import type { SqliteDriver, SqliteRows, SqliteTransactionDriver } from './driver.js';

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

/**
 * Every statement is a batch with a separate transaction. After one SQLITE_BUSY, a connection of `@libsql/client` can
 * report success without a commit, because a statement stays open on it. The `COMMIT` of a batch fails then: the
 * connection is replaced, and the statement runs again. In the mode `deferred`, a server asks its primary, not a
 * replica.
 */
export function libsqlDriver(client: LibsqlClient): SqliteDriver {
  const batch = async (statements: LibsqlStatement[], mode: 'write' | 'deferred' = 'write') => {
    try {
      const [result] = await client.batch(statements, mode);
      return (result?.rows ?? []) as SqliteRows; // Rows have the names of their columns.
    } catch (error) {
      if (needsReconnect(error)) await client.reconnect?.();
      throw error;
    }
  };
  return {
    read: (sql, ...args) => batch([{ sql, args }], 'deferred'),
    write: (sql, ...args) => batch([{ sql, args }]),
    define: (statements) => batch(statements.map((sql) => ({ sql, args: [] }))),
    hasPragmas: client.protocol === 'file',
  };
}

/** The transaction of a caller. */
export function libsqlTransaction(transaction: LibsqlTransaction): SqliteTransactionDriver {
  return {
    isOpen: () => !transaction.closed,
    run: async (sql, ...args) => (await transaction.execute({ sql, args })).rows as SqliteRows, // As above.
  };
}
