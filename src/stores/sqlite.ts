/**
 * The durable store in a file of SQLite, on `node:sqlite`.
 *
 * @packageDocumentation
 */
import { ConfigurationError } from '../core/errors.js';
import { checkNames } from '../core/names.js';
import { checkDue, checkInsert, checkKey, checkScan, checkSwap } from './checks.js';
import { isBusy, sqliteFailure } from './sqlite-failure.js';
import { SqliteTable, sqliteSchema, type SqliteDatabase } from './sqlite-table.js';
import type { DurableStore, ScannedItem, StoredItem } from './store.js';
import { defaultTable, checkTable } from './table-name.js';
import { warnProcess, type OnStoreWarning } from './warning.js';

export type { DurableStore, ScannedItem, StoredItem } from './store.js';
export type { SqliteDatabase, SqliteStatement } from './sqlite-table.js';
export type { OnStoreWarning } from './warning.js';

/** What a {@link SqliteStore} is made with. */
export interface SqliteStoreOptions {
  /** The table's name: letters, digits and underscores, 59 at most. Default `social_publishing`. */
  readonly table?: string | undefined;
  /**
   * How long to wait for others who write, in milliseconds; the event loop goes on meanwhile. Default 10,000. After it
   * the call rejects.
   */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * Is told, once, of a setting of the database that can't keep the promise, and of what to set. Default:
   * `process.emitWarning`.
   */
  readonly onWarning?: OnStoreWarning | undefined;
}

const knownOptions = new Set(['table', 'busyTimeoutMs', 'onWarning']);

/** A constructor of connections, as `node:sqlite` has it. */
type OpenDatabase = new (path: string | URL) => SqliteDatabase;

/**
 * A {@link DurableStore} in one SQLite file, for all processes of one machine. It needs no server and no package, but
 * `node:sqlite`: Node 22.13 or later. The file is set to `journal_mode = WAL` and `synchronous = FULL`, so that what was
 * acknowledged outlives a power cut. A network drive is no place for it.
 *
 * @example
 * ```ts
 * const store = new SqliteStore('publishing.db');
 * await store.setup();
 * const publisher = createPublisher({ client, store });
 * ```
 */
export class SqliteStore implements DurableStore {
  readonly #source: SqliteDatabase | (() => SqliteDatabase);
  /** What was given as the file, for messages. */
  readonly #file: string | undefined;
  readonly #table: string;
  readonly #busyTimeoutMs: number;
  readonly #onWarning: OnStoreWarning;
  #opened: Promise<Connection> | undefined;
  #closed = false;

  /**
   * @param database the path of a file, which is made where it is not there; or a `DatabaseSync` of your own, for
   *   transactions together with your tables (see {@link SqliteStore.within})
   * @throws ConfigurationError an option can't work, or this runtime has no `node:sqlite`
   */
  constructor(database: string | URL | SqliteDatabase, options: SqliteStoreOptions = {}) {
    checkNames('option', options, knownOptions);
    const { table = defaultTable, busyTimeoutMs = 10_000, onWarning = warnProcess } = options;
    checkTable(table);
    if (!Number.isFinite(busyTimeoutMs) || busyTimeoutMs < 0)
      throw new ConfigurationError('busyTimeoutMs must be 0 or a number of milliseconds above it.');
    this.#table = table;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#onWarning = onWarning;
    this.#source = sourceOf(database);
    this.#file = isDatabase(database) ? undefined : String(database);
  }

  /** The SQL that `setup()` runs, for those who migrate by hand. `CREATE … IF NOT EXISTS`: it may run again. */
  static get sql(): string {
    return sqliteSchema(defaultTable);
  }

