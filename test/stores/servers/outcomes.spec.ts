/** No error of a publisher on Postgres or Redis claims more than is proved. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { describeOutcomes } from '../../publisher/outcome-suite.js';
import { openStore, type StoreSpec } from '../open-store.js';
import { removeRedisKeys } from './remove-redis-keys.js';
import { serverUrl } from './server-url.js';

const [databaseUrl, redisUrl] = [serverUrl('DATABASE_URL'), serverUrl('REDIS_URL')];
const run = `social_publishing_outcomes_${randomUUID().replaceAll('-', '')}`;
const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
let spaces = 0;

beforeAll(async () => {
  await pool.query(`CREATE SCHEMA ${run}`);
});
afterAll(async () => {
  await pool.query(`DROP SCHEMA ${run} CASCADE`);
  await pool.end();
  await removeRedisKeys(run);
});

/** Each test has its own table or prefix. */
async function shared(spec: StoreSpec) {
  if ('schema' in spec) await pool.query(`DROP TABLE IF EXISTS ${run}.social_publishing`);
  const [store, other] = [await openStore(spec), await openStore(spec)];
  await store.setup?.();
  return { store, other, close: async () => store.close?.() };
}

describeOutcomes('PostgresStore', () => shared({ kind: 'pg Pool', url: databaseUrl, schema: run }), {
  closedOnly: true,
});

describeOutcomes(
  'RedisStore',
  () => shared({ kind: 'node-redis', url: redisUrl, prefix: `${run}:${String((spaces += 1))}:` }),
  { closedOnly: true },
);
