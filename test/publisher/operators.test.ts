/**
 * Tools for operators and callers of an intent in doubt: alerts, lookups, corrections, retries, and refusals of
 * mistakes.
 */
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { ConfigurationError, InvalidRequestError, outcomeOf } from '../../src/core/errors.js';
import type { WebhookEvent } from '../../src/index.js';
import type { Intent } from '../../src/publisher/intents/intent-record.js';
import type { PublisherOptions } from '../../src/publisher/options.js';
import type { Publisher } from '../../src/publisher/publisher.js';
import { searchAgain } from '../../src/publisher/search-again.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import type { DurableStore } from '../../src/stores/store.js';
import { collect } from '../support/collect.js';
import { create, hour, lostReply, minute, neverArrived, second, undatedClient, World, worldWith } from './world.js';
import { storeWith } from '../support/stores.js';
import { newGate } from '../support/gate.js';

async function inDoubt(world = new World()): Promise<World> {
  world.service.faults.add(neverArrived);
  await world.process().publish('k', world.later());
  return world;
}

describe('onInDoubt', () => {
  it('is called once per move, in the process that moves the intent', async () => {
    const world = new World();
    const calls: string[] = [];
    const process = (name: string) =>
      world.process({
        onInDoubt: ({ key, state }: Intent) => {
          calls.push(`${name} ${key} ${state}`);
          throw new Error('ignored');
        },
      });
    world.service.faults.add(neverArrived);
    expect((await process('a').publish('k', world.later())).state).toBe('in_doubt');
    await world.dieAt('marked', (publisher) => publisher.publish('l', world.later(hour, 'Other')));
    for (let round = 0; round < 3; round += 1) {
      await world.pass(2 * minute);
      await Promise.all([process('b').sweep(), process('b').sweep()]);
    }
    expect(calls).toEqual(['a k in_doubt', 'b l in_doubt']);
  });

  it('may reject: nothing is left unhandled', async () => {
    const world = worldWith(neverArrived);
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listen);
    const publisher = world.process({ onInDoubt: () => Promise.reject(new Error('ignored')) });
    expect((await publisher.publish('k', world.later())).state).toBe('in_doubt');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });
});

describe('onChange', () => {
  type Move = readonly [key: string, from: string | undefined, to: string];

  function recording(world: World, options: Partial<PublisherOptions> = {}): { publisher: Publisher; moves: Move[] } {
    const moves: Move[] = [];
    const onChange = ({ key, state }: Intent, previous: string | undefined) => {
      moves.push([key, previous, state]);
      throw new Error('ignored');
    };
    return { publisher: world.process({ onChange, ...options }), moves };
  }

  it('receives each change of state once, in the process that wrote it', async () => {
    const world = new World();
    const [a, b] = [recording(world), recording(world)];
    await a.publisher.enqueue('k', world.later(minute));
    await a.publisher.enqueue('k', world.later(minute));
    await b.publisher.sweep();
    await world.pass(2 * minute);
    await Promise.all([a.publisher.sweep(), b.publisher.sweep()]);
    await b.publisher.sweep();
    expect(a.moves[0]).toEqual(['k', undefined, 'ready']);
    expect(b.moves.slice(0, 2)).toEqual([
      ['k', 'ready', 'sending'],
      ['k', 'sending', 'accepted'],
    ]);
    expect([...a.moves, ...b.moves].filter(([, , to]) => to === 'published')).toEqual([['k', 'accepted', 'published']]);
    expect(a.moves.length + b.moves.length).toBe(4);
  });

  it('receives a doubt and the decision about it, and nothing if a search changes no state', async () => {
    const world = worldWith(neverArrived);
    const { publisher, moves } = recording(world);
    await publisher.publish('k', world.later());
    await world.pass(hour);
    await publisher.resume('k');
    await publisher.resolve('k', { as: 'not_sent' });
    await publisher.resolve('k', { as: 'abandoned' });
    await publisher.prune({ olderThan: new Date(world.time + hour) });
    expect(moves.map(([, from, to]) => [from, to])).toEqual([
      [undefined, 'sending'],
      ['sending', 'in_doubt'],
      ['in_doubt', 'ready'],
      ['ready', 'abandoned'],
    ]);
  });

  it('receives an intent that the client refuses as rejected, before it is removed', async () => {
    const world = new World();
    const create = () => Promise.reject(new InvalidRequestError([{ path: ['content'], message: 'content is bad' }]));
    const { publisher, moves } = recording(world, { client: { posts: { create, list: world.client.posts.list } } });
    await expect(publisher.publish('k', world.later())).rejects.toThrow('content is bad');
    expect(moves).toEqual([
      ['k', undefined, 'sending'],
      ['k', 'sending', 'rejected'],
    ]);
    expect(await publisher.get('k')).toBeUndefined();
  });

  it('cannot change the content that is sent', async () => {
    const world = new World();
    const onChange = ({ body }: Intent) => {
      Object.assign(body, { content: 'Changed' });
    };
    await world.process({ onChange }).publish('k', world.later(hour, 'Kept'));
    expect(world.posts).toMatchObject([{ content: 'Kept' }]);
  });

  it('receives no new intent of a transaction, because that can be rolled back', async () => {
    const memory = new MemoryDurableStore();
    const world = new World(Object.assign(memory, { within: () => memory }));
    const { publisher, moves } = recording(world);
    await publisher.enqueue('k', world.later(), { within: {} });
    expect(moves).toEqual([]);
    await publisher.resume('k');
    expect(moves[0]).toEqual(['k', 'ready', 'sending']);
  });
});

