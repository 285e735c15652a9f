import { describe, expect, it } from 'vitest';
import { ConfigurationError, IntentConflictError, InvalidRequestError } from '../../src/core/errors.js';
import type { PublisherClient } from '../../src/publisher/options.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { create, hour, minute, second, World } from './world.js';
import { storeCalling } from '../support/stores.js';

describe('publishing', () => {
  it('sends once, and returns the result', async () => {
    const world = new World();
    const intent = await world.process().publish('k', world.now);
    expect(intent).toMatchObject({ key: 'k', state: 'published', attempts: 1, replayed: false, body: world.now });
    expect(intent.postId).toBe(world.posts[0]?.postId);
    expect(intent.targets).toMatchObject([{ platform: 'bluesky', state: 'published' }]);
    expect(world.service.requests).toHaveLength(1);
  });

  it('costs three writes and no read: the mark, the claim and the note', async () => {
    const asked: string[] = [];
    const world = new World(storeCalling(new MemoryDurableStore(), (call) => asked.push(call)));
    const publisher = world.process();
    const { postId = '' } = await publisher.publish('k', world.later());
    expect(asked).toEqual(['insert intent/k', `insert post/${postId}`, 'swap intent/k']);
    await publisher.enqueue('l', world.later());
    asked.length = 0;
    const resumed = await publisher.resume('l');
    expect(asked).toEqual(['get intent/l', 'swap intent/l', `insert post/${resumed.postId ?? ''}`, 'swap intent/l']);
    asked.length = 0;
    // The refused write shows that the intent exists.
    await publisher.publish('k', world.later());
    expect(asked).toEqual(['insert intent/k', 'get intent/k']);
  });

  it.each(['insert', 'swap'] as const)(
    'refuses a store whose %s resolves to a boolean, as in 0.2.0',
    async (method) => {
      const world = new World();
      const write = world.store[method].bind(world.store) as (...args: unknown[]) => Promise<unknown>;
      await world.process().enqueue('k', world.later());
      Object.assign(world.store, { [method]: async (...args: unknown[]) => (await write(...args)) !== undefined });
      const call = () =>
        method === 'insert' ? world.process().publish('l', world.later()) : world.process().resume('k');
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toMatch(/insert\(\) or swap\(\) of the DurableStore resolved to true.*new version/);
      expect(world.service.requests).toHaveLength(0);
    },
  );

  it('reads and notes again where another write was faster than the note', async () => {
    const world = new World();
    const client = world.clientReading(async (reply) => {
      const item = await world.store.get('intent/k');
      await world.store.swap('intent/k', item?.version ?? 0, item?.data ?? '', null);
      return reply;
    });
    const publisher = world.process({ client });
    expect(await publisher.publish('k', world.later())).toMatchObject({ state: 'accepted' });
    expect(await publisher.get('k')).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId });
  });

  it('keeps the request, even if a client changes the passed body', async () => {
    const world = new World();
    const create: PublisherClient['posts']['create'] = (body, options) => {
      Object.assign(body, { content: `${body.content ?? ''} #ad` });
      Object.assign(options?.extraBody ?? {}, { timezone: 'Europe/Berlin' });
      return world.client.posts.create(body, options);
    };
    const client = { posts: { create, list: world.client.posts.list.bind(world.client.posts) } };
    const publisher = world.process({ client });
    const first = await publisher.publish('k', world.later(), { extraBody: { timezone: 'UTC' } });
    expect(first).toMatchObject({ state: 'accepted', body: { content: 'Later' }, extraBody: { timezone: 'UTC' } });
    expect(world.posts[0]?.content).toBe('Later #ad');
    const again = await world.process().publish('k', world.later(), { extraBody: { timezone: 'UTC' } });
    expect(again).toEqual({ ...first, replayed: true });
  });

  it('returns the same intent again, in this process and in another, and sends nothing more', async () => {
    const world = new World();
    const publisher = world.process();
    const first = await publisher.publish('k', world.later());
    for (const process of [publisher, world.process()]) {
      const again = await process.publish('k', world.later());
      expect(again).toEqual({ ...first, replayed: true });
    }
    expect(first.state).toBe('accepted');
    expect(world.service.requests).toHaveLength(1);
  });

  it('refuses another body under the same key, whatever the order of keys says', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.publish('k', world.now, { extraBody: { timezone: 'UTC', crosspostingEnabled: false } });
    const { content, publishNow, platforms } = world.now as { content: string; publishNow: true; platforms: [] };
    const again = await publisher.publish(
      'k',
      { platforms, publishNow, content },
      { extraBody: { crosspostingEnabled: false, timezone: 'UTC' } },
    );
    expect(again.replayed).toBe(true);
    const other = publisher.publish('k', { ...world.now, content: 'Bye' });
    await expect(other).rejects.toThrow(IntentConflictError);
    // Another key is no way to repeat: both posts would be published.
    await expect(other).rejects.toThrow('If this is another post, use another key: then both are published.');
    await expect(other).rejects.toThrow(
      'under the key "k" with another body (different: content, timezone, crosspostingEnabled).',
    );
    await expect(publisher.enqueue('k', world.now)).rejects.toMatchObject({
      name: 'IntentConflictError',
      key: 'k',
      fields: ['timezone', 'crosspostingEnabled'],
    });
    expect(world.creates).toBe(1);
  });

  it('keeps nothing of a body that cannot be sent, so that you can fix it', async () => {
    const store = new MemoryDurableStore();
    const world = new World(store);
    const publisher = world.process();
    const bad = { ...world.now, contnet: 'Hello' } as never;
    await expect(publisher.publish('k', bad)).rejects.toThrow(InvalidRequestError);
    await expect(publisher.publish('', world.now)).rejects.toThrow(InvalidRequestError);
    await expect(publisher.publish('k'.repeat(513), world.now)).rejects.toThrow(InvalidRequestError);
    await expect(publisher.publish('k', world.now, { extraBdy: {} } as never)).rejects.toThrow(InvalidRequestError);
    expect(store.size).toBe(0);
    expect((await publisher.publish('k', world.now)).state).toBe('published');
  });

  it.each([
    ['contnet', "; did you mean 'content'? If not, send it through extraBody"],
    ['mediaItems', '; send it through extraBody'],
    ['extraBody', ': it is an option of the call, pass it in the last argument'],
  ])('says of the field %s what to do, as the client does', async (name, hint) => {
    const publisher = new World().process();
    const error = await publisher.enqueue('k', { content: 'x', saveAsDraft: true, [name]: {} }).catch(String);
    expect(error).toContain(`${name} is not a documented field${hint}`);
  });

  it('keeps nothing if only the client refuses it', async () => {
    const store = new MemoryDurableStore();
    const world = new World(store);
    const refusing = {
      posts: {
        create: () => Promise.reject(new InvalidRequestError([{ path: ['scheduledFor'], message: 'has no offset' }])),
        list: world.client.posts.list.bind(world.client.posts),
      },
    };
    await expect(world.process({ client: refusing }).publish('k', world.now)).rejects.toThrow('has no offset');
    expect(store.size).toBe(0);
  });

  it('sends the passed body, even if the caller changes it afterwards', async () => {
    const world = new World();
    const body = { ...world.now };
    const extraBody = { timezone: 'UTC' };
    const sent = world.process().publish('k', body, { extraBody });
    Object.assign(body, { content: 'Changed' });
    extraBody.timezone = 'Europe/Berlin';
    await sent;
    expect(world.posts[0]?.rawRequestBody).toEqual({ ...world.now, timezone: 'UTC' });
  });

  it('takes a key of 512 characters of any script, and a megabyte of content', async () => {
    const world = new World();
    const key = '鍵🔑'.repeat(170) + 'ab';
    const body = { ...world.now, content: 'ü'.repeat(500_000) };
    const intent = await world.process().publish(key, body);
    expect(key).toHaveLength(512);
    expect(intent.state).toBe('published');
    expect((await world.process().get(key))?.body).toEqual(body);
  });

  it('resolves to sending at once, while another call sends it', async () => {
    const world = new World();
    const { late: first, arrive } = await world.sendLate('k', world.now);
    const second = await world.process().publish('k', world.now);
    expect(second).toMatchObject({ state: 'sending', replayed: true });
    arrive();
    expect((await first).state).toBe('published');
    expect(world.posts).toHaveLength(1);
  });

  it('leaves a draft accepted, and done', async () => {
    const world = new World();
    const publisher = world.process();
    const intent = await publisher.publish('k', { content: 'Idea', saveAsDraft: true });
    expect(intent).toMatchObject({ state: 'accepted', post: { status: 'draft' } });
    await world.pass(48 * 60 * minute);
    expect(await publisher.sweep()).toEqual([]);
  });

  it('is distinguished only by its key', async () => {
    const world = new World();
    const publisher = world.process();
    await Promise.all(['a', 'b', 'c'].map((key) => publisher.publish(key, world.now)));
    expect(world.posts).toHaveLength(3);
  });
});

