import { describe, expect, it } from 'vitest';
import type { PublishProgress } from '../../src/publisher/publish-many.js';
import type { Intent } from '../../src/publisher/intents/intent-record.js';
import type { PublisherClient } from '../../src/publisher/options.js';
import type { OutageProgress } from '../../src/core/flow/outage.js';
import { OutageWorld } from './outage-world.js';
import { collect } from '../support/collect.js';
import { create, hour, lostReply, minute, second, World } from './world.js';
import { storeWith } from '../support/stores.js';

const count = 40;
const concurrency = 4;

function itemsOf(world: OutageWorld) {
  return Array.from({ length: count }, (_, index) => ({ key: `k${String(index)}`, body: world.body(index) }));
}

/** A world whose items all wait for a sweep. */
async function enqueued(options: (world: OutageWorld) => Parameters<OutageWorld['publisher']>[0] = () => ({})) {
  const world = new OutageWorld();
  const publisher = world.publisher(options(world));
  for (const { key, body } of itemsOf(world)) await publisher.enqueue(key, body);
  return { world, publisher };
}

/** A client that aborts a signal at each create. */
function abortingClient(world: World) {
  const abort = new AbortController();
  const create: PublisherClient['posts']['create'] = (...args) => {
    abort.abort(new Error('Ctrl-C'));
    return world.client.posts.create(...args);
  };
  const client = { posts: { create, list: world.client.posts.list.bind(world.client.posts) } };
  return { client, signal: abort.signal };
}

/** A source of items that is read one by one, and whether it was closed. */
function sourceOf(world: OutageWorld, everyMs = 0) {
  const state = { isClosed: false, read: 0 };
  async function* items() {
    try {
      for (const item of itemsOf(world)) {
        if (everyMs > 0) await world.runtime.sleep(everyMs, undefined);
        state.read += 1;
        yield item;
      }
    } finally {
      state.isClosed = true;
    }
  }
  return { state, items: items() };
}

const statesOf = (intents: readonly Intent[] = []) => {
  const counts: Record<string, number> = {};
  for (const { state } of intents) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
};

