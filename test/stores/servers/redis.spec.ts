import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createClient, type RedisClientType } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationError, SocialPublishingError } from '../../../src/core/errors.js';
import { RedisStore, type IoRedisStoreClient, type RedisStoreCommand } from '../../../src/stores/redis/index.js';
import { testDurableStore } from '../../../src/stores/testing/index.js';
import { openStore, type RedisSpec } from '../open-store.js';
import { describeOldRows } from '../old-rows-suite.js';
import { describeProcesses } from '../process-suite.js';
import { describeLostAnswers } from './lost-answers.js';
import { serverUrl } from './server-url.js';
import { expectShortDue } from './due-time.js';

const url = serverUrl('REDIS_URL');
const { hostname: host, port } = new URL(url);
// Separate keys, deleted afterwards: other data in the server stays untouched.
const run = `social-publishing-test-${randomUUID()}:`;
const onWarning = () => {};

let client: RedisClientType;
const keysOf = async (prefix: string) => {
  const keys: string[] = [];
  for await (const some of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1000 })) keys.push(...some);
  return keys.sort();
};

beforeAll(async () => {
  client = createClient({ url });
  await client.connect();
});

afterAll(async () => {
  const left = await keysOf(run);
  if (left.length > 0) await client.unlink(left);
  await client.close();
});

const kinds = ['node-redis', 'ioredis'] as const;
const specOf = (kind: RedisSpec['kind'], at = url, prefix = run): RedisSpec => ({ kind, url: at, prefix });

for (const kind of kinds) {
  describe(`RedisStore over ${kind}`, () => {
    testDurableStore(() => openStore(specOf(kind)), { describe, it });
  });
  describeLostAnswers(
    `RedisStore over ${kind}`,
    () => ({ host, port: Number(port || 6379) }),
    (proxyPort) => specOf(kind, `redis://127.0.0.1:${proxyPort}`),
    () => specOf('node-redis'),
  );
}

describeProcesses('RedisStore over node-redis', () =>
  Promise.resolve({ spec: specOf('node-redis', url, `${run}${randomUUID()}:`), unset: () => Promise.resolve() }),
);

describeOldRows('RedisStore', async (rows) => {
  const prefix = `${run}${randomUUID()}:`;
  const name = (part: string) => `${prefix}{store}:${part}`;
  for (const { key, version, data, wakeAt } of rows) {
    await client.hSet(name('versions'), key, `${String(version)} ${randomUUID()}`);
    await client.hSet(name('data'), key, data);
    await client.zAdd(name('keys'), { score: 0, value: key });
    if (wakeAt === null) continue;
    for (const set of ['wake_at', `wake_at:${key.split('/')[0] ?? ''}/`])
      await client.zAdd(name(set), { score: wakeAt, value: key });
  }
  return new RedisStore(client, { prefix, onWarning });
});

