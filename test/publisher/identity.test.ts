/** One store with two services, two projects, or two spellings of a key. */
import { describe, expect, it } from 'vitest';
import { ConfigurationError, IntentConflictError } from '../../src/core/errors.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import type { PublisherOptions } from '../../src/publisher/options.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import type { PostFailedEvent } from '../../src/webhooks/index.js';
import { collect } from '../support/collect.js';
import { hour, lostReply, minute, neverArrived, World } from './world.js';

/** Two services on one store. Both number their posts from `post_1`. */
class TwoServices {
  readonly store = new MemoryDurableStore();
  readonly first = new World(this.store);
  readonly second = new World(this.store);

  publisher(world: World, baseUrl: string, options: Partial<PublisherOptions> = {}) {
    return world.process({ client: world.newClient({ baseUrl }), ...options });
  }
  readonly a = this.publisher(this.first, 'https://a.test');
  readonly b = this.publisher(this.second, 'https://b.test');

  async pass(ms: number) {
    await this.first.pass(ms);
    await this.second.pass(ms);
  }
}

describe('two services on one store', () => {
  it('a key of one service is refused for the other, and nothing is sent', async () => {
    const { a, b, first, second } = new TwoServices();
    await a.publish('k', first.later());
    for (const call of [
      () => b.publish('k', second.later()),
      () => b.enqueue('k', second.later()),
      () => b.resume('k'),
      () => b.resolve('k', { as: 'abandoned' }),
    ]) {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(IntentConflictError);
      expect(String(error)).toContain('https://a.test');
      expect(String(error)).toContain('https://b.test');
      expect(error).toMatchObject({ services: { recorded: 'https://a.test', used: 'https://b.test' } });
    }
    expect(await b.get('k')).toBeUndefined();
    expect(await collect(b.publishMany([{ key: 'k', body: second.later() }]))).toMatchObject([
      { key: 'k', state: 'rejected', error: { name: 'IntentConflictError', outcome: 'not_sent' } },
    ]);
    expect([first.posts.length, second.posts.length]).toEqual([1, 0]);
    expect((await a.get('k'))?.state).toBe('accepted');
  });

  it('a sweep, a list and a prune of one leave the intents of the other alone', async () => {
    const worlds = new TwoServices();
    const { a, b, first, second } = worlds;
    await a.enqueue('a', first.later());
    await b.enqueue('b', second.later());
    await worlds.pass(minute);
    expect(await b.sweep()).toMatchObject([{ key: 'b' }]);
    expect([first.posts.length, second.posts.length]).toEqual([0, 1]);
    expect((await collect(b.list())).map(({ key }) => key)).toEqual(['b']);
    expect((await collect(b.list({ state: 'ready' }))).map(({ key }) => key)).toEqual([]);
    await a.resolve('a', { as: 'abandoned' });
    await worlds.pass(hour);
    expect(await b.prune({ olderThan: new Date(first.time) })).toBe(0);
    expect((await a.get('a'))?.state).toBe('abandoned');
  });

  it('equal posts with equal IDs are never exchanged, also in doubt', async () => {
    const worlds = new TwoServices();
    const { a, b, first, second } = worlds;
    for (const world of [first, second]) world.service.faults.add({ kind: 'listing_lag', lagMs: minute, times: 1 });
    for (const world of [first, second]) world.service.faults.add(lostReply);
    expect((await a.publish('a', first.later())).state).toBe('in_doubt');
    expect((await b.publish('b', second.later())).state).toBe('in_doubt');
    await worlds.pass(2 * minute);
    await a.sweep();
    await b.sweep();
    expect([(await a.get('a'))?.postId, (await b.get('b'))?.postId]).toEqual(['post_1', 'post_1']);
    await worlds.pass(25 * hour);
    expect(await a.sweep()).toMatchObject([{ key: 'a', state: 'published' }]);
    await b.sweep();
    await worlds.pass(48 * hour);
    expect(await a.prune({ olderThan: new Date(first.time) })).toBe(1);
    second.service.faults.add(neverArrived);
    expect((await b.publish('b2', second.later(80 * hour))).state).toBe('in_doubt');
    expect((await b.get('b'))?.state).toBe('published');
  });

  it('an event of one service does not change the intent of the other', async () => {
    const { a, b, first } = new TwoServices();
    const { postId = '' } = await a.publish('a', first.later());
    const event: PostFailedEvent = {
      known: true,
      id: 'evt_1',
      type: 'post.failed',
      data: { post: { id: postId, content: 'Later' }, platforms: [] },
    };
    expect(await b.observe(event)).toBeUndefined();
    expect((await a.get('a'))?.state).toBe('accepted');
    expect(await a.observe(event)).toMatchObject({ key: 'a', state: 'failed' });
  });

  it.each(['https://A.test', 'HTTPS://a.test:443/', 'https://a.test/'])('%s is the same service', async (baseUrl) => {
    const worlds = new TwoServices();
    await worlds.a.publish('k', worlds.first.later());
    const same = worlds.publisher(worlds.first, baseUrl);
    expect(await same.publish('k', worlds.first.later())).toMatchObject({ replayed: true });
  });

  it('a service keeps its intents under a new URL with the option service', async () => {
    const worlds = new TwoServices();
    await worlds.a.publish('k', worlds.first.later());
    const moved = worlds.publisher(worlds.first, 'https://proxy.test', { service: 'https://a.test/' });
    expect(await moved.publish('k', worlds.first.later())).toMatchObject({ replayed: true, state: 'accepted' });
    expect(worlds.first.posts).toHaveLength(1);
    expect(() => worlds.publisher(worlds.first, 'https://a.test', { service: 'a.test' })).toThrow(ConfigurationError);
  });

  it('intents of release 0.2.0 belong to every service, until one is sent', async () => {
    const worlds = new TwoServices();
    const { client } = worlds.first;
    // A client without a URL writes what release 0.2.0 wrote.
    const old = createPublisher({
      client: { posts: client.posts },
      store: worlds.store,
      now: () => worlds.first.time,
    });
    await old.enqueue('k', worlds.first.later());
    expect([(await worlds.a.get('k'))?.state, (await worlds.b.get('k'))?.state]).toEqual(['ready', 'ready']);
    expect(await worlds.b.publish('k', worlds.second.later())).toMatchObject({ state: 'accepted', replayed: true });
    expect(await worlds.a.get('k')).toBeUndefined();
  });
});

