import type { RunSql } from './postgres-client.js';
import { isTaken } from './postgres-failure.js';
import { endOfPrefix } from './key-order.js';
import type { InsertedItem, ScannedItem, StoredItem, SwappedItem } from './store.js';
import type { Seen } from './sure.js';

/** The columns. Keys are compared by their bytes, whatever the language of the database. */
const columns = `(
  key text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL,
  data text NOT NULL,
  wake_at double precision,
  write_id text NOT NULL
)`;

/** The SQL that makes the table and its index. */
export function postgresSchema(table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${table} ${columns};
CREATE INDEX IF NOT EXISTS ${table}_due ON ${table} (wake_at, key) WHERE wake_at IS NOT NULL;
`;
}

/**
 * The same as one statement that any number of connections may run at once (`IF NOT EXISTS` alone fails then), and that
 * needs no right to create where the table is there.
 */
export function createStatement(table: string): string {
  return `DO $setup$ BEGIN
  PERFORM pg_advisory_xact_lock(${lockOfSetup});
  IF to_regclass('"${table}"') IS NULL THEN
    CREATE TABLE "${table}" ${columns};
  END IF;
  IF to_regclass('"${table}_due"') IS NULL THEN
    CREATE INDEX "${table}_due" ON "${table}" (wake_at, key) WHERE wake_at IS NOT NULL;
  END IF;
END $setup$`;
}

/** Any number will do, as long as it stays the same: "social" in numbers of letters. */
const lockOfSetup = 191503090112;

/** What is asked of the server when the store is set up. */
export interface PostgresSettings {
  readonly version: number;
  readonly encoding: string;
  readonly synchronousCommit: string;
  readonly fsync: string;
}

/** The operations as statements, each one its own transaction unless the connection is in one. */
export class PostgresTable {
  readonly #run: RunSql;
  readonly #table: string;
  /** The client was seen to tell how many rows there are: then a write need not give any back. */
  #counts = false;

  constructor(run: RunSql, table: string) {
    this.#run = run;
    this.#table = `"${table}"`;
  }

  async settings(): Promise<PostgresSettings> {
    const names = ['server_version_num', 'server_encoding', 'synchronous_commit', 'fsync'];
    const [row = []] = await this.#rows(
      `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`,
    );
    const [version, encoding, synchronousCommit, fsync] = row.map(String);
    return {
      version: Number(version),
      encoding: encoding ?? '',
      synchronousCommit: synchronousCommit ?? '',
      fsync: fsync ?? '',
    };
  }

  async create(statement: string): Promise<void> {
    await this.#rows(statement);
    await this.#rows(`SELECT key, version, data, wake_at, write_id FROM ${this.#table} LIMIT 0`);
  }

  async get(key: string): Promise<StoredItem | undefined> {
    const [row] = await this.#rows(`SELECT version, data FROM ${this.#table} WHERE key = $1`, key);
    return row && { version: Number(row[0]), data: String(row[1]) };
  }

  async see(key: string): Promise<Seen | undefined> {
    const [row] = await this.#rows(`SELECT version, write_id FROM ${this.#table} WHERE key = $1`, key);
    return row && { version: Number(row[0]), writeId: String(row[1]) };
  }

  async insert(key: string, version: number, data: string, wakeAt: number | null, writeId: string): Promise<boolean> {
    return this.#write(
      `INSERT INTO ${this.#table} (key, version, data, wake_at, write_id)
       VALUES ($1, $2::bigint, $3, $4::double precision, $5) ON CONFLICT (key) DO NOTHING`,
      ...[key, String(version), data, numeric(wakeAt), writeId],
    );
  }

  async update(key: string, version: number, data: string, wakeAt: number | null, writeId: string): Promise<boolean> {
    return this.#write(
      `UPDATE ${this.#table} SET version = version + 1, data = $3, wake_at = $4::double precision, write_id = $5
       WHERE key = $1 AND version = $2::bigint`,
      ...[key, String(version), data, numeric(wakeAt), writeId],
    );
  }

  /** One statement. Where another inserts the key at the same moment, Postgres undoes the whole of it. */
  async swapAndInsert(
    { key, version, data, wakeAt }: SwappedItem,
    inserted: InsertedItem,
    firstVersion: number,
    writeId: string,
  ): Promise<boolean> {
    try {
      return await this.#write(
        `WITH swapped AS (
           UPDATE ${this.#table} SET version = version + 1, data = $3, wake_at = $4::double precision, write_id = $5
           WHERE key = $1 AND version = $2::bigint AND NOT EXISTS (SELECT FROM ${this.#table} WHERE key = $6)
           RETURNING write_id)
         INSERT INTO ${this.#table} (key, version, data, wake_at, write_id)
         SELECT $6, $7::bigint, $8, $9::double precision, write_id FROM swapped`,
        ...[key, String(version), data, numeric(wakeAt), writeId],
        ...[inserted.key, String(firstVersion), inserted.data, numeric(inserted.wakeAt)],
      );
    } catch (error) {
      if (isTaken(error)) return false;
      throw error;
    }
  }

  async remove(key: string, version: number): Promise<boolean> {
    return this.#write(`DELETE FROM ${this.#table} WHERE key = $1 AND version = $2::bigint`, ...[key, String(version)]);
  }

  async #rows(text: string, ...parameters: (string | null)[]): Promise<unknown[][]> {
    const { rows, count } = await this.#run(text, ...parameters);
    this.#counts = count !== undefined;
    return rows;
  }

  /** Whether a row was written. To describe and parse a column of it takes a driver 10 µs and more. */
  async #write(text: string, ...parameters: (string | null)[]): Promise<boolean> {
    const { rows, count } = await this.#run(this.#counts ? text : `${text} RETURNING version`, ...parameters);
    return (count ?? rows.length) === 1;
  }

  async due(prefix: string, now: number, limit: number): Promise<string[]> {
    const range = rangeOf(prefix, 3);
    const rows = await this.#rows(
      `SELECT key FROM ${this.#table} WHERE wake_at <= $1::double precision AND ${range.sql}
       ORDER BY wake_at, key LIMIT $2::bigint`,
      ...[String(now), String(limit), ...range.parameters],
    );
    return rows.map(([key]) => String(key));
  }

  async scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    const range = rangeOf(prefix, 3);
    const rows = await this.#rows(
      `SELECT key, version, data FROM ${this.#table} WHERE ${range.sql} AND ($2::text IS NULL OR key > $2::text)
       ORDER BY key LIMIT $1::bigint`,
      ...[String(limit), after ?? null, ...range.parameters],
    );
    return rows.map(([key, version, data]) => ({ key: String(key), version: Number(version), data: String(data) }));
  }
}

function rangeOf(prefix: string, firstParameter: number): { sql: string; parameters: string[] } {
  const end = endOfPrefix(prefix);
  const from = `key >= $${firstParameter}`;
  return end === undefined
    ? { sql: from, parameters: [prefix] }
    : { sql: `${from} AND key < $${firstParameter + 1}`, parameters: [prefix, end] };
}

function numeric(wakeAt: number | null): string | null {
  return wakeAt === null ? null : String(wakeAt);
}
