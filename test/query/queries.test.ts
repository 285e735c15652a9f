import {
  dehydrate,
  focusManager,
  hydrate,
  InfiniteQueryObserver,
  onlineManager,
  QueryClient,
  QueryObserver,
  type DehydratedState,
} from '@tanstack/query-core';
import { afterEach, describe, expect, it } from 'vitest';
import { InvalidRequestError, Paginator, WaitTimeoutError, type Post, type SocialPublishing } from 'social-publishing';
import { createQueries, type QueryClientSource } from 'social-publishing/query';
import { everydayWorld } from '../resources/everyday-world.js';
import { eventually } from '../support/eventually.js';

/** A client with some resources replaced. */
function sourceOf(client: SocialPublishing, replaced: Partial<QueryClientSource>): QueryClientSource {
  const { posts, comments, messages, automations, analytics, integrations } = client;
  return { posts, comments, messages, automations, analytics, integrations, ...replaced };
}

const caches: QueryClient[] = [];
afterEach(() => {
  for (const cache of caches.splice(0)) cache.clear();
});

function newCache(): QueryClient {
  const cache = new QueryClient();
  caches.push(cache);
  return cache;
}

function world() {
  const everyday = everydayWorld();
  const account = everyday.service.seed.integration({ platform: 'instagram', username: 'acme' });
  const published = () =>
    everyday.service.seed.post({ status: 'published', platforms: [{ platform: 'instagram', accountId: account.id }] });
  return { ...everyday, account, published, queries: createQueries(everyday.client), cache: newCache() };
}

type World = ReturnType<typeof world>;

type ToKey = (...args: unknown[]) => { readonly queryKey: readonly unknown[] };
type AnyQuery = ToKey & { readonly page?: ToKey };

const routes = ({ service }: World) => service.requests.map(({ route }) => route);

async function schedule({ client, service, account }: World, content: string, minutes = 60) {
  return client.posts.create({
    content,
    platforms: [{ platform: 'instagram', accountId: account.id }],
    scheduledFor: new Date(service.clock.now() + minutes * 60_000),
  });
}

/** The next result of an observer for which something is true. */
function resultOf<Result>(
  observer: { subscribe(listener: (result: Result) => void): () => void; getCurrentResult(): Result },
  isIt: (result: Result) => boolean,
): Promise<Result> {
  return new Promise((resolve) => {
    let found = false;
    const look = (result: Result) => {
      if (found || !isIt(result)) return;
      found = true;
      queueMicrotask(() => {
        stop();
      });
      resolve(result);
    };
    const stop = observer.subscribe(look);
    look(observer.getCurrentResult());
  });
}

interface PagesResult {
  readonly data: { readonly pages: readonly { readonly items: readonly unknown[] }[] } | undefined;
  readonly isFetching: boolean;
  readonly hasNextPage: boolean;
  readonly error: unknown;
  fetchNextPage(): Promise<unknown>;
}

/** Reads all pages as a page with a button "more" does. */
async function readAll(observer: {
  subscribe(listener: (result: never) => void): () => void;
  getCurrentResult(): PagesResult;
}): Promise<number[]> {
  const stop = observer.subscribe(() => undefined);
  try {
    await eventually(() => {
      expect(observer.getCurrentResult().isFetching).toBe(false);
    });
    for (let more = 0; observer.getCurrentResult().hasNextPage && more < 20; more += 1)
      await observer.getCurrentResult().fetchNextPage();
    const { data, error } = observer.getCurrentResult();
    expect(error).toBeNull();
    return data?.pages.map(({ items }) => items.length) ?? [];
  } finally {
    stop();
  }
}

