import type { StoredItems } from '../item-store.js';
import { keyRange } from '../key-order.js';
import type { RunQuery, SqliteValue } from './handles.js';
import type { ScannedItem, StoredItem } from '../store.js';
import type { ItemWrite } from '../versions.js';

export function sqliteStatements(table: string): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS "${table}" (
  key TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  data TEXT NOT NULL,
  wake_at REAL
)`,
    `CREATE INDEX IF NOT EXISTS "${table}_due" ON "${table}" (wake_at, key) WHERE wake_at IS NOT NULL`,
  ];
}

/**
 * The items in a table of SQLite. Each call is one statement. On a synchronous handle, it is done when the call returns
 * its promise: nothing is awaited before. Each write returns a row if it wrote: not every handle counts changed rows, and
 * some also count index rows.
 */
export class SqliteItems implements StoredItems {
  readonly #run: RunQuery;
  readonly #table: string;

  constructor(run: RunQuery, table: string) {
    this.#run = run;
    this.#table = table;
  }

  async get(key: string): Promise<StoredItem | undefined> {
    const [row] = await this.#run(`SELECT version, data FROM "${this.#table}" WHERE key = ?`, key);
    return row && { version: Number(row['version']), data: String(row['data']) };
  }

  async write({ key, replaces, version, data, wakeAt }: ItemWrite): Promise<boolean> {
    if (replaces === undefined)
      return this.#write(
        `INSERT INTO "${this.#table}" (key, version, data, wake_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING key`,
        ...[key, version, data, wakeAt],
      );
    if (data === null)
      return this.#write(`DELETE FROM "${this.#table}" WHERE key = ? AND version = ? RETURNING key`, key, replaces);
    return this.#write(
      `UPDATE "${this.#table}" SET version = ?, data = ?, wake_at = ? WHERE key = ? AND version = ? RETURNING key`,
      ...[version, data, wakeAt, key, replaces],
    );
  }

  async #write(sql: string, ...parameters: SqliteValue[]): Promise<boolean> {
    return (await this.#run(sql, ...parameters)).length === 1;
  }

  async due(prefix: string, now: number, limit: number): Promise<string[]> {
    const range = keyRange(prefix, undefined, () => '?');
    // The sign + makes SQLite walk along the index of wake_at, not along the keys.
    const sql = `SELECT key FROM "${this.#table}" WHERE wake_at <= ? AND ${range.sql.replaceAll('key', '+key')}
      ORDER BY wake_at, key LIMIT ?`;
    return (await this.#run(sql, now, ...range.parameters, limit)).map(({ key }) => String(key));
  }

  async scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    const range = keyRange(prefix, after, () => '?');
    const sql = `SELECT key, version, data FROM "${this.#table}" WHERE ${range.sql} ORDER BY key LIMIT ?`;
    const rows = await this.#run(sql, ...range.parameters, limit);
    return rows.map(({ key, version, data }) => ({ key: String(key), version: Number(version), data: String(data) }));
  }
}
