import { ConfigurationError } from '../core/errors.js';

/** What is used of a Pool, a PoolClient or a Client of the npm package `pg`. */
export interface PgClient {
  /** Runs one statement. */
  query(query: PgQuery): Promise<{
    /** The rows, where it gives any. */
    rows: unknown[][];
    /** How many rows it gave or wrote. */
    rowCount: number | null;
  }>;
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

/** A query of the npm package `postgres` that was not sent yet: awaiting it sends it. */
export interface PostgresJsQuery extends PromiseLike<{
  /** How many rows it gave or wrote. */
  count: number;
}> {
  /** Sends it and gives the rows as arrays. */
  values(): PromiseLike<unknown[][]>;
}

/**
 * One statement at a time. All parameters are texts, and the SQL says their types: the two packages, and their settings,
 * differ in how they write and read everything else.
 */
export interface RunSql {
  /** Gives the rows. */
  readonly rows: (text: string, ...parameters: (string | null)[]) => Promise<unknown[][]>;
  /** Tells how many rows were written. */
  readonly count: (text: string, ...parameters: (string | null)[]) => Promise<number>;
}

/** @throws ConfigurationError the client is none of `pg` or `postgres` */
export function toRunSql(client: PgClient | PostgresJsSql): RunSql {
  if (isPostgresJs(client))
    return {
      rows: async (text, ...parameters) => Array.from(await client.unsafe(text, parameters).values()),
      count: async (text, ...parameters) => counted((await client.unsafe(text, parameters)).count),
    };
  if (typeof (client as Partial<PgClient> | undefined)?.query === 'function') {
    const run: RunSql = {
      rows: async (text, ...values) => (await client.query({ text, values, rowMode: 'array' })).rows,
      count: async (text, ...values) => counted((await client.query({ text, values, rowMode: 'array' })).rowCount),
    };
    return isPool(client) ? run : inTurn(run);
  }
  throw new ConfigurationError(
    'A PostgresStore is made with a Pool or Client of the package pg, or with the sql of the package postgres.',
  );
}

/** @throws ConfigurationError what stands around the client does not pass on how many rows were written */
function counted(count: unknown): number {
  if (typeof count === 'number') return count;
  throw new ConfigurationError(
    'The client of this PostgresStore does not tell how many rows were written (rowCount of pg, count of postgres): hand ' +
      'over the client itself, or let what stands around it give back the whole result.',
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
function inTurn({ rows, count }: RunSql): RunSql {
  let last: Promise<unknown> | undefined;
  const next = <T>(run: () => Promise<T>): Promise<T> => {
    const result = last === undefined ? run() : last.then(run);
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
  return {
    rows: (...query) => next(() => rows(...query)),
    count: (...query) => next(() => count(...query)),
  };
}
