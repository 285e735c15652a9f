/**
 * The shared parts of this example: the client, the intents, and two pg-boss queues in one Postgres. The example needs two
 * packages: `npm install pg-boss pg`.
 */
import { Pool } from 'pg';
import { PgBoss, type SendOptions } from 'pg-boss';
import { SocialPublishing } from 'social-publishing';
import { createPublisher } from 'social-publishing/publisher';
import { PostgresStore } from 'social-publishing/stores/postgres';

const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const schema = process.env.QUEUE_SCHEMA ?? 'campaigns';

/** How long a job and an intent belong to a worker that may have died. */
export const leaseMs = Number(process.env.LEASE_MS ?? 60_000);

export const boss = new PgBoss({ connectionString, schema });
boss.on('error', (error) => {
  console.error(error.message);
});
// Without the limits, a call on a connection that the network has lost can wait for minutes.
export const pool = new Pool({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 10_000 });
// A lost server must not end the process: the next query reports it.
pool.on('error', () => undefined);
export const store = new PostgresStore(pool, { table: `${schema}_durable` });
export const client = new SocialPublishing(); // SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY
export const publisher = createPublisher({ client, store, leaseMs });

/** Returns job options for a key. A queued or active job is not queued twice. */
export function jobOf(key: string): SendOptions {
  return { singletonKey: key, retryLimit: 20, retryDelay: 1, retryBackoff: true, expireInSeconds: leaseMs / 1000 };
}

/** Connects, and creates missing tables and queues. */
export async function open(): Promise<void> {
  await store.setup();
  await boss.start();
  for (const queue of ['intents', 'events']) await boss.createQueue(queue, { policy: 'exclusive' });
}

export async function close(): Promise<void> {
  await boss.stop();
  await pool.end();
}
