import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigurationError } from '../../src/core/errors.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { afterInsert, storeAround } from '../support/stores.js';
import { collect } from '../support/collect.js';
import { hour, lostReply, minute, second, World } from './world.js';

/** The fault of a write: the write is lost, or its reply is. */
type Fate = 'ok' | 'lost' | 'answer lost';

/** A world whose store has these faults in its next writes, and may be gone. */
function badDay(...plan: Fate[]) {
  const day = { plan, isGone: false };
  const around = async <T>(call: string, run: () => Promise<T>): Promise<T> => {
    if (day.isGone && !/^(due|scan) /.test(call)) throw new Error('gone');
    const fate = /^(insert|swap) /.test(call) ? day.plan.shift() : undefined;
    if (fate === 'lost') throw new Error('connection dropped');
    const result = await run();
    if (fate === 'answer lost') throw new Error('connection dropped');
    return result;
  };
  return { day, world: new World(storeAround(new MemoryDurableStore(), around)) };
}

describe('a bad day of the store', () => {
  it('without a durable mark: nothing is sent', async () => {
    const world = new World();
    for (const what of ['full', 'read-only', 'gone']) {
      Object.assign(world.store, { insert: () => Promise.reject(new Error(what)) });
      await expect(world.process().publish('k', world.now)).rejects.toThrow(what);
      await expect(world.process().enqueue('k', world.now)).rejects.toThrow(what);
    }
    expect(world.service.requests).toHaveLength(0);
  });

  it('with any lost reply of a write: it reads the item, and sends nothing twice', async () => {
    for (const lost of [0, 1, 2]) {
      const { world } = badDay(...Array<'ok'>(lost).fill('ok'), 'answer lost');
      expect(await world.process().publish('k', world.later())).toMatchObject({ state: 'accepted', attempts: 1 });
      expect(world.creates).toBe(1);
    }
  });

  it('with one write lost: the mark rejects, the claim and the note are written again', async () => {
    for (const lost of [0, 1, 2]) {
      const { world } = badDay(...Array<'ok'>(lost).fill('ok'), 'lost');
      const published = world.process().publish('k', world.later());
      if (lost === 0) await expect(published).rejects.toThrow('connection dropped');
      else expect((await published).state).toBe('accepted');
      expect(world.creates).toBe(lost === 0 ? 0 : 1);
      expect((await world.process().publish('k', world.later())).state).toBe('accepted');
      expect(world.creates).toBe(1);
    }
  });

  const fates = ['ok', 'lost', 'answer lost'] as const;
  const days = fates.flatMap((claim) => fates.map((note) => [claim, note] as const));

  it.each(days)('the claim: %s; the note: %s: both are written', async (...plan) => {
    const { world } = badDay('ok', ...plan);
    const intent = await world.process().publish('k', world.later());
    expect(intent).toMatchObject({ state: 'accepted', attempts: 1, postId: world.posts[0]?.postId });
    expect(await world.process().get('k')).toMatchObject({ state: 'accepted', postId: intent.postId });
    expect(JSON.parse((await world.store.get(`post/${intent.postId ?? ''}`))?.data ?? '')).toMatchObject({ key: 'k' });
    expect(world.creates).toBe(1);
  });

  it('gone from the mark on: the reply is lost to it, and found once it is back', async () => {
    const { day, world } = badDay();
    const client = world.clientReading((reply) => {
      day.isGone = true;
      return reply;
    });
    await expect(world.process({ client }).publish('k', world.later())).rejects.toThrow('gone');
    day.isGone = false;
    await world.pass(2 * minute);
    expect(await world.process().sweep()).toMatchObject([{ state: 'accepted', attempts: 1 }]);
    expect(world.creates).toBe(1);
  });

  it('slower than the lease: it sends only its own intent', async () => {
    const world = new World();
    const store = afterInsert(world.store, async (key) => {
      if (!key.startsWith('intent/')) return;
      world.time += 2 * minute;
      // Meanwhile another process searched, and an operator abandoned it.
      await world.process().resume('k');
      await world.process().resolve('k', { as: 'abandoned' });
    });
    expect((await world.process({ store }).publish('k', world.now)).key).toBe('k');
    expect(world.creates).toBe(0);
    expect((await world.process().get('k'))?.state).toBe('abandoned');
  });

  it('slower than the lease, and no other process took the intent: it sends it once', async () => {
    const world = new World();
    const store = afterInsert(world.store, (key) => {
      if (key.startsWith('intent/')) world.time += 2 * minute;
      return Promise.resolve();
    });
    expect(await world.process({ store }).publish('k', world.now)).toMatchObject({ attempts: 1, state: 'published' });
    expect(world.creates).toBe(1);
  });
});

