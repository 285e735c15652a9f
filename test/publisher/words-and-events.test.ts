import { describe, expect, it } from 'vitest';
import type { WebhookEvent } from '../../src/index.js';
import { InvalidRequestError } from '../../src/core/errors.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { collect } from '../support/collect.js';
import { create, hour, lostReply, minute, neverArrived, second, World, worldWith } from './world.js';

function eventOf(
  world: World,
  type: 'post.scheduled' | 'post.published' | 'post.failed',
  postId: string,
): WebhookEvent {
  const post = world.posts.find((one) => one.postId === postId);
  return {
    known: true,
    id: `evt_${type}_${postId}`,
    type,
    data: {
      post: { id: postId, status: type.slice(5), content: post?.content },
      platforms: [{ platform: 'bluesky', integrationId: world.accountId, status: type.slice(5) }],
    },
  };
}

describe("an operator's decision", () => {
  async function doubtful(): Promise<World> {
    const world = worldWith(neverArrived);
    expect((await world.process().publish('k', world.now)).state).toBe('in_doubt');
    return world;
  }

  it('not_sent makes it ready, and sends nothing itself', async () => {
    const world = await doubtful();
    const resolved = await world.process().resolve('k', { as: 'not_sent' });
    expect(resolved.state).toBe('ready');
    // Why it was in doubt is settled.
    expect(resolved).not.toHaveProperty('error');
    expect(world.creates).toBe(1);
    expect(await world.process().sweep()).toMatchObject([{ state: 'published', attempts: 2 }]);
  });

  it('published records the post, which is then checked', async () => {
    const world = await doubtful();
    const { postId } = await world.client.posts.create(world.now);
    expect(await world.process().resolve('k', { as: 'published', postId })).toMatchObject({
      state: 'accepted',
      postId,
    });
    await world.pass(1);
    expect(await world.process().sweep()).toMatchObject([{ state: 'published', postId }]);
    // The same word again changes nothing.
    expect((await world.process().resolve('k', { as: 'published', postId })).state).toBe('published');
  });

  it('abandoned ends it', async () => {
    const world = await doubtful();
    expect((await world.process().resolve('k', { as: 'abandoned' })).state).toBe('abandoned');
    await world.pass(hour);
    expect(await world.process().sweep()).toEqual([]);
    await expect(world.process().resolve('k', { as: 'not_sent' })).rejects.toThrow('is abandoned, which is final');
  });

  it('moves a rejected one too', async () => {
    const world = new World();
    const publisher = world.process();
    world.service.faults.add({ route: create, kind: 'status', status: 400, times: 1 });
    expect((await publisher.publish('k', world.now)).state).toBe('rejected');
    await publisher.resolve('k', { as: 'not_sent' });
    expect((await publisher.resume('k')).state).toBe('published');
  });

  it('is not followed while it is being sent, and is once the lease is over', async () => {
    const world = new World();
    await world.dieAt('marked', (publisher) => publisher.publish('k', world.now));
    const publisher = world.process();
    await expect(publisher.resolve('k', { as: 'not_sent' })).rejects.toThrow(
      /is being sent\. Wait until at least 10 minutes after the send/,
    );
    await world.pass(61 * second);
    expect((await publisher.resolve('k', { as: 'not_sent' })).state).toBe('ready');
  });

  it.each([
    ['another intent has the post', 'k', (postId: string) => ({ as: 'published', postId }) as const],
    ['there is no such intent', 'nobody', () => ({ as: 'abandoned' }) as const],
    ['it has a post already', 'other', () => ({ as: 'not_sent' }) as const],
    ['it is no word', 'k', () => ({ as: 'sent' }) as never],
    ['the post is not named', 'k', () => ({ as: 'published' }) as never],
  ])('is refused where %s, and nothing changes', async (_, key, word) => {
    const world = await doubtful();
    const publisher = world.process();
    const { postId = '' } = await publisher.publish('other', world.later());
    const before = await collect(publisher.list());
    await expect(publisher.resolve(key, word(postId))).rejects.toThrow(InvalidRequestError);
    expect(await collect(publisher.list())).toEqual(before);
  });
});

