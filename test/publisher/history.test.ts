/** What a publisher reads does not depend on how much it has published. */
import { describe, expect, it } from 'vitest';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import type { DurableStore } from '../../src/stores/store.js';
import type { PostPublishedEvent } from '../../src/webhooks/index.js';
import { afterInsert } from '../support/after-insert.js';
import { collect, hour, minute, World } from './world.js';

const lostReply = { route: 'POST /v1/posts/', kind: 'reset_after_commit', times: 1 } as const;

/** Counts operations, and the items that they return. */
class CountingStore implements DurableStore {
  readonly #store = new MemoryDurableStore();
  operations = 0;
  items = 0;

  async #count<T>(result: Promise<T>): Promise<T> {
    this.operations += 1;
    const value = await result;
    this.items += Array.isArray(value) ? value.length : 1;
    return value;
  }
  get(key: string) {
    return this.#count(this.#store.get(key));
  }
  insert(key: string, data: string, wakeAt: number | null) {
    return this.#count(this.#store.insert(key, data, wakeAt));
  }
  swap(key: string, version: number, data: string | null, wakeAt: number | null) {
    return this.#count(this.#store.swap(key, version, data, wakeAt));
  }
  due(prefix: string, now: number, limit: number) {
    return this.#count(this.#store.due(prefix, now, limit));
  }
  scan(prefix: string, after: string | undefined, limit: number) {
    return this.#count(this.#store.scan(prefix, after, limit));
  }
}

/** A store with finished intents and accepted drafts. */
async function withHistory(finished: number) {
  const store = new CountingStore();
  const world = new World(store);
  const publisher = world.process();
  for (let number = 0; number < finished; number += 1) {
    const body = number % 2 === 0 ? world.now : { content: 'Idea', saveAsDraft: true as const };
    await publisher.publish(`done/${String(number)}`, body);
  }
  await world.pass(minute);
  return { store, world };
}

function published(postId: string, content: string, scheduledFor?: string): PostPublishedEvent {
  return {
    known: true,
    id: `evt_${postId}`,
    type: 'post.published',
    data: { post: { id: postId, content, scheduledFor }, platforms: [] },
  };
}

describe('with any number of finished intents', () => {
  const works = {
    'an idle sweep': (world: World) => world.process().sweep(),
    'a list of an open state': (world: World) => collect(world.process().list({ state: 'in_doubt' })),
    'a list of accepted intents': (world: World) => collect(world.process().list({ state: 'accepted' })),
  };

  it.each(Object.entries(works))('%s reads the same number of items', async (_, work) => {
    const costs: number[] = [];
    for (const finished of [0, 120]) {
      const { store, world } = await withHistory(finished);
      await world.process().enqueue('open', world.later());
      await world.process().resume('open');
      store.operations = store.items = 0;
      await work(world);
      costs.push(store.operations + store.items);
    }
    expect(costs[1]).toBe(costs[0]);
  });

  it('a list of accepted intents has no drafts: they are done', async () => {
    const { world } = await withHistory(4);
    await world.process().publish('open', world.later());
    expect((await collect(world.process().list({ state: 'accepted' }))).map(({ key }) => key)).toEqual(['open']);
    expect(await collect(world.process().list())).toHaveLength(5);
  });
});