describe('the keys of RedisStore', () => {
  it('start with the prefix, lie in one slot, and none is left once all items are removed', async () => {
    const prefix = `${run}${randomUUID()}:`;
    const store = new RedisStore(client, { prefix, onWarning });
    await store.insert('a', 'x', 1);
    await store.insert('intent/a', 'x', 1);
    const names = await keysOf(prefix);
    const parts = ['data', 'keys', 'versions', 'wake_at', 'wake_at:intent/'];
    expect(names).toEqual(parts.map((part) => `${prefix}{store}:${part}`));
    const slots = await Promise.all(
      names.map((name) => client.sendCommand(['CLUSTER', 'KEYSLOT', name]).catch(() => 0)),
    );
    expect(new Set(slots).size).toBe(1);
    for (const key of ['a', 'intent/a']) await store.swap(key, (await store.get(key))?.version ?? 0, null, null);
    const removed = await keysOf(prefix);
    expect(removed).toHaveLength(2);
    for (const one of removed) {
      expect(one).toContain(':removed:');
      expect(await client.pTTL(one)).toBeGreaterThan(0);
    }
  });

  it('find due items of one prefix in one command, with any number of due items under another', async () => {
    const prefix = `${run}${randomUUID()}:`;
    let commands = 0;
    const counting: RedisStoreCommand = (command, ...args) => {
      commands += 1;
      return client.sendCommand([command, ...args]);
    };
    const store = new RedisStore(counting, { prefix, onWarning });
    await Promise.all(Array.from({ length: 3_000 }, (_, i) => store.insert(`intent/${i}`, 'x', 1)));
    await store.insert('inbox/event/a', 'x', 2);
    await store.insert('inbox/state/b', 'x', 2);
    await store.insert('inbox', 'x', 2);
    commands = 0;
    expect(await store.due('inbox/event/', 2, 10)).toEqual(['inbox/event/a']);
    expect(commands).toBe(1);
    expect(await store.due('inbox', 2, 10)).toEqual(['inbox', 'inbox/event/a', 'inbox/state/b']);
    expect(await store.due('', 2, 10)).toHaveLength(10);
  });

  it('keep stores with other prefixes apart', async () => {
    const [one, two] = ['one', 'two'].map((name) => new RedisStore(client, { prefix: `${run}${name}:`, onWarning }));
    await one?.insert('a', 'one', null);
    expect(await two?.get('a')).toBeUndefined();
    expect(await two?.insert('a', 'two', null)).toEqual(expect.any(Number));
  });

  it('of 1,000,000 items finds 100 that are due in less than 10 ms, by an index', async () => {
    const prefix = `${run}large:`;
    const [versions, data, keys, wake] = ['versions', 'data', 'keys', 'wake_at:intent/'].map(
      (part) => `${prefix}{store}:${part}`,
    );
    const fill = `for i = tonumber(ARGV[1]), tonumber(ARGV[2]) do
      local key = 'intent/' .. i
      redis.call('HSET', KEYS[1], key, '1 w') redis.call('HSET', KEYS[2], key, '{"state":"published"}')
      redis.call('ZADD', KEYS[3], 0, key) if i % 10000 == 0 then redis.call('ZADD', KEYS[4], i, key) end end`;
    for (let i = 1; i <= 1_000_000; i += 10_000)
      await client.eval(fill, {
        keys: [versions ?? '', data ?? '', keys ?? '', wake ?? ''],
        arguments: [String(i), String(i + 9_999)],
      });
    const store = new RedisStore(client, { prefix, onWarning });
    await expectShortDue(store, 'RedisStore');
    await client.unlink(await keysOf(prefix));
  });
});

it('works over a function, and over a client that returns bytes', async () => {
  const send: RedisStoreCommand = (command, ...args) => client.sendCommand([command, ...args]);
  const bytes: RedisStoreCommand = async (command, ...args) => {
    const toBytes = (reply: unknown): unknown =>
      typeof reply === 'string' ? Buffer.from(reply) : Array.isArray(reply) ? reply.map(toBytes) : reply;
    return toBytes(await send(command, ...args));
  };
  for (const [name, command] of Object.entries({ send, bytes })) {
    const store = new RedisStore(command, { prefix: `${run}${name}:`, onWarning });
    await store.setup();
    await store.insert('é', 'ü', 1);
    const version = (await store.get('é'))?.version ?? 0;
    const swapped = await store.swap('é', version, '😀', 1);
    expect(swapped).toBeGreaterThan(version);
    expect(await store.scan('', undefined, 5)).toEqual([{ key: 'é', version: swapped, data: '😀' }]);
    expect(await store.due('', 1, 5)).toEqual(['é']);
  }
});

/** A server with these settings; everything else is the real one. */
function pretend(settings: Readonly<Record<string, string>>, refusesConfig = false): IoRedisStoreClient {
  return {
    call: async (command, ...args) => {
      const [, name = ''] = args;
      if (command === 'CONFIG') {
        if (refusesConfig) throw new Error("ERR unknown command 'CONFIG'");
        return [name, settings[name]];
      }
      if (command === 'INFO')
        return Object.entries(settings)
          .map(([field, value]) => `${field}:${value}\r\n`)
          .join('');
      return client.sendCommand([command, ...args]);
    },
  };
}

