/**
 * The durable store in SQLite: a file, libSQL and Turso, Cloudflare D1, or a Durable Object.
 *
 * @packageDocumentation
 */
import { ConfigurationError } from '../../core/errors.js';
import { checkConfiguration, isFunction, isMilliseconds, optionsOf } from '../../core/call/options.js';
import { growingWaits, retrying } from '../../core/flow/retrying.js';
import { defaultRuntime } from '../../core/runtime.js';
import { defaultTable, isTable } from '../checks.js';
import { report, warnProcess, type OnStoreWarning } from '../failure.js';
import { ItemStore } from '../item-store.js';
import { repeatWhenLost, type Failures } from '../lost-replies.js';
import { isBusy, sqliteFailures } from './failure.js';
import {
  recogniseHandle,
  recogniseTransaction,
  type RecognisedHandle,
  type RunQuery,
  type SqliteDriver,
  type SqliteHandle,
  type SqliteRows,
  type SqliteTransaction,
} from './handles.js';
import { SqliteItems, sqliteStatements } from './items.js';
import type { DurableStore } from '../store.js';

export type { DurableStore, ScannedItem, StoredItem } from '../store.js';
export type {
  D1Database,
  D1Statement,
  DurableObjectStorage,
  LibsqlClient,
  LibsqlResult,
  LibsqlStatement,
  LibsqlTransaction,
  SqliteDatabase,
  SqliteHandle,
  SqliteStatement,
  SqliteTransaction,
} from './handles.js';
export type { OnStoreWarning } from '../failure.js';

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
   * Receives, once, each setting of the database that cannot keep the promise, and the setting to use instead. Exceptions
   * and rejections are ignored. Default: `process.emitWarning`.
   */
  readonly onWarning?: OnStoreWarning | undefined;
}

const optionsCheck = optionsOf<SqliteStoreOptions>('an option of SqliteStore', {
  table: isTable,
  busyTimeoutMs: isMilliseconds({ least: 0 }),
  onWarning: isFunction,
});

/**
 * Keeps items in a SQLite database.
 *
 * On a path, it keeps one file for all processes of one machine. It needs no server and no package: `node:sqlite` is in
 * Node 22.13 and later. The store sets `journal_mode = WAL` and `synchronous = FULL`, so that acknowledged writes outlive a
 * power cut. Do not put the file on a network drive.
 *
 * It also accepts your own handle. In Node and Bun: a `DatabaseSync`, or a `Database` of `bun:sqlite` or
 * better-sqlite3. For servers: a client of `@libsql/client` (a file or Turso), a Cloudflare D1 database, or the
 * storage of a Durable Object with SQLite. Call `setup()` once for these.
 *
 * @example
 * ```ts
 * const store = new SqliteStore('publishing.db');
 * await store.setup();
 * const publisher = createPublisher({ client, store });
 * ```
 */
export class SqliteStore extends ItemStore {
  readonly #handle: RecognisedHandle;
  readonly #table: string;
  readonly #busyTimeoutMs: number;
  readonly #onWarning: OnStoreWarning;
  readonly #failures: Failures;
  #opened: Promise<SqliteDriver> | undefined;
  #closed = false;

