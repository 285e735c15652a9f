import { describe, expect, it } from 'vitest';
import type { PublishItem, PublishProgress } from '../../src/publisher/publish-many.js';
import { collect } from '../support/collect.js';
import { hour, World } from './world.js';

const items = (world: World, count: number, prefix = 'k'): PublishItem[] =>
  Array.from({ length: count }, (_, index) => ({ key: `${prefix}${String(index)}`, body: world.later() }));

describe('publishing many', () => {
  it('yields every intent, and counts each once', async () => {
    const world = new World();
    const progress: PublishProgress[] = [];
    const list = [...items(world, 20), { key: 'k0', body: world.later() }];
    const intents = await collect(world.process().publishMany(list, { onProgress: (counts) => progress.push(counts) }));
    expect(intents).toHaveLength(21);
    expect(world.posts).toHaveLength(20);
    const { total, waitingMs, waitingSince, ...counts } = progress.at(-1) ?? ({} as PublishProgress);
    expect([waitingMs, waitingSince]).toEqual([undefined, undefined]);
    expect(total).toBe(21);
    expect(counts).toMatchObject({ accepted: 20, sending: 0 });
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(20);
    expect(progress).toHaveLength(21);
  });

  it('skips finished intents when it runs again', async () => {
    const world = new World();
    await collect(world.process().publishMany(items(world, 10)));
    const again = await collect(world.process().publishMany(items(world, 15)));
    expect(again.filter(({ replayed }) => replayed)).toHaveLength(10);
    expect(world.creates).toBe(15);
  });

  it('yields refused items too, and continues', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.publish('taken', world.now);
    const list = [
      { key: 'bad', body: { contnet: 'x', saveAsDraft: true } as never },
      { key: 'taken', body: world.later() },
      { key: 'refused', body: { ...world.now, platforms: [{ platform: 'bluesky' as const, accountId: 'nobody' }] } },
      { key: 'good', body: world.later() },
    ];
    const intents = await collect(publisher.publishMany(list, { concurrency: 1 }));
    expect(intents.map(({ key, state, error }) => [key, state, error?.name])).toEqual([
      ['bad', 'rejected', 'InvalidRequestError'],
      ['taken', 'rejected', 'IntentConflictError'],
      ['refused', 'rejected', 'NotFoundError'],
      ['good', 'accepted', undefined],
    ]);
    const at = new Date(world.time).toISOString();
    expect(intents.map(({ createdAt }) => createdAt)).toEqual([at, at, at, at]);
  });

  it('counts a refused item of a published key on its own', async () => {
    const world = new World();
    const list = [
      { key: 'k', body: world.now },
      { key: 'k', body: world.later(hour, 'Other') },
      { key: 'k', body: { contnet: 'x', saveAsDraft: true } as never },
    ];
    const progress: PublishProgress[] = [];
    const options = { concurrency: 1, onProgress: (counts: PublishProgress) => progress.push(counts) };
    await collect(world.process().publishMany(list, options));
    expect(progress.at(-1)).toMatchObject({ total: 3, published: 1, rejected: 2 });
  });

  it.each([1, 3, 8])('pulls at most twice %i items ahead of the consumer, one at a time', async (concurrency) => {
    const world = new World();
    let pulled = 0;
    let taken = 0;
    let furthest = 0;
    let asking = 0;
    async function* source() {
      for (const item of items(world, 60)) {
        expect((asking += 1)).toBe(1);
        await Promise.resolve();
        asking -= 1;
        pulled += 1;
        furthest = Math.max(furthest, pulled - taken);
        yield item;
      }
    }
    for await (const intent of world.process().publishMany(source(), { concurrency })) {
      expect(intent.state).toBe('accepted');
      await new Promise((resolve) => setTimeout(resolve, 1));
      taken += 1;
    }
    expect(taken).toBe(60);
    expect(furthest).toBeLessThanOrEqual(2 * concurrency + 1);
  });

  it('closes its source with the reader', async () => {
    const world = new World();
    let isClosed = false;
    function* source() {
      try {
        yield* items(world, 100);
      } finally {
        isClosed = true;
      }
    }
    for await (const intent of world.process().publishMany(source(), { concurrency: 2 })) {
      expect(intent.key).toBeDefined();
      break;
    }
    expect(isClosed).toBe(true);
    expect(world.creates).toBeLessThanOrEqual(6);
  });

  it("ends with the signal's reason at an abort, and begins nothing more", async () => {
    const world = new World();
    const abort = new AbortController();
    const reason = new Error('Ctrl-C');
    let isClosed = false;
    async function* source() {
      try {
        for (const item of items(world, 100)) {
          await Promise.resolve();
          yield item;
        }
      } finally {
        isClosed = true;
      }
    }
    const run = async () => {
      for await (const intent of world.process().publishMany(source(), { concurrency: 2, signal: abort.signal })) {
        if (intent.key === 'k5') abort.abort(reason);
      }
    };
    await expect(run()).rejects.toBe(reason);
    await expect.poll(() => isClosed).toBe(true);
    const { creates } = world;
    expect(creates).toBeLessThan(15);
    // The remaining items are sent by another run.
    await collect(world.process().publishMany(items(world, 100)));
    expect(world.creates).toBe(100);
    const aborted = collect(world.process().publishMany(items(world, 5, 'never'), { signal: abort.signal }));
    await expect(aborted).rejects.toBe(reason);
    expect(world.creates).toBe(100);
  });

  it('ends at once at an abort, even while the source and the service hang', async () => {
    const world = new World();
    const abort = new AbortController();
    const client = world.newClient({ fetch: () => new Promise<never>(() => {}) });
    async function* source() {
      yield* items(world, 2);
      await new Promise<never>(() => {});
    }
    const ended = collect(world.process({ client }).publishMany(source(), { signal: abort.signal }));
    setTimeout(() => {
      abort.abort(new Error('Ctrl-C'));
    }, 20);
    await expect(ended).rejects.toThrow('Ctrl-C');
  });

  it('ends with the error of the source, after the earlier results', async () => {
    const world = new World();
    function* source() {
      yield* items(world, 3);
      throw new Error('line 4 is no CSV');
    }
    const seen: string[] = [];
    const run = async () => {
      for await (const { key } of world.process().publishMany(source())) seen.push(key);
    };
    await expect(run()).rejects.toThrow('line 4 is no CSV');
    expect(seen.sort()).toEqual(['k0', 'k1', 'k2']);
  });

  it('ends with the error of the store', async () => {
    const world = new World();
    Object.assign(world.store, { insert: () => Promise.reject(new Error('disk full')) });
    await expect(collect(world.process().publishMany(items(world, 3)))).rejects.toThrow('disk full');
    expect(world.service.requests).toHaveLength(0);
  });

  it.each([0, 1.5, Number.NaN])('refuses a concurrency of %d', async (concurrency) => {
    const world = new World();
    await expect(collect(world.process().publishMany([], { concurrency }))).rejects.toThrow('concurrency');
  });
});
