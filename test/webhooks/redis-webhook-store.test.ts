/* eslint-disable @typescript-eslint/no-deprecated -- the deprecated store stays for this release */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/webhooks/index.js';
import { RedisWebhookStore, type NodeRedisClient } from '../../src/webhooks/redis.js';
import { describeStore } from './webhook-store-suite.js';

// A real Redis: npm run test:redis.

/** Runs the three scripts of the store: claim, complete, release. */
class FakeRedis {
  readonly entries = new Map<string, { value: string; until: number }>();
  /** The commands, without the text of the script. */
  readonly sent: (readonly string[])[] = [];
  now = 0;

  send = (command: string, script = '', ...rest: string[]): Promise<unknown> => {
    const [, key = '', ...args] = rest;
    this.sent.push([command, key, ...args]);
    const entry = this.entries.get(key);
    const value = entry !== undefined && entry.until > this.now ? entry.value : undefined;
    if (script.includes("return 'new'")) return Promise.resolve(this.#claim(key, value, args));
    if (script.includes("'done', 'PX'")) this.#set(key, 'done', args[0]);
    else if (value === args[0]) this.entries.delete(key);
    return Promise.resolve('OK');
  };

  eval = (script: string, options: { keys: string[]; arguments: string[] }) =>
    this.send('EVAL', script, '1', ...options.keys, ...options.arguments);

  #claim(key: string, value: string | undefined, [leaseMs, ...tokens]: string[]): string {
    if (value === 'done') return 'done';
    if (value !== undefined && !tokens.includes(value)) return 'in_progress';
    this.#set(key, tokens[0] ?? '', leaseMs);
    return 'new';
  }

  #set(key: string, value: string, ms: string | undefined): void {
    this.entries.set(key, { value, until: this.now + Number(ms) });
  }
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
  'a client with eval': (redis) => ({ eval: redis.eval }),
  'a client with call': (redis) => ({ call: redis.send }),
  'a function': (redis) => redis.send,
};

for (const [name, clientOf] of Object.entries(clients))
  describeStore(`RedisWebhookStore over ${name}`, () => setUp(clientOf));

describe.each(Object.entries(clients))('RedisWebhookStore over %s', (_, clientOf) => {
  it('does not release a claim of another store', async () => {
    const { store, other, pass } = setUp(clientOf);
    await store.claim('a', 100);
    pass(150);
    expect(await other.claim('a', 1000)).toBe('new');
    await store.release('a');
    expect(await other.claim('a', 1000)).toBe('in_progress');
  });

  it('does not release a completed event', async () => {
    const { store } = setUp(clientOf);
    await store.claim('a', 100);
    await store.complete('a', 1000);
    await store.release('a');
    expect(await store.claim('a', 100)).toBe('done');
  });

  it('keeps the key format, sets an expiry, and sends whole milliseconds', async () => {
    const { store, redis } = setUp(clientOf);
    await store.claim('a', 99.5);
    await store.complete('a', 1000.1);
    expect(redis.sent).toEqual([
      ['EVAL', 'social-publishing:event:a', '100', expect.stringMatching(/^[0-9a-f-]{36}$/)],
      ['EVAL', 'social-publishing:event:a', '1001'],
    ]);
    expect(redis.entries.get('social-publishing:event:a')?.value).toBe('done');
  });

  it('knows what release 0.2.0 wrote', async () => {
    const { store, redis } = setUp(clientOf);
    redis.entries.set('social-publishing:event:a', { value: 'done', until: 1000 });
    redis.entries.set('social-publishing:event:b', { value: 'b0a1f8ce-2f5e-4a39-9a53-6d3c2f6f0c11', until: 1000 });
    expect([await store.claim('a', 1), await store.claim('b', 1)]).toEqual(['done', 'in_progress']);
  });
});

/** Loses the next replies: Redis runs the script, and the client reports a lost connection. */
function losing(redis: FakeRedis) {
  const plan = { replies: 0 };
  const send = async (command: string, ...args: string[]): Promise<unknown> => {
    const reply = await redis.send(command, ...args);
    if (plan.replies === 0) return reply;
    plan.replies -= 1;
    throw new Error('Connection lost');
  };
  return { plan, store: new RedisWebhookStore(send), other: new RedisWebhookStore(redis.send) };
}