describe('publishMany in an outage', () => {
  it('that lasts longer than outageMs: stores the rest of an array as ready, and the next run sends it', async () => {
    const world = new OutageWorld();
    world.outage('unavailable', { inMs: second, forMs: hour });
    const publisher = world.publisher();
    const intents = await world.run(collect(publisher.publishMany(itemsOf(world), { concurrency })));
    expect(intents).toHaveLength(count);
    const { in_doubt: inDoubt = 0, ready = 0, accepted = 0 } = statesOf(intents);
    expect(inDoubt).toBeLessThanOrEqual(2 * concurrency);
    expect(ready).toBe(count - inDoubt - accepted);
    expect(intents?.find(({ state }) => state === 'ready')).toMatchObject({ attempts: 0, replayed: false });
    expect(world.time).toBeGreaterThan(10 * minute);
    expect(world.time).toBeLessThan(10 * minute + 5 * second);
    await world.pass(hour);
    const again = await world.run(collect(publisher.publishMany(itemsOf(world), { concurrency })));
    expect(statesOf(again)).toEqual({ accepted: count - inDoubt, in_doubt: inDoubt });
    expect(world.doubled).toBe(0);
  });

  it('that lasts longer than outageMs: reads no more of another source, also if that one hangs', async () => {
    const world = new OutageWorld();
    world.outage('refused', { forMs: hour });
    const { state, items } = sourceOf(world);
    async function* hanging() {
      yield* items;
      await new Promise<never>(() => {});
    }
    const publisher = world.publisher({ outageMs: minute });
    const intents = await world.run(collect(publisher.publishMany(hanging(), { concurrency })));
    expect(statesOf(intents)).toEqual({ ready: state.read });
    // Those that were sent before it was known, and those that wait.
    expect(state.read).toBeLessThanOrEqual(3 * concurrency);
    expect(state.isClosed).toBe(true);
    await world.pass(hour);
    await world.run(collect(publisher.publishMany(itemsOf(world), { concurrency })));
    expect([world.postsByText.size, world.doubled]).toEqual([count, 0]);
  });

  it('with outageMs 0: does not wait', async () => {
    const world = new OutageWorld();
    world.outage('refused', { forMs: hour });
    const publisher = world.publisher({ outageMs: 0 });
    expect(statesOf(await world.run(collect(publisher.publishMany(itemsOf(world)))))).toEqual({ ready: count });
    expect(world.time).toBeLessThan(10 * second);
  });

  it('reports since when it waits, and for how long', async () => {
    const world = new OutageWorld();
    world.outage('unavailable', { inMs: second, forMs: 20 * second });
    const waits: Pick<PublishProgress, 'accepted' | 'waitingMs' | 'waitingSince'>[] = [];
    const onProgress = ({ accepted, waitingMs, waitingSince }: PublishProgress) =>
      waits.push({ accepted, waitingMs, waitingSince });
    await world.run(collect(world.publisher().publishMany(itemsOf(world), { concurrency, onProgress })));
    const pauses = waits.flatMap(({ waitingMs }) => waitingMs ?? []);
    expect([...new Set(pauses)]).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(new Set(waits.flatMap(({ waitingSince }) => waitingSince ?? [])).size).toBe(1);
    expect(waits.at(-1)?.waitingMs).toBeUndefined();
  });

  it('ends at once at an abort, and the next run finishes', async () => {
    const world = new OutageWorld();
    world.outage('unavailable', { inMs: second, forMs: 5 * minute });
    const abort = new AbortController();
    const { state, items } = sourceOf(world);
    const publisher = world.publisher();
    let isWaiting = false;
    const onProgress = ({ waitingMs = 0 }: PublishProgress) => (isWaiting = waitingMs >= 16_000);
    const work = collect(publisher.publishMany(items, { concurrency, signal: abort.signal, onProgress }));
    await world.run(work, { until: () => isWaiting });
    const { time } = world;
    abort.abort(new Error('Ctrl-C'));
    await expect(work).rejects.toThrow('Ctrl-C');
    await expect.poll(() => state.isClosed).toBe(true);
    expect([world.time, world.sleepers]).toEqual([time, 0]);
    await world.pass(5 * minute);
    const again = statesOf(await world.run(collect(world.publisher().publishMany(itemsOf(world), { concurrency }))));
    expect(again['in_doubt']).toBeLessThanOrEqual(2 * concurrency);
    expect([world.postsByText.size, world.doubled]).toEqual([count - (again['in_doubt'] ?? 0), 0]);
  });

  it('ends when its reader leaves, closes the source, and leaves no timer', async () => {
    const world = new OutageWorld();
    world.outage('refused', { inMs: second, forMs: hour });
    const { state, items } = sourceOf(world);
    let isWaiting = false;
    const onProgress = ({ waitingMs }: PublishProgress) => (isWaiting ||= waitingMs !== undefined);
    const read = async () => {
      for await (const intent of world.publisher().publishMany(items, { concurrency, onProgress })) {
        if (intent.state !== 'ready') continue;
        while (!isWaiting) await world.runtime.sleep(100, undefined);
        break;
      }
    };
    await world.run(read());
    expect([state.isClosed, world.sleepers]).toEqual([true, 0]);
    expect(world.time).toBeLessThan(10 * second);
  });

  it('that only creates meet: sends one trial after each pause, and finds the posts of executed ones', async () => {
    const world = new OutageWorld();
    world.outage('unavailable_after_commit', { inMs: second, forMs: 2 * minute }, create);
    const intents = await world.run(collect(world.publisher().publishMany(itemsOf(world), { concurrency })));
    expect(statesOf(intents)).toEqual({ accepted: count });
    // Pauses of 1, 2, 4 … 60 s fit into two minutes six times.
    expect(world.metByOutage).toBeLessThanOrEqual(2 * concurrency + 7);
    expect(world.doubled).toBe(0);
  });

  it('that flaps: each part leaves a few doubts', async () => {
    const world = new OutageWorld();
    for (const inMs of [0, 20 * second, 40 * second]) world.outage('unavailable', { inMs, forMs: 10 * second }, create);
    const intents = await world.run(collect(world.publisher().publishMany(itemsOf(world), { concurrency })));
    expect(intents).toHaveLength(count);
    expect(statesOf(intents)['in_doubt'] ?? 0).toBe(world.metByOutage);
    expect(world.metByOutage).toBeLessThanOrEqual(3 * (2 * concurrency + 4));
    expect(world.doubled).toBe(0);
  });

  it('that ends in rate limits: waits for both', async () => {
    const world = new OutageWorld();
    world.outage('unavailable', { forMs: minute });
    const faults = [{ kind: 'status', status: 429, headers: { 'retry-after': '20' }, times: 3 } as const];
    world.service.scenario([{ at: { seconds: 61 }, faults }]);
    const intents = await world.run(collect(world.publisher().publishMany(itemsOf(world), { concurrency })));
    const { in_doubt: inDoubt = 0, accepted = 0, ready = 0 } = statesOf(intents);
    expect(inDoubt).toBeLessThanOrEqual(2 * concurrency);
    expect(accepted + ready).toBe(count - inDoubt);
    expect(accepted).toBeGreaterThan(count - 3 * concurrency);
    expect(world.doubled).toBe(0);
  });

  it('with a slow source: waits, and sends the rest', async () => {
    const world = new OutageWorld();
    world.outage('refused', { forMs: 3 * minute });
    const { items } = sourceOf(world, 10 * second);
    const intents = await world.run(collect(world.publisher().publishMany(items, { concurrency })));
    const { ready = 0, accepted } = statesOf(intents);
    expect(ready).toBeLessThanOrEqual(2 * concurrency);
    expect(accepted).toBe(count - ready);
  });

  it('of two processes on one store: each leaves a few doubts, nothing is sent twice', async () => {
    const world = new OutageWorld();
    world.outage('unavailable', { inMs: second, forMs: 3 * minute });
    const run = () => collect(world.publisher().publishMany(itemsOf(world), { concurrency }));
    await world.run(Promise.all([run(), run()]));
    expect(world.metByOutage).toBeLessThanOrEqual(2 * 2 * concurrency);
    const intents = await collect(world.publisher().list());
    expect(statesOf(intents)['in_doubt'] ?? 0).toBe(world.metByOutage);
    expect([world.postsByText.size, world.doubled]).toEqual([count - world.metByOutage, 0]);
  });

  it('skips completed intents without a wait', async () => {
    const world = new OutageWorld();
    const publisher = world.publisher();
    await world.run(collect(publisher.publishMany(itemsOf(world).slice(20), { concurrency })));
    world.outage('refused', { forMs: hour });
    const seen: string[] = [];
    const work = (async () => {
      for await (const { state } of publisher.publishMany(itemsOf(world), { concurrency: 1 })) seen.push(state);
    })();
    const completed = publisher.publishMany(itemsOf(world).slice(20), { concurrency: 1 });
    await world.run(work, { until: () => world.time > 5 * second });
    await world.run(collect(completed));
    expect(world.time).toBeLessThan(10 * second);
    await world.run(work);
    expect(seen.filter((state) => state === 'accepted')).toHaveLength(20);
  });

  it('does not hold a publish back', async () => {
    const world = new OutageWorld();
    world.outage('refused', { forMs: 30 * second });
    const publisher = world.publisher();
    let isWaiting = false;
    const onProgress = ({ waitingMs }: PublishProgress) => (isWaiting ||= waitingMs !== undefined);
    const work = collect(publisher.publishMany(itemsOf(world), { concurrency, onProgress }));
    await world.run(work, { until: () => isWaiting });
    const { metByOutage } = world;
    expect(await world.run(publisher.publish('other', world.body(1_000)))).toMatchObject({ state: 'ready' });
    expect(world.metByOutage).toBeGreaterThan(metByOutage);
    await world.run(work);
  });

  it('is not seen where each failure is followed by another reply', async () => {
    const world = new OutageWorld();
    for (let at = 0; at < count; at += 2) {
      world.service.faults.add({ kind: 'status', status: 503, route: create, times: 1 });
      world.service.faults.add({ kind: 'status', status: 400, route: create, times: 1 });
    }
    const waits: unknown[] = [];
    const onProgress = ({ waitingMs }: PublishProgress) => waits.push(...(waitingMs === undefined ? [] : [waitingMs]));
    await world.run(collect(world.publisher().publishMany(itemsOf(world), { concurrency: 2, onProgress })));
    expect(waits).toEqual([]);
    expect(world.service.requests.filter(({ method }) => method === 'POST')).toHaveLength(count);
  });
});

