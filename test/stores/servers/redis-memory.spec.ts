/** A Redis above its `maxmemory` refuses new items; existing items can still change and be removed. */
import { createClient, type RedisClientType } from 'redis';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startRedis, type TemporaryServer } from '../../support/temporary-servers.js';
import { createPublisher } from '../../../src/publisher/create-publisher.js';
import { RedisStore } from '../../../src/stores/redis/index.js';

let server: TemporaryServer;
let client: RedisClientType;
beforeAll(async () => {
  server = await startRedis();
  client = createClient({ url: server.url });
  await client.connect();
});
afterEach(() => client.configSet('maxmemory', '0'));
afterAll(async () => {
  client.destroy();
  await server.stop();
});

const fill = () => client.configSet('maxmemory', '1');
const empty = () => client.configSet('maxmemory', '0');
const isFull = 'The memory of Redis is full (maxmemory), so it refused this write.';

const body = {
  content: 'Hello',
  publishNow: true as const,
  platforms: [{ platform: 'bluesky' as const, accountId: 'int_1' }],
};

function publisherOf(store: RedisStore, send: (postId: string) => Promise<void> = async () => {}) {
  let posts = 0;
  const create = async () => {
    const postId = `post_${String((posts += 1))}`;
    await send(postId);
    return { success: true, postId, status: 'published' };
  };
  const list = () => ({ pages: async function* () {} });
  return { publisher: createPublisher({ client: { posts: { create, list } }, store }), posts: () => posts };
}

it('prune removes intents while the memory of Redis is full, and then publishing works again', async () => {
  const store = new RedisStore(client, { prefix: 'prune:' });
  const { publisher, posts } = publisherOf(store);
  for (const key of ['a', 'b', 'c']) expect(await publisher.publish(key, body)).toMatchObject({ state: 'published' });
  await fill();
  await expect(publisher.publish('d', body)).rejects.toThrow(isFull);
  expect(posts()).toBe(3);
  expect(await publisher.prune({ olderThan: new Date(Date.now() + 60_000) })).toBe(3);
  await empty();
  expect(await publisher.publish('d', body)).toMatchObject({ replayed: false, attempts: 1 });
});

it('a post that was sent is not sent again, although the memory was full meanwhile', async () => {
  const store = new RedisStore(client, { prefix: 'result:' });
  const { publisher, posts } = publisherOf(store, async () => {
    await fill();
  });
  await expect(publisher.publish('a', body)).rejects.toMatchObject({ outcome: 'unknown' });
  await empty();
  await publisher.publish('a', body);
  expect(posts()).toBe(1);
});

it('items can be swapped and removed, not inserted', async () => {
  const store = new RedisStore(client, { prefix: 'items:' });
  const version = (await store.insert('intent/a', 'x', 1)) ?? 0;
  await fill();
  await expect(store.insert('intent/b', 'x', 1)).rejects.toThrow(isFull);
  const swapped = (await store.swap('intent/a', version, 'y', 2)) ?? 0;
  expect(await store.get('intent/a')).toEqual({ version: swapped, data: 'y' });
  expect(await store.due('intent/', 2, 5)).toEqual(['intent/a']);
  expect(await store.scan('intent/', undefined, 5)).toHaveLength(1);
  expect(await store.swap('intent/a', swapped, null, null)).toEqual(expect.any(Number));
  expect(await store.get('intent/a')).toBeUndefined();
  await empty();
});
