import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ClientHooks } from '../../src/index.js';
import { unhandledRejectionsOf } from '../support/unhandled-rejections.js';
import { json, reset, WireServer, type Script } from '../support/wire-server.js';
import { analytics, free, insights, post, type ClassOfCall } from './calls.js';
import { rejection, testClient } from './client.js';
import { hookNames, recorder } from './recorder.js';

let server: WireServer;
let script: Script;

beforeEach(async () => {
  script = () => json(free.good);
  server = await WireServer.start((request, index) => script(request, index));
});

describe('the ID of a call', () => {
  it('is the same in all payloads of a call, and different for each call; payloads contain the host', async () => {
    script = (_, index) => (index === 0 ? reset : index < 3 ? json(free.good) : json({}, 400));
    const { told, hooks } = recorder();
    const { client } = testClient(`${server.url}/proxy`, { hooks });
    await free.call(client);
    await free.call(client.withOptions({ maxRetries: 0 }));
    await rejection(free.call(client));
    const ids = told.map(([, { callId }]) => callId);
    expect(new Set(ids).size).toBe(3);
    expect(told.map(([name, { callId }]) => [name, ids.indexOf(callId)])).toEqual([
      ...['onStart', 'onRequest', 'onRetry', 'onRequest', 'onResponse', 'onEnd'].map((name) => [name, 0]),
      ...['onStart', 'onRequest', 'onResponse', 'onEnd'].map((name) => [name, 6]),
      ...['onStart', 'onRequest', 'onResponse', 'onError', 'onEnd'].map((name) => [name, 10]),
    ]);
    for (const [, info] of told) expect(info).toMatchObject({ host: new URL(server.url).host, method: 'GET' });
    for (const [, info] of told) expect(info).not.toHaveProperty('requestId');
  });

  it('is not created, and no clock is read, without hooks', async () => {
    let made = 0;
    const runtime = { newId: () => `id_${String((made += 1))}` };
    const quiet = testClient(server.url, {}, runtime).client;
    await free.call(quiet.withOptions({ hooks: [] }));
    await free.call(quiet.withOptions({ hooks: [undefined, false] }));
    expect(made).toBe(0);
    await free.call(quiet.withOptions({ hooks: [{ onEnd: () => undefined }] }));
    expect(made).toBe(1);
  });
});

describe('onEnd', () => {
  it('is called once for a successful call, with its attempts and waits', async () => {
    script = (_, index) => (index === 0 ? json({}, 503) : json(free.good));
    const { hooks, infosOf } = recorder();
    await free.call(testClient(server.url, { hooks }).client);
    expect(infosOf('onEnd')).toMatchObject([{ method: 'GET', route: '/v1/posts/', attempts: 2, credits: 0 }]);
    expect(infosOf('onEnd')[0]).not.toHaveProperty('error');
    // The wait. Other time does not pass for this client.
    expect(infosOf('onEnd')[0]?.['durationMs']).toBe(375);
  });

  it.each<[string, ClassOfCall, Script, number]>([
    ['a call without cost', free, () => json(free.good), 0],
    ['post analytics', analytics, () => json(analytics.good), 1],
    ['post analytics that were refused', analytics, () => json({}, 400), 1],
    ['insights', insights, () => json(insights.good), 1],
    ['insights that were refused', insights, () => json({}, 400), 0],
    ['insights whose reply was lost', insights, () => reset, 1],
  ])('reports the cost: %s', async (_, call, answer, credits) => {
    script = answer;
    const { hooks, infosOf } = recorder();
    const { client } = testClient(server.url, { hooks });
    await Promise.allSettled([call.call(client)]);
    expect(infosOf('onEnd')).toMatchObject([{ credits }]);
    expect(client.creditsUsed).toBe(credits);
  });

  it('is called once for each call that was refused before it was sent', async () => {
    const { told, hooks, infosOf } = recorder();
    const { client } = testClient(server.url, { hooks, maxCredits: 0 });
    await rejection(client.posts.list({ limit: 0 }));
    await rejection(insights.call(client));
    await rejection(client.request('nonsense'));
    await rejection(client.posts.list({}, { headers: { 'x-access-key': 'mine' } }));
    const expected = ['InvalidRequestError', 'CreditLimitError', 'InvalidRequestError', 'InvalidRequestError'];
    expect(infosOf('onEnd')).toMatchObject(expected.map((name) => ({ attempts: 0, credits: 0, error: { name } })));
    expect(infosOf('onError')).toMatchObject(expected.map((name) => ({ attempts: 0, error: { name } })));
    expect(told.map(([name]) => name)).toEqual(expected.flatMap(() => ['onStart', 'onError', 'onEnd']));
    expect(server.requests).toEqual([]);
  });

  it('is called for a call that waited too long for the rate limit', async () => {
    script = () => json({}, 429, [['retry-after', '90']]);
    const { hooks, infosOf } = recorder();
    const { client } = testClient(server.url, { hooks });
    await rejection(free.call(client));
    await rejection(free.call(client));
    expect(infosOf('onEnd')).toMatchObject([
      { attempts: 1, error: { name: 'RateLimitError' } },
      { attempts: 0, error: { name: 'RateLimitError' } },
    ]);
  });

  it('is called for an abort, before sending and in flight', async () => {
    const controller = new AbortController();
    script = () => () => {
      controller.abort('enough');
    };
    const { hooks, infosOf } = recorder();
    const { client } = testClient(server.url, { hooks });
    await rejection(client.posts.list({}, { signal: AbortSignal.abort('never begun') }));
    await rejection(client.posts.list({}, { signal: controller.signal }));
    expect(infosOf('onEnd')).toMatchObject([
      { attempts: 0, error: 'never begun' },
      { attempts: 1, error: 'enough' },
    ]);
  });

  it('is called without an error for a page that was read ahead of a loop that ended', async () => {
    const total = 100;
    script = (request) => {
      const offset = Number(new URL(request.path, server.url).searchParams.get('offset') ?? 0);
      // The first page comes; the next ones never do.
      if (offset > 0) return () => undefined;
      return json({ success: true, total, posts: [{ postId: 'post_1' }, { postId: 'post_2' }] });
    };
    const { told, hooks, infosOf } = recorder();
    const { client } = testClient(server.url, { hooks });
    for await (const page of client.posts.list({ limit: 2 }, { concurrency: 2 }).pages()) {
      expect(page.items).toHaveLength(2);
      await expect.poll(() => server.requests.length).toBeGreaterThan(1);
      break;
    }
    const started = told.filter(([name]) => name === 'onStart').length;
    expect(started).toBeGreaterThan(1);
    await expect.poll(() => infosOf('onEnd').length).toBe(started);
    for (const end of infosOf('onEnd')) expect(end).not.toHaveProperty('error');
    expect(told.some(([name]) => name === 'onError')).toBe(false);
  });
});

