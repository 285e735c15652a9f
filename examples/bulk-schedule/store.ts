/** Where the intents are kept: what the environment names, else a file. */
import { PostgresStore } from 'social-publishing/stores/postgres';
import type { DurableStore } from 'social-publishing/publisher';
import { RedisStore } from 'social-publishing/stores/redis';
import { SqliteStore } from 'social-publishing/stores/sqlite';

export interface OpenStore {
  readonly store: DurableStore;
  /** Where it is, for people. */
  readonly name: string;
  readonly close: () => Promise<unknown>;
}

export async function openStore(file: string): Promise<OpenStore> {
  const { DATABASE_URL, REDIS_URL } = process.env;
  if (DATABASE_URL !== undefined && DATABASE_URL !== '') {
    const { Pool } = await import('pg');
    const pool = new Pool({ connectionString: DATABASE_URL });
    // Without a listener, a connection that is lost ends the process.
    pool.on('error', (error) => {
      console.error(`Postgres: ${error.message}`);
    });
    const store = new PostgresStore(pool);
    await store.setup();
    return { store, name: 'Postgres (DATABASE_URL)', close: () => pool.end() };
  }
  if (REDIS_URL !== undefined && REDIS_URL !== '') {
    const { createClient } = await import('redis');
    const redis = createClient({ url: REDIS_URL });
    redis.on('error', (error: Error) => {
      console.error(`Redis: ${error.message}`);
    });
    await redis.connect();
    const store = new RedisStore(redis);
    await store.setup();
    return { store, name: 'Redis (REDIS_URL)', close: () => redis.close() };
  }
  const store = new SqliteStore(file);
  await store.setup();
  return { store, name: file, close: () => store.close() };
}
