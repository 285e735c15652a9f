import { endOfPrefix } from './key-order.js';
import type { ScannedItem, StoredItem } from './store.js';
import { firstVersion } from './versions.js';

/** What is used of a `DatabaseSync` of `node:sqlite`. */
export interface SqliteDatabase {
  /** Runs SQL that has no parameters. */
  exec(sql: string): unknown;
  /** Compiles a statement. */
  prepare(sql: string): SqliteStatement;
  /** Closes the connection. */
  close(): unknown;
}

/** What is used of a `StatementSync` of `node:sqlite`. */
export interface SqliteStatement {
  /** Gives the first row. */
  get(...parameters: (string | number | null)[]): unknown;
  /** Gives all rows. */
  all(...parameters: (string | number | null)[]): unknown[];
  /** Tells how many rows it changed. */
  run(...parameters: (string | number | null)[]): {
    /** How many rows it changed. */
    changes: number | bigint;
  };
}

/** The SQL that makes the table and its index. */
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

/** The operations on a connection, done when they return. Each is one statement. */
export class SqliteTable {
  readonly #database: SqliteDatabase;
  readonly #table: string;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase, table: string) {
    this.#database = database;
    this.#table = table;
  }

  create(): void {
    this.#database.exec(sqliteSchema(this.#table));
  }

  get(key: string): StoredItem | undefined {
    const row = this.#prepare(`SELECT version, data FROM "${this.#table}" WHERE key = ?`).get(key) as Row | undefined;
    return row && { version: Number(row.version), data: row.data };
  }

  insert(key: string, data: string, wakeAt: number | null): number | undefined {
    const sql = `INSERT INTO "${this.#table}" (key, version, data, wake_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`;
    const version = firstVersion();
    return this.#write(sql, key, version, data, wakeAt) ? version : undefined;
  }

  swap(key: string, version: number, data: string | null, wakeAt: number | null): number | undefined {
    const where = 'WHERE key = ? AND version = ?';
    const isWritten =
      data === null
        ? this.#write(`DELETE FROM "${this.#table}" ${where}`, key, version)
        : this.#write(
            `UPDATE "${this.#table}" SET version = version + 1, data = ?, wake_at = ? ${where}`,
            ...[data, wakeAt, key, version],
          );
    return isWritten ? version + 1 : undefined;
  }

  due(prefix: string, now: number, limit: number): string[] {
    const range = rangeOf(prefix);
    // The sign + keeps SQLite from walking along the keys instead of the index of wake_at.
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

  #write(sql: string, ...parameters: (string | number | null)[]): boolean {
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
