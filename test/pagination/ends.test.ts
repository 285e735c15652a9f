import { describe, expect, test } from 'vitest';
import { cappedPosts, clientOf, ids, numbered } from './lists.js';

/** Post analytics of a service that returns at most `most` items per page. */
const analyticsOf =
  (count: number, most: number, tell: (limit: number) => object) =>
  ({ target }: { readonly target: string }) => {
    const page = Number(new URL(target, 'http://x').searchParams.get('page') ?? 1);
    const posts = numbered(count)
      .slice((page - 1) * most, page * most)
      .map((postId) => ({ postId }));
    return { success: true, posts, ...tell(most) };
  };

describe('the list of post analytics goes on', () => {
  test.each([
    ['limit', (limit: number) => ({ limit })],
    ['pagination.limit', (limit: number) => ({ pagination: { limit, page: 1 } })],
  ])('if the service returns fewer items than requested, as its %s says', async (_, tell) => {
    const { client, requests } = await clientOf(analyticsOf(5, 2, tell));
    expect(ids(await client.analytics.listPosts({ limit: 100 }).toArray())).toEqual(numbered(5));
    expect(requests).toHaveLength(3);
  });

  test.each([2, '2'])('by the page size that extraQuery asks for (%j)', async (limit) => {
    const { client, requests } = await clientOf(analyticsOf(5, 2, () => ({})));
    const list = client.analytics.listPosts({}, { extraQuery: { limit } });
    expect(ids(await list.toArray())).toEqual(numbered(5));
    expect(requests).toHaveLength(3);
  });

  test('and ends if the service reports a higher limit and returns the requested number', async () => {
    const { client, requests } = await clientOf(analyticsOf(5, 2, () => ({ limit: 50 })));
    expect(ids(await client.analytics.listPosts({ limit: 2 }).toArray())).toEqual(numbered(5));
    expect(requests).toHaveLength(3);
  });
});

describe('a list by offset without a total goes on', () => {
  test('if the service returns fewer items than requested, as its limit says', async () => {
    const { client, requests } = await clientOf(cappedPosts(5, 2, { limit: 2 }));
    expect(ids(await client.posts.list({ limit: 100 }).toArray())).toEqual(numbered(5));
    expect(requests).toHaveLength(3);
  });
});

describe('a cursor that the walk had before', () => {
  const query = { platform: 'threads', accountId: 'a', postId: 'p' } as const;

  test('ends the list with an empty page', async () => {
    const { client, requests } = await clientOf((_, page) =>
      page === 1 ? { comments: [{ id: 'c1' }], nextCursor: 'n' } : { comments: [], nextCursor: 'n' },
    );
    expect((await client.comments.list(query).toArray()).map(({ id }) => id)).toEqual(['c1']);
    expect(requests).toHaveLength(2);
  });

  test("ends it with an empty first page and the caller's own cursor", async () => {
    const { client } = await clientOf(() => ({ comments: [], nextCursor: 'mine' }));
    const page = await client.comments.list({ ...query, after: 'mine' });
    expect(page.hasNextPage).toBe(false);
  });
});
