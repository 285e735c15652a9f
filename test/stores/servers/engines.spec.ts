import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { createPublisher } from '../../../src/publisher/index.js';
import { PostgresStore } from '../../../src/stores/postgres.js';
import { RedisStore } from '../../../src/stores/redis.js';
import type { DurableStore } from '../../../src/stores/store.js';
import { Campaign, nodeOf } from './campaign.js';
import { serverUrl } from './server-url.js';

const name = `sp_${randomUUID().slice(0, 8)}`;
const posts = 120;
const kills = 12;
const latencyMs = 1_500;

interface Engine {
  readonly folder: string;
  readonly nodeMajor: number;
  readonly env: () => Record<string, string>;
  /** The store of the example, with a function that closes it and removes its data. */
  readonly open: () => { readonly store: DurableStore; readonly close: () => Promise<void> };
}

const engines: readonly Engine[] = [
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

let stop: () => Promise<void>;
afterEach(() => stop());

describe.each(engines)('examples/$folder', ({ folder, nodeMajor, env, open }) => {
  it(`publishes ${String(posts)} intents once each, though workers are killed at random and replies are lost`, async () => {
    const campaign = await Campaign.start(folder, await nodeOf(nodeMajor), env());
    const { store, close } = open();
    stop = async () => {
      await campaign.stop();
      await close();
    };
    const { service, client } = campaign;
    const publisher = createPublisher({ client, store, leaseMs: 2000 });
    // Slow, so that most kills strike while creates are under way.
    service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs });
    service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit', probability: 0.1 });

    await campaign.run('enqueue', name, String(posts));
    await Promise.all([campaign.run('receiver'), campaign.run('worker'), campaign.run('worker')]);
    for (let i = 0; i < kills; i += 1) {
      await sleep(Math.random() * 600);
      await campaign.killOne(i % 6 === 5 ? 'receiver' : 'worker');
    }
    service.faults.clear();

    const states = async () => {
      const counts: Record<string, number> = {};
      for await (const { state } of publisher.list()) counts[state] = (counts[state] ?? 0) + 1;
      return counts;
    };
    const contents = () => service.posts.map(({ content }) => String(content));
    const atRest = () =>
      campaign.until('every intent is published or held', async () => {
        const { published = 0, in_doubt: held = 0 } = await states();
        return published + held === posts;
      });
    await atRest();
    // A create of a killed worker may have been executed after the search for it: all have arrived by now.
    await sleep(latencyMs);
    for await (const { key } of publisher.list({ state: 'in_doubt' })) await publisher.resume(key);
    await atRest();
    // Nothing is published twice, and held intents were never sent.
    expect(contents().length).toBe(new Set(contents()).size);
    const held: string[] = [];
    for await (const { key, body } of publisher.list({ state: 'in_doubt' })) {
      held.push(key);
      expect(contents()).not.toContain(body.content);
    }
    // So an operator may decide so, and the workers send them.
    for (const key of held) await publisher.resolve(key, { as: 'not_sent' });
    await campaign.until('every intent is published', async () => (await states()).published === posts);
    expect(contents().length).toBe(posts);
    expect(new Set(contents()).size).toBe(posts);
    console.log(`${folder}: ${String(posts)} posts, ${String(kills)} kills, ${String(held.length)} held on the way`);
  }, 240_000);
});
