import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEmulator, type EmulatorOptions } from '../../../src/emulator/index.js';
import { clientOf, raw, start, world } from '../world.js';

const draft = { content: 'Hi', saveAsDraft: true } as const;

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

  it('is not used up by a create that is not carried out', async () => {
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
  it('takes so many requests in any second of real time, and refuses the rest with 429 and Retry-After', async () => {
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
    // What was refused does not count.
    expect(await statuses(3)).toEqual([200, 200, 429]);
  });

  it('slides: half a second later only what is half a second old counts', async () => {
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

  it("speaks in the operation's error form, tells when to come back, and carries nothing out", async () => {
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

  it('stands in the Date header of every reply: of successes, refusals and faults', async () => {
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
