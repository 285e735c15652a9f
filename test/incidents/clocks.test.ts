import { describe, expect, it } from 'vitest';
import { hour, lostReply, minute, neverArrived, withHeaders, World, worldWith } from '../publisher/world.js';
import { everydayWorld } from '../resources/everyday-world.js';

describe('elsewhere, a machine with a wrong clock lost its post, or published it again', () => {
  it.each([
    ['an hour fast', hour],
    ['an hour slow', -hour],
    ['in another year', 365 * 24 * hour],
  ])('here, the post is found: the clock is %s', async (_, wrongMs) => {
    const world = new World();
    const process = () => world.process({ now: () => world.time + wrongMs });
    world.service.faults.add(lostReply);
    await process().publish('spring-sale', world.later());
    for (let round = 0; round < 4; round += 1) {
      await world.pass(hour);
      await process().sweep();
    }
    expect(await process().get('spring-sale')).toMatchObject({ postId: world.posts[0]?.postId });
    expect([world.posts.length, world.creates]).toEqual([1, 1]);
  });

  it('here, nothing is sent twice: the clock is corrected while the outcome is unknown', async () => {
    const world = worldWith(lostReply, { kind: 'listing_lag', lagMs: 2 * minute });
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

describe('elsewhere, a cache in front of the service set the clock of its clients back', () => {
  it('here, an equal post of an earlier campaign is not taken for the new one, which never arrived', async () => {
    const world = new World();
    await world.newClient().posts.create(world.later());
    await world.pass(30 * minute);
    let isCached = true;
    const client = world.clientReading((reply, { method }) =>
      isCached && method !== 'POST' ? withHeaders(reply, { date: new Date(world.time - hour).toUTCString() }) : reply,
    );
    const publisher = world.process({ client });
    // A search for another post reads the cached list.
    world.service.faults.add(neverArrived);
    await publisher.publish('newsletter', world.later(hour, 'Newsletter'));
    isCached = false;
    world.service.faults.add(neverArrived);
    const intent = await publisher.publish('spring-sale', world.later());
    expect([intent.state, intent.postId]).toEqual(['in_doubt', undefined]);
    expect(world.posts).toHaveLength(1);
  });
});

describe('elsewhere, a client with a wrong clock ignored a pause that the service asked for, or waited for hours', () => {
  it("here, a date in Retry-After counts from the service's own time", async () => {
    const { service, client, waits } = everydayWorld();
    const replied = service.clock.now() + 3 * hour;
    const headers = {
      date: new Date(replied).toUTCString(),
      'retry-after': new Date(replied + 20_000).toUTCString(),
    };
    service.faults.add({ kind: 'status', status: 429, headers, times: 1 });
    await client.posts.list();
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(20_000);
    expect(waits[0]).toBeLessThanOrEqual(22_000);
  });
});
