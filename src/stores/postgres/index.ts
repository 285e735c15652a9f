/**
 * The durable store in a table of Postgres, over your own `pg`, `postgres`, PGlite or Neon.
 *
 * @packageDocumentation
 */
import { checkConfiguration, isFunction, optionsOf } from '../../core/call/options.js';
import { ItemStore, type StoredItems } from '../item-store.js';
import { repeatWhenLost } from '../lost-replies.js';
import { judge, type ItemWrite } from '../versions.js';
import {
  connectionsOf,
  hasTransaction,
  transactionId,
  transactionOf,
  type PostgresConnection,
  type PostgresHandle,
  type PostgresTransaction,
  type RunSql,
  type UseConnection,
} from './client.js';
import {
  explainInTransaction,
  noTransaction,
  openTransaction,
  postgresFailures,
  writtenInTransaction,
} from './failure.js';
import { createTable, PostgresItems, postgresSchema } from './items.js';
import { postgresWarnings } from './settings.js';
import type { DurableStore } from '../store.js';
import { defaultTable, isTable } from '../checks.js';
import { report, warnProcess, type OnStoreWarning } from '../failure.js';

export type {
  PGliteClient,
  PGliteTransaction,
  PgClient,
  PgQuery,
  PgTransaction,
  PostgresHandle,
  PostgresJsQuery,
  PostgresJsSql,
  PostgresJsTransaction,
  PostgresTransaction,
} from './client.js';
export type { DurableStore, ScannedItem, StoredItem } from '../store.js';
export type { OnStoreWarning } from '../failure.js';

/** The options of a {@link PostgresStore}. */
export interface PostgresStoreOptions {
  /**
   * The table's name, without a schema (`search_path` decides): letters, digits and underscores, at most 59. Default
   * `social_publishing`.
   */
  readonly table?: string | undefined;
  /**
   * Receives, once, each setting of the server that cannot keep the promise, and the setting to use instead. Exceptions
   * and rejections are ignored. Default: `process.emitWarning`.
   */
  readonly onWarning?: OnStoreWarning | undefined;
}

const optionsCheck = optionsOf<PostgresStoreOptions>('an option of PostgresStore', {
  table: isTable,
  onWarning: isFunction,
});

/**
 * Keeps items in a table of Postgres, over your own client. It accepts a Pool or Client of the package `pg`, the `sql`
 * of the package `postgres`, a PGlite, or the Pool of `@neondatabase/serverless`. A Pool is better than one Client,
 * because a Client does not replace a lost connection.
 *
 * The server must not have `synchronous_commit = off`: a crash could undo acknowledged writes, and a post could be published
 * twice. A failover has the same effect, if no standby is synchronous. The database's encoding must be UTF8.
 *
 * The store never writes into a transaction that it did not begin. While one is open on its connection, its writes reject
 * with a `ConfigurationError`; use {@link PostgresStore.within}.
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
export class PostgresStore extends ItemStore {
  readonly #client: PostgresHandle;
  readonly #use: UseConnection;
  readonly #table: string;
  readonly #onWarning: OnStoreWarning;
  #checked = false;

  /**
   * @param client your own client: connect it before the first call, and end it after the last one
   * @throws ConfigurationError the client is not one of those above, or an option is invalid
   */
  constructor(client: PostgresHandle, options: PostgresStoreOptions = {}) {
    checkConfiguration(optionsCheck, options);
    const { table = defaultTable, onWarning = warnProcess } = options;
    const use = connectionsOf(client);
    const items = new PostgresItems((...statement) => use(({ run }) => run(...statement)), table);
    super({
      items,
      writes: {
        write: (item) => use((connection) => this.#write(connection, item)),
        get: (key) => items.get(key, 'FOR UPDATE'),
      },
      failures: postgresFailures(table),
    });
    this.#client = client;
    this.#use = use;
    this.#table = table;
    this.#onWarning = onWarning;
  }

  /** The SQL of the table and its index, if you manage migrations yourself. It can run repeatedly. */
  static get sql(): string {
    return postgresSchema(defaultTable);
  }

  /**
   * Creates the table and its index if they do not exist, and reads the server's settings. Many processes can call it at
   * once. If the table exists, it needs no right to create one.
   * @throws ConfigurationError the server is older than 9.6, its encoding is not UTF8, or the table has other columns
   */
  async setup(): Promise<void> {
    const setUp = async ({ run }: PostgresConnection) => {
      await this.#checkSettings(run);
      await createTable(run, this.#table);
    };
    await repeatWhenLost(() => this.#use(setUp), postgresFailures(this.#table));
  }

  /**
   * Returns the same store inside your own transaction: its writes are committed or rolled back with your rows. A key that
   * already exists leaves the transaction usable. Nothing is repeated. Its calls reject with a `ConfigurationError` if no
   * transaction is open.
   *
   * @param transaction the client of `pg` or Neon on which you ran `BEGIN`. With `postgres`, the `sql` that
   *   `sql.begin` passes. With PGlite, the `tx` that `transaction` passes
   * @throws ConfigurationError it is a pool, which has no transaction
   * @example
   * ```ts
   * await sql.begin(async (tx) => {
   *   await tx`INSERT INTO articles ${tx(article)}`;
   *   await publisher.enqueue(`article/${article.slug}`, body, { within: tx });
   * });
   * ```
   */
  within(transaction: PostgresTransaction): DurableStore {
    return withinTransaction(transactionOf(transaction), this.#table);
  }

  /** A rollback of the caller's transaction would undo the write after it was acknowledged. */
  async #write(connection: PostgresConnection, write: ItemWrite): Promise<boolean> {
    const { run, isInTransaction, isLent } = connection;
    if (isInTransaction() ?? (await hasTransaction(run))) throw openTransaction();
    if (!this.#checked) await this.#checkSettings(run);
    const items = new PostgresItems(run, this.#table);
    const isWritten = await items.write(write);
    if (isLent === true || isInTransaction() === false) return isWritten;
    // A BEGIN of another caller can reach a shared connection between the check and the write.
    if (await hasTransaction(run)) throw writtenInTransaction();
    if (!isWritten) return false;
    // The transaction may have ended before the check, and have undone the write.
    const verdict = judge(write, await items.get(write.key));
    if (verdict === false || verdict === 'not yet') throw writtenInTransaction();
    return true;
  }

  /** Checks the server once. Callers that manage migrations themselves do not call setup. */
  async #checkSettings(run: RunSql): Promise<void> {
    const warnings = await postgresWarnings(run, this.#client);
    if (this.#checked) return;
    this.#checked = true;
    report(warnings, this.#onWarning);
  }
}

/** The store inside the caller's transaction. */
function withinTransaction(use: UseConnection, table: string): DurableStore {
  const inside = <T>(work: (items: PostgresItems) => Promise<T>): Promise<T> =>
    use(async ({ run, isInTransaction }) => {
      if (isInTransaction() === false) throw noTransaction();
      const id = await transactionId(run);
      // The transaction can end before the next statement, which postgres.js then runs on another connection.
      const result = await work(new PostgresItems(run, table, `txid_current() = ${id}`));
      if (result !== true && id !== (await transactionId(run))) throw noTransaction();
      return result;
    });
  const items: StoredItems = {
    get: (key) => inside((items) => items.get(key)),
    write: (item) => inside((items) => items.write(item)),
    due: (...query) => inside((items) => items.due(...query)),
    scan: (...query) => inside((items) => items.scan(...query)),
  };
  const failures = { isLost: () => false, explain: (error: unknown) => explainInTransaction(error, table) };
  return new ItemStore({ items, failures });
}
