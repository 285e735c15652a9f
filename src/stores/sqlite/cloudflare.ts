/** SQLite on Cloudflare: D1, and the storage of a Durable Object. */
import type { RunQuery, SqliteDriver, SqliteRows, SqliteValue } from './driver.js';

/** The part of a D1 database (`env.DB`) that the store uses. */
export interface D1Database {
  /** Compiles a statement. */
  prepare(sql: string): D1Statement;
  /** Runs statements in one transaction. */
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
  /** Runs a function in a transaction. */
  transactionSync<T>(work: () => T): T;
  /** Resolves when all earlier writes are on the disk. */
  sync(): Promise<void>;
}

/** D1 has no `BEGIN` for callers: each statement is a transaction. */
export function d1Driver(database: D1Database): SqliteDriver {
  const run: RunQuery = async (sql, ...parameters) => {
    const statement = database.prepare(sql).bind(...parameters);
    return (await statement.all()).results as SqliteRows; // D1 returns rows as objects.
  };
  return {
    read: run,
    write: run,
    define: (statements) => database.batch(statements.map((sql) => database.prepare(sql))),
  };
}

/**
 * A Durable Object resolves a write before it is on the disk, and holds back the object's replies meanwhile. `sync` makes
 * the write durable before the store says so. If it fails, Cloudflare ends the object: a read could not settle the write.
 */
export function durableObjectDriver(storage: DurableObjectStorage): SqliteDriver {
  const run = (sql: string, ...parameters: SqliteValue[]) =>
    storage.sql.exec(sql, ...parameters).toArray() as SqliteRows; // Rows are objects.
  return {
    read: run,
    write: async (sql, ...parameters) => {
      const rows = run(sql, ...parameters);
      await storage.sync();
      return rows;
    },
    define: async (statements) => {
      storage.transactionSync(() => {
        for (const statement of statements) storage.sql.exec(statement);
      });
      await storage.sync();
    },
  };
}
