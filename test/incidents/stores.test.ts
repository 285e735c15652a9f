import { describe, expect, it } from 'vitest';
import { ConfigurationError, outcomeOf } from '../../src/index.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import type { DurableStore } from '../../src/stores/store.js';
import { rejection } from '../policies/client.js';
import { InboxWorld } from '../webhooks/inbox-world.js';
import { published } from '../webhooks/verify-suite.js';
import { minute, World } from '../publisher/world.js';

/** A store that fails over: for a while each call fails, and what it had stored stays. */
class FailingOver implements DurableStore {
  readonly inner = new MemoryDurableStore();
  isDown = false;
  /** The next write is stored, and its reply is lost. */
  losesReply = false;

  get = (key: string) => this.#call(() => this.inner.get(key));
  due = (prefix: string, now: number, limit: number) => this.#call(() => this.inner.due(prefix, now, limit));
  scan = (prefix: string, after: string | undefined, limit: number) =>
    this.#call(() => this.inner.scan(prefix, after, limit));
  insert = (key: string, data: string, wakeAt: number | null) =>
    this.#write(() => this.inner.insert(key, data, wakeAt));
  swap = (key: string, version: number, data: string | null, wakeAt: number | null) =>
    this.#write(() => this.inner.swap(key, version, data, wakeAt));

  async #call<T>(run: () => Promise<T>): Promise<T> {
    if (this.isDown) throw new Error('The server is starting up');
    return run();
  }

  async #write<T>(run: () => Promise<T>): Promise<T> {
    const result = await this.#call(run);
    if (!this.losesReply) return result;
    this.losesReply = false;
    throw new Error('The connection was closed by the server');
  }
}

describe('elsewhere, a failover of the database ran jobs twice', () => {
  it('here, nothing is sent while the mark cannot be stored, and one post after it', async () => {
    const store = new FailingOver();
    const world = new World(store);
    store.isDown = true;
    await expect(world.process().publish('spring-sale', world.later())).rejects.toThrow('starting up');
    expect(world.creates).toBe(0);
    store.isDown = false;
    expect(await world.process().publish('spring-sale', world.later())).toMatchObject({ state: 'accepted' });
    expect(world.posts).toHaveLength(1);
  });

  it('here, one post: the mark was stored, and its reply was lost', async () => {
    const store = new FailingOver();
    const world = new World(store);
    store.losesReply = true;
    expect(await world.process().publish('spring-sale', world.later())).toMatchObject({ state: 'accepted' });
    expect([world.posts.length, world.creates]).toEqual([1, 1]);
  });

  it('here, one post: the database went away after the send, before the result was stored', async () => {
    const store = new FailingOver();
    const world = new World(store);
    const client = world.newClient({
      fetch: async (input, init) => {
        const reply = await world.service.fetch(input, init);
        store.isDown = true;
        return reply;
      },
    });
    await world
      .process({ client })
      .publish('spring-sale', world.later())
      .catch(() => undefined);
    expect(world.posts).toHaveLength(1);
    store.isDown = false;
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
    const closing: DurableStore = {
      get: (key) => (isClosed ? Promise.reject(closed()) : store.get(key)),
      insert: (...item) => (isClosed ? Promise.reject(closed()) : store.insert(...item)),
      swap: (...item) => (isClosed ? Promise.reject(closed()) : store.swap(...item)),
      due: (...query) => store.due(...query),
      scan: (...query) => store.scan(...query),
    };
    const closed = () => new ConfigurationError('The store is closed.');
    const world = new World(store);
    const client = world.newClient({
      fetch: async (input, init) => {
        // The handler of SIGTERM closes the store while the publisher searches for the post.
        if (init.method !== 'POST') isClosed = true;
        return world.service.fetch(input, init);
      },
    });
    world.service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/posts/', times: 1 });
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