describe('lookup', () => {
  it('is the result of the last search, only on an intent in doubt', async () => {
    const world = await inDoubt();
    const publisher = world.process();
    const { lookup } = (await publisher.get('k')) ?? {};
    expect(lookup).toMatchObject({ at: new Date(world.time).toISOString(), result: 'no_match' });
    expect(world.time - Date.parse(lookup?.since ?? '')).toBeLessThanOrEqual(65 * second);
    // After settleMs, once, from 24 hours before the send.
    const sentAt = world.time;
    await world.pass(11 * minute);
    const { lookup: back } = await publisher.resume('k');
    expect(Date.parse(back?.since ?? '')).toBe(sentAt - 24 * hour);
    await world.pass(hour);
    const { lookup: later } = await publisher.resume('k');
    expect(Date.parse(later?.since ?? '')).toBeGreaterThan(sentAt - 2 * minute);
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 500, times: 1 });
    expect((await publisher.resume('k')).lookup).toMatchObject({ result: 'failed', error: { status: 500 } });
    expect(await publisher.resolve('k', { as: 'not_sent' })).not.toHaveProperty('lookup');
  });
});

describe("an operator's decision", () => {
  it('that an intent was not sent keeps the search before the send, although a search has made it ready', async () => {
    const world = new World();
    await world.process().publish('first', world.later());
    await inDoubt(world);
    await world.pass(hour);
    // Its process ends between the search and the mark of the next send.
    const ending = storeWith(world.store, {
      swap: (key, version, data, wakeAt) =>
        data?.includes('"state":"sending"') === true
          ? new Promise(() => undefined)
          : world.store.swap(key, version, data, wakeAt),
    });
    void world.process({ store: ending, onMissing: 'resend' }).resume('k');
    await eventually(async () => {
      expect((await world.process().get('k'))?.state).toBe('ready');
    });
    expect(await world.process().resolve('k', { as: 'not_sent' })).toMatchObject({ state: 'ready' });
    // The service lists it only now.
    await world.client.posts.create(world.later());
    await world.pass(hour);
    expect(await world.process().resume('k')).toMatchObject({ state: 'in_doubt', lookup: { result: 'candidates' } });
  });

  it('that the store did not confirm must not be repeated unread: a sweep can have sent the intent since', async () => {
    const world = await inDoubt();
    const { store } = world;
    const get: DurableStore['get'] = (key) => store.get(key);
    const closed = () => Promise.reject(new ConfigurationError('The store is closed.'));
    const swap: DurableStore['swap'] = async (...args) => {
      await store.swap(...args);
      return closed();
    };
    const [insert, due, scan] = [closed, closed, closed];
    const failing = world.process({ store: { get, insert, swap, due, scan } });
    const error = await failing.resolve('k', { as: 'not_sent' }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('Read the intent again before you decide again');
    expect(outcomeOf(error)).toBe('unknown');
    expect(await world.process().get('k')).toMatchObject({ state: 'ready' });
  });

  it('counts although no reply shows the time of the service, unless an equal post is listed', async () => {
    for (const isListed of [false, true]) {
      const world = new World();
      const publisher = world.process({ client: undatedClient(world) });
      world.service.faults.add(neverArrived);
      expect(await publisher.publish('k', world.later())).toMatchObject({ lookup: { result: 'failed' } });
      await publisher.resolve('k', { as: 'not_sent' });
      if (isListed) await world.client.posts.create(world.later());
      await world.pass(minute);
      const [intent] = await publisher.sweep();
      if (isListed) expect(intent).toMatchObject({ state: 'in_doubt', lookup: { result: 'candidates' } });
      else expect(intent).toMatchObject({ state: 'accepted', attempts: 2 });
      expect(world.posts).toHaveLength(1);
    }
  });

  it('can be recorded although no reply shows the time of the service', async () => {
    const world = new World();
    const publisher = world.process({ client: undatedClient(world) });
    world.service.faults.add(neverArrived);
    expect(await searchAgain(publisher, await publisher.publish('k', world.later()))).toMatchObject({
      intent: { lookup: { result: 'failed' } },
      undecided: undefined,
    });
  });

  it('is not about a send that began after it', async () => {
    const world = await inDoubt();
    const shown = await world.process().get('k');
    await world.pass(11 * minute);
    world.service.faults.add(neverArrived);
    const { intent, undecided } = await searchAgain(world.process({ onMissing: 'resend' }), shown as Intent);
    expect(intent).toMatchObject({ state: 'in_doubt', attempts: 2 });
    expect(undecided).toMatchObject({ because: 'sent_again' });
  });

  it('is not about a send that began after it, also if the intent was rejected when the operator saw it', async () => {
    const world = new World();
    const publisher = world.process();
    world.service.faults.add({ route: create, kind: 'status', status: 400, times: 1 });
    const shown = await publisher.publish('k', world.later());
    expect(await searchAgain(publisher, shown)).toEqual({ intent: { ...shown, replayed: true }, undecided: undefined });
    await publisher.resolve('k', { as: 'not_sent' });
    world.service.faults.add(neverArrived);
    expect(await publisher.sweep()).toMatchObject([{ state: 'in_doubt', attempts: 2 }]);
    expect(await searchAgain(publisher, shown)).toMatchObject({ undecided: { because: 'sent_again' } });
    expect(world.creates).toBe(2);
  });

  it('waits for a list that can be read, also if no reply shows the time of the service', async () => {
    const world = new World();
    const publisher = world.process({ client: undatedClient(world) });
    world.service.faults.add(neverArrived);
    await publisher.publish('k', world.later());
    await publisher.resolve('k', { as: 'not_sent' });
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 500 });
    expect(await publisher.resume('k')).toMatchObject({ state: 'ready', attempts: 1, error: { status: 500 } });
  });

  it('reads the list back before the send: the clock of the sender may have been ahead', async () => {
    const world = new World();
    world.time += 2 * hour;
    await world.dieAt('replied', (publisher) => publisher.publish('k', world.later()));
    world.time -= 2 * hour;
    const publisher = world.process();
    await world.pass(2 * minute);
    expect(await publisher.resume('k')).toMatchObject({ state: 'in_doubt', lookup: { result: 'no_match' } });
    await publisher.resolve('k', { as: 'not_sent' });
    expect(await publisher.resume('k')).toMatchObject({
      state: 'in_doubt',
      lookup: { result: 'candidates', postIds: [world.posts[0]?.postId] },
    });
    expect(world.posts).toHaveLength(1);
  });

  it('with a mistyped ID can be corrected, and the mistyped post is free again', async () => {
    const world = await inDoubt();
    const publisher = world.process();
    const [typo, right] = [
      await world.client.posts.create(world.later(hour, 'Somebody')),
      await world.client.posts.create(world.later(hour, 'Edited')),
    ];
    expect(await publisher.resolve('k', { as: 'published', postId: typo.postId })).toMatchObject({
      state: 'accepted',
      postId: typo.postId,
    });
    expect(await publisher.resolve('k', { as: 'published', postId: right.postId })).toMatchObject({
      postId: right.postId,
    });
    expect(await world.store.get(`post/${typo.postId}`)).toBeUndefined();
    // A listing confirms it: now it stays.
    expect((await publisher.resume('k')).post).toMatchObject({ content: 'Edited' });
    await expect(publisher.resolve('k', { as: 'not_sent' })).rejects.toThrow('has a post, which it keeps');
  });

  it.each([
    ['the post of the intent', undefined, 'accepted'],
    ['an equal post that the service made for another time', 2 * hour, 'in_doubt'],
  ])('does not count as proof if its process ended before it was recorded: it named %s', async (_, otherMs, state) => {
    const world = await inDoubt();
    const { postId } = await world.client.posts.create(world.later(otherMs));
    const dead = newGate();
    const ending = storeWith(world.store, {
      swap: () => {
        dead.open();
        return new Promise(() => undefined);
      },
    });
    void world.process({ store: ending }).resolve('k', { as: 'published', postId });
    await dead.opened;
    await world.pass(2 * minute);
    expect(await world.process().resume('k')).toMatchObject({ state });
    // The operator decides again.
    expect(await world.process().resolve('k', { as: 'published', postId })).toMatchObject({ postId });
  });

  it('with a mistyped ID never walks the whole list', async () => {
    const world = await inDoubt();
    world.addPosts(300);
    await world.pass(2 * hour);
    const publisher = world.process();
    await publisher.resolve('k', { as: 'published', postId: 'typo' });
    const before = world.lists;
    await publisher.sweep();
    const [query] = world.service.requests
      .slice(-1)
      .map(({ url }) => new URL(url, 'https://emulator.test').searchParams);
    expect(query?.get('createdAfter')).toBeTruthy();
    expect(query?.get('createdBefore')).toBeTruthy();
    expect(world.lists - before).toBeLessThanOrEqual(4);
  });

  it('to abandon stays, and a late reply shows the post', async () => {
    const world = new World();
    const { late, arrive } = await world.sendLate('k', world.later());
    await world.pass(2 * minute);
    await world.process().resolve('k', { as: 'abandoned' });
    arrive();
    const { postId } = await late.then(() => world.posts[0] ?? { postId: '' });
    expect(await world.process().get('k')).toMatchObject({ state: 'abandoned', postId, post: { postId } });
  });
});

