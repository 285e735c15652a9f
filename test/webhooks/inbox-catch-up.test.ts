import { describe, expect, expectTypeOf, it } from 'vitest';
import { ConfigurationError, InvalidRequestError, SocialPublishing } from '../../src/index.js';
import {
  createWebhookReceiver,
  isStale,
  signWebhook,
  targetResults,
  type CatchUpClient,
  type InboxEvent,
} from '../../src/webhooks/index.js';
import { scopesOf } from '../../src/webhooks/verify/signatures.js';
import { setUpService } from './inbox-service.js';
import { InboxWorld } from './inbox-world.js';

const final = (events: readonly InboxEvent[]) => events.filter(({ type }) => type !== 'post.scheduled');
const idOf = (post: { postId: string }, status = 'published') => `recovered_${post.postId}_${status}`;

describe('catchUp', () => {
  it('takes the client of this package', () => {
    expectTypeOf<SocialPublishing>().toExtend<CatchUpClient>();
  });

  it('passes posts that became final during downtime to handlers: posts created since, and older scheduled ones', async () => {
    const { service, client, process, publish, schedule, listen, accounts } = await setUpService();
    const one = process();
    const [early, lastWeek] = [await publish('heard of'), await schedule('last week', 7 * 24)];
    await schedule('not yet', 30 * 24);
    await service.clock.advance({ hours: 6 * 24 });
    await one.work();
    expect(final(one.handled).map(({ id }) => id)).toHaveLength(1);

    listen(false);
    const since = new Date(service.clock.now());
    const posts = [lastWeek, await publish('published')];
    service.publishing.outcome({ platform: 'tiktok', error: 'media rejected', times: 2 });
    posts.push(await publish('partial'), await publish('failed', accounts.slice(1)));
    await client.posts.create({ content: 'draft', saveAsDraft: true });
    await service.clock.advance({ hours: 2 * 24 });
    expect(await one.inbox.catchUp({ client, since })).toEqual({ recovered: 4 });

    const before = one.handled.length;
    await one.work();
    const recovered = one.handled.slice(before);
    const statuses = ['published', 'published', 'partial', 'failed'];
    expect(recovered.map(({ id }) => id).sort()).toEqual(posts.map((post, i) => idOf(post, statuses[i])).sort());
    expect(recovered.every((event) => event.recovered === true && event.known)).toBe(true);
    expect(recovered.some(({ id }) => id.includes(early.postId))).toBe(false);
  });

  it('creates type and data like the real event, as far as the list shows them', async () => {
    const { service, client, process, publish, listen, since } = await setUpService();
    const heard = process();
    service.publishing.outcome({ platform: 'tiktok', error: 'media rejected' });
    listen(false);
    await publish('partial');
    await service.clock.advance({ hours: 48 });
    await heard.inbox.catchUp({ client, since });
    await heard.work();
    const [event] = heard.handled;
    const [sent] = service.deliveries;
    const real = JSON.parse(sent?.body ?? '') as {
      type: string;
      createdAt: string;
      data: { post: object; platforms: object[] };
    };
    if (event?.known !== true) return expect.unreachable();
    expect(event.type).toBe(real.type);
    const { links: _, ...post } = real.data.post as Record<string, unknown>;
    expect(event.data.post).toEqual(post);
    // The profile is not listed. The accounts are in the request that the list keeps.
    const told = (platforms: object[]) => platforms.map((target) => ({ ...target, profileId: undefined }));
    expect(told(event.data.platforms)).toEqual(told(real.data.platforms));
    expect(targetResults(event).failed.map(({ error }) => error)).toEqual(['media rejected']);
    expect(isStale({ type: 'post.scheduled', createdAt: real.createdAt }, event)).toBe(false);
  });

  it('handles nothing twice, in any process, at once or later', async () => {
    const { service, client, process, publish, listen, since } = await setUpService();
    const [one, two] = [process(), process()];
    listen(false);
    for (let i = 0; i < 5; i += 1) await publish(`post ${String(i)}`);
    await service.clock.advance({ hours: 48 });
    const found = await Promise.all([one, two].map(({ inbox }) => inbox.catchUp({ client, since })));
    expect(found.reduce((sum, { recovered }) => sum + recovered, 0)).toBe(5);
    await Promise.all([one.work(), two.work()]);
    expect(await one.inbox.catchUp({ client, since })).toEqual({ recovered: 0 });
    await one.work();
    expect(new Set([...one.ids, ...two.ids]).size).toBe(5);
    expect(one.ids.length + two.ids.length).toBe(5);
  });

  it.each(['waits', 'was handled', 'is dead'])(
    'handles nothing of a post whose delivery came and %s',
    async (state) => {
      const { service, client, process, publish, since } = await setUpService();
      let isBroken = state === 'is dead';
      const handled: string[] = [];
      const one = process({
        maxAttempts: 1,
        on: {
          default: ({ id }) => {
            if (isBroken) throw new Error('boom');
            handled.push(id);
          },
        },
      });
      await publish('heard of');
      await service.clock.advance({ hours: 1 });
      if (state !== 'waits') await one.work();
      expect(await one.inbox.catchUp({ client, since })).toEqual({ recovered: 0 });
      isBroken = false;
      for (const { id } of await one.dead()) await one.inbox.replay(id);
      await one.work();
      expect(handled).toEqual([service.deliveries[0]?.eventId]);
    },
  );

  it('acknowledges a delivery that arrives after it, and does not pass it to a handler', async () => {
    const { service, client, process, publish, schedule, since } = await setUpService();
    const one = process();
    service.deliveryFaults.add({ kind: 'delay', delayMs: 10 * 3_600_000, eventType: 'post.published' });
    const posts = [await publish('late'), await schedule('late too', 1)];
    await service.clock.advance({ hours: 2 });
    await one.inbox.catchUp({ client, since });
    // One is handled before its delivery comes, one waits until after.
    await one.work({ concurrency: 1 });
    await service.clock.advance({ hours: 24 });
    await one.work();
    expect(service.deliveries.every(({ ok }) => ok)).toBe(true);
    expect(
      final(one.handled)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(posts.map((post) => idOf(post)).sort());
  });

  it('recovers other posts while a newer version has a waiting event, whose state is handled once', async () => {
    const { service, client, process, publish, listen, since } = await setUpService();
    const one = process();
    await publish('of the newer version');
    await service.clock.advance({ hours: 1 });
    listen(false);
    await publish('missed');
    await service.clock.advance({ hours: 1 });
    const { memory } = one.world;
    const [waiting = expect.unreachable()] = await memory.scan('inbox/event/', undefined, 9);
    const newer = waiting.data.replace('"v":1', '"v":2');
    await memory.swap(waiting.key, waiting.version, newer, one.world.now());
    // The state in the unreadable event is not known, so it is added too. One of the two is handled.
    expect(await one.inbox.catchUp({ client, since })).toEqual({ recovered: 2 });
    const worker = one.inbox.start({ pollMs: 1 });
    await expect.poll(() => one.handled.length).toBe(2);
    await worker.stop();
    // The newer version handles its event.
    const { version } = (await memory.get(waiting.key)) ?? expect.unreachable();
    await memory.swap(waiting.key, version, waiting.data, one.world.now());
    await one.work();
    expect(one.handled.map(({ recovered }) => recovered)).toEqual([true, true]);
    expect(await one.inbox.catchUp({ client, since })).toEqual({ recovered: 0 });
  });

  it('skips a state that a newer version has claimed', async () => {
    const { service, client, process, publish, listen, since } = await setUpService();
    const one = process();
    listen(false);
    const { postId } = await publish('of the newer version');
    await publish('missed');
    await service.clock.advance({ hours: 1 });
    await one.world.memory.insert(`inbox/state/${postId}/published`, '{"v":2}', null);
    expect(await one.inbox.catchUp({ client, since })).toEqual({ recovered: 1 });
  });

  it('adds a state that a receiver of a newer version has claimed, and leaves it to the newer version', async () => {
    const { service, client, process, publish, listen, since } = await setUpService();
    const secret = 'whsec_of_receiver_and_inbox';
    const one = process({ secret });
    listen(false);
    const { postId } = await publish('of the newer version');
    await service.clock.advance({ hours: 1 });
    const scope = (await scopesOf([secret]))[0] ?? expect.unreachable();
    const key = `receiver/${scope}/${postId}/published`;
    await one.world.memory.insert(key, '{"v":2}', null);
    expect(await one.inbox.catchUp({ client, since })).toEqual({ recovered: 1 });
    const worker = one.inbox.start({ pollMs: 1 });
    await expect.poll(() => one.errors.map(({ error }) => String(error))).toEqual([expect.stringContaining(key)]);
    await worker.stop();
    expect(one.handled).toEqual([]);
  });

  it('takes a state as handled, whatever a newer version wrote for the other secret of a rotation', async () => {
    const { service, client, process, publish, listen, since } = await setUpService();
    const secret = ['whsec_of_receiver_and_inbox', 'whsec_of_the_rotation'];
    const one = process({ secret });
    listen(false);
    const { postId } = await publish('handled by the receiver');
    await service.clock.advance({ hours: 1 });
    const [first = '', second = ''] = await scopesOf(secret);
    expect(await one.inbox.catchUp({ client, since })).toEqual({ recovered: 1 });
    const handled = JSON.stringify({ v: 1, state: 'done', until: service.clock.now() + 86_400_000 });
    await one.world.memory.insert(`receiver/${first}/${postId}/published`, handled, null);
    await one.world.memory.insert(`receiver/${second}/${postId}/published`, '{"v":2}', null);
    await one.work();
    expect(one).toMatchObject({ errors: [], handled: [] });
  });

  it('leaves a state without a handler to a receiver that has one', async () => {
    const { service, client, process, publish, listen, since } = await setUpService();
    const secret = 'whsec_of_receiver_and_inbox';
    const one = process({ secret, on: { 'post.failed': () => undefined } });
    listen(false);
    const { postId } = await publish('for the receiver');
    await service.clock.advance({ hours: 1 });
    expect(await one.inbox.catchUp({ client, since })).toEqual({ recovered: 1 });
    await one.work();
    const handled: string[] = [];
    const on = { 'post.published': ({ id }: { id: string }) => handled.push(id) };
    const receiver = createWebhookReceiver({ secret, store: one.store, on, now: () => service.clock.now() });
    const data = { post: { id: postId, status: 'published' }, platforms: [] };
    const createdAt = new Date(service.clock.now()).toISOString();
    const body = JSON.stringify({ version: '1', id: 'event_late', type: 'post.published', createdAt, data });
    const headers = await signWebhook({ body, secret, timestamp: service.clock.now() / 1000 });
    const reply = await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', body, headers }));
    expect([reply.status, handled]).toEqual([200, ['event_late']]);
  });

  it('lets one of the two through where both wait', async () => {
    const { service, client, process, publish, listen, since } = await setUpService();
    const one = process();
    listen(false);
    await publish('both');
    await one.inbox.catchUp({ client, since });
    listen(true);
    await service.clock.advance({ hours: 48 });
    expect(service.deliveries.at(-1)?.ok).toBe(true);
    const two = process();
    await Promise.all([one.work(), two.work()]);
    expect((await one.world.memory.scan('inbox/event/', undefined, 9)).length).toBe(2);
    expect(one.handled.length + two.handled.length).toBe(1);
  });

  it('handles nothing before start, and in a started inbox at once', async () => {
    const { service, client, process, publish, listen, since } = await setUpService();
    const one = process();
    listen(false);
    await publish('a post');
    await service.clock.advance({ hours: 48 });
    await one.inbox.catchUp({ client, since: since.toISOString() });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(one.handled).toEqual([]);
    const worker = one.inbox.start({ pollMs: 3_600_000 });
    await expect.poll(() => one.handled).toHaveLength(1);
    await worker.stop();
  });

  it('reads lists of many pages, and reports a list that fails', async () => {
    const { service, client, process, publish, listen, since } = await setUpService();
    const one = process();
    listen(false);
    for (let i = 0; i < 130; i += 1) await publish(`post ${String(i)}`);
    await service.clock.advance({ hours: 48 });
    service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 400, times: 1 });
    await expect(one.inbox.catchUp({ client, since })).rejects.toMatchObject({ status: 400 });
    expect(await one.inbox.catchUp({ client, since })).toEqual({ recovered: 130 });
  });

  /** A client whose list of 130 posts loses a post of the first page after that page, a number of times. */
  function setUpLosingList(times: number) {
    const world = new InboxWorld();
    const createdAt = new Date(world.time).toISOString();
    const posts = Array.from({ length: 130 }, (_, i) => ({ postId: `p${String(i)}`, status: 'published', createdAt }));
    let losses = 0;
    const fetch = (...call: Parameters<typeof globalThis.fetch>) => {
      const query = new URL(new Request(...call).url).searchParams;
      const offset = Number(query.get('offset') ?? 0);
      const found = query.has('scheduledAfter') ? [] : posts;
      const reply = { success: true, total: found.length, posts: found.slice(offset, offset + 100) };
      const isLosing = reply.posts.length === 100 && losses < times;
      if (isLosing) posts.splice((losses += 1), 1);
      return Promise.resolve(Response.json(reply));
    };
    const client = new SocialPublishing({ accessKey: 'k', baseUrl: 'https://service.test', fetch });
    const one = world.process();
    const missing = () => posts.filter((post) => !one.ids.includes(idOf(post)));
    return { one, client, missing, since: new Date(world.time) };
  }

  it('reads a list again if it lost a post between two pages, because a later post moved to the first page', async () => {
    const { one, client, missing, since } = setUpLosingList(1);
    expect(await one.inbox.catchUp({ client, since })).toEqual({ recovered: 130 });
    await one.work();
    expect(missing()).toEqual([]);
  });

  it('rejects if the list loses a post at each read, and the next call finds the rest', async () => {
    const { one, client, missing, since } = setUpLosingList(3);
    const walks: string[] = [];
    const list: CatchUpClient['posts']['list'] = (query) => {
      walks.push(query.scheduledAfter === undefined ? 'created' : 'scheduled');
      return client.posts.list(query);
    };
    const failed = one.inbox.catchUp({ client: { posts: { list } }, since });
    await expect(failed).rejects.toThrow('Call catchUp again later with the same since.');
    // Posts that were scheduled earlier must not wait for it.
    expect(walks.at(-1)).toBe('scheduled');
    await one.inbox.catchUp({ client, since });
    await one.work();
    expect(missing()).toEqual([]);
  });

  it('reads the known parts of a list with another shape', async () => {
    const { process } = await setUpService();
    const one = process();
    const at = new Date(one.world.now()).toISOString();
    const posts = [
      { postId: 'p1', status: 'published' },
      { postId: 'p2', status: 'failed', createdAt: '2000-01-01T00:00:00Z', updatedAt: at.replace('Z', '') },
      { postId: 'p3', status: 'failed', createdAt: '2000-01-01T00:00:00Z' },
      { postId: 'p4', status: 'published', platforms: [{ publishedAt: '2000-01-01T00:00:00Z' }, { publishedAt: at }] },
      { postId: 'p5', status: 'archived' },
      { postId: 'p6', status: 'failed', createdAt: 'who knows' },
      { postId: 'a/b c', status: 'partial', createdAt: at, platforms: [{ platform: 'bluesky' }] },
    ];
    const client: CatchUpClient = {
      posts: {
        list: async function* (query) {
          await Promise.resolve();
          if (query.scheduledAfter === undefined) yield* posts;
        },
      },
    };
    await one.inbox.catchUp({ client, since: new Date(at) });
    await one.work();
    expect(one.ids.sort()).toEqual([
      'recovered_a/b c_partial',
      'recovered_p1_published',
      'recovered_p2_failed',
      'recovered_p4_published',
      'recovered_p6_failed',
    ]);
    expect(one.handled.find(({ id }) => id.includes('p4'))).toMatchObject({
      data: { post: { id: 'p4', publishedAt: '2000-01-01T00:00:00Z', scheduledFor: null } },
    });
  });

  it.each([undefined, null, 5, '', 'yesterday', '2027-03-01', '2027-03-01T09:00:00', new Date(Number.NaN)])(
    'refuses %s for a time',
    async (since) => {
      const { client, process } = await setUpService();
      await expect(process().inbox.catchUp({ client, since: since as string })).rejects.toBeInstanceOf(
        InvalidRequestError,
      );
    },
  );

  it('refuses anything except a client, and misspelt options', async () => {
    const { client, process } = await setUpService();
    const { inbox } = process();
    const since = new Date();
    await expect(inbox.catchUp({ client: {} as CatchUpClient, since })).rejects.toBeInstanceOf(ConfigurationError);
    await expect(inbox.catchUp(undefined as never)).rejects.toThrow(
      new ConfigurationError('options must be an object.'),
    );
    await expect(inbox.catchUp({ client, since, until: since } as never)).rejects.toBeInstanceOf(ConfigurationError);
  });
});
