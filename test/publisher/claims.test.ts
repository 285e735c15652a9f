import { describe, expect, it } from 'vitest';
import type { DurableStore } from '../../src/stores/store.js';
import { newGate } from '../support/gate.js';
import { storeWith } from '../support/stores.js';
import { create, hour, minute, neverArrived, second, worldWith, type World } from './world.js';

interface Hooks {
  readonly beforeSwap?: (key: string, data: string | null) => Promise<void>;
  readonly afterSwap?: (key: string, data: string | null) => Promise<void>;
  readonly afterInsert?: (key: string) => Promise<void>;
}

/** A store with other processes that act around its writes. */
function hooked(store: DurableStore, { beforeSwap, afterSwap, afterInsert }: Hooks): DurableStore {
  return storeWith(store, {
    insert: async (key, data, wakeAt) => {
      const version = await store.insert(key, data, wakeAt);
      await afterInsert?.(key);
      return version;
    },
    swap: async (key, version, data, wakeAt) => {
      await beforeSwap?.(key, data);
      const next = await store.swap(key, version, data, wakeAt);
      await afterSwap?.(key, data);
      return next;
    },
  });
}

/** An intent in doubt, a minute after its request was lost. */
async function inDoubt(): Promise<World> {
  const world = worldWith(neverArrived);
  await world.process().publish('k', world.later());
  await world.pass(minute);
  return world;
}

const idOf = (world: World): string => world.posts[0]?.postId ?? '';
const claimsOf = async (world: World) => (await world.store.scan('post/', undefined, 9)).map(({ data }) => data);

describe('a late search of a pruned intent claims a post of its new life', () => {
  /** The search waits between its claim and the retirement of the claim. */
  async function lateSearch() {
    const world = await inDoubt();
    const list = world.waiting('GET', 'request');
    const [claimed, retires] = [newGate(), newGate()];
    const store = hooked(world.store, {
      beforeSwap: async (_key, data) => {
        if (data?.includes('"unproved"') !== true) return;
        claimed.open();
        await retires.opened;
      },
    });
    const search = world.process({ client: list.client, store }).resume('k');
    await list.isAsked;
    await world.endLife();
    const retire = async () => {
      retires.open();
      await search;
    };
    return { world, list, claimed: claimed.opened, retire };
  }

  it('and retires the claim while the reply of the new life claims the post: the reply wins', async () => {
    const { world, list, claimed, retire } = await lateSearch();
    const post = world.waiting('POST', 'reply');
    let hasRetired = false;
    const store = hooked(world.store, {
      beforeSwap: async (key) => {
        if (hasRetired || !key.startsWith('post/')) return;
        hasRetired = true;
        await retire();
      },
    });
    const published = world.process({ client: post.client, store }).publish('k', world.later());
    await post.isAsked;
    list.letGo();
    await claimed;
    post.letGo();
    expect(await published).toMatchObject({ state: 'accepted', postId: idOf(world) });
    expect(hasRetired).toBe(true);
  });

  it('and retires the claim while an operator names the post: the operator wins', async () => {
    const { world, list, claimed, retire } = await lateSearch();
    await world.dieAt('replied', (publisher) => publisher.publish('k', world.later()));
    list.letGo();
    await claimed;
    await world.pass(2 * minute);
    const store = hooked(world.store, {
      beforeSwap: async (key) => {
        if (key.startsWith('post/')) await retire();
      },
    });
    const postId = idOf(world);
    expect(await world.process({ store }).resolve('k', { as: 'published', postId })).toMatchObject({ postId });
  });

  it('but does not retire a claim that release 0.2.0 wrote, which names no life', async () => {
    const world = await inDoubt();
    const list = world.waiting('GET', 'request');
    const search = world.process({ client: list.client }).resume('k');
    await list.isAsked;
    await world.endLife();
    expect(await world.process().publish('k', world.later())).toMatchObject({ postId: idOf(world) });
    const claim = `post/${idOf(world)}`;
    const { version = 0, data = '{}' } = (await world.store.get(claim)) ?? {};
    const { createdAt: _createdAt, ...old } = JSON.parse(data) as Record<string, unknown>;
    await world.store.swap(claim, version, JSON.stringify(old), null);
    list.letGo();
    await search;
    expect((await claimsOf(world))[0]).not.toContain('unproved');
    world.service.faults.add(neverArrived);
    await world.process().publish('equal', world.later());
    await world.pass(2 * minute);
    await expect(world.process().resolve('equal', { as: 'published', postId: idOf(world) })).rejects.toThrow(
      'belongs to another intent',
    );
  });
});

