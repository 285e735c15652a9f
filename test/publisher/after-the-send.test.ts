/** Faults between the send and its record: each ends with one post, and no outcome says that nothing was sent. */
import { describe, expect, it } from 'vitest';
import { ConfigurationError, InvalidRequestError, SocialPublishingError, outcomeOf } from '../../src/core/errors.js';
import type { Intent, IntentRecord } from '../../src/publisher/intents/intent-record.js';
import type { PublisherClient } from '../../src/publisher/options.js';
import { afterInsert, refusingStore } from '../support/stores.js';
import { hour, lostReply, minute, World, worldWith } from './world.js';

/** A client that runs `after` once a create was executed. */
function afterCreate(world: World, after: () => unknown) {
  return world.clientReading((reply, { method }) => {
    if (method === 'POST') after();
    return reply;
  });
}

describe('a key that is also a word of the package', () => {
  it.each(['other', 'undecided', '__proto__', 'constructor'])('%s: a claimed post is found', async (key) => {
    for (const point of ['claimed', 'looked'] as const) {
      const world = new World();
      await world.dieAt(point === 'looked' ? 'replied' : point, (publisher) => publisher.publish(key, world.later()));
      await world.pass(2 * minute);
      if (point === 'looked') await world.dieAt('looked', (publisher) => publisher.sweep());
      const survivor = world.process({ onMissing: 'resend', settleMs: minute });
      for (let round = 0; round < 3; round += 1) {
        await survivor.sweep();
        await world.pass(20 * minute);
      }
      expect([point, world.posts.length, (await survivor.get(key))?.postId]).toEqual([
        point,
        1,
        world.posts[0]?.postId,
      ]);
    }
  });
});

it('a post whose mark took longer than the window is found again when its event is lost', async () => {
  const world = new World();
  const slow = afterInsert(world.store, async (key) => {
    if (key.startsWith('intent/')) await world.pass(20 * minute);
  });
  const publisher = world.process({ store: slow, leaseMs: hour });
  // The offset of its clock is known before the mark.
  await publisher.publish('before', world.now);
  await publisher.publish('k', world.later(2 * hour));
  await world.pass(3 * hour);
  await publisher.sweep();
  expect((await publisher.get('k'))?.state).toBe('published');
});

describe('a store that refuses a write after the send', () => {
  it.each([
    ['twice: the reply is recorded', 2],
    ['always: the outcome is unknown', Infinity],
  ])('%s', async (_, refusals) => {
    const world = new World();
    const { store, refuse } = refusingStore(world.store);
    const client = afterCreate(world, () => {
      refuse(refusals);
    });
    const publishing = world.process({ store, client }).publish('k', world.now);
    const result = await publishing.catch((error: unknown) => error);
    if (refusals === 2) {
      expect((result as Intent).postId).toBe(world.posts[0]?.postId);
    } else {
      expect(result).toBeInstanceOf(ConfigurationError);
      expect(outcomeOf(result)).toBe('unknown');
    }
    expect(world.posts).toHaveLength(1);
  });
});

it('a fetch that rejects with a ConfigurationError after the send is not taken for not sent', async () => {
  const world = new World();
  let isFirst = true;
  const client = afterCreate(world, () => {
    if (!isFirst) return;
    isFirst = false;
    throw new ConfigurationError('This SqliteStore was closed. Create another one.');
  });
  const publisher = world.process({ client });
  await publisher.publish('k', world.now);
  await world.pass(10 * minute);
  await publisher.sweep();
  expect(world.posts).toHaveLength(1);
});

it('a paused sender does not record its clock for a later send of another process', async () => {
  const world = new World();
  const options = { onMissing: 'resend', settleMs: minute } as const;
  const readSent = async () => {
    const { attempts, sent } = JSON.parse((await world.store.get('intent/k'))?.data ?? '{}') as IntentRecord;
    return { attempts, sent };
  };
  let resent: Awaited<ReturnType<typeof readSent>> | undefined;
  const client = world.newClient({
    fetch: async (input, init) => {
      if (init.method !== 'POST') return world.service.fetch(input, init);
      const other = world.process({ ...options, now: () => world.time - hour });
      await world.pass(2 * minute);
      await other.sweep();
      world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
      await world.pass(2 * minute);
      await other.sweep();
      resent = await readSent();
      throw Object.assign(new TypeError('fetch failed'), { cause: new Error('reset') });
    },
  });
  expect(await world.process({ client, ...options }).publish('k', world.later())).toMatchObject({ state: 'in_doubt' });
  expect(resent).toMatchObject({ attempts: 2, sent: { skewMs: hour } });
  expect(await readSent()).toEqual(resent);
});

it('a settleMs beyond the last date does not stop a search', async () => {
  const world = worldWith(lostReply);
  const publisher = world.process({ settleMs: Number.MAX_SAFE_INTEGER });
  expect((await publisher.publish('k', world.later())).state).toBe('accepted');
});

it('publishMany yields items without a valid key as rejected', async () => {
  const world = new World();
  const items = [null, undefined, {}, { body: {} }, 'x', { key: 'ok', body: world.now }] as never[];
  const states: string[] = [];
  let last: unknown;
  for await (const { state } of world.process().publishMany(items, { onProgress: (progress) => (last = progress) })) {
    states.push(state);
  }
  expect(states.filter((state) => state === 'rejected')).toHaveLength(5);
  expect(last).toMatchObject({ total: 6, rejected: 5 });
});

