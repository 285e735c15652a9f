import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError, outcomeOf } from '../../src/index.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { rejection } from '../policies/client.js';
import { InboxWorld } from '../webhooks/inbox-world.js';
import { published } from '../webhooks/verify-suite.js';
import { lostReply, minute, World } from '../publisher/world.js';
import { storeCalling } from '../support/stores.js';

/** A store that fails over: for a while each call fails, and what it had stored stays. */
function failingOver() {
  const memory = new MemoryDurableStore();
  const state = { isDown: false };
  const store = storeCalling(memory, () => {
    if (state.isDown) throw new Error('The server is starting up');
  });
  return { memory, state, world: new World(store) };
}

describe('elsewhere, a failover of the database ran jobs twice', () => {
  it('here, nothing is sent while the mark cannot be stored, and one post after it', async () => {
    const { state, world } = failingOver();
    state.isDown = true;
    await expect(world.process().publish('spring-sale', world.later())).rejects.toThrow('starting up');
    expect(world.creates).toBe(0);
    state.isDown = false;
    expect(await world.process().publish('spring-sale', world.later())).toMatchObject({ state: 'accepted' });
    expect(world.posts).toHaveLength(1);
  });

  it('here, one post: the mark was stored, and its reply was lost', async () => {
    const { memory, world } = failingOver();
    const insert = memory.insert.bind(memory);
    vi.spyOn(memory, 'insert').mockImplementationOnce(async (...item) => {
      await insert(...item);
      throw new Error('The connection was closed by the server');
    });
    expect(await world.process().publish('spring-sale', world.later())).toMatchObject({ state: 'accepted' });
    expect([world.posts.length, world.creates]).toEqual([1, 1]);
  });

  it('here, one post: the database went away after the send, before the result was stored', async () => {
    const { state, world } = failingOver();
    const client = world.clientReading((reply) => {
      state.isDown = true;
      return reply;
    });
    await world
      .process({ client })
      .publish('spring-sale', world.later())
      .catch(() => undefined);
    expect(world.posts).toHaveLength(1);
    state.isDown = false;
    await world.pass(2 * minute);
    await world.process().sweep();
    expect(await world.process().publish('spring-sale', world.later())).toMatchObject({ state: 'accepted' });
    expect([world.posts.length, world.creates]).toEqual([1, 1]);
  });
});

describe('elsewhere, a process that shut down reported a finished job as not started, and somebody started it again', () => {
  it('here, the error claims nothing while the post may exist, and the same call again finds the post', async () => {
    const store = new MemoryDurableStore();
    let isClosed = false;
    const closing = storeCalling(store, () => {
      if (isClosed) throw new ConfigurationError('The store is closed.');
    });
    const world = new World(store);
    const client = world.newClient({
      fetch: async (input, init) => {
        // The handler of SIGTERM closes the store while the publisher searches for the post.
        if (init.method !== 'POST') isClosed = true;
        return world.service.fetch(input, init);
      },
    });
    world.service.faults.add(lostReply);
    const stopped = world.process({ client, store: closing });
    const error = await rejection(stopped.publish('spring-sale', world.later()));
    expect(outcomeOf(error)).toBe('unknown');
    await world.pass(2 * minute);
    expect(await world.process().publish('spring-sale', world.later())).toMatchObject({
      state: 'accepted',
      postId: world.posts[0]?.postId,
    });
    expect([world.posts.length, world.creates]).toEqual([1, 1]);
  });
});

describe('elsewhere, two workers took the same job', () => {
  it('here, eight processes that sweep at once send each post once', async () => {
    const world = new World();
    for (let number = 0; number < 20; number += 1)
      await world.process().enqueue(`post-${String(number)}`, world.later(undefined, `Post ${String(number)}`));
    await Promise.all(Array.from({ length: 8 }, () => world.process().sweep()));
    expect(world.posts).toHaveLength(20);
    expect(world.creates).toBe(20);
  });

  it('here, eight processes that receive the same event handle it once', async () => {
    const world = new InboxWorld();
    const processes = Array.from({ length: 8 }, () => world.process());
    const statuses = await Promise.all(processes.map((process) => process.deliver(published)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await Promise.all(processes.map((process) => process.work()));
    expect(processes.flatMap(({ ids }) => ids)).toEqual(['evt_1']);
  });
});