  /**
   * Makes the table and its index where they are missing. Any number of processes may call it at once. A store on a
   * file of its own does it by itself.
   */
  async setup(): Promise<void> {
    const { table } = await this.#open();
    await this.#whenFree(() => {
      table.create();
    });
  }

  /** Closes the file that the store opened; a `DatabaseSync` that was handed over stays open. It may be called again. */
  async close(): Promise<void> {
    this.#closed = true;
    const opened = this.#opened;
    this.#opened = undefined;
    if (typeof this.#source !== 'function') return;
    // A file that could not be opened needs no closing.
    const connection = await opened?.catch(() => undefined);
    connection?.database.close();
  }

  async get(key: string): Promise<StoredItem | undefined> {
    checkKey(key);
    return this.#read((table) => table.get(key));
  }

  async insert(key: string, data: string, wakeAt: number | null): Promise<number | undefined> {
    checkInsert(key, data, wakeAt);
    return this.#write((table) => table.insert(key, data, wakeAt));
  }

  async swap(key: string, version: number, data: string | null, wakeAt: number | null): Promise<number | undefined> {
    checkSwap(key, version, data, wakeAt);
    return this.#write((table) => table.swap(key, version, data, wakeAt));
  }

  async due(prefix: string, now: number, limit: number): Promise<string[]> {
    checkDue(prefix, now, limit);
    return this.#read((table) => table.due(prefix, now, limit));
  }

  async scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    checkScan(prefix, after, limit);
    return this.#read((table) => table.scan(prefix, after, limit));
  }

  /**
   * The same store inside a transaction of yours: what it writes is committed or rolled back with your own rows. It
   * waits for nobody, and each call has done its work when it returns its promise.
   *
   * @param transaction the `DatabaseSync` on which you began it. It must be open on the file of this store
   * @throws ConfigurationError it is no `DatabaseSync`
   * @example
   * ```ts
   * database.exec('BEGIN IMMEDIATE');
   * database.prepare('INSERT INTO articles (slug) VALUES (?)').run(slug);
   * await publisher.enqueue(`article/${slug}`, body, { within: database });
   * database.exec('COMMIT');
   * ```
   */
  within(transaction: SqliteDatabase): DurableStore {
    if (!isDatabase(transaction))
      throw new ConfigurationError('within takes the DatabaseSync on which the transaction was begun.');
    return new SqliteTransaction(new SqliteTable(transaction, this.#table), this.#table);
  }

  async #read<T>(read: (table: SqliteTable) => T): Promise<T> {
    const { table } = await this.#open();
    return this.#whenFree(() => read(table));
  }

  async #write<T>(write: (table: SqliteTable) => T): Promise<T> {
    const { database, table } = await this.#open();
    return this.#whenFree(() =>
      typeof this.#source === 'function' ? write(table) : alone(database, () => write(table)),
    );
  }

  /** Opens the file when it is first needed: only then can others who hold it be waited for. */
  async #open(): Promise<Connection> {
    if (this.#closed) throw new ConfigurationError('This SqliteStore was closed.');
    this.#opened ??= this.#connect();
    try {
      return await this.#opened;
    } catch (error) {
      // The next call tries again: the folder may have been made by then.
      this.#opened = undefined;
      throw error;
    }
  }

  async #connect(): Promise<Connection> {
    const source = this.#source;
    if (typeof source === 'function') return this.#whenFree(() => openFile(source, this.#table));
    this.#warnOf(source);
    return { database: source, table: new SqliteTable(source, this.#table) };
  }

  #warnOf(database: SqliteDatabase): void {
    const row = database.prepare('PRAGMA synchronous').get() as { synchronous?: number | bigint } | undefined;
    const synchronous = Number(row?.synchronous ?? 2);
    if (synchronous >= 2) return;
    this.#onWarning(
      `SqliteStore: this DatabaseSync has synchronous = ${synchronous === 1 ? 'NORMAL' : 'OFF'}, so that a power cut can ` +
        'undo what was acknowledged, and a post can be published twice. Set: PRAGMA synchronous = FULL.',
    );
  }

  /**
   * Tries again while others hold the lock. SQLite could wait by itself (`busy_timeout`), but not where a new file is
   * opened by several processes at once, and it would stop the event loop.
   */
  async #whenFree<T>(work: () => T): Promise<T> {
    let giveUpAt: number | undefined;
    for (let tries = 0; ; tries += 1) {
      try {
        return work();
      } catch (error) {
        const now = performance.now();
        giveUpAt ??= now + this.#busyTimeoutMs;
        if (!isBusy(error) || now >= giveUpAt)
          throw sqliteFailure(error, { table: this.#table, busyTimeoutMs: this.#busyTimeoutMs, file: this.#file });
      }
      // A random wait: several that wait equally long would meet again.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** tries, 25)));
    }
  }
}

