/** Senders whose clocks are wrong, or are set while they work. No post may be taken for missing because of that. */
import { describe, expect, it } from 'vitest';
import type { PublisherOptions } from '../../src/publisher/options.js';
import { storeWith } from '../support/stores.js';
import { collect } from '../support/collect.js';
import { hour, lostReply, minute, neverArrived, second, withHeaders, World, worldWith } from './world.js';

const year = 365 * 24 * hour;

/** Time passes, and another process sweeps again and again. */
async function settle(world: World, options: Partial<PublisherOptions> = {}) {
  const survivor = world.process(options);
  for (let round = 0; round < 4; round += 1) {
    await world.pass(15 * minute);
    await survivor.sweep();
  }
  return survivor.get('k');
}

describe('a sender that dies in its first create, with a clock that is wrong', () => {
  it.each([15 * second, hour, year, -hour, -year])('by %i ms: its post is a candidate or a match', async (offMs) => {
    for (const onMissing of ['hold', 'resend'] as const) {
      const world = new World();
      await world.dieAt('replied', (publisher) => publisher.publish('k', world.later()), {
        now: () => world.time + offMs,
      });
      const intent = await settle(world, { onMissing });
      const [post] = world.posts;
      if (intent?.state === 'in_doubt') {
        expect(intent.lookup).toMatchObject({ result: 'candidates', postIds: [post?.postId] });
        expect(intent.error?.message).toContain('lists an equal post');
      } else expect(intent).toMatchObject({ state: 'accepted', postId: post?.postId });
      expect(world.creates).toBe(1);
    }
  });
});

it('a search that reads further back and fails is repeated', async () => {
  const world = new World();
  // Its clock is a day ahead: the window of the send is not when the post was created.
  await world.dieAt('replied', (publisher) => publisher.publish('k', world.later()), {
    now: () => world.time + 20 * hour,
  });
  let failures = 0;
  const client = world.newClient({
    fetch: (input, init) => {
      const after = Date.parse(new URL(input).searchParams.get('createdAfter') ?? '');
      const isFarBack = after < world.time - 23 * hour;
      if (!isFarBack || failures > 0) return world.service.fetch(input, init);
      failures += 1;
      return Promise.reject(new TypeError('fetch failed', { cause: new Error('reset') }));
    },
  });
  const intent = await settle(world, { client });
  expect([failures, intent?.lookup?.result, intent?.lookup?.postIds]).toEqual([
    1,
    'candidates',
    [world.posts[0]?.postId],
  ]);
});

it("a post is found although the first search did not learn the service's time", async () => {
  const world = new World(undefined, {}, { clockSkewMs: hour });
  // The sender reaches the service, but nothing comes back.
  const client = world.clientReading(() => {
    throw new TypeError('fetch failed', { cause: new Error('reset') });
  });
  await world.process({ client }).publish('k', world.later());
  const intent = await settle(world);
  expect([intent?.state, intent?.postId]).toEqual(['accepted', world.posts[0]?.postId]);
});

describe('a clock that is set while a create is in flight', () => {
  it.each([hour, -hour])('by %i ms: the post is found, or a candidate', async (stepMs) => {
    for (const onMissing of ['hold', 'resend'] as const) {
      const world = new World();
      let offMs = 0;
      const client = world.clientReading((reply, init) => {
        if (init.method !== 'POST' || !JSON.stringify(init.body).includes('Later')) return reply;
        offMs = stepMs;
        throw Object.assign(new TypeError('fetch failed'), { cause: new Error('reset') });
      });
      const publisher = world.process({ client, onMissing, now: () => world.time + offMs });
      await publisher.publish('before', world.now);
      await publisher.publish('k', world.later());
      const intent = await settle(world, { onMissing });
      expect([intent?.postId ?? intent?.lookup?.postIds?.[0], world.creates]).toEqual([world.posts.at(-1)?.postId, 2]);
    }
  });
});

