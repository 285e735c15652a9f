import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ApiError,
  InvalidRequestError,
  PaginationError,
  responseOf,
  SocialPublishing,
  SocialPublishingError,
  type ListPostsQuery,
  type Post,
} from '../../src/index.js';
import type { Answer } from '../support/recording-server.js';
import { collect } from '../support/collect.js';
import { cappedPosts, clientOf, ids, numbered, postsOf } from './lists.js';

const startAgain = 'To continue anyway, start again from error.resume.';

describe('a list by offset', () => {
  test('sends nothing before it is awaited or iterated', async () => {
    const { client, requests } = await clientOf(postsOf(3));
    const list = client.posts.list();
    list.pages();
    await new Promise((resolve) => setImmediate(resolve));
    expect(requests).toHaveLength(0);
    await list;
    await list;
    expect(requests).toHaveLength(1);
  });

  test.each([
    [0, 1],
    [1, 1],
    [4, 2],
    [5, 3],
  ])('of %i items is walked in %i requests at 2 a page', async (count, requestCount) => {
    const { client, requests } = await clientOf(postsOf(count));
    expect(ids(await collect(client.posts.list({ limit: 2 })))).toEqual(numbered(count));
    expect(requests).toHaveLength(requestCount);
  });

  test('advances by the items received, not by the limit asked for', async () => {
    const { client, targets } = await clientOf(cappedPosts(5, 2, { total: 5 }));
    expect(ids(await collect(client.posts.list({ limit: 100 })))).toEqual(numbered(5));
    expect(targets()).toEqual([
      '/v1/posts/?limit=100',
      '/v1/posts/?limit=100&offset=2',
      '/v1/posts/?limit=100&offset=4',
    ]);
  });

  test("continues from the caller's offset", async () => {
    const { client, targets } = await clientOf(postsOf(6));
    expect(ids(await collect(client.posts.list({ limit: 2, offset: 3 })))).toEqual(['post_3', 'post_4', 'post_5']);
    expect(targets()).toHaveLength(2);
  });

  test('stops on an empty page, whatever total says', async () => {
    const { client, requests } = await clientOf(() => ({ total: 1_000, posts: [] }));
    expect(await client.posts.list().toArray()).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  test('without a total is walked until a page is short', async () => {
    const { client, requests } = await clientOf(cappedPosts(5, 2));
    expect(ids(await collect(client.posts.list({ limit: 2 })))).toEqual(numbered(5));
    expect(requests).toHaveLength(3);
  });

  test.each([
    ['whatever total says', { total: 1_000_000, posts: [{ postId: 'a' }, { postId: 'b' }] }],
    ['without a total', { posts: [{ postId: 'a' }, { postId: 'b' }] }],
  ])('that returns only repeated items ends after ten such pages, %s', async (_, reply) => {
    const { client, requests } = await clientOf(() => reply);
    await expect(collect(client.posts.list({ limit: 2 }))).rejects.toMatchObject({
      name: 'PaginationError',
      message: expect.stringContaining(
        `/v1/posts/ returned only repeats on 10 pages in a row. ${startAgain}`,
      ) as unknown,
      resume: { limit: 2, offset: 22 },
    });
    expect(requests).toHaveLength(11);
  });

  test('without a total continues after a page that contains only repeats', async () => {
    const pages = [
      ['a', 'b'],
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'd'],
    ];
    const { client } = await clientOf((_, page) => ({
      posts: (pages[page - 1] ?? []).map((postId) => ({ postId })),
    }));
    expect(ids(await collect(client.posts.list({ limit: 2 })))).toEqual(['a', 'b', 'c', 'd']);
  });

  test('yields an item once when rows shift between two pages, and continues', async () => {
    const shifted = [
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'd'],
    ];
    const { client } = await clientOf((_, page) => ({
      total: 6,
      posts: (shifted[page - 1] ?? []).map((postId) => ({ postId })),
    }));
    expect(ids(await collect(client.posts.list({ limit: 2 })))).toEqual(['a', 'b', 'c', 'd']);
  });

  test('yields pages with their replies', async () => {
    const { client } = await clientOf(postsOf(3));
    const first = await client.posts.list({ limit: 2 });
    expect(first.response.total).toBe(3);
    expect(first.hasNextPage).toBe(true);
    const second = await first.nextPage();
    expect(ids(second?.items ?? [])).toEqual(['post_2']);
    expect(second?.hasNextPage).toBe(false);
    expect(await second?.nextPage()).toBeUndefined();
    expect(await first.nextPage()).toBe(second);
    expect(responseOf(first)?.status).toBe(200);
    expect(responseOf(first.items)?.url).toContain('/v1/posts/?limit=2');
    expect(responseOf(first.items[0] as object)?.body).toMatchObject({ total: 3 });
  });

  test('collects no more than maxItems and fetches no page that it does not need', async () => {
    const { client, requests } = await clientOf(postsOf(10));
    const list = (maxItems: number) => client.posts.list({ limit: 2 }).toArray({ maxItems });
    expect(ids(await list(4))).toEqual(numbered(4));
    expect(requests).toHaveLength(2);
    expect(await list(0)).toEqual([]);
    expect(requests).toHaveLength(2);
    expect(ids(await list(3))).toEqual(numbered(3));
    expect(await list(Infinity)).toHaveLength(10);
  });

  test.each([-1, 1.5, Number.NaN])('refuses maxItems of %d', async (maxItems) => {
    const { client, requests } = await clientOf(postsOf(1));
    await expect(client.posts.list().toArray({ maxItems })).rejects.toThrow(InvalidRequestError);
    expect(requests).toHaveLength(0);
  });
});

