import type { TestableStore } from '../../src/stores/testing/index.js';

/** Which store to open, over which client; it crosses to other processes as JSON. */
export type StoreSpec =
  | { readonly kind: 'memory' }
  | { readonly kind: 'libsql'; readonly file: string }
  | SqliteSpec
  | { readonly kind: 'pglite'; readonly folder: string }
  | PostgresSpec
  | RedisSpec;

interface SqliteSpec {
  readonly kind: 'sqlite';
  readonly file: string;
  /** Opens the file with these settings, and passes the database to the store. Missing: the store opens the file. */
  readonly pragmas?: readonly string[] | undefined;
}

export interface PostgresSpec {
  readonly kind: 'pg Pool' | 'pg Client' | 'postgres.js';
  readonly url: string;
  /** Becomes the search_path. */
  readonly schema: string;
}

export interface RedisSpec {
  /** `upstash` with its default settings, `upstash, raw` without automatic deserialization; `url` is that of a bridge. */
  readonly kind: 'node-redis' | 'ioredis' | 'upstash' | 'upstash, raw';
  readonly url: string;
  readonly prefix: string;
}

/** Opens a store in any process. Its `close` also ends the client, which a caller would end. */
export async function openStore(spec: StoreSpec): Promise<TestableStore> {
  switch (spec.kind) {
    case 'memory': {
      const { MemoryDurableStore } = await import('../../src/stores/memory.js');
      return new MemoryDurableStore();
    }
    case 'sqlite':
      return openSqlite(spec);
    case 'libsql':
      return openLibsql(spec.file);
    case 'pglite':
      return openPGlite(spec.folder);
    case 'pg Pool':
    case 'pg Client':
    case 'postgres.js':
      return openPostgres(spec);
    case 'node-redis':
    case 'ioredis':
      return openRedis(spec);
    case 'upstash':
    case 'upstash, raw':
      return openUpstash(spec);
  }
}

const onWarning = () => {};

async function openSqlite({ file, pragmas }: SqliteSpec): Promise<TestableStore> {
  const { SqliteStore } = await import('../../src/stores/sqlite/index.js');
  if (pragmas === undefined) return new SqliteStore(file);
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(file);
  for (const pragma of pragmas)
    await retrying(() => {
      database.exec(`PRAGMA ${pragma}`);
    });
  return ending(new SqliteStore(database, { onWarning, busyTimeoutMs: 30_000 }), () => {
    database.close();
  });
}

async function openLibsql(file: string): Promise<TestableStore> {
  const [{ SqliteStore }, { createClient }] = await Promise.all([
    import('../../src/stores/sqlite/index.js'),
    import('@libsql/client'),
  ]);
  const client = createClient({ url: `file:${file}` });
  await retrying(() => client.execute('PRAGMA journal_mode = WAL'));
  return ending(new SqliteStore(client, { onWarning, busyTimeoutMs: 30_000 }), () => {
    client.close();
  });
}

/** Several processes that open a new file at once can find it locked. */
async function retrying(work: () => unknown): Promise<void> {
  for (let left = 100; ; left -= 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

async function openPGlite(folder: string): Promise<TestableStore> {
  const [{ PostgresStore }, { PGlite }] = await Promise.all([
    import('../../src/stores/postgres/index.js'),
    import('@electric-sql/pglite'),
  ]);
  const database = await PGlite.create(folder);
  return ending(new PostgresStore(database, { onWarning }), () => database.close());
}

async function openUpstash({ kind, url, prefix }: RedisSpec): Promise<TestableStore> {
  const [{ RedisStore }, { Redis }] = await Promise.all([
    import('../../src/stores/redis/index.js'),
    import('@upstash/redis'),
  ]);
  const automaticDeserialization = kind === 'upstash';
  const redis = new Redis({ url, token: 'test', automaticDeserialization, enableTelemetry: false });
  return ending(new RedisStore(redis, { prefix, onWarning }), () => {});
}

async function openPostgres({ kind, url, schema }: PostgresSpec): Promise<TestableStore> {
  const { PostgresStore } = await import('../../src/stores/postgres/index.js');
  if (kind === 'postgres.js') {
    const { default: postgres } = await import('postgres');
    const sql = postgres(url, { connection: { search_path: schema }, max: 10 });
    return ending(new PostgresStore(sql, { onWarning }), () => sql.end({ timeout: 1 }));
  }
  const { default: pg } = await import('pg');
  const options = { connectionString: url, options: `-c search_path=${schema}` };
  const ignore = () => {}; // A connection that was lost while nobody used it.
  if (kind === 'pg Pool') {
    const pool = new pg.Pool(options).on('error', ignore);
    return ending(new PostgresStore(pool, { onWarning }), () => pool.end());
  }
  const client = new pg.Client(options);
  client.on('error', ignore);
  await client.connect();
  return ending(new PostgresStore(client, { onWarning }), () => client.end());
}

async function openRedis({ kind, url, prefix }: RedisSpec): Promise<TestableStore> {
  const { RedisStore } = await import('../../src/stores/redis/index.js');
  if (kind === 'ioredis') {
    const { Redis } = await import('ioredis');
    const redis = new Redis(url);
    redis.on('error', () => {});
    return ending(new RedisStore(redis, { prefix, onWarning }), () => {
      redis.disconnect();
    });
  }
  const { createClient } = await import('redis');
  const redis = createClient({ url });
  redis.on('error', () => {});
  await redis.connect();
  return ending(new RedisStore(redis, { prefix, onWarning }), () => redis.close());
}

function ending<T extends TestableStore>(store: T, end: () => unknown): T {
  return Object.assign(store, {
    close: async () => {
      await end();
    },
  });
}
