/** Intents that wait for the time of their send: `sendAheadMs`, `cancel`, `edit`, a paused sweep, and the latest time. */
import { describe, expect, it } from 'vitest';
import { IntentConflictError, InvalidRequestError } from '../../src/core/errors.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import type { DurableStore } from '../../src/stores/store.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import type { IntentRecord } from '../../src/publisher/intents/intent-record.js';
import type { Publisher } from '../../src/publisher/publisher.js';
import { rejection } from '../policies/client.js';
import { collect } from '../support/collect.js';
import { create, hour, lostReply, minute, neverArrived, noWaits, second, start, World, worldWith } from './world.js';
import { storeCalling, storeWith } from '../support/stores.js';

const replies = (status: number) => ({ route: create, kind: 'status', status, times: 1 }) as const;
const iso = (at: number) => new Date(at).toISOString();
const ahead = { sendAheadMs: 10 * minute };
/** The time of the send of `world.later()` with `ahead`. */
const sendAt = start + 24 * hour - 10 * minute;

const contents = (world: World) => world.posts.map(({ content }) => content);

async function recordOf(world: World, key = 'k'): Promise<IntentRecord> {
  const item = await world.store.get(`intent/${key}`);
  return JSON.parse(item?.data ?? '{}') as IntentRecord;
}

/** Changes the record of an intent, as another process would. */
async function rewrite(
  world: World,
  change: { readonly [Name in keyof IntentRecord]?: IntentRecord[Name] | undefined },
  key = 'k',
): Promise<void> {
  const { version = 0, data = '' } = (await world.store.get(`intent/${key}`)) ?? {};
  const record = { ...(JSON.parse(data) as IntentRecord), ...change };
  await world.store.swap(`intent/${key}`, version, JSON.stringify(record), record.wakeAt ?? null);
}

/** A publisher that does something once, after it has read an intent and before it writes the intent. */
function interrupted(world: World, act: () => Promise<unknown>): Publisher {
  let isDone = false;
  const { store } = world;
  const swap: DurableStore['swap'] = async (key, version, data, wakeAt) => {
    if (!isDone && key.startsWith('intent/')) {
      isDone = true;
      await act();
    }
    return store.swap(key, version, data, wakeAt);
  };
  return world.process({ store: storeWith(store, { swap }) });
}

