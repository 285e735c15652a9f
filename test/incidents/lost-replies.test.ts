import { describe, expect, it } from 'vitest';
import { outcomeOf, SocialPublishing } from '../../src/index.js';
import { create, hour, lostReply, minute, neverArrived, second, World, worldWith } from '../publisher/world.js';
import { rejection } from '../policies/client.js';

describe('elsewhere, a job queue repeated a job whose reply was lost, and the post went out twice', () => {
  it.each([
    ['the platform was slow, and the request timed out', { kind: 'timeout', commit: true }],
    ['the connection was reset after the service had read the request', { kind: 'reset_after_commit' }],
    ['a proxy cut the reply in the middle', { kind: 'truncated_body' }],
    ['a proxy buffered the reply, and passed on half of it as a whole one', { kind: 'invalid_json' }],
  ] as const)('here, the same key finds its post: %s', async (_, fault) => {
    const world = new World(undefined, { timeoutMs: 100 });
    world.service.faults.add({ ...fault, route: create, times: 1 });
    await world.process().publish('spring-sale', world.later());
    // The queue runs the job again, in another process.
    const again = await world.process().publish('spring-sale', world.later());
    expect(again.postId).toBe(world.posts[0]?.postId);
    expect([world.posts.length, world.creates]).toEqual([1, 1]);
  });

  it.each([502, 503, 504])('a gateway answers %i while the service behind it goes on', async (status) => {
    const world = new World();
    const client = world.clientReading((reply, init) => {
      return init.method === 'POST' ? new Response('<h1>Bad gateway</h1>', { status }) : reply;
    });
    await world.process({ client }).publish('spring-sale', world.later());
    expect(await world.process().publish('spring-sale', world.later())).toMatchObject({
      state: 'accepted',
      postId: world.posts[0]?.postId,
    });
    expect(world.creates).toBe(1);
  });

  it('a deploy stops the process between the request and its reply', async () => {
    const world = new World();
    await world.dieAt('replied', (publisher) => publisher.publish('spring-sale', world.later()));
    await world.pass(2 * minute);
    await world.process().sweep();
    expect(await world.process().get('spring-sale')).toMatchObject({ state: 'accepted' });
    expect([world.posts.length, world.creates]).toEqual([1, 1]);
  });

  it('the list shows the post only minutes later', async () => {
    const world = worldWith({ kind: 'listing_lag', lagMs: 5 * minute }, lostReply);
    expect((await world.process().publish('spring-sale', world.later())).state).toBe('in_doubt');
    for (let passed = 0; passed < 10; passed += 1) {
      await world.pass(minute);
      await world.process().sweep();
    }
    expect(await world.process().get('spring-sale')).toMatchObject({ state: 'accepted' });
    expect(world.creates).toBe(1);
  });

  it('the request arrives after its sender was declared dead', async () => {
    const world = new World();
    const { late, arrive } = await world.sendLate('spring-sale', world.later());
    await world.pass(2 * minute);
    await world.process().sweep();
    expect(world.posts).toHaveLength(0);
    arrive();
    await late;
    await world.pass(minute);
    await world.process().sweep();
    expect(await world.process().get('spring-sale')).toMatchObject({ state: 'accepted' });
    expect([world.posts.length, world.creates]).toEqual([1, 1]);
  });

  it('the post never arrived: nothing is sent again until an operator decides', async () => {
    const world = worldWith(neverArrived);
    await world.process().publish('spring-sale', world.later());
    await world.pass(hour);
    await world.process().sweep();
    expect(await world.process().get('spring-sale')).toMatchObject({ state: 'in_doubt' });
    expect(world.creates).toBe(1);
    const publisher = world.process();
    await publisher.resolve('spring-sale', { as: 'not_sent' });
    expect(await publisher.publish('spring-sale', world.later())).toMatchObject({ state: 'accepted' });
    expect(world.posts).toHaveLength(1);
  });
});

