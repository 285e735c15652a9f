import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PublisherClient } from '../../src/publisher/options.js';
import { hasOtherPost, settlesAt } from '../../src/publisher/search-again.js';
import type { DurableStore } from '../../src/stores/store.js';
import type { CrashPoint } from './crash-points.js';
import { newGate } from '../support/gate.js';
import { storeWith } from '../support/stores.js';
import { collect } from '../support/collect.js';
import { create, hour, lostReply, minute, neverArrived, second, undatedClient, World, worldWith } from './world.js';

/** A store that rejects writes of some data. */
function failingStore(store: DurableStore, fails: (data: string) => boolean): DurableStore {
  const check = (data: string | null) => {
    if (data !== null && fails(data)) throw new Error('The store is down.');
  };
  return storeWith(store, {
    insert: async (key, data, wakeAt) => {
      check(data);
      return store.insert(key, data, wakeAt);
    },
    swap: async (key, version, data, wakeAt) => {
      check(data);
      return store.swap(key, version, data, wakeAt);
    },
  });
}

/** A world in which the first create of `k` did not arrive, and `settleMs` is over: the next sweep sends it again. */
async function worldToResend() {
  const world = worldWith(neverArrived);
  const options = { onMissing: 'resend', settleMs: minute } as const;
  await world.process(options).publish('k', world.later());
  await world.pass(2 * minute);
  return { world, options };
}

describe('a reply with an empty ID of the post', () => {
  it.each(['a client', 'a client that does not check replies'])('is made up for by the list: of %s', async (kind) => {
    const world = new World();
    const emptied = world.clientReading(async (reply, { method }) => {
      if (method !== 'POST') return reply;
      return Response.json({ ...((await reply.json()) as object), postId: '' }, { headers: reply.headers });
    });
    const { posts } = world.client;
    const unchecked: PublisherClient = {
      posts: {
        create: async (...args) => ({ ...(await posts.create(...args)), postId: '' }),
        list: (query) => posts.list(query),
      },
    };
    const client = kind === 'a client' ? emptied : unchecked;
    const intent = await world.process({ client }).publish('k', world.later());
    expect(intent).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId, attempts: 1 });
    expect([world.creates, world.lists]).toEqual([1, 1]);
  });
});

describe('a reply that was lost', () => {
  it('is made up for by the list, at once', async () => {
    const world = worldWith(lostReply);
    const intent = await world.process().publish('k', world.later());
    expect(intent).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId, attempts: 1 });
    expect(intent.error).toBeUndefined();
    expect([world.creates, world.lists]).toEqual([1, 1]);
  });

  it('is searched for in its window, and not among all posts of the minute before', async () => {
    const world = new World();
    const publisher = world.process();
    world.addPosts(250);
    await world.pass(20 * second);
    await publisher.publish('before', world.later());
    world.service.faults.add(lostReply);
    expect((await publisher.publish('k', world.now)).postId).toBe(world.posts.at(-1)?.postId);
    expect(world.lists).toBe(1);
  });

  it('is found on the first page by a process that knows nothing of the clock yet', async () => {
    const world = new World();
    world.addPosts(250);
    await world.pass(second);
    world.service.faults.add(lostReply);
    expect(await world.process().publish('k', world.later())).toMatchObject({ postId: world.posts.at(-1)?.postId });
    expect(world.lists).toBe(1);
  });

  it('is found on the first page by a sweep, whatever was published since', async () => {
    const world = worldWith(lostReply);
    await world.dieAt('looking', (publisher) => publisher.publish('k', world.later()));
    world.addPosts(250);
    await world.pass(2 * minute);
    expect(await world.process().sweep()).toMatchObject([{ state: 'accepted', postId: world.posts[0]?.postId }]);
    expect(world.lists).toBe(1);
  });

  it('is searched for in one walk if many were lost in a crash and are published again at once', async () => {
    const world = new World();
    const keys = ['a', 'b', 'c', 'd', 'e'];
    for (const key of keys) {
      world.service.faults.add(key === 'e' ? neverArrived : lostReply);
      await world.dieAt('looking', (publisher) => publisher.publish(key, world.later(hour, key)));
    }
    await world.pass(2 * minute);
    const publisher = world.process();
    const intents = await Promise.all(keys.map((key) => publisher.publish(key, world.later(hour, key))));
    expect(intents.map(({ state }) => state)).toEqual([...Array<string>(4).fill('accepted'), 'in_doubt']);
    expect(world.lists).toBe(1);
    // A failed search does not fail other searches.
    world.service.faults.add({ kind: 'status', status: 500, route: 'GET /v1/posts/', times: 1 });
    expect((await publisher.resume('e')).state).toBe('in_doubt');
    expect((await publisher.resume('e')).state).toBe('in_doubt');
    expect(world.lists).toBe(3);
  });

  it('costs such a process one page too where it is not found, and not all posts of the minute before', async () => {
    const world = new World();
    world.addPosts(250);
    await world.pass(20 * second);
    await world.client.posts.create({ ...world.later(), content: 'another' });
    world.service.faults.add(neverArrived);
    expect(await world.process().publish('k', world.later())).toMatchObject({ state: 'in_doubt' });
    expect(world.lists).toBe(1);
  });

  it('is held as long as the post is not listed, and found once it is', async () => {
    const world = worldWith({ kind: 'listing_lag', lagMs: 20_000 }, lostReply);
    const publisher = world.process();
    expect((await publisher.publish('k', world.later())).state).toBe('in_doubt');
    await world.pass(10 * second);
    expect(await publisher.sweep()).toMatchObject([{ state: 'in_doubt' }]);
    await world.pass(minute);
    expect(await publisher.sweep()).toMatchObject([{ state: 'accepted' }]);
    expect(world.creates).toBe(1);
  });

  it.each([
    ['a server error', { route: create, kind: 'status', status: 500, times: 1 }],
    ['half a reply', { route: create, kind: 'truncated_body', times: 1 }],
    ['no JSON', { route: create, kind: 'invalid_json', times: 1 }],
  ] as const)('is not taken for a refusal: %s', async (_, fault) => {
    const world = worldWith(fault);
    const publisher = world.process();
    const intent = await publisher.publish('k', world.later());
    expect(['accepted', 'in_doubt']).toContain(intent.state);
    expect(intent.state === 'accepted').toBe(world.posts.length === 1);
    await world.pass(24 * hour);
    await publisher.sweep();
    expect(world.creates).toBe(1);
  });
});

