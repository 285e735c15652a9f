import { isObjectWith } from '../../core/call/options.js';
import { ConfigurationError } from '../../core/errors.js';
import { Retries } from '../../core/flow/retrying.js';
import { defaultRuntime } from '../../core/runtime.js';
import { noFreeConnection, openTransaction, stateOf } from './failure.js';

/** The part of a Pool, a PoolClient or a Client of the npm package `pg` that the store uses. */
export interface PgClient {
  /** Runs one statement. */
  query(query: PgQuery): Promise<{
    /** The rows, if the statement returns any. */
    rows: unknown[][];
  }>;
  /**
   * Returns `I` outside a transaction, `T` or `E` inside, as clients of `pg` do. If a client is not a Pool and has no such
   * method, each write costs five more statements, which ask Postgres.
   */
  getTransactionStatus?(): string | null;
}

/** A client of `pg` with an open transaction. A Pool isn't one, because it has no transaction. */
export interface PgTransaction extends PgClient {
  /** Only a Pool has it. */
  readonly totalCount?: never;
}

/** A query as `pg` takes it. */
export interface PgQuery {
  /** The SQL. */
  text: string;
  /** Its parameters. */
  values: (string | null)[];
  /** Rows as arrays, not as objects. */
  rowMode: 'array';
  /** Replaces the parsers of types that the caller may have set: the store reads texts only. */
  types: {
    /** Returns a function that returns its argument. */
    getTypeParser(): (value: unknown) => unknown;
  };
}

/** The used part of the `sql` of the npm package `postgres`. */
export interface PostgresJsSql {
  /** Runs SQL from a string. */
  unsafe(text: string, parameters?: (string | null)[]): PostgresJsQuery;
}

/** The `sql` that `sql.begin` passes to its function. */
export interface PostgresJsTransaction extends PostgresJsSql {
  /** Only the `sql` outside a transaction has it. */
  readonly begin?: never;
}

/** A query of the npm package `postgres` that was not sent yet. */
export interface PostgresJsQuery {
  /** Sends it and returns the rows as arrays of bytes, without parsers of types and transforms of values. */
  raw(): PromiseLike<unknown[]>;
  /** Ends it, if it still waits for a connection. */
  cancel(): unknown;
}

/** The part of a PGlite (`@electric-sql/pglite`) that the store uses. */
export interface PGliteClient {
  /** Runs one statement. */
  query(
    text: string,
    parameters?: (string | null)[],
    options?: {
      /** Rows as arrays, not as objects. */
      rowMode?: 'array';
      /** The parsers of types, by OID. */
      parsers?: Record<number, (value: string) => unknown>;
    },
  ): Promise<{
    /** The rows, if the statement returns any. */
    rows: unknown[];
  }>;
  /** Runs a function in a transaction. */
  transaction(work: (transaction: PGliteTransaction) => Promise<unknown>): Promise<unknown>;
  /** Whether a transaction is open. It throws before the start and after the end. */
  isInTransaction?(): boolean;
  /** Whether it has started, and was not closed. */
  readonly ready?: boolean;
  /** The folder of the data. `undefined` or `memory://…`: it is in memory. */
  readonly dataDir?: string | undefined;
}

/** The `tx` that `transaction` of a PGlite passes to its function. */
export interface PGliteTransaction extends Pick<PGliteClient, 'query'> {
  /** Undoes the transaction. */
  rollback(): Promise<void>;
  /** Whether the transaction has ended. */
  readonly closed: boolean;
}

/** Everything that a `PostgresStore` is made with. */
export type PostgresHandle = PgClient | PostgresJsSql | PGliteClient;

/** The transactions that `within` of a `PostgresStore` takes. */
export type PostgresTransaction = PgTransaction | PostgresJsTransaction | PGliteTransaction;

/**
 * Runs one statement and returns its rows. All parameters and all results are texts, and the SQL names their types: the
 * packages, and their settings, differ in how they write and read everything else.
 */
export type RunSql = (text: string, ...parameters: (string | null)[]) => Promise<unknown[][]>;

/** One connection, used by one caller at a time. */
export interface PostgresConnection {
  readonly run: RunSql;
  /**
   * Whether the driver reports an open transaction. `false` is certain. `true` on a PGlite can mean a transaction of
   * another caller, for whose end each statement waits. `undefined`: the driver does not report it.
   */
  readonly isInTransaction: () => boolean | undefined;
  /** A pool lent it to one caller: no other caller can begin a transaction on it. */
  readonly isLent?: true;
}

/** Lends one connection for a few statements. */
export type UseConnection = <T>(work: (connection: PostgresConnection) => Promise<T>) => Promise<T>;

