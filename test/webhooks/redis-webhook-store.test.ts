import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/webhooks/index.js';
import { RedisWebhookStore, type NodeRedisClient } from '../../src/webhooks/redis.js';
import { describeStore } from './webhook-store-suite.js';

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
    const [, , evalKey = '', evalValue, by, evalMs] = args;
    const entry = this.entries.get(evalKey);
    if (entry?.value !== evalValue || entry?.until === undefined || entry.until <= this.now) return Promise.resolve(0);
    if (by === undefined) this.entries.delete(evalKey);
    else this.entries.set(evalKey, { value: by, until: this.now + Number(evalMs) });
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

/** Loses the replies to commands of some form: Redis carries them out, the client hears of a lost connection. */
function losing(redis: FakeRedis) {
  const lost = new Error('Connection lost');
  const plan = { claims: 0, looks: 0, scripts: 0 };
  const send = async (command: string, ...args: string[]): Promise<unknown> => {
    const kind = command === 'GET' ? 'looks' : command === 'EVAL' ? 'scripts' : 'claims';
    const reply = await redis.send(command, ...args);
    if (plan[kind] === 0) return reply;
    plan[kind] -= 1;
    throw lost;
  };
  return { plan, store: new RedisWebhookStore(send), other: new RedisWebhookStore(redis.send), lost };
}

describe('RedisWebhookStore, where a reply is lost', () => {
  it('has the claim that was carried out, where it can look', async () => {
    const { plan, store, other } = losing(new FakeRedis());
    plan.claims = 1;
    expect(await store.claim('a', 1000)).toBe('new');
    expect(await other.claim('a', 1000)).toBe('in_progress');
    expect(await store.claim('a', 1000)).toBe('in_progress');
  });

  it('takes its own token for a new claim where it could not look, with a whole lease', async () => {
    const redis = new FakeRedis();
    const { plan, store, other, lost } = losing(redis);
    Object.assign(plan, { claims: 1, looks: 1 });
    await expect(store.claim('a', 1000)).rejects.toBe(lost);
    redis.now += 900;
    expect(await other.claim('a', 1000)).toBe('in_progress');
    const claims = await Promise.all([store.claim('a', 1000), store.claim('a', 1000), store.claim('a', 1000)]);
    expect(claims.sort()).toEqual(['in_progress', 'in_progress', 'new']);
    redis.now += 900;
    expect(await other.claim('a', 1000)).toBe('in_progress');
    await store.release('a');
    expect(await other.claim('a', 1000)).toBe('new');
  });

  it('takes it again where the reply to that is lost too', async () => {
    const { plan, store, lost } = losing(new FakeRedis());
    Object.assign(plan, { claims: 1, looks: 1 });
    await expect(store.claim('a', 1000)).rejects.toBe(lost);
    plan.scripts = 1;
    await expect(store.claim('a', 1000)).rejects.toBe(lost);
    expect(await store.claim('a', 1000)).toBe('new');
  });

  it('does not release what another has by then', async () => {
    const redis = new FakeRedis();
    const { plan, store, other, lost } = losing(redis);
    Object.assign(plan, { claims: 1, looks: 1 });
    await expect(store.claim('a', 1000)).rejects.toBe(lost);
    await store.release('a');
    redis.now += 1000;
    expect(await other.claim('a', 1000)).toBe('new');
    expect(await store.claim('a', 1000)).toBe('in_progress');
    await store.release('a');
    expect(await other.claim('a', 1000)).toBe('in_progress');
  });

  it('gives an event whose release was lost to its next claim', async () => {
    const { plan, store, lost } = losing(new FakeRedis());
    await store.claim('a', 1000);
    plan.scripts = 1;
    await expect(store.release('a')).rejects.toBe(lost);
    expect(await store.claim('a', 1000)).toBe('new');
  });

  it('takes a claim for its own that its client has sent twice', async () => {
    const redis = new FakeRedis();
    const store = new RedisWebhookStore(async (command, ...args) => {
      if (command === 'SET') await redis.send(command, ...args);
      return redis.send(command, ...args);
    });
    expect(await store.claim('a', 1000)).toBe('new');
    expect(await store.claim('a', 1000)).toBe('in_progress');
  });

  it('takes over a claim in single commands where the client knows no scripts', async () => {
    const redis = new FakeRedis();
    const store = new RedisWebhookStore(redis);
    vi.spyOn(redis, 'get').mockRejectedValueOnce(new Error('lost'));
    const set = redis.set.bind(redis);
    vi.spyOn(redis, 'set').mockImplementationOnce(async (...args) => {
      await set(...args);
      throw new Error('lost');
    });
    await expect(store.claim('a', 1000)).rejects.toThrow('lost');
    expect(await store.claim('a', 1000)).toBe('new');
  });
});

describe('RedisWebhookStore, shared by several apps', () => {
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

  it('keeps their events apart', async () => {
    const { one, two, redis } = setUpApps();
    expect([await one.claim('a', 1000), await two.claim('a', 1000)]).toEqual(['new', 'new']);
    expect([...redis.entries.keys()]).toEqual(['social-publishing:event:aa:a', 'social-publishing:event:bb:a']);
    await one.complete('a', 1000);
    await two.release('a');
    expect([await one.claim('a', 1000), await two.claim('a', 1000)]).toEqual(['done', 'new']);
  });

  it('knows an event by either secret while they are rotated', async () => {
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

  it('gives back what it has claimed where the rest can not be claimed', async () => {
    const redis = new FakeRedis();
    let sets = 0;
    const store = new RedisWebhookStore((command, ...args) => {
      if (command === 'SET' && (sets += 1) === 2) return Promise.reject(new Error('down'));
      return redis.send(command, ...args);
    });
    await expect(store.scopedTo(['aa', 'bb']).claim('a', 1000)).rejects.toThrow('down');
    expect(redis.entries.size).toBe(0);
  });

  it('leaves a prefix as it was given', async () => {
    const redis = new FakeRedis();
    const store = new RedisWebhookStore(redis.send, { prefix: 'mine:' });
    await store.scopedTo(['aa']).claim('a', 1000);
    expect([...redis.entries.keys()]).toEqual(['mine:a']);
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
    const redis = new FakeRedis();
    let isReadOnly = false;
    const store = new RedisWebhookStore((...command) =>
      isReadOnly ? Promise.reject(new Error('READONLY')) : redis.send(...command),
    );
    await store.claim('held', 1000);
    isReadOnly = true;
    await expect(store.claim('a', 1000)).rejects.toThrow('READONLY');
    await expect(store.complete('a', 1000)).rejects.toThrow('READONLY');
    await expect(store.release('held')).rejects.toThrow('READONLY');
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
