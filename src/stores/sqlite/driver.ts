/** How `SqliteStore` reaches a database: one small interface over every kind of handle. */

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
  /** Runs statements without parameters, all or none. */
  readonly define: (statements: readonly string[]) => unknown;
  /** Whether the database reports `journal_mode` and `synchronous`. Default: it does not. */
  readonly hasPragmas?: boolean;
  /** Closes the connection, if the store opened it. */
  readonly close?: () => void;
}

/** A transaction of the caller. */
export interface SqliteTransactionDriver {
  readonly isOpen: () => boolean;
  readonly run: RunQuery;
}