describe('sendAheadMs', () => {
  it('keeps a scheduled intent ready until that long before its time; then a sweep sends it', async () => {
    const world = new World();
    const publisher = world.process();
    const intent = await publisher.publish('k', world.later(), ahead);
    expect(intent).toMatchObject({ state: 'ready', sendAt: iso(sendAt), attempts: 0, replayed: false });
    expect(await publisher.publish('k', world.later(), ahead)).toEqual({ ...intent, replayed: true });
    expect(await publisher.resume('k')).toEqual({ ...intent, replayed: true });
    expect(await publisher.get('k')).toEqual({ ...intent, replayed: true });
    expect(await collect(publisher.list({ state: 'ready' }))).toEqual([{ ...intent, replayed: true }]);
    await world.pass(sendAt - start - second);
    expect(await world.process().sweep()).toEqual([]);
    expect(await publisher.resume('k')).toMatchObject({ state: 'ready' });
    expect(world.service.requests).toHaveLength(0);
    await world.pass(second);
    expect(await world.process().sweep()).toMatchObject([{ key: 'k', state: 'accepted', sendAt: iso(sendAt) }]);
    expect(contents(world)).toEqual(['Later']);
  });

  it('is an option of the publisher, which one call can override', async () => {
    const world = new World();
    const publisher = world.process(ahead);
    expect(await publisher.publish('a', world.later())).toMatchObject({ state: 'ready', sendAt: iso(sendAt) });
    expect(await publisher.enqueue('b', world.later(), { sendAheadMs: minute })).toMatchObject({
      sendAt: iso(start + 24 * hour - minute),
    });
    const items = [
      { key: 'c', body: world.later(), sendAheadMs: 2 * minute },
      { key: 'd', body: world.later(), sendAheadMs: Infinity },
      { key: 'e', body: world.now },
    ];
    const many = await collect(publisher.publishMany(items, { concurrency: 1 }));
    expect(many.map(({ state, sendAt: at }) => [state, at])).toEqual([
      ['ready', iso(start + 24 * hour - 2 * minute)],
      ['accepted', undefined],
      ['published', undefined],
    ]);
    // The option is stored with the intent: a process without it keeps to it.
    await world.pass(hour);
    await world.process().sweep();
    expect(await world.process().get('a')).toMatchObject({ state: 'ready', sendAt: iso(sendAt) });
  });

  it('sends at once if the time of the send has come, with three writes and no read', async () => {
    const asked: string[] = [];
    const world = new World(storeCalling(new MemoryDurableStore(), (call) => asked.push(call)));
    const { postId = '' } = await world.process().publish('k', world.later(minute), ahead);
    expect(asked).toEqual(['insert intent/k', `insert post/${postId}`, 'swap intent/k']);
  });

  it('counts from a time in extraBody, and refuses a time whose instant is not known', async () => {
    const world = new World();
    const publisher = world.process(ahead);
    const { content, platforms } = world.later();
    const at = '2026-05-02T11:00:00+02:00';
    const intent = await publisher.publish('k', { content, platforms, publishNow: false } as never, {
      extraBody: { scheduledFor: at },
    });
    expect(intent.sendAt).toBe(iso(Date.parse(at) - 10 * minute));
    const local = { content, platforms, scheduledFor: '2026-05-02T11:00:00' };
    const extraBody = { timezone: 'Europe/Berlin' };
    const error = await rejection(publisher.publish('l', local, { extraBody }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(String(error)).toContain('scheduledFor must have its offset, because sendAheadMs counts from it');
    expect(await publisher.get('l')).toBeUndefined();
    expect((await publisher.publish('l', local, { extraBody, sendAheadMs: Infinity })).state).toBe('accepted');
  });

  it('and Retry-After both hold an intent back', async () => {
    const world = new World();
    const publisher = world.process();
    world.service.faults.add({ ...replies(429), headers: { 'retry-after': '600' } });
    await publisher.publish('k', world.later(hour), { sendAheadMs: hour });
    const { notBefore = 0 } = await recordOf(world);
    expect(notBefore).toBeGreaterThanOrEqual(start + 600 * second);
    const edited = await publisher.edit('k', world.later(hour, 'Edited'));
    expect(edited).toMatchObject({ state: 'ready', sendAt: iso(start) });
    expect((await recordOf(world)).wakeAt).toBe(notBefore);
    await publisher.edit('k', world.later(hour, 'Edited'), { sendAheadMs: minute });
    expect((await recordOf(world)).wakeAt).toBe(start + 59 * minute);
    await world.pass(59 * minute);
    // The client of the first publisher still waits, because its monotonic clock stands still.
    await world.process({ client: world.newClient() }).sweep();
    expect(contents(world)).toEqual(['Edited']);
  });
});

describe('cancel', () => {
  it('abandons an intent that was not sent: it is never sent, and the same call again changes nothing', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.publish('k', world.later(), ahead);
    const cancelled = await publisher.cancel('k');
    expect(cancelled).toMatchObject({ state: 'abandoned', replayed: true, attempts: 0 });
    await world.pass(minute);
    expect(await world.process().cancel('k')).toEqual(cancelled);
    expect(await publisher.publish('k', world.later())).toEqual(cancelled);
    expect(await publisher.resume('k')).toEqual(cancelled);
    await world.pass(25 * hour);
    expect(await publisher.sweep()).toEqual([]);
    expect(world.service.requests).toHaveLength(0);
  });

  it('works on every form of a key, in its own scope only, and not on an intent of another service', async () => {
    const world = new World();
    await world.process().publish('Grüße', world.later(), ahead);
    const other = world.process({ scope: 'other' });
    expect(String(await rejection(other.cancel('Grüße')))).toContain('there is no such intent');
    const foreign = world.process({ service: 'https://other.example' });
    expect(await rejection(foreign.cancel('Grüße'))).toBeInstanceOf(IntentConflictError);
    expect(await rejection(foreign.edit('Grüße', world.later()))).toBeInstanceOf(IntentConflictError);
    expect((await world.process().cancel('Grüße'.normalize('NFD'))).state).toBe('abandoned');
  });
});

describe('edit', () => {
  it('gives the key to the new body, and sends nothing itself', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.publish('k', world.later(), { ...ahead, extraBody: { timezone: 'UTC' } });
    const edited = await publisher.edit('k', world.later(2 * hour, 'Edited'));
    // It keeps the time ahead of its schedule, not the time of the send.
    expect(edited).toMatchObject({ state: 'ready', sendAt: iso(start + 110 * minute), body: { content: 'Edited' } });
    expect(edited).not.toHaveProperty('extraBody');
    expect(await rejection(publisher.publish('k', world.later()))).toBeInstanceOf(IntentConflictError);
    expect(await publisher.publish('k', world.later(2 * hour, 'Edited'))).toEqual(edited);
    expect(await world.process().edit('k', world.later(2 * hour, 'Edited'))).toEqual(edited);
    expect(world.service.requests).toHaveLength(0);
    await world.pass(110 * minute);
    await publisher.sweep();
    expect(contents(world)).toEqual(['Edited']);
    // The reply to the first edit may have been lost.
    expect(await publisher.edit('k', world.later(2 * hour, 'Edited'))).toMatchObject({ state: 'accepted' });
    expect(await rejection(publisher.edit('k', world.later(2 * hour, 'Again')))).toBeInstanceOf(InvalidRequestError);
  });

  it('to a body without a time makes it due, and can change only the time of the send', async () => {
    const world = new World();
    const publisher = world.process();
    await publisher.publish('k', world.later(), ahead);
    const sooner = await publisher.edit('k', world.later(), { sendAheadMs: hour });
    expect(sooner.sendAt).toBe(iso(start + 23 * hour));
    expect(await publisher.edit('k', world.now)).not.toHaveProperty('sendAt');
    expect(await publisher.sweep()).toMatchObject([{ state: 'published' }]);
  });

  it('refuses a body that cannot be sent, and an option that it does not know', async () => {
    const world = new World();
    const publisher = world.process();
    const before = await publisher.publish('k', world.later(), ahead);
    expect(String(await rejection(publisher.edit('k', { content: 'x' } as never)))).toContain(
      'scheduledFor is required',
    );
    expect(String(await rejection(publisher.edit('k', world.later(), { sendAhead: 1 } as object)))).toContain(
      "did you mean 'sendAheadMs'?",
    );
    expect(await publisher.get('k')).toEqual({ ...before, replayed: true });
  });

  it('after a 429 with a Retry-After without a sensible end is still listed and counted', async () => {
    const world = worldWith({ ...replies(429), headers: { 'Retry-After': '18446744073709551615' } });
    const publisher = world.process();
    await publisher.publish('k', world.now);
    expect(await collect(publisher.list({ state: 'ready' }))).toMatchObject([{ key: 'k' }]);
    expect((await publisher.stats()).byState.ready).toBe(1);
  });

  it('after a 429 keeps to Retry-After, unless the clock of that sender was ahead', async () => {
    const edits = async (aheadMs: number) => {
      const world = worldWith({ ...replies(429), headers: { 'Retry-After': '600' } });
      await world.process({ now: () => world.time + aheadMs }).publish('k', world.now);
      const other = world.process({ client: world.newClient() });
      await other.edit('k', { ...world.now, content: 'Edited' });
      await world.pass(minute);
      const early = await other.sweep();
      await world.pass(10 * minute);
      return [early, await other.sweep()].map((moved) => moved.map(({ state }) => state));
    };
    expect(await edits(0)).toEqual([[], ['published']]);
    expect(await edits(24 * hour)).toEqual([['published'], []]);
  });
});

