import { describe, expect, it } from 'vitest';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { RedisStore } from '../../src/stores/redis/index.js';
import { rejection } from '../policies/client.js';
import { collect } from '../support/collect.js';
import { second, World } from '../publisher/world.js';
import { storeAround } from '../support/stores.js';

describe('elsewhere, two apps on one Redis shared their jobs, because a driver ignored the prefix of its client', () => {
  it('here, such a client is refused before anything is stored, and the message says how to keep the data', () => {
    const client = {
      call: () => Promise.resolve(null),
      options: { keyPrefix: 'shop:' },
    };
    expect(() => new RedisStore(client)).toThrow(/keyPrefix "shop:".*prefix: "shop:social-publishing:"/);
  });
});

describe('elsewhere, staging and production shared a queue, and each sent the jobs of the other', () => {
  /** Two services, and processes on one store. */
  function twoServices() {
    const store = new MemoryDurableStore();
    const [production, staging] = [new World(store), new World(store)];
    const client = staging.newClient({ baseUrl: 'https://staging.test' });
    return {
      production,
      staging,
      inProduction: production.process(),
      inStaging: staging.process({ client }),
    };
  }

  it('here, a sweep of one service leaves the posts of the other alone', async () => {
    const { production, staging, inProduction, inStaging } = twoServices();
    await inProduction.enqueue('spring-sale', production.later());
    await inStaging.sweep();
    expect(staging.creates).toBe(0);
    expect(await collect(inStaging.list())).toEqual([]);
    await inProduction.sweep();
    expect([production.posts.length, staging.posts.length]).toEqual([1, 0]);
  });

  it('here, a key of another service is refused, not reported as published', async () => {
    const { production, staging, inProduction, inStaging } = twoServices();
    await inStaging.publish('spring-sale', staging.later());
    const error = await rejection(inProduction.publish('spring-sale', production.later()));
    expect(error).toMatchObject({ name: 'IntentConflictError' });
    expect(String(error)).toContain('https://staging.test');
    expect(production.creates).toBe(0);
  });

  describe('here, a key that the other service takes while a call waits stays with that service', () => {
    /** The key `k` is `ready` in staging. In a process of staging, production publishes it around the next write to it. */
    async function takenFromStaging(when: 'before' | 'after', decided = false) {
      const { production, staging, inProduction, inStaging } = twoServices();
      if (decided) staging.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
      await (decided ? inStaging.publish('k', staging.later()).catch(() => undefined) : undefined);
      await (decided
        ? inStaging.resolve('k', { as: 'not_sent' })
        : inStaging.enqueue('k', staging.later(), { sendAheadMs: 0 }));
      const before = staging.creates;
      let isTaken = false;
      const take = async () => {
        isTaken = true;
        await inStaging.resolve('k', { as: 'abandoned' });
        staging.time += second;
        await inStaging.prune({ olderThan: new Date(staging.time) });
        await inProduction.enqueue('k', production.later(), { sendAheadMs: 0 });
      };
      const store = storeAround(production.store, async (call, run) => {
        const isFirst = call === 'swap intent/k' && !isTaken;
        if (isFirst && when === 'before') await take();
        const result = await run();
        if (isFirst && when === 'after') await take();
        return result;
      });
      const client = staging.newClient({ baseUrl: 'https://staging.test' });
      const expectUnsent = async () => {
        expect(isTaken).toBe(true);
        expect(staging.creates).toBe(before);
        expect(await inProduction.get('k')).toMatchObject({ state: 'ready', attempts: 0 });
      };
      return { staging, process: staging.process({ client, store }), expectUnsent };
    }

    it.each(['publish', 'resume'] as const)('%s is refused', async (call) => {
      const { staging, process, expectUnsent } = await takenFromStaging('before');
      staging.time += 48 * 3_600 * second;
      const asked =
        call === 'publish' ? process.publish('k', staging.later(), { sendAheadMs: 0 }) : process.resume('k');
      expect(await rejection(asked)).toMatchObject({ name: 'IntentConflictError' });
      await expectUnsent();
    });

    it('a sweep sends and reports nothing', async () => {
      const { staging, process, expectUnsent } = await takenFromStaging('before');
      staging.time += 48 * 3_600 * second;
      expect(await process.sweep()).toEqual([]);
      await expectUnsent();
    });

    it('a sweep that has searched for its post sends nothing', async () => {
      const { process, expectUnsent } = await takenFromStaging('after', true);
      expect(await process.sweep()).toEqual([]);
      await expectUnsent();
    });
  });

  it('here, two projects of one service have a scope each, and the same key in both', async () => {
    const world = new World();
    const [shop, blog] = [world.process({ scope: 'shop' }), world.process({ scope: 'blog' })];
    await shop.publish('launch', world.later(undefined, 'Our shop'));
    await blog.publish('launch', world.later(undefined, 'Our blog'));
    await Promise.all([shop.sweep(), blog.sweep()]);
    expect(world.posts.map(({ content }) => content)).toEqual(['Our shop', 'Our blog']);
    expect((await collect(blog.list())).map(({ body }) => body.content)).toEqual(['Our blog']);
  });
});

describe('elsewhere, a file with an accent in its name was uploaded again from another computer', () => {
  it('here, the two forms of such a name are one key', async () => {
    const world = new World();
    const name = 'café.jpg';
    await world.process().publish(name.normalize('NFD'), world.later());
    await world.process().publish(name.normalize('NFC'), world.later());
    expect([world.posts.length, world.creates]).toEqual([1, 1]);
  });
});
