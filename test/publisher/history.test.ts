/** What a publisher reads does not depend on how much it has published. */
import { describe, expect, it } from 'vitest';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import type { PostPublishedEvent } from '../../src/webhooks/index.js';
import { afterInsert, storeAround } from '../support/stores.js';
import { collect } from '../support/collect.js';
import { hour, lostReply, minute, neverArrived, World, worldWith } from './world.js';

/** A world whose store counts operations, and the items that they return. */
function countingWorld() {
  const cost = { operations: 0, items: 0 };
  const count = async <T>(_: string, run: () => Promise<T>): Promise<T> => {
    cost.operations += 1;
    const value = await run();
    cost.items += Array.isArray(value) ? value.length : 1;
    return value;
  };
  return { cost, world: new World(storeAround(new MemoryDurableStore(), count)) };
}

/** A store with finished intents and accepted drafts. */
async function withHistory(finished: number) {
  const { cost, world } = countingWorld();
  const publisher = world.process();
  for (let number = 0; number < finished; number += 1) {
    const body = number % 2 === 0 ? world.now : { content: 'Idea', saveAsDraft: true as const };
    await publisher.publish(`done/${String(number)}`, body);
  }
  await world.pass(minute);
  return { cost, world };
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
      const { cost, world } = await withHistory(finished);
      await world.process().enqueue('open', world.later());
      await world.process().resume('open');
      cost.operations = cost.items = 0;
      await work(world);
      costs.push(cost.operations + cost.items);
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

describe('a sweep behind 3,000 due intents of another service', () => {
  it('reads at most 6 items for each of them', async () => {
    const { cost, world } = countingWorld();
    const theirs = world.process({ service: 'https://other.test' });
    for (let number = 0; number < 3_000; number += 1) {
      await theirs.enqueue(`k${String(number)}`, { content: 'Idea', saveAsDraft: true });
    }
    await world.process().enqueue('mine', { content: 'Idea', saveAsDraft: true });
    cost.items = 0;
    expect(await world.process().sweep()).toMatchObject([{ key: 'mine', state: 'accepted' }]);
    expect(cost.items).toBeLessThanOrEqual(6 * 3_000);
  });
});

describe('an event of an unknown post, among 10,000 open intents', () => {
  async function crowded() {
    const { cost, world } = countingWorld();
    await world.process().enqueue('template', world.later(48 * hour, 'Crowd'));
    const item = await world.store.get('intent/template');
    for (let number = 0; number < 10_000; number += 1) {
      await world.store.insert(`intent/crowd/${String(number)}`, item?.data ?? '', world.time - 1);
    }
    return { cost, world };
  }

  it('costs at most five store operations', async () => {
    const { cost, world } = await crowded();
    cost.operations = 0;
    expect(await world.process().observe(published('post_foreign', 'Crowd'))).toBeUndefined();
    expect(cost.operations).toBeLessThanOrEqual(5);
  });

  it.each([
    ['scheduled', 24 * hour, false],
    ['moved to another time by a user', 24 * hour, true],
  ])('finds its intent in doubt: %s', async (_, inMs, isMoved) => {
    const { world } = await crowded();
    world.service.faults.add({ kind: 'listing_lag', lagMs: 30_000, times: 1 });
    world.service.faults.add(lostReply);
    expect((await world.process().publish('k', world.later(inMs, 'Mine'))).state).toBe('in_doubt');
    await world.pass(minute);
    const [post] = world.posts;
    const time = isMoved ? '2026-08-01T09:00:00Z' : post?.scheduledFor;
    const event = published(post?.postId ?? '', 'Mine', time);
    expect(await world.process().observe(event)).toMatchObject({ key: 'k', state: 'published' });
    // The index has no entry of an intent that is not in doubt.
    expect(await world.store.scan('doubt/', undefined, 10)).toEqual([]);
  });
});

describe('an entry of the index whose intent is not in doubt', () => {
  it('does no harm, and is removed by prune', async () => {
    const world = worldWith(neverArrived);
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
    const world = worldWith({ kind: 'listing_lag', lagMs: 30_000, times: 1 }, lostReply);
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
    const world = worldWith({ kind: 'listing_lag', lagMs: 30_000, times: 1 }, lostReply);
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