describe('several hooks', () => {
  it('are all called in order, even if one of them throws or changes its payload', async () => {
    const seen: string[] = [];
    const noting = (name: string): ClientHooks => ({
      onResponse: (info) => {
        seen.push(`${name} ${String(info.status)}`);
      },
    });
    const broken: ClientHooks = {
      onResponse: (info) => {
        Object.assign(info, { status: 0 });
        throw new Error('broken');
      },
    };
    const hooks = Object.freeze([noting('a'), broken, undefined, false, Object.freeze(noting('b'))] as const);
    await free.call(testClient(server.url, { hooks }).client);
    expect(seen).toEqual(['a 200', 'b 200']);
  });

  it.each<[string, (info: object) => unknown]>([
    ['of this realm', () => Promise.reject(new Error('late'))],
    // Jest runs tests in a context of its own, whose Promise is another class.
    ['of another realm', runInNewContext("() => Promise.reject(new Error('late'))") as () => unknown],
  ])('may return a promise that rejects, %s', async (_, hook) => {
    script = (_request, index) => (index === 0 ? reset : json(free.good));
    const hooks = Object.fromEntries(hookNames.map((name) => [name, hook])) as ClientHooks;
    const { client } = testClient(server.url, { hooks });
    const reasons = await unhandledRejectionsOf(async () => {
      await free.call(client);
      await rejection(client.posts.list({ limit: 0 }));
    });
    expect(reasons).toEqual([]);
  });

  it('may be objects of a class, whose methods see their object', async () => {
    class Counter {
      #count = 0;
      onEnd(): void {
        this.#count += 1;
      }
      get count(): number {
        return this.#count;
      }
    }
    const counter = new Counter();
    await free.call(testClient(server.url, { hooks: [counter] }).client);
    expect(counter.count).toBe(1);
  });

  it('take the place of others by withOptions', async () => {
    const first = recorder();
    const second = recorder();
    const { client } = testClient(server.url, { hooks: first.hooks });
    await free.call(client.withOptions({ hooks: [second.hooks, second.hooks] }));
    expect([first.told.length, second.infosOf('onEnd').length]).toEqual([0, 2]);
  });

  it.each<[string, unknown, RegExp]>([
    ['a misspelt name in any of them', [{}, { onEnds: () => undefined }], /did you mean 'onEnd'/],
    ['what is no function', [{ onEnd: 'x' }], /hooks\.onEnd must be a function/],
    ['what is no object', [5], /array of such objects/],
    ['null', [null], /array of such objects/],
    ['an array in an array', [[{ onEnd: () => undefined }]], /array of such objects/],
    ['false alone', false, /must be an object/],
  ])('are refused for %s', (_, hooks, message) => {
    expect(() => testClient(server.url).client.withOptions({ hooks: hooks as never })).toThrow(message);
  });
});

