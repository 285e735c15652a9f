/** What is open and what is late, for alerts. */
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/core/errors.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { collect } from '../support/collect.js';
import { create, hour, minute, neverArrived, second, start, World } from './world.js';
import { storeWith } from '../support/stores.js';

async function overdueKeys(world: World): Promise<string[]> {
  const listed = await collect(world.process().list({ overdue: true }));
  expect((await world.process().stats()).overdue).toBe(listed.length);
  return listed.map(({ key }) => key);
}

describe('stats', () => {
  it('counts open intents by state, and shows the oldest that is ready or in doubt', async () => {
    const world = new World();
    const publisher = world.process();
    const none = { byState: { ready: 0, sending: 0, accepted: 0, in_doubt: 0 }, overdue: 0, oldest: {} };
    expect(await publisher.stats()).toEqual({ ...none, otherServices: 0 });
    await publisher.publish('draft', { content: 'Draft', saveAsDraft: true });
    await publisher.publish('published', world.now);
    await world.pass(minute);
    await publisher.sweep();
    await publisher.publish('accepted', world.later());
    await publisher.enqueue('ready/1', world.later());
    world.service.faults.add(neverArrived);
    await publisher.publish('lost', world.later());
    await world.pass(second);
    await publisher.enqueue('ready/2', world.later());
    await world.dieAt('marked', (dying) => dying.publish('sending', world.later()));
    expect(await publisher.stats()).toEqual({
      byState: { ready: 2, sending: 1, accepted: 1, in_doubt: 1 },
      overdue: 0,
      oldest: {
        ready: new Date(start + minute).toISOString(),
        in_doubt: new Date(start + minute).toISOString(),
      },
      otherServices: 0,
    });
  });

  it('counts what a newer version and other services wrote separately, and other scopes not at all', async () => {
    const world = new World();
    await world.process().enqueue('mine', world.later());
    await world.process({ service: 'https://other.test' }).enqueue('theirs', world.later());
    await world.process({ scope: 'shop' }).enqueue('scoped', world.later());
    await world.store.insert('intent/newer', '{"format":99}', start);
    expect(await world.process().stats()).toMatchObject({
      byState: { ready: 1 },
      otherServices: 1,
      unreadable: 1,
    });
    expect(await world.process({ scope: 'shop' }).stats()).toMatchObject({ byState: { ready: 1 }, otherServices: 0 });
  });

  it('reads only open intents', async () => {
    let reads = 0;
    const memory = new MemoryDurableStore();
    const store = storeWith(memory, {
      get: (key) => ((reads += 1), memory.get(key)),
      scan: () => Promise.reject(new Error('It reads finished intents too.')),
    });
    const world = new World(store);
    const publisher = world.process();
    const drafts = Array.from({ length: 50 }, (_, index) => ({
      key: `done/${String(index)}`,
      body: { content: 'Draft', saveAsDraft: true } as const,
    }));
    await collect(publisher.publishMany(drafts));
    await publisher.enqueue('open/1', world.later());
    await publisher.enqueue('open/2', world.later());
    reads = 0;
    await publisher.stats();
    await collect(publisher.list({ overdue: true }));
    expect(reads).toBe(4);
  });
});

describe('overdue', () => {
  it('is a scheduled intent 15 minutes after its time, in every open state', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.enqueue('ready', world.later(hour));
    await publisher.publish('accepted', world.later(hour));
    world.service.faults.add(neverArrived);
    await publisher.publish('lost', world.later(hour));
    await world.dieAt('marked', (dying) => dying.publish('sending', world.later(hour)));
    await publisher.publish('tomorrow', world.later());
    await publisher.publish('draft', { content: 'Draft', saveAsDraft: true });
    await world.pass(hour + 15 * minute - second);
    expect(await overdueKeys(world)).toEqual([]);
    await world.pass(second);
    expect(await overdueKeys(world)).toEqual(['accepted', 'lost', 'ready', 'sending']);
    expect(await collect(publisher.list({ overdue: true, state: 'in_doubt', prefix: 'l' }))).toMatchObject([
      { key: 'lost' },
    ]);
    expect(await collect(publisher.list({ overdue: true, state: 'published' }))).toEqual([]);
    expect(await collect(publisher.list({ overdue: true, prefix: 'x' }))).toEqual([]);
    await publisher.sweep();
    await world.pass(minute);
    await publisher.sweep();
    expect(await overdueKeys(world)).toEqual(['lost', 'sending']);
  });

  it('is an immediate post 15 minutes after its send, or after its creation while nothing was sent', async () => {
    const world = new World();
    const publisher = world.process();
    world.service.faults.add({ route: create, kind: 'status', status: 401 });
    await publisher.publish('refused', world.now);
    await publisher.enqueue('later', world.now);
    await world.pass(14 * minute);
    await publisher.sweep();
    world.service.faults.clear();
    world.service.faults.add(neverArrived);
    await publisher.resume('later');
    await world.pass(minute);
    expect(await overdueKeys(world)).toEqual(['refused']);
    await world.pass(14 * minute);
    expect(await overdueKeys(world)).toEqual(['later', 'refused']);
  });

  it('follows a post that a user moved to a later time', async () => {
    const world = new World();
    const publisher = world.process();
    const { postId = '' } = await publisher.publish('k', world.later(hour));
    await world.pass(hour - minute);
    const { content } = world.later();
    const scheduledFor = new Date(start + 3 * hour).toISOString();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only documented way to move a post
    await world.client.posts.updateScheduled(postId, { content }, { extraBody: { scheduledFor } });
    await publisher.resume('k');
    await world.pass(hour);
    expect(await overdueKeys(world)).toEqual([]);
    await world.pass(2 * hour);
    expect(await overdueKeys(world)).toEqual(['k']);
  });

  it('refuses a value that is not a boolean', async () => {
    const listing = collect(new World().process().list({ overdue: 'yes' as never }));
    await expect(listing).rejects.toThrow(InvalidRequestError);
  });
});