describe('records of a newer version', () => {
  async function newer() {
    const world = new World();
    const data = JSON.stringify({ format: 99, state: 'ready', unheardOf: true });
    await world.store.insert('intent/k', data, world.time);
    return { world, data, publisher: world.process() };
  }

  it('is refused in words, and left untouched', async () => {
    const { world, data, publisher } = await newer();
    for (const call of [
      () => publisher.publish('k', world.now),
      () => publisher.enqueue('k', world.now),
      () => publisher.resume('k'),
      () => publisher.get('k'),
      () => publisher.resolve('k', { as: 'abandoned' }),
      () => collect(publisher.list()),
    ]) {
      await expect(call()).rejects.toThrow(ConfigurationError);
      await expect(call()).rejects.toThrow(/newer version.*left as it is/);
    }
    expect((await world.store.get('intent/k'))?.data).toBe(data);
    expect(world.service.requests).toHaveLength(0);
  });

  it('keeps the post that it claimed: an intent whose reply names it is in doubt', async () => {
    const world = new World();
    const client = world.clientReading(async (reply) => {
      const [post] = world.posts;
      await world.store.insert(`post/${post?.postId ?? ''}`, JSON.stringify({ format: 1, key: 'newer' }), null);
      await world.store.insert('intent/newer', JSON.stringify({ format: 99, unheardOf: true }), null);
      return reply;
    });
    const publisher = world.process({ client });
    expect(await publisher.publish('k', world.now)).toMatchObject({ state: 'in_doubt' });
    expect(await publisher.resume('k')).toMatchObject({ state: 'in_doubt' });
    expect(world.creates).toBe(1);
  });

  it('with the claim of a post does not stop the search for other intents', async () => {
    const world = new World();
    const publisher = world.process();
    world.service.faults.add({ ...lostReply, times: 2 });
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 500, times: 2 });
    for (const key of ['k', 'l'])
      expect(await publisher.publish(key, world.later(hour, key))).toMatchObject({ state: 'in_doubt' });
    await world.store.insert('post/post_1', JSON.stringify({ format: 99, unheardOf: true }), null);
    await world.pass(2 * minute);
    const swept = await publisher.sweep();
    expect(swept.map(({ key, state, lookup }) => [key, state, lookup?.result])).toEqual([
      ['k', 'in_doubt', 'candidates'],
      ['l', 'accepted', undefined],
    ]);
  });

  it('takes nothing from a sweep of the others', async () => {
    const { world, publisher } = await newer();
    await publisher.enqueue('z', world.now);
    expect(await publisher.sweep({ limit: 1 })).toMatchObject([{ key: 'z', state: 'published' }]);
  });

  it.each([undefined, 'ready'] as const)(
    'hides no other intent from a list of the state %s, which rejects last',
    async (state) => {
      const { publisher } = await newer();
      for (const key of ['a', 'z'])
        await publisher.enqueue(key, {
          content: key,
          scheduledFor: '2030-01-01T00:00:00Z',
          platforms: [{ platform: 'bluesky', accountId: 'int_1' }],
        });
      const keys: string[] = [];
      const reading = (async () => {
        for await (const { key } of publisher.list({ state })) keys.push(key);
      })();
      await expect(reading).rejects.toThrow(/'intent\/k'.*Upgrade/s);
      expect(keys).toEqual(['a', 'z']);
    },
  );

  it.each(['open', 'finished'])('hides no other intent from prune, which rejects last (state: %s)', async (kind) => {
    const { world, data, publisher } = await newer();
    if (kind === 'finished') {
      const item = await world.store.get('intent/k');
      await world.store.swap('intent/k', item?.version ?? 0, data, null);
    }
    for (const key of ['a', 'z']) await publisher.publish(key, { content: key, saveAsDraft: true });
    const pruning = publisher.prune({ olderThan: new Date(world.time + minute) });
    await expect(pruning).rejects.toThrow(/'intent\/k'.*Upgrade.*2 other intents were removed\.$/s);
    for (const key of ['a', 'z']) expect(await publisher.get(key)).toBeUndefined();
    expect((await world.store.get('intent/k'))?.data).toBe(data);
  });

  it('keeps the claims of pruned intents while it is open: it may be equal to one of them', async () => {
    const { world, publisher } = await newer();
    await publisher.publish('a', { content: 'A', saveAsDraft: true });
    const claim = `post/${world.posts[0]?.postId ?? ''}`;
    const prune = () => publisher.prune({ olderThan: new Date(world.time) });
    world.time += 48 * 60 * minute;
    await world.service.clock.advance({ hours: 48 });
    for (const _ of [1, 2]) await expect(prune()).rejects.toThrow('Upgrade');
    expect(await world.store.get(claim)).toBeDefined();
    const newest = await world.store.get('intent/k');
    await world.store.swap('intent/k', newest?.version ?? 0, null, null);
    expect(await prune()).toBe(0);
    expect(await world.store.get(claim)).toBeUndefined();
  });

  it('is distinguished from data of other programs', async () => {
    const world = new World();
    await world.store.insert('intent/k', 'no JSON', null);
    await expect(world.process().get('k')).rejects.toThrow('this package did not write');
  });
});

