/** `within` takes the transactions of the publisher's store. The compiler checks this file. */
import { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import type postgres from 'postgres';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import type { PublisherClient } from '../../src/publisher/options.js';
import type { Publisher } from '../../src/publisher/publisher.js';
import type { CreatePostBody } from '../../src/posts/post-shapes.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { PostgresStore } from '../../src/stores/postgres/index.js';
import { RedisStore } from '../../src/stores/redis/index.js';
import { SqliteStore } from '../../src/stores/sqlite/index.js';
import type { DurableStore } from '../../src/stores/store.js';

declare const client: PublisherClient;
declare const body: CreatePostBody;
interface Drivers {
  readonly pool: pg.Pool;
  readonly pgClient: pg.Client;
  readonly poolClient: pg.PoolClient;
  readonly sql: postgres.Sql;
  readonly tx: postgres.TransactionSql;
}

export async function onPostgres({ pool, pgClient, poolClient, sql, tx }: Drivers): Promise<void> {
  const publisher = createPublisher({ client, store: new PostgresStore(pool) });
  await publisher.enqueue('k', body, { within: pgClient });
  await publisher.enqueue('k', body, { within: poolClient });
  await publisher.enqueue('k', body, { within: tx });
  await publisher.enqueue('k', body, { within: undefined });
  // @ts-expect-error a Pool has no transaction
  await publisher.enqueue('k', body, { within: pool });
  // @ts-expect-error this sql has no transaction; `begin` passes one that has
  await publisher.enqueue('k', body, { within: sql });
  // @ts-expect-error a database of another store
  await publisher.enqueue('k', body, { within: new DatabaseSync(':memory:') });
  const annotated: Publisher = publisher;
  await annotated.enqueue('k', body, { within: pgClient });
}

export async function onOtherStores({ pgClient }: Drivers, unknownStore: DurableStore): Promise<void> {
  const sqlite = createPublisher({ client, store: new SqliteStore(':memory:') });
  await sqlite.enqueue('k', body, { within: new DatabaseSync(':memory:') });
  // @ts-expect-error a client of another store
  await sqlite.enqueue('k', body, { within: pgClient });
  const memory = createPublisher({ client, store: new MemoryDurableStore() });
  await memory.enqueue('k', body);
  // @ts-expect-error this store has no transactions
  await memory.enqueue('k', body, { within: pgClient });
  const redis = createPublisher({ client, store: new RedisStore(() => Promise.resolve(1)) });
  // @ts-expect-error this store has no transactions
  await redis.enqueue('k', body, { within: pgClient });
  const any = createPublisher({ client, store: unknownStore });
  await any.enqueue('k', body, { within: pgClient });
}