describe('a request that never arrived, without proof', () => {
  it('is held forever by default, searched for at least once an hour, and never sent again', async () => {
    const world = worldWith(neverArrived);
    const publisher = world.process();
    expect((await publisher.publish('k', world.now)).state).toBe('in_doubt');
    for (let passed = 0; passed < 30; passed += 1) {
      await world.pass(hour);
      expect(await publisher.sweep()).toMatchObject([{ key: 'k', state: 'in_doubt' }]);
    }
    expect(await collect(publisher.list({ state: 'in_doubt' }))).toHaveLength(1);
    expect(world.creates).toBe(1);
  });

  it("is sent again by 'resend' once settleMs is over", async () => {
    const world = worldWith(neverArrived);
    const publisher = world.process({ onMissing: 'resend', settleMs: 5 * minute });
    await publisher.publish('k', world.now);
    await world.pass(5 * minute - second);
    await publisher.sweep();
    expect(world.creates).toBe(1);
    await world.pass(second);
    expect(await publisher.sweep()).toMatchObject([{ state: 'published', attempts: 2 }]);
    expect([world.creates, world.posts.length]).toEqual([2, 1]);
  });

  it("is not sent again by 'resend' while a post is listed that could be it", async () => {
    const world = worldWith(neverArrived);
    const publisher = world.process({ onMissing: 'resend', settleMs: minute });
    await publisher.publish('k', world.later());
    // The service or another program may have added it.
    await world.client.posts.create(world.later(), { extraBody: { timezone: 'UTC' } });
    await world.pass(hour);
    expect(await publisher.sweep()).toMatchObject([{ state: 'in_doubt' }]);
    expect(world.creates).toBe(2);
  });

  it("is searched for again if a process ended between the search and the send of 'resend'", async () => {
    const { world, options } = await worldToResend();
    const store = failingStore(world.store, (data) => data.includes('"attempts":2'));
    await expect(world.process({ ...options, store }).resume('k')).rejects.toThrow('The store is down');
    expect(await world.process().get('k')).toMatchObject({ state: 'ready', attempts: 1 });
    // The create was in a buffer.
    await world.client.posts.create(world.later());
    await world.pass(hour);
    expect(await world.process(options).sweep()).toMatchObject([{ state: 'accepted', attempts: 1 }]);
    expect(world.posts).toHaveLength(1);
  });

  it("is sent again by 'resend' after a new search if a process ended in between and no post is listed", async () => {
    const { world, options } = await worldToResend();
    const store = failingStore(world.store, (data) => data.includes('"attempts":2'));
    await expect(world.process({ ...options, store }).resume('k')).rejects.toThrow('The store is down');
    await world.pass(hour);
    expect(await world.process(options).resume('k')).toMatchObject({ state: 'accepted', attempts: 2 });
    expect(world.posts).toHaveLength(1);
  });

  it("is not searched for endlessly if the store is slower than the lease of 'resend'", async () => {
    const world = worldWith(neverArrived);
    const options = { onMissing: 'resend', settleMs: second, leaseMs: second } as const;
    await world.process(options).publish('k', world.later());
    await world.pass(minute);
    const { store } = world;
    const slow: DurableStore = {
      ...failingStore(store, () => world.lists > 20),
      get: async (key) => {
        world.time += second;
        return store.get(key);
      },
    };
    expect(await world.process({ ...options, store: slow }).resume('k')).toMatchObject({ state: 'ready', attempts: 1 });
    expect(await world.process({ ...options, store: slow }).sweep()).toMatchObject([{ state: 'ready', attempts: 1 }]);
    expect(await world.process(options).sweep()).toMatchObject([{ state: 'accepted', attempts: 2 }]);
    expect(world.posts).toHaveLength(1);
  });

  it.each([
    ['429', { kind: 'status', status: 429, headers: { 'retry-after': '30' } }],
    ['401', { kind: 'status', status: 401 }],
  ] as const)("is searched for again after 'resend' met a %s, before each further send", async (_name, refusal) => {
    const { world, options } = await worldToResend();
    world.service.faults.add({ route: create, ...refusal, times: 1 });
    expect(await world.process(options).sweep()).toMatchObject([{ state: 'ready', attempts: 2 }]);
    // The first create was in a buffer.
    await world.client.posts.create(world.later());
    await world.pass(hour);
    expect(await world.process(options).sweep()).toMatchObject([{ state: 'accepted', attempts: 2 }]);
    expect(world.posts).toHaveLength(1);
  });

  it("is sent again by 'resend' after a refusal, once a search has found no post", async () => {
    const { world, options } = await worldToResend();
    world.service.faults.add({ route: create, kind: 'status', status: 429, times: 1 });
    await world.process(options).sweep();
    await world.pass(hour);
    expect(await world.process(options).sweep()).toMatchObject([{ state: 'accepted', attempts: 3 }]);
    expect(world.posts).toHaveLength(1);
  });

  it("is not sent again by 'resend' while no reply shows the service's time, however far ahead the clock is", async () => {
    const world = worldWith(neverArrived);
    const options = { onMissing: 'resend', settleMs: 10 * minute } as const;
    await world.process(options).publish('k', world.later());
    world.time += hour;
    expect(await world.process({ ...options, client: undatedClient(world) }).sweep()).toMatchObject([
      { state: 'in_doubt', attempts: 1 },
    ]);
    expect(world.creates).toBe(1);
  });

  it("is searched for again if an operator calls it not sent after a refusal of 'resend'", async () => {
    const { world, options } = await worldToResend();
    const publisher = world.process(options);
    world.service.faults.add({ route: create, kind: 'status', status: 400, times: 1 });
    expect(await publisher.sweep()).toMatchObject([{ state: 'in_doubt', attempts: 2 }]);
    await world.client.posts.create(world.later());
    await publisher.resolve('k', { as: 'not_sent' });
    await world.pass(hour);
    await publisher.sweep();
    expect(world.posts).toHaveLength(1);
  });

  it.each(['resend', 'an operator'] as const)(
    'stays in doubt if a further send is refused, because the first one may be the reason: %s',
    async (sender) => {
      const { world, options } = await worldToResend();
      const publisher = world.process(sender === 'resend' ? options : { settleMs: minute });
      if (sender === 'an operator') await publisher.resolve('k', { as: 'not_sent' });
      world.service.faults.add({ route: create, kind: 'status', status: 400, times: 1 });
      const [refused] = await publisher.sweep();
      expect(refused).toMatchObject({ state: 'in_doubt', attempts: 2, error: { outcome: 'unknown', status: 400 } });
      expect(refused?.error?.message).toMatch(/^The last send was refused, but an earlier one may have been executed/);
      for (let round = 0; round < 3; round += 1) {
        await world.pass(hour);
        expect(await publisher.sweep()).toMatchObject([{ state: 'in_doubt', attempts: 2 }]);
      }
      expect(world.creates).toBe(2);
      // A list that fails does not hide why it is not sent again.
      world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 500, times: 1 });
      await world.pass(hour);
      expect(await publisher.sweep()).toMatchObject([{ state: 'in_doubt', error: { status: 400 } }]);
    },
  );

  it('gets the late reply of its first send after a further one was refused', async () => {
    const world = new World();
    const { late, arrive } = await world.sendLate('k', world.later());
    await world.pass(2 * minute);
    const publisher = world.process();
    await publisher.resume('k');
    await publisher.resolve('k', { as: 'not_sent' });
    world.service.faults.add({ route: create, kind: 'status', status: 400, times: 1 });
    expect(await publisher.resume('k')).toMatchObject({ state: 'in_doubt', attempts: 2 });
    arrive();
    expect(await late).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId });
    expect(await publisher.get('k')).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId });
  });

  it('is sent again if an operator decides so after the refusal', async () => {
    const { world, options } = await worldToResend();
    const publisher = world.process(options);
    world.service.faults.add({ route: create, kind: 'status', status: 400, times: 1 });
    await publisher.sweep();
    await publisher.resolve('k', { as: 'not_sent' });
    expect(await publisher.sweep()).toMatchObject([{ state: 'accepted', attempts: 3 }]);
    expect(world.posts).toHaveLength(1);
  });

  it("is not sent again by 'resend' while the list cannot be read", async () => {
    const world = worldWith(neverArrived, { route: 'GET /v1/posts/', kind: 'status', status: 500 });
    const publisher = world.process({ onMissing: 'resend', settleMs: minute });
    await publisher.publish('k', world.now);
    await world.pass(hour);
    expect(await publisher.sweep()).toMatchObject([{ state: 'in_doubt', error: { status: 500 } }]);
    expect(world.creates).toBe(1);
  });
});

