import { Readable } from 'node:stream';
import nodeFetch from 'node-fetch';
import { Agent, fetch as undiciFetch, interceptors } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  ApiError,
  ConnectionError,
  outcomeOf,
  responseOf,
  SocialPublishing,
  type FetchReply,
} from '../../src/index.js';
import { analytics, classesOfCall, free, insights, patch, post, put } from '../policies/calls.js';
import { rejection } from '../policies/client.js';
import { recordingServer } from '../support/recording-server.js';
import { closedPort, json, WireServer } from '../support/wire-server.js';

const key = 'sk-test-0123456789';
const draft = { content: 'Hello', saveAsDraft: true } as const;

describe("a fetch of the caller's own", () => {
  it('is called with the URL as a string and an init that has the signal', async () => {
    const calls: [unknown, RequestInit | undefined][] = [];
    const fetch = (input: unknown, init?: RequestInit) => {
      calls.push([input, init]);
      return Promise.resolve(Response.json({ success: true, postId: 'post_1' }));
    };
    const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: key, fetch });
    await client.posts.create({ content: 'Hello', saveAsDraft: true });
    expect(calls).toEqual([
      [
        'https://api.test/v1/posts/',
        {
          method: 'POST',
          headers: { accept: 'application/json', 'content-type': 'application/json', 'x-access-key': key },
          body: '{"content":"Hello","saveAsDraft":true}',
          redirect: 'manual',
          cache: 'no-store',
          signal: expect.any(AbortSignal) as AbortSignal,
        },
      ],
    ]);
  });

  it('is called without an object, as the fetch of browsers requires', async () => {
    const callers: unknown[] = [];
    function fetch(this: unknown) {
      callers.push(this);
      return Promise.resolve(Response.json(post.good));
    }
    const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: key, fetch });
    await client.posts.create(draft);
    await rejection(patch.call(client));
    expect(callers).toEqual([undefined, undefined]);
  });

  it('gets no abort after it failed', async () => {
    let signal: AbortSignal | null | undefined;
    const fetch = (_: unknown, init?: RequestInit) => {
      signal = init?.signal;
      return Promise.reject(
        new TypeError('fetch failed', { cause: new Error('too many content-encodings in response') }),
      );
    };
    const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: key, fetch });
    expect(await rejection(client.posts.create(draft))).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
    expect(signal?.aborted).toBe(false);
  });

  it('gets no content type and no body for a read', async () => {
    const inits: (RequestInit | undefined)[] = [];
    const fetch = (_: unknown, init?: RequestInit) => {
      inits.push(init);
      return Promise.resolve(Response.json({ success: true, total: 0, posts: [] }));
    };
    await new SocialPublishing({ baseUrl: 'https://api.test', accessKey: key, fetch }).posts.list();
    expect(inits).toMatchObject([{ method: 'GET', headers: { accept: 'application/json', 'x-access-key': key } }]);
    expect(inits[0]?.headers).not.toHaveProperty('content-type');
    expect(inits[0]).not.toHaveProperty('body');
  });

  it.each([
    ['undici', undiciFetch],
    ['node-fetch', nodeFetch],
  ])('of %s sends the request and its reply is read', async (_, fetch) => {
    const server = await recordingServer(() => ({ success: true, postId: 'post_1' }));
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: key, fetch });
    const post = await client.posts.create({ content: 'Hello', saveAsDraft: true });
    expect(post.postId).toBe('post_1');
    expect(responseOf(post)?.status).toBe(200);
    expect(server.requests[0]).toMatchObject({ method: 'POST', headers: { 'x-access-key': key } });
  });

  it('may return no more than status, headers and text', async () => {
    const replyOf = (status: number, body: object) => () =>
      Promise.resolve({ status, headers: { get: () => null }, text: () => Promise.resolve(JSON.stringify(body)) });
    const clientOf = (fetch: () => Promise<FetchReply>) =>
      new SocialPublishing({ baseUrl: 'https://api.test', accessKey: key, fetch, maxRetries: 0 });
    const draft = { content: 'Hello', saveAsDraft: true } as const;
    const post = await clientOf(replyOf(200, { success: true, postId: 'post_1' })).posts.create(draft);
    expect(post.postId).toBe('post_1');
    expect(responseOf(post)?.status).toBe(200);
    const refused = await rejection(clientOf(replyOf(422, { success: false, message: 'No' })).posts.create(draft));
    expect(refused).toMatchObject({ status: 422, outcome: 'rejected' });
  });

  it('may return a body that is a Node stream, also with an error', async () => {
    const reply = { status: 422, ok: false, type: 'default', headers: new Headers(), url: '' };
    const text = JSON.stringify({ success: false, message: 'no such account' });
    const fetch = () =>
      Promise.resolve({ ...reply, body: Readable.from([text]), text: () => Promise.resolve(text) } as never);
    const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: key, fetch });
    const error = await rejection(client.posts.create({ content: 'Hello', saveAsDraft: true }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 422,
      form: 'message',
      message: expect.stringContaining('no such account') as string,
    });
  });
});

