import { describe, expect, test } from 'vitest';
import { SocialPublishing, type ListPostsQuery } from '../../src/index.js';
import { rejection } from '../policies/client.js';
import { collect } from '../support/collect.js';
import { clientOf, ids, numbered, offsetOf, postsOf } from './lists.js';

const comments = { platform: 'threads', accountId: 'a', postId: 'p' } as const;

describe('the query of a walk', () => {
  test('keeps fields that a class inherits on later pages', async () => {
    class OfTwo {
      get limit() {
        return 2;
      }
    }
    const query: ListPostsQuery = new OfTwo();
    const { client, targets } = await clientOf(postsOf(3));
    expect(ids(await collect(client.posts.list(query)))).toEqual(numbered(3));
    expect(targets()).toEqual(['/v1/posts/?limit=2', '/v1/posts/?limit=2&offset=2']);
  });

  test('ends after a full page if the total is 0', async () => {
    const { client, requests } = await clientOf(() => ({ total: 0, posts: [{ postId: 'a' }, { postId: 'b' }] }));
    expect(ids(await collect(client.posts.list({ limit: 2 })))).toEqual(['a', 'b']);
    expect(requests).toHaveLength(1);
  });

  test('counts a page as full by the documented default if it names no limit', async () => {
    const { client, requests } = await clientOf((_, page) => ({
      posts: numbered(page === 1 ? 20 : 1).map((postId) => ({ postId: `${String(page)}_${postId}` })),
    }));
    expect(await collect(client.posts.list())).toHaveLength(21);
    expect(requests).toHaveLength(2);
  });
});

describe('an option of a list', () => {
  test.each([
    [
      'concurrency must be a whole number, 1 or more',
      (client: SocialPublishing) => collect(client.posts.list({}, { concurrency: 0 })),
    ],
    [
      'maxItems must be a whole number, 0 or more, or Infinity',
      (client: SocialPublishing) => client.posts.list().toArray({ maxItems: -1 }),
    ],
  ])('that is out of range is named with the route: %s', async (message, walk) => {
    const { client } = await clientOf(postsOf(1));
    expect(await rejection(walk(client))).toMatchObject({
      method: 'GET',
      route: '/v1/posts/',
      outcome: 'not_sent',
      issues: [{ path: [message.split(' ')[0]], message }],
    });
  });
});

describe('a list handled like a promise', () => {
  test('passes its error to catch, and calls finally once', async () => {
    const { client } = await clientOf(() => ({ success: false, message: 'not now' }));
    const ends: string[] = [];
    const page = await client.posts
      .list()
      .catch((error: unknown) => String(error))
      .finally(() => ends.push('end'));
    expect(page).toContain('not now');
    await rejection(client.posts.list().finally(() => ends.push('failed')));
    expect(ends).toEqual(['end', 'failed']);
  });

  test('passes its page through finally', async () => {
    const { client } = await clientOf(postsOf(2));
    let ended = 0;
    const page = await client.posts.list().finally(() => {
      ended += 1;
    });
    expect(ids(page.items)).toEqual(numbered(2));
    expect(ended).toBe(1);
  });
});

describe('concurrency', () => {
  const waitForStrays = () => new Promise((resolve) => setTimeout(resolve, 30));

  test.each([
    ['of 1', { concurrency: 1 }],
    ['by default', {}],
  ])('fetches no page ahead of need, %s', async (_, options) => {
    const { client, requests } = await clientOf(postsOf(10));
    const pages = client.posts.list({ limit: 2 }, options).pages();
    await pages.next();
    await waitForStrays();
    expect(requests).toHaveLength(1);
    await pages.return();
  });

  test('of toArray is 1 for a list by cursor and for a limited number of items', async () => {
    let inFlight = 0;
    let most = 0;
    const { client } = await clientOf(async (request, page) => {
      most = Math.max(most, (inFlight += 1));
      await waitForStrays();
      inFlight -= 1;
      if (request.target.startsWith('/v1/posts/')) return postsOf(6)(request, page);
      return { comments: [{ id: `c${String(page)}` }], nextCursor: page < 3 ? `n${String(page)}` : '' };
    });
    expect(await client.comments.list(comments).toArray()).toHaveLength(3);
    expect(await client.posts.list({ limit: 2 }).toArray({ maxItems: 6 })).toHaveLength(6);
    expect(most).toBe(1);
  });

  test('of 2 continues with a second page while the first is consumed', async () => {
    const { client, requests } = await clientOf(postsOf(6));
    const pages = client.posts.list({ limit: 2 }, { concurrency: 2 }).pages();
    await pages.next();
    await expect.poll(() => requests.length).toBe(3);
    await pages.return();
  });
});

