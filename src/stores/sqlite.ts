/**
 * The durable store in a file of SQLite, on `node:sqlite`.
 *
 * @packageDocumentation
 */
import { ConfigurationError } from '../core/errors.js';
import { checkConfiguration, isFunction, isMilliseconds, optionsOf, unchecked } from '../core/options.js';
import { retrying } from '../core/retrying.js';
import { defaultRuntime } from '../core/runtime.js';
import { itemStore, type ItemReads, type ItemWrite } from './item-store.js';
import { isBusy, isInTransaction, noTransaction, sqliteFailure } from './sqlite-failure.js';
import { SqliteItems, sqliteSchema, type SqliteDatabase } from './sqlite-items.js';
import type { DurableStore, ScannedItem, StoredItem } from './store.js';
import { defaultTable, checkTable } from './table-name.js';
import { warnProcess, type OnStoreWarning } from './warning.js';

export type { DurableStore, ScannedItem, StoredItem } from './store.js';
export type { SqliteDatabase, SqliteStatement } from './sqlite-items.js';
export type { OnStoreWarning } from './warning.js';

/** The options of a {@link SqliteStore}. */
export interface SqliteStoreOptions {
  /** The table's name: letters, digits and underscores, at most 59. Default `social_publishing`. */
  readonly table?: string | undefined;
  /**
   * How long a call waits for other writers, in milliseconds, before it rejects. The event loop continues meanwhile.
   * Default 10,000.
   */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * Receives, once, each setting of the database that cannot keep the promise, and the setting to use instead. Default:
   * `process.emitWarning`.
   */
  readonly onWarning?: OnStoreWarning | undefined;
}

const optionsCheck = optionsOf<SqliteStoreOptions>('an option of SqliteStore', {
  table: unchecked, // checkTable has the rule.
  busyTimeoutMs: isMilliseconds({ least: 0 }),
  onWarning: isFunction,
});

/** A constructor of connections, as `node:sqlite` has it. */
type OpenDatabase = new (path: string | URL) => SqliteDatabase;

/**
 * Keeps items in one SQLite file, for all processes of one machine. It needs no server and no package: `node:sqlite` is in
 * Node 22.13 and later. The store sets `journal_mode = WAL` and `synchronous = FULL`, so that acknowledged writes outlive a
 * power cut. Do not put the file on a network drive.
 *
 * @example
 * ```ts
 * const store = new SqliteStore('publishing.db');
 * await store.setup();
 * const publisher = createPublisher({ client, store });
 * ```
 */
export class SqliteStore implements DurableStore {
  readonly #items = itemStore({ read: (work) => this.#read(work), write: (write) => this.#write(write) });

  readonly #source: SqliteDatabase | (() => SqliteDatabase);
  /** The path, for messages. */
  readonly #file: string | undefined;
  readonly #table: string;
  readonly #busyTimeoutMs: number;
  readonly #onWarning: OnStoreWarning;
  #opened: Promise<Connection> | undefined;
  #closed = false;

  /**
   * @param database the path of a file, which is created if it does not exist; or your own `DatabaseSync`, for
   *   transactions together with your tables (see {@link SqliteStore.within})
   * @throws ConfigurationError an option is invalid, or this runtime has no `node:sqlite`
   */
  constructor(database: string | URL | SqliteDatabase, options: SqliteStoreOptions = {}) {
    checkConfiguration(optionsCheck, options);
    const { table = defaultTable, busyTimeoutMs = 10_000, onWarning = warnProcess } = options;
    checkTable(table);
    this.#table = table;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#onWarning = onWarning;
    this.#source = sourceOf(database);
    this.#file = isDatabase(database) ? undefined : String(database);
  }

  /** The SQL that `setup()` runs, if you manage migrations yourself. It can run repeatedly. */
  static get sql(): string {
    return sqliteSchema(defaultTable);
  }

  /**
   * Creates the table and its index if they do not exist. Many processes can call it at once. A store on a path does it
   * automatically.
   */
  async setup(): Promise<void> {
    const { items } = await this.#open();
    await this.#whenFree(() => {
      items.createTable();
    });
  }

  /** Closes the file that the store opened; your own `DatabaseSync` stays open. It can be called repeatedly. */
  async close(): Promise<void> {
    this.#closed = true;
    const opened = this.#opened;
    this.#opened = undefined;
    if (typeof this.#source !== 'function') return;
    // A file that could not be opened needs no close.
    const connection = await opened?.catch(() => undefined);
    connection?.database.close();
  }

  get(key: string): Promise<StoredItem | undefined> {
    return this.#items.get(key);
  }

  insert(key: string, data: string, wakeAt: number | null): Promise<number | undefined> {
    return this.#items.insert(key, data, wakeAt);
  }

  swap(key: string, version: number, data: string | null, wakeAt: number | null): Promise<number | undefined> {
    return this.#items.swap(key, version, data, wakeAt);
  }

  due(prefix: string, now: number, limit: number): Promise<string[]> {
    return this.#items.due(prefix, now, limit);
  }

  scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    return this.#items.scan(prefix, after, limit);
  }

  /**
   * Returns the same store inside your own transaction: its writes are committed or rolled back with your rows. It waits
   * for no other writer, and each call has done its work when it returns its promise. Its calls reject with a
   * `ConfigurationError` if no transaction is open.
   *
   * @param transaction the `DatabaseSync` on which you began it. It must be open on the file of this store
   * @throws ConfigurationError it is not a `DatabaseSync`
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
      throw new ConfigurationError('within takes the DatabaseSync on which you began the transaction.');
    return withinTransaction(transaction, this.#table);
  }

  async #read<T>(work: (items: ItemReads) => T | Promise<T>): Promise<T> {
    const { items } = await this.#open();
    return this.#whenFree(() => work(items));
  }

  async #write(write: ItemWrite): Promise<boolean> {
    const { database, items } = await this.#open();
    return this.#whenFree(() =>
      typeof this.#source === 'function' ? items.write(write) : alone(database, () => items.write(write)),
    );
  }

  /** Opens the file at the first call, which can wait for other processes. */
  async #open(): Promise<Connection> {
    if (this.#closed) throw new ConfigurationError('This SqliteStore was closed.');
    this.#opened ??= this.#connect();
    try {
      return await this.#opened;
    } catch (error) {
      // The next call tries again: the folder may exist by then.
      this.#opened = undefined;
      throw error;
    }
  }

  async #connect(): Promise<Connection> {
    const source = this.#source;
    const connection =
      typeof source === 'function'
        ? await this.#whenFree(() => openFile(source, this.#table))
        : { database: source, items: new SqliteItems(source, this.#table) };
    for (const warning of sqliteWarnings(connection.database)) this.#onWarning(warning);
    return connection;
  }

  /**
   * Tries again while another writer has the lock. `busy_timeout` of SQLite stops the event loop, and does not help if
   * several processes open a new file at once.
   */
  async #whenFree<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await retrying(work, { schedule: randomWait, limitMs: this.#busyTimeoutMs, isRetryable: isBusy });
    } catch (error) {
      throw sqliteFailure(error, { table: this.#table, busyTimeoutMs: this.#busyTimeoutMs, file: this.#file });
    }
  }
}