describe('events', () => {
  it('move an accepted intent on, once, in whatever order and however often they come', async () => {
    for (const order of [
      ['post.scheduled', 'post.published'],
      ['post.published', 'post.scheduled', 'post.published'],
    ] as const) {
      const world = new World();
      const publisher = world.process();
      const { postId = '' } = await publisher.publish('k', world.later());
      for (const type of order) await publisher.observe(eventOf(world, type, postId));
      expect(await publisher.get('k')).toMatchObject({
        state: 'published',
        targets: [{ platform: 'bluesky', accountId: world.accountId, state: 'published' }],
      });
      await publisher.observe(eventOf(world, 'post.failed', postId));
      expect((await publisher.get('k'))?.state).toBe('published');
    }
  });

  it('may be lost: the list contains the same', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.publish('k', world.later());
    await world.pass(24 * hour);
    await world.pass(minute);
    expect(await publisher.sweep()).toMatchObject([{ key: 'k', state: 'published' }]);
    expect(await publisher.sweep()).toEqual([]);
  });

  it('about a post without an owner triggers a search for intents in doubt with its text, and for no others', async () => {
    const world = worldWith(lostReply);
    await world.dieAt('looking', (publisher) => publisher.publish('k', world.later()));
    const publisher = world.process();
    const before = world.lists;
    const { postId } = await world.client.posts.create(world.later(hour, 'Of somebody else'));
    expect(await publisher.observe(eventOf(world, 'post.scheduled', postId))).toBeUndefined();
    expect(world.lists).toBe(before);
    const own = world.posts.find(({ content }) => content === 'Later')?.postId ?? '';
    expect(await publisher.observe(eventOf(world, 'post.published', own))).toMatchObject({
      key: 'k',
      state: 'published',
    });
    expect(world.lists).toBe(before + 1);
  });

  it('of a post with the claim of an intent that has another post prompt a search too', async () => {
    const world = new World();
    await world.process().publish('other', world.later(hour, 'Another text'));
    world.service.faults.add(lostReply);
    await world.dieAt('looking', (publisher) => publisher.publish('k', world.later()));
    const postId = world.posts.find(({ content }) => content === 'Later')?.postId ?? '';
    // The sender of `other` ended between its claim and its record, and then recorded another post.
    await world.store.insert(`post/${postId}`, JSON.stringify({ format: 1, key: 'other' }), null);

    const intent = await world.process().observe(eventOf(world, 'post.published', postId));

    expect(intent).toMatchObject({ key: 'k', state: 'published', postId });
  });

  it('of a post whose claim is not recorded yet return the intent of the claim', async () => {
    const world = new World();
    await world.dieAt('claimed', (publisher) => publisher.publish('k', world.later()));
    const postId = world.posts[0]?.postId ?? '';

    expect(await world.process().observe(eventOf(world, 'post.published', postId))).toMatchObject({
      key: 'k',
      state: 'sending',
    });
  });

  it('of an unknown kind are passed over', async () => {
    const world = new World();
    const unknown = { known: false, type: 'post.deleted', payload: {} } as unknown as WebhookEvent;
    expect(await world.process().observe(unknown)).toBeUndefined();
  });
});