describe('an event of an unknown post, among 10,000 open intents', () => {
  async function crowded() {
    const store = new CountingStore();
    const world = new World(store);
    const publisher = world.process();
    await publisher.enqueue('template', world.later(48 * hour, 'Crowd'));
    const item = await store.get('intent/template');
    for (let number = 0; number < 10_000; number += 1) {
      await store.insert(`intent/crowd/${String(number)}`, item?.data ?? '', world.time - 1);
    }
    return { store, world };
  }

  it('costs at most five store operations', async () => {
    const { store, world } = await crowded();
    store.operations = 0;
    expect(await world.process().observe(published('post_foreign', 'Crowd'))).toBeUndefined();
    expect(store.operations).toBeLessThanOrEqual(5);
  });

  it.each([
    ['scheduled', 24 * hour, false],
    ['moved to another time by a user', 24 * hour, true],
  ])('finds its intent in doubt: %s', async (_, inMs, isMoved) => {
    const { store, world } = await crowded();
    world.service.faults.add({ kind: 'listing_lag', lagMs: 30_000, times: 1 });
    world.service.faults.add(lostReply);
    expect((await world.process().publish('k', world.later(inMs, 'Mine'))).state).toBe('in_doubt');
    await world.pass(minute);
    const [post] = world.posts;
    const time = isMoved ? '2026-08-01T09:00:00Z' : post?.scheduledFor;
    const event = published(post?.postId ?? '', 'Mine', time);
    expect(await world.process().observe(event)).toMatchObject({ key: 'k', state: 'published' });
    // The index has no entry of an intent that is not in doubt.
    expect(await store.scan('doubt/', undefined, 10)).toEqual([]);
  });
});

describe('an entry of the index whose intent is not in doubt', () => {
  it('does no harm, and is removed by prune', async () => {
    const world = new World();
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    await world.process().publish('k', world.later());
    const [entry] = await world.store.scan('doubt/', undefined, 10);
    await world.process().resolve('k', { as: 'abandoned' });
    expect(await world.store.scan('doubt/', undefined, 10)).toEqual([]);
    await world.store.insert(entry?.key ?? '', entry?.data ?? '', null);
    expect(await world.process().observe(published('post_9', 'Later'))).toBeUndefined();
    await world.process().prune({ olderThan: new Date(0) });
    expect(await world.store.scan('doubt/', undefined, 10)).toEqual([]);
  });
});

describe('an entry of the index that a newer version wrote', () => {
  it('hides no intent in doubt from an event', async () => {
    const world = new World();
    world.service.faults.add({ kind: 'listing_lag', lagMs: 30_000, times: 1 });
    world.service.faults.add(lostReply);
    await world.process().publish('k', world.later());
    const [entry] = await world.store.scan('doubt/', undefined, 10);
    await world.store.insert(`${entry?.key ?? ''}-newer`, '{"format":99}', null);
    await world.pass(minute);
    const [post] = world.posts;
    const event = published(post?.postId ?? '', 'Later', post?.scheduledFor);
    expect(await world.process().observe(event)).toMatchObject({ key: 'k', state: 'published' });
  });
});

describe('an entry of the index that is written before its intent', () => {
  it('stays if another process prunes between the two writes', async () => {
    const world = new World();
    world.service.faults.add({ kind: 'listing_lag', lagMs: 30_000, times: 1 });
    world.service.faults.add(lostReply);
    const pruned = afterInsert(world.store, async (key) => {
      if (key.startsWith('doubt/')) await world.process().prune({ olderThan: new Date(0) });
    });
    expect(await world.process({ store: pruned }).publish('k', world.later())).toMatchObject({ state: 'in_doubt' });
    await world.pass(minute);
    const [post] = world.posts;
    const event = published(post?.postId ?? '', 'Later', post?.scheduledFor);
    expect(await world.process().observe(event)).toMatchObject({ key: 'k', state: 'published' });
  });
});

describe('a wrong ID that an operator named for an intent that was never sent', () => {
  it('is searched for once in the list, not again and again', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.enqueue('k', world.later());
    world.addPosts(250);
    await world.pass(minute);
    await publisher.resolve('k', { as: 'published', postId: 'post_typo' });
    const before = world.lists;
    for (let hours = 0; hours < 24; hours += 1) {
      await publisher.sweep();
      await world.pass(hour);
    }
    expect(await publisher.get('k')).toMatchObject({ state: 'accepted', postId: 'post_typo' });
    // Three pages once, then one empty page for each search.
    expect(world.lists - before).toBeLessThanOrEqual(3 + 24);
  });
});
