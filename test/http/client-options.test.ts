import { describe, expect, it } from 'vitest';
import { ConfigurationError, SocialPublishing } from '../../src/index.js';
import { rejection, testClient } from '../policies/client.js';
import { recordingServer } from '../support/recording-server.js';

const list = { success: true, total: 0, posts: [] };
const insights = { success: true, metrics: {} };

describe('withOptions', () => {
  it('takes undefined for no change', async () => {
    const server = await recordingServer(() => list);
    const retries: unknown[] = [];
    const client = new SocialPublishing({
      baseUrl: server.url,
      accessKey: 'k',
      headers: { 'x-a': '1' },
      maxRetries: 0,
      maxCredits: 0,
      hooks: { onRequest: (info) => retries.push(info) },
    });
    const same = client.withOptions({
      baseUrl: undefined,
      accessKey: undefined,
      headers: undefined,
      maxRetries: undefined,
      maxCredits: undefined,
      hooks: undefined,
      fetch: undefined,
    });
    await same.posts.list();
    expect(server.requests[0]?.headers).toMatchObject({ 'x-access-key': 'k', 'x-a': '1' });
    expect(retries).toHaveLength(1);
    expect(await rejection(same.analytics.getPost('post_1'))).toMatchObject({ name: 'CreditLimitError' });
  });
});

describe('options with getters, as of a configuration service', () => {
  class Config {
    get baseUrl() {
      return 'https://a.test';
    }
    get accessKey() {
      return 'k';
    }
  }

  it('last in derived clients', () => {
    const client = new SocialPublishing(new Config());
    expect(client.withOptions({ maxRetries: 0 }).baseUrl).toBe('https://a.test');
    expect(client.withBudget(1).baseUrl).toBe('https://a.test');
  });

  it('can be changed by withOptions', () => {
    const client = new SocialPublishing({ baseUrl: 'https://b.test', accessKey: 'k' });
    expect(client.withOptions(new Config()).baseUrl).toBe('https://a.test');
  });
});

describe('withBudget', () => {
  it('counts from 0 up to its own limit and shares all else', async () => {
    const server = await recordingServer(() => insights);
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'k', headers: { 'x-a': '1' } });
    await client.analytics.getInstagramInsights({ accountId: 'int_1' });
    const budget = client.withBudget(2);
    expect(budget.creditsUsed).toBe(0);
    for (let call = 0; call < 2; call += 1) await budget.analytics.getInstagramInsights({ accountId: 'int_1' });
    expect(await rejection(budget.analytics.getInstagramInsights({ accountId: 'int_1' }))).toMatchObject({
      name: 'CreditLimitError',
      creditsUsed: 2,
      maxCredits: 2,
    });
    expect([client.creditsUsed, budget.creditsUsed, budget.withOptions({ maxRetries: 0 }).creditsUsed]).toEqual([
      3, 2, 2,
    ]);
    expect(server.requests[2]?.headers).toMatchObject({ 'x-a': '1' });
  });

  it('applies every limit of all parents, and names the one that refuses', async () => {
    const server = await recordingServer(() => insights);
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'k', maxCredits: 3 });
    const spend = (from: SocialPublishing) => from.analytics.getInstagramInsights({ accountId: 'int_1' });
    const month = client.withBudget(50);
    const day = month.withBudget(2);
    await spend(day);
    await spend(day);
    expect(await rejection(spend(day))).toMatchObject({
      message: expect.stringContaining(
        'The call costs 1 credit and would pass the budget (2; 2 used or reserved)',
      ) as string,
      creditsUsed: 2,
      maxCredits: 2,
    });
    await spend(month);
    expect(await rejection(spend(month))).toMatchObject({
      message: expect.stringContaining('would pass maxCredits (3; 3 used or reserved)') as string,
      creditsUsed: 3,
      maxCredits: 3,
    });
    expect([client, month, day].map(({ creditsUsed }) => creditsUsed)).toEqual([3, 3, 2]);
    expect(server.requests).toHaveLength(3);
  });

  it('refuses a range before its first call if a parent cannot pay it, and releases the remaining credits', async () => {
    const server = await recordingServer(() => insights);
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'k', maxCredits: 2 });
    const budget = client.withBudget(50);
    const query = { accountId: 'int_1', since: '2026-01-01', until: '2026-12-31' };
    const first = (from: SocialPublishing, range: typeof query) =>
      from.analytics.getInstagramInsightsOver(range)[Symbol.asyncIterator]();
    expect(await rejection(first(budget, query).next())).toMatchObject({ name: 'CreditLimitError', maxCredits: 2 });
    expect(server.requests).toHaveLength(0);
    const walk = first(budget, { ...query, until: '2026-04-30' });
    await walk.next();
    await walk.return?.();
    expect(client.creditsUsed).toBe(1);
    await budget.analytics.getInstagramInsights({ accountId: 'int_1' });
    expect(client.creditsUsed).toBe(2);
  });

  it.each([-1, 0.5, Number.NaN, Infinity, '5', undefined, null])('refuses %s', (credits) => {
    const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: 'k' });
    expect(() => client.withBudget(credits as number)).toThrow(ConfigurationError);
  });
});

