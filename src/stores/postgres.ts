/**
 * The durable store in a table of Postgres, over your own `pg` or `postgres`.
 *
 * @packageDocumentation
 */
import { checkNames } from '../core/names.js';
import { checkDue, checkInsert, checkKey, checkScan, checkSwap } from './checks.js';
import { setupFailure } from './failure.js';
import {
  toRunSql,
  toTransaction,
  type PgClient,
  type PgTransaction,
  type PostgresJsSql,
  type PostgresJsTransaction,
} from './postgres-client.js';
import { postgresFailures } from './postgres-failure.js';
import { createStatement, PostgresTable, postgresSchema, type PostgresSettings } from './postgres-table.js';
import type { DurableStore, ScannedItem, StoredItem } from './store.js';
import {
  judgeInsert,
  judgeRemoval,
  judgeSwap,
  makeSure,
  repeatWhenLost,
  type Failures,
  type SureWrite,
} from './sure.js';
import { checkTable, defaultTable } from './table-name.js';
import { firstVersion } from './versions.js';
import { warnProcess, type OnStoreWarning } from './warning.js';

export type {
  PgClient,
  PgQuery,
  PgTransaction,
  PostgresJsQuery,
  PostgresJsSql,
  PostgresJsTransaction,
} from './postgres-client.js';
export type { DurableStore, ScannedItem, StoredItem } from './store.js';
export type { OnStoreWarning } from './warning.js';

/** What a {@link PostgresStore} is made with. */
export interface PostgresStoreOptions {
  /**
   * The table's name, without a schema (`search_path` decides where it is): letters, digits and underscores, 59 at
   * most. Default `social_publishing`.
   */
  readonly table?: string | undefined;
  /**
   * Is told, once, of a setting of the server that can't keep the promise, and of what to set. Default:
   * `process.emitWarning`.
   */
  readonly onWarning?: OnStoreWarning | undefined;
}

const knownOptions = new Set(['table', 'onWarning']);

/** The first version with `to_regclass(text)`. */
const oldestVersion = 90_600;

/**
 * A {@link DurableStore} in a table of Postgres, over a client of yours: a Pool or Client of the package `pg`, or the
 * `sql` of the package `postgres`. A pool is better than one client: a connection that is lost is lost for good.
 *
 * The server must have `synchronous_commit` at anything but `off`, else what was acknowledged can be lost in a crash,
 * and a post be published twice. The database's encoding must be UTF8.
 *
 * @example
 * ```ts
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * pool.on('error', (error) => console.error(error)); // pg asks for it: without it a lost connection ends the process
 * const store = new PostgresStore(pool);
 * await store.setup();
 * const publisher = createPublisher({ client, store });
 * ```
 */
export class PostgresStore implements DurableStore {
  readonly #table: PostgresTable;
  readonly #name: string;
  readonly #failures: Failures;
  readonly #onWarning: OnStoreWarning;
  #checked = false;

  /**
   * @param client yours: connect it before, and end it after
   * @throws ConfigurationError the client is none of `pg` or `postgres`, or an option can't work
   */
  constructor(client: PgClient | PostgresJsSql, options: PostgresStoreOptions = {}) {
    checkNames('option', options, knownOptions);
    const { table = defaultTable, onWarning = warnProcess } = options;
    checkTable(table);
    this.#table = new PostgresTable(toRunSql(client), table);
    this.#name = table;
    this.#failures = postgresFailures(table);
    this.#onWarning = onWarning;
  }

  /**
   * The SQL that `setup()` amounts to, for those who migrate by hand. The table's name stands without a schema, and
   * `CREATE … IF NOT EXISTS` may run again.
   */
  static get sql(): string {
    return postgresSchema(defaultTable);
  }