describe('a process that dies', () => {
  const expectations: [CrashPoint, string, number][] = [
    ['mark', 'nothing', 0],
    ['marked', 'in_doubt', 0],
    ['replied', 'accepted', 1],
    ['claimed', 'accepted', 1],
    ['noted', 'accepted', 1],
  ];
  it.each(expectations)('at %s leaves %s, and %i posts', async (step, state, posts) => {
    const world = new World();
    await world.dieAt(step, (publisher) => publisher.publish('k', world.later()));
    const survivor = world.process();
    await world.pass(61 * second);
    await survivor.sweep();
    const intent = await survivor.get('k');
    expect(intent?.state ?? 'nothing').toBe(state);
    expect(world.posts).toHaveLength(posts);
    // A repeated publish is the same intent; without a record it is new.
    const again = await survivor.publish('k', world.later());
    expect(again.replayed).toBe(state !== 'nothing');
    expect(world.posts.length).toBe(state === 'in_doubt' ? 0 : 1);
    expect(world.creates).toBe(state === 'in_doubt' ? 0 : 1);
  });

  it('during a search leaves the search to the next process', async () => {
    for (const step of ['looking', 'looked'] as const) {
      const world = worldWith(lostReply);
      await world.dieAt(step, (publisher) => publisher.publish('k', world.later()));
      await world.pass(minute);
      expect(await world.process().sweep()).toMatchObject([{ state: 'accepted', postId: world.posts[0]?.postId }]);
      expect(world.creates).toBe(1);
    }
  });

  it('is ignored until its lease expires, and then only searched for', async () => {
    const world = new World();
    await world.dieAt('marked', (publisher) => publisher.publish('k', world.now));
    const survivor = world.process();
    await world.pass(59 * second);
    expect((await survivor.resume('k')).state).toBe('sending');
    expect(world.service.requests).toHaveLength(0);
    await world.pass(2 * second);
    expect((await survivor.resume('k')).state).toBe('in_doubt');
    expect([world.creates, world.lists]).toEqual([0, 1]);
  });

  it('may come back: its late reply counts', async () => {
    const world = new World();
    const { late, arrive } = await world.sendLate('k', world.later());
    await world.pass(2 * minute);
    expect((await world.process().resume('k')).state).toBe('in_doubt');
    arrive();
    expect(await late).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId });
    expect((await world.process().get('k'))?.state).toBe('accepted');
  });

  it("may return after an operator's decision: another post than the recorded one changes nothing", async () => {
    const world = new World();
    const { late, arrive } = await world.sendLate('k', world.later());
    await world.pass(2 * minute);
    const survivor = world.process();
    await survivor.resolve('k', { as: 'not_sent' });
    const { postId } = await survivor.resume('k');
    arrive();
    expect((await late).postId).toBe(postId);
    expect((await survivor.get('k'))?.postId).toBe(postId);
    // The decision was wrong, and that is its effect.
    expect(world.posts).toHaveLength(2);
  });

  it.each(['fails', 'succeeds'] as const)(
    'may come back after its intent was abandoned, pruned and published anew: its send %s, and changes nothing',
    async (ends) => {
      const world = new World();
      const held = (client: PublisherClient) => {
        const [sent, gate] = [newGate(), newGate()];
        const create: PublisherClient['posts']['create'] = async (...args) => {
          sent.open();
          await gate.opened;
          return client.posts.create(...args);
        };
        const list = world.client.posts.list.bind(world.client.posts);
        return { letGo: gate.open, sent: sent.opened, client: { posts: { create, list } } };
      };
      const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
      const offline = world.newClient({
        fetch: () => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: refused })),
      });
      const [former, latter] = [held(ends === 'fails' ? offline : world.client), held(world.client)];

      const first = world.process({ client: former.client }).publish('k', world.later(hour, 'The first'));
      await former.sent;
      world.time += 2 * minute;
      await world.process().resolve('k', { as: 'abandoned' });
      world.time += second;
      expect(await world.process().prune({ olderThan: new Date(world.time) })).toBe(1);
      const again = world.process({ client: latter.client }).publish('k', world.later(hour, 'The second'));
      await latter.sent;
      former.letGo();
      await first;
      // One process sends the second request: no other process may.
      expect(await world.process().get('k')).toMatchObject({ state: 'sending', body: { content: 'The second' } });
      latter.letGo();
      expect(await again).toMatchObject({ state: 'accepted', attempts: 1 });
      await world.pass(10 * minute);
      await world.process().sweep();
      expect(world.posts.filter(({ content }) => content === 'The second')).toHaveLength(1);
      const { postId } = world.posts.find(({ content }) => content === 'The second') ?? {};
      expect(await world.process().get('k')).toMatchObject({ state: 'accepted', postId });
    },
  );
});