interface Connection {
  readonly database: SqliteDatabase;
  readonly table: SqliteTable;
}

/** Inside a transaction of the caller's: nothing is waited for, and nothing is tried again. */
class SqliteTransaction implements DurableStore {
  readonly #table: SqliteTable;
  readonly #name: string;

  constructor(table: SqliteTable, name: string) {
    this.#table = table;
    this.#name = name;
  }

  get(key: string): Promise<StoredItem | undefined> {
    return this.#settle((table) => {
      checkKey(key);
      return table.get(key);
    });
  }

  insert(key: string, data: string, wakeAt: number | null): Promise<number | undefined> {
    return this.#settle((table) => {
      checkInsert(key, data, wakeAt);
      return table.insert(key, data, wakeAt);
    });
  }

  swap(key: string, version: number, data: string | null, wakeAt: number | null): Promise<number | undefined> {
    return this.#settle((table) => {
      checkSwap(key, version, data, wakeAt);
      return table.swap(key, version, data, wakeAt);
    });
  }

  due(prefix: string, now: number, limit: number): Promise<string[]> {
    return this.#settle((table) => {
      checkDue(prefix, now, limit);
      return table.due(prefix, now, limit);
    });
  }

  scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    return this.#settle((table) => {
      checkScan(prefix, after, limit);
      return table.scan(prefix, after, limit);
    });
  }

  /** The work is done before this returns, so that no COMMIT can come between. */
  #settle<T>(work: (table: SqliteTable) => T): Promise<T> {
    return new Promise((resolve) => {
      try {
        resolve(work(this.#table));
      } catch (error) {
        throw sqliteFailure(error, { table: this.#name });
      }
    });
  }
}

/**
 * A transaction of the store's own. On a connection of the caller's it must not become part of a transaction that is open
 * there, and could be rolled back with it: `BEGIN` fails then, and the write waits for the end of it.
 */
function alone<T>(database: SqliteDatabase, write: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const written = write();
    database.exec('COMMIT');
    return written;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as it does where the disk is full.
    }
    throw error;
  }
}

function openFile(open: () => SqliteDatabase, name: string): Connection {
  const database = open();
  try {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    const table = new SqliteTable(database, name);
    table.create();
    return { database, table };
  } catch (error) {
    database.close();
    throw error;
  }
}

function sourceOf(database: unknown): SqliteDatabase | (() => SqliteDatabase) {
  if (isDatabase(database)) return database;
  if (!(database instanceof URL) && (typeof database !== 'string' || database === ''))
    throw new ConfigurationError(
      'A SqliteStore is made with the path of a file or with a DatabaseSync of node:sqlite.',
    );
  const Database = nodeSqlite();
  return () => new Database(database);
}

function isDatabase(value: unknown): value is SqliteDatabase {
  const { exec, prepare } = (value ?? {}) as Partial<SqliteDatabase>;
  return typeof value === 'object' && typeof exec === 'function' && typeof prepare === 'function';
}

/** Not imported: older versions of Node could not even load this file, and bundlers would look for the module. */
function nodeSqlite(): OpenDatabase {
  const { process } = globalThis as {
    process?: { version?: string; getBuiltinModule?: (name: string) => { DatabaseSync?: OpenDatabase } | undefined };
  };
  const Database = process?.getBuiltinModule?.('node:sqlite')?.DatabaseSync;
  if (Database !== undefined) return Database;
  throw new ConfigurationError(
    `SqliteStore needs node:sqlite, which Node has from 22.13 on; this is ${process?.version ?? 'another runtime'}. ` +
      'Update Node, or take PostgresStore or RedisStore.',
  );
}