describe('a post ID that no store can hold', () => {
  const ids = [
    ['with NUL', 'post\0', 'it must not contain the character NUL (U+0000)'],
    ['with half a surrogate pair', 'post\ud83d', 'half a surrogate pair'],
    ['of 3,000 characters', 'x'.repeat(3_000), 'it must have at most 2600 bytes'],
  ] as const;

  /** The service gives this ID to its first post. */
  function odd(postId: string) {
    const world = new World();
    const client = world.clientReading(
      async (reply) => new Response((await reply.text()).replaceAll('"post_1"', JSON.stringify(postId)), reply),
    );
    return { world, publisher: world.process({ client }) };
  }

  it.each(ids)('%s: the outcome is unknown, and the intent is held', async (_, postId, wrong) => {
    const { world, publisher } = odd(postId);
    const error = await publisher.publish('k', world.now).catch((thrown: unknown) => thrown);
    expect(outcomeOf(error)).toBe('unknown');
    expect(error).toMatchObject({ message: expect.stringContaining(wrong) as string });
    await world.pass(hour);
    expect(await publisher.publish('k', world.now)).toMatchObject({
      state: 'in_doubt',
      error: { outcome: 'unknown' },
      lookup: { result: 'candidates', postIds: [postId] },
    });
    expect(world.posts).toHaveLength(1);
    await expect(publisher.resolve('k', { as: 'published', postId })).rejects.toThrow(/^Nothing was done: postId must/);
    expect(await publisher.resolve('k', { as: 'abandoned' })).toMatchObject({ state: 'abandoned' });
  });

  it('does not stop the search for other intents', async () => {
    const { world, publisher } = odd('post\0');
    await publisher.publish('k', world.later()).catch(() => undefined);
    world.service.faults.add(lostReply);
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 500, times: 1 });
    expect(await publisher.publish('l', world.later(hour, 'Other'))).toMatchObject({ state: 'in_doubt' });
    await world.pass(2 * minute);
    const swept = await publisher.sweep();
    expect(Object.fromEntries(swept.map(({ key, state }) => [key, state]))).toEqual({ k: 'in_doubt', l: 'accepted' });
  });
});

describe('an error of a client that sends more than creates', () => {
  it.each([
    ['its own store is closed', new ConfigurationError('This SqliteStore was closed. Create another one.')],
    ['its own code fails', new Error('no such column')],
  ])('after the create, %s: the outcome is unknown', async (_, error) => {
    const world = new World();
    const { posts } = world.client;
    const create: PublisherClient['posts']['create'] = async (body, options) => {
      await posts.create(body, options);
      throw error;
    };
    const publisher = world.process({ client: { posts: { create, list: posts.list.bind(posts) } } });
    expect((await publisher.publish('k', world.now)).postId).toBe(world.posts[0]?.postId);
    await world.pass(hour);
    await publisher.sweep();
    expect(world.posts).toHaveLength(1);
  });

  it.each([
    new InvalidRequestError([{ path: ['name'], message: 'name must be a string' }]),
    new SocialPublishingError('The process ends.'),
  ])('an abort after the create, with the reason %s: the outcome is unknown', async (reason) => {
    const world = new World();
    const stop = new AbortController();
    const { posts } = afterCreate(world, () => {
      stop.abort(reason);
    });
    const create: PublisherClient['posts']['create'] = (body, options) =>
      posts.create(body, { ...options, signal: stop.signal });
    const publisher = world.process({ client: { posts: { create, list: posts.list.bind(posts) } } });
    expect((await publisher.publish('k', world.now)).postId).toBe(world.posts[0]?.postId);
    expect(world.posts).toHaveLength(1);
  });
});

it.each([401, 403, 400, 404, 429])('a list that is refused with %i says nothing about the create', async (status) => {
  const world = worldWith(lostReply, { route: 'GET /v1/posts/', kind: 'status', status });
  const intent = await world.process().publish('k', world.now);
  expect(intent).toMatchObject({ state: 'in_doubt', error: { outcome: 'unknown' } });
  expect(intent.lookup).toMatchObject({ result: 'failed', error: { outcome: 'unknown', status } });
});

it("a store's own error keeps its identity, and has an unknown outcome", async () => {
  const world = new World();
  const down = new Error('connect ECONNREFUSED');
  await world.process().publish('k', world.now);
  world.store.insert = () => Promise.reject(down);
  world.store.get = () => Promise.reject(down);
  const error: unknown = await world
    .process()
    .publish('k', world.now)
    .catch((thrown: unknown) => thrown);
  expect(error).toBe(down);
  expect(outcomeOf(error)).toBe('unknown');
});

it('a sweep on a store that is closed meanwhile rejects', async () => {
  const world = new World();
  await world.process().enqueue('k', world.now);
  world.store.get = () => Promise.reject(new ConfigurationError('This SqliteStore was closed. Create another one.'));
  const error: unknown = await world
    .process()
    .sweep()
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'unknown' });
});