describe('an intent that was pruned and published anew under its key', () => {
  /** An intent in doubt whose life ends while it is searched for: the search waits for `letGo`. */
  const searchOfFormerLife = async () => {
    const world = worldWith(neverArrived);
    await world.process().publish('k', world.later());
    await world.pass(minute);
    const { letGo, isAsked, client } = world.waiting('GET', 'request');
    const search = world.process({ client }).resume('k');
    await isAsked;
    await world.endLife();
    return { world, letGo, search };
  };

  it('does not get the post that a search found for its former life', async () => {
    const world = new World();
    await world.process().publish('k', world.later(hour));
    await world.pass(2 * hour);
    const { letGo, isAsked, client } = world.waiting('GET', 'request');
    const sweep = world.process({ client }).sweep();
    await isAsked;
    expect(await world.process().resume('k')).toMatchObject({ state: 'published' });
    expect(await world.process().prune({ olderThan: new Date(world.time + 1) })).toBe(1);
    await world.process().enqueue('k', world.later(hour));
    letGo();
    await sweep;
    expect(await world.process().get('k')).toMatchObject({ state: 'ready', attempts: 0 });
    // Its former life recorded the post, so the post isn't a candidate of another intent.
    expect((await world.store.get(`post/${world.posts[0]?.postId ?? ''}`))?.data).not.toContain('unproved');
  });

  it('does not get the post that a late reply claimed for its former life', async () => {
    const world = new World();
    const { late, arrive } = await world.sendLate('k', world.later());
    await world.pass(2 * minute);
    await world.endLife();
    world.service.faults.add(neverArrived);
    expect(await world.process().publish('k', world.later())).toMatchObject({ state: 'in_doubt' });
    arrive();
    await late;
    expect(world.posts).toHaveLength(1);
    expect(await world.process().resume('k')).toMatchObject({ state: 'in_doubt' });
  });

  it('does not get the post that a late search claimed for its former life', async () => {
    const world = new World();
    await world.dieAt('replied', (publisher) => publisher.publish('k', world.later()));
    await world.pass(2 * minute);
    const { letGo, isAsked, client } = world.waiting('GET', 'request');
    const search = world.process({ client }).resume('k');
    await isAsked;
    await world.endLife();
    letGo();
    await search;
    world.service.faults.add(neverArrived);
    expect(await world.process().publish('k', world.later())).toMatchObject({ state: 'in_doubt' });
    await world.pass(hour);
    expect(world.posts).toHaveLength(1);
    expect(await world.process().resume('k')).toMatchObject({ state: 'in_doubt' });
  });

  /** A search of the former life has claimed its post, and the store failed before the claim was retired. */
  async function withLeftClaim(): Promise<{ world: World; postId: string }> {
    const world = new World();
    await world.dieAt('replied', (publisher) => publisher.publish('k', world.later()), { leaseMs: 5 * second });
    await world.pass(10 * second);
    const { letGo, isAsked, client } = world.waiting('GET', 'request');
    const store = failingStore(world.store, (data) => data.includes('"retired"'));
    const search = world.process({ client, store }).resume('k');
    await isAsked;
    await world.endLife();
    letGo();
    await expect(search).rejects.toThrow('The store is down');
    const postId = world.posts[0]?.postId ?? '';
    expect((await world.store.get(`post/${postId}`))?.data).not.toContain('retired');
    return { world, postId };
  }

  it('gets its own post, not the post of a claim that its former life left', async () => {
    const { world, postId } = await withLeftClaim();
    world.service.faults.add(lostReply);
    const intent = await world.process().publish('k', world.later());
    const own = world.posts.find((post) => post.postId !== postId);
    expect(intent).toMatchObject({ state: 'accepted', postId: own?.postId });
    expect(world.posts).toHaveLength(2);
  });

  it('is held with the post of a claim that its former life left, until an operator decides', async () => {
    const { world, postId } = await withLeftClaim();
    world.service.faults.add(neverArrived);
    const options = { onMissing: 'resend', settleMs: minute } as const;
    await world.process(options).publish('k', world.later());
    await world.pass(hour);
    expect(await world.process(options).resume('k')).toMatchObject({
      state: 'in_doubt',
      lookup: { result: 'candidates', postIds: [postId] },
    });
    expect(await world.process().resolve('k', { as: 'published', postId })).toMatchObject({ postId });
    expect(await world.process().resume('k')).toMatchObject({ state: 'accepted', postId });
    expect(world.posts).toHaveLength(1);
  });

  it('keeps the claim of its post, whatever a late search of its former life finds', async () => {
    const { world, letGo, search } = await searchOfFormerLife();
    // Its sender ends before it records the post that it claimed.
    await world.dieAt('claimed', (publisher) => publisher.publish('k', world.later()));
    letGo();
    await search;
    await world.pass(2 * minute);
    expect(await world.process().resume('k')).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId });
  });

  it("is not sent again by 'resend' if a late search of its former life claimed its post", async () => {
    const { world, letGo, search } = await searchOfFormerLife();
    const options = { onMissing: 'resend', settleMs: minute } as const;
    await world.dieAt('replied', (publisher) => publisher.publish('k', world.later()), options);
    const postId = world.posts[0]?.postId ?? '';
    letGo();
    await search;
    for (let round = 0; round < 3; round += 1) {
      await world.pass(hour);
      await world.process(options).sweep();
    }
    expect(world.posts).toHaveLength(1);
    expect(await world.process().get('k')).toMatchObject({
      state: 'in_doubt',
      attempts: 1,
      lookup: { result: 'candidates', postIds: [postId] },
    });
  });

  it('gets the post of its reply, although a late search of its former life claimed it', async () => {
    const { world, letGo, search } = await searchOfFormerLife();
    const slow = world.waiting('POST', 'reply');
    const again = world.process({ client: slow.client }).publish('k', world.later());
    await slow.isAsked;
    letGo();
    await search;
    slow.letGo();
    expect(await again).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId });
    await world.pass(25 * hour);
    expect(await world.process().resume('k')).toMatchObject({ state: 'published' });
  });

  it("does not take the post of an equal intent for good: 'resend' does not send that one again", async () => {
    const { world, letGo, search } = await searchOfFormerLife();
    await world.dieAt('replied', (publisher) => publisher.publish('equal', world.later()));
    const postId = world.posts[0]?.postId ?? '';
    letGo();
    await search;
    await world.pass(hour);
    const resending = world.process({ onMissing: 'resend', settleMs: minute });
    expect(await resending.resume('equal')).toMatchObject({ state: 'in_doubt', lookup: { postIds: [postId] } });
    expect(world.posts).toHaveLength(1);
    expect(await resending.resolve('equal', { as: 'published', postId })).toMatchObject({ state: 'accepted', postId });
  });

  it.each(['pruned', 'abandoned'])(
    'does not get a post that an operator named for its former life, %s meanwhile',
    async (end) => {
      const world = worldWith(neverArrived);
      await world.process().publish('k', world.later());
      await world.pass(minute);
      const { postId } = await world.client.posts.create(world.later());
      // Another operator decides between the claim of the post and its record.
      const store = storeWith(world.store, {
        insert: async (key, data, wakeAt) => {
          const version = await world.store.insert(key, data, wakeAt);
          if (end === 'pruned') await world.endLife();
          else await world.process().resolve('k', { as: 'abandoned' });
          return version;
        },
      });
      const decision = world.process({ store }).resolve('k', { as: 'published', postId });
      await expect(decision).rejects.toThrow(end === 'pruned' ? 'is not known' : 'is abandoned');
      if (end === 'abandoned') await world.endLife();
      world.service.faults.add(neverArrived);
      await world.process().publish('k', world.later());
      await world.pass(hour);
      const intent = await world.process().resume('k');
      expect(intent).toMatchObject({ state: 'in_doubt', lookup: { result: 'candidates', postIds: [postId] } });
      // No intent has recorded it: an operator can still name it.
      expect(await world.process().resolve('k', { as: 'published', postId })).toMatchObject({ postId });
    },
  );
});