describe('listing and pruning', () => {
  it('lists by state and prefix, in the order of keys, page after page', async () => {
    const world = new World();
    const publisher = world.process();
    for (let number = 0; number < 250; number += 1) {
      await publisher.enqueue(`a/${String(number).padStart(3, '0')}`, world.later());
    }
    await publisher.publish('b', world.now);
    const all = await collect(publisher.list({ prefix: 'a/' }));
    expect(all).toHaveLength(250);
    expect(all.map(({ key }) => key)).toEqual(all.map(({ key }) => key).sort());
    expect((await collect(publisher.list({ state: 'published' }))).map(({ key }) => key)).toEqual(['b']);
    await expect(collect(publisher.list({ state: 'done' as never }))).rejects.toThrow(InvalidRequestError);
  });

  it('removes final intents that are older, and their claims a day after their posts', async () => {
    const store = new MemoryDurableStore();
    const world = new World(store);
    const publisher = world.process();
    await publisher.publish('published', world.now);
    await publisher.publish('draft', { content: 'Idea', saveAsDraft: true });
    await publisher.publish('scheduled', world.later());
    await publisher.enqueue('ready', world.later());
    world.service.faults.add({ route: create, kind: 'status', status: 400, times: 1 });
    await publisher.publish('rejected', world.now);
    world.service.faults.add(neverArrived);
    await publisher.publish('in doubt', world.later(hour, 'Doubt'));
    await world.pass(minute);
    await publisher.publish('younger', world.now);
    expect(await publisher.prune({ olderThan: new Date(world.time) })).toBe(2);
    const left = (await collect(publisher.list())).map(({ key }) => key);
    expect(left).toEqual(['in doubt', 'ready', 'rejected', 'scheduled', 'younger']);
    // Five intents, the claims of four posts, the entry of an intent in doubt, and the service of the store.
    expect(store.size).toBe(11);
    await world.pass(24 * hour);
    expect(await publisher.prune({ olderThan: new Date(0) })).toBe(0);
    expect(store.size).toBe(9);
    expect((await publisher.publish('published', world.now)).replayed).toBe(false);
    await expect(publisher.prune({ olderThan: '2026-05-01' })).rejects.toThrow(InvalidRequestError);
  });

  it('keeps the claim of a post while an equal intent is in doubt, also if that was sent after the prune', async () => {
    for (const isLater of [false, true]) {
      const world = new World();
      const publisher = world.process();
      await publisher.publish('a', world.now);
      const lose = async () => {
        world.service.faults.add(neverArrived);
        expect((await publisher.publish('b', world.now)).state).toBe('in_doubt');
      };
      if (!isLater) await lose();
      await world.pass(second);
      expect(await publisher.prune({ olderThan: new Date(world.time) })).toBe(1);
      if (isLater) await lose();
      expect((await publisher.resume('b')).state).toBe('in_doubt');
      await world.pass(48 * hour);
      await publisher.prune({ olderThan: new Date(0) });
      expect((await publisher.resume('b')).state).toBe('in_doubt');
    }
  });

  it('keeps the claim of a new post also if a process prunes whose clock is a day ahead', async () => {
    const world = new World();
    await world.process().publish('a', world.now);
    await world.pass(second);
    const ahead = world.process({ now: () => world.time + 25 * hour });
    expect(await ahead.prune({ olderThan: new Date(world.time + 25 * hour) })).toBe(1);
    world.service.faults.add(neverArrived);
    // The post of `a` was created a second before.
    expect((await world.process().publish('b', world.now)).state).toBe('in_doubt');
    expect(world.posts).toHaveLength(1);
  });

  it('keeps claims whose time is over while the service does not answer', async () => {
    const store = new MemoryDurableStore();
    const world = new World(store);
    const publisher = world.process();
    await publisher.publish('a', world.now);
    await world.pass(48 * hour);
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'reset_before', times: 1 });
    expect(await publisher.prune({ olderThan: new Date(world.time) })).toBe(1);
    expect(store.size).toBe(1);
    expect(await publisher.prune({ olderThan: new Date(world.time) })).toBe(0);
    expect(store.size).toBe(0);
  });

  it('does not assign the post of its former intent to a pruned key', async () => {
    const world = new World();
    const publisher = world.process();
    const { postId } = await publisher.publish('a', world.now);
    await world.pass(second);
    expect(await publisher.prune({ olderThan: new Date(world.time) })).toBe(1);
    world.service.faults.add(neverArrived);
    expect((await publisher.publish('a', world.now)).state).toBe('in_doubt');
    await expect(publisher.resolve('a', { as: 'published', postId: postId ?? '' })).rejects.toThrow('another intent');
  });
});
