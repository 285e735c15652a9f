import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEmulator, type EmulatorOptions } from '../../../src/emulator/index.js';
import { clientOf, raw, start, world } from '../world.js';

const draft = { content: 'Hi', saveAsDraft: true } as const;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapAfterGc(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a listing that lags behind', () => {
  it('shows a created post only when its lag is over by the clock, and counts it in no total before', async () => {
    const { service, client } = world();
    service.faults.add({ kind: 'listing_lag', lagMs: 5000, times: 1 });
    const { postId } = await client.posts.create(draft);
    await client.posts.create({ content: 'Second', saveAsDraft: true });
    expect(await client.posts.list()).toMatchObject({
      items: [{ content: 'Second' }],
      response: { total: 1 },
    });
    await service.clock.advance({ milliseconds: 4999 });
    expect((await client.posts.list({ status: 'draft' })).items).toHaveLength(1);
    await service.clock.advance({ milliseconds: 1 });
    expect(await client.posts.list()).toMatchObject({ response: { total: 2 } });
    expect((await client.posts.list({ sort: 'asc' })).items[0]?.postId).toBe(postId);
  });

  it('goes with a fault that hides the reply: the post is there, and can not be seen yet', async () => {
    const { service, client } = world();
    service.faults.add({ kind: 'reset_after_commit', times: 1 });
    service.faults.add({ kind: 'listing_lag', lagMs: 1000 });
    await expect(client.posts.create(draft)).rejects.toMatchObject({ outcome: 'unknown' });
    expect(service.posts).toHaveLength(1);
    expect((await client.posts.list()).items).toEqual([]);
    expect(service.requests[0]?.faults).toEqual(['reset_after_commit', 'listing_lag']);
    expect(service.requests[1]?.faults).toBeUndefined();
  });

  it('is not used up by a create that is not executed', async () => {
    const { service, client } = world();
    service.faults.add({ kind: 'listing_lag', lagMs: 1000, times: 1 });
    service.faults.add({ kind: 'reset_before', times: 1 });
    await expect(client.posts.create(draft)).rejects.toThrow();
    await client.posts.create(draft);
    expect((await client.posts.list()).items).toEqual([]);
  });

  it('survives a snapshot', async () => {
    const { service, client } = world();
    service.faults.add({ kind: 'listing_lag', lagMs: 1000, times: 1 });
    await client.posts.create(draft);
    service.restore(service.snapshot());
    expect((await client.posts.list()).items).toEqual([]);
  });

  it.each([
    [{ kind: 'listing_lag' }, 'lagMs'],
    [{ kind: 'listing_lag', lagMs: -1 }, 'lagMs'],
    [{ kind: 'listing_lag', lagMs: 1, route: 'GET /v1/posts/' }, 'POST /v1/posts/'],
  ])('%j is refused', (fault, named) => {
    expect(() => createEmulator().faults.add(fault as never)).toThrow(named);
  });
});

describe('a rate limit', () => {
  it('accepts this number of requests in any second of real time, and refuses the others with 429 and Retry-After', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { service } = world();
    service.faults.add({ kind: 'rate_limit', perSecond: 2 });
    const statuses = async (count: number) => {
      const replies = await Promise.all(Array.from({ length: count }, () => raw(service, 'GET /v1/posts/')));
      return replies.map(({ status }) => status);
    };
    expect(await statuses(3)).toEqual([200, 200, 429]);
    vi.advanceTimersByTime(600);
    expect(await statuses(1)).toEqual([429]);
    vi.advanceTimersByTime(400);
    // Refused requests do not count.
    expect(await statuses(3)).toEqual([200, 200, 429]);
  });

  it('slides: half a second later, only requests of the last half second count', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { service } = world();
    service.faults.add({ kind: 'rate_limit', perSecond: 2 });
    const status = async () => (await raw(service, 'GET /v1/posts/')).status;
    expect(await status()).toBe(200);
    vi.advanceTimersByTime(500);
    expect(await status()).toBe(200);
    vi.advanceTimersByTime(500);
    expect([await status(), await status()]).toEqual([200, 429]);
  });

  it("uses the operation's error form, says when to retry, and executes nothing", async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { service } = world();
    service.faults.add({ kind: 'rate_limit', perSecond: 1, route: 'POST /v1/posts/' });
    await raw(service, 'POST /v1/posts/', draft);
    const response = await service.fetch('https://emulator.test/v1/posts/', {
      method: 'POST',
      headers: { 'x-access-key': 'test-key' },
      body: JSON.stringify(draft),
    });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ success: false, message: expect.stringContaining('1') as string });
    expect(service.posts).toHaveLength(1);
    expect(service.requests.map(({ faults }) => faults)).toEqual([undefined, ['rate_limit']]);
    expect((await raw(service, 'GET /v1/posts/')).status).toBe(200);
  });

  it.each([0, -1, 1.5, Number.NaN, '20'])('of %s a second is refused', (perSecond) => {
    expect(() => createEmulator().faults.add({ kind: 'rate_limit', perSecond: perSecond as number })).toThrow(
      'perSecond',
    );
  });
});

