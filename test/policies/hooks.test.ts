import { beforeEach, describe, expect, it } from 'vitest';
import { closedPort, json, raw, reset, WireServer, type Script } from '../support/wire-server.js';
import { free, patch, post } from './calls.js';
import { rejection, testClient } from './client.js';
import { recorder } from './recorder.js';

let server: WireServer;
let script: Script;

beforeEach(async () => {
  server = await WireServer.start((request, index) => script(request, index));
});

const down = () => json({ success: false }, 500);

describe('the budget for repeats', () => {
  it('runs dry when a whole service fails: a client stops repeating, and goes on calling', async () => {
    script = down;
    const { client } = testClient(server.url);
    for (let call = 0; call < 200; call += 1) await rejection(free.call(client));
    // 100 repeats at 5 of 500 tokens each, and no more than one attempt for each call after that.
    expect(server.requests).toHaveLength(300);
  });

  it('is drained twice as fast by silence as by an answer', async () => {
    script = () => reset;
    const { client } = testClient(server.url);
    for (let call = 0; call < 100; call += 1) await rejection(free.call(client));
    expect(server.requests).toHaveLength(150);
  });

  it('is shared with clients made by withOptions, and with no other client', async () => {
    script = down;
    const { client } = testClient(server.url);
    for (let call = 0; call < 100; call += 1) await rejection(free.call(client));
    const before = server.requests.length;
    await rejection(free.call(client.withOptions({ timeoutMs: 500_000 })));
    expect(server.requests).toHaveLength(before + 1);
    await rejection(free.call(testClient(server.url).client));
    expect(server.requests).toHaveLength(before + 4);
  });

  it('is filled again by successes, and by one after a repeat as much as the repeat took', async () => {
    script = down;
    const { client } = testClient(server.url);
    for (let call = 0; call < 100; call += 1) await rejection(free.call(client));

    const requestsOf = async (call: () => PromiseLike<unknown>) => {
      const before = server.requests.length;
      await Promise.allSettled([call()]);
      return server.requests.length - before;
    };
    script = () => json(free.good);
    for (let call = 0; call < 5; call += 1) await free.call(client);
    const startOfRepeat = server.requests.length;
    script = (_, index) => (index === startOfRepeat ? down() : json(free.good));
    expect(await requestsOf(() => free.call(client))).toBe(2);
    const again = server.requests.length;
    script = (_, index) => (index === again ? down() : json(free.good));
    expect(await requestsOf(() => free.call(client))).toBe(2);
    script = down;
    expect(await requestsOf(() => free.call(client))).toBe(2);
    expect(await requestsOf(() => free.call(client))).toBe(1);
  });
});

describe('hooks', () => {
  const ofAttempts = ['onRequest', 'onResponse', 'onRetry', 'onError'] as const;

  it('are called for each attempt and each retry, and for no error if the call succeeds in the end', async () => {
    script = (_, index) => (index === 0 ? reset : index === 1 ? json({ success: false }, 503) : json(free.good));
    const { told, hooks } = recorder(ofAttempts);
    await free.call(testClient(server.url, { hooks }).client);
    const at = { method: 'GET', route: '/v1/posts/' };
    expect(told).toMatchObject([
      ['onRequest', { ...at, attempt: 1 }],
      ['onRetry', { ...at, attempt: 1, waitMs: 375, error: { name: 'ConnectionError' } }],
      ['onRequest', { ...at, attempt: 2 }],
      ['onResponse', { ...at, attempt: 2, status: 503 }],
      ['onRetry', { ...at, attempt: 2, waitMs: 750, error: { name: 'ServerError' } }],
      ['onRequest', { ...at, attempt: 3 }],
      ['onResponse', { ...at, attempt: 3, status: 200 }],
    ]);
  });

  it.each([
    ['a refusal', () => json({ success: false }, 400), ['onRequest', 'onResponse', 'onError']],
    ['a redirect', () => json({}, 302), ['onRequest', 'onResponse', 'onError']],
    ['a reply that cannot be read', () => json(5), ['onRequest', 'onResponse', 'onError']],
    ['a reset', () => reset, ['onRequest', 'onError']],
    ['a cut body', () => raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{', 'end'), ['onRequest', 'onError']],
  ])('are called once for the error at the end: %s', async (_, makeAnswer, names) => {
    script = makeAnswer;
    const { told, hooks } = recorder(ofAttempts);
    const error = await rejection(post.call(testClient(server.url, { hooks }).client));
    expect(told.map(([name]) => name)).toEqual(names);
    expect(told.at(-1)?.[1]).toEqual({
      callId: told[0]?.[1]['callId'],
      host: new URL(server.url).host,
      method: 'POST',
      route: '/v1/posts/',
      attempts: 1,
      error,
    });
  });

  it('are called for attempts that reached no server', async () => {
    const { told, hooks } = recorder(ofAttempts);
    await rejection(post.call(testClient(closedPort, { hooks }).client));
    expect(told.map(([name]) => name)).toEqual([
      'onRequest',
      'onRetry',
      'onRequest',
      'onRetry',
      'onRequest',
      'onError',
    ]);
  });

  it('break no call, whatever they throw', async () => {
    script = (_, index) => (index === 0 ? json({ success: false }, 429) : json(patch.good));
    const broken = () => {
      throw new Error('a hook is broken');
    };
    const { client } = testClient(server.url, {
      hooks: { onRequest: broken, onResponse: broken, onRetry: broken, onError: broken },
    });
    await patch.call(client);
    script = () => json({ success: false }, 400);
    expect(await rejection(patch.call(client))).toMatchObject({ name: 'ApiError', status: 400 });
  });
});