describe('reading ahead', () => {
  /** Answers only once `together` requests are waiting, or none is expected any more. */
  function gate(count: number, together: number) {
    const waiting: (() => void)[] = [];
    let most = 0;
    const answer = postsOf(count);
    const gated: Answer = async (request, page) => {
      if (page > 1) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          most = Math.max(most, waiting.length);
          // In reverse: later pages answer first, and the order must hold all the same.
          if (waiting.length === together) for (const open of waiting.splice(0).reverse()) open();
        });
      }
      return answer(request, page);
    };
    return { gated, most: () => most };
  }

  test.each<[string, (client: SocialPublishing) => Promise<Post[]>]>([
    ['with concurrency 4', (client) => collect(client.posts.list({ limit: 2 }, { concurrency: 4 }))],
    ['by default in toArray', (client) => client.posts.list({ limit: 2 }).toArray()],
  ])('fetches 4 pages side by side and keeps the order, %s', async (_, walk) => {
    const { gated, most } = gate(10, 4);
    const { client } = await clientOf(gated);
    expect(ids(await walk(client))).toEqual(numbered(10));
    expect(most()).toBe(4);
  });

  test('fails in its turn, after the items before the page that failed', async () => {
    const server = postsOf(10);
    const { client } = await clientOf((request, page) =>
      request.target.includes('offset=4') ? { success: false, message: 'broken' } : server(request, page),
    );
    const seen: string[] = [];
    const walk = async () => {
      for await (const post of client.posts.list({ limit: 2 }, { concurrency: 4 })) seen.push(post.postId);
    };
    await expect(walk()).rejects.toThrow('broken');
    expect(seen).toEqual(numbered(4));
  });

  test("fetches a cursor's next page while the current one is consumed, and only that", async () => {
    const { client, requests } = await clientOf((_, page) => ({
      comments: [{ id: `c${String(page)}` }],
      nextCursor: page < 4 ? `n${String(page)}` : '',
    }));
    const pages = client.comments
      .list({ platform: 'threads', accountId: 'a', postId: 'p' }, { concurrency: 5 })
      .pages();
    await pages.next();
    await expect.poll(() => requests.length).toBe(2);
    expect((await collect(pages)).flatMap((page) => page.items.map(({ id }) => id))).toEqual(['c2', 'c3', 'c4']);
    expect(requests).toHaveLength(4);
  });

  test('never spends a credit ahead of need', async () => {
    const { client, requests } = await clientOf((_, page) => ({ posts: [{ postId: `p${String(page)}` }] }));
    for await (const _ of client.analytics.listPosts({ limit: 1 }, { concurrency: 4 })) break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(requests).toHaveLength(1);
    expect(client.creditsUsed).toBe(1);
  });

  test.each([0, 1.5, -1])('refuses a concurrency of %d', async (concurrency) => {
    const { client, requests } = await clientOf(postsOf(1));
    await expect(collect(client.posts.list({}, { concurrency }))).rejects.toThrow('concurrency');
    await expect(client.posts.list({}, { concurrency })).rejects.toThrow('concurrency');
    expect(requests).toHaveLength(0);
  });

  test('loses no item and yields none twice, for any sizes and concurrency', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(40),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 6 }),
        async (count, limit, concurrency) => {
          const answer = postsOf(count);
          const fetch = async (input: RequestInfo | URL) => {
            const target = input as string;
            return Promise.resolve(Response.json(answer({ method: 'GET', target, headers: {}, body: '' }, 1)));
          };
          const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: 'k', fetch });
          expect(ids(await collect(client.posts.list({ limit }, { concurrency })))).toEqual(numbered(count));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a list by cursor', () => {
  const query = { platform: 'instagram', accountId: 'a', postId: 'p' } as const;

  test.each([
    ['an empty string', ''],
    ['null', null],
    ['nothing', undefined],
  ])('ends with %s', async (_, nextCursor) => {
    const { client, targets } = await clientOf((__, page) => ({
      comments: [{ id: `c${String(page)}` }],
      nextCursor: page === 1 ? 'n' : nextCursor,
    }));
    expect(await client.comments.list(query).toArray()).toHaveLength(2);
    expect(targets()[1]).toContain('after=n');
  });

  test('goes on over an empty page', async () => {
    const { client } = await clientOf((_, page) => ({
      comments: page === 2 ? [] : [{ id: `c${String(page)}` }],
      nextCursor: page < 3 ? `n${String(page)}` : '',
    }));
    expect((await client.comments.list(query).toArray()).map(({ id }) => id)).toEqual(['c1', 'c3']);
  });

  test('stops after ten empty pages in a row', async () => {
    const { client, requests } = await clientOf((_, page) => ({ comments: [], nextCursor: `n${String(page)}` }));
    await expect(collect(client.comments.list(query))).rejects.toMatchObject({
      name: 'PaginationError',
      message: expect.stringContaining(`returned 10 empty pages in a row. ${startAgain}`) as unknown,
      resume: { ...query, after: 'n10' },
    });
    expect(requests).toHaveLength(10);
  });

  test.each([1, 3])('that comes back ends in an error, not in a circle (concurrency %i)', async (concurrency) => {
    const { client, requests } = await clientOf((_, page) => ({
      comments: [{ id: `c${String(page)}` }],
      nextCursor: 'n1',
    }));
    const seen: string[] = [];
    const walk = async () => {
      for await (const { id } of client.comments.list(query, { concurrency })) seen.push(id);
    };
    await expect(walk()).rejects.toMatchObject({
      name: 'PaginationError',
      message: expect.stringContaining('returned a cursor a second time, so the list would never end.') as unknown,
      resume: { ...query, after: 'n1' },
    });
    expect(seen).toEqual(['c1', 'c2']);
    expect(requests).toHaveLength(2);
  });

  test("that equals the caller's own is a circle too", async () => {
    const { client, requests } = await clientOf(() => ({ comments: [{ id: 'c' }], nextCursor: 'mine' }));
    await expect(collect(client.comments.list({ ...query, after: 'mine' }))).rejects.toThrow(PaginationError);
    expect(requests).toHaveLength(1);
  });

  test('is guarded in nextPage as well', async () => {
    const { client } = await clientOf(() => ({ comments: [{ id: 'c' }], nextCursor: 'n' }));
    const first = await client.comments.list(query);
    const second = await first.nextPage();
    await expect(second?.nextPage()).rejects.toThrow(PaginationError);
  });
});

