import { describe, expect, it } from 'vitest';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { RedisStore } from '../../src/stores/redis/index.js';
import { rejection } from '../policies/client.js';
import { collect } from '../support/collect.js';
import { World } from '../publisher/world.js';

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