describe('cancel and edit of an intent', () => {
  const refused: readonly (readonly [string, (world: World) => Promise<unknown>, RegExp])[] = [
    ['that was sent', (world) => world.process().publish('k', world.later()), /was sent, and its post is \w+/],
    ['that is published', (world) => world.process().publish('k', world.now), /is published, which is final/],
    [
      'that is being sent',
      (world) => world.dieAt('replied', (publisher) => publisher.publish('k', world.later())),
      /is being sent/,
    ],
    [
      'whose sender died',
      async (world) => {
        await world.dieAt('marked', (publisher) => publisher.publish('k', world.later()));
        await world.pass(hour);
      },
      /is being sent/,
    ],
    [
      'in doubt',
      (world) => inDoubt(world),
      /may have been executed\. Wait until at least 10 minutes after the send, .*call `resolve`/,
    ],
    [
      'that the service refused',
      (world) => {
        world.service.faults.add(replies(400));
        return world.process().publish('k', world.later());
      },
      /was refused/,
    ],
    [
      'that an operator abandoned',
      async (world) => {
        await inDoubt(world);
        await world.process().resolve('k', { as: 'abandoned' });
      },
      /is abandoned, which is final/,
    ],
    [
      'that an operator calls not sent, because nothing proves it',
      async (world) => {
        await inDoubt(world);
        await world.process().resolve('k', { as: 'not_sent' });
      },
      /may have been executed by an earlier send/,
    ],
    [
      'that was sent again after a search, because the first send is not proved to have done nothing',
      async (world) => {
        await inDoubt(world);
        const resending = world.process({ onMissing: 'resend', settleMs: minute });
        world.service.faults.add(replies(429));
        await world.pass(hour);
        await resending.sweep();
      },
      /may have been executed by an earlier send/,
    ],
  ];

  async function inDoubt(world: World): Promise<void> {
    world.service.faults.add(neverArrived);
    await world.process().publish('k', world.later());
  }

  it.each(refused)('%s: is refused with the next step, and changes nothing', async (_, arrange, message) => {
    const world = new World();
    await arrange(world);
    const publisher = world.process();
    const before = await recordOf(world);
    for (const call of [publisher.cancel('k'), publisher.edit('k', world.later(hour, 'Edited'))]) {
      const error = await rejection(call);
      if (!(error instanceof InvalidRequestError)) throw error;
      expect(error.issues[0]?.message).toMatch(message);
    }
    expect(await recordOf(world)).toEqual(before);
  });

  it.each([
    ['a 429', 429],
    ['a 401', 401],
    ['a 403', 403],
  ])('that is ready after %s: works, also if release 0.2.0 wrote it', async (_, status) => {
    const world = new World();
    const publisher = world.process();
    world.service.faults.add({ ...replies(status), times: 2 });
    await publisher.publish('k', world.later());
    await publisher.publish('l', world.later());
    expect(await publisher.edit('k', world.later(hour, 'Edited'))).toMatchObject({ state: 'ready', attempts: 1 });
    expect(await publisher.cancel('l')).toMatchObject({ state: 'abandoned' });
    await world.pass(10 * minute);
    await publisher.sweep();
    expect(contents(world)).toEqual(['Edited']);
  });

  it('that does not exist: is refused', async () => {
    const world = new World();
    for (const call of [world.process().cancel('k'), world.process().edit('k', world.now)]) {
      expect(String(await rejection(call))).toContain('is not known: there is no such intent');
    }
  });
});

