import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, it } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/index.js';
import { RedisStore } from '../../../src/stores/redis/index.js';
import { bundleProgram } from '../../../test/support/bundle-program.js';
import { nodeOf } from '../../../test/stores/servers/campaign.js';
import { runEngine, type Engine } from '../../../test/stores/servers/engine-run.js';
import { serverUrl } from '../../../test/stores/servers/server-url.js';

const name = `sp_${randomUUID().slice(0, 8)}`;

interface Example extends Pick<Engine, 'open'> {
  readonly folder: string;
  readonly nodeMajor: number;
  readonly env: () => Record<string, string>;
}

const examples: readonly Example[] = [
  {
    folder: 'bullmq',
    nodeMajor: 20,
    env: () => ({ REDIS_URL: serverUrl('REDIS_URL'), QUEUE_PREFIX: name }),
    open: () => {
      const redis = new Redis(serverUrl('REDIS_URL'));
      return {
        store: new RedisStore(redis, { prefix: `${name}:durable:` }),
        close: async () => {
          const keys = [...(await redis.keys(`${name}:*`)), ...(await redis.keys(`{${name}:*`))];
          if (keys.length > 0) await redis.del(keys);
          redis.disconnect();
        },
      };
    },
  },
  {
    folder: 'pg-boss',
    // pg-boss 12 needs 22.12.
    nodeMajor: 22,
    env: () => ({ DATABASE_URL: serverUrl('DATABASE_URL'), QUEUE_SCHEMA: name }),
    open: () => {
      const pool = new pg.Pool({ connectionString: serverUrl('DATABASE_URL') });
      return {
        store: new PostgresStore(pool, { table: `${name}_durable` }),
        close: async () => {
          await pool.query(`DROP SCHEMA IF EXISTS ${name} CASCADE; DROP TABLE IF EXISTS ${name}_durable`);
          await pool.end();
        },
      };
    },
  },
];

// `npm run test:examples` runs examples/dbos in the same way: DBOS is not installed here.
it.each(examples)(
  'examples/$folder publishes each intent once, though workers are killed at random and replies are lost',
  async ({ folder, nodeMajor, env, open }) => {
    const node = await nodeOf(nodeMajor);
    const count = await runEngine({
      commandOf: (program) => [node, bundleProgram(`examples/${folder}/${program}.ts`, 'examples/')],
      ...{ env: env(), workers: [[], []], name, open },
    });
    console.log(folder, count);
    expect(count).toMatchObject({ posts: count.intents, published: count.intents, doubled: 0, heldWithPost: 0 });
    expect(count.eventsLost).toBe(0);
  },
  240_000,
);