  /**
   * Makes the table and its index where they are missing, and looks at the server's settings. Any number of processes
   * may call it at once. Where the table is there, it needs no right to create one.
   * @throws ConfigurationError the server is older than 9.6, its encoding is not UTF8, or the table has another form
   */
  async setup(): Promise<void> {
    await repeatWhenLost(async () => {
      this.#check(await this.#table.settings());
      await this.#table.create(createStatement(this.#name));
    }, this.#failures);
  }

  /** Does nothing: the client is yours to end. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  async get(key: string): Promise<StoredItem | undefined> {
    checkKey(key);
    return repeatWhenLost(() => this.#table.get(key), this.#failures);
  }

  async insert(key: string, data: string, wakeAt: number | null): Promise<number | undefined> {
    checkInsert(key, data, wakeAt);
    const [version, writeId] = [firstVersion(), crypto.randomUUID()];
    const isWritten = await this.#write(key, {
      write: () => this.#table.insert({ key, version, data, wakeAt, writeId }),
      judge: (seen) => judgeInsert(seen, version, writeId),
    });
    return isWritten ? version : undefined;
  }

  async swap(key: string, version: number, data: string | null, wakeAt: number | null): Promise<number | undefined> {
    checkSwap(key, version, data, wakeAt);
    const writeId = crypto.randomUUID();
    const isWritten = await this.#write(key, {
      write: () => this.#table.swap({ key, version, data, wakeAt, writeId }),
      judge: (seen) => (data === null ? judgeRemoval(seen, version) : judgeSwap(seen, version, writeId)),
    });
    return isWritten ? version + 1 : undefined;
  }

  async due(prefix: string, now: number, limit: number): Promise<string[]> {
    checkDue(prefix, now, limit);
    return repeatWhenLost(() => this.#table.due(prefix, now, limit), this.#failures);
  }

  async scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    checkScan(prefix, after, limit);
    return repeatWhenLost(() => this.#table.scan(prefix, after, limit), this.#failures);
  }

  /**
   * The same store inside a transaction of yours: what it writes is committed or rolled back with your own rows. A key
   * that is there already leaves the transaction usable. Nothing is tried again.
   *
   * @param transaction the client of `pg` on which you ran `BEGIN`, or the `sql` that `sql.begin` of `postgres` gave you
   * @throws ConfigurationError it is a pool, which is no transaction
   * @example
   * ```ts
   * await sql.begin(async (tx) => {
   *   await tx`INSERT INTO articles ${tx(article)}`;
   *   await publisher.enqueue(`article/${article.slug}`, body, { within: tx });
   * });
   * ```
   */
  within(transaction: PgTransaction | PostgresJsTransaction): DurableStore {
    return new PostgresTransaction(new PostgresTable(toTransaction(transaction), this.#name), this.#failures);
  }

  async #write(key: string, write: Omit<SureWrite, 'look'>): Promise<boolean> {
    // Those who migrate by hand call no setup, and are to hear of the settings too.
    if (!this.#checked) this.#check(await repeatWhenLost(() => this.#table.settings(), this.#failures));
    return makeSure({ ...write, look: () => this.#table.see(key) }, this.#failures);
  }

  #check({ version, encoding, synchronousCommit, fsync }: PostgresSettings): void {
    if (version < oldestVersion)
      throw setupFailure(`PostgresStore needs Postgres 9.6 or later; this server has version number ${version}.`);
    if (encoding !== 'UTF8')
      throw setupFailure(`PostgresStore needs a database whose encoding is UTF8; this one has ${encoding}.`);
    if (this.#checked) return;
    this.#checked = true;
    const loss = 'so that a crash can undo what was acknowledged, and a post can be published twice';
    if (synchronousCommit === 'off')
      this.#onWarning(
        `PostgresStore: synchronous_commit is off, ${loss}. Set it to on, for example: ALTER ROLE … SET synchronous_commit = on.`,
      );
    if (fsync === 'off') this.#onWarning(`PostgresStore: fsync is off, ${loss}. Set fsync = on in postgresql.conf.`);
  }
}

/** Inside a transaction of the caller's: whether it is repeated is the caller's to say. */
class PostgresTransaction implements DurableStore {
  readonly #table: PostgresTable;
  readonly #failures: Failures;

  constructor(table: PostgresTable, failures: Failures) {
    this.#table = table;
    this.#failures = failures;
  }

  async get(key: string): Promise<StoredItem | undefined> {
    checkKey(key);
    return this.#once(() => this.#table.get(key));
  }

  async insert(key: string, data: string, wakeAt: number | null): Promise<number | undefined> {
    checkInsert(key, data, wakeAt);
    const version = firstVersion();
    const writeId = crypto.randomUUID();
    const isWritten = await this.#once(() => this.#table.insert({ key, version, data, wakeAt, writeId }));
    return isWritten ? version : undefined;
  }

  async swap(key: string, version: number, data: string | null, wakeAt: number | null): Promise<number | undefined> {
    checkSwap(key, version, data, wakeAt);
    const writeId = crypto.randomUUID();
    const isWritten = await this.#once(() => this.#table.swap({ key, version, data, wakeAt, writeId }));
    return isWritten ? version + 1 : undefined;
  }

  async due(prefix: string, now: number, limit: number): Promise<string[]> {
    checkDue(prefix, now, limit);
    return this.#once(() => this.#table.due(prefix, now, limit));
  }

  async scan(prefix: string, after: string | undefined, limit: number): Promise<ScannedItem[]> {
    checkScan(prefix, after, limit);
    return this.#once(() => this.#table.scan(prefix, after, limit));
  }

  async #once<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#failures.explain(error);
    }
  }
}
