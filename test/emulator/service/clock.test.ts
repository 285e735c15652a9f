import { setTimeout as realTime } from 'node:timers/promises';
import { Temporal } from '@js-temporal/polyfill';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { raw, start, world } from '../world.js';
import { newGate } from '../../support/gate.js';
import { eventually } from '../../support/eventually.js';

const iso = (ms: number) => new Date(ms).toISOString();

describe('the clock', () => {
  it('starts at the configured time, and does not run', async () => {
    const now = vi.fn(() => start);
    const service = createEmulator({ now });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(service.clock.now()).toBe(start);
    expect(now).toHaveBeenCalledTimes(1);
  });

  it('starts at the real time by default', () => {
    const before = Date.now();
    const at = createEmulator().clock.now();
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it('adds up the parts of a duration', async () => {
    const { clock } = createEmulator({ now: () => start });
    await clock.advance({ days: 1, hours: 2, minutes: 3, seconds: 4, milliseconds: 5 });
    expect(clock.now()).toBe(start + 93_784_005);
  });

  it('goes on from where two moves without a wait between them lead', async () => {
    const { clock } = createEmulator({ now: () => start });
    await Promise.all([clock.advance({ hours: 1 }), clock.advance({ hours: 1 })]);
    expect(clock.now()).toBe(start + 7_200_000);
  });

  it('can be set to a string, a Date or milliseconds, and events in between happen', async () => {
    const { service, client, platforms } = world();
    await client.posts.create({ scheduledFor: '2026-03-02T10:00:00Z', platforms });
    await service.clock.set('2026-03-02T09:59:59Z');
    expect(service.posts).toMatchObject([{ status: 'scheduled' }]);
    await service.clock.set(new Date('2026-03-02T11:00:00Z'));
    expect(service.posts).toMatchObject([{ status: 'published', updatedAt: '2026-03-02T10:00:00.000Z' }]);
    await service.clock.set(start);
    expect(service.clock.now()).toBe(start);
    expect(service.posts).toMatchObject([{ status: 'published' }]);
  });

  it.each([{ hours: -1 }, { weeks: 1 }, { hours: Number.NaN }, { minutes: '1' }])(
    'refuses the duration %j',
    async (duration) => {
      await expect(createEmulator().clock.advance(duration as never)).rejects.toBeInstanceOf(RangeError);
    },
  );

  it.each([
    ['noon', 'a date-time with its offset'],
    ['2026-03-02T10:00:00', 'a date-time with its offset'],
    ['2026-03-02', 'a date-time with its offset'],
    ['2026-02-30T10:00:00Z', 'names a day that does not exist'],
    [Number.NaN, 'milliseconds since 1970'],
    [9e15, 'milliseconds since 1970'],
    [new Date(Number.NaN), 'a Date'],
    [undefined, 'a Date'],
  ])('refuses the point %s, in every way in', async (point, message) => {
    const service = createEmulator({ now: () => start });
    const set = service.clock.set(point as never);
    await expect(set).rejects.toBeInstanceOf(RangeError);
    await expect(set).rejects.toThrow(message);
    expect(service.clock.now()).toBe(start);
    if (point === undefined) return; // Without `until` an outcome has no end.
    const outcome = () => {
      service.publishing.outcome({ error: 'down', until: point });
    };
    expect(outcome).toThrow(RangeError);
    expect(outcome).toThrow(message);
    expect(() => {
      service.scenario([{ at: { hours: 1 }, outcomes: { error: 'down', until: point as never } }]);
    }).toThrow(message);
  });

  it('takes a moment of Temporal', async () => {
    const { clock } = createEmulator({ now: () => start });
    await clock.set(Temporal.ZonedDateTime.from('2026-03-02T11:00:00+01:00[Europe/Berlin]'));
    expect(iso(clock.now())).toBe('2026-03-02T10:00:00.000Z');
  });

  it.each(['advance', 'set', 'step'] as const)('%s moves no state that is put in place meanwhile', async (move) => {
    const [asked, answered] = [newGate(), newGate()];
    const { service, client, platforms } = world({
      deliver: async () => {
        asked.open();
        await answered.opened;
        return new Response();
      },
    });
    const before = service.snapshot();
    service.seed.subscription({ webhook: { url: 'https://app.test/' }, eventTypes: ['post.published'] });
    await client.posts.create({ scheduledFor: '2026-03-02T10:00:00Z', platforms });
    const moves = {
      advance: () => service.clock.advance({ days: 1 }),
      set: () => service.clock.set('2026-03-03T09:00:00Z'),
      step: () => service.clock.step(),
    };
    const moving = moves[move]();
    await asked.opened; // The receiver takes its time.
    service.restore(before);
    answered.open();
    await moving;
    expect(iso(service.clock.now())).toBe(iso(start));
    expect(service.posts).toEqual([]);
  });

  it('ends at the last time of a Date', async () => {
    const { clock } = createEmulator({ now: () => start });
    await expect(clock.advance({ days: 1e9 })).rejects.toBeInstanceOf(RangeError);
    expect(clock.now()).toBe(start);
  });

  it('refuses a start that is not a time', () => {
    expect(() => createEmulator({ now: () => Number.NaN })).toThrow(RangeError);
    expect(() => createEmulator({ now: () => 9e15 })).toThrow(RangeError);
    expect(() => createEmulator({ now: (() => '2026-03-02T10:00:00') as never })).toThrow(
      'now must return milliseconds since 1970',
    );
    expect(() => createEmulator({ now: new Date() as never })).toThrow(
      'now must be a function that returns milliseconds since 1970',
    );
  });

  it('publishes a post scheduled for a past time with its next move, not before', async () => {
    const { service, client, platforms } = world();
    await client.posts.create({ scheduledFor: iso(start - 1000), platforms });
    await service.settled();
    expect(service.posts).toMatchObject([{ status: 'scheduled' }]);
    await service.clock.advance({ seconds: 0 });
    expect(service.posts).toMatchObject([{ status: 'published' }]);
  });

  it('executes due events in order, regardless of the order of the requests', async () => {
    const { service, client, platforms } = world();
    for (const minutes of [50, 10, 30, 20, 40]) {
      await client.posts.create({ content: String(minutes), scheduledFor: iso(start + minutes * 60_000), platforms });
    }
    service.seed.subscription({ webhook: { url: 'https://app.test/' }, eventTypes: ['post.published'] });
    await service.clock.advance({ hours: 1 });
    expect(service.deliveries.map(({ at }) => (Date.parse(at) - start) / 60_000)).toEqual([10, 20, 30, 40, 50]);
  });

  it('runs with the real one until it is stopped', async () => {
    const { service, client, platforms } = world();
    await client.posts.create({ scheduledFor: iso(start + 20), platforms });
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    const stop = service.clock.run();
    await eventually(() => {
      expect(service.deliveries).toHaveLength(1);
    });
    expect(service.clock.now()).toBeGreaterThanOrEqual(start + 20);
    await service.clock.advance({ days: 1 });
    expect(service.clock.now()).toBeGreaterThanOrEqual(start + 86_400_000);
    stop();
    const stopped = service.clock.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(service.clock.now()).toBe(stopped);
  });

  it.each([1, 0.5, 60])('loses nothing over 20,000 ticks at speed %d', async (speed) => {
    let real = 1_000.25;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => real);
    try {
      const { clock: time } = createEmulator({ now: () => start });
      const stop = time.run({ speed });
      for (let tick = 0; tick < 20_000; tick += 1) {
        real += 50.7;
        time.run({ speed }); // Brings the time up to date, as each tick does.
      }
      expect(time.now()).toBeCloseTo(start + 20_000 * 50.7 * speed, -1);
      await time.advance({ hours: 1 });
      expect(time.now()).toBeCloseTo(start + 3_600_000 + 20_000 * 50.7 * speed, -1);
      stop();
      time.pause();
    } finally {
      clock.mockRestore();
    }
  });

  it('does not wait for a slow receiver while it runs', async () => {
    const service = createEmulator({
      now: () => start,
      deliver: () => new Promise(() => {}),
      deliveryTimeoutMs: 60_000,
    });
    const { id } = service.seed.integration({ platform: 'tiktok' });
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    const stop = service.clock.run();
    const platforms = [{ platform: 'tiktok', accountId: id }];
    await raw(service, 'POST /v1/posts/', { publishNow: true, platforms });
    await raw(service, 'POST /v1/posts/', { scheduledFor: iso(service.clock.now() + 60), platforms });
    await eventually(() => {
      expect(service.posts).toMatchObject([{ status: 'published' }, { status: 'published' }]);
    });
    stop();
  });
});

describe('a clock that runs, and is moved', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    // A delivery that waits for its signature would run during a later test.
    for (const service of services.splice(0)) {
      service.clock.pause();
      await shownUntil(service, service.settled());
    }
    vi.useRealTimers();
  });

  const services: Emulator[] = [];

  /** A running clock, and a receiver that takes 1.5 s of real time for each delivery. */
  function running(status: (count: number) => number = () => 204) {
    let count = 0;
    const { service, client, platforms } = world({
      deliver: async () => {
        const answer = new Response(null, { status: status((count += 1)) });
        await new Promise((resolve) => setTimeout(resolve, 1500));
        return answer;
      },
    });
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    const publishIn = (ms: number) => client.posts.create({ scheduledFor: iso(start + ms), platforms });
    service.clock.run();
    services.push(service);
    return { service, publishIn };
  }

  /** Lets time pass until a promise is settled. Returns the times that the clock showed. */
  async function shownUntil(service: Emulator, done: Promise<unknown>): Promise<number[]> {
    const under = { way: true };
    const ended = done.finally(() => (under.way = false));
    const shown: number[] = [];
    while (under.way) {
      shown.push(service.clock.now());
      await vi.advanceTimersByTimeAsync(10);
      // WebCrypto signs outside of the fake timers.
      await realTime(1);
    }
    await ended;
    return [...shown, service.clock.now()];
  }

  const inOrder = (times: readonly number[]) => [...times].sort((a, b) => a - b);

  it.each(['advance', 'set', 'step'] as const)(
    '%s executes due events at their time and delivers them, and the time never goes back',
    async (move) => {
      const { service, publishIn } = running();
      await publishIn(2000);
      const moves = {
        advance: () => service.clock.advance({ seconds: 3 }),
        set: () => service.clock.set(start + 3000),
        // The first thing that is due is the delivery of `post.scheduled`.
        step: () => service.clock.step().then(() => service.clock.step()),
      };
      const shown = await shownUntil(service, moves[move]());
      expect(shown).toEqual(inOrder(shown));
      expect(service.posts).toMatchObject([{ status: 'published', platforms: [{ publishedAt: iso(start + 2000) }] }]);
      expect(service.deliveries.map(({ eventType, at }) => `${eventType} ${at}`)).toEqual([
        `post.scheduled ${iso(start)}`,
        `post.published ${iso(start + 2000)}`,
      ]);
      const end = service.clock.now();
      expect(end - start).toBeLessThan(move === 'step' ? 2100 : 3100);
      await vi.advanceTimersByTimeAsync(1000);
      expect(service.clock.now() - end).toBe(1000);
    },
  );

  it('retries are a part of it, each at its time', async () => {
    const { service, publishIn } = running((count) => (count === 1 ? 204 : 500));
    await publishIn(2000);
    await shownUntil(service, service.clock.advance({ minutes: 5 }));
    expect(service.deliveries.slice(1).map(({ attempt, at }) => [attempt, at])).toEqual([
      [1, iso(start + 2000)],
      [2, iso(start + 32_000)],
      [3, iso(start + 92_000)],
    ]);
    expect(service.clock.now() - start).toBeLessThan(300_100);
  });

  it('a move by nothing does not take it back', async () => {
    const { service } = running();
    service.seed.post({ scheduledFor: iso(start - 1000) });
    // Each first read of the real time is a millisecond later.
    let real = performance.now();
    const last = real + 3;
    vi.spyOn(performance, 'now').mockImplementation(() => (real = Math.min(real + 1, last)));
    const shown: number[] = [];
    service.observe(() => shown.push(service.clock.now()));
    await shownUntil(service, service.clock.advance({ seconds: 0 }));
    expect(shown).toHaveLength(3); // The post, its delivery, the clock.
    expect(shown).toEqual(inOrder(shown));
  });

  it('a pause amid a move leaves it where the move ends', async () => {
    const { service, publishIn } = running();
    await publishIn(2000);
    const moved = service.clock.advance({ seconds: 3 });
    await vi.advanceTimersByTimeAsync(500);
    service.clock.pause();
    await shownUntil(service, moved);
    expect(service.clock.now()).toBe(start + 3000);
  });

  it('a state that is put in place goes on from its own time, whatever is under way', async () => {
    const { service, publishIn } = running();
    const before = service.snapshot();
    await publishIn(2000);
    const moved = service.clock.advance({ seconds: 3 });
    await vi.advanceTimersByTimeAsync(700);
    service.restore(before);
    expect(service.clock.now()).toBe(start);
    await vi.advanceTimersByTimeAsync(300);
    expect(service.clock.now()).toBe(start + 300);
    const shown = await shownUntil(service, moved);
    expect(shown).toEqual(inOrder(shown));
    expect(service.clock.now() - start).toBeLessThan(2000);
  });
});