describe('the clock of the service', () => {
  it('is ahead or behind by clockSkewMs, as a whole', async () => {
    const { service, client } = world({ clockSkewMs: -180_000 });
    expect(service.clock.now()).toBe(start - 180_000);
    await client.posts.create(draft);
    expect(service.posts[0]?.createdAt).toBe('2026-03-02T08:57:00.000Z');
  });

  it.each([Number.NaN, Infinity, '1'])('takes no clockSkewMs of %s', (clockSkewMs) => {
    expect(() => createEmulator({ clockSkewMs } as EmulatorOptions)).toThrow('clockSkewMs');
  });

  it('is in the Date header of every reply: of successes, refusals and faults', async () => {
    const service = createEmulator({ now: () => start + 999 });
    const dateOf = async (path: string) => (await service.fetch(`https://emulator.test${path}`)).headers.get('date');
    expect(await dateOf('/v1/posts/')).toBe('Mon, 02 Mar 2026 09:00:00 GMT');
    await service.clock.advance({ seconds: 1 });
    expect(await dateOf('/nowhere')).toBe('Mon, 02 Mar 2026 09:00:01 GMT');
    service.faults.add({ kind: 'status', status: 503, times: 1 });
    expect(await dateOf('/v1/posts/')).toBe('Mon, 02 Mar 2026 09:00:01 GMT');
    service.faults.add({ kind: 'status', status: 503, headers: { Date: 'Thu, 01 Jan 1970 00:00:00 GMT' } });
    expect(await dateOf('/v1/posts/')).toBe('Thu, 01 Jan 1970 00:00:00 GMT');
    service.faults.clear();
    const broken = clientOf(service.fetch);
    service.faults.add({ kind: 'truncated_body' });
    await expect(broken.posts.list()).rejects.toThrow();
  });
});

describe('unused faults', () => {
  it('is listed as it was added', async () => {
    const { service, client } = world();
    const never = { kind: 'status', status: 500, route: 'GET /v1/comments/' } as const;
    const once = { kind: 'latency', latencyMs: 0, times: 2 } as const;
    service.faults.add(never);
    const remove = service.faults.add({ kind: 'rate_limit', perSecond: 1000 });
    service.faults.add(once);
    expect(service.faults.unused()).toEqual([never, { kind: 'rate_limit', perSecond: 1000 }, once]);
    await client.posts.list();
    remove();
    expect(service.faults.unused()).toEqual([never]);
    service.faults.clear();
    expect(service.faults.unused()).toEqual([]);
  });

  it("lists deliveries' faults too, as copies that can be changed", async () => {
    const { service, platforms } = world();
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    service.deliveryFaults.add({ kind: 'duplicate', times: 5 });
    service.deliveryFaults.add({ kind: 'delay', delayMs: 5, eventType: 'post.failed' });
    (service.deliveryFaults.unused()[1] as { delayMs: number }).delayMs = 7;
    await raw(service, 'POST /v1/posts/', { publishNow: true, platforms });
    await service.settled();
    expect(service.deliveryFaults.unused()).toEqual([{ kind: 'delay', delayMs: 5, eventType: 'post.failed' }]);
  });
});

describe('a fault that could hit nothing is refused', () => {
  it.each([
    ['GET /v1/post/', 'GET /v1/posts/'],
    ['POST /v1/comment-automation/', 'POST /v1/comment-automations/'],
    ['GET /v1/analytics/instagram/account-insight', 'GET /v1/analytics/instagram/account-insights'],
    ['PSOT /v1/posts/', 'POST'],
  ])('%s', (route, named) => {
    expect(() => createEmulator().faults.add({ kind: 'reset_before', route })).toThrow(named);
  });

  it.each(['GET /v1/posts/{postId}', 'PUT /v1/posts/{postId}', 'GET /v1/notifications/', 'DELETE /v1/apps/{id}'])(
    'but %s may be stubbed',
    (route) => {
      expect(createEmulator().faults.add({ kind: 'status', status: 200, route })).toBeTypeOf('function');
    },
  );

  it.each([
    [{ kind: 'status', status: 500, rout: 'GET /v1/posts/' }, 'route'],
    [{ kind: 'latency', latency: 5 }, 'latencyMs'],
    [{ kind: 'timeout', status: 500 }, 'status'],
  ])('%j', (fault, named) => {
    expect(() => createEmulator().faults.add(fault as never)).toThrow(named);
  });

  it('of deliveries, too', () => {
    const { deliveryFaults } = createEmulator();
    expect(() => deliveryFaults.add({ kind: 'duplicate', eventtype: 'post.failed' } as never)).toThrow('eventType');
    expect(() => deliveryFaults.add({ kind: 'dublicate' } as never)).toThrow('duplicate');
  });
});

