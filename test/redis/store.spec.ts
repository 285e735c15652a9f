import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWebhookReceiver, signWebhook } from '../../src/webhooks/index.js';
import { RedisWebhookStore } from '../../src/webhooks/redis.js';
import { describeStore } from '../webhooks/webhook-store-suite.js';
import { connectIoRedis, connectNodeRedis } from './redis.js';

let nodeRedis: Awaited<ReturnType<typeof connectNodeRedis>>;
let ioRedis: ReturnType<typeof connectIoRedis>;

beforeAll(async () => {
  nodeRedis = await connectNodeRedis();
  ioRedis = connectIoRedis();
});

afterAll(async () => {
  await nodeRedis.close();
  ioRedis.disconnect();
});

const kinds: Readonly<Record<string, (prefix: string) => RedisWebhookStore>> = {
  'node-redis': (prefix) => new RedisWebhookStore(nodeRedis, { prefix }),
  ioredis: (prefix) => new RedisWebhookStore(ioRedis, { prefix }),
  'a function': (prefix) =>
    new RedisWebhookStore((command, ...args) => nodeRedis.sendCommand([command, ...args]), { prefix }),
  'set, get and del alone': (prefix) => {
    const client = {
      set: (key: string, value: string, options: { NX?: true; PX: number }) => nodeRedis.set(key, value, options),
      get: (key: string) => nodeRedis.get(key),
      del: (key: string) => nodeRedis.del(key),
    };
    return new RedisWebhookStore(client, { prefix });
  },
};

for (const [name, make] of Object.entries(kinds)) {
  describeStore(`RedisWebhookStore over ${name}, in Redis`, () => {
    const prefix = `${randomUUID()}:`;
    // Redis has a clock of its own, so that here time does pass.
    return { store: make(prefix), other: make(prefix), pass: (ms) => sleep(ms) };
  });

  describe(`RedisWebhookStore over ${name}, in Redis`, () => {
    it('leaves no key behind that does not expire', async () => {
      const prefix = `${randomUUID()}:`;
      const store = make(prefix);
      await store.claim('claimed', 5000);
      await store.claim('done', 5000);
      await store.complete('done', 7000);
      expect(await nodeRedis.pTTL(`${prefix}claimed`)).toBeGreaterThan(0);
      expect(await nodeRedis.pTTL(`${prefix}done`)).toBeGreaterThan(5000);
    });

    it('releases no claim of another process', async () => {
      const prefix = `${randomUUID()}:`;
      const [store, other] = [make(prefix), make(prefix)];
      await store.claim('a', 50);
      await sleep(80);
      expect(await other.claim('a', 5000)).toBe('new');
      await store.release('a');
      expect(await other.claim('a', 5000)).toBe('in_progress');
      await other.release('a');
      expect(await store.claim('a', 5000)).toBe('new');
    });
  });
}

it('two apps on one Redis, with the same prefix, each handle an event that both are told of', async () => {
  const id = `evt_${randomUUID()}`;
  const body = JSON.stringify({ id, type: 'post.failed', data: { post: { id: 'p' }, platforms: [] } });
  const handled: string[] = [];
  const deliver = async (secret: string) => {
    const receiver = createWebhookReceiver({
      secret,
      store: new RedisWebhookStore(nodeRedis),
      on: { default: () => handled.push(secret) },
    });
    const headers = await signWebhook({ body, secret });
    return (await receiver.fetch(new Request('https://a.test', { method: 'POST', headers, body }))).status;
  };
  for (const secret of ['one', 'two', 'one', 'two']) expect(await deliver(secret)).toBe(200);
  expect(handled).toEqual(['one', 'two']);
});