describe('an edit and a send at the same time', () => {
  const edited = (world: World) => world.later(2 * hour, 'Edited');

  it('a publish of the old body reports that the edit won, and sends nothing', async () => {
    const world = new World();
    await world.process().enqueue('k', world.later());
    const publisher = interrupted(world, () => world.process().edit('k', edited(world)));
    expect(await rejection(publisher.publish('k', world.later()))).toBeInstanceOf(IntentConflictError);
    expect(world.creates).toBe(0);
    await world.process().sweep();
    expect(contents(world)).toEqual(['Edited']);
  });

  it('a publish that writes a late intent reports that the edit won too', async () => {
    const world = new World();
    await world.pass(2 * hour);
    const publisher = interrupted(world, () => world.process().edit('k', world.later(4 * hour, 'Edited')));
    const error = await rejection(publisher.publish('k', world.later(minute), ahead));
    expect(error).toBeInstanceOf(IntentConflictError);
  });

  it('a sweep leaves the edited intent to the next sweep', async () => {
    const world = new World();
    await world.process().enqueue('k', world.later());
    const publisher = interrupted(world, () => world.process().edit('k', edited(world)));
    expect(await publisher.sweep()).toMatchObject([{ state: 'ready', body: { content: 'Edited' } }]);
    expect(world.creates).toBe(0);
    await publisher.sweep();
    expect(contents(world)).toEqual(['Edited']);
  });

  it.each(['cancel', 'edit'] as const)('%s reports that the send won', async (method) => {
    const world = new World();
    await world.process().enqueue('k', world.later());
    const publisher = interrupted(world, () => world.process().sweep());
    const call = method === 'cancel' ? publisher.cancel('k') : publisher.edit('k', edited(world));
    expect(String(await rejection(call))).toContain('"k" was sent, and its post is');
    expect(contents(world)).toEqual(['Later']);
  });
});