describe('a cache that answers in place of the service', () => {
  it('is not used: every list is sent', async () => {
    const server = await recordingServer(() => ({ success: true, total: 0, posts: [] }), {
      'cache-control': 'public, max-age=600',
    });
    const dispatcher = new Agent().compose(interceptors.cache());
    const client = new SocialPublishing({
      baseUrl: server.url,
      accessKey: key,
      fetch: (url, init) => undiciFetch(url, { ...init, dispatcher }),
    });
    await client.posts.list();
    await client.posts.list();
    await dispatcher.close();
    expect(server.requests).toHaveLength(2);
  });

  it('is not mentioned where a runtime does not know the option, and may refuse it', async () => {
    const cache = Object.getOwnPropertyDescriptor(Request.prototype, 'cache') as PropertyDescriptor; // Node has it.
    const fetch = vi.fn(() => Promise.resolve(Response.json(post.good)));
    Reflect.deleteProperty(Request.prototype, 'cache');
    onTestFinished(() => void Object.defineProperty(Request.prototype, 'cache', cache));
    await new SocialPublishing({ baseUrl: 'https://api.test', accessKey: key, fetch }).posts.create(draft);
    expect(fetch.mock.calls).toHaveLength(1);
    expect(fetch.mock.calls[0]).not.toMatchObject([expect.anything(), { cache: 'no-store' }]);
  });
});

describe('what Next.js throws in place of a request, while it builds a page', () => {
  const thrown = (digest: string) => Object.assign(new Error('Dynamic server usage: no-store fetch'), { digest });
  const clientOf = (options: object) =>
    new SocialPublishing({ baseUrl: 'https://api.test', accessKey: key, ...options });

  it.each(['DYNAMIC_SERVER_USAGE', 'HANGING_PROMISE_REJECTION'])(
    'reaches it unchanged, after one attempt, and nothing was sent: %s',
    async (digest) => {
      const signal = thrown(digest);
      const fetch = vi.fn(() => Promise.reject(signal));
      vi.stubGlobal('fetch', fetch);
      onTestFinished(() => void vi.unstubAllGlobals());
      const client = clientOf({});
      for (const call of [client.posts.list(), client.posts.create(draft)]) expect(await rejection(call)).toBe(signal);
      expect(fetch).toHaveBeenCalledTimes(2);
      expect(outcomeOf(signal)).toBe('not_sent');
    },
  );

  it("proves nothing if it comes from a fetch of the caller's own, which may throw it after the reply", async () => {
    const signal = thrown('DYNAMIC_SERVER_USAGE');
    const client = clientOf({ fetch: () => Promise.reject(signal) });
    expect(await rejection(client.posts.create(draft))).toBe(signal);
    expect(outcomeOf(signal)).toBe('unknown');
  });

  it('reaches it from the key function too, which may ask for cookies', async () => {
    const signal = thrown('DYNAMIC_SERVER_USAGE');
    const fetch = vi.fn(() => Promise.resolve(Response.json(post.good)));
    const client = clientOf({ fetch, accessKey: () => Promise.reject(signal) });
    expect(await rejection(client.posts.create(draft))).toBe(signal);
    expect(fetch).not.toHaveBeenCalled();
    expect(outcomeOf(signal)).toBe('not_sent');
  });

  it('is not assumed of another error with a digest', async () => {
    const client = clientOf({ fetch: () => Promise.reject(thrown('1234567890')), maxRetries: 0 });
    expect(await rejection(client.posts.list())).toBeInstanceOf(ConnectionError);
  });
});

describe('what provably never left', () => {
  it('is not_sent: a port that fetch blocks', async () => {
    const client = new SocialPublishing({ baseUrl: 'http://127.0.0.1:6667', accessKey: key, maxRetries: 0 });
    const error = await rejection(post.call(client));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: 'not_sent' });
  });

  it('is not_sent: a closed port', async () => {
    const client = new SocialPublishing({ baseUrl: closedPort, accessKey: key, maxRetries: 0 });
    const error = await rejection(post.call(client));
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent' });
  });

  it('is not_sent: what undici refuses to send', async () => {
    const refused = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('invalid transfer-encoding header'), { code: 'UND_ERR_INVALID_ARG' }),
    });
    const fetch = () => Promise.reject(refused);
    const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: key, fetch, maxRetries: 0 });
    const error = await rejection(post.call(client));
    expect(error).toMatchObject({ outcome: 'not_sent' });
  });
});