describe('headers that onRequest returns', () => {
  /** The headers of one call's requests, less what every request has. */
  const sent = async (onRequest: ClientHooks['onRequest'], headers: Record<string, string> = {}) => {
    await free.call(testClient(server.url, { hooks: { onRequest }, headers }).client);
    return server.requests.map((request) => request.headers);
  };

  it.each<[string, unknown]>([
    ['an object', { 'X-Trace': 'abc', 'x-none': undefined }],
    ['Headers', new Headers({ 'x-trace': 'abc' })],
    ['entries', [['x-trace', 'abc']]],
    ['an object without a prototype', Object.assign(Object.create(null) as object, { 'x-trace': 'abc' })],
  ])('are sent: %s', async (_, headers) => {
    const [request] = await sent(() => headers as Headers);
    expect(request).toMatchObject({ 'x-trace': 'abc' });
    expect(request).not.toHaveProperty('x-none');
  });

  it('belong to one attempt only, and headers of several hooks are merged', async () => {
    script = (_, index) => (index === 0 ? json({}, 503) : json(free.good));
    const hooks: ClientHooks[] = [
      { onRequest: ({ attempt }) => ({ [`x-attempt-${String(attempt)}`]: 'yes', 'x-who': 'first' }) },
      { onRequest: () => ({ 'x-who': 'second' }) },
    ];
    await free.call(testClient(server.url, { hooks }).client);
    const [first, second] = server.requests.map(({ headers }) => headers);
    expect(first).toMatchObject({ 'x-attempt-1': 'yes', 'x-who': 'second' });
    expect(second).toMatchObject({ 'x-attempt-2': 'yes', 'x-who': 'second' });
    expect(second).not.toHaveProperty('x-attempt-1');
  });

  it('never replace the key, or headers of the client or the call', async () => {
    const taken = { 'X-Access-Key': 'stolen', accept: 'text/html', 'x-mine': 'hook', 'x-new': 'hook' };
    const [request] = await sent(() => taken, { 'x-mine': 'client' });
    expect(request).toMatchObject({ 'x-access-key': 'sk-test-0123456789abcdef', accept: 'application/json' });
    expect(request).toMatchObject({ 'x-mine': 'client', 'x-new': 'hook' });
    expect(JSON.stringify(request)).not.toContain('stolen');
  });

  it('cannot bring a key where the client has none', async () => {
    const hooks: ClientHooks = { onRequest: () => new Headers({ 'x-access-key': 'stolen' }) };
    await free.call(testClient(server.url, { accessKey: null, hooks }).client);
    expect(server.requests[0]?.headers).not.toHaveProperty('x-access-key');
  });

  it('are left out one by one where they cannot be sent, and a create goes out once', async () => {
    script = () => json(post.good);
    const bad = { 'x-good': 'yes', 'x-bad': 'a\nb', 'no name': 'x', 'content-length': '1', 'x-object': {} };
    await post.call(testClient(server.url, { hooks: { onRequest: () => bad as never } }).client);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers).toMatchObject({ 'x-good': 'yes' });
    for (const name of ['x-bad', 'no name', 'x-object']) expect(server.requests[0]?.headers).not.toHaveProperty(name);
  });

  class Logged {
    level = 'info';
  }
  const starts = new Map<string, number>();
  const kept: { seen?: unknown } = {};
  it.each<[string, ClientHooks['onRequest']]>([
    ['a promise', () => Promise.resolve({ 'x-trace': 'late' })],
    ['a promise that is rejected', () => Promise.reject(new Error('late'))],
    ['the Map that it sets', ({ callId, attempt }) => starts.set(callId, attempt)],
    ['the payload that it keeps', (info) => (kept.seen = info)],
    ['a copy of it', (info) => (kept.seen = { ...info })],
    ['a logger', () => new Logged()],
    ['a number', () => 5],
    ['text', () => 'x-trace: abc'],
    ['invalid entries', () => [['x-trace'], 5]],
  ])('are none if it returns something else: %s', async (_, onRequest) => {
    const [[plain], [request]] = [await sent(undefined), (await sent(onRequest)).slice(1)];
    expect(Object.keys(request ?? {})).toEqual(Object.keys(plain ?? {}));
  });

  it('with a secret are not quoted by an error, though the service does', async () => {
    script = (request) => json({ success: false, message: `bad ${request.headers['x-session-token'] ?? ''}` }, 400);
    const hooks: ClientHooks = { onRequest: () => ({ 'x-session-token': 'hush-hush-123' }) };
    const error = await rejection(free.call(testClient(server.url, { hooks }).client));
    expect(server.requests[0]?.headers['x-session-token']).toBe('hush-hush-123');
    expect((error as Error).message).toContain('bad');
    expect((error as Error).message).not.toContain('hush-hush-123');
  });
});
