import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { describeKills } from '../../publisher/kill-suite.js';
import { describeOnceKills } from '../../publisher/once-kill-suite.js';
import { removeRedisKeys } from './remove-redis-keys.js';
import { serverUrl } from './server-url.js';

const [databaseUrl, redisUrl] = [serverUrl('DATABASE_URL'), serverUrl('REDIS_URL')];
// A separate table or prefix, removed afterwards: other data in the servers stays untouched.
const run = `social_publishing_kills_${randomUUID().replaceAll('-', '')}`;
const schemas: string[] = [];
/** Nine points of a publish, and six steps of a call. */
const schemaCount = 15;
let prefixes = 0;
const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });

beforeAll(async () => {
  for (let i = 0; i < schemaCount; i += 1) {
    await pool.query(`CREATE SCHEMA ${run}_${i}`);
    schemas.push(`${run}_${i}`);
  }
});

afterAll(async () => {
  for (let i = 0; i < schemaCount; i += 1) await pool.query(`DROP SCHEMA ${run}_${i} CASCADE`);
  await pool.end();
  await removeRedisKeys(run);
});

const onPostgres = () => ({ kind: 'pg Pool', url: databaseUrl, schema: schemas.shift() ?? run }) as const;
const onRedis = () => ({ kind: 'ioredis', url: redisUrl, prefix: `${run}:${(prefixes += 1)}:` }) as const;
describeKills('PostgresStore', onPostgres);
describeKills('RedisStore', onRedis);
describeOnceKills('PostgresStore', onPostgres);
describeOnceKills('RedisStore', onRedis);
