import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError, RateLimitError, SocialPublishing } from '../../src/index.js';
import { rejection } from '../policies/client.js';
import { create, randomOf, service, Time } from './paced-service.js';

/** A client of a service with these replies, in a time of its own, and when its requests came. */
function timed(answer: (count: number) => Response) {
  const time = new Time();
  const came: number[] = [];
  const fetch = () => {
    came.push(time.now);
    return Promise.resolve(came.length).then(answer);
  };
  const client = new SocialPublishing(
    { baseUrl: 'https://api.test', accessKey: 'k', maxRetries: 0, fetch },
    { monotonic: () => time.now, now: () => time.now, sleep: time.sleep, random: () => 0.5 },
  );
  return { time, came, client };
}

/** How many requests came in the busiest second. */
const mostInSecond = (came: readonly number[]) =>
  Math.max(...came.map((from) => came.filter((at) => at >= from && at < from + 1_000).length));

describe('the gate', () => {
  it('gets 200 creates at once through to a service that takes 20 a second, none twice', async () => {
    const it = service(20);
    await it.time.run(Promise.all(Array.from({ length: 200 }, (_, index) => create(it, index))));
    expect(it.made).toHaveLength(200);
    expect(new Set(it.made).size).toBe(200);
    expect(it.time.now).toBeLessThan(30_000);
  });

  it('gets 120 creates through, 8 at a time', async () => {
    const it = service(20);
    let next = 0;
    const worker = async () => {
      while (next < 120) await create(it, next++);
    };
    await it.time.run(Promise.all(Array.from({ length: 8 }, worker)));
    expect(new Set(it.made).size).toBe(120);
  });

  it.each([5, 20, 100])('loses nothing of 200 at once to a service that takes %i a second', async (perSecond) => {
    const it = service(perSecond, { latencyMs: 2, random: randomOf(perSecond) });
    await it.time.run(Promise.all(Array.from({ length: 200 }, (_, index) => create(it, index))));
    expect(it.made).toHaveLength(200);
    expect(new Set(it.made).size).toBe(200);
    // The first burst, and hardly anything after it.
    expect(it.came.length - 200).toBeLessThan(200 - perSecond + 10);
  });

  it.each([5, 20, 100])(
    'counts accepted requests of %i a second whose replies come after the first 429',
    async (perSecond) => {
      const it = service(perSecond, { latencyMs: 400, refusalMs: 1, random: randomOf(1), lateMs: 2 });
      await it.time.run(Promise.all(Array.from({ length: 200 }, (_, index) => create(it, index))));
      expect(it.made).toHaveLength(200);
      expect(it.time.now).toBeLessThan(1.15 * (200 / perSecond - 1) * 1_000 + 1_500 + 400);
      expect(it.came.length - 200).toBeLessThanOrEqual(200 - perSecond + 10);
    },
  );

  it.each([5, 20, 100])(
    'gets 200 through, 8 at a time, to %i a second, in 1.15 × the least time plus 1.5 s',
    async (perSecond) => {
      const it = service(perSecond, { latencyMs: 2, random: randomOf(1), lateMs: 2 });
      const bodies = Array.from({ length: 200 }, (_, index) => ({
        content: String(index),
        saveAsDraft: true as const,
      }));
      const all = async () => {
        for await (const { status } of it.client.posts.createMany(bodies, { concurrency: 8 }))
          expect(status).toBe('created');
      };
      await it.time.run(all());
      expect(it.made).toHaveLength(200);
      expect(it.time.now).toBeLessThan(1.15 * (200 / perSecond - 1) * 1_000 + 1_500);
    },
  );

  it.each([
    [5, 30],
    [20, 30],
    [100, 30],
    [5, 600],
    [20, 600],
  ])(
    'gets 200 at once through to %i a second, without Retry-After, replies after %i ms',
    async (perSecond, latencyMs) => {
      const it = service(perSecond, { retryAfter: null, latencyMs, refusalMs: 30, random: randomOf(1), lateMs: 2 });
      await it.time.run(Promise.all(Array.from({ length: 200 }, (_, index) => create(it, index))));
      expect(new Set(it.made).size).toBe(200);
      expect(it.time.now).toBeLessThan(1.6 * (200 / perSecond - 1) * 1_000 + 2_000);
    },
  );

  it('sends a retry before the calls that wait for their first attempt', async () => {
    const it = service(1, { random: () => 0 });
    await it.time.run(create(it, 0));
    const refused = create(it, 1);
    await it.time.run(it.time.sleep(100));
    await it.time.run(Promise.all([refused, ...[2, 3, 4].map((index) => create(it, index))]));
    expect(it.made).toEqual(['0', '2', '1', '3', '4']);
  });

  it('keeps the rate if the service refuses the first attempt after a wait too', async () => {
    const { time, came, client } = timed((count) => {
      if (count <= 10 || count > 21) return Response.json({ success: true, posts: [] });
      return Response.json({}, { status: 429, headers: { 'retry-after': '2' } });
    });
    await time.run(Promise.all(Array.from({ length: 20 }, () => client.posts.list({}, { maxRetries: 2 }))));
    const [first = 0, ...others] = came.slice(21);
    expect(first).toBe(4_100);
    expect(others).toHaveLength(9);
    for (const [index, at] of others.entries()) expect(at - first).toBeLessThan(106 * (index + 1));
  });

  it('holds back a call of a relative until the time of a 429 is over', async () => {
    const it = service(1);
    await it.time.run(create(it, 1));
    const refused = it.time.run(rejection(create(it, 2, { maxRetries: 0 })));
    expect(await refused).toBeInstanceOf(RateLimitError);
    const heldUntil = it.time.now + 1_000;
    const relative = it.client.withOptions({ maxRetries: 0 });
    await it.time.run(relative.posts.create({ content: '3', saveAsDraft: true }));
    expect(it.came.at(-1)).toBeGreaterThanOrEqual(heldUntil);
    expect(it.made).toEqual(['1', '3']);
  });

  it('lets a call go at once that would wait past its deadline', async () => {
    const it = service(0);
    await it.time.run(rejection(create(it, 1, { maxRetries: 0 })));
    const before = it.came.length;
    const error = await it.time.run(rejection(create(it, 2, { totalTimeoutMs: 500 })));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ outcome: 'not_sent', attempts: 0, retryAfterMs: expect.any(Number) as number });
    expect(it.came).toHaveLength(before);
  });

  it('stays open after a failure that is not a 429', async () => {
    const failures = [undefined, new Response('no JSON'), ...[503, 400].map((status) => Response.json({}, { status }))];
    const { time, came, client } = timed((count) => {
      if (count > failures.length) return Response.json({ success: true, posts: [] });
      const reply = failures[count - 1];
      if (reply === undefined) throw new TypeError('fetch failed');
      return reply;
    });
    for (const _ of failures) await time.run(rejection(client.posts.list()));
    await time.run(Promise.resolve(client.posts.list()));
    expect(came).toEqual([0, 0, 0, 0, 0]);
  });

  it.each([
    [0, [0, 375]],
    [1, [0, 375, 1_125]],
  ])('is closed for the wait of a call with %i retries after a 429 without Retry-After', async (maxRetries, times) => {
    const { time, came, client } = timed((count) => Response.json({}, { status: count <= maxRetries + 1 ? 429 : 400 }));
    await time.run(rejection(client.posts.list({}, { maxRetries })));
    await time.run(rejection(client.posts.list()));
    expect(came).toEqual(times);
  });

  it('is open again after a minute without a 429', async () => {
    const it = service(2, { latencyMs: 10 });
    await it.time.run(Promise.all([1, 2, 3].map((index) => create(it, index))));
    await it.time.run(it.time.sleep(60_000));
    await it.time.run(create(it, 4));
    await it.time.run(it.time.sleep(1_000));
    const before = it.came.length;
    await it.time.run(Promise.all([5, 6].map((index) => create(it, index))));
    const [first, second] = it.came.slice(before);
    expect(second).toBe(first);
  });

  it('refuses a call that would wait longer than a minute, or past its deadline, for its turn', async () => {
    const waiting = async (retryAfter: string, options: object, passedMs = 0) => {
      const refusal = { status: 429, headers: { 'retry-after': retryAfter } };
      const { time, came, client } = timed(() => Response.json({}, refusal));
      await time.run(rejection(client.posts.list()));
      time.now += passedMs;
      const error = (await time.run(rejection(client.posts.list({}, options)))) as RateLimitError;
      return came.length === 2 ? 'sent' : error;
    };
    const refused = (seconds: number) => ({
      name: 'RateLimitError',
      message:
        `GET /v1/posts/ was not sent: it would have to wait ${String(seconds)} s for its turn. The limit is its deadline, and 60 s. ` +
        'The service refused other calls with status 429, or this client has limits. It is safe to call again later.',
      status: 429,
      outcome: 'not_sent',
      attempts: 0,
      form: 'other',
      retryAfterMs: seconds * 1_000,
      method: 'GET',
      route: '/v1/posts/',
    });
    expect(await waiting('60', { totalTimeoutMs: 100_000 })).toBe('sent');
    expect(await waiting('61', { totalTimeoutMs: 100_000 })).toMatchObject(refused(61));
    expect(await waiting('7', { totalTimeoutMs: 7_001 })).toBe('sent');
    expect(await waiting('7', { totalTimeoutMs: 7_000 })).toMatchObject(refused(7));
    expect(await waiting('71', {}, 0.25)).toMatchObject({ retryAfterMs: 71_000 });
  });

  it('lets a waiting call go as soon as it is aborted', async () => {
    const it = service(0);
    await it.time.run(rejection(create(it, 1, { maxRetries: 0 })));
    const controller = new AbortController();
    const error = rejection(create(it, 2, { signal: controller.signal }));
    controller.abort(new Error('no more'));
    expect(await error).toMatchObject({ message: 'no more' });
    expect(it.came).toHaveLength(1);
  });

  // Work of an earlier file in this process can set a timer in between. A timer of the call would be left each time.
  it('leaves no timer of an aborted call, which would keep the process alive', { retry: 2 }, async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const it = service(Infinity, { limits: { concurrency: 1 } });
      const controller = new AbortController();
      const first = create(it, 1);
      const aborted = rejection(create(it, 2, { signal: controller.signal }));
      controller.abort(new Error('no more'));
      await it.time.run(Promise.all([first, aborted]));
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('gives the turns of aborted calls to the next ones', async () => {
    const untilSent = async (aborted: number) => {
      const it = service(Infinity, { limits: { perSecond: 1 } });
      await it.time.run(create(it, 0));
      const controller = new AbortController();
      const dropped = Array.from({ length: aborted }, (_, index) =>
        rejection(create(it, index, { signal: controller.signal })),
      );
      await Promise.resolve();
      controller.abort(new Error('no more'));
      await it.time.run(Promise.all(dropped));
      await it.time.run(create(it, 7));
      return it.came.at(-1);
    };
    expect(await untilSent(0)).toBe(1_050);
    expect(await untilSent(5)).toBeLessThan(2_000);
  });
});

