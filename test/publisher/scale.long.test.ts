/** The cost of searches and sweeps, as bounds: list calls, store operations, lost swaps, and the time to settle. */
import { describe, expect, it } from 'vitest';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { storeAround } from '../support/stores.js';
import { collect } from '../support/collect.js';
import { hour, lostReply, minute, second, World, worldWith } from './world.js';

/** A world whose store counts its calls. */
function countingWorld() {
  const counts = { reads: 0, swaps: 0, lostSwaps: 0 };
  const count = async <T>(call: string, run: () => Promise<T>): Promise<T> => {
    const isSwap = call.startsWith('swap ');
    if (isSwap) counts.swaps += 1;
    else if (!call.startsWith('insert ')) counts.reads += 1;
    const result = await run();
    if (isSwap && result === undefined) counts.lostSwaps += 1;
    return result;
  };
  return { counts, world: new World(storeAround(new MemoryDurableStore(), count)) };
}

describe('the time until a post that is listed late is found', () => {
  /** Seconds until the intent is settled, with a sweep of each process every second. */
  async function settledAfter(sweepers: number, publishes: number): Promise<number> {
    const world = worldWith({ kind: 'listing_lag', lagMs: 19_500, times: 1 }, lostReply);
    const publisher = world.process();
    for (let call = 0; call <= publishes; call += 1) await publisher.publish('k', world.later());
    const processes = Array.from({ length: sweepers }, () => world.process());
    for (let passed = 1; ; passed += 1) {
      await world.pass(second);
      await Promise.all(processes.map((one) => one.sweep()));
      if ((await publisher.get('k'))?.state === 'accepted') return passed;
    }
  }

  it.each([1, 2, 4, 8])('does not depend on the number of sweepers: %i', async (sweepers) => {
    expect(await settledAfter(sweepers, 0)).toBe(20);
  });

  it('does not depend on repeated publish calls', async () => {
    expect(await settledAfter(1, 6)).toBe(20);
  });
});

describe('a campaign of one time', () => {
  it('settles 2,000 accepted posts with at most 60 list calls', async () => {
    const world = new World();
    const publisher = world.process();
    for (let number = 0; number < 2_000; number += 1) {
      await publisher.publish(`k${String(number)}`, world.later(hour, `Post ${String(number)}`));
    }
    await world.pass(hour + 31 * second);
    const before = world.lists;
    for (let round = 0; round < 40; round += 1) if ((await publisher.sweep({ limit: 100 })).length === 0) break;
    expect(await collect(publisher.list({ state: 'accepted' }))).toEqual([]);
    expect(world.lists - before).toBeLessThanOrEqual(60);
  });

  it('settles 200 equal intents in doubt with at most 20,000 store reads', async () => {
    const { counts, world } = countingWorld();
    world.service.faults.add({ kind: 'listing_lag', lagMs: 10_000 });
    for (let number = 0; number < 200; number += 1) {
      world.service.faults.add({ ...lostReply, kind: number % 2 === 0 ? 'reset_after_commit' : 'reset_before' });
      await world.process().publish(`k${String(number)}`, world.later());
    }
    await world.pass(minute);
    counts.reads = 0;
    await world.process().sweep({ limit: 200 });
    expect((await collect(world.process().list({ state: 'accepted' }))).length).toBe(100);
    expect(counts.reads).toBeLessThanOrEqual(20_000);
  });
});

describe('parallel sweepers', () => {
  it.each([2 ** 51, Number.MAX_SAFE_INTEGER, 1e300])('two of them take a limit of %d', async (limit) => {
    const world = new World();
    for (let number = 0; number < 50; number += 1) await world.process().enqueue(`k${String(number)}`, world.later());
    const [one, other] = [world.process(), world.process()];

    const swept = await Promise.all([one.sweep({ limit }), other.sweep({ limit })]);

    expect(new Set(swept.flat().map(({ key }) => key)).size).toBe(50);
    expect(world.posts).toHaveLength(50);
    // Each of them has seen the other by now.
    await world.pass(25 * hour);
    await Promise.all([one.sweep({ limit }), other.sweep({ limit })]);
    expect((await collect(one.list({ state: 'published' }))).length).toBe(50);
  });

  it('eight of them over 10,000 due intents lose at most 20 % of their swaps', async () => {
    const { counts, world } = countingWorld();
    // The number of posts does not matter here: a client that answers at once.
    let posts = 0;
    const client = {
      posts: {
        create: () => Promise.resolve({ success: true, postId: `p${String((posts += 1))}`, status: 'draft' }),
        list: world.client.posts.list.bind(world.client.posts),
      },
    };
    const count = 10_000;
    const publisher = world.process({ client });
    for (let number = 0; number < count; number += 1) {
      await publisher.enqueue(`k${String(number)}`, { content: 'Idea', saveAsDraft: true });
    }
    counts.swaps = 0;
    const sweepAll = async () => {
      const one = world.process({ client });
      while ((await one.sweep({ limit: 100 })).length > 0);
    };
    await Promise.all(Array.from({ length: 8 }, sweepAll));
    expect(posts).toBe(count);
    expect(counts.lostSwaps / counts.swaps).toBeLessThanOrEqual(0.2);
  });
});