describe('formats that release 0.2.0 refuses', () => {
  const formatsOf = async ({ store }: TwoServices) =>
    (await store.scan('', undefined, 100)).map(({ key, data }) => [
      key,
      (JSON.parse(data) as { format: number }).format,
    ]);

  it('have intents of a second service and of a scope, not those of the first service', async () => {
    const worlds = new TwoServices();
    const { a, b, first, second } = worlds;
    await a.enqueue('a', first.later());
    await b.enqueue('b', second.later());
    const scoped = worlds.publisher(first, 'https://a.test', { scope: 'shop/1' });
    await scoped.enqueue('a', first.later());
    expect(await formatsOf(worlds)).toEqual([
      ['intent/a', 1],
      ['intent/b', 2],
      ['publisher/home', 1],
      ['scoped/shop%2F1/a', 2],
    ]);
  });

  it('has an intent in doubt of a second service, also if its process only publishes', async () => {
    const worlds = new TwoServices();
    await worlds.a.enqueue('a', worlds.first.later());
    worlds.second.service.faults.add(neverArrived);
    await worlds.b.publish('b', worlds.second.later());
    expect(await formatsOf(worlds)).toContainEqual(['intent/b', 2]);
  });
});

describe('two scopes', () => {
  it.each([
    ['a', 'b'],
    [undefined, ''],
    ['a/b', 'a'],
    ['a%2Fb', 'a/b'],
  ])('have their own intents: %j and %j', async (one, other) => {
    const world = new World();
    const [first, second] = [world.process({ scope: one }), world.process({ scope: other })];
    await first.publish('k', world.later());
    await first.publish('b/k', world.later());
    expect(await second.get('k')).toBeUndefined();
    expect(await collect(second.list())).toEqual([]);
    expect(await second.publish('k', { ...world.later(), content: 'Other' })).toMatchObject({ replayed: false });
    expect(world.posts).toHaveLength(3);
    expect((await collect(second.list({ state: 'accepted' }))).map(({ key }) => key)).toEqual(['k']);
    await world.pass(25 * hour);
    expect((await second.sweep()).map(({ state }) => state)).toEqual(['published']);
  });

  it('of one service never take the same post', async () => {
    const world = new World();
    const [one, other] = [world.process({ scope: 'one' }), world.process({ scope: 'other' })];
    world.service.faults.add(neverArrived);
    await one.publish('k', world.later());
    world.service.faults.add({ kind: 'listing_lag', lagMs: 30_000, times: 1 });
    world.service.faults.add(lostReply);
    await other.publish('k', world.later());
    await world.pass(2 * minute);
    await one.sweep();
    await other.sweep();
    const states = [(await one.get('k'))?.state, (await other.get('k'))?.state];
    expect(states.sort()).toEqual(['accepted', 'in_doubt']);
    expect(world.posts).toHaveLength(1);
  });

  it('are the same in two forms of Unicode', async () => {
    const world = new World();
    await world.process({ scope: 'Caf\u00e9' }).publish('k', world.later());
    expect(await world.process({ scope: 'Cafe\u0301' }).get('k')).toMatchObject({ state: 'accepted' });
  });
});