describe('a list by skip', () => {
  const log = (id: number) => ({ id: `log_${String(id)}` });

  test('trusts hasMore and advances by the received items', async () => {
    const { client, targets } = await clientOf((_, page) => ({
      logs: page < 3 ? [log(page * 2), log(page * 2 + 1)] : [log(9)],
      pagination: { hasMore: page < 3 },
    }));
    expect(await collect(client.automations.listLogs('auto_1', { limit: 50 }))).toHaveLength(5);
    expect(targets().map((target) => new URL(target, 'http://x').searchParams.get('skip'))).toEqual([null, '2', '4']);
  });

  test('continues after a page that contains only repeats if hasMore says so', async () => {
    const { client } = await clientOf((_, page) => ({
      logs: [log(page < 3 ? 1 : page)],
      pagination: { hasMore: page < 4 },
    }));
    expect((await collect(client.automations.listLogs('auto_1'))).map(({ id }) => id)).toEqual([
      'log_1',
      'log_3',
      'log_4',
    ]);
  });

  test('without pagination in the reply is walked until a page is empty', async () => {
    const { client, requests } = await clientOf((_, page) => ({ logs: page < 3 ? [log(page)] : [] }));
    expect(await collect(client.automations.listLogs('auto_1'))).toHaveLength(2);
    expect(requests).toHaveLength(3);
  });
});