describe('an intent that ends without a post leaves its claim', () => {
  it('abandoned during its search: the reply of an equal intent gets the post', async () => {
    const world = await inDoubt();
    const list = world.waiting('GET', 'request');
    const search = world.process({ client: list.client }).resume('k');
    await list.isAsked;
    const post = world.waiting('POST', 'reply');
    const equal = world.process({ client: post.client }).publish('equal', world.later());
    await post.isAsked;
    await world.process().resolve('k', { as: 'abandoned' });
    list.letGo();
    await search;
    expect(await claimsOf(world)).toEqual([]);
    post.letGo();
    expect(await equal).toMatchObject({ state: 'accepted', postId: idOf(world) });
  });

  it('abandoned after a search that died: an operator can name the post for an equal intent', async () => {
    const world = await inDoubt();
    await world.dieAt('replied', (publisher) => publisher.publish('equal', world.later()));
    await world.dieAt('looked', (publisher) => publisher.resume('k'));
    await world.process().resolve('k', { as: 'abandoned' });
    await world.pass(2 * minute);
    const postId = idOf(world);
    expect(await world.process().resolve('equal', { as: 'published', postId })).toMatchObject({ postId });
  });

  it('refused between the claim and the record of its search: an equal intent gets the post', async () => {
    const world = worldWith({ route: create, kind: 'status', status: 422, times: 1 });
    const post = world.waiting('POST', 'reply');
    const refused = world.process({ client: post.client, leaseMs: 5 * second }).publish('k', world.later());
    await post.isAsked;
    await world.dieAt('replied', (publisher) => publisher.publish('equal', world.later()), { leaseMs: minute });
    await world.pass(10 * second);
    const store = hooked(world.store, {
      afterInsert: async (key) => {
        if (!key.startsWith('post/')) return;
        post.letGo();
        await refused;
      },
    });
    await world.process({ store }).resume('k');
    expect((await refused).state).toBe('rejected');
    await world.pass(hour);
    expect(await world.process().resume('equal')).toMatchObject({ postId: idOf(world) });
  });
});

describe('an operator corrects the ID of a post', () => {
  it('while a search looks for the post of an equal intent: one of them gets it', async () => {
    const world = await inDoubt();
    await world.process().resolve('k', { as: 'published', postId: 'post_typo' });
    await world.dieAt('replied', (publisher) => publisher.publish('equal', world.later()));
    await world.pass(2 * minute);
    const store = hooked(world.store, {
      afterInsert: async (key) => {
        if (key.startsWith('post/')) await world.process().resume('equal');
      },
    });
    await world.process({ store }).resolve('k', { as: 'published', postId: idOf(world) });
    expect((await world.process().get('k'))?.postId).toBe(idOf(world));
    expect((await world.process().get('equal'))?.postId).toBeUndefined();
  });

  it.each(['published', 'not_sent'] as const)(
    'as another one names the old ID again, after %s: its claim stays',
    async (as) => {
      const world = await inDoubt();
      const { postId } = await world.client.posts.create(world.later());
      await world.process().resolve('k', { as: 'published', postId });
      let isNamed = false;
      const store = hooked(world.store, {
        afterSwap: async (key) => {
          if (isNamed || key !== 'intent/k') return;
          isNamed = true;
          await world.process().resolve('k', { as: 'published', postId });
        },
      });
      await world.process({ store }).resolve('k', as === 'published' ? { as, postId: 'post_typo' } : { as });
      expect(await world.process().get('k')).toMatchObject({ postId });
      expect((await world.store.get(`post/${postId}`))?.data).toContain('"k"');
    },
  );
});