describe('a sweep in an outage', () => {
  it('searches and reads results while it sends nothing', async () => {
    const world = new OutageWorld();
    const publisher = world.publisher();
    world.service.faults.add({ kind: 'listing_lag', lagMs: 8_000 });
    world.service.faults.add(lostReply);
    expect(await world.run(publisher.publish('doubtful', world.body(1_000)))).toMatchObject({ state: 'in_doubt' });
    world.service.faults.clear();
    await world.pass(minute);
    for (const { key, body } of itemsOf(world)) await publisher.enqueue(key, body);
    world.outage('unavailable', { forMs: 5 * minute }, create);
    const waits: OutageProgress[] = [];
    const work = publisher.sweep({ onProgress: (progress) => waits.push(progress) });
    await world.run(work, { until: () => waits.length > 1 });
    expect(await publisher.get('doubtful')).toMatchObject({ state: 'accepted' });
    await world.run(work);
    expect(world.metByOutage).toBeLessThanOrEqual(2 * 8 + 10);
    expect(world.doubled).toBe(0);
  });

  it('that lasts longer than outageMs: returns what it moved, and the next sweep asks before it sends', async () => {
    const { world, publisher } = await enqueued();
    world.outage('unavailable', { forMs: hour });
    const moved = (await world.run(publisher.sweep())) ?? [];
    expect(moved.map(({ state }) => state)).toEqual(moved.map(() => 'in_doubt'));
    expect(moved.length).toBeLessThanOrEqual(2 * 8);
    const { metByOutage } = world;
    await world.run(publisher.sweep());
    expect(world.metByOutage).toBe(metByOutage);
    await world.pass(hour);
    await world.sweepFor(publisher, 2 * minute);
    expect([world.postsByText.size, world.doubled]).toEqual([count - metByOutage, 0]);
  });

  it('that other sweeps of a timer meet too: one of them waits', async () => {
    const { world, publisher } = await enqueued();
    world.outage('unavailable', { forMs: 5 * minute }, create);
    const sweeps: Promise<unknown>[] = [];
    const timer = async () => {
      for (let minutes = 0; minutes < 8; minutes += 1) {
        sweeps.push(publisher.sweep());
        await world.runtime.sleep(minute, undefined);
      }
      await Promise.all(sweeps);
    };
    await world.run(timer());
    // The trials after 1, 3, 7, 15, 31, 63 s, and then one for each minute.
    expect(world.metByOutage).toBeLessThanOrEqual(2 * 8 + 10);
    expect([world.postsByText.size, world.doubled]).toEqual([count - world.metByOutage, 0]);
  });

  it('sends intents of a process whose clock was ahead, which are never due', async () => {
    const world = new OutageWorld();
    const ahead = world.publisher({ now: () => world.runtime.now() + 400 * 24 * hour });
    const publisher = world.publisher();
    world.outage('refused', { forMs: hour });
    for (const { key, body } of itemsOf(world).slice(0, 10)) await publisher.enqueue(key, body);
    await world.run(publisher.sweep());
    // It has nothing else to send that would show the recovery.
    for (const { key } of itemsOf(world).slice(0, 10)) await publisher.cancel(key);
    for (const { key, body } of itemsOf(world).slice(10, 15)) await ahead.enqueue(key, body);
    await world.pass(hour);
    await world.sweepFor(publisher, 2 * hour);
    expect(world.postsByText.size).toBe(5);
  });

  it('ends at once at an abort', async () => {
    const { world, publisher } = await enqueued();
    world.outage('refused', { forMs: hour });
    const abort = new AbortController();
    let isWaiting = false;
    const work = publisher.sweep({ signal: abort.signal, onProgress: () => (isWaiting = true) });
    await world.run(work, { until: () => isWaiting });
    abort.abort(new Error('Ctrl-C'));
    await expect(work).rejects.toThrow('Ctrl-C');
    expect(world.sleepers).toBe(0);
    await expect(publisher.sweep({ signal: abort.signal })).rejects.toThrow('Ctrl-C');
  });
});

