/** How `SqliteStore` reaches a database: one small interface over every kind of handle. */

/** A value that every handle binds in the same way. */
export type SqliteValue = string | number | null;

/** One statement and its parameters. */
export interface SqliteQuery {
  /** The statement, with a placeholder for each parameter. */
  readonly sql: string;
  /** The values of the placeholders, in order. */
  readonly parameters: readonly SqliteValue[];
}

/** Rows, by the names of their columns. */
export type SqliteRows = readonly Readonly<Record<string, unknown>>[];

/** Runs one statement and returns its rows. Synchronous handles return them at once: see `within`. */
export type RunQuery = (query: SqliteQuery) => SqliteRows | Promise<SqliteRows>;

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
  /** Whether the database reports `journal_mode` and `synchronous`. */
  readonly hasPragmas: boolean;
  /** Closes the connection that the store opened. */
  readonly close: () => void;
}

/** A transaction of the caller. */
export interface SqliteTransactionDriver {
  readonly isOpen: () => boolean;
  readonly run: RunQuery;
}
