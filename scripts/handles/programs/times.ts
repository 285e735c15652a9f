/** Measures a publish over one handle in this process, and prints the times. Argument: the task, as JSON. */
import type * as pglite from '@electric-sql/pglite';
import type * as libsql from '@libsql/client';
import type * as upstash from '@upstash/redis';
import type * as ioredis from 'ioredis';
import type pg from 'pg';
import type postgresJs from 'postgres';
import type * as nodeRedis from 'redis';
import { interleave } from '../../../bench/measure.js';
import type { DurableStore } from '../../../src/stores/store.js';
import { PostgresStore } from '../../../src/stores/postgres.js';
import { RedisStore } from '../../../src/stores/redis.js';
import { SqliteStore } from '../../../src/stores/sqlite.js';
import { publishSubjects, sqlWrites, type BareWrites, type Prepare } from './publish-subjects.js';

/** The handle to measure, and the service. */
export interface TimesTask {
  readonly handle: keyof typeof openers;
  /** The module of the driver. */
  readonly module: string;
  /** A path without a file, or the URL of a server. */
  readonly database: string;
  readonly baseUrl: string;
  /** Of the bridge between WebSockets and the server, for Neon. */
  readonly webSockets?: { readonly module: string; readonly port: number };
}

interface Opened {
  readonly store: DurableStore & { setup?(): Promise<unknown> };
  readonly bare: BareWrites;
  readonly close: () => unknown;
}

const onWarning = () => {};
const question: readonly [string, string] = ['?', '?'];
const numbers: readonly [string, string] = ['$1', '$2'];
/** The tables of Postgres. The program that starts this one drops them. */
const [table, bareTable] = ['social_publishing_times', 'social_publishing_bare'];

type SqliteHandle = Exclude<ConstructorParameters<typeof SqliteStore>[0], string>;
type PostgresHandle = ConstructorParameters<typeof PostgresStore>[0];

/** A synchronous driver of SQLite. */
interface SynchronousDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): { run(...parameters: string[]): unknown };
  close(): unknown;
}

async function openSynchronous(Database: unknown, path: string): Promise<Opened> {
  const Constructor = Database as new (path: string) => SynchronousDatabase; // Each of the drivers has it.
  const open = (file: string) => {
    const database = new Constructor(file);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = FULL');
    return database;
  };
  const [database, bareDatabase] = [open(path), open(`${path}-bare`)];
  return {
    store: new SqliteStore(database as unknown as SqliteHandle, { onWarning }), // It has what the store uses, too.
    bare: await sqlWrites(preparedBy(bareDatabase), question),
    close: () => {
      database.close();
      bareDatabase.close();
    },
  };
}

function preparedBy(database: SynchronousDatabase): Prepare {
  return (sql) => {
    const statement = database.prepare(sql);
    return (...parameters) => statement.run(...parameters);
  };
}

async function openFile(path: string): Promise<Opened> {
  const isBun = 'bun' in process.versions;
  const driver = (await import(isBun ? 'bun:sqlite' : 'node:sqlite')) as Record<string, unknown>;
  const { bare, close } = await openSynchronous(isBun ? driver['Database'] : driver['DatabaseSync'], `${path}-driver`);
  const store = new SqliteStore(path);
  return {
    store,
    bare,
    close: async () => {
      await store.close();
      await close();
    },
  };
}

async function openLibsql({ createClient }: typeof libsql, path: string): Promise<Opened> {
  const client = createClient({ url: `file:${path}` });
  await client.execute('PRAGMA journal_mode = WAL');
  await client.execute('PRAGMA synchronous = FULL');
  return {
    store: new SqliteStore(client, { onWarning }),
    bare: await sqlWrites(
      (sql) =>
        (...args) =>
          client.execute({ sql, args }),
      question,
    ),
    close: () => {
      client.close();
    },
  };
}

async function openPostgres(client: PostgresHandle, query: Prepare, close: () => unknown): Promise<Opened> {
  const bare = await sqlWrites(query, numbers, bareTable);
  return { store: new PostgresStore(client, { onWarning, table }), bare, close };
}