describe('a sweep that is aborted', () => {
  it('starts no other send', async () => {
    const world = new World();
    const { client, signal } = abortingClient(world);
    for (let n = 0; n < 30; n += 1) await world.process().enqueue(String(n), world.later(hour, String(n)));
    await expect(world.process({ client }).sweep({ signal })).rejects.toThrow('Ctrl-C');
    expect(world.creates).toBeLessThanOrEqual(8);
    expect((await world.process().stats()).byState).toMatchObject({ accepted: world.creates, in_doubt: 0, sending: 0 });
    await world.process().sweep();
    expect(world.posts).toHaveLength(30);
  });
});

describe('a sweep that is aborted while the store fails', () => {
  it.each(['ready', 'in doubt'])(
    'rejects with the error of the store: the post may have been sent (%s)',
    async (kind) => {
      const world = new World();
      const options = { onMissing: 'resend', settleMs: minute } as const;
      const { client, signal } = abortingClient(world);
      if (kind === 'in doubt') world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 20 });
      for (let n = 0; n < 20; n += 1) {
        const body = world.later(hour, String(n));
        if (kind === 'ready') await world.process().enqueue(String(n), body);
        else await world.process(options).publish(String(n), body);
      }
      await world.pass(2 * minute);
      const sentBefore = world.creates;
      const failing = storeWith(world.store, { insert: () => Promise.reject(new Error('The store is down.')) });
      const swept = world.process({ ...options, client, store: failing }).sweep({ signal });
      await expect(swept).rejects.toThrow('The store is down');
      expect(world.creates).toBeGreaterThan(sentBefore);
    },
  );
});

