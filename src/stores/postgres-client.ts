import { ConfigurationError } from '../core/errors.js';

/** What is used of a Pool, a PoolClient or a Client of the npm package `pg`. */
export interface PgClient {
  /** Runs one statement. */
  query(query: PgQuery): Promise<{
    /** The rows, where it gives any. */
    rows: unknown[][];
    /** How many rows it gave or wrote. */
    rowCount?: number | null;
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

/** A query of the npm package `postgres` that was not sent yet. */
export interface PostgresJsQuery {
  /** Sends it and gives the rows as arrays. */
  values(): PromiseLike<
    unknown[][] & {
      /** How many rows it gave or wrote. */
      count?: number;
    }
  >;
}

/**
 * Runs one statement and gives its rows, and how many it gave or wrote, where the client tells that. All parameters are
 * texts, and the SQL says their types: the two packages, and their settings, differ in how they write and read
 * everything else.
 */
export type RunSql = (
  text: string,
  ...parameters: (string | null)[]
) => Promise<{ rows: unknown[][]; count: number | undefined }>;

/** @throws ConfigurationError the client is none of `pg` or `postgres` */
export function toRunSql(client: PgClient | PostgresJsSql): RunSql {
  if (isPostgresJs(client))
    return async (text, ...parameters) => {
      const rows = await client.unsafe(text, parameters).values();
      return { rows: Array.from(rows), count: counted(rows.count) };
    };
  if (typeof (client as Partial<PgClient> | undefined)?.query === 'function') {
    const run = isOfPg(client) ? byArguments(client as unknown as PgArgumentsClient) : byQuery(client);
    return isPool(client) ? run : inTurn(run);
  }
  throw new ConfigurationError(
    'A PostgresStore is made with a Pool or Client of the package pg, or with the sql of the package postgres.',
  );
}

const byQuery =
  (client: PgClient): RunSql =>
  async (text, ...values) => {
    const { rows, rowCount } = await client.query({ text, values, rowMode: 'array' });
    return { rows, count: counted(rowCount) };
  };

/** Whether a client is one of `pg` itself, with its own function: what stands around one may pass its first argument on alone. */
function isOfPg(client: PgClient): boolean {
  return client.query.length === 3 && (isPool(client) || 'connectionParameters' in client);
}

/** A client of `pg` itself. */
interface PgArgumentsClient {
  query(
    text: string,
    values: (string | null)[],
  ): Promise<{ rows: Readonly<Record<string, unknown>>[]; rowCount?: number | null }>;
}

/** `pg` makes a copy of a query that is given as an object, which takes it 5 µs. */
const byArguments =
  (client: PgArgumentsClient): RunSql =>
  async (text, ...values) => {
    const { rows, rowCount } = await client.query(text, values);
    return { rows: rows.map((row) => Object.values(row)), count: counted(rowCount) };
  };

/** What stands around a client may keep it for itself. */
function counted(count: unknown): number | undefined {
  return typeof count === 'number' ? count : undefined;
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
