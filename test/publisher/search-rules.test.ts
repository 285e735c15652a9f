/** Rules of the searches for posts, of lists and of results, each with the requests or records that show it. */
import { describe, expect, it } from 'vitest';
import { InvalidRequestError, ServerError, type ClientOptions } from '../../src/index.js';
import { ApiError } from '../../src/core/errors.js';
import { newIntent } from '../../src/publisher/intents/intent.js';
import type { IntentRecord } from '../../src/publisher/intents/intent-record.js';
import { describeError } from '../../src/publisher/send.js';
import { formatOf } from '../../src/stores/records.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { collect } from '../support/collect.js';
import { hour, lostReply, minute, second, start, World, worldWith } from './world.js';

const { encode } = formatOf('format', 2);

const queriesOf = (world: World) =>
  world.service.requests
    .filter(({ method }) => method === 'GET')
    .map(({ url }) => new URL(url, 'https://emulator.test').searchParams);

describe('a list that the client cannot read', () => {
  const tooLong = (fitting: number): ClientOptions => ({
    fetch: async (input, init) => {
      const limit = Number(new URL(String(input)).searchParams.get('limit') ?? 0);
      if (init.method === 'GET' && limit > fitting) return new Response('[', { status: 200 });
      return world.service.fetch(input, init);
    },
  });
  let world: World;

  it.each([
    [100, ['100']],
    [10, ['100', '10']],
    [1, ['100', '10', '1']],
    [0, ['100', '10', '1']],
  ])('is read with smaller pages until they fit: at most %i posts', async (fitting, limits) => {
    world = new World();
    world.service.faults.add(lostReply);
    const intent = await world.process({ client: world.newClient(tooLong(fitting)) }).publish('k', world.later());
    expect(queriesOf(world).length).toBeLessThan(4);
    expect(intent.state).toBe(fitting === 0 ? 'in_doubt' : 'accepted');
    if (fitting === 0) expect(intent.lookup).toMatchObject({ result: 'failed', error: { name: 'ResponseError' } });
    // The error of the list says that it is safe to call again.
    if (fitting === 0) expect(intent.error?.message).toMatch(/^The post may exist: do not send it again\./);
    expect(limits).toContain(queriesOf(world).at(-1)?.get('limit') ?? '1');
  });
});

interface Page {
  readonly total: number;
  readonly posts: readonly Record<string, unknown>[];
}

/** A client whose lists are changed on the way. */
const listing = (world: World, change: (page: Page) => Partial<Page>) =>
  world.clientReading(async (reply, { method }) => {
    if (method !== 'GET') return reply;
    const page = (await reply.json()) as Page;
    return Response.json({ ...page, ...change(page) }, { headers: reply.headers });
  });

describe('a list that ends before its total', () => {
  it.each(['hold', 'resend'] as const)(
    "is no proof that the post does not exist: '%s' sends nothing",
    async (onMissing) => {
      const world = new World();
      // The service counts the posts, but returns none of them, for example while a part of its index is down.
      const options = { onMissing, settleMs: minute, client: listing(world, () => ({ posts: [] })) };
      world.service.faults.add(lostReply);
      await world.process(options).publish('k', world.later());
      await world.pass(10 * minute);
      await world.process(options).resume('k');
      expect(world.creates).toBe(1);
      const intent = await world.process(options).get('k');
      expect(intent).toMatchObject({
        state: 'in_doubt',
        lookup: { result: 'failed', error: { name: 'PaginationError' } },
      });
      expect(intent?.lookup?.error?.message).toContain('showed 0 of 1 posts');
      expect(intent?.lookup?.error?.message).toContain("call `resolve` with as: 'abandoned'");
      expect(await world.process().resume('k')).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId });
    },
  );

  it('still shows the posts that it has', async () => {
    const world = new World();
    world.service.faults.add(lostReply);
    const publisher = world.process({ client: listing(world, ({ total }) => ({ total: total + 1 })) });
    expect(await publisher.publish('k', world.later())).toMatchObject({ state: 'accepted' });
  });
});

describe('the check of an accepted post', () => {
  it('reads only around its creation, if a list has shown it', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.publish('k', world.later(2 * hour));
    await world.pass(hour);
    await publisher.resume('k');
    const createdAt = Date.parse((await publisher.get('k'))?.post?.createdAt ?? '');
    await world.pass(2 * hour);
    await publisher.sweep();
    const query = queriesOf(world).at(-1);
    expect(createdAt - Date.parse(query?.get('createdAfter') ?? '')).toBeLessThanOrEqual(10 * second);
    expect(Date.parse(query?.get('createdBefore') ?? '') - createdAt).toBeLessThanOrEqual(10 * second);
    expect((await publisher.get('k'))?.state).toBe('published');
  });
});

