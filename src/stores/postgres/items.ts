import type { StoredItems } from '../item-store.js';
import { keyRange } from '../key-order.js';
import type { RunSql } from './client.js';
import type { ScannedItem, StoredItem } from '../store.js';
import type { ItemWrite } from '../versions.js';

/**
 * The columns. Keys are compared by their bytes, whatever the language of the database. Only release 0.2.0 reads
 * `write_id`, to find its own last write. So a swap leaves it as it is.
 */
const columns = `(
  key text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL,
  data text NOT NULL,
  wake_at double precision,
  write_id text NOT NULL
)`;

const tableSql = (table: string) => `CREATE TABLE IF NOT EXISTS "${table}" ${columns};\n`;
const indexSql = (table: string) =>
  `CREATE INDEX IF NOT EXISTS "${table}_due" ON "${table}" (wake_at, key) WHERE wake_at IS NOT NULL;\n`;

export function postgresSchema(table: string): string {
  return tableSql(table) + indexSql(table);
}

/** Any constant number: "social" in numbers of letters. */
const lockOfSetup = 191503090112;

/**
 * Creates the table and its index in one statement that any number of connections may run at once; `IF NOT EXISTS` would
 * not suffice. It needs no right to create tables if the table exists. `IF NOT EXISTS` searches only the first schema of the
 * search_path: a second table there would hide the items of the first one, so each part has its own condition.
 */
export async function createTable(run: RunSql, table: string): Promise<void> {
  await run(`DO $setup$ BEGIN
  PERFORM pg_advisory_xact_lock(${lockOfSetup});
  IF to_regclass('"${table}"') IS NULL THEN
${tableSql(table)}  END IF;
  IF to_regclass('"${table}_due"') IS NULL THEN
${indexSql(table)}  END IF;
END $setup$`);
  await run(`SELECT key, version, data, wake_at, write_id FROM "${table}" LIMIT 0`);
}

/** The items in a table of Postgres. Each call is one statement. */
export class PostgresItems implements StoredItems {
  readonly #run: RunSql;
  readonly #table: string;
  readonly #condition: string;

  /** @param condition SQL that is false if a write must not be executed */
  constructor(run: RunSql, table: string, condition = 'true') {
    this.#run = run;
    this.#table = table;
    this.#condition = condition;
  }

  /**
   * @param lock `FOR UPDATE` locks the row, and a lock is a write: it waits for the synchronous standby. After a restart,
   *   the primary also shows writes that no standby has, and a failover would lose them
   */
  async get(key: string, lock: '' | 'FOR UPDATE' = ''): Promise<StoredItem | undefined> {
    const [row] = await this.#run(
      `SELECT version::text, ${marked('data')} FROM "${this.#table}" WHERE key = $1 ${lock}`,
      key,
    );
    return row && { version: Number(row[0]), data: unmarked(row[1]) };
  }

  async write({ key, replaces, version, data, wakeAt }: ItemWrite): Promise<boolean> {
    if (replaces === undefined)
      return this.#write(
        `INSERT INTO "${this.#table}" (key, version, data, wake_at, write_id)
         SELECT $1, $2::bigint, $3, $4::double precision, '' WHERE ${this.#condition}
         ON CONFLICT (key) DO NOTHING RETURNING '1'::text`,
        ...[key, String(version), data, numeric(wakeAt)],
      );
    if (data === null)
      return this.#write(
        `DELETE FROM "${this.#table}" WHERE key = $1 AND version = $2::bigint AND ${this.#condition} RETURNING '1'::text`,
        ...[key, String(replaces)],
      );
    return this.#write(
      `UPDATE "${this.#table}" SET version = $5::bigint, data = $3, wake_at = $4::double precision
       WHERE key = $1 AND version = $2::bigint AND ${this.#condition} RETURNING '1'::text`,
      ...[key, String(replaces), data, numeric(wakeAt), String(version)],
    );
  }

  /** Not every client and wrapper returns the number of rows, so each statement returns a row. */
  async #write(text: string, ...parameters: (string | null)[]): Promise<boolean> {
    return (await this.#run(text, ...parameters)).length === 1;
  }

  async due(prefix: string, now: number, limit: number): Promise<string[]> {
    const range = keyRange(prefix, undefined, (index) => `$${index + 3}`);
    const rows = await this.#run(
      `SELECT ${marked('key')} FROM "${this.#table}" WHERE wake_at <= $1::double precision AND ${range.sql}
       ORDER BY wake_at, key LIMIT $2::bigint`,
      ...[String(now), String(limit), ...range.parameters],
    );
    return rows.map(([key]) => unmarked(key));
  }

  async scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    const range = keyRange(prefix, after, (index) => `$${index + 2}`);
    const rows = await this.#run(
      `SELECT ${marked('key')}, version::text, ${marked('data')} FROM "${this.#table}" WHERE ${range.sql}
       ORDER BY key LIMIT $1::bigint`,
      ...[String(limit), ...range.parameters],
    );
    return rows.map(([key, version, data]) => ({ key: unmarked(key), version: Number(version), data: unmarked(data) }));
  }
}

/** PGlite drops U+FEFF at the start of a text. So each text that is read has one more character before it. */
function marked(column: string): string {
  return `'.' || ${column}`;
}

function unmarked(text: unknown): string {
  return String(text).slice(1);
}

function numeric(wakeAt: number | null): string | null {
  return wakeAt === null ? null : String(wakeAt);
}