describe('a query that reads one thing', () => {
  it('resolves to what the method of the client resolves to', async () => {
    const { queries, cache, account } = world();
    const integration = await cache.query(queries.integrations.get(account.id));
    expect(integration).toMatchObject({ id: account.id, username: 'acme' });
    expect(cache.getQueryData(['social-publishing', 'integrations', 'get', account.id])).toEqual(integration);
  });

  it('reads every resource', async () => {
    const { queries, cache, account, service, published } = world();
    service.seed.metrics({ accountId: account.id, metrics: { reach: 12 } });
    service.seed.automation({ accountId: account.id, name: 'Sizes' });
    const post = published();
    expect(await cache.query(queries.automations.list({ accountId: account.id }))).toHaveLength(1);
    expect(await cache.query(queries.analytics.getPost(post.postId))).toMatchObject({ postId: post.postId });
    const insights = await cache.query(queries.analytics.getInstagramInsights({ accountId: account.id }));
    expect(insights.metrics['reach']?.total).toBe(12);
  });

  it('fails after one try of TanStack Query, because the client itself retries', async () => {
    const everyday = world();
    everyday.service.faults.add({ kind: 'status', status: 500, times: 9, route: 'GET /v1/connect/integrations/{id}' });
    await expect(everyday.cache.query(everyday.queries.integrations.get('int_1'))).rejects.toMatchObject({
      status: 500,
    });
    expect(everyday.service.requests).toHaveLength(3);
  });

  it('rejects an invalid argument when it is fetched, not when the options are made', async () => {
    const { queries, cache } = world();
    const options = queries.posts.list({ limit: 0 });
    await expect(cache.infiniteQuery(options)).rejects.toBeInstanceOf(InvalidRequestError);
  });

  it('aborts the request when its last observer leaves', async () => {
    const { queries, client } = world();
    let seen: AbortSignal | undefined;
    const integrations: QueryClientSource['integrations'] = {
      list: () => Paginator.from([]),
      get: (_id, options = {}) => {
        seen = options.signal;
        return new Promise<never>(() => undefined);
      },
    };
    const waiting = createQueries(sourceOf(client, { integrations }));
    const observer = new QueryObserver(newCache(), waiting.integrations.get('int_1'));
    const stop = observer.subscribe(() => undefined);
    await eventually(() => {
      expect(seen?.aborted).toBe(false);
    });
    stop();
    expect(seen?.aborted).toBe(true);
    expect(queries.integrations.get('int_1').retry).toBe(false);
  });

  it('that costs a credit is not fetched again when it is mounted again', async () => {
    const everyday = world();
    const post = everyday.published();
    const options = everyday.queries.analytics.getPost(post.postId);
    for (let mount = 0; mount < 2; mount += 1)
      await resultOf(new QueryObserver(everyday.cache, options), ({ data }) => data !== undefined);
    expect(everyday.client.creditsUsed).toBe(1);
    expect(everyday.queries.integrations.get('int_1')).not.toHaveProperty('staleTime');
  });

  it('that costs a credit is not fetched by a mount after a failed refetch', async () => {
    const { service, client, queries, cache, published } = world();
    const options = queries.analytics.getPost(published().postId);
    await cache.query(options);
    service.faults.add({ kind: 'status', status: 400, route: 'GET /v1/analytics/' });
    const observer = new QueryObserver(cache, options);
    observer.subscribe(() => undefined);
    await observer.refetch();
    expect(observer.getCurrentResult()).toMatchObject({ isError: true, data: {} });
    const before = client.creditsUsed;
    observer.destroy();
    new QueryObserver(cache, options).subscribe(() => undefined);
    expect(cache.isFetching()).toBe(0);
    expect(client.creditsUsed).toBe(before);
  });

  it.each<[string, (observer: QueryObserver, again: () => void) => void]>([
    [
      'the window gets the focus',
      () => {
        for (const isFocused of [false, true]) focusManager.setFocused(isFocused);
      },
    ],
    [
      'the network is back',
      () => {
        for (const isOnline of [false, true]) onlineManager.setOnline(isOnline);
      },
    ],
    [
      'it is mounted again',
      (observer, again) => {
        observer.destroy();
        again();
      },
    ],
  ])('that costs a credit and failed is not fetched again when %s', async (_, happen) => {
    const { service, client, queries, cache } = world();
    service.faults.add({ kind: 'status', status: 500, route: 'GET /v1/analytics/' });
    cache.mount();
    const mounted = () => {
      const observer = new QueryObserver(cache, queries.analytics.getPost('post_1'));
      observer.subscribe(() => undefined);
      return observer as unknown as QueryObserver;
    };
    const observer = mounted();
    await resultOf(observer, ({ isError }) => isError);
    happen(observer, mounted);
    // TanStack Query first resumes mutations.
    await new Promise((resolve) => setTimeout(resolve));
    expect(cache.isFetching()).toBe(0);
    expect(client.creditsUsed).toBe(1);
    cache.unmount();
    focusManager.setFocused(undefined);
  });
});