describe('a post that is listed late, of a sender whose clock is set', () => {
  it.each([
    ['before the send', 9 * minute, 'a candidate'],
    ['before the send', -9 * minute, 'found'],
    ['while the create is in flight', hour, 'found'],
    ['while the create is in flight', -hour, 'a candidate'],
  ] as const)('%s, by %i ms: for another process, it is %s', async (when, stepMs, result) => {
    const world = new World();
    let offMs = 0;
    const client = world.clientReading((reply) => {
      if (world.creates === 2) offMs = stepMs;
      return reply;
    });
    const publisher = world.process({ client, now: () => world.time + offMs });
    await publisher.publish('before', world.now);
    if (when === 'before the send') offMs = stepMs;
    world.service.faults.add({ kind: 'listing_lag', lagMs: minute, times: 1 });
    world.service.faults.add({ ...lostReply, kind: 'truncated_body' });
    expect((await publisher.publish('k', world.later())).state).toBe('in_doubt');
    await world.pass(2 * minute);

    const { state, postId } = await world.process().resume('k');
    if (result === 'found') expect([state, postId]).toEqual(['accepted', world.posts.at(-1)?.postId]);
    await world.pass(hour);
    const intent = await settle(world);

    expect([offMs, intent?.postId ?? intent?.lookup?.postIds?.[0]]).toEqual([stepMs, world.posts.at(-1)?.postId]);
    expect(world.creates).toBe(2);
  });
});

describe('a Date header from a cache', () => {
  it.each([7 * second, -2 * minute, 30 * minute])('%i ms off: the post is found, or a candidate', async (offMs) => {
    for (const onMissing of ['hold', 'resend'] as const) {
      const world = worldWith(lostReply);
      const client = world.clientReading((reply) =>
        withHeaders(reply, { date: new Date(world.time + offMs).toUTCString() }),
      );
      await world.process({ client, onMissing }).publish('k', world.later());
      const intent = await settle(world, { client, onMissing });
      expect([intent?.postId ?? intent?.lookup?.postIds?.[0], world.creates]).toEqual([world.posts[0]?.postId, 1]);
    }
  });
});

/** A cache changes the `Date` of each reply to a create. */
function clientWithDate(world: World, offMs: number) {
  return world.clientReading((reply, { method }) =>
    method === 'POST' ? withHeaders(reply, { date: new Date(world.time + offMs).toUTCString() }) : reply,
  );
}

it.each([-hour, hour])('a Date that is %i ms off in the reply to a create: the final state is found', async (offMs) => {
  const world = new World();
  world.service.publishing.duration({ milliseconds: minute });
  const client = clientWithDate(world, offMs);
  expect(await world.process({ client }).publish('k', world.now)).toMatchObject({ state: 'accepted' });
  expect(await settle(world)).toMatchObject({ state: 'published', postId: world.posts[0]?.postId });
});

it.each([-26 * hour, 100 * 24 * hour])('the same with a Date that is %i ms off, after some days', async (offMs) => {
  const world = new World();
  world.service.publishing.duration({ milliseconds: minute });
  await world.process({ client: clientWithDate(world, offMs) }).publish('k', world.now);
  const worker = world.process();
  for (let hours = 0; hours < 9 * 24; hours += 1) {
    await world.pass(hour);
    await worker.sweep();
  }
  expect(await worker.get('k')).toMatchObject({ state: 'published', postId: world.posts[0]?.postId });
});

it('the same, although events of the post arrive, which are not searches', async () => {
  const world = new World();
  const publisher = world.process({ client: clientWithDate(world, -hour) });
  const { postId = '' } = await publisher.publish('k', world.later(hour));
  const data = {
    post: { id: postId, status: 'scheduled', content: 'Later' },
    platforms: [{ platform: 'bluesky', integrationId: world.accountId, status: 'scheduled' }],
  };
  // A receiver that restarts handles an event twice.
  for (let times = 0; times < 2; times += 1)
    await publisher.observe({ known: true, id: 'event_1', type: 'post.scheduled', data });
  for (let hours = 0; hours < 4; hours += 1) {
    await world.pass(hour);
    await world.process().sweep();
  }
  expect(await publisher.get('k')).toMatchObject({ state: 'published', postId });
});

