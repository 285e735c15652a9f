/** Options of a Redis client that change keys or replies under the store: they work, or are refused by name. */
import { randomUUID } from 'node:crypto';
import { Cluster, Redis } from 'ioredis';
import { createClient, createClientPool, createCluster, createSentinel, RESP_TYPES } from 'redis';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/core/errors.js';
import { RedisStore, type RedisHandle } from '../../../src/stores/redis/index.js';
import { removeRedisKeys } from './remove-redis-keys.js';
import { serverUrl } from './server-url.js';

const url = serverUrl('REDIS_URL');
const run = `social-publishing-options-${randomUUID()}:`;
const onWarning = () => {};

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(() => removeRedisKeys(run));

const ioredis = (options: object = {}) => {
  const client = new Redis(url, options);
  client.on('error', () => {}); // Some are closed before they connect.
  ends.push(() => {
    client.disconnect();
  });
  return client;
};
const nodeRedis = async (options: object = {}) => {
  const client = createClient({ url, ...options });
  await client.connect();
  ends.push(() => {
    client.destroy();
  });
  return client;
};
const nowhere = { socket: { host: '127.0.0.1', port: 1 } };

class OwnRedis extends Redis {
  constructor(name: string) {
    super(url, { keyPrefix: name, lazyConnect: true });
  }
}

describe('a client that puts a prefix before keys is refused:', () => {
  const cluster = (options: object) => new Cluster([{ port: 1 }], { lazyConnect: true, ...options });
  const clients: Record<string, () => unknown> = {
    'ioredis with keyPrefix': () => ioredis({ keyPrefix: 'app:', lazyConnect: true }),
    'ioredis with a keyPrefix of bytes': () => ioredis({ keyPrefix: Buffer.from('app:'), lazyConnect: true }),
    'a duplicate of such a client': () => ioredis({ keyPrefix: 'app:', lazyConnect: true }).duplicate(),
    'a class on top of ioredis': () => new OwnRedis('app:'),
    'a cluster of ioredis with redisOptions.keyPrefix': () => cluster({ redisOptions: { keyPrefix: 'app:' } }),
    'a cluster of ioredis with keyPrefix': () => cluster({ keyPrefix: 'app:' }),
    'redis with keyPrefix': () => createClient({ url, keyPrefix: 'app:' }),
    'a duplicate of redis': () => createClient({ url, keyPrefix: 'app:' }).duplicate(),
    'redis with other options of commands': () => createClient({ url, keyPrefix: 'app:' }).withCommandOptions({}),
    'a pool of redis': () => createClientPool({ url, keyPrefix: 'app:' }),
    'a cluster of redis': () => createCluster({ rootNodes: [nowhere], keyPrefix: 'app:' }),
    'a sentinel client of redis': () =>
      createSentinel({ name: 'x', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }], keyPrefix: 'app:' }),
  };
  it.each(Object.entries(clients))('%s', (_, open) => {
    const make = () => new RedisStore(open() as RedisHandle, { onWarning });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(
      /keyPrefix "app:".*option prefix of the RedisStore.*"social-publishing:".*"app:social-publishing:"/,
    );
  });

  it('names the store’s own prefix, if it has one', () => {
    const make = (prefix: string) => () =>
      new RedisStore(ioredis({ keyPrefix: 'app:', lazyConnect: true }), { prefix });
    expect(make('own:')).toThrow(/ioredis 5\.0 to 5\.8: prefix: "own:"\. .*ioredis 6: prefix: "app:own:"/);
  });

  it('but not an empty prefix', async () => {
    for (const client of [ioredis({ keyPrefix: '' }), await nodeRedis({ keyPrefix: '' })]) {
      const store = new RedisStore(client, { prefix: `${run}empty:`, onWarning });
      const key = randomUUID();
      await store.insert(key, 'x', 1);
      expect(await store.get(key)).toMatchObject({ data: 'x' });
    }
  });
});