describe('requests that the service refuses', () => {
  it('is rejected, and stays so', async () => {
    const world = new World();
    const publisher = world.process();
    const body = { ...world.now, platforms: [{ platform: 'bluesky' as const, accountId: 'nobody' }] };
    const intent = await publisher.publish('k', body);
    expect(intent).toMatchObject({
      state: 'rejected',
      error: { name: 'NotFoundError', outcome: 'rejected', status: 404 },
    });
    expect((await publisher.publish('k', body)).state).toBe('rejected');
    expect((await publisher.resume('k')).state).toBe('rejected');
    expect(world.creates).toBe(1);
  });

  it.each([401, 403])('with %i waits five minutes for a better key', async (status) => {
    const world = new World();
    const publisher = world.process();
    world.service.faults.add({ route: create, kind: 'status', status, times: 1 });
    expect(await publisher.publish('k', world.now)).toMatchObject({ state: 'ready', error: { status } });
    await world.pass(5 * minute - second);
    expect(await publisher.sweep()).toEqual([]);
    await world.pass(second);
    expect(await publisher.sweep()).toMatchObject([{ key: 'k', state: 'published', attempts: 2 }]);
    expect(world.posts).toHaveLength(1);
  });

  it('with 429 and a wrong Retry-After delays the other intents by a day', async () => {
    const world = new World();
    const publisher = world.process();
    const headers = { 'retry-after': String(world.time / 1000) };
    world.service.faults.add({ route: create, kind: 'status', status: 429, headers, times: 1 });
    for (const key of ['refused', 'a', 'b']) expect((await publisher.publish(key, world.now)).state).toBe('ready');
    expect(world.creates).toBe(1);
    // A separate client: this one delays all its calls.
    const other = world.process({ client: world.newClient() });
    await world.pass(23 * hour);
    expect(await other.sweep()).toEqual([]);
    await world.pass(hour);
    expect((await other.sweep()).map(({ key }) => key).sort()).toEqual(['a', 'b']);
    expect((await other.resume('refused')).state).toBe('published');
  });

  it('with 429 is not sent before Retry-After by a sweep or another publish, and is by resume', async () => {
    for (const way of ['sweep', 'resume'] as const) {
      const world = new World();
      const publisher = world.process();
      const headers = { 'retry-after': '90' };
      world.service.faults.add({ route: create, kind: 'status', status: 429, headers, times: 1 });
      const intent = await publisher.publish('k', world.now);
      expect(intent).toMatchObject({ state: 'ready', error: { status: 429, retryAfterMs: 90_000 } });
      // A separate client: this one delays all its calls until the time is over.
      const other = world.process({ client: world.newClient() });
      await world.pass(89 * second);
      expect(await other.sweep()).toEqual([]);
      expect((await other.publish('k', world.now)).state).toBe('ready');
      expect(world.creates).toBe(1);
      if (way === 'resume') expect((await other.resume('k')).state).toBe('published');
      await world.pass(second);
      await other.sweep();
      expect((await other.get('k'))?.state).toBe('published');
      expect(world.posts).toHaveLength(1);
    }
  });
});

