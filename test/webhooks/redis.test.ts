import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/webhooks/index.js';
import { RedisWebhookStore, type NodeRedisClient } from '../../src/webhooks/redis.js';
import { describeStore } from './store-suite.js';

// The commands that the store uses, by themselves. Against a real Redis: npm run test:redis.

class FakeRedis {
  readonly entries = new Map<string, { value: string; until: number }>();
  readonly sent: unknown[][] = [];
  now = 0;

  get(key: string): Promise<string | null> {
    this.sent.push(['GET', key]);
    const entry = this.entries.get(key);
    return Promise.resolve(entry !== undefined && entry.until > this.now ? entry.value : null);
  }

  set(key: string, value: string, options: { NX?: true; PX: number }): Promise<'OK' | null> {
    this.sent.push(['SET', key, value, options]);
    const isThere = (this.entries.get(key)?.until ?? 0) > this.now;
    if (options.NX === true && isThere) return Promise.resolve(null);
    this.entries.set(key, { value, until: this.now + options.PX });
    return Promise.resolve('OK');
  }

  del(key: string): Promise<number> {
    this.sent.push(['DEL', key]);
    return Promise.resolve(this.entries.delete(key) ? 1 : 0);
  }

  /** The same by single commands. */
  send = (command: string, ...args: string[]): Promise<unknown> => {
    const [key = '', value = '', , ms, condition] = args;
    if (command === 'GET') return this.get(key);
    if (command === 'SET')
      return this.set(key, value, { PX: Number(ms), ...(condition === 'NX' ? { NX: true as const } : {}) });
    if (command !== 'EVAL') throw new Error(`unexpected ${command}`);
    const [, , evalKey = '', evalValue] = args;
    if (this.entries.get(evalKey)?.value === evalValue) this.entries.delete(evalKey);
    return Promise.resolve(1);
  };
}

type Client = ConstructorParameters<typeof RedisWebhookStore>[0];

function setUp(clientOf: (redis: FakeRedis) => Client, redis = new FakeRedis()) {
  const [store, other] = [new RedisWebhookStore(clientOf(redis)), new RedisWebhookStore(clientOf(redis))];
  const pass = (ms: number) => {
    redis.now += ms;
  };
  return { store, other, pass, redis };
}

const clients: Readonly<Record<string, (redis: FakeRedis) => Client>> = {
  'a client with set, get and del': (redis) => redis,
  'a client with call': (redis) => ({ call: redis.send }),
  'a function': (redis) => redis.send,
};

for (const [name, clientOf] of Object.entries(clients))
  describeStore(`RedisWebhookStore over ${name}`, () => setUp(clientOf));

describe.each(Object.entries(clients))('RedisWebhookStore over %s', (_, clientOf) => {
  it('releases no claim of another store', async () => {
    const { store, other, pass } = setUp(clientOf);
    await store.claim('a', 100);
    pass(150);
    expect(await other.claim('a', 1000)).toBe('new');
    await store.release('a');
    expect(await other.claim('a', 1000)).toBe('in_progress');
  });

  it('releases nothing that was completed', async () => {
    const { store } = setUp(clientOf);
    await store.claim('a', 100);
    await store.complete('a', 1000);
    await store.release('a');
    expect(await store.claim('a', 100)).toBe('done');
  });

  it('claims again where what refused the claim ran out meanwhile', async () => {
    const { store, other, pass, redis } = setUp(clientOf);
    await other.claim('a', 100);
    vi.spyOn(redis, 'get').mockImplementationOnce(() => {
      pass(150);
      return Promise.resolve(null);
    });
    expect(await store.claim('a', 1000)).toBe('new');
  });

  it('has no key without an end, and gives Redis whole milliseconds', async () => {
    const { store, redis } = setUp(clientOf);
    await store.claim('a', 99.5);
    await store.complete('a', 1000.1);
    expect(redis.sent).toEqual([
      ['SET', 'social-publishing:event:a', expect.any(String), { NX: true, PX: 100 }],
      ['SET', 'social-publishing:event:a', 'done', { PX: 1001 }],
    ]);
  });
});

describe('RedisWebhookStore', () => {
  it('keeps apart what has another prefix', async () => {
    const redis = new FakeRedis();
    const [one, two] = [
      new RedisWebhookStore(redis, { prefix: 'one:' }),
      new RedisWebhookStore(redis, { prefix: 'two:' }),
    ];
    expect(await one.claim('a', 1000)).toBe('new');
    expect(await two.claim('a', 1000)).toBe('new');
    expect([...redis.entries.keys()]).toEqual(['one:a', 'two:a']);
  });

  it('says so where Redis does', async () => {
    const store = new RedisWebhookStore(() => Promise.reject(new Error('READONLY')));
    await expect(store.claim('a', 1000)).rejects.toThrow('READONLY');
    await expect(store.complete('a', 1000)).rejects.toThrow('READONLY');
    await expect(store.release('a')).rejects.toThrow('READONLY');
  });

  it('never takes an event for new where Redis answers in a way it does not know', async () => {
    const store = new RedisWebhookStore(() => Promise.resolve(null));
    expect(await store.claim('a', 1000)).toBe('in_progress');
  });

  it('reads what a client gives as bytes', async () => {
    const redis = new FakeRedis();
    const store = new RedisWebhookStore(async (command, ...args) => {
      const reply = await redis.send(command, ...args);
      return typeof reply === 'string' ? new TextEncoder().encode(reply) : reply;
    });
    expect(await store.claim('a', 1000)).toBe('new');
    expect(await store.claim('a', 1000)).toBe('in_progress');
    await store.complete('a', 1000);
    expect(await store.claim('a', 1000)).toBe('done');
  });

  const nothing = () => Promise.resolve(null);
  it.each([{}, { set: nothing }, { set: nothing, get: nothing }])('refuses %j for a client', (client) => {
    expect(() => new RedisWebhookStore(client as unknown as NodeRedisClient)).toThrow(ConfigurationError);
  });
});
