/**
 * The shared parts of this example: the client, the intents, and the settings of DBOS, in one Postgres. The example needs two
 * packages: `npm install @dbos-inc/dbos-sdk pg`.
 */
import { DBOS, DBOSClient, type DBOSConfig } from '@dbos-inc/dbos-sdk';
import { Pool } from 'pg';
import { SocialPublishing } from 'social-publishing';
import { createPublisher } from 'social-publishing/publisher';
import { PostgresStore } from 'social-publishing/stores/postgres';

const connectionString = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const schema = process.env.QUEUE_SCHEMA ?? 'campaigns';

/** How long an intent belongs to a worker that may have died. */
export const leaseMs = Number(process.env.LEASE_MS ?? 60_000);

/**
 * Returns the settings of a worker. At its start, it continues the workflows that a worker with the same ID and version
 * left. So give each worker an ID that a restart keeps, and change the version only if the workflow's steps change.
 */
export function configOf(executorID: string): DBOSConfig {
  return {
    name: schema,
    systemDatabaseUrl: connectionString,
    systemDatabaseSchemaName: schema,
    executorID,
    applicationVersion: '1',
    logLevel: 'warn',
  };
}
/** Workflows that wait count as running, so this queue has no limit. */
export const queueName = 'posts';
export const sendingQueue = 'sending';
export const workflowName = 'publishPost';
/** The topic of messages to a workflow whose post has a new state. */
export const topic = 'changed';

// Without the limits, a call on a connection that the network has lost can wait for minutes.
export const pool = new Pool({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 10_000 });
// A lost server must not end the process: the next query reports it.
pool.on('error', () => undefined);
export const store = new PostgresStore(pool, { table: `${schema}_durable` });
export const client = new SocialPublishing(); // SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY
export const publisher = createPublisher({ client, store, leaseMs });

/** Creates missing tables. */
export async function setup(): Promise<void> {
  await store.setup();
  await DBOS.migrate(connectionString, { schemaName: schema });
}

/** Connects a program that runs no workflows. */
export async function connect(): Promise<DBOSClient> {
  await setup();
  return DBOSClient.create({
    systemDatabaseUrl: connectionString,
    systemDatabaseSchemaName: schema,
    applicationName: schema,
  });
}
