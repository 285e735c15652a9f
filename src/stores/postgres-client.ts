import { ConfigurationError } from '../core/errors.js';

/** What is used of a Pool, a PoolClient or a Client of the npm package `pg`. */
export interface PgClient {
  /** Runs one statement. */
  query(query: PgQuery): Promise<{
    /** The rows, where it gives any. */
    rows: unknown[][];
  }>;
}

/** A client of `pg` on which a transaction is open. A Pool has no transaction of its own, so it is not one. */
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
}

/** What is used of the `sql` of the npm package `postgres`. */
export interface PostgresJsSql {
  /** Runs SQL that is given as a string. */
  unsafe(text: string, parameters?: (string | null)[]): PostgresJsQuery;
}

/** The `sql` that `sql.begin` passes to its function. */
export interface PostgresJsTransaction extends PostgresJsSql {
  /** Only the `sql` outside a transaction has it. */
  readonly begin?: never;
}

/** A query of the npm package `postgres` that was not sent yet. */
export interface PostgresJsQuery {
  /** Sends it and gives the rows as arrays. */
  values(): PromiseLike<unknown[][]>;
}

/**
 * Runs one statement and returns its rows. All parameters are texts, and the SQL names their types: the two packages, and
 * their settings, differ in how they write and read everything else.
 */
export type RunSql = (text: string, ...parameters: (string | null)[]) => Promise<unknown[][]>;

/** @throws ConfigurationError the client is not one of `pg` or `postgres` */
export function toRunSql(client: PgClient | PostgresJsSql): RunSql {
  if (isPostgresJs(client)) return async (text, ...parameters) => client.unsafe(text, parameters).values();
  if (typeof (client as Partial<PgClient> | undefined)?.query === 'function') {
    const run: RunSql = async (text, ...values) => (await client.query({ text, values, rowMode: 'array' })).rows;
    return isPool(client) ? run : inTurn(run);
  }
  throw new ConfigurationError(
    'A PostgresStore needs a Pool or Client of the package pg, or the sql of the package postgres.',
  );
}

/**
 * A pool gives each statement another connection, so it is no transaction.
 * @throws ConfigurationError
 */
export function toTransaction(client: PgClient | PostgresJsSql): RunSql {
  if (isPool(client))
    throw new ConfigurationError('within takes the client of pg on which the transaction was begun, not its Pool.');
  if (isPostgresJs(client) && typeof (client as { begin?: unknown }).begin === 'function')
    throw new ConfigurationError('within takes the sql that sql.begin gave you, not the one that it was called on.');
  return toRunSql(client);
}

function isPostgresJs(client: unknown): client is PostgresJsSql {
  return typeof client === 'function' && typeof (client as Partial<PostgresJsSql>).unsafe === 'function';
}

function isPool(client: unknown): boolean {
  return typeof (client as { totalCount?: unknown } | undefined)?.totalCount === 'number';
}

/** One client of `pg` runs one query at a time; that it queues others by itself is deprecated. */
function inTurn(run: RunSql): RunSql {
  let last: Promise<unknown> | undefined;
  return (text, ...parameters) => {
    const result = last === undefined ? run(text, ...parameters) : last.then(() => run(text, ...parameters));
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    last = ended;
    void ended.then(() => {
      if (last === ended) last = undefined;
    });
    return result;
  };
}
