import { afterEach, describe, expect, it, vi } from 'vitest';
import { SocialPublishing } from '../../src/client.js';
import { ConfigurationError, ConnectionError, InvalidRequestError, TimeoutError } from '../../src/core/errors.js';
import { eventually } from '../support/eventually.js';
import { holdTimeouts } from '../support/held-timeouts.js';
import { drip, json, raw, silence, WireServer, type Answer, type Script } from '../support/wire-server.js';
import { free, post } from './calls.js';
import { rejection, testClient, testKey, type TestClient } from './client.js';

const hour = 3_600_000;

let server: WireServer;
let held: ReturnType<typeof holdTimeouts> | undefined;
afterEach(() => {
  held = undefined;
});

const start = async (script: Script) => (server = await WireServer.start(script));

const stalled = raw('HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{"succ', 'stay');

/** A limit that no test waits for. It ends when the test says so. */
const heldMs = 19_001;

/** Rejects with the error of a call whose limit of `heldMs` ends once the server has got `requests` requests. */
async function expired(call: PromiseLike<unknown>, pass: TestClient['pass'], requests = 1): Promise<unknown> {
  const error = rejection(call);
  await expect.poll(() => server.requests.length).toBe(requests);
  // Time for the first bytes to arrive. Fewer of them do not change the result.
  await new Promise((resolve) => setTimeout(resolve, 20));
  pass(heldMs);
  held?.expire();
  return error;
}

describe('the deadline of an attempt', () => {
  const slow: Readonly<Record<string, Answer>> = {
    'no answer': silence,
    'headers that drip': drip('HTTP/1.1 200 OK\r\nx-drip: ', 'a'),
    'a stalled body': stalled,
    'a body that drips': drip('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n'),
    'the body of a refusal that drips': drip('HTTP/1.1 400 Bad\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n'),
  };

  it.each(Object.entries(slow))('ends %s in a TimeoutError and destroys the socket', async (_, answer) => {
    await start(() => answer);
    const { client, pass } = testClient(server.url, { timeoutMs: heldMs });
    held = holdTimeouts(heldMs);
    const error = await expired(post.call(client), pass);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ timeoutMs: heldMs, outcome: 'unknown', attempts: 1 });
    await server.allClosed();
  });

  it('starts anew with each attempt', async () => {
    held = holdTimeouts(heldMs);
    const { expire } = held;
    const stalledUntilExpired: Answer = (socket, request) => {
      stalled(socket, request);
      setTimeout(expire, 20);
    };
    await start((_, index) => (index < 2 ? stalledUntilExpired : json(free.good)));
    const { client } = testClient(server.url, { timeoutMs: heldMs });
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
    expect(await rejection(post.call(client))).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });

    answer(new Response(new ReadableStream({ cancel: cancelled })));
    await eventually(() => {
      expect(cancelled).toHaveBeenCalledOnce();
    });
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
    await eventually(() => {
      expect(cancelled).toHaveBeenCalledOnce();
    });
    expect(onResponse).not.toHaveBeenCalled();
    expect(onDrift).not.toHaveBeenCalled();
  });
});

describe('the total deadline', () => {
  it('ends the first attempt where it is the shorter one', async () => {
    await start(() => stalled);
    const { client, pass } = testClient(server.url, { timeoutMs: hour, totalTimeoutMs: heldMs });
    held = holdTimeouts(heldMs);
    const error = await expired(free.call(client), pass);
    expect(error).toMatchObject({ name: 'TimeoutError', timeoutMs: heldMs, outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
    await server.allClosed();
  });

  it('leaves the remaining time to later attempts', async () => {
    await start((_, index) => (index === 0 ? json({}, 500) : silence));
    // The wait of 375 ms takes no time, but counts.
    const { client, waits, pass } = testClient(server.url, { timeoutMs: hour, totalTimeoutMs: heldMs + 375 });
    held = holdTimeouts(heldMs);
    const error = await expired(free.call(client), pass, 2);
    expect(error).toMatchObject({ name: 'TimeoutError', timeoutMs: heldMs + 375, attempts: 2 });
    expect(waits).toEqual([375]);
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