describe('what provably never arrived', () => {
  it('is ready, and sent by a sweep', async () => {
    const world = new World();
    let isDown = true;
    const client = world.newClient({
      fetch: (input, init) =>
        isDown
          ? Promise.reject(
              new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }),
            )
          : world.service.fetch(input, init),
    });
    const publisher = world.process({ client });
    expect(await publisher.publish('k', world.now)).toMatchObject({ state: 'ready', error: { outcome: 'not_sent' } });
    isDown = false;
    await world.pass(second);
    expect(await publisher.sweep()).toMatchObject([{ state: 'published', attempts: 2 }]);
    expect(world.posts).toHaveLength(1);
  });
});

describe('enqueueing', () => {
  it('writes an intent that a sweep of any process sends', async () => {
    const world = new World();
    const intent = await world.process().enqueue('k', world.now);
    expect(intent).toMatchObject({ state: 'ready', attempts: 0, replayed: false });
    expect((await world.process().enqueue('k', world.now)).replayed).toBe(true);
    expect(world.service.requests).toHaveLength(0);
    expect(await world.process().sweep()).toMatchObject([{ state: 'published' }]);
    expect(world.posts).toHaveLength(1);
  });

  it('says so where the store knows no transactions', async () => {
    const world = new World();
    const enqueued = world.process().enqueue('k', world.now, { within: {} });
    await expect(enqueued).rejects.toMatchObject({ name: 'ConfigurationError' });
  });

  it('writes through the store in the transaction', async () => {
    const inside = new MemoryDurableStore();
    const outside = new MemoryDurableStore();
    const world = new World(Object.assign(outside, { within: (tx: unknown) => (tx === 'tx' ? inside : outside) }));
    await world.process().enqueue('k', world.now, { within: 'tx' });
    expect([inside.size, outside.size]).toEqual([1, 0]);
  });
});
