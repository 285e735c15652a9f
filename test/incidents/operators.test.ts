import { describe, expect, it } from 'vitest';
import { create, minute, neverArrived, second, World, worldWith } from '../publisher/world.js';

/** A world with an intent in doubt, whose post exists or does not. */
async function inDoubt(kind: 'reset_after_commit' | 'reset_before') {
  const world = worldWith({ kind: 'listing_lag', lagMs: 5 * minute }, { kind, route: create, times: 1 });
  expect((await world.process().publish('launch', world.later())).state).toBe('in_doubt');
  return world;
}

describe('elsewhere, an operator restarted a stuck job, and the post went out twice', () => {
  it('here, a new start, a sweep and the same call again send nothing while the outcome is unknown', async () => {
    const world = await inDoubt('reset_after_commit');
    for (let click = 0; click < 3; click += 1) {
      await world.process().publish('launch', world.later());
      await world.process().resume('launch');
      await world.process().sweep();
    }
    expect(world.creates).toBe(1);
    await world.pass(6 * minute);
    expect(await world.process().resume('launch')).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId });
    expect([world.posts.length, world.creates]).toEqual([1, 1]);
  });

  it('here, two operators who decide at the same time cause one post', async () => {
    const world = await inDoubt('reset_before');
    await Promise.allSettled([1, 2].map(() => world.process().resolve('launch', { as: 'not_sent' })));
    await Promise.allSettled([1, 2].map(() => world.process().publish('launch', world.later())));
    await world.pass(2 * second);
    expect([world.posts.length, world.creates]).toEqual([1, 2]);
  });

  it('here, an operator who finds the post on the platform records it, and nothing is sent', async () => {
    const world = await inDoubt('reset_after_commit');
    const [post] = world.posts;
    await world.process().resolve('launch', { as: 'published', postId: post?.postId ?? '' });
    for (let day = 0; day < 3; day += 1) await world.process().sweep();
    expect(await world.process().publish('launch', world.later())).toMatchObject({ postId: post?.postId });
    expect([world.posts.length, world.creates]).toEqual([1, 1]);
  });
});

describe('elsewhere, somebody else had published the same text, and a search took that post for its own', () => {
  it('here, a post of another key is never taken', async () => {
    const world = new World();
    const other = await world.process().publish('other', world.later());
    await world.pass(minute);
    world.service.faults.add(neverArrived);
    await world.process().publish('launch', world.later());
    await world.pass(20 * minute);
    await world.process().sweep();
    const intent = await world.process().get('launch');
    expect(intent).toMatchObject({ state: 'in_doubt' });
    expect(intent?.postId).not.toBe(other.postId);
  });
});