/** @throws ConfigurationError the client is not supported */
export function connectionsOf(client: PostgresHandle): UseConnection {
  if (isBunOrNeonHttp(client))
    throw new ConfigurationError(
      'A PostgresStore does not support Bun.SQL, or neon() of @neondatabase/serverless, which sends each statement over HTTP, ' +
        'without a connection. Pass a Pool: new PostgresStore(new Pool({ connectionString })).',
    );
  if (isPostgresJs(client)) {
    if (typeof client.options?.transform?.row?.from === 'function') throw transformedRows();
    return (work) => work(postgresJsConnection(client));
  }
  if (isPool(client)) return (work) => withPoolClient(client, work);
  if (isPGlite(client)) return inTurn(client, (work) => withPGlite(client, work));
  if (isObjectWith(client, ['query'])) return inTurn(client, (work) => work(pgConnection(client)));
  throw new ConfigurationError(
    'A PostgresStore needs a Pool or Client of the package pg, the sql of the package postgres, a PGlite, or the Pool of ' +
      '@neondatabase/serverless.',
  );
}

/**
 * A Pool runs each statement on another connection, so it has no transaction.
 * @throws ConfigurationError
 */
export function transactionOf(client: PostgresTransaction): UseConnection {
  if (isPool(client))
    throw new ConfigurationError('within takes the client of pg on which you began the transaction, not its Pool.');
  if (isPostgresJs(client) && typeof client.begin === 'function')
    throw new ConfigurationError('within takes the sql that sql.begin passes to its function, not the sql outside.');
  if (isPGlite(client))
    throw new ConfigurationError(
      'within takes the tx that transaction() of PGlite passes to its function, not the PGlite.',
    );
  if (isPGliteTransaction(client)) return (work) => work(pgliteConnection(client, () => !client.closed));
  return connectionsOf(client);
}

/** Asks Postgres in two statements whether a transaction is open. */
export async function hasTransaction(run: RunSql): Promise<boolean> {
  try {
    return (await transactionId(run)) === (await transactionId(run));
  } catch (error) {
    // The transaction has failed: Postgres accepts only its end.
    if (stateOf(error) === '25P02') return true;
    throw error;
  }
}

/** Returns the number of the transaction. If none is open, each statement has another number. */
export async function transactionId(run: RunSql): Promise<string> {
  const [row] = await run('SELECT txid_current()::text');
  return String(row?.[0]);
}

/** Members of the `sql` of postgres.js that show its kind. */
interface PostgresJsHandle extends PostgresJsSql {
  /** Only a `sql` outside a transaction has it. */
  begin?: unknown;
  /** Only a `sql` outside a transaction has it. */
  options?: { max?: unknown; transform?: { row?: { from?: unknown } } };
}

/** Functions too, with `unsafe`, but not postgres.js: they have `transaction`. */
function isBunOrNeonHttp(client: unknown): boolean {
  return typeof client === 'function' && 'transaction' in client && typeof client.transaction === 'function';
}

export function isPGlite(client: unknown): client is PGliteClient {
  return isObjectWith(client, ['query', 'transaction']);
}

function isPGliteTransaction(client: unknown): client is PGliteTransaction {
  return isObjectWith(client, ['query', 'rollback']) && 'closed' in client && typeof client.closed === 'boolean';
}

function isPostgresJs(client: unknown): client is PostgresJsHandle {
  return typeof client === 'function' && 'unsafe' in client && typeof client.unsafe === 'function';
}

function postgresJsConnection(sql: PostgresJsHandle): PostgresConnection {
  return {
    run: async (text, ...parameters) => {
      const query: PostgresJsQuery & { state?: unknown } = sql.unsafe(text, parameters);
      const rows = await unlessInVain(query.raw(), (waitedMs) => {
        // A query that was sent has a state.
        if (waitedMs < connectionWaitMs || (query.state ?? undefined) !== undefined) return undefined;
        query.cancel();
        // A transaction and a reserved sql already have their connection.
        if (typeof sql.begin !== 'function') return new Error('postgres.js did not send the statement');
        return noFreeConnection(connectionWaitMs);
      });
      return rows.map((row) => {
        if (!Array.isArray(row)) throw transformedRows();
        return row.map(textOf);
      });
    },
    isInTransaction: () => {
      // postgres.js refuses BEGIN on several connections. With one connection, and on a reserved one, it takes it.
      return typeof sql.begin === 'function' && sql.options?.max !== 1 ? false : undefined;
    },
  };
}

const unparsed: PgQuery['types'] = { getTypeParser: () => (value) => value };

/** The OID of the type text. */
const textType = 25;

/** A client can be configured to return bytes (`binary` of pg). */
function textOf(value: unknown): unknown {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
}

function transformedRows(): ConfigurationError {
  return new ConfigurationError(
    'This sql of postgres.js has the option transform.row, which replaces the rows that a PostgresStore reads. Create a ' +
      'separate sql for the store, without transform.row. The other transforms do not affect it.',
  );
}