describe('a misdirected request (421)', () => {
  it.each(classesOfCall)("counts as often as Node's fetch sends it: $name", async ({ call }) => {
    const server = await WireServer.start(() => json({ success: false, message: 'wrong host' }, 421));
    const attempts: number[] = [];
    const hooks = { onError: (info: { attempts: number }) => attempts.push(info.attempts) };
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: key, hooks });
    const error = await rejection(call(client));
    const { requests } = server;
    expect(error).toMatchObject({ status: 421, outcome: 'rejected' });
    expect((error as Error).message).toContain('wrong host');
    expect(attempts).toEqual([requests.length]);
    // Node repeats a request with a text, but not one with a stream.
    if (['POST', 'PUT'].includes(requests[0]?.method ?? '')) expect(requests).toHaveLength(1);
  });
});

describe('a call that must not be repeated', () => {
  it('has a body with its length, and the same bytes', async () => {
    const server = await WireServer.start(() => json(post.good));
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: key });
    await client.posts.create({ content: 'Grüße 🌍', saveAsDraft: true });
    await client.request('POST /v1/anything');
    const [first, second] = server.requests;
    expect(first?.body).toBe('{"content":"Grüße 🌍","saveAsDraft":true}');
    expect(first?.headers).toMatchObject({ 'content-length': '45', 'content-type': 'application/json' });
    expect(second?.headers).toMatchObject({ 'content-length': '0' });
    for (const request of server.requests) expect(request.headers).not.toHaveProperty('transfer-encoding');
  });

  it('is a text for a fetch of the caller, and for a global fetch that was replaced', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.resolve(Response.json(post.good)));
    await new SocialPublishing({ baseUrl: 'https://api.test', accessKey: key, fetch }).posts.create(draft);
    vi.stubGlobal('fetch', fetch);
    await new SocialPublishing({ baseUrl: 'https://api.test', accessKey: key }).posts.create(draft);
    vi.unstubAllGlobals();
    expect(fetch.mock.calls.map(([, init]) => init?.body)).toEqual([JSON.stringify(draft), JSON.stringify(draft)]);
  });

  // As Node 24.14 to 26.0: there, the `fetch` of these tests would do so itself.
  it('keeps a refused key an AuthenticationError if the runtime cannot ask for credentials again', async () => {
    vi.stubGlobal('fetch', (_: string, { body, credentials }: RequestInit) =>
      body instanceof ReadableStream && credentials !== 'omit'
        ? Promise.reject(new TypeError('fetch failed', { cause: new Error('expected non-null body source') }))
        : Promise.resolve(Response.json({ success: false, message: 'no such key' }, { status: 401 })),
    );
    vi.resetModules();
    const fresh = await import('../../src/index.js');
    const client = new fresh.SocialPublishing({ baseUrl: 'https://api.test', accessKey: key });
    const error = await rejection(client.posts.create(draft));
    vi.unstubAllGlobals();
    expect(error).toMatchObject({ name: 'AuthenticationError', outcome: 'rejected' });
    expect((error as Error).message).toContain('no such key');
  });

  const once = [insights, analytics, post, put];

  it.each([
    ['Deno, with a client that keeps no connection', { client: expect.any(Object) as object }],
    ['Bun, without keep-alive', { keepalive: false }],
  ])('goes out on a new connection on %s', async (runtime, means) => {
    const fetch = vi.fn<typeof globalThis.fetch>(() =>
      Promise.resolve(Response.json({ success: false }, { status: 404 })),
    );
    const clients: { isOpen: boolean; options: unknown }[] = [];
    const createHttpClient = (options: unknown) => {
      const state = { isOpen: true, options };
      clients.push(state);
      return { close: () => (state.isOpen = false) };
    };
    const isDeno = runtime.startsWith('Deno');
    vi.stubGlobal(isDeno ? 'Deno' : 'Bun', isDeno ? { createHttpClient } : {});
    vi.stubGlobal('fetch', fetch);
    const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: key });
    for (const { call } of [...once, free, patch]) await rejection(call(client));
    vi.unstubAllGlobals();
    const inits = fetch.mock.calls.map(([, init]) => init);
    for (const init of inits.slice(0, 4)) expect(init).toMatchObject(means);
    for (const init of inits.slice(4)) expect(init).not.toMatchObject(means);
    expect(inits.map((init) => typeof init?.body)).toEqual([
      'undefined',
      'undefined',
      'string',
      'string',
      'undefined',
      'string',
    ]);
    for (const made of clients) expect(made).toEqual({ isOpen: false, options: { poolMaxIdlePerHost: 0 } });
  });
});