describe('the limits of keep', () => {
  it('keeps the latest requests and deliveries, up to the number in keep', async () => {
    const { service, client, platforms } = world({ keep: { requests: 3, deliveries: 2 } });
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    for (let index = 0; index < 5; index += 1) {
      await client.posts.create({ content: String(index), publishNow: true, platforms });
    }
    await service.settled();
    expect(service.requests.map(({ body }) => (body as { content: string }).content)).toEqual(['2', '3', '4']);
    expect(service.requests.at(-1)?.status).toBe(200);
    expect(service.deliveries).toHaveLength(2);
  });

  it('holds the start of each reply in memory, not the whole reply', async () => {
    const { service } = world({ accessKey: null });
    service.seed.post({ content: 'x'.repeat(500_000) });
    const before = heapAfterGc();
    for (let index = 0; index < 100; index += 1) await (await service.fetch('https://e.test/v1/posts/')).text();
    expect(service.requests).toHaveLength(100);
    expect((heapAfterGc() - before) / 1e6).toBeLessThan(25);
  });

  it('can be cleared, one or both', async () => {
    const { service, client, platforms } = world();
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    await client.posts.create({ publishNow: true, platforms });
    await service.settled();
    service.clear({ requests: true });
    expect([service.requests.length, service.deliveries.length]).toEqual([0, 1]);
    service.clear({ deliveries: true });
    expect([service.requests.length, service.deliveries.length]).toEqual([0, 0]);
    await client.posts.list();
    expect(service.requests).toHaveLength(1);
    expect(service.posts).toHaveLength(1);
  });

  it.each([
    [{ keep: { requests: -1 } }, 'keep'],
    [{ keep: { deliveries: 1.5 } }, 'keep'],
    [{ keep: { request: 1 } }, 'keep'],
    [{ keep: 5 }, 'keep'],
    [{ deliveryConcurrency: 0 }, 'deliveryConcurrency'],
  ])('%j is refused', (options, named) => {
    expect(() => createEmulator(options as never)).toThrow(named);
  });

  it('clear takes no misspelt names', () => {
    expect(() => {
      createEmulator().clear({ request: true } as never);
    }).toThrow('requests');
  });
});

describe('a request whose body lies deeper than anything can show', () => {
  it('is refused, and spoils neither the list of requests nor the state, nor what observes', async () => {
    const { service, client } = world();
    const seen: unknown[] = [];
    service.observe((change) => seen.push(change));
    const deep = `{"content":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect((await raw(service, 'POST /v1/posts/', deep)).status).toBe(400);
    await client.posts.create(draft);
    expect(service.requests.map(({ body }) => typeof body)).toEqual(['string', 'object']);
    expect(service.latestRequests(2)).toEqual(service.requests);
    expect(createEmulator({ state: service.snapshot().toJSON() }).posts).toHaveLength(1);
    expect(seen).not.toEqual([]);
  });

  it('a key __proto__ in a body reaches no prototype by the list', async () => {
    const { service } = world();
    await raw(service, 'POST /v1/posts/', '{"content":"a","saveAsDraft":true,"__proto__":{"polluted":true}}');
    const { body } = service.requests[0] ?? {};
    expect((body as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.keys(body as object)).toEqual(['content', 'saveAsDraft']);
  });
});

describe("a base URL with a path like the service's", () => {
  it.each(['/v1/proxy/v1/posts/', '/v1/v1/posts/', '/x/v1/posts/'])('%s', async (path) => {
    const { service } = world();
    expect((await raw(service, `GET ${path}`)).status).toBe(200);
    service.faults.add({ kind: 'status', status: 503, route: 'GET /v1/posts/', times: 1 });
    expect((await raw(service, `GET ${path}`)).status).toBe(503);
  });

  it('an ID in the path may look like a version too', async () => {
    const { service } = world();
    const ask = async (path: string) => {
      await raw(service, `GET ${path}`);
      return service.requests.at(-1)?.route;
    };
    expect(await ask('/v1/comment-automations/v1/logs')).toBe('GET /v1/comment-automations/{id}/logs');
    expect(await ask('/proxy/v1/comment-automations/v1/logs')).toBe('GET /v1/comment-automations/{id}/logs');
  });
});