describe('sweep with send: false', () => {
  it('searches and reads results, sends nothing, and no waiting intent hides another', async () => {
    const world = new World();
    const publisher = world.process({ onMissing: 'resend', settleMs: minute });
    world.service.faults.add(lostReply);
    world.service.faults.add({ ...replies(500), route: 'GET /v1/posts/' });
    for (const key of ['a', 'b', 'c']) await publisher.enqueue(key, world.later(24 * hour, key));
    await publisher.publish('executed', world.later(24 * hour, 'Executed'));
    world.service.faults.add(neverArrived);
    await publisher.publish('lost', world.later(24 * hour, 'Lost'));
    for (let round = 0; round < 3; round += 1) {
      await world.pass(hour);
      await publisher.sweep({ send: false, limit: 1 });
    }
    const states = (await collect(publisher.list())).map(({ key, state }) => `${key} ${state}`);
    expect(states).toEqual(['a ready', 'b ready', 'c ready', 'executed accepted', 'lost ready']);
    expect(contents(world)).toEqual(['Executed']);
    await publisher.sweep();
    expect(contents(world).sort()).toEqual(['Executed', 'Lost', 'a', 'b', 'c']);
  });
});

describe('an intent that no sweep sent in time', () => {
  const late = async (options = {}) => {
    const world = new World();
    const publisher = world.process(options);
    await publisher.publish('k', world.later(hour), ahead);
    return { world, publisher };
  };

  it('is sent up to maxLateMs after its time, and rejected after that', async () => {
    const { world, publisher } = await late({ maxLateMs: 5 * minute });
    await publisher.publish('l', world.later(hour - second), ahead);
    await world.pass(hour + 5 * minute);
    const swept = await publisher.sweep();
    expect(swept.map(({ key, state }) => [key, state]).sort()).toEqual([
      ['k', 'accepted'],
      ['l', 'rejected'],
    ]);
    const { error, attempts } = swept.find(({ key }) => key === 'l') ?? {};
    expect(attempts).toBe(0);
    expect(error).toEqual({
      name: 'SocialPublishingError',
      message:
        'It is more than 300000 ms (maxLateMs) after its scheduledFor, so it is not sent. Nothing was sent. To publish it ' +
        "at another time, call `edit`. To publish it now, call `resolve` with as: 'not_sent'. Otherwise, call `cancel`.",
      outcome: 'not_sent',
    });
    expect(await publisher.sweep()).toEqual([]);
    expect(world.creates).toBe(1);
  });

  it.each(['nothing', 'its Date a moment ago'])(
    'is sent by a process whose clock is ahead and that read %s',
    async (read) => {
      const { world } = await late();
      await world.pass(minute);
      const fast = world.process({ now: () => world.time + 3 * hour });
      if (read !== 'nothing') await fast.publish('before', world.now);
      await fast.sweep();
      expect(await fast.get('k')).toMatchObject({ state: 'accepted' });
    },
  );

  it('is rejected by a process whose clock is behind', async () => {
    const { world } = await late();
    await world.pass(3 * hour);
    const slow = world.process({ now: () => world.time - 2 * hour });
    await slow.publish('before', world.now);
    await slow.sweep();
    expect(await slow.get('k')).toMatchObject({ state: 'rejected', attempts: 0 });
    await slow.resolve('k', { as: 'not_sent' });
    await slow.sweep();
    expect(await slow.get('k')).toMatchObject({ state: 'accepted' });
  });

  const moved = 4 * hour;

  it.each([
    ['edit', (publisher: Publisher, world: World) => publisher.edit('k', world.later(moved)), 'accepted'],
    ['resolve', (publisher: Publisher) => publisher.resolve('k', { as: 'not_sent' }), 'accepted'],
    ['cancel', (publisher: Publisher) => publisher.cancel('k'), 'abandoned'],
  ] as const)('follows the advice, twice: %s', async (_, call, state) => {
    const { world, publisher } = await late();
    await world.pass(2 * hour + second);
    expect(await publisher.publish('k', world.later(hour))).toMatchObject({ state: 'rejected' });
    await call(publisher, world);
    await call(publisher, world);
    await world.pass(moved - 2 * hour - 10 * minute);
    await publisher.sweep();
    await publisher.sweep();
    expect(await publisher.get('k')).toMatchObject({ state });
    expect(world.creates).toBe(state === 'abandoned' ? 0 : 1);
  });

  it('is rejected at once if its first publish comes too late, and sent with maxLateMs: Infinity', async () => {
    const world = new World();
    await world.pass(3 * hour);
    const intent = await world.process(ahead).publish('k', world.later(hour));
    expect(intent).toMatchObject({ state: 'rejected', replayed: false, attempts: 0 });
    expect(await world.process({ ...ahead, maxLateMs: Infinity }).publish('l', world.later(hour))).toMatchObject({
      state: 'accepted',
    });
    // Without sendAheadMs, the caller decides when it is sent.
    expect(await world.process().publish('m', world.later(hour))).toMatchObject({ state: 'accepted' });
  });

  it('is searched for first in the plan too, if an earlier send may have been executed', async () => {
    const world = new World();
    const options = { ...ahead, onMissing: 'resend', settleMs: minute } as const;
    const publisher = world.process(options);
    await publisher.enqueue('k', world.later(hour));
    const { client, store } = world;
    const planner = createPublisher({ client, store, now: () => world.time, ...options }, noWaits);
    const planned = async () => (await collect(planner.planSweep())).map(({ action, isDue }) => [action, isDue]);
    expect(await planned()).toEqual([['send', false]]);
    await world.pass(50 * minute);
    expect(await planned()).toEqual([['send', true]]);
    world.service.faults.add(neverArrived);
    await publisher.sweep();
    expect(await planned()).toEqual([['search', false]]);
    await world.pass(10 * minute);
    expect(await publisher.sweep({ send: false })).toMatchObject([{ state: 'ready' }]);
    expect(await planned()).toEqual([['send', true]]);
    await world.pass(2 * hour);
    expect(await planned()).toEqual([['search', true]]);
    expect(await publisher.sweep()).toMatchObject([{ state: 'in_doubt', attempts: 1, lookup: { result: 'no_match' } }]);
  });

  it('is held if an earlier send may have been executed, until an operator decides again', async () => {
    const world = new World();
    const publisher = world.process(ahead);
    world.service.faults.add(neverArrived);
    await publisher.publish('k', world.later(minute));
    await publisher.resolve('k', { as: 'not_sent' });
    await world.pass(2 * hour);
    const [held] = await publisher.sweep();
    expect(held).toMatchObject({ state: 'in_doubt', error: { outcome: 'unknown' } });
    expect(held?.error?.message).toContain('Then call `resolve`');
    expect(world.creates).toBe(1);
    await publisher.resolve('k', { as: 'not_sent' });
    await publisher.sweep();
    expect(await publisher.get('k')).toMatchObject({ state: 'accepted', attempts: 2 });
  });

  it('keeps the time of its send if an operator decides with a wrong clock', async () => {
    const { world, publisher } = await late();
    await world.process({ now: () => world.time + 400 * 24 * hour }).resolve('k', { as: 'not_sent' });
    expect(await publisher.get('k')).toMatchObject({ state: 'ready', sendAt: iso(start + 50 * minute) });
    expect(await publisher.sweep()).toMatchObject([{ state: 'ready' }]);
    expect(world.creates).toBe(0);
  });

  it('is not sent again after a search either, and is reported once', async () => {
    const world = new World();
    const moves: string[] = [];
    const publisher = world.process({
      ...ahead,
      onMissing: 'resend',
      settleMs: minute,
      onInDoubt: ({ key }) => void moves.push(key),
    });
    world.service.faults.add(neverArrived);
    await publisher.publish('k', world.later(minute));
    for (let hours = 0; hours < 4; hours += 1) {
      await world.pass(2 * hour);
      await publisher.sweep();
    }
    expect(await publisher.get('k')).toMatchObject({ state: 'in_doubt', attempts: 1 });
    expect(moves).toEqual(['k']);
  });
});

