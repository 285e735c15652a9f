import { afterEach, describe, expect, it, vi } from 'vitest';
import { SocialPublishing } from '../../src/client.js';
import { ConfigurationError, ConnectionError, InvalidRequestError, TimeoutError } from '../../src/core/errors.js';
import { holdTimeouts } from '../support/held-timeouts.js';
import { drip, json, raw, silence, WireServer, type Answer, type Script } from '../support/wire-server.js';
import { free, post } from './calls.js';
import { rejection, testClient, testKey } from './client.js';

let server: WireServer;
let held: ReturnType<typeof holdTimeouts> | undefined;
afterEach(() => {
  held?.release();
  held = undefined;
  return server.close();
});

const start = async (script: Script) => (server = await WireServer.start(script));

/** More than a busy machine needs on top of a time-out, and far less than any other limit in these tests. */
const graceMs = 2_000;
const stalled = raw('HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{"succ', 'stay');

async function timed<T>(work: Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const startedAt = performance.now();
  const value = await work;
  return { value, ms: performance.now() - startedAt };
}

describe('the deadline of an attempt', () => {
  const slow: Readonly<Record<string, Answer>> = {
    'no answer': silence,
    'headers that drip': drip('HTTP/1.1 200 OK\r\nx-drip: ', 'a'),
    'a stalled body': stalled,
    'a body that drips': drip('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n'),
    'the body of a refusal that drips': drip('HTTP/1.1 400 Bad\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n'),
  };

  it.each(Object.entries(slow))('ends %s in a TimeoutError in time and destroys the socket', async (_, answer) => {
    await start(() => answer);
    const { client } = testClient(server.url, { timeoutMs: 300 });
    const { value: error, ms } = await timed(rejection(post.call(client)));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ timeoutMs: 300, outcome: 'unknown', attempts: 1 });
    // On a busy machine, a timer counts from a clock that is some milliseconds behind.
    expect(ms).toBeGreaterThanOrEqual(270);
    expect(ms).toBeLessThan(graceMs);
    await server.allClosed();
  });

  it('starts anew with each attempt', async () => {
    const timeoutMs = 19_001;
    held = holdTimeouts(timeoutMs);
    const { expire } = held;
    const stalledUntilExpired: Answer = (socket, request) => {
      stalled(socket, request);
      setTimeout(expire, 20);
    };
    await start((_, index) => (index < 2 ? stalledUntilExpired : json(free.good)));
    const { client } = testClient(server.url, { timeoutMs });
    await free.call(client);
    expect(server.requests).toHaveLength(3);
  });

  it('can be set for one call', async () => {
    await start(() => silence);
    const { client } = testClient(server.url);
    const error = await rejection(
      client.posts.create(
        { content: 'Hello', platforms: [{ platform: 'bluesky', accountId: 'a' }], publishNow: true },
        { timeoutMs: 50 },
      ),
    );
    expect(error).toMatchObject({ name: 'TimeoutError', timeoutMs: 50 });
  });

  it('covers a key function that never answers: nothing is sent', async () => {
    await start(() => json(post.good));
    const accessKey = vi.fn(() => new Promise<string>(() => {}));
    const { client, attempts } = testClient(server.url, { accessKey, timeoutMs: 30 });
    const error = await rejection(post.call(client));
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent', attempts: 0 });
    expect(accessKey).toHaveBeenCalledTimes(3);
    expect(attempts()).toBe(0);
    expect(server.requests).toHaveLength(0);
  });

  it('covers a key that comes too late: nothing is sent with it', async () => {
    await start(() => json(post.good));
    let give: (key: string) => void = () => {};
    const accessKey = () => new Promise<string>((resolve) => (give = resolve));
    const { client } = testClient(server.url, { accessKey, timeoutMs: 30, maxRetries: 0 });
    await rejection(post.call(client));
    give(testKey);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.requests).toHaveLength(0);
  });

  it('holds with a fetch that ignores its signal, and discards its late reply without a report', async () => {
    await start(() => silence);
    const cancelled = vi.fn();
    let answer: (response: Response) => void = () => {};
    const onResponse = vi.fn();
    const { client } = testClient(server.url, {
      timeoutMs: 50,
      hooks: { onResponse },
      fetch: () => new Promise((resolve) => (answer = resolve)),
    });
    const { value: error, ms } = await timed(rejection(post.call(client)));
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
    expect(ms).toBeLessThan(graceMs);

    answer(new Response(new ReadableStream({ cancel: cancelled })));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(cancelled).toHaveBeenCalledOnce();
    expect(onResponse).not.toHaveBeenCalled();
  });

  it('holds with a body that ignores the signal, and discards it', async () => {
    await start(() => silence);
    const cancelled = vi.fn();
    const onResponse = vi.fn();
    const onDrift = vi.fn();
    const { client } = testClient(server.url, {
      timeoutMs: 50,
      hooks: { onResponse, onDrift },
      fetch: () =>
        Promise.resolve(
          new Response(
            new ReadableStream({
              start: (controller) => {
                controller.enqueue(new TextEncoder().encode('{"postId":"post_1"}'));
              },
              cancel: cancelled,
            }),
          ),
        ),
    });
    expect(await rejection(post.call(client))).toBeInstanceOf(TimeoutError);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(cancelled).toHaveBeenCalledOnce();
    expect(onResponse).not.toHaveBeenCalled();
    expect(onDrift).not.toHaveBeenCalled();
  });
});

