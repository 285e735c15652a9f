/* eslint-disable @typescript-eslint/no-deprecated -- the deprecated store stays for this release */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RedisWebhookStore } from '../../src/webhooks/redis.js';
import { describeReceiver } from '../webhooks/receiver-suite.js';
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
};

for (const [name, make] of Object.entries(kinds)) {
  describeStore(`RedisWebhookStore over ${name}, in Redis`, () => {
    const prefix = `${randomUUID()}:`;
    // Redis has its own clock, so real time passes here.
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

describeReceiver('RedisWebhookStore', () => ({
  // The default prefix: with a prefix, two apps are on the same key.
  store: new RedisWebhookStore(nodeRedis),
  other: new RedisWebhookStore(ioRedis),
  now: Date.now,
  pass: (ms) => sleep(ms),
}));