describe('RedisWebhookStore, if a reply is lost', () => {
  /** More than the store repeats a command. */
  const many = 5;
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  /** The result of a call whose waits are skipped. */
  const settled = async <T>(call: Promise<T>): Promise<T | 'rejected'> => {
    const result = call.catch(() => 'rejected' as const);
    await vi.runAllTimersAsync();
    return result;
  };

  it('recognises its own claim', async () => {
    const { plan, store, other } = losing(new FakeRedis());
    plan.replies = 1;
    expect(await settled(store.claim('a', 1000))).toBe('new');
    expect([await other.claim('a', 1000), await store.claim('a', 1000)]).toEqual(['in_progress', 'in_progress']);
  });

  it('assigns an unconfirmed claim to its next claim, with a complete lease', async () => {
    const redis = new FakeRedis();
    const { plan, store, other } = losing(redis);
    plan.replies = many;
    expect(await settled(store.claim('a', 1000))).toBe('rejected');
    redis.now += 900;
    expect(await other.claim('a', 1000)).toBe('in_progress');
    const claims = await Promise.all([store.claim('a', 1000), store.claim('a', 1000), store.claim('a', 1000)]);
    expect(claims.sort()).toEqual(['in_progress', 'in_progress', 'new']);
    redis.now += 900;
    expect(await other.claim('a', 1000)).toBe('in_progress');
    await store.release('a');
    expect(await other.claim('a', 1000)).toBe('new');
  });

  it('does so after several lost claims', async () => {
    const { plan, store } = losing(new FakeRedis());
    for (let i = 0; i < 3; i += 1) {
      plan.replies = many;
      expect(await settled(store.claim('a', 1000))).toBe('rejected');
    }
    expect(await store.claim('a', 1000)).toBe('new');
  });

  it('does not release a claim of another store', async () => {
    const redis = new FakeRedis();
    const { plan, store, other } = losing(redis);
    plan.replies = many;
    expect(await settled(store.claim('a', 1000))).toBe('rejected');
    await store.release('a');
    redis.now += 1000;
    expect(await other.claim('a', 1000)).toBe('new');
    expect(await store.claim('a', 1000)).toBe('in_progress');
    await store.release('a');
    expect(await other.claim('a', 1000)).toBe('in_progress');
  });

  it('assigns an event with an unconfirmed release to its next claim', async () => {
    const { plan, store } = losing(new FakeRedis());
    await store.claim('a', 1000);
    plan.replies = many;
    expect(await settled(store.release('a'))).toBe('rejected');
    expect(await store.claim('a', 1000)).toBe('new');
  });

  it('recognises a claim that its client sent twice', async () => {
    const redis = new FakeRedis();
    const store = new RedisWebhookStore(async (...command) => {
      await redis.send(...command);
      return redis.send(...command);
    });
    expect(await store.claim('a', 1000)).toBe('new');
    expect(await store.claim('a', 1000)).toBe('in_progress');
  });
});

describe('RedisWebhookStore, shared by two apps', () => {
  const setUpApps = () => {
    const redis = new FakeRedis();
    const store = () => new RedisWebhookStore(redis.send);
    return {
      redis,
      one: store().scopedTo(['aa']),
      two: store().scopedTo(['bb']),
      both: store().scopedTo(['bb', 'aa']),
    };
  };

  it('handles an event for each of them', async () => {
    const { one, two, redis } = setUpApps();
    expect([await one.claim('a', 1000), await two.claim('a', 1000)]).toEqual(['new', 'new']);
    expect([...redis.entries.keys()]).toEqual(['social-publishing:event:aa:a', 'social-publishing:event:bb:a']);
    await one.complete('a', 1000);
    await two.release('a');
    expect([await one.claim('a', 1000), await two.claim('a', 1000)]).toEqual(['done', 'new']);
  });

  it('recognises an event by either secret during a rotation', async () => {
    const { one, two, both } = setUpApps();
    expect(await both.claim('a', 1000)).toBe('new');
    expect([await one.claim('a', 1000), await two.claim('a', 1000)]).toEqual(['in_progress', 'in_progress']);
    await both.complete('a', 1000);
    expect([await one.claim('a', 1000), await two.claim('a', 1000)]).toEqual(['done', 'done']);

    await two.claim('b', 1000);
    expect(await both.claim('b', 1000)).toBe('in_progress');
    expect(await one.claim('b', 1000)).toBe('new');
    await one.release('b');
    await two.complete('b', 1000);
    expect(await both.claim('b', 1000)).toBe('done');

    expect(await both.claim('c', 1000)).toBe('new');
    await both.release('c');
    expect([await one.claim('c', 1000), await two.claim('c', 1000)]).toEqual(['new', 'new']);
  });

  it('releases the first key if it cannot claim the second', async () => {
    const redis = new FakeRedis();
    let calls = 0;
    const store = new RedisWebhookStore((command, ...args) => {
      if ((calls += 1) === 2) return Promise.reject(new Error('NOPERM down'));
      return redis.send(command, ...args);
    });
    await expect(store.scopedTo(['aa', 'bb']).claim('a', 1000)).rejects.toThrow('down');
    expect(redis.entries.size).toBe(0);
  });

  it('does not change a prefix', async () => {
    const redis = new FakeRedis();
    const store = new RedisWebhookStore(redis.send, { prefix: 'mine:' });
    await store.scopedTo(['aa']).claim('a', 1000);
    expect([...redis.entries.keys()]).toEqual(['mine:a']);
  });
});

describe('RedisWebhookStore', () => {
  it('separates prefixes', async () => {
    const redis = new FakeRedis();
    const [one, two] = [
      new RedisWebhookStore(redis.send, { prefix: 'one:' }),
      new RedisWebhookStore(redis.send, { prefix: 'two:' }),
    ];
    expect(await one.claim('a', 1000)).toBe('new');
    expect(await two.claim('a', 1000)).toBe('new');
    expect([...redis.entries.keys()]).toEqual(['one:a', 'two:a']);
  });

  it('rejects if Redis refuses', async () => {
    const redis = new FakeRedis();
    let isReadOnly = false;
    const store = new RedisWebhookStore((...command) =>
      isReadOnly
        ? Promise.reject(new Error("READONLY You can't write against a read only replica."))
        : redis.send(...command),
    );
    await store.claim('held', 1000);
    isReadOnly = true;
    await expect(store.claim('a', 1000)).rejects.toThrow('read-only');
    await expect(store.complete('a', 1000)).rejects.toThrow('read-only');
    await expect(store.release('held')).rejects.toThrow('read-only');
  });

  it('does not count an event as new after an unknown reply of Redis', async () => {
    const store = new RedisWebhookStore(() => Promise.resolve(null));
    expect(await store.claim('a', 1000)).toBe('in_progress');
  });

  it('reads replies that are bytes', async () => {
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
  it.each([{}, { set: nothing, get: nothing, del: nothing }])('refuses %j for a client', (client) => {
    expect(() => new RedisWebhookStore(client as unknown as NodeRedisClient)).toThrow(ConfigurationError);
  });
});