type Pool = PostgresHandle & {
  query(sql: string, values: string[]): Promise<unknown>;
  end(): Promise<void>;
};

async function openPool(pool: Pool): Promise<Opened> {
  return openPostgres(
    pool,
    (sql) =>
      (...values) =>
        pool.query(sql, values),
    () => pool.end(),
  );
}

async function openPg(driver: { default: typeof pg }, url: string): Promise<Opened> {
  return openPool(new driver.default.Pool({ connectionString: url }));
}

async function openNeon(driver: object, { database: url, webSockets }: TimesTask): Promise<Opened> {
  const { neonConfig, Pool } = driver as {
    neonConfig: object;
    Pool: new (config: object) => Pool & { on(event: 'error', listener: () => void): void };
  };
  const { WebSocket } = (await import(webSockets?.module ?? '')) as { WebSocket: unknown };
  Object.assign(neonConfig, {
    webSocketConstructor: WebSocket,
    wsProxy: () => `127.0.0.1:${String(webSockets?.port)}/`,
    ...{ useSecureWebSocket: false, pipelineTLS: false, pipelineConnect: false, forceDisablePgSSL: true },
  });
  const pool = new Pool({ connectionString: url });
  pool.on('error', () => {});
  return openPool(pool);
}

/** Writes a text with a client of Redis. */
type Set = (key: string, data: string) => unknown;

function openRedis(client: ConstructorParameters<typeof RedisStore>[0], set: Set, close: () => unknown): Opened {
  return { store: new RedisStore(client, { onWarning }), bare: { insert: set, update: set }, close };
}

/** The modules are loaded by their paths, so TypeScript cannot know them. */
const openers = {
  file: (_driver: never, { database }: TimesTask) => openFile(database),
  'bun:sqlite': ({ Database }: { Database: unknown }, { database }: TimesTask) => openSynchronous(Database, database),
  'better-sqlite3': (driver: { default: unknown }, { database }: TimesTask) =>
    openSynchronous(driver.default, database),
  libsql: (driver: typeof libsql, { database }: TimesTask) => openLibsql(driver, database),
  pglite: async ({ PGlite }: typeof pglite, { database }: TimesTask) => {
    const client = await PGlite.create(database);
    return openPostgres(
      client,
      (sql) =>
        (...values) =>
          client.query(sql, values),
      () => client.close(),
    );
  },
  pg: (driver: { default: typeof pg }, { database }: TimesTask) => openPg(driver, database),
  postgres: (driver: { default: typeof postgresJs }, { database }: TimesTask) => {
    const sql = driver.default(database, { onnotice: () => {} });
    return openPostgres(
      sql,
      (text) =>
        (...values) =>
          sql.unsafe(text, values),
      () => sql.end(),
    );
  },
  neon: openNeon,
  redis: async ({ createClient }: typeof nodeRedis, { database: url }: TimesTask) => {
    const redis = createClient({ url });
    await redis.connect();
    const set: Set = (key, data) => redis.set(`bare:${key}`, data);
    return openRedis(redis, set, () => redis.close());
  },
  ioredis: ({ Redis }: typeof ioredis, { database: url }: TimesTask) => {
    const redis = new Redis(url);
    const set: Set = (key, data) => redis.set(`bare:${key}`, data);
    return openRedis(redis, set, () => {
      redis.disconnect();
    });
  },
  upstash: ({ Redis }: typeof upstash, { database: url }: TimesTask) => {
    const redis = new Redis({ url, token: 'test', enableTelemetry: false });
    return openRedis(
      redis,
      (key, data) => redis.set(`bare:${key}`, data),
      () => {},
    );
  },
};

const task = JSON.parse(process.argv[2] ?? '') as TimesTask;
const open = openers[task.handle] as (driver: unknown, task: TimesTask) => Opened | Promise<Opened>;
const { store, bare, close } = await open(await import(task.module), task);
await store.setup?.();
const times = await interleave(publishSubjects(store, bare, task.baseUrl), { times: 3, rounds: 61, warmUp: 20 });
await close();
process.stdout.write(`${JSON.stringify(Object.fromEntries(times))}\n`);
