import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/index.js';
import { PaginationError, SocialPublishing, type ListCommentsQuery, type Page } from '../../src/index.js';
import { rejection } from '../policies/client.js';
import { clientOf, ids, numbered, postsOf } from './lists.js';

/** What a web page or a file keeps: a text. */
const kept = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** Reads a list page by page, each page in a request of its own. Returns the sizes of the pages, and every item once. */
async function pageByPage<Item, Reply>(
  first: PromiseLike<Page<Item, Reply>>,
  read: (next: NonNullable<Page<Item, Reply>['next']>) => PromiseLike<Page<Item, Reply>>,
) {
  const items = new Set<string>();
  const sizes: number[] = [];
  let page = await first;
  for (;;) {
    for (const item of page.items) items.add(JSON.stringify(item));
    sizes.push(page.items.length);
    const { next } = page;
    if (next === undefined) return { items: items.size, sizes };
    expect(kept(next)).toStrictEqual(next);
    page = await read(kept(next));
  }
}

function world() {
  const service = createEmulator({ accessKey: 'test-key' });
  const options = { baseUrl: 'https://emulator.test', accessKey: 'test-key', fetch: service.fetch };
  return { service, client: new SocialPublishing(options) };
}

const five = [1, 2, 3, 4, 5];

describe('page.next', () => {
  test('continues a list of offsets', async () => {
    const { service, client } = world();
    for (const number of five) service.seed.post({ content: String(number) });
    const result = await pageByPage(client.posts.list({ limit: 2 }), (next) => client.posts.list(next));
    expect(result).toEqual({ items: 5, sizes: [2, 2, 1] });
  });

  test('continues a list with a cursor', async () => {
    const { service, client } = world();
    const { id: accountId } = service.seed.integration({ platform: 'threads' });
    for (const number of five) service.seed.comment({ accountId, postId: 'p', text: String(number) });
    const result = await pageByPage(
      client.comments.list({ platform: 'threads', accountId, postId: 'p', limit: 2 }),
      (next) => client.comments.list(next),
    );
    expect(result).toEqual({ items: 5, sizes: [2, 2, 1] });
  });

  test('continues a list that skips', async () => {
    const { service, client } = world();
    const { id: accountId } = service.seed.integration({ platform: 'instagram' });
    const automation = await client.automations.create({
      accountId,
      name: 'sale',
      keywords: ['sale'],
      dmMessage: 'hi',
    });
    for (const number of five) service.seed.automationLog({ automationId: automation.id, commentText: String(number) });
    const result = await pageByPage(client.automations.listLogs(automation.id, { limit: 2 }), (next) =>
      client.automations.listLogs(automation.id, next),
    );
    expect(result).toEqual({ items: 5, sizes: [2, 2, 1] });
  });

  test('continues a list of numbered pages, and costs a credit for each', async () => {
    const { service, client } = world();
    const { id: accountId } = service.seed.integration({ platform: 'threads' });
    for (const number of five)
      await client.posts.create({
        content: String(number),
        publishNow: true,
        platforms: [{ platform: 'threads', accountId }],
      });
    await service.clock.advance({ minutes: 5 });
    const fromDate = new Date(service.clock.now() - 86_400_000);
    const result = await pageByPage(client.analytics.listPosts({ limit: 2, fromDate }), (next) =>
      client.analytics.listPosts(next),
    );
    expect(result).toEqual({ items: 5, sizes: [2, 2, 1] });
    expect(client.creditsUsed).toBe(3);
  });

  test('holds dates as texts, and neither extraQuery nor fields without a value', async () => {
    const { client, targets } = await clientOf(postsOf(3));
    const page = await client.posts.list(
      { limit: 2, status: undefined, profileId: null, platform: 'bluesky', createdAfter: new Date(0) },
      { extraQuery: { tag: 'spring' } },
    );
    expect(page.next).toStrictEqual({
      limit: 2,
      profileId: null,
      platform: ['bluesky'],
      createdAfter: '1970-01-01T00:00:00.000Z',
      offset: 2,
    });
    const last = await client.posts.list(page.next);
    expect(ids(last.items)).toEqual(numbered(3).slice(2));
    expect(last.next).toBeUndefined();
    // The same query, except for its position.
    const [first = '', second = ''] = targets();
    expect(second).toBe(`${first.replace('&tag=spring', '')}&offset=2`);
  });

  test('has the form of error.resume', async () => {
    const { client } = await clientOf(() => ({ comments: [{ id: 'c' }], nextCursor: 'again' }));
    const query = { platform: 'threads', accountId: 'a', postId: 'p' } as const;
    const error = await rejection(client.comments.list(query).toArray());
    if (!(error instanceof PaginationError)) throw error;
    const resume = error.resume as ListCommentsQuery;
    expect(kept(resume)).toStrictEqual({ ...query, after: 'again' });
    expect((await client.comments.list(resume)).next).toStrictEqual(resume);

    const failing = await clientOf((request, count) => (count === 2 ? { success: false } : postsOf(5)(request, count)));
    const lost = await rejection(
      failing.client.posts.list({ limit: 2, createdAfter: new Date(0), sort: undefined }).toArray(),
    );
    expect(lost).toHaveProperty('resume', { limit: 2, createdAfter: '1970-01-01T00:00:00.000Z', offset: 2 });
  });
});