interface Connection {
  readonly database: SqliteDatabase;
  readonly items: SqliteItems;
}

/** Random, because processes that wait equally long meet again. */
function randomWait(retry: number): number {
  return defaultRuntime.random() * Math.min(2 ** (retry - 1), 25);
}

/** The store inside the caller's transaction. It is synchronous, so no COMMIT comes between a call and its work. */
function withinTransaction(database: SqliteDatabase, table: string): DurableStore {
  const items = new SqliteItems(database, table);
  const run = <T>(work: () => T | Promise<T>): Promise<T> =>
    new Promise((resolve) => {
      try {
        if (!hasTransaction(database)) throw noTransaction();
        resolve(work());
      } catch (error) {
        throw sqliteFailure(error, { table });
      }
    });
  return itemStore({ read: (work) => run(() => work(items)), write: (write) => run(() => items.write(write)) });
}

/** BEGIN fails inside a transaction; every driver of SQLite reports that in the same words. */
function hasTransaction(database: SqliteDatabase): boolean {
  try {
    database.exec('BEGIN');
  } catch (error) {
    if (isInTransaction(error)) return true;
    throw error;
  }
  database.exec('ROLLBACK');
  return false;
}

/**
 * Writes in a separate transaction. On the caller's connection, `BEGIN` fails while the caller has a transaction open:
 * the write waits for its end, because a rollback would undo it.
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
      // SQLite has rolled back already, for example because the disk is full.
    }
    throw error;
  }
}

/** Returns what to set, for each setting that cannot keep the promise. */
function sqliteWarnings(database: SqliteDatabase): string[] {
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] as unknown;
  const files = database.prepare('PRAGMA database_list').all() as { name: string; file: string | null }[];
  const loss = 'can undo acknowledged writes, and a post can be published twice';
  if (files.some(({ name, file }) => name === 'main' && (file ?? '') === ''))
    return [`SqliteStore: this database is in memory. The end of the process ${loss}. Use a file.`];
  const warnings: string[] = [];
  const journal = String(pragma('journal_mode')).toUpperCase();
  if (journal === 'OFF' || journal === 'MEMORY')
    warnings.push(
      `SqliteStore: this database has journal_mode = ${journal}. A crash ${loss}. Set: PRAGMA journal_mode = WAL.`,
    );
  const synchronous = Number(pragma('synchronous'));
  if (synchronous < 2)
    warnings.push(
      `SqliteStore: this database has synchronous = ${synchronous === 1 ? 'NORMAL' : 'OFF'}. A power cut ${loss}. ` +
        'Set: PRAGMA synchronous = FULL.',
    );
  return warnings;
}

function openFile(open: () => SqliteDatabase, name: string): Connection {
  const database = open();
  try {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    const items = new SqliteItems(database, name);
    items.createTable();
    return { database, items };
  } catch (error) {
    database.close();
    throw error;
  }
}

function sourceOf(database: unknown): SqliteDatabase | (() => SqliteDatabase) {
  if (isDatabase(database)) return database;
  if (!(database instanceof URL) && (typeof database !== 'string' || database === ''))
    throw new ConfigurationError('A SqliteStore needs the path of a file or a DatabaseSync of node:sqlite.');
  const Database = nodeSqlite();
  return () => new Database(database);
}

function isDatabase(value: unknown): value is SqliteDatabase {
  const { exec, prepare } = (value ?? {}) as Partial<SqliteDatabase>;
  return typeof value === 'object' && typeof exec === 'function' && typeof prepare === 'function';
}

/** Not an import: older versions of Node could not load this file, and bundlers would search for the module. */
function nodeSqlite(): OpenDatabase {
  const { process } = globalThis as {
    process?: { version?: string; getBuiltinModule?: (name: string) => { DatabaseSync?: OpenDatabase } | undefined };
  };
  const Database = process?.getBuiltinModule?.('node:sqlite')?.DatabaseSync;
  if (Database !== undefined) return Database;
  throw new ConfigurationError(
    `SqliteStore needs node:sqlite, which Node has from 22.13 on; this is ${process?.version ?? 'another runtime'}. ` +
      'Update Node, or use PostgresStore or RedisStore.',
  );
}