describe('a list', () => {
  it('with offsets is read page by page', async () => {
    const everyday = world();
    for (const content of ['a', 'b', 'c', 'd', 'e']) await schedule(everyday, content);
    const options = everyday.queries.posts.list({ limit: 2 });
    const observer = new InfiniteQueryObserver(everyday.cache, options);
    expect(await readAll(observer)).toEqual([2, 2, 1]);
    const { data } = observer.getCurrentResult();
    expect(data?.pageParams).toEqual([{}, { offset: 2 }, { offset: 4 }]);
    expect(data?.pages.flatMap(({ items }) => items.map(({ content }) => content)).sort()).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
    ]);
    expect(data?.pages[0]?.response.total).toBe(5);
  });

  it('with a cursor is read page by page', async () => {
    const everyday = world();
    const { id: accountId } = everyday.account;
    const postId = 'platform_post';
    for (const text of ['a', 'b', 'c']) everyday.service.seed.comment({ accountId, postId, text });
    const options = everyday.queries.comments.list({ platform: 'instagram', accountId, postId, limit: 2 });
    const observer = new InfiniteQueryObserver(everyday.cache, options);
    expect(await readAll(observer)).toEqual([2, 1]);
    expect(observer.getCurrentResult().data?.pageParams).toEqual([{}, { after: expect.any(String) as string }]);
  });

  it('with skip is read page by page', async () => {
    const everyday = world();
    const automation = everyday.service.seed.automation({ accountId: everyday.account.id, name: 'Sizes' });
    for (const commentText of ['a', 'b', 'c'])
      everyday.service.seed.automationLog({ automationId: automation.id, commentText });
    const observer = new InfiniteQueryObserver(
      everyday.cache,
      everyday.queries.automations.listLogs(automation.id, { limit: 2 }),
    );
    expect(await readAll(observer)).toEqual([2, 1]);
    expect(observer.getCurrentResult().data?.pageParams).toEqual([{}, { skip: 2 }]);
  });

  it('with page numbers is read page by page, one credit each', async () => {
    const everyday = world();
    for (let post = 0; post < 3; post += 1) everyday.published();
    const observer = new InfiniteQueryObserver(everyday.cache, everyday.queries.analytics.listPosts({ limit: 2 }));
    expect(await readAll(observer)).toEqual([2, 1]);
    expect(observer.getCurrentResult().data?.pageParams).toEqual([{}, { page: 2 }]);
    expect(everyday.client.creditsUsed).toBe(2);
  });

  it('of conversations, of messages, of eligible posts and of accounts is read too', async () => {
    const { queries, cache, account, service } = world();
    const accountId = account.id;
    const conversation = service.seed.conversation({ accountId });
    service.seed.message({ accountId, conversationId: conversation.id, text: 'hi' });
    service.seed.eligiblePost({ accountId, caption: 'Which colour?' });
    const query = { platform: 'instagram', accountId } as const;
    const firstItem = ({ pages }: { pages: { items: unknown[] }[] }) => pages[0]?.items[0];
    expect(firstItem(await cache.infiniteQuery(queries.messages.listConversations(query)))).toMatchObject({
      id: conversation.id,
    });
    expect(firstItem(await cache.infiniteQuery(queries.messages.list(conversation.id, query)))).toMatchObject({
      text: 'hi',
    });
    expect(firstItem(await cache.infiniteQuery(queries.automations.listEligiblePosts({ accountId })))).toBeDefined();
    expect(firstItem(await cache.infiniteQuery(queries.integrations.list()))).toMatchObject({ id: accountId });
  });

  it('continues where its query starts', async () => {
    const everyday = world();
    for (const content of ['a', 'b', 'c', 'd']) await schedule(everyday, content);
    const observer = new InfiniteQueryObserver(everyday.cache, everyday.queries.posts.list({ limit: 2, offset: 1 }));
    expect(await readAll(observer)).toEqual([2, 1]);
    expect(observer.getCurrentResult().data?.pageParams).toEqual([{}, { offset: 3 }]);
  });

  it('is refetched with all loaded pages after an invalidation of its method', async () => {
    const everyday = world();
    for (const content of ['a', 'b', 'c']) await schedule(everyday, content);
    const observer = new InfiniteQueryObserver(everyday.cache, everyday.queries.posts.list({ limit: 2 }));
    const stop = observer.subscribe(() => undefined);
    await readAll(observer);
    await schedule(everyday, 'd');
    await everyday.cache.invalidateQueries({ queryKey: ['social-publishing', 'posts'] });
    expect(observer.getCurrentResult().data?.pages.map(({ items }) => items.length)).toEqual([2, 2]);
    stop();
  });

  it('ends where a service ignores the position, instead of spending credits on the same page', async () => {
    const everyday = world();
    for (let post = 0; post < 5; post += 1) everyday.published();
    const { client, cache } = everyday;
    const analytics: QueryClientSource['analytics'] = {
      getPost: () => Promise.reject(new Error()),
      getInstagramInsights: () => Promise.reject(new Error()),
      // Each page of this service is the first one.
      listPosts: () => client.analytics.listPosts({ limit: 2 }),
    };
    const queries = createQueries(sourceOf(client, { analytics }));
    const observer = new InfiniteQueryObserver(cache, queries.analytics.listPosts({ limit: 2 }));
    expect(await readAll(observer)).toEqual([2, 2]);
  });

  it('ends where a cursor leads back', () => {
    const { getNextPageParam } = world().queries.comments.list({
      platform: 'instagram',
      accountId: 'int_1',
      postId: 'post',
    });
    const page = { items: [], response: { comments: [] }, next: { after: 'a' } };
    expect(getNextPageParam(page, [page], {}, [{}])).toEqual({ after: 'a' });
    expect(getNextPageParam(page, [page, page, page], { after: 'b' }, [{}, { after: 'a' }, { after: 'b' }])).toBeNull();
  });

  it('can be read as one page, under a key of its own', async () => {
    const everyday = world();
    for (const content of ['a', 'b', 'c']) await schedule(everyday, content);
    const options = everyday.queries.posts.list.page({ limit: 2, offset: 2 });
    const page = await everyday.cache.query(options);
    expect(page).toMatchObject({ items: [{ content: 'a' }], next: null });
    expect(options.queryKey).not.toEqual(everyday.queries.posts.list({ limit: 2, offset: 2 }).queryKey);
    expect(everyday.cache.getQueriesData({ queryKey: ['social-publishing', 'posts', 'list'] })).toHaveLength(1);
  });

  it('survives the way from a server to a page', async () => {
    const everyday = world();
    for (const content of ['a', 'b', 'c']) await schedule(everyday, content);
    const options = everyday.queries.posts.list({ limit: 2 });
    await everyday.cache.infiniteQuery(options);
    const sent = JSON.stringify(dehydrate(everyday.cache));
    expect(sent).not.toContain('test-key');
    const inPage = newCache();
    inPage.setDefaultOptions({ queries: { staleTime: Infinity } });
    hydrate(inPage, JSON.parse(sent) as DehydratedState);
    const observer = new InfiniteQueryObserver(inPage, options);
    expect(await readAll(observer)).toEqual([2, 1]);
    expect(routes(everyday).filter((route) => route === 'GET /v1/posts/')).toHaveLength(2);
  });

  it('reads a resource that a test replaced with a plain object', async () => {
    const { client, cache } = world();
    const posts = {
      list: () => Paginator.from<Post>([{ postId: 'post_1' }]),
      waitUntilFinal: () => Promise.reject(new Error()),
    };
    const page = await cache.query(createQueries(sourceOf(client, { posts })).posts.list.page());
    expect(page).toEqual({ items: [{ postId: 'post_1' }], response: {}, next: null });
  });
});

