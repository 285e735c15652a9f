import { describe, expect, it } from 'vitest';
import { hour, minute, World } from '../publisher/world.js';

const create = 'POST /v1/posts/';
const lost = { kind: 'reset_after_commit', route: create, times: 1 } as const;

describe('elsewhere, a machine with a wrong clock lost its post, or published it again', () => {
  it.each([
    ['an hour fast', hour],
    ['an hour slow', -hour],
    ['in another year', 365 * 24 * hour],
  ])('here, the post is found: the clock is %s', async (_, wrongMs) => {
    const world = new World();
    const process = () => world.process({ now: () => world.time + wrongMs });
    world.service.faults.add(lost);
    await process().publish('spring-sale', world.later());
    for (let round = 0; round < 4; round += 1) {
      await world.pass(hour);
      await process().sweep();
    }
    expect(await process().get('spring-sale')).toMatchObject({ postId: world.posts[0]?.postId });
    expect([world.posts.length, world.creates]).toEqual([1, 1]);
  });

  it('here, nothing is sent twice: the clock is corrected while the outcome is unknown', async () => {
    const world = new World();
    world.service.faults.add(lost);
    world.service.faults.add({ kind: 'listing_lag', lagMs: 2 * minute });
    await world.process({ now: () => world.time + 30 * 24 * hour }).publish('spring-sale', world.later());
    for (let round = 0; round < 4; round += 1) {
      await world.pass(hour);
      await world.process().sweep();
      await world.process().publish('spring-sale', world.later());
    }
    expect(await world.process().get('spring-sale')).toMatchObject({ postId: world.posts[0]?.postId });
    expect(world.creates).toBe(1);
  });
});