describe('data of release 0.2.0', () => {
  it('has no time of a send: a ready intent is sent, however late', async () => {
    const world = new World();
    await world.process().enqueue('k', world.later(hour));
    await world.pass(25 * hour);
    expect(await world.process(ahead).sweep()).toMatchObject([{ state: 'accepted' }]);
  });

  it('that an operator made ready is searched for before its send, and neither cancelled nor edited', async () => {
    const world = worldWith(neverArrived);
    await world.process().publish('k', world.later());
    // 0.2.0 noted nothing of the decision.
    await rewrite(world, { state: 'ready', lookup: undefined });
    for (const call of [world.process().cancel('k'), world.process().edit('k', world.later(hour, 'Edited'))])
      expect(String(await rejection(call))).toContain('may have been executed by an earlier send');
    // The create was in a buffer.
    await world.client.posts.create(world.later());
    expect(await world.process().resume('k')).toMatchObject({ state: 'accepted', attempts: 1 });
    expect(world.posts).toHaveLength(1);
  });

  it('that an operator made ready is sent after a search without a post', async () => {
    const world = worldWith(neverArrived);
    await world.process().publish('k', world.later());
    await rewrite(world, { state: 'ready', lookup: undefined });
    expect(await world.process().resume('k')).toMatchObject({ state: 'accepted', attempts: 2 });
    expect(world.posts).toHaveLength(1);
  });

  it('loses its unique times with an edit', async () => {
    const world = new World();
    await world.process().enqueue('k', world.later());
    await rewrite(world, { slots: [start + hour] });
    await world.process().edit('k', world.later(2 * hour, 'Edited'));
    await world.process().sweep();
    expect(world.posts).toMatchObject([{ content: 'Edited', scheduledFor: iso(start + 2 * hour) }]);
  });
});