describe('two forms of a key', () => {
  const composed = 'aktion/Gr\u00fc\u00dfe';
  const decomposed = composed.normalize('NFD');

  it('are one intent in every method', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.publish(decomposed, world.later());
    expect(await publisher.publish(composed, world.later())).toMatchObject({ replayed: true, key: composed });
    expect(await publisher.enqueue(decomposed, world.later())).toMatchObject({ replayed: true });
    for (const key of [composed, decomposed]) {
      expect(await publisher.get(key)).toMatchObject({ state: 'accepted' });
      expect(await publisher.resume(key)).toMatchObject({ state: 'accepted' });
    }
    for (const prefix of ['aktion/Gr\u00fc', 'aktion/Gru\u0308']) {
      expect((await collect(publisher.list({ prefix }))).map(({ key }) => key)).toEqual([composed]);
    }
    await expect(publisher.retryFailed(composed, decomposed)).rejects.toThrow('must differ');
    expect(world.posts).toHaveLength(1);
  });

  it.each([
    ['decomposed', decomposed],
    ['composed', composed],
    ['neither', 'aktion/Gr\u00fc\u00dfe e\u0301'],
  ])('are the intent that release 0.2.0 stored: %s', async (_, stored) => {
    const world = new World();
    const old = world.process();
    await old.enqueue('x', world.later());
    const [item] = await world.store.scan('intent/x', undefined, 1);
    await world.store.insert(`intent/${stored}`, item?.data ?? '', world.time);
    await world.store.swap('intent/x', item?.version ?? 0, null, null);
    const publisher = world.process();
    expect(await publisher.publish(stored, world.later())).toMatchObject({ replayed: true, state: 'accepted' });
    if (stored !== composed && stored !== decomposed) return;
    for (const key of [composed, decomposed])
      expect(await publisher.publish(key, world.later())).toMatchObject({ replayed: true });
    expect(world.posts).toHaveLength(1);
    expect(await collect(publisher.list({ prefix: 'aktion/Gr\u00fc' }))).toHaveLength(1);
  });
});