describe('a key', () => {
  it('starts with the resource and the method of every query', () => {
    const resources = Object.entries(world().queries);
    const methods = resources.flatMap(([resource, queries]) =>
      Object.entries(queries).map(([method, query]) => [resource, method, query as AnyQuery] as const),
    );
    expect(methods.length).toBeGreaterThan(10);
    for (const [resource, method, query] of methods) {
      const key = ['social-publishing', resource, method];
      expect(query('id', {}).queryKey.slice(0, 3)).toEqual(key);
      expect(query.page?.('id', {}).queryKey.slice(0, 3) ?? key).toEqual(key);
    }
  });

  it('starts with the package, the resource and the method, and contains the arguments', () => {
    const { queries } = world();
    expect(queries.posts.list({ status: 'draft', limit: 5 }).queryKey).toEqual([
      'social-publishing',
      'posts',
      'list',
      { status: 'draft', limit: 5 },
    ]);
    expect(queries.posts.untilFinal('post_1').queryKey).toEqual(['social-publishing', 'posts', 'untilFinal', 'post_1']);
    expect(queries.automations.listLogs('auto_1').queryKey).toEqual([
      'social-publishing',
      'automations',
      'listLogs',
      'auto_1',
      {},
    ]);
  });

  it('is the same for the same instant, as a Date, as an instant and as a string', () => {
    const { queries } = world();
    const time = '2026-03-01T09:00:00.000Z';
    const keys = [new Date(time), { epochMilliseconds: Date.parse(time) }, time].map(
      (createdAfter) => queries.posts.list({ createdAfter }).queryKey,
    );
    expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(1);
    expect(queries.analytics.getPost('post_1', { fromDate: new Date(time) }).queryKey.at(-1)).toEqual({
      fromDate: '2026-03-01',
    });
  });

  it('contains no field that is undefined, and keeps null', () => {
    const { queries } = world();
    const { queryKey } = queries.integrations.list({ q: undefined, profileId: null });
    expect(queryKey.at(-1)).toEqual({ profileId: null });
    expect(Object.keys(queryKey.at(-1) as object)).toEqual(['profileId']);
  });

  it('is JSON and back the same, for arguments that the call refuses too', () => {
    const { queries } = world();
    for (const createdAfter of [new Date(Number.NaN), 10n, Symbol.iterator, 'tomorrow'])
      expect(() => JSON.stringify(queries.posts.list({ createdAfter: createdAfter as string }).queryKey)).not.toThrow();
    // A caller without types may pass null.
    expect(() => queries.posts.list(null as never)).not.toThrow();
    const { queryKey } = queries.posts.list({ createdAfter: new Date(0), platform: ['bluesky'] });
    expect(JSON.parse(JSON.stringify(queryKey))).toEqual(queryKey);
  });

  it('contains the getters of a query that is an instance, and the request too', async () => {
    const { queries, cache, service } = world();
    class Scheduled {
      platform = 'bluesky' as const;
      get status() {
        return 'scheduled' as const;
      }
    }
    const options = queries.posts.list(new Scheduled());
    expect(options.queryKey).toEqual(queries.posts.list({ platform: 'bluesky', status: 'scheduled' }).queryKey);
    await cache.infiniteQuery(options);
    expect(service.requests.at(-1)?.query).toMatchObject({ status: 'scheduled' });
  });

  it('treats one platform and a list of one as the same query', () => {
    const { queries } = world();
    expect(queries.posts.list({ platform: 'bluesky' }).queryKey).toEqual(
      queries.posts.list({ platform: ['bluesky'] }).queryKey,
    );
  });
});

