/**
 * The shared parts of this example: the client, the intents, and the settings of Temporal. No test runs this example. It needs
 * four packages: `npm install @temporalio/client @temporalio/worker @temporalio/workflow pg`.
 */
import { Client, Connection } from '@temporalio/client';
import { Pool } from 'pg';
import { SocialPublishing } from 'social-publishing';
import { createPublisher } from 'social-publishing/publisher';
import { PostgresStore } from 'social-publishing/stores/postgres';

/** How long an intent belongs to a worker that may have died. */
export const leaseMs = Number(process.env.LEASE_MS ?? 60_000);
export const temporalAddress = process.env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233';
export const taskQueue = 'campaigns';

// The intents are not in Temporal: its history shows that an activity started, and not the result of a lost request.
// Without the limits, a call on a connection that the network has lost can wait for minutes.
export const pool = new Pool({
  connectionString: process.env.DATABASE_URL,
  connectionTimeoutMillis: 5_000,
  query_timeout: 10_000,
});
// A lost server must not end the process: the next query reports it.
pool.on('error', () => undefined);
export const store = new PostgresStore(pool);
export const client = new SocialPublishing(); // SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY
export const publisher = createPublisher({ client, store, leaseMs });

/** Connects a program that runs no workflows. */
export async function connect(): Promise<Client> {
  await store.setup();
  return new Client({ connection: await Connection.connect({ address: temporalAddress }) });
}