describe('the evidence', () => {
  it('is an equal request, in the time in which it was sent', async () => {
    const world = new World();
    await world.client.posts.create(world.later());
    await world.pass(hour);
    await world.client.posts.create(world.later(24 * hour, 'Something else'));
    await world.client.posts.create(world.later(), { extraBody: { timezone: 'UTC' } });
    world.service.faults.add(neverArrived);
    expect((await world.process().publish('k', world.later())).state).toBe('in_doubt');
    await world.pass(hour);
    await world.client.posts.create(world.later());
    expect((await world.process().resume('k')).state).toBe('in_doubt');
  });

  it.each([hour, -hour])("holds where this machine's clock is %i ms off", async (offMs) => {
    const world = worldWith(lostReply);
    const off = world.process({ now: () => world.time + offMs });
    expect((await off.publish('k', world.later())).state).toBe('accepted');
    // An equal post of an hour ago is another one.
    const other = new World();
    await other.client.posts.create(other.later());
    await other.pass(hour);
    other.service.faults.add(neverArrived);
    const alsoOff = other.process({ now: () => other.time + offMs });
    expect((await alsoOff.publish('k', other.later())).state).toBe('in_doubt');
  });

  it.each([hour, -hour])('holds between two processes whose clocks are %i ms apart', async (apartMs) => {
    const world = new World();
    const one = world.process({ now: () => world.time + apartMs });
    await one.publish('before', world.now);
    world.service.faults.add({ kind: 'listing_lag', lagMs: 20_000, times: 1 });
    world.service.faults.add(lostReply);
    expect((await one.publish('k', world.later())).state).toBe('in_doubt');
    await world.pass(minute);
    expect((await world.process().resume('k')).state).toBe('accepted');
    expect(world.creates).toBe(2);
  });

  it('needs the Date of a reply: without it, the intent is held', async () => {
    const world = worldWith(lostReply);
    const publisher = world.process({ client: undatedClient(world), onMissing: 'resend', settleMs: minute });
    const intent = await publisher.publish('k', world.later());
    expect(intent).toMatchObject({ state: 'in_doubt', error: { message: expect.stringContaining('Date') as string } });
    await world.pass(hour);
    expect(await publisher.sweep()).toMatchObject([{ state: 'in_doubt' }]);
    expect(world.creates).toBe(1);
  });

  it('assigns one post to each equal intent, as far as there are posts', async () => {
    for (const arrived of [0, 1, 2, 3]) {
      const world = new World();
      for (let count = 0; count < 3; count += 1) world.service.faults.add(count < arrived ? lostReply : neverArrived);
      // All are sent before the first search.
      const keys = ['a', 'b', 'c'];
      await Promise.all(
        keys.map((key) => world.dieAt('looking', (publisher) => publisher.publish(key, world.later()))),
      );
      await world.pass(minute);
      await Promise.all([world.process().sweep(), world.process().sweep()]);
      const intents = await collect(world.process().list());
      const posts = intents.flatMap(({ postId }) => postId ?? []);
      expect(new Set(posts)).toEqual(new Set(world.posts.map(({ postId }) => postId)));
      expect(intents.filter(({ state }) => state === 'accepted')).toHaveLength(arrived);
      expect(intents.filter(({ state }) => state === 'in_doubt')).toHaveLength(3 - arrived);
    }
  });

  it('assigns one post to each equal intent, although one of them has claimed two', async () => {
    const world = worldWith(lostReply);
    await world.dieAt('looking', (publisher) => publisher.publish('a', world.later()));
    world.addPosts(150);
    // It claims the second post, and dies before it has noted that. The first one is on the first page.
    await world.dieAt('claimed', (publisher) => publisher.publish('b', world.later()));
    await world.pass(2 * minute);
    const [first, second] = [world.posts[0], world.posts.at(-1)].map((post) => post?.postId);
    expect(await world.process().resume('b')).toMatchObject({ state: 'accepted', postId: first });
    expect(await world.process().resume('a')).toMatchObject({ state: 'accepted', postId: second });
    expect(world.creates).toBe(2);
  });

  it('is not proof of a missing post, while an equal intent has claimed the post and recorded none', async () => {
    const world = new World();
    await world.dieAt('claimed', (publisher) => publisher.publish('a', world.later()));
    world.service.faults.add(neverArrived);
    const eager = world.process({ onMissing: 'resend', settleMs: second });
    await eager.publish('b', world.later());
    await world.pass(minute / 2);
    expect(await eager.resume('b')).toMatchObject({ state: 'in_doubt' });
    await world.pass(minute);
    expect(await world.process().resume('a')).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId });
    expect(await eager.resume('b')).toMatchObject({ state: 'accepted', postId: world.posts[1]?.postId });
    expect(world.posts).toHaveLength(2);
  });

  it('never assigns the post of one intent to an equal one', async () => {
    const world = new World();
    const publisher = world.process();
    const first = await publisher.publish('a', world.later());
    world.service.faults.add(neverArrived);
    const other = await publisher.publish('b', world.later());
    expect(other).toMatchObject({ state: 'in_doubt', lookup: { result: 'no_match' } });
    expect(other.lookup).not.toHaveProperty('postIds');
    expect((await publisher.get('a'))?.postId).toBe(first.postId);
  });

  it('assigns one post to one of two equal intents that are searched for at the same time', async () => {
    const world = new World();
    for (const fault of [lostReply, neverArrived]) world.service.faults.add(fault);
    for (const key of ['a', 'b']) await world.dieAt('looking', (dying) => dying.publish(key, world.later()));
    const looked = await Promise.all(['a', 'b'].map((key) => world.process().resume(key)));
    expect(looked.map(({ state }) => state).sort()).toEqual(['accepted', 'in_doubt']);
    expect(looked.flatMap(({ postId }) => postId ?? [])).toEqual([world.posts[0]?.postId]);
  });

  it('is to wait for 10 minutes after the send, but not for a clock that was ahead', async () => {
    const world = worldWith(neverArrived);
    const intent = await world.process().publish('k', world.later());
    const settled = new Date(world.time + 10 * minute).toISOString();
    expect(settlesAt(intent, world.time)).toBe(settled);
    expect(settlesAt(intent, world.time + 10 * minute)).toBeUndefined();
    expect(settlesAt(intent, world.time - hour)).toBeUndefined();
  });

  it('does not assign a post to the intent whose reply names it, if an equal one took it first', async () => {
    const world = worldWith(neverArrived);
    const other = world.process();
    expect((await other.publish('taker', world.later())).state).toBe('in_doubt');
    const { client, isAsked, letGo } = world.waiting('POST', 'reply');
    const late = world.process({ client }).publish('k', world.later());
    await isAsked;
    expect(await other.resume('taker')).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId });
    letGo();
    const intent = await late;
    expect(intent.state).toBe('in_doubt');
    // `published` is refused, and `not_sent` would create a second post.
    expect(intent.error?.message).toMatch(/belongs to another intent.*'abandoned'/);
    // The advice of the command and of the tools says the same.
    expect([hasOtherPost(intent), settlesAt(intent, world.time)]).toEqual([true, undefined]);
    expect(intent.postId).toBeUndefined();
    for (let time = 0; time < 2; time += 1) await other.resolve('k', { as: 'abandoned' });
    await other.sweep();
    expect(world.creates).toBe(2);
  });

  it('is found among posts so long that no client takes a hundred of them', async () => {
    const world = new World(undefined, { maxResponseBytes: 100_000 });
    const long = (index: number) => world.later(24 * hour, String(index).repeat(20_000));
    for (let index = 0; index < 5; index += 1) await world.client.posts.create(long(index));
    world.service.faults.add(lostReply);
    expect((await world.process().publish('k', long(7))).state).toBe('accepted');
    expect(world.creates).toBe(6);
  });

  it('reads the list once for many intents', async () => {
    const world = new World();
    const publisher = world.process();
    for (const key of ['a', 'b', 'c', 'd']) {
      await world.dieAt('replied', (dying) => dying.publish(key, world.later(24 * hour, key)));
    }
    await world.pass(2 * minute);
    expect((await publisher.sweep()).map(({ state }) => state)).toEqual(Array(4).fill('accepted'));
    expect(world.lists).toBe(1);
  });
});