describe('limits', () => {
  it('perSecond holds for any second, the first one too, over the client and its relatives', async () => {
    const it = service(Infinity, { limits: { perSecond: 10 } });
    const relative = it.client.withOptions({ maxRetries: 0 });
    const calls = Array.from({ length: 35 }, (_, index) =>
      (index % 2 === 0 ? it.client : relative).posts.create({ content: String(index), saveAsDraft: true }),
    );
    await it.time.run(Promise.all(calls));
    expect(mostInSecond(it.came)).toBeLessThanOrEqual(10);
    expect(it.came).toHaveLength(35);
    expect(it.time.now).toBeLessThan(4_500);
  });

  it.each([
    [1, 70],
    [10, 70],
    [10, 3_000],
  ])('perSecond %i counts calls of fetch, although the first keys take %i ms', async (perSecond, keyMs) => {
    const it = service(Infinity, { limits: { perSecond }, keyMs: (count) => (count <= 10 ? keyMs : 0) });
    await it.time.run(Promise.all(Array.from({ length: 40 }, (_, index) => create(it, index))));
    expect(it.came).toHaveLength(40);
    expect(mostInSecond(it.came)).toBeLessThanOrEqual(perSecond);
  });

  it('perSecond does not wait for attempts whose keys are slow', async () => {
    const it = service(Infinity, { limits: { perSecond: 2 }, keyMs: (count) => (count <= 2 ? 20_000 : 0) });
    const slow = [create(it, 1), create(it, 2)];
    await it.time.run(create(it, 3));
    expect(it.came[0]).toBeLessThan(1_500);
    await it.time.run(Promise.all(slow));
    expect(it.came).toHaveLength(3);
  });

  it('perSecond does not count an attempt that the key function ended', async () => {
    const keyMs = (count: number) => {
      if (count === 1) throw new Error('no key');
      return 0;
    };
    const it = service(Infinity, { limits: { perSecond: 1 }, keyMs });
    await it.time.run(rejection(create(it, 1)));
    await it.time.run(create(it, 2));
    expect(it.came[0]).toBeLessThan(1_000);
  });

  it.each([5, 20, 100])('perSecond %i is used up, by timers that come late', async (perSecond) => {
    const it = service(perSecond, { limits: { perSecond }, latencyMs: 2, random: randomOf(1), lateMs: 2 });
    await it.time.run(Promise.all(Array.from({ length: 200 }, (_, index) => create(it, index))));
    expect(it.came).toHaveLength(200);
    const leastMs = (200 / perSecond - 1) * 1_000;
    expect(it.time.now).toBeLessThan(1.05 * leastMs + 1_000);
    // In the order of the calls.
    expect(it.made).toEqual(Array.from({ length: 200 }, (_, index) => String(index)));
  });

  it('perSecond holds for a call that begins after a timer that came late', async () => {
    const it = service(Infinity, { limits: { perSecond: 1 }, lateMs: 160, random: () => 1 });
    const begin = async (atMs: number) => {
      await it.time.sleep(atMs);
      await create(it, atMs);
    };
    await it.time.run(Promise.all([begin(0), begin(10), begin(2_150)]));
    const [first = 0, other = 0, last = 0] = it.came;
    expect([first, other]).toEqual([0, 1_210]);
    expect(last - other).toBeGreaterThanOrEqual(1_050);
  });

  it('concurrency holds, and every call gets its turn', async () => {
    const it = service(Infinity, { limits: { concurrency: 3 } });
    await it.time.run(Promise.all(Array.from({ length: 20 }, (_, index) => create(it, index))));
    expect(it.most).toBe(3);
    expect(it.made).toHaveLength(20);
  });

  it('concurrency of a derived client delays other calls only until their own deadlines', async () => {
    const fetch = () => new Promise<Response>(() => undefined);
    const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: 'k', fetch });
    const derived = client.withOptions({ limits: { concurrency: 1 } });
    const { signal } = new AbortController();
    const controller = new AbortController();
    const busy = [1, 2].map(() => rejection(derived.posts.list({}, { signal: controller.signal }).then()));
    const error = await rejection(client.posts.list({}, { signal, totalTimeoutMs: 50 }));
    controller.abort(new Error('enough'));
    await Promise.all(busy);
    expect(error).toMatchObject({ name: 'RateLimitError', outcome: 'not_sent', attempts: 0 });
  });

  it('concurrency gives back the place of a call that was aborted while it waited', async () => {
    const it = service(Infinity, { limits: { concurrency: 1 } });
    const controller = new AbortController();
    const first = create(it, 1);
    const aborted = rejection(create(it, 2, { signal: controller.signal }));
    const third = create(it, 3);
    controller.abort(new Error('no more'));
    await it.time.run(Promise.all([first, aborted, third]));
    expect(it.made).toEqual(['1', '3']);
  });

  it.each([
    5,
    null,
    { concurrency: 0 },
    { concurrency: 1.5 },
    { perSecond: 0 },
    { perSecond: Number.NaN },
    { perSeconds: 5 },
  ])('are refused: %j', (limits) => {
    expect(
      () => new SocialPublishing({ baseUrl: 'https://api.test', accessKey: 'k', limits: limits as never }),
    ).toThrow(ConfigurationError);
  });
});