describe('a sweep of a new process each minute, as cron starts them', () => {
  const functionLimitMs = 45 * second;

  /** One run, which the platform ends after its limit. */
  async function tick(world: OutageWorld): Promise<void> {
    const begun = world.time;
    const stop = new AbortController();
    void world.runtime.sleep(functionLimitMs, stop.signal).then(
      () => {
        stop.abort(new Error('the limit of the function'));
      },
      () => undefined,
    );
    await world.run(
      world
        .publisher()
        .sweep({ limit: 20, signal: stop.signal })
        .catch(() => undefined),
    );
    stop.abort();
    await world.pass(minute - (world.time - begun));
  }

  it('leaves a few doubts in all, however long the outage is, and then sends the rest', async () => {
    const { world, publisher } = await enqueued();
    world.outage('unavailable', { forMs: 10 * minute });
    for (let count = 0; count < 10; count += 1) await tick(world);
    const { byState } = await publisher.stats();
    expect(byState.in_doubt).toBe(8);
    expect(byState.ready).toBe(itemsOf(world).length - 8);
    for (let count = 0; count < 10; count += 1) await tick(world);
    expect((await publisher.stats()).byState).toMatchObject({
      ready: 0,
      in_doubt: 8,
      accepted: itemsOf(world).length - 8,
    });
    expect(await world.store.scan('publisher/outage/', undefined, 1)).toEqual([]);
  });

  it('sends one trial each, if the list answers', async () => {
    const { world, publisher } = await enqueued();
    world.outage('unavailable', { forMs: 10 * minute }, 'POST /v1/posts/');
    await tick(world);
    const { in_doubt: first } = (await publisher.stats()).byState;
    for (let count = 0; count < 5; count += 1) await tick(world);
    const { in_doubt: later } = (await publisher.stats()).byState;
    // A process sends a trial after pauses of 0, 1, 2, 4 … seconds.
    expect(later - first).toBeLessThanOrEqual(5 * 6);
    expect(first).toBeLessThanOrEqual(8 + 6);
  });

  it('needs no note: a store that refuses it changes nothing else', async () => {
    const { world, publisher } = await enqueued(({ store }) => ({
      store: storeWith(store, {
        get: (key) => (key.startsWith('publisher/outage') ? Promise.reject(new Error('busy')) : store.get(key)),
      }),
    }));
    world.outage('refused', { forMs: minute });
    await world.sweepFor(publisher, 5 * minute);
    expect((await publisher.stats()).byState).toMatchObject({ in_doubt: 0, accepted: itemsOf(world).length });
  });
});