it.each(['ioredis', 'redis'] as const)(
  'with %s, the prefix that the message names reads the existing data',
  async (name) => {
    const keyPrefix = `${run}${name}:`;
    const key = randomUUID();
    const prefixed = name === 'ioredis' ? ioredis({ keyPrefix }) : await nodeRedis({ keyPrefix });
    // What earlier releases did with this client: the key of each script gets the prefix.
    const before = new RedisStore(
      (command, script = '', count = '', ...args) =>
        command !== 'EVAL'
          ? Promise.resolve(undefined)
          : 'call' in prefixed
            ? prefixed.call(command, script, count, ...args)
            : prefixed.eval(script, { keys: args.slice(0, Number(count)), arguments: args.slice(Number(count)) }),
      { onWarning },
    );
    await before.insert(key, 'existing', null);
    let message = '';
    try {
      new RedisStore(prefixed, { onWarning });
    } catch (error) {
      message = String(error);
    }
    const prefix = JSON.parse(/.*prefix: (".*?")\.$/.exec(message)?.[1] ?? '""') as string;
    const after = new RedisStore(ioredis(), { prefix, onWarning });
    expect(await after.get(key)).toMatchObject({ data: 'existing' });
  },
);

describe('the store works with', () => {
  const settings: Record<string, () => RedisHandle | Promise<RedisHandle>> = {
    'ioredis: stringNumbers': () => ioredis({ stringNumbers: true }),
    'ioredis: showFriendlyErrorStack': () => ioredis({ showFriendlyErrorStack: true }),
    'ioredis: enableAutoPipelining': () => ioredis({ enableAutoPipelining: true }),
    'ioredis: protocol 2': () => ioredis({ protocol: 2 }),
    'ioredis: replyMapping resp3': () => ioredis({ replyMapping: 'resp3' }),
    'redis: RESP 2': () => nodeRedis({ RESP: 2 }),
    'redis: RESP 3': () => nodeRedis({ RESP: 3 }),
    'redis: numbers as texts': () => nodeRedis({ commandOptions: { typeMapping: { [RESP_TYPES.NUMBER]: String } } }),
    'redis: texts as bytes': () => nodeRedis({ commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } } }),
    'redis: maps': () => nodeRedis({ commandOptions: { typeMapping: { [RESP_TYPES.MAP]: Map } } }),
  };
  it.each(Object.entries(settings))('%s', async (_, open) => {
    const store = new RedisStore(await open(), { prefix: `${run}settings:`, onWarning });
    await store.setup();
    const key = `${randomUUID()}/é`;
    const version = (await store.insert(key, '{"a":1}', 1.5)) ?? 0;
    expect(version).toEqual(expect.any(Number));
    expect(await store.insert(key, 'other', 1)).toBeUndefined();
    const swapped = await store.swap(key, version, '\uFEFF7', 1.5);
    expect(swapped).toBeGreaterThan(version);
    expect(await store.swap(key, version, 'late', 1)).toBeUndefined();
    expect(await store.get(key)).toEqual({ version: swapped, data: '\uFEFF7' });
    expect(await store.get(`${key}/none`)).toBeUndefined();
    expect(await store.due(key, 2, 5)).toEqual([key]);
    expect(await store.scan(key, undefined, 5)).toEqual([{ key, version: swapped, data: '\uFEFF7' }]);
    expect(await store.swap(key, swapped ?? 0, null, null)).toEqual(expect.any(Number));
    expect(await store.get(key)).toBeUndefined();
  });

  it('no client whose replies are something else, and then reports no write as refused', async () => {
    const silent = new RedisStore(() => Promise.resolve(undefined), { onWarning });
    await expect(silent.insert('a', 'x', 1)).rejects.toThrow('the reply to a write was undefined in place of 0 or 1');
  });
});

describe('a MULTI of the caller on the connection of the store', () => {
  it('is reported: neither a mark nor an event counts as written, because DISCARD would undo it', async () => {
    const client = ioredis();
    const store = new RedisStore(client, { prefix: `${run}multi:`, onWarning });
    const refused = 'has an open MULTI, and the command became part of it';
    await client.call('MULTI');
    await expect(store.insert('a', 'x', 1)).rejects.toThrow(ConfigurationError);
    await expect(store.get('a')).rejects.toThrow(refused);
    await expect(store.due('', 1, 1)).rejects.toThrow(refused);
    await client.call('DISCARD');
    expect(await store.insert('a', 'x', 1)).toEqual(expect.any(Number));
  });
});