describe('untilFinal', () => {
  it('shows the post as last seen, and ends with the final post', async () => {
    const everyday = world();
    const { postId } = await schedule(everyday, 'Hello', 1);
    const observer = new QueryObserver(everyday.cache, everyday.queries.posts.untilFinal(postId));
    const seen: (string | undefined)[] = [];
    const stop = observer.subscribe(({ data, isFetching }) => {
      const now = `${String(data?.status)}${isFetching ? ' …' : ''}`;
      if (seen.at(-1) !== now) seen.push(now);
    });
    await eventually(() => {
      expect(observer.getCurrentResult()).toMatchObject({ isFetching: false, data: { status: 'published' } });
    });
    stop();
    expect(seen).toEqual(['undefined …', 'scheduled …', 'published']);
    expect(everyday.waits.length).toBeGreaterThan(2);
  });

  it('never fetches a final post again', async () => {
    const everyday = world();
    const { postId } = await schedule(everyday, 'Hello', 1);
    const options = everyday.queries.posts.untilFinal(postId);
    expect(await everyday.cache.query(options)).toMatchObject({ status: 'published' });
    const calls = everyday.service.requests.length;
    expect(await everyday.cache.query(options)).toMatchObject({ status: 'published' });
    expect(everyday.service.requests).toHaveLength(calls);
  });

  it('stops to poll when its last observer leaves', async () => {
    const everyday = world();
    const { postId } = await schedule(everyday, 'Hello', 100_000);
    const observer = new QueryObserver(everyday.cache, everyday.queries.posts.untilFinal(postId, { waitMs: Infinity }));
    await resultOf(observer, ({ data }) => data?.status === 'scheduled');
    await eventually(() => {
      expect(everyday.cache.isFetching()).toBe(0);
    });
    const calls = everyday.service.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(everyday.service.requests).toHaveLength(calls);
  });

  it('takes options from an instance with getters', async () => {
    const everyday = world();
    const { postId } = await schedule(everyday, 'Hello', 100_000);
    class NoWait {
      get waitMs() {
        return 0;
      }
    }
    await expect(everyday.cache.query(everyday.queries.posts.untilFinal(postId, new NoWait()))).rejects.toThrow();
    expect(routes(everyday)).toEqual(['POST /v1/posts/', 'GET /v1/posts/']);
  });

  it('fails with the error of the wait, and keeps the post as last seen', async () => {
    const everyday = world();
    const { postId } = await schedule(everyday, 'Hello', 100_000);
    const options = everyday.queries.posts.untilFinal(postId, { waitMs: 5_000 });
    await expect(everyday.cache.query(options)).rejects.toBeInstanceOf(WaitTimeoutError);
    expect(everyday.cache.getQueryData<Post>(options.queryKey)).toMatchObject({ postId, status: 'scheduled' });
  });
});
