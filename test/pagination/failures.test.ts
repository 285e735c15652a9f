import { describe, expect, test } from 'vitest';
import { SocialPublishingError, type ListPostsQuery, type Paginator, type Post } from '../../src/index.js';
import { collect } from '../support/collect.js';
import { clientOf, ids, numbered, offsetOf, postsOf } from './lists.js';
import { rejection } from '../policies/client.js';

const refused = { success: false, message: 'not now' };

describe('a list that failed', () => {
  test('may be awaited again', async () => {
    const { client, requests } = await clientOf((request, count) =>
      count === 1 ? refused : postsOf(3)(request, count),
    );
    const list = client.posts.list();
    // Two that wait for the same page share its failure.
    const [first, second] = await Promise.all([rejection(list), rejection(list)]);
    expect(first).toBe(second);
    expect(ids((await list).items)).toEqual(numbered(3));
    expect((await list).items).toHaveLength(3);
    expect(requests).toHaveLength(2);
  });

  test.each([1, 4])('keeps what toArray had, and where to go on (concurrency %i)', async (concurrency) => {
    let broken = true;
    const { client } = await clientOf((request, count) =>
      broken && offsetOf(request.target) === 6 ? refused : postsOf(9)(request, count),
    );
    const error = await rejection(client.posts.list({ limit: 2, sort: 'asc' }, { concurrency }).toArray());
    if (!(error instanceof SocialPublishingError)) throw error;
    expect(ids(error.items as Post[])).toEqual(numbered(6));
    expect(error.resume).toEqual({ limit: 2, sort: 'asc', offset: 6 });
    expect(JSON.stringify(error)).not.toContain('post_0');
    expect(Object.keys(error)).not.toContain('items');

    broken = false;
    const rest = await client.posts.list(error.resume as ListPostsQuery).toArray();
    expect(ids([...(error.items as Post[]), ...rest])).toEqual(numbered(9));
  });

  test('keeps what toArray had when its cursor goes in a circle', async () => {
    const { client } = await clientOf((_, page) => ({ comments: [{ id: `c${String(page)}` }], nextCursor: 'n' }));
    const error = await rejection(client.comments.list({ platform: 'threads', accountId: 'a', postId: 'p' }).toArray());
    expect(error).toMatchObject({ name: 'PaginationError', items: [{ id: 'c1' }, { id: 'c2' }] });
  });

  test('was never walked has no items', async () => {
    const { client } = await clientOf(() => refused);
    expect(await rejection(client.posts.list())).not.toHaveProperty('items');
    expect(await rejection(client.posts.list().toArray())).toMatchObject({ items: [] });
  });
});

describe('a walk that is aborted with the error of another walk', () => {
  const walks: [string, (list: Paginator<Post, unknown>) => Promise<unknown>][] = [
    ['awaited', async (list) => list],
    ['iterated', (list) => collect(list)],
    ['collected', (list) => list.toArray()],
  ];

  test.each(walks)('rejects with it as it is, %s', async (_, walk) => {
    const { client } = await clientOf(() => refused);
    const other: unknown = await rejection(client.posts.list({ limit: 7 }));
    const { client: silent, requests } = await clientOf(() => new Promise(() => undefined));
    const controller = new AbortController();
    const result = rejection(walk(silent.posts.list({ limit: 3 }, { signal: controller.signal, concurrency: 2 })));
    await expect.poll(() => requests.length).toBe(1);
    controller.abort(other);
    expect(await result).toBe(other);
    expect(other).toMatchObject({ resume: { limit: 7 } });
    expect(other).not.toHaveProperty('items');
  });

  test.each(walks)('rejects with it as it is where it is frozen, %s', async (_, walk) => {
    const reason = Object.freeze(new SocialPublishingError('mine'));
    const { client } = await clientOf(() => refused);
    expect(await rejection(walk(client.posts.list({}, { signal: AbortSignal.abort(reason) })))).toBe(reason);
  });
});