describe('createMany in an outage', () => {
  it('that lasts longer than outageMs: the rest of an array is not sent', async () => {
    const world = new OutageWorld();
    world.outage('unavailable', { forMs: hour });
    const bodies = itemsOf(world).map(({ body }) => body);
    const results = await world.run(collect(world.client().posts.createMany(bodies, { concurrency })));
    const unknown = results?.filter(({ status }) => status === 'unknown') ?? [];
    const notSent = results?.filter(({ status }) => status === 'not_sent') ?? [];
    expect(unknown.length).toBeLessThanOrEqual(2 * concurrency);
    expect(unknown.length + notSent.length).toBe(count);
    expect(notSent[0]?.error).toMatchObject({
      outcome: 'not_sent',
      message: expect.stringContaining('outageMs') as unknown,
    });
    expect(new Set(notSent.map(({ error }) => error)).size).toBe(notSent.length);
    expect(world.time).toBeLessThan(10 * minute + 5 * second);
  });

  it('at an abort: the rest is not sent', async () => {
    const world = new OutageWorld();
    world.outage('unavailable', { forMs: hour });
    const bodies = itemsOf(world).map(({ body }) => body);
    const abort = new AbortController();
    let isWaiting = false;
    const onProgress = ({ waitingMs = 0 }: OutageProgress) => (isWaiting ||= waitingMs >= 4_000);
    const options = { concurrency, signal: abort.signal, onProgress };
    const work = collect(world.client().posts.createMany(bodies, options));
    await world.run(work, { until: () => isWaiting });
    const { time } = world;
    abort.abort(new Error('Ctrl-C'));
    const results = await work;
    expect(results).toHaveLength(count);
    expect(results.filter(({ status }) => status === 'unknown').length).toBeLessThanOrEqual(2 * concurrency);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['unknown', 'not_sent']));
    expect([world.time, world.sleepers]).toEqual([time, 0]);
  });

  it('ends when its reader leaves', async () => {
    const world = new OutageWorld();
    world.outage('refused', { forMs: hour });
    const bodies = itemsOf(world).map(({ body }) => body);
    let isWaiting = false;
    const onProgress = ({ waitingMs }: OutageProgress) => (isWaiting ||= waitingMs !== undefined);
    const read = async () => {
      let taken = 0;
      for await (const _ of world.client().posts.createMany(bodies, { concurrency, onProgress })) {
        taken += 1;
        if (taken < 6) continue;
        while (!isWaiting) await world.runtime.sleep(100, undefined);
        break;
      }
    };
    await world.run(read());
    expect(world.sleepers).toBe(0);
    expect(world.time).toBeLessThan(10 * second);
  });
});