function pgConnection(client: PgClient): PostgresConnection {
  return {
    run: async (text, ...values) => {
      const { rows } = await client.query({ text, values, rowMode: 'array', types: unparsed });
      return rows.map((row) => row.map(textOf));
    },
    isInTransaction: () => {
      const status = client.getTransactionStatus?.() ?? undefined;
      return status === undefined ? undefined : status !== 'I';
    },
  };
}

function pgliteConnection(
  client: Pick<PGliteClient, 'query'>,
  isInTransaction: () => boolean | undefined,
): PostgresConnection {
  return {
    run: async (text, ...parameters) =>
      (await client.query(text, parameters, { rowMode: 'array', parsers: { [textType]: (value) => value } }))
        .rows as unknown[][], // The option says so.
    isInTransaction,
  };
}

/** How long a call waits for the end of a transaction on a PGlite, which has one connection. */
const pgliteWaitMs = 5_000;

/**
 * Outside of a transaction, a statement waits for the end of the open one. Inside the function of `transaction`, it
 * would wait forever. So the store waits for a limited time, and sends nothing meanwhile.
 */
async function withPGlite<T>(client: PGliteClient, work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
  const isInTransaction = () => client.ready !== false && client.isInTransaction?.();
  const retries = new Retries({ schedule: () => 5, limitMs: pgliteWaitMs });
  while (isInTransaction() === true) if (!(await retries.wait())) throw openTransaction();
  return work(pgliteConnection(client, isInTransaction));
}

/** The part of a Pool of `pg` that the store uses. */
interface PgPool extends PgClient {
  connect(callback: (error: Error | undefined, client: PgPoolClient | undefined) => void): void;
  readonly totalCount: number;
  readonly idleCount: number;
  /** Whether `end` was called. */
  readonly ending?: boolean;
  readonly options?: { readonly max?: number };
}

interface PgPoolClient extends PgClient {
  release(destroy?: boolean): void;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
}

function isPool(client: unknown): client is PgPool {
  return isObjectWith(client, ['connect']) && 'totalCount' in client && typeof client.totalCount === 'number';
}

async function withPoolClient<T>(pool: PgPool, work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
  const client = await checkOut(pool);
  let isBroken = false;
  try {
    return await work({ ...pgConnection(client), isLent: true });
  } catch (error) {
    isBroken = !(error instanceof ConfigurationError);
    throw error;
  } finally {
    giveBack(client, isBroken);
  }
}

/** Takes a client from the pool. If all are in use, it waits for a limited time: the caller's own transaction may hold one. */
async function checkOut(pool: PgPool): Promise<PgPoolClient> {
  const isFull = pool.idleCount === 0 && pool.totalCount >= (pool.options?.max ?? 1);
  const lent = new Promise<PgPoolClient>((resolve, reject) => {
    // A client without a listener would end the process if its connection is lost. The pool has removed its own listener,
    // and a promise would be settled too late to add another one. The statement rejects too.
    pool.connect((error, client) => {
      client?.on('error', ignore);
      if (client === undefined) reject(error ?? new Error('The pool lent no client.'));
      else resolve(client);
    });
  });
  try {
    return await unlessInVain(lent, (waitedMs) => {
      // After `end`, a Pool of pg never serves the callers that wait for a connection, and reports nothing to them.
      if (pool.ending === true) return new Error('The pool was ended before it lent a connection.');
      return isFull && waitedMs >= connectionWaitMs ? noFreeConnection(connectionWaitMs) : undefined;
    });
  } catch (error) {
    // It may still come, too late.
    lent.then(giveBack, ignore);
    throw error;
  }
}

function giveBack(client: PgPoolClient, isBroken = false): void {
  client.off('error', ignore);
  client.release(isBroken);
}

const ignore = () => undefined;

/** How long a statement waits for a connection that others use. */
const connectionWaitMs = 30_000;

/** How often the store checks whether it waits in vain. */
const waitCheckMs = 50;

/**
 * Waits for a connection, or for the result of a statement that may still wait for one.
 * @param inVain returns why the wait is in vain. `undefined`: the wait goes on
 */
async function unlessInVain<T>(work: PromiseLike<T>, inVain: (waitedMs: number) => Error | undefined): Promise<T> {
  const ended = new AbortController();
  const since = defaultRuntime.monotonic();
  const watch = async (): Promise<never> => {
    for (;;) {
      const reason = inVain(defaultRuntime.monotonic() - since);
      if (reason !== undefined) throw reason;
      await defaultRuntime.sleep(waitCheckMs, ended.signal);
    }
  };
  try {
    return await Promise.race([work, watch()]);
  } finally {
    ended.abort();
  }
}

const lastUses = new WeakMap<object, Promise<unknown>>();

/** A client of `pg` runs one query at a time; its own queue is deprecated. So all stores on a client share a queue. */
function inTurn(client: object, use: UseConnection): UseConnection {
  return (work) => {
    const result = (lastUses.get(client) ?? Promise.resolve()).then(() => use(work));
    lastUses.set(client, result.catch(ignore));
    return result;
  };
}
