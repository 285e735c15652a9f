import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import {
  ConfigurationError,
  createWebhookInbox,
  InvalidRequestError,
  signWebhook,
  type InboxEntry,
  type InboxEvent,
  type PostFailedEvent,
} from '../../src/webhooks/index.js';
import { listening } from '../support/listening.js';
import { delivered, InboxWorld } from './inbox-world.js';
import { published, secret } from './verify-suite.js';
import { eventually } from '../support/eventually.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function stopWithFakeTimers(worker: { stop: () => Promise<void> }): Promise<void> {
  const stopped = worker.stop();
  await vi.advanceTimersByTimeAsync(0);
  await stopped;
}

const eventOf = (id: string, type = 'post.published') => ({ ...published, id, type });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('an inbox takes a delivery', () => {
  it('answers 200 when it is written, and handles nothing before it is started', async () => {
    const process = new InboxWorld().process();
    expect(await process.deliver(published)).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(process.handled).toEqual([]);
    await process.work();
    expect(process.handled).toEqual([{ ...published, known: true }]);
  });

  it('with one write and no read, so that the service need not wait', async () => {
    const { process } = await delivered();
    expect(process.store.calls).toEqual(['insert inbox/event/evt_1']);
  });

  it('and does not acknowledge an unwritten event', async () => {
    const process = new InboxWorld().process();
    process.store.fail('insert', 'lost before');
    expect(await process.deliver(published)).toBe(500);
    expect(process.errors).toEqual([
      {
        error: new Error('The store is gone'),
        context: { event: { ...published, known: true }, request: expect.any(Request) as unknown },
      },
    ]);
    expect(await process.deliver(published)).toBe(200);
    await process.work();
    expect(process.ids).toEqual(['evt_1']);
  });

  it('and reads before it assumes that a write was lost', async () => {
    const process = new InboxWorld().process();
    process.store.fail('insert', 'lost after');
    expect(await process.deliver(published)).toBe(200);
    expect(process.errors).toEqual([]);
    process.store.fail('insert', 'lost after');
    process.store.fail('get', 'lost before');
    expect(await process.deliver(eventOf('evt_2'))).toBe(500);
    expect(process.errors.map(({ error }) => error)).toEqual([new Error('The connection was lost')]);
    await process.work();
    expect(process.ids.sort()).toEqual(['evt_1', 'evt_2']);
  });

  it('and answers 500 if the store refuses the write, even if the event can be read', async () => {
    const process = new InboxWorld().process();
    // Like a Postgres client inside a transaction of the caller: a rollback would erase the acknowledged event.
    const refused = new ConfigurationError('A transaction is open.');
    process.store.fail('insert', 'lost after', /(?:)/, refused);
    expect(await process.deliver(published)).toBe(500);
    expect(process.errors.map(({ error }) => error)).toEqual([refused]);
  });

  it('once for each event ID, before and after it is handled', async () => {
    const process = new InboxWorld().process();
    for (let i = 0; i < 2; i += 1) {
      expect(await process.deliver(published)).toBe(200);
      expect(await process.deliver(published)).toBe(200);
      await process.work();
    }
    expect(process.ids).toEqual(['evt_1']);
  });

  it('under the SHA-256 of its body, where the event has no ID', async () => {
    const process = new InboxWorld().process();
    const bodies = ['{"a":1}', '{"id":"","a":1}', '{"id":5}'];
    for (const body of [...bodies, ...bodies]) expect(await process.deliver(body)).toBe(200);
    await process.work();
    expect(process.ids.sort()).toEqual(bodies.map(sha256).sort());
    expect(process.handled[0]).toMatchObject({ known: false, type: 'unknown' });
  });

  it('whatever its ID is made of', async () => {
    const process = new InboxWorld().process();
    const ids = [
      'a b',
      'a/b',
      'é',
      'x'.repeat(10_000),
      'nul\u0000',
      'lone\ud800',
      'lone\ud801',
      '~',
      '__proto__',
      '..',
    ];
    for (const id of [...ids, ...ids]) expect(await process.deliver(eventOf(id))).toBe(200);
    await process.work();
    expect(process.ids.sort()).toEqual([...ids].sort());
  });

  it('as it was signed: byte-order mark, escapes, nulls and unknown fields', async () => {
    const process = new InboxWorld().process();
    const event = { ...published, extra: { a: [null, 'é\u2028'] } };
    expect(await process.deliver(`\ufeff${JSON.stringify(event, null, 2).replace('ü', '\\u00fc')}\r\n`)).toBe(200);
    await process.work();
    expect(process.handled).toEqual([{ ...event, known: true }]);
  });

  it('and refuses one like the receiver does, with onRejected', async () => {
    const process = new InboxWorld().process();
    expect(await process.deliver(published, { 'X-Service-Signature': `sha256=${'0'.repeat(64)}` })).toBe(401);
    expect(await process.deliver('[]')).toBe(400);
    expect((await process.inbox.fetch(new Request('https://inbox.test/'))).status).toBe(405);
    expect(process.rejected.map(({ code }) => code)).toEqual(['signature_mismatch', 'invalid_payload']);
    expect(process.world.memory.size).toBe(0);
  });

  it('with the secrets of a function, and on a socket of Node', async () => {
    const world = new InboxWorld();
    const process = world.process({ secret: () => Promise.resolve(['another', secret]) });
    const { url } = await listening(createServer((request, response) => void process.inbox.node(request, response)));
    const body = JSON.stringify(published);
    const headers = await signWebhook({ body, secret, timestamp: world.time / 1000 });
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(200);
    await process.work();
    expect(process.ids).toEqual(['evt_1']);
  });
});