describe('a sweep', () => {
  it('resumes the others where one fails, and rejects afterwards', async () => {
    const { day, world } = badDay();
    for (const key of ['a', 'b', 'c']) await world.process().enqueue(key, world.later());
    day.plan.push('lost');
    await expect(world.process().sweep()).rejects.toThrow('connection dropped');
    await world.process().sweep();
    expect(world.creates).toBe(3);
  });

  it('takes no more than its limit, the oldest first', async () => {
    const world = new World();
    for (const key of ['c', 'a', 'b']) {
      await world.process().enqueue(key, world.now);
      await world.pass(second);
    }
    expect((await world.process().sweep({ limit: 2 })).map(({ key }) => key).sort()).toEqual(['a', 'c']);
    await expect(world.process().sweep({ limit: 0 })).rejects.toThrow('limit');
  });
});

describe('a build of Next.js, which throws in place of each request', () => {
  /** A process whose global `fetch` is the one of a build. */
  const building = (world: World) => {
    const error = Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' });
    vi.stubGlobal('fetch', () => Promise.reject(error));
    onTestFinished(() => void vi.unstubAllGlobals());
    return world.process({ client: world.newClient({ fetch: undefined }) });
  };

  it('leaves intents ready, and the server sends each once', async () => {
    const world = new World();
    const keys = Array.from({ length: 20 }, (_, index) => `k${String(index)}`);
    for (const key of keys) await world.process().enqueue(key, world.later(hour, key));
    expect(await building(world).publish('k0', world.later(hour, 'k0'))).toMatchObject({ state: 'ready' });
    // It ends at once: nothing shows that the service is down.
    await building(world).sweep();
    const states = (await collect(world.process().list())).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['ready']));

    await world.pass(minute);
    await world.process().sweep();
    expect(world.posts.map(({ content }) => content).sort()).toEqual([...keys].sort());
  });
});

describe('options that can not work', () => {
  const world = new World();
  it.each([
    ['no client', { client: {} }],
    ['no store', { store: {} }],
    ['a misspelt one', { leasMs: 1 }],
    ['a bad onMissing', { onMissing: 'retry' }],
    ['a bad settleMs', { settleMs: -1 }],
    ['a bad leaseMs', { leaseMs: Number.NaN }],
    ['no client', { client: undefined }],
    ['a bad clock', { now: 5 }],
  ])('are refused: %s', (_, options) => {
    const create = () => createPublisher({ client: world.client, store: world.store, ...options } as never);
    expect(create).toThrow(ConfigurationError);
  });
});
