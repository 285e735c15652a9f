import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { describeKills } from '../../publisher/kill-suite.js';
import { removeRedisKeys } from './remove-redis-keys.js';
import { serverUrl } from './server-url.js';

const [databaseUrl, redisUrl] = [serverUrl('DATABASE_URL'), serverUrl('REDIS_URL')];
// A separate table or prefix, removed afterwards: other data in the servers stays untouched.
const run = `social_publishing_kills_${randomUUID().replaceAll('-', '')}`;
const schemas: string[] = [];
let prefixes = 0;
const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });

beforeAll(async () => {
  for (let i = 0; i < 9; i += 1) {
    await pool.query(`CREATE SCHEMA ${run}_${i}`);
    schemas.push(`${run}_${i}`);
  }
});

afterAll(async () => {
  for (let i = 0; i < 9; i += 1) await pool.query(`DROP SCHEMA ${run}_${i} CASCADE`);
  await pool.end();
  await removeRedisKeys(run);
});

describeKills('PostgresStore', () => ({ kind: 'pg Pool', url: databaseUrl, schema: schemas.shift() ?? run }));
describeKills('RedisStore', () => ({ kind: 'ioredis', url: redisUrl, prefix: `${run}:${(prefixes += 1)}:` }));