describe('times of the service without an offset', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each(['UTC', 'Asia/Tokyo', 'America/Los_Angeles'])(
    'are UTC in %s: a post is found and not sent again',
    async (zone) => {
      vi.stubEnv('TZ', zone);
      const world = new World();
      const client = world.clientReading(
        async (reply) =>
          new Response((await reply.text()).replaceAll(/("(?:createdAt|scheduledFor)":"[^"]*)Z"/g, '$1"'), reply),
      );
      const publisher = world.process({ client, onMissing: 'resend', settleMs: minute });
      world.service.faults.add(lostReply);
      await publisher.publish('k', world.now);
      await world.pass(2 * hour);
      await publisher.sweep();
      await expect(publisher.resume('k')).resolves.toMatchObject({
        state: 'published',
        postId: world.posts[0]?.postId,
      });
      expect(world.creates).toBe(1);
    },
  );
});

describe('the error of an intent in doubt, followed to the letter twice, publishes one post', () => {
  /** Waits as the error says, and passes as long as each `until` needs. */
  const follow = async (world: World, key: string) => {
    const publisher = world.process();
    for (let time = 0; time < 2; time += 1) {
      const { state, error, sentAt = '' } = (await publisher.get(key)) ?? {};
      if (state === 'in_doubt') {
        const [, minutes = '0'] =
          /Wait until at least (\d+) minutes after the send, and check/.exec(error?.message ?? '') ?? [];
        const until = Date.parse(sentAt) + Number(minutes) * minute;
        if (until > world.time) await world.pass(until - world.time);
        for await (const post of world.client.posts.list()) {
          await publisher.resolve(key, { as: 'published', postId: post.postId }).catch(() => undefined);
        }
        if ((await publisher.get(key))?.state === 'in_doubt') await publisher.resolve(key, { as: 'not_sent' });
      }
      await publisher.sweep();
    }
  };

  it('of a send that takes longer than its lease', async () => {
    const world = new World();
    const { late, arrive } = await world.sendLate('k', world.now);
    await world.pass(90 * second);
    await world.process().sweep();
    expect((await world.process().get('k'))?.error?.message).toContain('ended, or still waits');
    // The client waits up to 5 minutes for the reply.
    const pass = world.pass.bind(world);
    world.pass = async (ms) => {
      await pass(minute);
      arrive();
      await late;
      await pass(ms - minute);
    };
    await follow(world, 'k');
    arrive();
    await late;
    expect(world.posts).toHaveLength(1);
  });

  it('of a process that ended before its request arrived', async () => {
    const world = new World();
    await world.dieAt('marked', (publisher) => publisher.publish('k', world.now));
    await world.pass(90 * second);
    await world.process().sweep();
    await follow(world, 'k');
    expect(world.posts).toHaveLength(1);
  });
});
