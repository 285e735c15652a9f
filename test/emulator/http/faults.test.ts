import { afterEach, describe, expect, it, vi } from 'vitest';
import { SocialPublishing } from '../../../src/client.js';
import {
  ApiError,
  ConnectionError,
  ResponseError,
  SocialPublishingError,
  TimeoutError,
} from '../../../src/core/errors.js';
import { createEmulator, type Emulator, type RequestFault } from '../../../src/emulator/index.js';
import { ways, type Way } from '../ways.js';
import { accounts, raw, start } from '../world.js';

const route = 'POST /v1/posts/';
const draft = { content: 'Hi', saveAsDraft: true } as const;

describe.each(Object.entries(ways))('a fault over %s', (name, open) => {
  let way: Way | undefined;
  afterEach(async () => {
    await way?.close();
    way = undefined;
  });

  /** The outcome of a create under a fault, and whether its post exists. */
  async function create(fault: RequestFault, timeoutMs = 5000) {
    const service = createEmulator({ now: () => start });
    way = await open(service);
    const client = new SocialPublishing({
      baseUrl: way.url,
      accessKey: 'test-key',
      fetch: way.fetch,
      maxRetries: 0,
      timeoutMs,
    });
    service.faults.add(fault);
    const error: unknown = await client.posts.create(draft).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return {
      service,
      error,
      outcome: error instanceof SocialPublishingError ? error.outcome : undefined,
      posts: service.posts.length,
    };
  }

  it("status: answers in the operation's form, and nothing is executed", async () => {
    const { service, error, posts } = await create({ route, kind: 'status', status: 418 });
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 418, form: 'message' });
    expect(posts).toBe(0);
    expect(service.requests).toMatchObject([{ method: 'POST', route, body: draft, faults: ['status'], status: 418 }]);
  });

  it('status: answers with the configured body and headers', async () => {
    const { error } = await create({
      kind: 'status',
      status: 429,
      body: { error: 'slow down' },
      headers: { 'Retry-After': '7', 'X-Request-Id': 'r1' },
    });
    expect(error).toMatchObject({ status: 429, body: { error: 'slow down' }, form: 'error', retryAfterMs: 7000 });
    expect((error as ApiError).headers.get('x-request-id')).toBe('r1');
  });

  it('status: sends a string as it is', async () => {
    const { error } = await create({
      kind: 'status',
      status: 502,
      body: '<h1>Bad gateway</h1>',
      headers: { 'content-type': 'text/html' },
    });
    expect(error).toMatchObject({ status: 502, body: '<h1>Bad gateway</h1>', form: 'other' });
  });

  it('status: sends no body with a 204', async () => {
    const { error } = await create({ kind: 'status', status: 204, body: { ignored: true } });
    expect(error).toBeInstanceOf(ResponseError);
    expect(error).toMatchObject({ status: 204, rawBody: '' });
  });

  it('reset_before: breaks the connection, and nothing is executed', async () => {
    const { service, error, outcome, posts } = await create({ kind: 'reset_before' });
    expect(error).toBeInstanceOf(ConnectionError);
    expect({ outcome, posts }).toEqual({ outcome: 'unknown', posts: 0 });
    expect(service.requests).toHaveLength(1);
    expect(service.requests[0]).not.toHaveProperty('status');
  });

  it('reset_after_commit: breaks the connection after the post is there', async () => {
    const { error, outcome, posts } = await create({ kind: 'reset_after_commit' });
    expect(error).toBeInstanceOf(ConnectionError);
    expect({ outcome, posts }).toEqual({ outcome: 'unknown', posts: 1 });
  });

  it('timeout: never answers, and executes nothing by default', async () => {
    const { error, posts } = await create({ kind: 'timeout' }, 60);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(posts).toBe(0);
    let committed = 0;
    // A busy machine needs longer until the request is there.
    for (const timeoutMs of [60, 600, 6_000, 60_000]) {
      await way?.close();
      const { error, posts } = await create({ kind: 'timeout', commit: true }, timeoutMs);
      expect(error).toBeInstanceOf(TimeoutError);
      committed = posts;
      if (committed > 0) break;
    }
    expect(committed).toBe(1);
  });

  it('truncated_body: breaks off in the middle of the reply, after the post is there', async () => {
    const { error, outcome, posts } = await create({ kind: 'truncated_body' });
    expect(error).toBeInstanceOf(ConnectionError);
    expect({ outcome, posts }).toEqual({ outcome: 'unknown', posts: 1 });
  });

  it('invalid_json: ends the reply well, with half the JSON', async () => {
    const { error, outcome, posts } = await create({ kind: 'invalid_json' });
    expect(error).toBeInstanceOf(ResponseError);
    expect({ outcome, posts }).toEqual({ outcome: 'unknown', posts: 1 });
    expect((error as ResponseError).rawBody).toMatch(/^\{"success":true/);
  });

  it('latency: answers late, by the real time', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const { error, posts } = await create({ kind: 'latency', latencyMs: 43 });
    const delays = timers.mock.calls.map(([, delay]) => delay);
    timers.mockRestore();
    expect(error).toBeUndefined();
    expect(posts).toBe(1);
    expect(delays).toContain(43);
  });

  it('latency: a value beyond timers is a long one, and 0 is refused', async () => {
    const service = createEmulator({ accessKey: null });
    service.faults.add({ kind: 'latency', latencyMs: 2 ** 31 });
    const answered = service.fetch('https://emulator.test/v1/posts/', { signal: AbortSignal.timeout(30) });
    await expect(answered).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('latency: an abort during it ends the call at once, and nothing is executed', async () => {
    const service = createEmulator();
    way = await open(service);
    const client = new SocialPublishing({ baseUrl: way.url, accessKey: 'test-key', fetch: way.fetch, maxRetries: 0 });
    service.faults.add({ kind: 'latency', latencyMs: 60_000 });
    const abort = new AbortController();
    const call = client.posts.create(draft, { signal: abort.signal });
    const reason = new Error('changed my mind');
    while (service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(service.posts).toEqual([]);
  });

  it(`leaves ${name} usable`, async () => {
    const { service } = await create({ kind: 'reset_before', times: 1 });
    const client = new SocialPublishing({ baseUrl: way?.url, accessKey: 'test-key', fetch: way?.fetch });
    await client.posts.create(draft);
    expect(service.posts).toHaveLength(1);
  });
});

describe('the scope of a fault', () => {
  const statuses = async (service: Emulator, routes: string[]) => {
    const seen: number[] = [];
    for (const each of routes) seen.push((await raw(service, each)).status);
    return seen;
  };

  it('is its route, whatever the parameters and the query are', async () => {
    const service = createEmulator();
    const { instagram } = accounts(service);
    service.faults.add({ route: 'GET /v1/connect/integrations/{id}', kind: 'status', status: 503 });
    const routes = [`GET /v1/connect/integrations/${instagram}?x=1`, 'GET /v1/connect/integrations', 'GET /v1/posts/'];
    expect(await statuses(service, routes)).toEqual([503, 200, 200]);
  });

  it('may be a route that the document does not show: it can be stubbed', async () => {
    const service = createEmulator();
    service.faults.add({ route: 'GET /v1/posts/{postId}', kind: 'status', status: 200, body: { postId: 'x' } });
    expect(await raw(service, 'GET /v1/posts/abc')).toEqual({ status: 200, body: { postId: 'x' } });
    expect(await raw(service, 'GET /v1/unknown')).toMatchObject({ status: 404, body: { success: false } });
  });

  it('is every request where no route is named, until it is taken back', async () => {
    const service = createEmulator();
    const remove = service.faults.add({ kind: 'status', status: 500 });
    expect(await statuses(service, ['GET /v1/posts/', 'GET /v1/connect/integrations'])).toEqual([500, 500]);
    remove();
    remove();
    expect(await statuses(service, ['GET /v1/posts/'])).toEqual([200]);
    service.faults.add({ kind: 'status', status: 500 });
    service.faults.clear();
    expect(await statuses(service, ['GET /v1/posts/'])).toEqual([200]);
  });

  it('is used up after its times, one fault after the other', async () => {
    const service = createEmulator();
    service.faults.add({ kind: 'status', status: 500, times: 2 });
    service.faults.add({ kind: 'status', status: 503, times: 1 });
    const get = 'GET /v1/posts/';
    expect(await statuses(service, [get, get, get, get])).toEqual([500, 500, 503, 200]);
  });

  it('adds latency to another fault', async () => {
    const service = createEmulator();
    service.faults.add({ kind: 'latency', latencyMs: 1 });
    service.faults.add({ kind: 'status', status: 500 });
    expect(await statuses(service, ['GET /v1/posts/'])).toEqual([500]);
    expect(service.requests).toMatchObject([{ faults: ['latency', 'status'] }]);
  });

  it('is a share of the requests, the same ones in every run of a seed', async () => {
    const run = async (seed: number) => {
      const service = createEmulator({ seed });
      service.faults.add({ kind: 'status', status: 500, probability: 0.3 });
      return statuses(
        service,
        Array.from({ length: 200 }, () => 'GET /v1/posts/'),
      );
    };
    const first = await run(7);
    expect(await run(7)).toEqual(first);
    expect(await run(8)).not.toEqual(first);
    const hits = first.filter((status) => status === 500).length;
    expect(hits).toBeGreaterThan(30);
    expect(hits).toBeLessThan(90);
  });

  it('with only a method as its route applies to every path', async () => {
    const service = createEmulator();
    service.faults.add({ kind: 'status', status: 503, route: 'GET', times: 2 });
    const calls = ['GET /v1/posts/', 'POST /v1/posts/', 'GET /v1/connect/integrations', 'GET /v1/posts/'];
    const answered = await statuses(service, calls);
    expect(answered.map((status) => status === 503)).toEqual([true, false, true, false]);
    service.faults.add({ kind: 'status', status: 418, route: 'post' });
    expect(await statuses(service, ['GET /v1/posts/', 'POST /v1/posts/'])).toEqual([200, 418]);
    expect(() => service.faults.add({ kind: 'timeout', route: 'FETCH' })).toThrow(/or only a method, such as 'GET'/);
  });

  it.each([
    [{ kind: 'gremlin' }, /kind/],
    [{ kind: 'status', status: 99 }, /status/],
    [{ kind: 'latency' }, /latencyMs/],
    [{ kind: 'timeout', times: 0 }, /times/],
    [{ kind: 'timeout', probability: -1 }, /probability/],
    [{ kind: 'timeout', route: '/v1/posts/' }, /route/],
    [{ kind: 'timeout', route: 'GET  /v1/posts/' }, /route/],
    [{ kind: 'timeout', route: 'GET /v1/posts/?status=draft' }, /cannot contain a query/],
    [{ kind: 'timeout', route: 'GET /v1/*' }, /cannot contain a query or wildcards/],
    [{ kind: 'timeout', route: 'GET /v1/connect/integrations/:id' }, /\{name\}/],
    [{ kind: 'timeout', route: 'GET /v1/connect/integrations/x{id}' }, /\{name\}/],
    [{ kind: 'timeout', route: 'GET /api/v1/posts/' }, /must begin with \/v1\//],
    [{ kind: 'timeout', route: 'POST /v1/posts' }, /does not exist. Use 'POST \/v1\/posts\/'/],
    [{ kind: 'timeout', route: 'POST /posts/' }, /did you mean 'POST \/v1\/posts\/'/],
    [{ kind: 'timeout', route: 'POST /v1/post' }, /did you mean 'POST \/v1\/posts\/'/],
    [
      { kind: 'timeout', route: 'GET /v1/connect/integrations/' },
      /does not exist. Use 'GET \/v1\/connect\/integrations'/,
    ],
    [
      { kind: 'timeout', route: 'get /v1/messages/{id}/' },
      /does not exist. Use 'GET \/v1\/messages\/\{conversationId\}'/,
    ],
    [undefined, /^A fault's kind must be one of status, /],
    [null, /^A fault's kind must be one of status, /],
  ])('must make sense: %j', (fault, message) => {
    expect(() => createEmulator().faults.add(fault as never)).toThrow(message);
  });
});

describe('service.fetch', () => {
  const headers = { 'x-access-key': 'test-key' };

  it('takes a string, a URL and a Request', async () => {
    const { fetch } = createEmulator();
    const url = 'https://emulator.test/some/prefix/v1/posts/';
    for (const input of [url, new URL(url), new Request(url)]) {
      const response = await fetch(input, { headers });
      expect(response.status).toBe(200);
      expect(response.url).toBe(url);
    }
  });

  it('rejects with the reason of a signal that is aborted already, and records nothing', async () => {
    const service = createEmulator();
    const reason = new Error('too late');
    await expect(
      service.fetch('https://emulator.test/v1/posts/', { headers, signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    expect(service.requests).toEqual([]);
  });

  it('rejects with the reason of a signal that is aborted while no reply comes', async () => {
    const service = createEmulator();
    service.faults.add({ kind: 'timeout' });
    const abort = new AbortController();
    const call = service.fetch('https://emulator.test/v1/posts/', { headers, signal: abort.signal });
    const reason = new Error('enough');
    setImmediate(() => {
      abort.abort(reason);
    });
    await expect(call).rejects.toBe(reason);
  });

  it('rejects a redirect where the caller asks for that, and hands it over otherwise', async () => {
    const service = createEmulator();
    service.faults.add({ kind: 'status', status: 302, headers: { Location: 'https://else.test/' } });
    const url = 'https://emulator.test/v1/posts/';
    await expect(service.fetch(url, { headers, redirect: 'error' })).rejects.toBeInstanceOf(TypeError);
    expect((await service.fetch(url, { headers, redirect: 'manual' })).status).toBe(302);
  });
});