it('the same, although two processes always sweep at the same time', async () => {
  const world = new World();
  world.service.publishing.duration({ milliseconds: minute });
  await world.process({ client: clientWithDate(world, -hour) }).publish('k', world.now);
  const sweepers = [world.process(), world.process()];
  for (let round = 0; round < 4; round += 1) {
    await world.pass(15 * minute);
    await Promise.all(sweepers.map((sweeper) => sweeper.sweep()));
  }
  expect(await sweepers[0]?.get('k')).toMatchObject({ state: 'published', postId: world.posts[0]?.postId });
});

describe('a list reply from a cache, an hour old, before a create that never arrives', () => {
  /** A world in which another program's equal post is 30 minutes old, and a client whose cached replies end on demand. */
  async function cachedWorld(more: Record<string, string>) {
    const world = new World();
    await world.client.posts.create(world.later());
    await world.pass(30 * minute);
    let isCached = true;
    const client = world.clientReading((reply, { method }) =>
      isCached && method !== 'POST'
        ? withHeaders(reply, { ...more, date: new Date(world.time - hour).toUTCString() })
        : reply,
    );
    // Its search reads the cached list. The create itself is lost on the way.
    world.service.faults.add(neverArrived);
    const publisher = world.process({ client });
    await publisher.publish('before', world.now);
    world.service.faults.add(neverArrived);
    return { world, publisher, endCache: () => (isCached = false) };
  }

  it.each([{}, { age: '3600' }])("%j: another program's equal post is not taken for its post", async (more) => {
    const { world, publisher, endCache } = await cachedWorld(more);
    endCache();
    const intent = await publisher.publish('k', world.later());
    expect([intent.state, intent.postId]).toEqual(['in_doubt', undefined]);
    await world.pass(15 * minute);
    expect(await publisher.resume('k')).toMatchObject({
      state: 'in_doubt',
      lookup: { result: 'candidates', postIds: [world.posts[0]?.postId] },
    });
  });

  it('if every reply is cached and has an Age, the intent is held', async () => {
    const { world, publisher } = await cachedWorld({ age: '3600' });
    expect(await publisher.publish('k', world.later())).toMatchObject({ state: 'in_doubt' });
    await world.pass(15 * minute);
    const intent = await publisher.resume('k');
    expect([intent.state, intent.postId, world.posts.length]).toEqual(['in_doubt', undefined, 1]);
  });
});

it('a search that read back without the service’s time reads back again once it is known', async () => {
  const world = new World();
  let isCached = true;
  const client = world.clientReading((reply) => (isCached ? withHeaders(reply, { age: '9' }) : reply));
  world.service.faults.add(lostReply);
  // Its clock is a year ahead, so its searches read where the post cannot be.
  const sender = world.process({ client, now: () => world.time + year });
  await sender.publish('k', world.later());
  await world.pass(15 * minute);
  await sender.sweep();
  isCached = false;
  expect(await settle(world)).toMatchObject({
    state: 'in_doubt',
    lookup: { result: 'candidates', postIds: [world.posts[0]?.postId] },
  });
});