describe('the option now', () => {
  it('is the clock that a date in Retry-After is read by', async () => {
    const now = Date.parse('2020-01-01T00:00:00Z');
    let calls = 0;
    const fetch = () => {
      calls += 1;
      const headers = { 'retry-after': 'Wed, 01 Jan 2020 00:00:07 GMT' };
      return Promise.resolve(calls === 1 ? Response.json({}, { status: 503, headers }) : Response.json(list));
    };
    const { client, waits } = testClient('https://api.test', { fetch, now: () => now });
    await client.posts.list();
    expect(waits[0]).toBeGreaterThanOrEqual(7_000);
    expect(waits[0]).toBeLessThan(8_000);
  });
});

describe('the time that a create with publishNow has', () => {
  const timeoutOf = async (options: object, request: object = {}, route = false): Promise<unknown> => {
    // The clock jumps by a day once the call has begun and its deadline is known: whatever the limit is, it is over.
    const fetch = (_: unknown, init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => {
          reject(init.signal?.reason as Error);
        });
      });
    let reads = 0;
    const monotonic = () => (reads++ < 2 ? 0 : 86_400_000);
    const { client } = testClient(
      'https://api.test',
      { fetch, maxRetries: 0, timeoutMs: undefined, totalTimeoutMs: undefined, ...options },
      {
        monotonic,
      },
    );
    const body = {
      content: 'x',
      platforms: [{ platform: 'bluesky', accountId: 'a' } as const],
      publishNow: true as const,
    };
    const call = route ? client.request('POST /v1/posts/', { body }, request) : client.posts.create(body, request);
    return ((await rejection(call)) as { timeoutMs?: number }).timeoutMs;
  };

  it('is five minutes in all', async () => {
    expect(await timeoutOf({})).toBe(300_000);
    expect(await timeoutOf({}, {}, true)).toBe(300_000);
  });

  it("is the caller's value, of the client or the call", async () => {
    expect(await timeoutOf({ totalTimeoutMs: 1_000 })).toBe(1_000);
    expect(await timeoutOf({}, { totalTimeoutMs: 2_000 })).toBe(2_000);
  });
});

describe('a name that nothing goes by', () => {
  it('is refused as a hook of several, with the name that is near', () => {
    const make = () => new SocialPublishing({ hooks: [{}, { onEnds: () => undefined }] } as never);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow("did you mean 'onEnd'?");
  });

  it('is reported without a suggestion if no name is near', () => {
    expect(() => new SocialPublishing({ colour: 'red' } as never)).toThrow(
      /^'colour' is not an option of the client\. Supported: /,
    );
  });
});
