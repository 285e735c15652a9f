/** A 409 often means that an equal post exists. It proves nothing about a create, and neither does a 499 of a proxy. */
import { describe, expect, it } from 'vitest';
import { lostReply, minute, World, worldWith } from './world.js';

describe.each([409, 499])('a create that is answered with %i', (status) => {
  const refusing = (world: World) =>
    world.newClient({
      fetch: (input, init) =>
        init.method === 'POST'
          ? Promise.resolve(Response.json({ success: false, message: 'Duplicate post' }, { status }))
          : world.service.fetch(input, init),
    });

  it('after a lost reply and resolve not_sent: the post of the lost create is found', async () => {
    const world = worldWith(lostReply, { kind: 'listing_lag', lagMs: 2 * minute, times: 1 });
    const publisher = world.process({ client: refusing(world) });
    expect(await world.process().publish('k', world.later())).toMatchObject({ state: 'in_doubt' });
    await publisher.resolve('k', { as: 'not_sent' });
    await publisher.resume('k');
    await world.pass(3 * minute);
    const intent = await publisher.resume('k');
    expect(intent.state).not.toBe('rejected');
    expect(intent.postId ?? intent.lookup?.postIds?.[0]).toBe(world.posts[0]?.postId);
    expect(world.posts.length).toBe(1);
  });

  it('is in doubt, and is never sent again', async () => {
    const world = new World();
    const intent = await world.process({ client: refusing(world) }).publish('k', world.later());
    expect(intent).toMatchObject({ state: 'in_doubt', error: { outcome: 'unknown', status } });
    await world.pass(15 * minute);
    expect((await world.process().resume('k')).state).toBe('in_doubt');
    expect(world.creates).toBe(0);
  });
});
