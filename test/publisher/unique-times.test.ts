/**
 * Release 0.2.0 could send each intent with a unique `scheduledFor` (`correlate: 'schedule'`). Its intents keep this
 * time. The store's items in `unique-times-of-0.2.0.json` were written by that release.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CreatePostBody } from '../../src/index.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import { ConfigurationError } from '../../src/core/errors.js';
import { hour, lostReply, minute, second, start, World } from './world.js';
import old from './unique-times-of-0.2.0.json' with { type: 'json' };

/** A store with the items of 0.2.0. The service has executed three of its creates. */
async function upgraded(): Promise<World> {
  const world = new World();
  for (const { key, data, wakeAt } of old.items) await world.store.insert(key, data, wakeAt);
  await world.pass(20 * second);
  // The file contains bodies as 0.2.0 sent them.
  for (const body of old.sent) await world.client.posts.create(body as never);
  return world;
}

const bodyOf = (key: string): CreatePostBody => ({
  content: key,
  platforms: [{ platform: 'bluesky', accountId: 'integration_1' }],
  ...(key === 'now' ? { publishNow: true } : { scheduledFor: '2026-05-02T09:00:00Z' }),
});

/** A client of a service whose replies have no `Date`, and whose posts have no time of creation. */
function undated(world: World, change: (text: string) => string = (text) => text) {
  return world.clientReading(async (reply) => {
    const text = change((await reply.text()).replaceAll('"createdAt"', '"created"'));
    return new Response(text, { status: reply.status, headers: { 'content-type': 'application/json' } });
  });
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('intents that release 0.2.0 wrote with a unique time', () => {
  it('are the same intents for the same bodies, and their posts are found by that time', async () => {
    const world = await upgraded();
    const before = world.creates;
    const publisher = world.process({ client: undated(world), now: () => world.time + 30 * 24 * hour });
    for (const key of ['doubt', 'now']) {
      const { postId } = world.posts.find(({ content }) => content === key) ?? {};
      expect(await publisher.publish(key, bodyOf(key))).toMatchObject({ postId, replayed: true, attempts: 1 });
    }
    expect(await publisher.publish('accepted', bodyOf('accepted'))).toMatchObject({ postId: 'post_1' });
    expect(await publisher.publish('never', bodyOf('never'))).toMatchObject({ state: 'in_doubt', attempts: 1 });
    expect(world.creates).toBe(before);
  });

  it('keep it as their scheduledFor when they are sent, and when they are sent again', async () => {
    const world = await upgraded();
    const publisher = world.process();
    await publisher.resolve('never', { as: 'not_sent' });
    world.service.faults.add(lostReply);
    const intent = await publisher.resume('never');
    await publisher.sweep();
    expect(intent).toMatchObject({ state: 'accepted', attempts: 2 });
    const times = world.posts.map(({ content, scheduledFor }) => [content, scheduledFor]);
    expect(times).toEqual(
      expect.arrayContaining([
        ['never', '2026-05-02T09:00:00.508Z'],
        ['ready', '2026-05-02T09:00:00.449Z'],
      ]),
    );
    expect(await publisher.get('ready')).toMatchObject({ state: 'accepted', body: bodyOf('ready') });
  });

  it.each(['UTC', 'Asia/Tokyo', 'America/Los_Angeles'])(
    'are found by it in %s, also if the service lists times without an offset',
    async (zone) => {
      vi.stubEnv('TZ', zone);
      const world = await upgraded();
      const client = undated(world, (text) => text.replaceAll(/("scheduledFor":"[^"]*)Z"/g, '$1"'));
      const { postId } = world.posts.find(({ content }) => content === 'doubt') ?? {};
      expect(await world.process({ client }).resume('doubt')).toMatchObject({ state: 'accepted', postId });
    },
  );

  it.each([
    ['kept the request', false, { state: 'accepted' }],
    ['dropped those of the request too', true, { state: 'in_doubt', lookup: { result: 'candidates' } }],
  ])('are not sent twice if the service drops the milliseconds and %s', async (_, both, expected) => {
    const world = await upgraded();
    const before = world.creates;
    const client = undated(world, (text) => withoutMilliseconds(text, both));
    const publisher = world.process({ client, onMissing: 'resend', settleMs: minute });
    for (let round = 0; round < 4; round += 1) {
      await publisher.resume('doubt');
      await world.pass(10 * minute);
    }
    expect(await publisher.get('doubt')).toMatchObject({ attempts: 1, ...expected });
    expect(world.creates).toBe(before);
  });

  it('can be pruned: the claims of their times stay, and do no harm', async () => {
    const world = await upgraded();
    const publisher = world.process();
    await world.pass(48 * hour);
    await publisher.sweep();
    await publisher.resolve('never', { as: 'abandoned' }).catch(() => undefined);
    await world.pass(48 * hour);
    expect(await publisher.prune({ olderThan: new Date(start + 96 * hour) })).toBe(4);
    expect(
      await publisher.publish('never', {
        ...bodyOf('never'),
        scheduledFor: new Date(start + 120 * hour),
      } as never),
    ).toMatchObject({ replayed: false });
    expect(world.posts.at(-1)?.scheduledFor).toBe(new Date(start + 120 * hour).toISOString());
  });
});

describe('the options for unique times', () => {
  it.each([
    ['correlate', { correlate: 'schedule' }],
    ['publishNowAs', { publishNowAs: 'schedule' }],
    ['correlate', { correlate: 'schedule', publishNowAs: 'schedule' }],
    ['correlate', { correlate: 'anything' }],
  ])('are refused: %s', (name, options) => {
    const world = new World();
    // A caller without types.
    const create = () => createPublisher({ client: world.client, store: world.store, ...options } as never);
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(`${name} was removed: it relied on milliseconds that the API document does not promise.`);
  });
});

/** Listed times without milliseconds. */
function withoutMilliseconds(text: string, alsoInRequests: boolean): string {
  type Times = { scheduledFor?: string };
  const reply = JSON.parse(text) as { posts?: (Times & { rawRequestBody?: Times })[] };
  for (const post of reply.posts ?? []) {
    for (const times of [post, ...(alsoInRequests ? [post.rawRequestBody ?? {}] : [])]) {
      if (times.scheduledFor !== undefined) times.scheduledFor = times.scheduledFor.replace(/\.\d+Z/, 'Z');
    }
  }
  return JSON.stringify(reply);
}
