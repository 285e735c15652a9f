import { beforeEach, describe, expect, it } from 'vitest';
import type { SocialPublishing } from '../../src/client.js';
import { CreditLimitError } from '../../src/core/errors.js';
import {
  closedPort,
  json,
  raw,
  reply,
  reset,
  silence,
  WireServer,
  type Answer,
  type Script,
} from '../support/wire-server.js';
import { analytics, classesOfCall, insights } from './calls.js';
import { rejection, testClient } from './client.js';

let server: WireServer;
let script: Script;

beforeEach(async () => {
  server = await WireServer.start((request, index) => script(request, index));
});

/**
 * The cost of each result of a call: post analytics cost per call, insights per success. A lost reply may be a success.
 */
const ends: readonly (readonly [string, (kind: typeof analytics) => Answer, analytics: number, insights: number])[] = [
  ['a success', (kind) => json(kind.good), 1, 1],
  ['status 400', () => json({ success: false }, 400), 1, 0],
  ['status 401', () => json({ success: false }, 401), 1, 0],
  ['status 429', () => json({ success: false }, 429), 1, 0],
  ['status 500', () => json({ success: false }, 500), 1, 0],
  ['status 503', () => json({ success: false }, 503), 1, 0],
  ['success: false', () => json({ success: false, message: 'No' }), 1, 0],
  ['a redirect', () => reply({ status: 302, headers: [['location', '/x']] }), 1, 0],
  ['a reset', () => reset, 1, 1],
  ['a cut body', () => raw('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{', 'end'), 1, 1],
  ['a time-out', () => silence, 1, 1],
  ['a success that cannot be read', () => reply({ body: '<p>' }), 1, 1],
];

describe('creditsUsed', () => {
  it.each(ends)('counts after %s', async (what, answer, ofAnalytics, ofInsights) => {
    for (const [kind, cost] of [
      [analytics, ofAnalytics],
      [insights, ofInsights],
    ] as const) {
      script = () => answer(kind);
      const { client } = testClient(server.url, { timeoutMs: what === 'a time-out' ? 50 : 600_000, maxRetries: 1 });
      await Promise.allSettled([kind.call(client)]);
      expect(client.creditsUsed, kind.name).toBe(cost);
    }
  });

  it('counts nothing that was not sent: refused connections, refused arguments, a key that does not come', async () => {
    script = () => silence;
    const closed = testClient(closedPort).client;
    for (const { call } of [analytics, insights]) await rejection(call(closed));
    expect(closed.creditsUsed).toBe(0);

    const { client } = testClient(server.url);
    await rejection(client.analytics.getPost('post_1', { source: 'platform' }));
    await rejection(client.analytics.getInstagramInsights({ accountId: 5 as never }));
    expect(client.creditsUsed).toBe(0);

    const keyless = testClient(server.url, { accessKey: () => Promise.reject(new Error('no key')) }).client;
    await rejection(analytics.call(keyless));
    expect(keyless.creditsUsed).toBe(0);
    expect(server.requests).toHaveLength(0);
  });

  it('counts one credit for a call that was sent again after a refusal', async () => {
    for (const kind of [analytics, insights]) {
      script = (_, index) => (index % 2 === 0 ? json({ success: false }, 429) : json(kind.good));
      const { client } = testClient(server.url);
      await kind.call(client);
      expect(client.creditsUsed).toBe(1);
    }
  });

  it('counts nothing for all the other calls', async () => {
    for (const kind of classesOfCall.filter((one) => one !== analytics && one !== insights)) {
      script = () => json(kind.good);
      const { client } = testClient(server.url);
      await kind.call(client);
      expect(client.creditsUsed).toBe(0);
    }
  });

  it('counts each page of the post analytics that was asked for, and none ahead', async () => {
    script = ({ path }) => {
      const page = Number(new URL(path, 'http://x').searchParams.get('page') ?? 1);
      return json({ success: true, posts: page > 3 ? [] : [{ postId: `post_${String(page)}` }] });
    };
    const { client } = testClient(server.url);
    for await (const post of client.analytics.listPosts({ limit: 1 }, { concurrency: 4 })) {
      if (post.postId === 'post_2') break;
    }
    expect(client.creditsUsed).toBe(2);
    expect(server.requests).toHaveLength(2);
  });

  it('counts calls that are made by their route alike', async () => {
    script = () => json(analytics.good);
    const { client } = testClient(server.url);
    await client.request('GET /v1/analytics/', { query: { postId: 'post_1' } });
    expect(client.creditsUsed).toBe(1);
    script = () => reset;
    await rejection(client.request('GET /v1/analytics/', { query: { postId: 'post_1' }, idempotent: true }));
    expect(server.requests).toHaveLength(2);
    expect(client.creditsUsed).toBe(2);
  });

  it('is shared with clients made by withOptions, both ways', async () => {
    script = () => json(analytics.good);
    const { client } = testClient(server.url);
    const other = client.withOptions({ maxRetries: 0 });
    await analytics.call(client);
    await analytics.call(other);
    expect([client.creditsUsed, other.creditsUsed]).toEqual([2, 2]);
  });
});