  /**
   * @param database the path of a file, which is created if it does not exist. Or your own handle, for example for
   *   transactions together with your tables (see {@link SqliteStore.within})
   * @throws ConfigurationError an option is invalid, the handle is not one of those above, or a path is passed and this
   *   runtime has no `node:sqlite`
   */
  constructor(database: SqliteHandle, options: SqliteStoreOptions = {}) {
    checkConfiguration(optionsCheck, options);
    const { table = defaultTable, busyTimeoutMs = 10_000, onWarning = warnProcess } = options;
    const handle = recogniseHandle(database);
    const { file, losesReplies } = handle;
    const failures = sqliteFailures({ table, busyTimeoutMs, file, losesReplies });
    const items = new SqliteItems((...query) => this.#run('read', query), table);
    const writes = new SqliteItems((...query) => this.#run('write', query), table);
    // Where replies are lost, a read that decides goes the way of writes: to the primary. Elsewhere, it waits for no lock.
    const deciding = losesReplies ? writes : items;
    super({ items, writes: { get: (key) => deciding.get(key), write: (write) => writes.write(write) }, failures });
    this.#handle = handle;
    this.#table = table;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#onWarning = onWarning;
    this.#failures = failures;
  }

  /** The SQL that `setup()` runs, if you manage migrations yourself. It can run repeatedly. */
  static get sql(): string {
    return `${sqliteStatements(defaultTable).join(';\n')};`;
  }

  /**
   * Creates the table and its index if they do not exist. Many processes can call it at once. A store on a path does it
   * automatically.
   */
  async setup(): Promise<void> {
    const driver = await this.#open();
    await repeatWhenLost(() => this.#define(driver), this.#failures);
  }

  /** Closes the file that the store opened; your own handle stays open. It can be called repeatedly. */
  override async close(): Promise<void> {
    this.#closed = true;
    const opened = this.#opened;
    this.#opened = undefined;
    // A file that could not be opened needs no close.
    const driver = await opened?.catch(() => undefined);
    driver?.close?.();
  }

  /**
   * Returns the same store inside your own transaction: its writes are committed or rolled back with your rows. It waits
   * for no other writer. On a synchronous database, each call has done its work when it returns its promise. Its calls
   * reject with a `ConfigurationError` if no transaction is open.
   *
   * @param transaction the database on which you began it, or the transaction that `client.transaction('write')` of
   *   libSQL returned. It must be open on the database of this store
   * @throws ConfigurationError it is not such a handle, or this store is on D1 or a Durable Object
   * @example
   * ```ts
   * database.exec('BEGIN IMMEDIATE');
   * database.prepare('INSERT INTO articles (slug) VALUES (?)').run(slug);
   * await publisher.enqueue(`article/${slug}`, body, { within: database });
   * database.exec('COMMIT');
   * ```
   */
  within(transaction: SqliteTransaction): DurableStore {
    const { noTransactions } = this.#handle;
    if (noTransactions !== undefined)
      throw new ConfigurationError(
        `${noTransactions} has no transactions that span several calls, so this SqliteStore has no within. Omit within.`,
      );
    const items = new SqliteItems(recogniseTransaction(transaction), this.#table);
    return new ItemStore({ items, failures: sqliteFailures({ table: this.#table }) });
  }

  async #run(way: 'read' | 'write', query: Parameters<RunQuery>): Promise<SqliteRows> {
    const driver = await this.#open();
    return this.#whenFree(() => driver[way](...query));
  }

  /** Opens the file at the first call, which can wait for other processes. */
  async #open(): Promise<SqliteDriver> {
    if (this.#closed) throw new ConfigurationError('This SqliteStore was closed. Create another one.');
    this.#opened ??= this.#connect();
    try {
      return await this.#opened;
    } catch (error) {
      // The next call tries again: the folder may exist by then.
      this.#opened = undefined;
      throw this.#failures.explain(error);
    }
  }

  async #connect(): Promise<SqliteDriver> {
    const { open, file } = this.#handle;
    const driver = await this.#whenFree(open);
    // A caller's own handle may lack the right to create tables.
    if (file !== undefined) await this.#define(driver);
    report(await this.#whenFree(() => sqliteWarnings(driver)), this.#onWarning);
    return driver;
  }

  async #define({ write, define = write }: SqliteDriver): Promise<void> {
    for (const statement of sqliteStatements(this.#table)) await this.#whenFree(() => define(statement));
  }

  /**
   * Tries again while another writer has the lock. `busy_timeout` of SQLite stops the event loop, and does not help if
   * several processes open a new file at once.
   */
  #whenFree<T>(work: () => T | Promise<T>): Promise<T> {
    const longestWaits = growingWaits(1, 25);
    // Processes that wait equally long meet again.
    const schedule = (retry: number) => defaultRuntime.random() * longestWaits(retry);
    return retrying(work, { schedule, limitMs: this.#busyTimeoutMs, isRetryable: isBusy });
  }
}

/** Returns the setting to use, for each setting that cannot keep the promise. */
async function sqliteWarnings({ read, hasPragmas }: SqliteDriver): Promise<string[]> {
  if (hasPragmas !== true) return [];
  const pragma = (name: string) => read(`PRAGMA ${name}`);
  const loss = 'can undo acknowledged writes, and a post can be published twice';
  const files = await pragma('database_list');
  if (files.some(({ name, file }) => name === 'main' && (file ?? '') === ''))
    return [`SqliteStore: this database is in memory. The end of the process ${loss}. Use a file.`];
  const warnings: string[] = [];
  const warn = (settings: string, event: string, setting: string) =>
    warnings.push(`SqliteStore: this database has ${settings}. ${event} ${loss}. Set: PRAGMA ${setting}.`);
  const journal = String((await pragma('journal_mode'))[0]?.['journal_mode']).toUpperCase();
  if (journal === 'OFF' || journal === 'MEMORY') warn(`journal_mode = ${journal}`, 'A crash', 'journal_mode = WAL');
  const synchronous = Number((await pragma('synchronous'))[0]?.['synchronous']);
  if (synchronous < 2)
    warn(`synchronous = ${synchronous === 1 ? 'NORMAL' : 'OFF'}`, 'A power cut', 'synchronous = FULL');
  // FULL does not sync the folder after the removal of the journal, which is the commit. A journal that comes back undoes it.
  if (journal === 'DELETE' && synchronous === 2)
    warn('journal_mode = DELETE and synchronous = FULL', 'A power cut', 'journal_mode = WAL');
  return warnings;
}