describe('retryFailed', () => {
  const two = async () => {
    const world = new World();
    const { id } = world.service.seed.integration({ platform: 'tiktok', username: 'acme' });
    world.service.publishing.outcome({ platform: 'tiktok', error: 'media rejected', times: 1 });
    const publisher = world.process();
    const platforms = [...world.now.platforms, { platform: 'tiktok' as const, accountId: id }];
    await publisher.publish(
      'k',
      { ...world.now, platforms },
      { extraBody: { mediaItems: [{ url: 'https://a.test/b' }] } },
    );
    await world.pass(minute);
    await publisher.sweep();
    return { world, publisher, id };
  };

  it('publishes the failed targets once, under their own key', async () => {
    const { world, publisher, id } = await two();
    expect(await publisher.get('k')).toMatchObject({ state: 'partial' });
    for (const replayed of [false, true]) {
      expect(await publisher.retryFailed('k', 'k/retry')).toMatchObject({
        key: 'k/retry',
        replayed,
        body: { content: 'Hello', publishNow: true, platforms: [{ platform: 'tiktok', accountId: id }] },
        extraBody: { mediaItems: [{ url: 'https://a.test/b' }] },
      });
    }
    expect(world.posts).toHaveLength(2);
  });

  describe('with two accounts of one platform', () => {
    const half = async (mode: 'now' | 'later' = 'now') => {
      const world = new World();
      const [failing, other] = ['one', 'two'].map(
        (username) => world.service.seed.integration({ platform: 'tiktok', username }).id,
      ) as [string, string];
      world.service.publishing.outcome({ platform: 'tiktok', error: 'media rejected', times: 1 });
      const platforms = [failing, other].map((accountId) => ({ platform: 'tiktok' as const, accountId }));
      const publisher = world.process();
      const { postId = '' } = await publisher.publish('k', {
        ...(mode === 'now' ? world.now : world.later()),
        platforms,
      });
      const event: WebhookEvent = {
        known: true,
        id: 'evt_1',
        type: 'post.partial',
        data: {
          post: { id: postId, status: 'partial' },
          platforms: [
            { platform: 'tiktok', integrationId: failing, status: 'failed', errorMessage: 'media rejected' },
            { platform: 'tiktok', integrationId: other, status: 'published', publishedAt: '2026-03-01T09:00:00Z' },
          ],
        },
      };
      return { world, publisher, failing, event };
    };
    const swept = async (world: World, publisher: Publisher) => {
      await world.pass(25 * hour);
      await publisher.sweep();
      expect(await publisher.get('k')).toMatchObject({ state: 'partial' });
    };

    it('says which event to pass if the accounts are unknown', async () => {
      const { world, publisher } = await half();
      await swept(world, publisher);
      await expect(publisher.retryFailed('k', 'k/retry')).rejects.toThrow(
        "does not show which account of tiktok failed (1 of several targets). Pass the post's final webhook event to " +
          'publisher.observe, or as the second argument of retryFailed(post, event)',
      );
      expect(world.posts).toHaveLength(1);
    });

    it.each(['before', 'after'] as const)(
      'takes the account from an event that arrives %s the result',
      async (when) => {
        const { world, publisher, failing, event } = await half(when === 'before' ? 'later' : 'now');
        if (when === 'before') await publisher.observe(event);
        await swept(world, publisher);
        const before = await publisher.get('k');
        await publisher.observe(event);
        await publisher.observe(event);
        expect(await publisher.get('k')).toMatchObject({
          state: 'partial',
          post: before?.post,
          postId: before?.postId,
        });
        expect(await publisher.retryFailed('k', 'k/retry')).toMatchObject({
          body: { publishNow: true, platforms: [{ platform: 'tiktok', accountId: failing }] },
        });
        expect(world.posts).toHaveLength(2);
      },
    );

    it('ignores an event with another result of the post, or with other results of the targets', async () => {
      const { world, publisher, event } = await half();
      await swept(world, publisher);
      const before = await publisher.get('k');
      const [one, two] = event.data.platforms;
      const others = [[one], [two, two], [one, { ...two, integrationId: undefined }]].map((platforms) => ({
        data: { ...event.data, platforms },
      }));
      for (const other of [{ type: 'post.failed' }, ...others]) {
        await publisher.observe({ ...event, ...other } as WebhookEvent);
        expect(await publisher.get('k')).toEqual(before);
      }
    });

    it('ignores an event if the platform of each target has one account', async () => {
      const world = new World();
      const publisher = world.process();
      const { postId = '' } = await publisher.publish('k', world.now);
      await world.pass(minute);
      await publisher.sweep();
      const item = await world.store.get('intent/k');
      await publisher.observe({
        known: true,
        id: 'evt_1',
        type: 'post.published',
        data: { post: { id: postId }, platforms: [{ platform: 'bluesky', integrationId: world.accountId }] },
      });
      expect(await world.store.get('intent/k')).toEqual(item);
    });
  });

  it('resolves to undefined if nothing failed, and refuses other intents', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.publish('done', world.now);
    await publisher.publish('later', world.later());
    await world.pass(minute);
    await publisher.sweep();
    expect(await publisher.retryFailed('done', 'retry')).toBeUndefined();
    await expect(publisher.retryFailed('later', 'retry')).rejects.toThrow(
      'post is of an intent that is accepted. It must be published, partial or failed. publisher.resume(key) reads the result',
    );
    for (const [key, retryKey] of [
      ['later', 'retry'],
      ['nobody', 'retry'],
      ['done', 'done'],
      ['done', ''],
    ] as const) {
      await expect(publisher.retryFailed(key, retryKey)).rejects.toBeInstanceOf(InvalidRequestError);
    }
    expect(await publisher.get('retry')).toBeUndefined();
  });
});