describe('elsewhere, a repeated request was refused as a duplicate, and the post was recorded as failed', () => {
  it('here, that refusal is no proof, and the post of the first request is found', async () => {
    const world = worldWith({ kind: 'listing_lag', lagMs: 20 * minute }, lostReply);
    await world.process().publish('spring-sale', world.later());
    await world.pass(11 * minute);
    // The operator does not see the post, and decides that it was not sent.
    await world.process().resolve('spring-sale', { as: 'not_sent' });
    world.service.faults.add({
      kind: 'status',
      status: 409,
      body: { error: 'Duplicate post' },
      route: create,
      times: 1,
    });
    expect((await world.process().publish('spring-sale', world.later())).state).toBe('in_doubt');
    for (let round = 0; round < 3; round += 1) {
      await world.pass(20 * minute);
      await world.process().sweep();
    }
    const intent = await world.process().get('spring-sale');
    expect(intent?.postId ?? intent?.lookup?.postIds?.[0]).toBe(world.posts[0]?.postId);
    expect(world.posts).toHaveLength(1);
  });
});

describe('elsewhere, an error in a reply with status 200 was taken for a success', () => {
  it('here, the call rejects, and nothing claims that the change was made', async () => {
    const world = new World();
    const { postId } = await world.client.posts.create(world.later());
    const client = world.newClient({
      fetch: () => Promise.resolve(Response.json({ error: 'Post is already publishing' })),
    });
    const edit = client.request('PUT /v1/posts/scheduled/{id}', {
      params: { id: postId },
      body: { content: 'Corrected' },
    });
    const error = await rejection(edit);
    expect(error).toMatchObject({ rawBody: '{"error":"Post is already publishing"}', outcome: 'unknown' });
  });
});

describe('elsewhere, a text was cut in the middle of an emoji, and its post was never recognised again', () => {
  it('here, such a text is refused before it is sent', async () => {
    const world = new World();
    const cut = 'Our spring sale begins 🌷'.slice(0, -1);
    const error = await rejection(world.process().publish('spring-sale', world.later(undefined, cut)));
    expect(outcomeOf(error)).toBe('not_sent');
    expect(String(error)).toContain('content');
    expect(world.creates).toBe(0);
  });
});

describe('elsewhere, an account that was selected twice got the post twice', () => {
  it('here, such a post is refused before it is sent', async () => {
    const world = new World();
    const { platforms } = world.now;
    const body = { ...world.now, platforms: [...platforms, ...platforms] };
    const error = await rejection(world.process().publish('spring-sale', body));
    expect(outcomeOf(error)).toBe('not_sent');
    expect(String(error)).toContain('repeats platforms.0');
    expect(world.creates).toBe(0);
  });
});

describe('elsewhere, a double click published twice', () => {
  it('here, both clicks with one key get one post', async () => {
    const world = new World();
    const clicks = await Promise.all([1, 2].map(() => world.process().publish('order-17', world.now)));
    await world.pass(2 * second);
    expect(world.posts).toHaveLength(1);
    expect(await world.process().publish('order-17', world.now)).toMatchObject({ postId: world.posts[0]?.postId });
    expect(clicks.some(({ postId }) => postId === world.posts[0]?.postId)).toBe(true);
  });

  it('here, a key that comes again with another text is refused, and the first post stays', async () => {
    const world = new World();
    await world.process().publish('order-17', world.later());
    const edited = world.later(undefined, 'Another text');
    expect(await rejection(world.process().publish('order-17', edited))).toMatchObject({ name: 'IntentConflictError' });
    expect(world.posts).toMatchObject([{ content: 'Later' }]);
  });
});

describe('elsewhere, a client library repeated a message by itself', () => {
  it('here, a direct message whose reply was lost is not sent again, and the error says so', async () => {
    const world = new World();
    const { id: accountId } = world.service.seed.integration({ platform: 'instagram' });
    const conversation = world.service.seed.conversation({ accountId });
    const client = new SocialPublishing({
      baseUrl: 'https://emulator.test',
      accessKey: 'key',
      fetch: world.service.fetch,
    });
    world.service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/messages/', times: 1 });
    const before = world.creates;
    const error = await rejection(
      client.messages.send({
        platform: 'instagram',
        accountId,
        recipientId: conversation.participants?.[0]?.id ?? '',
        text: 'Your parcel is on its way',
      }),
    );
    expect(outcomeOf(error)).toBe('unknown');
    expect(String(error)).toContain('may have been executed');
    expect(world.creates).toBe(before + 1);
  });
});