describe('requests ahead of need', () => {
  /** A `fetch` that never replies to later pages, and records the requests that were aborted. */
  function silentAfter(first: number) {
    const waiting: number[] = [];
    const aborted: number[] = [];
    const fetch = (url: string, { signal }: { readonly signal: AbortSignal }) => {
      const offset = offsetOf(url);
      if (offset < first)
        return Promise.resolve(Response.json(postsOf(100)({ method: 'GET', target: url, headers: {}, body: '' }, 1)));
      waiting.push(offset);
      return new Promise<Response>((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted.push(offset);
          reject(signal.reason as Error);
        });
      });
    };
    const client = new SocialPublishing({
      baseUrl: 'https://api.test',
      accessKey: 'k',
      fetch: fetch as unknown as typeof globalThis.fetch,
    });
    return { client, waiting, aborted };
  }

  test('are not sent after a page that failed', async () => {
    const offsets: number[] = [];
    let fail: (error: Error) => void = () => undefined;
    const fetch = (url: string) => {
      const offset = offsetOf(url);
      offsets.push(offset);
      if (offset === 2) return new Promise<Response>((_, reject) => (fail = reject));
      return Promise.resolve(Response.json(postsOf(100)({ method: 'GET', target: url, headers: {}, body: '' }, 1)));
    };
    const client = new SocialPublishing({
      baseUrl: 'https://api.test',
      accessKey: 'k',
      maxRetries: 0,
      fetch: fetch as unknown as typeof globalThis.fetch,
    });
    const pages = client.posts.list({ limit: 2 }, { concurrency: 2 }).pages();
    await pages.next();
    await expect.poll(() => offsets.length).toBeGreaterThan(3);
    const before = offsets.length;
    fail(new TypeError('fetch failed'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(offsets).toHaveLength(before);
    expect(await rejection(pages.next())).toMatchObject({ name: 'ConnectionError' });
    expect(offsets).toHaveLength(before);
  });

  test('are aborted when the loop ends early', async () => {
    const { client, waiting, aborted } = silentAfter(2);
    for await (const _ of client.posts.list({ limit: 2 }, { concurrency: 3 })) break;
    expect(waiting).toEqual([2, 4, 6]);
    expect(aborted).toEqual([2, 4, 6]);
  });

  test('are aborted when the caller aborts, and the walk rejects with the reason', async () => {
    const { client, waiting, aborted } = silentAfter(2);
    const controller = new AbortController();
    const walk = rejection(collect(client.posts.list({ limit: 2 }, { concurrency: 2, signal: controller.signal })));
    await expect.poll(() => waiting).toEqual([2, 4]);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await walk).toBe(reason);
    expect(aborted).toEqual([2, 4]);
  });

  test.each([2, 3])('are aborted and sent again when a page is short (concurrency %i)', async (concurrency) => {
    const all = numbered(9);
    const { client, targets } = await clientOf(({ target }) => {
      const offset = offsetOf(target);
      const page = all.slice(offset, offset + (offset === 2 ? 1 : 2));
      return { total: all.length, posts: page.map((postId) => ({ postId })) };
    });
    expect(ids(await collect(client.posts.list({ limit: 2 }, { concurrency })))).toEqual(all);
    const offsets = targets().map(offsetOf);
    // Guesses of 4 and 6 are dropped after the short page at 2.
    expect(offsets.slice(0, 3)).toEqual([0, 2, 4]);
    expect(offsets).toEqual(expect.arrayContaining([3, 5, 7]));
  });
});

test('a list counts empty and repeated pages only in a row', async () => {
  const { client } = await clientOf((_, page) => ({
    comments: page % 10 === 0 ? [{ id: `c${String(page)}` }] : [],
    nextCursor: page < 35 ? `n${String(page)}` : '',
  }));
  expect(await collect(client.comments.list(comments))).toHaveLength(3);
  const { client: repeating } = await clientOf((_, page) => ({
    total: 1_000,
    posts: page <= 35 ? [{ postId: `p${String(Math.floor(page / 10))}` }] : [],
  }));
  expect(ids(await collect(repeating.posts.list({ limit: 1 })))).toEqual(['p0', 'p1', 'p2', 'p3']);
});