describe('the list of post analytics, whose shape is not documented', () => {
  test('ends on a short page', async () => {
    const { client, targets } = await clientOf((_, page) => ({
      posts: page === 1 ? [{ postId: 'a' }, { postId: 'b' }] : [{ postId: 'c' }],
    }));
    expect(ids(await client.analytics.listPosts({ limit: 2 }).toArray())).toEqual(['a', 'b', 'c']);
    expect(targets()[1]).toBe('/v1/analytics/?limit=2&page=2');
    expect(client.creditsUsed).toBe(2);
  });

  test('ends when the service ignores the page', async () => {
    const { client, requests } = await clientOf(() => ({ posts: [{ postId: 'a' }] }));
    expect(ids(await client.analytics.listPosts({ limit: 1 }).toArray())).toEqual(['a']);
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['without the documented ID', { id: 'x', content: 'Hello' }],
    ['without any ID', { content: 'Hello' }],
  ])('ends when the service repeats its last page, with items %s', async (_, item) => {
    const { client, requests } = await clientOf((__, page) => ({
      items: [{ ...item, content: String(Math.min(page, 3)) }],
    }));
    await client.analytics.listPosts({ limit: 1 }).toArray();
    expect(requests).toHaveLength(4);
    expect(client.creditsUsed).toBe(4);
  });

  test('never takes items without an ID for repeats', async () => {
    const { client } = await clientOf((_, page) => ({
      posts: page === 1 ? [{ content: 'x' }, { content: 'x' }] : [{ content: 'x' }],
    }));
    expect(await client.analytics.listPosts({ limit: 2 }).toArray()).toHaveLength(3);
  });
});

describe('an error in mid-walk', () => {
  test('can be walked on from: resume is the query of the page that failed', async () => {
    let broken = true;
    const answer = postsOf(6);
    const { client } = await clientOf((request, page) =>
      broken && request.target.includes('offset=4') ? { success: false, message: 'no' } : answer(request, page),
    );
    const seen: string[] = [];
    let query: ListPostsQuery | undefined = { limit: 2, sort: 'asc' };
    while (query !== undefined) {
      try {
        for await (const post of client.posts.list(query)) seen.push(post.postId);
        query = undefined;
      } catch (error) {
        if (!(error instanceof SocialPublishingError)) throw error;
        expect(error).toBeInstanceOf(ApiError);
        expect(error.resume).toEqual({ limit: 2, sort: 'asc', offset: 4 });
        query = error.resume as ListPostsQuery | undefined;
        broken = false;
      }
    }
    expect(seen).toEqual(numbered(6));
  });

  test('of credits that ran out carries resume too', async () => {
    const { client, requests } = await clientOf(() => ({ posts: [{ postId: String(Math.random()) }] }), {
      maxCredits: 2,
    });
    await expect(collect(client.analytics.listPosts({ limit: 1 }))).rejects.toMatchObject({
      name: 'CreditLimitError',
      outcome: 'not_sent',
      resume: { limit: 1, page: 3 },
    });
    expect(requests).toHaveLength(2);
  });

  test('can be tried again on the very page', async () => {
    let broken = true;
    const answer = postsOf(4);
    const { client } = await clientOf((request, page) =>
      broken && request.target.includes('offset') ? { success: false, message: 'no' } : answer(request, page),
    );
    const page = await client.posts.list({ limit: 2 });
    await expect(page.nextPage()).rejects.toThrow('no');
    broken = false;
    expect(ids((await page.nextPage())?.items ?? [])).toEqual(['post_2', 'post_3']);
  });

  const abortAfter = async (count: number, limit: number, concurrency: number) => {
    const { client, requests } = await clientOf(postsOf(20));
    const controller = new AbortController();
    const reason = new Error('enough');
    const seen: string[] = [];
    const walk = async () => {
      for await (const post of client.posts.list({ limit }, { signal: controller.signal, concurrency })) {
        seen.push(post.postId);
        if (seen.length === count) controller.abort(reason);
      }
    };
    await expect(walk()).rejects.toBe(reason);
    return { seen, requests };
  };

  test.each([1, 3])('by abort rejects with the reason between two pages (concurrency %i)', async (concurrency) => {
    const { seen, requests } = await abortAfter(2, 2, concurrency);
    expect(seen).toEqual(['post_0', 'post_1']);
    expect(requests.length).toBeLessThanOrEqual(1 + concurrency);
  });

  test.each([1, 3])('by abort yields no further item of the current page (concurrency %i)', async (concurrency) => {
    const { seen } = await abortAfter(7, 5, concurrency);
    expect(seen).toHaveLength(7);
  });
});
