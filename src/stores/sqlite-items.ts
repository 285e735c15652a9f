import type { ItemReads, ItemWrite } from './item-store.js';
import { endOfPrefix } from './key-order.js';
import type { ScannedItem, StoredItem } from './store.js';

/** The part of a `DatabaseSync` of `node:sqlite` that the store uses. */
export interface SqliteDatabase {
  /** Runs SQL without parameters. */
  exec(sql: string): unknown;
  /** Compiles a statement. */
  prepare(sql: string): SqliteStatement;
  /** Closes the connection. */
  close(): unknown;
}

/** The part of a `StatementSync` of `node:sqlite` that the store uses. */
export interface SqliteStatement {
  /** Returns the first row. */
  get(...parameters: (string | number | null)[]): unknown;
  /** Returns all rows. */
  all(...parameters: (string | number | null)[]): unknown[];
  /** Returns the number of changed rows. */
  run(...parameters: (string | number | null)[]): {
    /** The number of changed rows. */
    changes: number | bigint;
  };
}

/** The SQL that creates the table and its index. */
export function sqliteSchema(table: string): string {
  return `CREATE TABLE IF NOT EXISTS "${table}" (
  key TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  data TEXT NOT NULL,
  wake_at REAL
);
CREATE INDEX IF NOT EXISTS "${table}_due" ON "${table}" (wake_at, key) WHERE wake_at IS NOT NULL;`;
}

interface Row {
  readonly key: string;
  readonly version: number | bigint;
  readonly data: string;
}

/** The items in a table of SQLite. Each call is one statement, and is done when it returns. */
export class SqliteItems implements ItemReads {
  readonly #database: SqliteDatabase;
  readonly #table: string;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase, table: string) {
    this.#database = database;
    this.#table = table;
  }

  createTable(): void {
    this.#database.exec(sqliteSchema(this.#table));
  }

  get(key: string): StoredItem | undefined {
    const row = this.#prepare(`SELECT version, data FROM "${this.#table}" WHERE key = ?`).get(key) as Row | undefined;
    return row && { version: Number(row.version), data: row.data };
  }

  write({ key, replaces, version, data, wakeAt }: ItemWrite): boolean {
    if (replaces === undefined)
      return this.#run(
        `INSERT INTO "${this.#table}" (key, version, data, wake_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        ...[key, version, data, wakeAt],
      );
    if (data === null) return this.#run(`DELETE FROM "${this.#table}" WHERE key = ? AND version = ?`, key, replaces);
    return this.#run(
      `UPDATE "${this.#table}" SET version = ?, data = ?, wake_at = ? WHERE key = ? AND version = ?`,
      ...[version, data, wakeAt, key, replaces],
    );
  }

  due(prefix: string, now: number, limit: number): string[] {
    const range = rangeOf(prefix);
    // The sign + makes SQLite walk along the index of wake_at, not along the keys.
    const sql = `SELECT key FROM "${this.#table}" WHERE wake_at <= ? AND ${range.sql.replaceAll('key', '+key')}
      ORDER BY wake_at, key LIMIT ?`;
    const rows = this.#prepare(sql).all(now, ...range.parameters, limit) as Row[];
    return rows.map(({ key }) => key);
  }

  scan(prefix: string, after: string | undefined, limit: number): ScannedItem[] {
    const range = rangeOf(prefix);
    const sql = `SELECT key, version, data FROM "${this.#table}" WHERE ${range.sql} ${after === undefined ? '' : 'AND key > ?'}
      ORDER BY key LIMIT ?`;
    const parameters = after === undefined ? range.parameters : [...range.parameters, after];
    const rows = this.#prepare(sql).all(...parameters, limit) as Row[];
    return rows.map(({ key, version, data }) => ({ key, version: Number(version), data }));
  }

  #run(sql: string, ...parameters: (string | number | null)[]): boolean {
    return Number(this.#prepare(sql).run(...parameters).changes) === 1;
  }

  #prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function rangeOf(prefix: string): { sql: string; parameters: string[] } {
  const end = endOfPrefix(prefix);
  return end === undefined
    ? { sql: 'key >= ?', parameters: [prefix] }
    : { sql: 'key >= ? AND key < ?', parameters: [prefix, end] };
}