describe('the total deadline', () => {
  it('ends the first attempt where it is the shorter one', async () => {
    await start(() => stalled);
    const { client } = testClient(server.url, { timeoutMs: 10_000, totalTimeoutMs: 100 });
    const { value: error, ms } = await timed(rejection(free.call(client)));
    expect(error).toMatchObject({ name: 'TimeoutError', timeoutMs: 100, outcome: 'unknown' });
    expect(ms).toBeLessThan(graceMs);
    expect(server.requests).toHaveLength(1);
    await server.allClosed();
  });

  it('leaves the remaining time to later attempts', async () => {
    await start((_, index) => (index === 0 ? json({}, 500) : silence));
    // The wait of 375 ms takes no time, but counts.
    const { client, waits } = testClient(server.url, { timeoutMs: 10_000, totalTimeoutMs: 875 });
    const { value: error, ms } = await timed(rejection(free.call(client)));
    expect(error).toMatchObject({ name: 'TimeoutError', timeoutMs: 875, attempts: 2 });
    expect(waits).toEqual([375]);
    expect(ms).toBeLessThan(graceMs);
  });

  it('of one call holds over the one of the client', async () => {
    await start(() => silence);
    const { client } = testClient(server.url);
    const error = await rejection(client.posts.list({}, { totalTimeoutMs: 60 }));
    expect(error).toMatchObject({ name: 'TimeoutError', timeoutMs: 60 });
  });
});

describe('limits of time', () => {
  it.each([2 ** 31, 2 ** 53, Infinity])('%d ms is longer than timers take, and never runs out at once', async (ms) => {
    await start(() => (socket, request) => {
      setTimeout(() => {
        json(free.good)(socket, request);
      }, 30);
    });
    const { client } = testClient(server.url, { timeoutMs: ms, totalTimeoutMs: ms });
    await free.call(client);
    await client.posts.list({}, { timeoutMs: ms, totalTimeoutMs: ms });
  });

  it.each([0, -1, NaN, '5', null])('%s is refused by the client and by a call', async (ms) => {
    await start(() => json(free.good));
    for (const name of ['timeoutMs', 'totalTimeoutMs']) {
      const options = { [name]: ms };
      if (ms !== null)
        expect(() => new SocialPublishing({ baseUrl: server.url, accessKey: testKey, ...options })).toThrow(
          ConfigurationError,
        );
      const error = await rejection(testClient(server.url).client.posts.list({}, options));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error).toMatchObject({ issues: [{ path: [name] }], method: 'GET', route: '/v1/posts/' });
    }
    expect(server.requests).toHaveLength(0);
  });
});