describe('maxCredits', () => {
  const refused = async (client: SocialPublishing) => {
    const error = await rejection(analytics.call(client));
    expect(error).toBeInstanceOf(CreditLimitError);
    return error;
  };

  it('refuses the call that would pass it, before anything is sent', async () => {
    script = () => json(analytics.good);
    const { client } = testClient(server.url, { maxCredits: 2 });
    await analytics.call(client);
    await analytics.call(client);
    expect(await refused(client)).toMatchObject({
      creditsUsed: 2,
      maxCredits: 2,
      outcome: 'not_sent',
      method: 'GET',
      route: '/v1/analytics/',
    });
    expect(server.requests).toHaveLength(2);
    expect(client.creditsUsed).toBe(2);
  });

  it('of 0 refuses every call that costs, and no other', async () => {
    script = () => json({ success: true, posts: [] });
    const { client } = testClient(server.url, { maxCredits: 0 });
    await refused(client);
    expect(await rejection(insights.call(client))).toBeInstanceOf(CreditLimitError);
    await client.posts.list();
    expect(server.requests).toHaveLength(1);
  });

  it('holds for calls side by side', async () => {
    script = () => json(analytics.good);
    const { client } = testClient(server.url, { maxCredits: 3 });
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => analytics.call(client)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(server.requests).toHaveLength(3);
    expect(client.creditsUsed).toBe(3);
  });

  it('holds for calls of clients made by withOptions, side by side', async () => {
    script = () => json(analytics.good);
    const { client } = testClient(server.url, { maxCredits: 3 });
    const clients = [client, client.withOptions({ maxRetries: 0 }), client.withOptions({ maxCredits: 2 })];
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => analytics.call(clients[index % 3] ?? client)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(client.creditsUsed).toBe(3);
  });

  it('returns the credit of a call that cost none', async () => {
    script = (_, index) => (index === 0 ? json({ success: false }, 400) : json(insights.good));
    const { client } = testClient(server.url, { maxCredits: 1 });
    await rejection(insights.call(client));
    await insights.call(client);
    expect(await rejection(insights.call(client))).toBeInstanceOf(CreditLimitError);
    expect(client.creditsUsed).toBe(1);
  });

  it('returns the credits of calls that were never sent', async () => {
    script = () => json(analytics.good);
    const url = closedPort;
    const { client } = testClient(url, { maxCredits: 1 });
    for (let call = 0; call < 3; call += 1)
      expect(await rejection(analytics.call(client))).toMatchObject({ name: 'ConnectionError' });
    await analytics.call(client.withOptions({ baseUrl: server.url }));
    await refused(client);
  });

  it('is passed by no repeat', async () => {
    script = (_, index) => (index < 2 ? json({ success: false }, 429) : json(analytics.good));
    const { client } = testClient(server.url, { maxCredits: 1 });
    await analytics.call(client);
    expect(client.creditsUsed).toBe(1);
    expect(server.requests).toHaveLength(3);
  });

  it('ends a walk over post analytics, which can be resumed', async () => {
    script = ({ path }) => {
      const page = Number(new URL(path, 'http://x').searchParams.get('page') ?? 1);
      return json({ success: true, posts: [{ postId: `post_${String(page)}` }] });
    };
    const { client } = testClient(server.url, { maxCredits: 2 });
    const seen: unknown[] = [];
    const walk = (async () => {
      for await (const { postId } of client.analytics.listPosts({ limit: 1 })) seen.push(postId);
    })();
    expect(await rejection(walk)).toMatchObject({ name: 'CreditLimitError', resume: { limit: 1, page: 3 } });
    expect(seen).toEqual(['post_1', 'post_2']);
  });
});