describe('a mistake of a caller without types', () => {
  const calls: [string, (publisher: Publisher) => Promise<unknown>][] = [
    ['publish(key, body, null)', (publisher) => publisher.publish('k', {} as never, null as never)],
    ['enqueue(key, body, null)', (publisher) => publisher.enqueue('k', {} as never, null as never)],
    ['sweep(null)', (publisher) => publisher.sweep(null as never)],
    ['prune()', (publisher) => (publisher.prune as () => Promise<number>)()],
    ['prune(null)', (publisher) => publisher.prune(null as never)],
    ['prune({})', (publisher) => publisher.prune({} as never)],
    ['resolve(key)', (publisher) => publisher.resolve('k', undefined as never)],
    ['resolve(key, null)', (publisher) => publisher.resolve('k', null as never)],
    ['list(null)', (publisher) => collect(publisher.list(null as never))],
    ['publishMany(null)', (publisher) => collect(publisher.publishMany(null as never))],
    ['publishMany([], null)', (publisher) => collect(publisher.publishMany([], null as never))],
    ['get(5)', (publisher) => publisher.get(5 as never)],
    ['observe()', (publisher) => publisher.observe(undefined as never)],
    ['observe(null)', (publisher) => publisher.observe(null as never)],
    ['resume()', (publisher) => publisher.resume(undefined as never)],
  ];
  it.each(calls)('is an InvalidRequestError: %s', async (_, call) => {
    await expect(call(new World().process())).rejects.toBeInstanceOf(InvalidRequestError);
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  it.each([
    ['a function', { a: [{ f: () => 1 }] }, ['extraBody', 'a', 0, 'f']],
    ['a symbol', { a: Symbol('s') }, ['extraBody', 'a']],
    ['a Map', { a: new Map([['x', 1]]) }, ['extraBody', 'a']],
    ['a Set', { a: new Set([1]) }, ['extraBody', 'a']],
    ['bytes', { a: new Uint8Array(2) }, ['extraBody', 'a']],
    ['NaN', { a: { b: Number.NaN } }, ['extraBody', 'a', 'b']],
    ['Infinity', { a: [Infinity] }, ['extraBody', 'a', 0]],
    ['a bigint', { a: 1n }, ['extraBody', 'a']],
    ['a cycle', cycle, ['extraBody', 'self']],
    ['an array', [1], ['extraBody']],
  ])('in extraBody is named by its path: %s', async (_, extraBody, path) => {
    const world = new World();
    for (const method of ['publish', 'enqueue'] as const) {
      const call = world.process()[method]('k', world.now, { extraBody: extraBody as never });
      await expect(call).rejects.toMatchObject({ name: 'InvalidRequestError', issues: [{ path }] });
    }
    expect(await world.process().get('k')).toBeUndefined();
    expect(world.creates).toBe(0);
  });

  it('in the time of a post is reported at once: it has no offset', async () => {
    const world = new World();
    const body = { ...world.later(), scheduledFor: '2026-05-02T09:00:00' };
    for (const method of ['publish', 'enqueue'] as const) {
      const call = world.process()[method]('k', body);
      await expect(call).rejects.toMatchObject({
        name: 'InvalidRequestError',
        issues: [{ path: ['scheduledFor'], message: expect.stringContaining('must have an offset') as string }],
      });
    }
    expect(await world.process().get('k')).toBeUndefined();
    const zoned = { extraBody: { timezone: 'Europe/Berlin' } };
    await expect(world.process().enqueue('k', body, zoned)).resolves.toMatchObject({ state: 'ready' });
  });

  it('is not a conflict with dates, null, missing fields and objects with toJSON', async () => {
    const world = new World();
    const extraBody = {
      at: new Date(0),
      none: null,
      missing: undefined,
      url: new URL('https://a.test/'),
      list: [undefined],
    };
    const intent = await world.process().publish('k', world.now, { extraBody });
    expect(intent.extraBody).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      none: null,
      url: 'https://a.test/',
      list: [null],
    });
  });
});