describe('an intent of release 0.2.0 with two unique times that are far apart', () => {
  it.each([0, 1])('is found by either time: %i', async (which) => {
    const world = new World();
    const slots = [start + 24 * hour + 7, start + 48 * hour + 9];
    const body = { content: 'Later', platforms: [{ platform: 'bluesky', accountId: world.accountId }] };
    const record: IntentRecord = {
      ...newIntent('k', { body: { ...body, scheduledFor: new Date(start + 24 * hour).toISOString() } }, start),
      state: 'in_doubt',
      attempts: 2,
      sent: { at: start },
      slots,
    };
    await world.store.insert('intent/k', encode(record), start);
    const { postId } = await world.client.posts.create({
      ...world.later(),
      scheduledFor: new Date(slots[which] ?? Number.NaN),
    });
    expect(await world.process().resume('k')).toMatchObject({ state: 'accepted', postId });
  });
});

describe('a listed post', () => {
  it('without its request is a candidate if its content is equal', async () => {
    const world = worldWith(lostReply);
    const client = listing(world, ({ posts }) => ({ posts: posts.map(({ rawRequestBody: _, ...post }) => post) }));
    const intent = await world.process({ client }).publish('k', world.later());
    const [post] = world.posts;
    expect(intent).toMatchObject({ state: 'in_doubt', lookup: { result: 'candidates', postIds: [post?.postId] } });
  });

  it('with its request is found, although its content has changed since', async () => {
    const world = worldWith(lostReply);
    const client = listing(world, ({ posts }) => ({ posts: posts.map((post) => ({ ...post, content: 'Edited' })) }));
    expect(await world.process({ client }).publish('k', world.later())).toMatchObject({ state: 'accepted' });
  });

  it('of an intent that was never sent is checked without the time of a send', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.enqueue('k', world.later(2 * hour));
    const { postId } = await world.client.posts.create(world.later(2 * hour));
    await publisher.resolve('k', { as: 'published', postId });
    const data = { post: { id: postId, status: 'scheduled' }, platforms: [] };
    await publisher.observe({ known: true, id: 'evt_1', type: 'post.scheduled', data });
    await world.pass(3 * hour);
    await publisher.sweep();
    expect(await publisher.get('k')).toMatchObject({ state: 'published', postId });
  });
});

describe('an intent that the client refuses', () => {
  it('is removed, but not if another process changed it in between', async () => {
    for (const isChanged of [false, true]) {
      const store = new MemoryDurableStore();
      const world = new World(store);
      const refused = new InvalidRequestError([{ path: ['content'], message: 'is too long' }]);
      const { posts: real } = world.client;
      const posts = { create: () => Promise.reject(refused), list: real.list.bind(real) };
      const get = store.get.bind(store);
      store.get = async (key) => {
        const item = await get(key);
        const record = item && (JSON.parse(item.data) as IntentRecord);
        if (!isChanged || item === undefined || record?.state !== 'rejected') return item;
        // Another process resolves it as rejected again, a moment later.
        const data = JSON.stringify({ ...record, updatedAt: record.updatedAt + 1 });
        await store.swap(key, item.version, data, null);
        return get(key);
      };
      const publisher = world.process({ client: { posts } });
      await expect(publisher.publish('k', world.now)).rejects.toThrow('content: is too long');
      store.get = get;
      expect((await publisher.get('k'))?.state).toBe(isChanged ? 'rejected' : undefined);
    }
  });
});

describe('the list of intents', () => {
  it('has every intent once, over several pages of the store', async () => {
    const world = new World();
    const keys = Array.from({ length: 201 }, (_, index) => `k${String(index).padStart(3, '0')}`);
    for (const key of keys) {
      await world.store.insert(`intent/${key}`, encode(newIntent(key, { body: { content: 'x' } }, start)), null);
    }
    expect((await collect(world.process().list())).map(({ key }) => key)).toEqual(keys);
  });
});

describe('the error of an intent', () => {
  const details = { method: 'POST', route: '/v1/posts/', body: undefined, form: 'other', attempts: 1 } as const;

  it('has retryAfterMs and status only if the reply had them', () => {
    const headers = new Headers();
    const error = new ServerError('It failed.', { ...details, status: 500, headers, outcome: 'unknown' });
    expect(Object.keys(describeError(error)).sort()).toEqual(['message', 'name', 'outcome', 'status']);
    const later = new ApiError('Later.', { ...details, status: 429, headers, outcome: 'rejected', retryAfterMs: 5 });
    expect(describeError(later)).toMatchObject({ status: 429, retryAfterMs: 5 });
    expect(Object.keys(describeError(new InvalidRequestError([]))).sort()).toEqual(['message', 'name', 'outcome']);
  });
});

describe('the number of checks of an accepted post', () => {
  it('grows with each check, because release 0.2.0 waits by it', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.publish('k', world.later(48 * hour));
    const looks = async () => {
      const item = await world.store.get('intent/k');
      return (JSON.parse(item?.data ?? '{}') as IntentRecord).looks;
    };
    expect(await looks()).toBe(0);
    for (const count of [1, 2, 3]) {
      await world.pass(minute);
      await publisher.resume('k');
      expect(await looks()).toBe(count);
    }
  });
});