describe('a started inbox', () => {
  it('hands each type of event to its own handler, typed, and the rest to default', async () => {
    const seen: string[] = [];
    const process = new InboxWorld().process({
      on: {
        'post.failed': (event) => {
          expectTypeOf(event).toExtend<PostFailedEvent>();
          expectTypeOf(event.recovered).toEqualTypeOf<true | undefined>();
          seen.push(`failed ${event.id}`);
        },
        default: (event) => {
          expectTypeOf(event).toEqualTypeOf<InboxEvent>();
          expectTypeOf(event.id).toEqualTypeOf<string>();
          seen.push(`default ${event.id}`);
        },
      },
    });
    for (const [id, type] of [
      ['a', 'post.failed'],
      ['b', 'post.partial'],
      ['c', 'post.new'],
    ] as const) {
      await process.deliver(eventOf(id, type));
    }
    await process.work();
    expect(seen.sort()).toEqual(['default b', 'default c', 'failed a']);
  });

  it('takes an event without a handler for handled', async () => {
    const world = new InboxWorld();
    await world.process({ on: {} }).deliver(published);
    await world.process({ on: {} }).work();
    const other = world.process();
    await other.work();
    expect(other.ids).toEqual([]);
  });

  it('handles at once what this process receives, whatever pollMs is', async () => {
    const process = new InboxWorld().process();
    const worker = process.inbox.start({ pollMs: 3_600_000 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await process.deliver(published);
    await eventually(() => {
      expect(process.ids).toEqual(['evt_1']);
    });
    await worker.stop();
  });

  // workerd refuses to end the pause of a worker that another request started.
  it('acknowledges and records what it cannot wake a worker for: the worker finds it', async () => {
    const process = new InboxWorld().process();
    const worker = process.inbox.start({ pollMs: 5 });
    const client = { posts: { list: () => Readable.from([]) } };
    vi.spyOn(AbortController.prototype, 'abort').mockImplementation(() => {
      throw new Error('Cannot perform I/O on behalf of a different request.');
    });
    expect(await process.deliver(published)).toBe(200);
    expect(await process.inbox.catchUp({ client, since: new Date(0) })).toEqual({ recovered: 0 });
    await eventually(() => {
      expect(process.ids).toEqual(['evt_1']);
    });
    expect(process.errors).toEqual([]);
    await worker.stop();
  });

  it('handles what another process received', async () => {
    const world = new InboxWorld();
    const [receiving, working] = [world.process(), world.process()];
    const worker = working.inbox.start({ pollMs: 5 });
    await receiving.deliver(published);
    await eventually(() => {
      expect(working.ids).toEqual(['evt_1']);
    });
    await worker.stop();
    expect(receiving.ids).toEqual([]);
  });

  it('handles up to `concurrency` events at once, in any number of processes each once', async () => {
    const world = new InboxWorld();
    let [running, most] = [0, 0];
    const handled: string[] = [];
    const on = {
      default: async ({ id }: InboxEvent) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running -= 1;
        handled.push(id);
      },
    };
    const one = world.process({ on });
    const ids = Array.from({ length: 60 }, (_, i) => `evt_${String(i)}`);
    for (const id of ids) await one.deliver(eventOf(id));
    await one.work({ concurrency: 3 });
    expect([most, handled.length]).toEqual([3, 60]);
    for (const id of ids) await one.deliver(eventOf(`b${id}`));
    await Promise.all([one, world.process({ on }), world.process({ on })].map((process) => process.work()));
    expect(handled.slice(60).sort()).toEqual(ids.map((id) => `b${id}`).sort());
  });

  it('drains when it is stopped, and takes nothing new', async () => {
    const nothing = () => undefined;
    let finish: () => void = nothing;
    const process = new InboxWorld().process({
      on: { default: () => new Promise<void>((resolve) => (finish = resolve)) },
    });
    await process.deliver(published);
    const worker = process.inbox.start({ concurrency: 1, pollMs: 1 });
    await eventually(() => {
      expect(finish).not.toBe(nothing);
    });
    await process.deliver(eventOf('evt_2'));
    let isStopped = false;
    const stopped = worker.stop().then(() => (isStopped = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isStopped).toBe(false);
    finish();
    await stopped;
    expect(await process.deliver(eventOf('evt_3'))).toBe(200);
    expect(await process.world.memory.due('inbox/event/', process.world.time, 9)).toEqual([
      'inbox/event/evt_2',
      'inbox/event/evt_3',
    ]);
    await worker.stop();
  });

  it('reads a stale list of due events once per pollMs', async () => {
    vi.useFakeTimers();
    const { world, process } = await delivered();
    await process.deliver(eventOf('evt_2'));
    const stale = await world.memory.due('inbox/event/', world.now(), 9);
    let lists = 0;
    process.store.due = (prefix, now, limit) => {
      if (prefix !== 'inbox/event/' || now !== world.now()) return world.memory.due(prefix, now, limit);
      lists += 1;
      return Promise.resolve(stale);
    };
    const worker = process.inbox.start({ concurrency: 1, pollMs: 1000 });
    await vi.advanceTimersByTimeAsync(500);
    expect(process.ids).toEqual(['evt_1', 'evt_2']);
    lists = 0;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(lists).toBe(10);
    await stopWithFakeTimers(worker);
  });

  it('pauses before it reads a stale list of expired states again', async () => {
    vi.useFakeTimers();
    const { store, inbox } = new InboxWorld().process();
    const { due } = store;
    let lists = 0;
    store.due = (prefix, now, limit) => {
      if (prefix !== 'inbox/state/') return due(prefix, now, limit);
      lists += 1;
      return Promise.resolve(Array.from({ length: limit }, (_, number) => `inbox/state/${String(number)}`));
    };
    const worker = inbox.start({ pollMs: 1000 });
    await vi.advanceTimersByTimeAsync(10_500);
    expect(lists).toBe(1);
    await stopWithFakeTimers(worker);
  });

  it('leaves no timer behind when it is stopped', async () => {
    vi.useFakeTimers();
    const worker = new InboxWorld().process().inbox.start();
    await vi.advanceTimersByTimeAsync(2500);
    await stopWithFakeTimers(worker);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('forgets handled events after keepMs, and whose states they were', async () => {
    const { world, process } = await delivered({ keepMs: 3_600_000 });
    await process.work();
    expect(world.memory.size).toBe(2);
    expect(await world.memory.due('inbox/state/', world.time + 3_599_999, 1)).toEqual([]);
    world.time += 3_599_999;
    await process.work();
    expect(world.memory.size).toBe(2);
    world.time += 1;
    await process.work();
    world.time += 3_600_000;
    const worker = process.inbox.start({ pollMs: 1 });
    await eventually(() => {
      expect(world.memory.size).toBe(0);
    });
    await worker.stop();
  });
});

describe('an inbox whose handler fails', () => {
  const boom = new Error('boom');

  it('tries again after the backoff: 1 second, doubled, at most an hour', async () => {
    const world = new InboxWorld();
    const handler = vi.fn().mockRejectedValue(boom);
    const process = world.process({ on: { default: handler }, maxAttempts: 15 });
    await process.deliver(published);
    const start = world.time;
    const times: number[] = [];
    for (let i = 0; i < 14; i += 1) {
      await process.work();
      const [next] = await world.memory.due('inbox/event/', Number.MAX_VALUE, 1);
      expect([next, handler.mock.calls.length]).toEqual(['inbox/event/evt_1', i + 1]);
      while (!(await world.isDue())) world.time += 500;
      times.push(world.time - start);
      world.time = start + times.reduce((a, b) => Math.max(a, b), 0);
    }
    const gaps = times.map((time, i) => (time - (times[i - 1] ?? 0)) / 1000);
    expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600]);
    handler.mockResolvedValue(undefined);
    await process.work();
    await process.work();
    expect(handler).toHaveBeenCalledTimes(15);
    expect(await process.dead()).toEqual([]);
  });

  it('calls onError for each attempt, and waits as backoff says', async () => {
    const world = new InboxWorld();
    const backoff = vi.fn((attempt: number) => attempt * 10);
    const process = world.process({
      on: { default: () => Promise.reject(boom) },
      maxAttempts: 3,
      backoff,
    });
    await process.deliver(published);
    for (let i = 0; i < 5; i += 1) {
      await process.work();
      world.time += 100;
    }
    expect(backoff.mock.calls).toEqual([[1], [2]]);
    const event = { ...published, known: true };
    expect(process.errors).toEqual(
      [1, 2, 3].map((attempt) => ({ error: boom, context: { event, attempt, last: attempt === 3 } })),
    );
  });

  it('lists an event whose next attempt is later than any date', async () => {
    const world = new InboxWorld();
    const backoff = () => Number.MAX_SAFE_INTEGER;
    const process = world.process({ on: { default: () => Promise.reject(boom) }, backoff });
    await process.deliver(published);
    await process.work();
    const listed: unknown[] = [];
    for await (const entry of process.inbox.list()) listed.push(entry);
    expect(listed).toMatchObject([{ state: 'waiting', dueAt: '+275760-09-13T00:00:00.000Z' }]);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, '5'])(
    'uses the default wait if backoff returns %s',
    async (ms) => {
      const { world, process } = await delivered({
        on: { default: () => Promise.reject(boom) },
        backoff: () => ms as number,
      });
      await process.work();
      expect(await world.memory.due('inbox/event/', world.time + 999, 1)).toEqual([]);
      expect(await world.memory.due('inbox/event/', world.time + 1000, 1)).toHaveLength(1);
      expect(process.errors.map(({ error }) => String(error))).toContainEqual(expect.stringContaining('backoff()'));
    },
  );

  it('keeps an event that has failed maxAttempts times, shows it, and replays it for an operator', async () => {
    const world = new InboxWorld();
    const handler = vi.fn().mockRejectedValue(boom);
    const process = world.process({ on: { default: handler }, maxAttempts: 1 });
    await process.deliver(published);
    await process.work();
    const event = { ...published, known: true };
    expect(process.deadEvents).toEqual([{ event, error: boom }]);
    expect(await process.dead()).toEqual([event]);

    // A repeat is acknowledged and not handled, however late.
    world.time += 365 * 86_400_000;
    expect(await process.deliver(published)).toBe(200);
    await process.work();
    expect(handler).toHaveBeenCalledTimes(1);
    expect(await world.process().dead()).toEqual([event]);

    await process.inbox.replay('evt_1');
    expect(await process.dead()).toEqual([]);
    await process.work();
    expect([handler.mock.calls.length, process.deadEvents.length]).toEqual([2, 2]);
    expect(await process.dead()).toEqual([event]);

    handler.mockResolvedValue(undefined);
    await process.inbox.replay('evt_1');
    await process.work();
    expect([handler.mock.calls.length, await process.dead()]).toEqual([3, []]);
    await expect(process.inbox.replay('evt_1')).rejects.toThrow('this event was handled');
    // Only the record of a handled event remains.
    expect(await world.memory.scan('inbox/dead/', undefined, 9)).toEqual([]);
  });

  it('replays an event without ID by the hash of its body', async () => {
    const handler = vi.fn().mockRejectedValueOnce(boom);
    const process = new InboxWorld().process({ on: { default: handler }, maxAttempts: 1 });
    await process.deliver('{"a":1}');
    await process.work();
    expect(await process.dead()).toEqual([{ known: false, type: 'unknown', id: sha256('{"a":1}'), payload: { a: 1 } }]);
    await process.inbox.replay(sha256('{"a":1}'));
    await process.work();
    expect(handler).toHaveBeenCalledTimes(2);
  });

  it('does not list an event as dead that a slow handler of another process completes', async () => {
    const world = new InboxWorld();
    const nothing = () => undefined;
    let finish: () => void = nothing;
    const slow = world.process({ on: { default: () => new Promise<void>((resolve) => (finish = resolve)) } });
    const failing = world.process({ on: { default: () => Promise.reject(boom) }, maxAttempts: 1 });
    await slow.deliver(published);
    const worker = slow.inbox.start({ pollMs: 1 });
    await eventually(() => {
      expect(finish).not.toBe(nothing);
    });
    world.time += 60_000;
    await failing.work();
    expect((await failing.dead()).map(({ id }) => id)).toEqual(['evt_1']);
    finish();
    await worker.stop();
    expect(await failing.dead()).toEqual([]);
    expect(await slow.dead()).toEqual([]);
    await expect(failing.inbox.replay('evt_1')).rejects.toThrow('this event was handled');
    expect(await slow.deliver(published)).toBe(200);
    await failing.work();
    expect(failing.deadEvents).toHaveLength(1);
  });

  it('lists events by state, and a handled event without its content', async () => {
    const world = new InboxWorld();
    const process = world.process({
      maxAttempts: 1,
      on: {
        default: ({ id }: InboxEvent) => {
          if (id === 'evt_dead') throw new Error('It fails');
        },
      },
    });
    await process.deliver(eventOf('evt_done'));
    await process.deliver(eventOf('evt_dead'));
    await process.work();
    await process.deliver(eventOf('evt_waiting'));
    const list = async (query?: Parameters<typeof process.inbox.list>[0]) => {
      const entries: InboxEntry[] = [];
      for await (const entry of process.inbox.list(query)) entries.push(entry);
      return entries;
    };
    const all = await list();
    expect(all.map(({ state, event }) => `${state} ${String(event?.id)}`).sort()).toEqual([
      'dead evt_dead',
      'done undefined',
      'waiting evt_waiting',
    ]);
    expect(await list({ state: 'waiting' })).toMatchObject([
      { failures: 0, dueAt: new Date(world.now()).toISOString(), event: { id: 'evt_waiting' } },
    ]);
    await expect(list({ state: 'gone' as 'dead' })).rejects.toThrow("state must be 'waiting', 'done' or 'dead'");
  });

  it('refuses to replay an unknown event, or one that is not dead', async () => {
    const { process } = await delivered();
    await expect(process.inbox.replay('evt_2')).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(process.inbox.replay('')).rejects.toBeInstanceOf(InvalidRequestError);
    for (const noId of [undefined, { id: 'evt_1' }, ['evt_1'], Symbol('evt_1')])
      await expect(process.inbox.replay(noId as never)).rejects.toThrow(/must be the ID .* it is not a string/);
    await expect(process.inbox.replay('evt_1')).rejects.toThrow('this event is still being retried');
    await process.work();
    expect(process.ids).toEqual(['evt_1']);
  });

  it('goes on, though onError, onDead and onRejected throw or reject', async () => {
    for (const broken of [
      () => Promise.reject(new Error('log')),
      () => {
        throw new Error('log');
      },
    ]) {
      const process = new InboxWorld().process({
        on: { default: () => Promise.reject(boom) },
        maxAttempts: 1,
        onError: broken,
        onDead: broken,
        onRejected: broken,
      });
      expect([await process.deliver('[]'), await process.deliver(published)]).toEqual([400, 200]);
      await process.work();
      expect(await process.dead()).toHaveLength(1);
    }
  });

  it('writes to the console by default, without the secret', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const { process } = await delivered({ on: { default: () => Promise.reject(boom) }, onError: undefined });
    await process.work();
    expect(log).toHaveBeenCalledTimes(1);
    expect(log.mock.calls[0]?.[0]).toContain(`(${published.type} ${published.id}, attempt 1, will be retried)`);
    expect(inspect(log.mock.calls)).not.toContain(secret);
  });

  it('writes one refused delivery of each kind to the console by default', async () => {
    const log = vi.spyOn(console, 'warn').mockReturnValue();
    const process = new InboxWorld().process({ secret: 'another', onRejected: undefined });
    for (let i = 0; i < 3; i += 1) await process.deliver(published);
    expect(log.mock.calls).toEqual([[expect.stringContaining('refused (signature_mismatch)')]]);
    expect(inspect(log.mock.calls)).not.toContain('another');
  });
});

describe('an inbox and its records', () => {
  it('keeps records of a newer version, and reports them once', async () => {
    const world = new InboxWorld();
    const newer = JSON.stringify({ v: 2, state: 'waiting', secret });
    await world.memory.insert('inbox/event/newer', newer, world.time - 1);
    await world.memory.insert('inbox/event/odd', 'not JSON', world.time - 1);
    const process = world.process();
    await process.deliver(published);
    const worker = process.inbox.start({ pollMs: 1, concurrency: 1 });
    await eventually(() => {
      expect(process.ids).toEqual(['evt_1']);
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    await worker.stop();
    expect(process.errors.map(({ error }) => String(error))).toEqual([
      expect.stringMatching(/inbox\/event\/newer .*newer version.*left as it was|inbox\/event\/newer/s),
      expect.stringContaining('inbox/event/odd'),
    ]);
    expect(inspect(process.errors)).not.toContain(secret);
    expect((await world.memory.get('inbox/event/newer'))?.data).toBe(newer);
  });

  it('lists the other events before it reports an event of a newer version', async () => {
    const { world, process } = await delivered();
    const newer = JSON.stringify({ v: 2, state: 'waiting' });
    for (const id of ['a', 'b']) await world.memory.insert(`inbox/event/${id}`, newer, world.time - 1);
    for (const query of [{}, { state: 'waiting' as const }]) {
      const ids: unknown[] = [];
      const list = async () => {
        for await (const { event } of process.inbox.list(query)) ids.push(event?.id);
      };
      await expect(list()).rejects.toThrow(/newer version .*'inbox\/event\/[ab]'.* It is 1 of 2 such items\.$/);
      expect(ids).toEqual(['evt_1']);
    }
  });

  it.each([
    ['its mark', 'inbox/dead/evt_0'],
    ['its event', 'inbox/event/evt_0'],
  ])('yields the other dead events before it reports one of a newer version (%s)', async (_, key) => {
    const world = new InboxWorld();
    const process = world.process({ maxAttempts: 1, on: { default: () => Promise.reject(new Error('boom')) } });
    for (const id of ['evt_0', 'evt_1']) await process.deliver({ ...published, id });
    await process.work();
    const { version, data } = (await world.memory.get(key)) ?? expect.unreachable();
    await world.memory.swap(key, version, data.replace('"v":1', '"v":2'), null);
    const ids: string[] = [];
    const list = async () => {
      for await (const { id } of process.inbox.dead()) ids.push(id);
    };
    await expect(list()).rejects.toThrow(`A newer version of social-publishing wrote '${key}'`);
    expect(ids).toEqual(['evt_1']);
  });

  it('keeps the claim of a state that a newer version wrote, reports nothing, and removes other old records', async () => {
    const world = new InboxWorld();
    await world.memory.insert('inbox/state/post_0/failed', '{"v":2}', world.time - 1);
    const done = JSON.stringify({ v: 1, state: 'done', wakeAt: world.time - 1, scopes: [] });
    await world.memory.insert('inbox/event/old', done, 1e14 + world.time - 1);
    const process = world.process();
    const worker = process.inbox.start({ pollMs: 1 });
    await eventually(async () => {
      expect(await world.memory.get('inbox/event/old')).toBe(undefined);
    });
    await new Promise((resolve) => setTimeout(resolve, 30));
    await worker.stop();
    expect(process.errors).toEqual([]);
    expect((await world.memory.get('inbox/state/post_0/failed'))?.data).toBe('{"v":2}');
  });

  it('uses only its own keys next to other records', async () => {
    const world = new InboxWorld();
    await world.memory.insert('post/post_1', 'of a publisher', world.time - 1);
    const process = world.process();
    await process.deliver(published);
    await process.work();
    const keys = (await world.memory.scan('', undefined, 9)).map(({ key }) => key);
    expect(keys).toEqual(['inbox/event/evt_1', 'inbox/state/post_1/published', 'post/post_1']);
    expect((await world.memory.get('post/post_1'))?.data).toBe('of a publisher');
  });

  it('holds no body of an event that was handled', async () => {
    const { world, process } = await delivered();
    await process.work();
    expect(JSON.stringify(await world.memory.scan('', undefined, 9))).not.toContain('Grüße');
  });
});

describe('createWebhookInbox', () => {
  const on = { default: () => undefined };
  const store = new MemoryDurableStore();
  it.each<[string, object]>([
    ['an empty secret', { secret: '' }],
    ['no store', { store: undefined }],
    ['a store of another kind', { store: { claim: on.default, complete: on.default, release: on.default } }],
    ['no handlers', { on: undefined }],
    ['a handler for a misspelt type', { on: { 'post.publised': () => undefined } }],
    ["a backoff that isn't a function", { backoff: 5 }],
    ["an onDead that isn't a function", { onDead: 'log' }],
    ['a bad tolerance', { toleranceSeconds: 0 }],
    ["a clock that isn't a function", { now: 5 }],
    ['a misspelt option', { maxRetries: 5 }],
  ])('refuses %s', (_, options) => {
    expect(() => createWebhookInbox({ secret, store, on, ...options })).toThrow(ConfigurationError);
  });
});