describe("with 'resend'", () => {
  it('a search that began before settleMs and ended after it does not count', async () => {
    const world = new World();
    const options = { onMissing: 'resend', settleMs: 10 * minute } as const;
    await world.process(options).publish('equal', world.later());
    world.service.faults.add({ kind: 'listing_lag', lagMs: 5 * minute, times: 1 });
    world.service.faults.add(lostReply);
    await world.process(options).publish('k', world.later());
    // The searcher is paused for 11 minutes after it read the list: it asks for the owner of the equal post.
    let pauseMs = 11 * minute;
    const store = storeWith(world.store, {
      get: async (key) => {
        if (key.startsWith('post/')) {
          await world.pass(pauseMs);
          pauseMs = 0;
        }
        return world.store.get(key);
      },
    });

    expect((await world.process({ ...options, store }).resume('k')).state).toBe('in_doubt');

    expect([pauseMs, world.creates, world.posts.length]).toEqual([0, 2, 2]);
    expect(await world.process(options).resume('k')).toMatchObject({ postId: world.posts[1]?.postId });
    expect(world.creates).toBe(2);
  });

  it('a sender of unknown clock is not sent again before settleMs after the first search', async () => {
    const world = new World();
    const options = { onMissing: 'resend', settleMs: 10 * minute } as const;
    await world.dieAt('marked', (publisher) => publisher.publish('k', world.later()), {
      now: () => world.time - hour,
    });
    await world.pass(2 * minute);
    await world.process(options).sweep();
    expect(world.creates).toBe(0);
    await world.pass(11 * minute);
    await world.process(options).sweep();
    await world.process(options).sweep();
    expect([world.creates, (await world.process().get('k'))?.state]).toEqual([1, 'accepted']);
  });

  it('the search before it reads 24 hours back, and holds for an equal post of that time', async () => {
    for (const [ageMs, creates] of [
      [23 * hour, 2],
      [25 * hour, 3],
    ] as const) {
      const world = new World();
      await world.client.posts.create(world.later(48 * hour));
      await world.pass(ageMs);
      world.service.faults.add(neverArrived);
      const publisher = world.process({ onMissing: 'resend', settleMs: minute });
      await publisher.publish('k', world.later(48 * hour));
      await world.pass(2 * minute);
      await publisher.sweep();
      expect(world.creates).toBe(creates);
    }
  });
});

describe('a sender whose clock is a year ahead', () => {
  it('blocks neither sweep, resume nor resolve with its lease', async () => {
    const ahead = (world: World) => ({ now: () => world.time + year });
    for (const act of ['sweep', 'resume', 'resolve'] as const) {
      const world = new World();
      await world.dieAt('marked', (publisher) => publisher.publish('k', world.later()), ahead(world));
      const survivor = world.process();
      if (act === 'sweep') expect(await survivor.sweep()).toMatchObject([{ state: 'in_doubt' }]);
      if (act === 'resume') expect((await survivor.resume('k')).state).toBe('in_doubt');
      if (act === 'resolve') expect((await survivor.resolve('k', { as: 'abandoned' })).state).toBe('abandoned');
    }
  });

  it('hides no ready intent from a sweep', async () => {
    const world = new World();
    await world.process({ now: () => world.time + year }).enqueue('k', world.later());
    expect(await world.process().sweep()).toMatchObject([{ key: 'k', state: 'accepted' }]);
  });

  it('searches for its own intents too after its clock was set right', async () => {
    const world = new World();
    let offMs = year;
    const publisher = world.process({ now: () => world.time + offMs });
    await publisher.sweep();
    await publisher.enqueue('k', world.later());
    offMs = 0;
    await world.pass(minute);
    expect(await publisher.sweep()).toMatchObject([{ key: 'k', state: 'accepted' }]);
  });

  it('is found among finished intents in one sweep, and an hour later again', async () => {
    const world = new World();
    const ahead = world.process({ now: () => world.time + year });
    for (let number = 0; number < 1_200; number += 1) {
      await world.process().enqueue(`a/${String(number).padStart(4, '0')}`, world.later());
      await world.process().resolve(`a/${String(number).padStart(4, '0')}`, { as: 'abandoned' });
    }
    await ahead.enqueue('z', world.later());
    const sweeper = world.process();
    expect(await sweeper.sweep()).toMatchObject([{ key: 'z' }]);
    await ahead.enqueue('a', world.later());
    expect(await sweeper.sweep()).toEqual([]);
    await world.pass(hour);
    expect(await sweeper.sweep()).toMatchObject([{ key: 'a' }]);
  });
});

describe('an equal post of another program', () => {
  it.each([
    [5 * second, 'accepted'],
    [7 * second, 'in_doubt'],
  ] as const)('%i ms before the send makes an intent that never arrived %s', async (ageMs, state) => {
    const world = new World();
    await world.client.posts.create(world.later());
    await world.pass(ageMs);
    world.service.faults.add(neverArrived);
    expect((await world.process().publish('k', world.later())).state).toBe(state);
    expect((await collect(world.process().list())).length).toBe(1);
  });
});