describe('an intent of release 0.2.0', () => {
  /** Stores the intent `k` as that release wrote it: sent and last changed now, unless `fields` say otherwise. */
  async function store(world: World, fields: { readonly wakeAt?: number; readonly [field: string]: unknown }) {
    const { body } = await world.process().enqueue('x', world.later());
    const [createdAt, updatedAt, wakeAt] = [world.time, world.time, world.time];
    const sent = { at: world.time, skewMs: 0 };
    const data = { format: 1, body, attempts: 1, looks: 3, sent, wakeAt, createdAt, updatedAt, ...fields };
    await world.store.insert('intent/k', JSON.stringify(data), data.wakeAt);
  }

  it('in doubt, with its post listed, is found', async () => {
    const world = new World();
    await world.client.posts.create(world.later());
    await store(world, { state: 'in_doubt' });
    expect(await world.process().resume('k')).toMatchObject({ state: 'accepted', postId: world.posts[0]?.postId });
  });

  it('in doubt, with its post claimed, gets it', async () => {
    const world = new World();
    const { postId } = await world.client.posts.create(world.later());
    // Only the claim shows whose post it is.
    await world.pass(hour);
    await world.store.insert(`post/${postId}`, JSON.stringify({ format: 1, key: 'k' }), null);
    await store(world, { state: 'in_doubt' });
    await world.pass(hour);
    expect(await world.process().resume('k')).toMatchObject({ state: 'accepted', postId });
    // A prune of this release retires the claim too.
    await world.pass(48 * hour);
    expect(await world.process().resume('k')).toMatchObject({ state: 'published' });
    expect(await world.process().prune({ olderThan: new Date(world.time + 1) })).toBe(1);
    expect((await world.store.get(`post/${postId}`))?.data).toContain('"retired"');
  });

  it('accepted is checked at the right time', async () => {
    const world = new World();
    const { postId } = await world.client.posts.create(world.later());
    await store(world, { state: 'accepted', postId, wakeAt: world.time + 24 * hour });
    await world.pass(24 * hour + minute);
    expect(await world.process().resume('k')).toMatchObject({ state: 'published' });
  });

  // It keeps `lookup`, which it does not know, in each of these.
  it.each([
    ['was made ready by its `not_sent`', { attempts: 1 }],
    ['was refused with 401 when it sent it again', { attempts: 2, error: { name: 'AuthenticationError' } }],
  ])('in doubt in this release, and ready because it %s, is sent', async (_, more) => {
    const world = new World();
    const at = world.time;
    const lookup = { at, since: at - minute, result: 'no_match', firstAt: at };
    await world.pass(minute);
    await store(world, { ...more, state: 'ready', sent: { at, skewMs: 0 }, lookup, createdAt: at });
    await world.pass(hour);
    expect(await world.process().resume('k')).toMatchObject({ state: 'accepted', attempts: more.attempts + 1 });
  });

  it.each(['sending', 'in_doubt'])('%s is not sent again because of a search for an earlier send', async (state) => {
    const world = new World();
    const at = world.time;
    const lookup = { at, since: at - minute, result: 'no_match', firstAt: at };
    await world.pass(hour);
    const wakeAt = world.time + minute;
    const lease = state === 'sending' ? { owner: 'o', until: wakeAt } : undefined;
    await store(world, { state, attempts: 2, sent: { at: world.time }, lookup, wakeAt, createdAt: at, lease });
    await world.pass(2 * minute);
    const resending = world.process({ onMissing: 'resend', settleMs: 10 * minute });
    expect(await resending.resume('k')).toMatchObject({ state: 'in_doubt', attempts: 2 });
    await world.client.posts.create(world.later());
    expect(await resending.resume('k')).toMatchObject({ state: 'accepted', attempts: 2 });
  });
});