describe('what RedisStore says', () => {
  const warningsOf = async (settings: Readonly<Record<string, string>>, refusesConfig = false) => {
    const warnings: string[] = [];
    const options = { prefix: run, onWarning: (message: string) => warnings.push(message) };
    const store = new RedisStore(pretend(settings, refusesConfig), options);
    await store.setup();
    await store.insert(randomUUID(), 'x', null);
    await store.setup();
    return warnings;
  };

  it('of settings that can’t keep the promise, once, with what to set', async () => {
    const good = { 'maxmemory-policy': 'noeviction', appendonly: 'yes', appendfsync: 'always' };
    expect(await warningsOf(good)).toEqual([]);
    expect(await warningsOf({ ...good, 'maxmemory-policy': 'allkeys-lru' })).toEqual([
      expect.stringMatching(/maxmemory-policy is allkeys-lru.*CONFIG SET maxmemory-policy noeviction/),
    ]);
    expect(await warningsOf({ ...good, appendfsync: 'everysec' })).toEqual([
      expect.stringMatching(/appendfsync is everysec.*CONFIG SET appendfsync always/),
    ]);
    expect(await warningsOf({ ...good, appendonly: 'no' })).toEqual([
      expect.stringMatching(/appendonly is no.*CONFIG SET appendonly yes/),
    ]);
  });

  it('the same if CONFIG is refused but INFO reports it, and nothing if neither does', async () => {
    expect(await warningsOf({ maxmemory_policy: 'volatile-ttl', aof_enabled: '0' }, true)).toEqual([
      expect.stringContaining('maxmemory-policy is volatile-ttl'),
      expect.stringContaining('appendonly is no'),
    ]);
    expect(await warningsOf({}, true)).toEqual([]);
  });

  it('of the real server’s settings are correct', async () => {
    const warnings: string[] = [];
    const store = new RedisStore(client, { prefix: run, onWarning: (message) => warnings.push(message) });
    await store.insert(randomUUID(), 'x', null);
    const { appendonly, appendfsync } = await client.configGet(['appendonly', 'appendfsync']);
    expect(warnings.some((text) => text.includes('append'))).toBe(appendonly === 'no' || appendfsync !== 'always');
  });

  it('of a server that is too old', async () => {
    await expect(new RedisStore(pretend({ redis_version: '4.0.14' }), { prefix: run }).setup()).rejects.toThrow(
      new ConfigurationError('RedisStore needs Redis 5 or later; this server is 4.0.14.'),
    );
  });

  it.each([
    ['READONLY You can’t write against a read only replica.', 'This Redis is read-only', SocialPublishingError],
    ['OOM command not allowed when used memory > maxmemory.', 'The memory of Redis is full', SocialPublishingError],
    ['MISCONF Redis is configured to save RDB snapshots', 'cannot write to its disk', SocialPublishingError],
    ['NOAUTH Authentication required.', 'Redis refused the command', ConfigurationError],
    ['ERR something else', 'Redis refused: ERR something else', SocialPublishingError],
    ['Socket closed unexpectedly', 'Redis did not answer: Socket closed unexpectedly', SocialPublishingError],
  ])('%s: %s', async (reply, message, kind) => {
    const failing = new RedisStore(() => Promise.reject(new Error(reply)), { onWarning });
    await expect(failing.insert('a', 'x', null)).rejects.toThrow(message);
    await expect(failing.get('a')).rejects.toBeInstanceOf(kind);
  });

  it('of a server that is gone, without the password', async () => {
    const gone = new Redis('redis://:pa55word@127.0.0.1:1', { maxRetriesPerRequest: 0, retryStrategy: null });
    gone.on('error', () => {});
    const error: unknown = await new RedisStore(gone, { onWarning }).get('a').catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      outcome: 'unknown',
      message: expect.stringMatching(/^Redis did not answer/) as string,
    });
    expect(JSON.stringify([error, String((error as Error).cause)])).not.toContain('pa55word');
    gone.disconnect();
  });

  it('of invalid arguments', () => {
    for (const wrong of [undefined, null, {}, 'redis://a'])
      expect(() => new RedisStore(wrong as never)).toThrow(ConfigurationError);
    expect(() => new RedisStore(client, { table: 'x' } as object)).toThrow("'table' is not an option of RedisStore");
    expect(() => new RedisStore(client, { prefix: 5 as never })).toThrow('prefix must be a string');
  });
});
