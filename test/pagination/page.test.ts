import { describe, expect, test } from 'vitest';
import { collect } from '../support/collect.js';
import { clientOf, ids, numbered, postsOf } from './lists.js';

describe('a page', () => {
  test('is iterated from itself on', async () => {
    const { client, requests } = await clientOf(postsOf(5));
    expect(ids(await collect(await client.posts.list({ limit: 2 })))).toEqual(numbered(5));
    expect(requests).toHaveLength(3);
    const second = await (await client.posts.list({ limit: 2 })).nextPage();
    if (second === undefined) throw new Error('There is a second page.');
    expect(ids(await collect(second))).toEqual(numbered(5).slice(2));
  });

  test('is what an async function hands over that returns a list', async () => {
    const { client } = await clientOf(postsOf(5));
    const scheduled = async () => client.posts.list({ limit: 2, status: 'scheduled' });
    const seen: string[] = [];
    for await (const post of await scheduled()) seen.push(post.postId);
    expect(seen).toEqual(numbered(5));
  });

  test('fetches no later page before its own items are used up', async () => {
    const { client, requests } = await clientOf(postsOf(5));
    for await (const post of await client.posts.list({ limit: 2 })) if (post.postId === 'post_1') break;
    expect(requests).toHaveLength(1);
  });

  test('of a list that reads ahead continues separately, and takes nothing away from the list', async () => {
    const { client } = await clientOf(postsOf(6));
    const seen: string[] = [];
    for await (const page of client.posts.list({ limit: 2 }, { concurrency: 3 }).pages()) {
      seen.push(...ids(page.items).map(String));
      expect(ids(await collect(page))).toEqual(numbered(6).slice(seen.length - 2));
    }
    expect(seen).toEqual(numbered(6));
  });
});