describe("an operator's decision that a lost create was not sent", () => {
  /** The create is executed, its reply is lost, and the list shows the post after five minutes. */
  async function executedAndUnlisted(): Promise<World> {
    const world = worldWith(lostReply, { kind: 'listing_lag', lagMs: 5 * minute, times: 1 });
    expect((await world.process().publish('k', world.later())).state).toBe('in_doubt');
    return world;
  }

  it.each(['sweep', 'resume', 'publish'] as const)('is checked before the send: %s finds the post', async (method) => {
    const world = await executedAndUnlisted();
    const publisher = world.process();
    expect((await publisher.resolve('k', { as: 'not_sent' })).state).toBe('ready');
    await world.pass(10 * minute);
    if (method === 'publish') await publisher.publish('k', world.later());
    else if (method === 'resume') await publisher.resume('k');
    else await publisher.sweep();
    expect(await publisher.get('k')).toMatchObject({ state: 'accepted', postId: world.service.posts[0]?.postId });
    expect(world.service.posts).toHaveLength(1);
  });

  it('is followed if no post is listed', async () => {
    const world = await inDoubt();
    const publisher = world.process();
    await publisher.resolve('k', { as: 'not_sent' });
    await world.pass(minute);
    expect(await publisher.resume('k')).toMatchObject({ state: 'accepted', attempts: 2 });
    expect(world.service.posts).toHaveLength(1);
  });

  it('waits while the list cannot be read', async () => {
    const world = await inDoubt();
    const publisher = world.process();
    await publisher.resolve('k', { as: 'not_sent' });
    const list = world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 500 });
    await world.pass(minute);
    expect(await publisher.resume('k')).toMatchObject({ state: 'ready', attempts: 1, error: { outcome: 'unknown' } });
    list();
    await world.pass(hour);
    expect(await publisher.sweep()).toMatchObject([{ state: 'accepted', attempts: 2 }]);
    expect(world.service.posts).toHaveLength(1);
  });

  it('is followed although the operator saw an equal post, and held if another one is listed since', async () => {
    const world = await inDoubt();
    const publisher = world.process();
    const body = world.later();
    const equal = async () => {
      await world.pass(30 * minute);
      await world.client.posts.create(body);
    };
    await equal();
    expect((await publisher.resume('k')).lookup).toMatchObject({ result: 'candidates' });
    await publisher.resolve('k', { as: 'not_sent' });
    expect(await publisher.resume('k')).toMatchObject({ state: 'accepted', attempts: 2 });

    const other = await inDoubt();
    await other.process().resolve('k', { as: 'not_sent' });
    await other.pass(30 * minute);
    await other.client.posts.create(other.later());
    expect(await other.process().resume('k')).toMatchObject({ state: 'in_doubt', lookup: { result: 'candidates' } });
  });
});
