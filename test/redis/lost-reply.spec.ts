/* eslint-disable @typescript-eslint/no-deprecated -- the deprecated store stays for this release */
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebhookReceiver, signWebhook } from '../../src/webhooks/index.js';
import { RedisWebhookStore } from '../../src/webhooks/redis.js';
import { CuttingProxy } from '../stores/servers/cutting-proxy.js';
import { connectNodeRedis, redisUrl } from './redis.js';

/** Texts that only these scripts contain. */
const claimCommand = "return 'new'";
const releaseCommand = "redis.call('del'";
const leaseMs = 60_000;

let proxy: CuttingProxy;
let direct: Awaited<ReturnType<typeof connectNodeRedis>>;
let prefix: string;
let close: () => unknown;

beforeEach(async () => {
  const { hostname, port } = new URL(redisUrl());
  proxy = await CuttingProxy.start({ host: hostname, port: Number(port || 6379) });
  direct = await connectNodeRedis();
  prefix = `${randomUUID()}:`;
});

afterEach(async () => {
  await close();
  await proxy.close();
  await direct.close();
});

const kinds: Readonly<Record<string, (url: string) => Promise<RedisWebhookStore>>> = {
  'node-redis': async (url) => {
    const client = createClient({ url, socket: { reconnectStrategy: 20 }, disableOfflineQueue: false });
    client.on('error', () => undefined);
    await client.connect();
    close = () => {
      client.destroy();
    };
    return new RedisWebhookStore(client, { prefix });
  },
  // It repeats unanswered commands.
  'ioredis, which resends': async (url) => open(new Redis(url, { retryStrategy: () => 20 })),
  'ioredis, which does not resend': async (url) =>
    open(new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false })),
};

function open(client: Redis): Promise<RedisWebhookStore> {
  client.on('error', () => undefined);
  close = () => {
    client.disconnect();
  };
  return Promise.resolve(new RedisWebhookStore(client, { prefix }));
}

/** Tries until it does not reject, as the next deliveries do while a client finds its way back. */
async function eventually<T>(action: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await action();
    } catch (error) {
      if (tries >= 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

describe.each(Object.entries(kinds))('RedisWebhookStore over %s, where the reply to a command is lost', (_, make) => {
  it('has the claim that Redis executed, and no other store has it', async () => {
    const store = await make(`redis://127.0.0.1:${String(proxy.port)}`);
    proxy.cutNext(claimCommand, 'reply');
    expect(await eventually(() => store.claim('a', leaseMs))).toBe('new');
    expect(proxy.cuts).toBe(1);
    expect(await direct.get(`${prefix}a`)).toEqual(expect.any(String));
    expect(await new RedisWebhookStore(direct, { prefix }).claim('a', leaseMs)).toBe('in_progress');
    expect(await store.claim('a', leaseMs)).toBe('in_progress');
  });

  it('assigns a released event to its own next claim, and then to only one', async () => {
    const store = await make(`redis://127.0.0.1:${String(proxy.port)}`);
    await store.claim('a', leaseMs);
    proxy.cutNext(releaseCommand, 'reply');
    await store.release('a').catch(() => undefined);
    expect(proxy.cuts).toBe(1);
    const claims = await Promise.all(Array.from({ length: 5 }, () => eventually(() => store.claim('a', leaseMs))));
    expect(claims.filter((claim) => claim === 'new')).toHaveLength(1);
  });

  it('loses no event of a receiver, and handles it once', async () => {
    const store = await make(`redis://127.0.0.1:${String(proxy.port)}`);
    const handled: unknown[] = [];
    const receiver = createWebhookReceiver({
      secret: 'whk_test_redis',
      store,
      leaseMs,
      on: { default: (event) => handled.push(event.id) },
      onError: () => undefined,
    });
    const body = JSON.stringify({ id: 'evt_1', type: 'post.failed', data: { post: { id: 'p' }, platforms: [] } });
    const deliver = async () => {
      const headers = await signWebhook({ body, secret: 'whk_test_redis' });
      return (await receiver.fetch(new Request('https://a.test', { method: 'POST', headers, body }))).status;
    };
    proxy.cutNext(claimCommand, 'reply');
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      statuses.push(await deliver());
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(handled).toEqual(['evt_1']);
    expect(statuses.at(-1)).toBe(200);
  });
});

describe.each(Object.entries(kinds).filter(([name]) => !name.endsWith('which resends')))(
  'RedisWebhookStore over %s, if Redis goes away after it executed a claim',
  (_, make) => {
    it('takes its own token for a new claim when Redis is back', async () => {
      const store = await make(`redis://127.0.0.1:${String(proxy.port)}`);
      proxy.cutNext(claimCommand, 'reply', { staysDown: true });
      const first = store.claim('a', leaseMs);
      setTimeout(() => {
        proxy.isDown = false;
      }, 200);
      const found = await first.catch(() => 'rejected');
      expect(['rejected', 'new']).toContain(found);
      const other = new RedisWebhookStore(direct, { prefix });
      expect(await other.claim('a', leaseMs)).toBe('in_progress');
      await other.release('a');
      if (found === 'rejected') expect(await eventually(() => store.claim('a', leaseMs))).toBe('new');
      expect(await store.claim('a', leaseMs)).toBe('in_progress');
    });
  },
);
