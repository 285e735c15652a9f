import { beforeEach, describe, expect, it } from 'vitest';
import { SocialPublishing } from '../../src/client.js';
import { InvalidRequestError } from '../../src/core/errors.js';
import type { CreatePostBody, Post } from '../../src/posts/posts.js';
import { holdTimeouts } from '../support/held-timeouts.js';
import { json, reply, reset, WireServer, type Answer } from '../support/wire-server.js';
import { rejection, testClient, testKey, type TestClient } from './client.js';
import { eventually } from '../support/eventually.js';

const startedAt = Date.parse('2026-03-01T12:00:00Z');
const minute = 60_000;

type Fate = 'reset before' | 'reset after commit' | 'never answer' | 'answer with a page' | 'answer with 502';

/** The service: it keeps posts, and lists them by `createdAfter`, `limit` and `offset`. */
let server: WireServer;
let posts: Post[];
/** The results of the next creates; later ones succeed. */
let creates: Fate[];
/** How far the service's clock is ahead of the client's. */
let skewMs: number;
/** How many lists a new post is missing from. */
let listedAfter: number;
let shows: 'the request' | 'more fields' | 'no request';
let listsFilter: boolean;
let lists: URLSearchParams[];
let sdk: TestClient;
/** Ends the time-out of a create that the service never answers. */
let expire: () => void = () => {};

const body: CreatePostBody = {
  content: 'Hello',
  platforms: [{ platform: 'bluesky', accountId: 'int_1' }],
  scheduledFor: new Date('2026-04-01T09:00:00Z'),
};

/** Keeps a post as the service does. */
function keep(request: Record<string, unknown>, created = startedAt): Post {
  const post: Post = {
    postId: `post_${String(posts.length + 1)}`,
    content: String(request['content']),
    status: 'scheduled',
    // In the service's own words, not as it was sent.
    scheduledFor: '2026-04-01T09:00:00+00:00',
    platforms: [{ platform: 'bluesky', status: 'pending' }],
    createdAt: new Date(created + skewMs).toISOString(),
    ...(shows === 'the request' && { rawRequestBody: request }),
    ...(shows === 'more fields' && { rawRequestBody: { ...request, timezone: 'UTC' } }),
  };
  posts.push(post);
  return post;
}

beforeEach(async () => {
  posts = [];
  creates = [];
  skewMs = 0;
  listedAfter = 0;
  shows = 'the request';
  listsFilter = true;
  lists = [];
  server = await WireServer.start((request): Answer => {
    if (request.method === 'POST') {
      const fate = creates.shift();
      if (fate === 'reset before') return reset;
      const { postId } = keep(JSON.parse(request.body) as Record<string, unknown>);
      switch (fate) {
        case 'reset after commit':
          return reset;
        case 'never answer':
          return () => setTimeout(expire);
        case 'answer with a page':
          return reply({ body: '<p>Fine' });
        case 'answer with 502':
          return json({ error: 'Bad gateway' }, 502);
        default:
          return json({ success: true, postId });
      }
    }
    const query = new URL(request.path, 'http://service').searchParams;
    lists.push(query);
    const after = Date.parse(query.get('createdAfter') ?? '');
    const listed =
      lists.length > listedAfter
        ? posts.filter(({ createdAt = '' }) => !listsFilter || Date.parse(createdAt) >= after)
        : [];
    const offset = Number(query.get('offset') ?? 0);
    return json({
      success: true,
      total: listed.length,
      posts: listed.slice(offset, offset + Number(query.get('limit'))),
    });
  });
  sdk = testClient(server.url, {}, { now: () => startedAt });
});

const failedCreate = async (fate: Fate, what: CreatePostBody = body) => {
  creates.push(fate);
  if (fate !== 'never answer') return rejection(sdk.client.posts.create(what));
  const timeoutMs = 19_001;
  const held = holdTimeouts(timeoutMs);
  expire = held.expire;
  try {
    return await rejection(sdk.client.posts.create(what, { timeoutMs }));
  } finally {
    held.release();
  }
};

describe('posts.reconcile', () => {
  it.each([
    ['the request', 'created'],
    ['more fields', 'ambiguous'],
    ['no request', 'ambiguous'],
  ] as const)('after a reset that came after the commit, with lists that show %s: %s', async (shown, status) => {
    shows = shown;
    const error = await failedCreate('reset after commit');
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
    const post = { postId: 'post_1' };
    const result = status === 'created' ? { status, post } : { status, posts: [post] };
    expect(await sdk.client.posts.reconcile(error)).toMatchObject(result);
  });

  it('finds nothing after a reset that came before, and never sends the create again', async () => {
    const error = await failedCreate('reset before');
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(await sdk.client.posts.reconcile(error)).toEqual({ status: 'not_found' });
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  const abortedCreate = async (reason: unknown) => {
    creates.push('never answer');
    const controller = new AbortController();
    const create = rejection(sdk.client.posts.create(body, { signal: controller.signal }));
    await expect.poll(() => posts.length).toBe(1);
    controller.abort(reason);
    return create;
  };

  it("finds the post of a create that was aborted, by the signal's reason", async () => {
    const reason = new Error('enough');
    expect(await abortedCreate(reason)).toBe(reason);
    expect(await sdk.client.posts.reconcile(reason)).toMatchObject({ status: 'created', post: { postId: 'post_1' } });
  });

  it('cannot distinguish creates that were aborted with one reason', async () => {
    const reason = new Error('enough');
    creates.push('never answer', 'never answer');
    const controller = new AbortController();
    const aborted = [body, { ...body, content: 'Other' }].map((what) =>
      rejection(sdk.client.posts.create(what, { signal: controller.signal })),
    );
    await expect.poll(() => posts.length).toBe(2);
    controller.abort(reason);
    expect(await Promise.all(aborted)).toEqual([reason, reason]);
    await expect(sdk.client.posts.reconcile(reason)).rejects.toThrow('Pass each create its own signal');
  });

  it.each(['the request', 'no request'] as const)('returns two posts if both fit (lists show %s)', async (shown) => {
    shows = shown;
    keep(JSON.parse(JSON.stringify(body)) as Record<string, unknown>);
    const error = await failedCreate('reset after commit');
    const result = await sdk.client.posts.reconcile(error);
    expect(result).toMatchObject({ status: 'ambiguous', posts: [{ postId: 'post_1' }, { postId: 'post_2' }] });
  });

  it('waits for nothing where no later list can say which of two posts it is', async () => {
    keep(JSON.parse(JSON.stringify(body)) as Record<string, unknown>);
    const error = await failedCreate('reset after commit');
    expect(await sdk.client.posts.reconcile(error, { waitMs: 10_000 })).toMatchObject({ status: 'ambiguous' });
    expect([lists.length, sdk.waits]).toEqual([1, []]);
  });

  it('reads the list from the time of an equal create that was sent before, and of no other', async () => {
    let now = startedAt;
    sdk = testClient(server.url, {}, { now: () => now });
    await failedCreate('reset before', { ...body, content: 'Another' });
    now += 10 * minute;
    await failedCreate('reset before');
    now += 10 * minute;
    const error = await failedCreate('reset before');
    await sdk.client.posts.reconcile(error);
    const from = Date.parse(lists[0]?.get('createdAfter') ?? '');
    expect(from).toBeLessThan(startedAt + 10 * minute);
    expect(from).toBeGreaterThan(startedAt);
  });

  it('recognizes a create by its body, in any order of fields', async () => {
    creates.push('reset after commit');
    const error = await rejection(sdk.client.posts.create(body, { extraBody: { first: 1, second: { a: 1, b: 2 } } }));
    const reordered = { body, extraBody: { second: { b: 2, a: 1 }, first: 1 }, sentAt: new Date(startedAt) };
    for (const asked of [reordered, error]) {
      expect(await sdk.client.posts.reconcile(asked)).toMatchObject({ status: 'created', post: { postId: 'post_1' } });
    }
  });

  it('leaves out a post that another create of this client was answered with', async () => {
    const { postId } = await sdk.client.posts.create(body);
    const error = await failedCreate('reset after commit');
    const result = await sdk.client.posts.reconcile(error);
    expect(result).toMatchObject({ status: 'created', post: { postId: 'post_2' } });
    expect(postId).toBe('post_1');
  });

  it('leaves it out also where a client made by withOptions created it', async () => {
    await sdk.client.withOptions({ maxRetries: 0 }).posts.create(body);
    const error = await failedCreate('reset before');
    expect(await sdk.client.posts.reconcile(error)).toEqual({ status: 'not_found' });
  });

  it('leaves out a post that another reconcile found, and finds the same one again for the same error', async () => {
    const first = await failedCreate('reset after commit');
    const found = await sdk.client.posts.reconcile(first);
    const second = await failedCreate('reset before');
    expect(await sdk.client.posts.reconcile(second)).toEqual({ status: 'not_found' });
    expect(await sdk.client.posts.reconcile(first)).toEqual(found);
  });

  it.each([
    ['other content', { ...body, content: 'Goodbye' }],
    ['another account', { ...body, platforms: [{ platform: 'bluesky', accountId: 'int_2' }] }],
    ['another time', { ...body, scheduledFor: '2026-04-01T09:00:01Z' }],
    ['one target more', { ...body, platforms: [...body.platforms, { platform: 'twitter', accountId: 'int_3' }] }],
    ['the same as a draft', { content: 'Hello', saveAsDraft: true }],
  ])('leaves out a post with %s', async (_, other) => {
    keep(JSON.parse(JSON.stringify(other)) as Record<string, unknown>);
    const error = await failedCreate('reset before');
    expect(await sdk.client.posts.reconcile(error)).toEqual({ status: 'not_found' });
  });

  it.each([
    ['other content', (post: Post) => (post.content = 'Goodbye')],
    ['another platform', (post: Post) => (post.platforms = [{ platform: 'twitter' }])],
    ['one target more', (post: Post) => (post.platforms = [{ platform: 'bluesky' }, { platform: 'twitter' }])],
    ['another time', (post: Post) => (post.scheduledFor = '2026-04-02T09:00:00Z')],
  ])('ignores a post with %s if lists do not show the request', async (_, change) => {
    shows = 'no request';
    change(keep({ content: 'Hello' }));
    const error = await failedCreate('reset before');
    expect(await sdk.client.posts.reconcile(error)).toEqual({ status: 'not_found' });
  });

  it('does not count a time that the service set as a difference', async () => {
    shows = 'no request';
    const error = await failedCreate('reset after commit', {
      content: 'Hello',
      platforms: body.platforms,
      publishNow: true,
    });
    expect(await sdk.client.posts.reconcile(error)).toMatchObject({
      status: 'ambiguous',
      posts: [{ postId: 'post_1' }],
    });
  });

  it('compares what went through extraBody too', async () => {
    creates.push('reset after commit');
    const extraBody = { media: [{ url: 'https://example.com/a.png' }] };
    const error = await rejection(sdk.client.posts.create(body, { extraBody }));
    keep({ ...(JSON.parse(JSON.stringify(body)) as object), media: [{ url: 'https://example.com/b.png' }] });
    expect(await sdk.client.posts.reconcile(error)).toMatchObject({ status: 'created', post: { postId: 'post_1' } });
  });

  it('walks a list of several pages to its end', async () => {
    const error = await failedCreate('reset after commit');
    const [mine] = posts.splice(0);
    for (let count = 0; count < 250; count += 1) keep({ content: `Other ${String(count)}` });
    if (mine !== undefined) posts.push({ ...mine, postId: 'post_mine' });
    expect(await sdk.client.posts.reconcile(error)).toMatchObject({ status: 'created', post: { postId: 'post_mine' } });
    expect(lists.map((query) => query.get('offset'))).toEqual([null, '100', '200']);
  });

  it.each([
    [-minute, 'ambiguous'],
    [-6_000, 'ambiguous'],
    [-5_000, 'created'],
    [0, 'created'],
    [minute, 'created'],
  ])('without any Date, and the clock of the service %d ms ahead: %s', async (ahead, status) => {
    skewMs = ahead;
    const error = await failedCreate('reset after commit');
    expect(await sdk.client.posts.reconcile(error)).toMatchObject({ status });
  });

  it.each([
    [-5_000, 'created'],
    [-5_001, 'ambiguous'],
    [-120_000, 'ambiguous'],
    [-120_001, 'not_found'],
  ])('an equal post %d ms from the send: %s', async (ms, status) => {
    keep(JSON.parse(JSON.stringify(body)) as Record<string, unknown>, startedAt + ms);
    const error = await failedCreate('reset before');
    expect(await sdk.client.posts.reconcile(error)).toMatchObject({ status });
  });

  it.each([true, false])(
    'leaves out the same post of an hour ago (lists filter by createdAfter: %s)',
    async (filters) => {
      listsFilter = filters;
      keep(JSON.parse(JSON.stringify(body)) as Record<string, unknown>, startedAt - 60 * minute);
      const error = await failedCreate('reset before');
      expect(await sdk.client.posts.reconcile(error)).toEqual({ status: 'not_found' });
    },
  );

  it('repeats the search for waitMs if a post is listed late', async () => {
    listedAfter = 3;
    const error = await failedCreate('reset after commit');
    expect(await sdk.client.posts.reconcile(error, { waitMs: 10_000 })).toMatchObject({ status: 'created' });
    expect(sdk.waits).toEqual([500, 1_000, 2_000]);
  });

  it('gives up after waitMs, with a last search at its end', async () => {
    const error = await failedCreate('reset before');
    expect(await sdk.client.posts.reconcile(error, { waitMs: 2_000 })).toEqual({ status: 'not_found' });
    expect(sdk.waits.slice(0, 2)).toEqual([500, 1_000]);
    expect(sdk.waits.reduce((sum, wait) => sum + wait)).toBeLessThanOrEqual(2_000);
    expect(lists.length).toBe(sdk.waits.length + 1);
  });

  it('searches once without waitMs', async () => {
    listedAfter = 1;
    const error = await failedCreate('reset after commit');
    expect(await sdk.client.posts.reconcile(error)).toEqual({ status: 'not_found' });
    expect(lists).toHaveLength(1);
  });

  it.each([
    ['timed out', 'never answer', 'TimeoutError'],
    ['was answered with a page', 'answer with a page', 'ResponseError'],
    ['was answered with status 502', 'answer with 502', 'ServerError'],
  ] as const)('finds the post of a create that %s', async (_, fate, name) => {
    const error = await failedCreate(fate);
    expect(error).toMatchObject({ name, outcome: 'unknown' });
    expect(await sdk.client.posts.reconcile(error)).toMatchObject({ status: 'created', post: { postId: 'post_1' } });
  });

  it("refuses the error of another client's create, whose request it does not know", async () => {
    const error = await failedCreate('reset after commit');
    expect(await rejection(testClient(server.url).client.posts.reconcile(error))).toBeInstanceOf(InvalidRequestError);
  });

  it.each([
    ['a refusal', 'rejected'],
    ['an argument that was refused', 'not_sent'],
  ])('asks the service nothing after %s', async (_, outcome) => {
    const refused = await WireServer.start(() => json({ success: false, message: 'No' }, 400));
    const { client } = testClient(refused.url);
    const error = await rejection(
      client.posts.create(outcome === 'rejected' ? body : ({ content: 5 } as unknown as CreatePostBody)),
    );
    expect(error).toMatchObject({ outcome });
    const sent = refused.requests.length;
    expect(await client.posts.reconcile(error)).toEqual({ status: 'not_found' });
    expect(refused.requests).toHaveLength(sent);
  });

  it('sends nothing for a body that is not JSON, and refuses it', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const extraBody of [cycle, { big: 1n }]) {
      const error = await rejection(sdk.client.posts.create(body, { extraBody }));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(await sdk.client.posts.reconcile(error)).toEqual({ status: 'not_found' });
    }
    expect(server.requests).toHaveLength(0);
  });

  it.each([[new Error('mine')], ['text'], [undefined], [null]])(
    'refuses anything except an error of a create: %s',
    async (error) => {
      expect(await rejection(sdk.client.posts.reconcile(error))).toBeInstanceOf(InvalidRequestError);
    },
  );

  it('refuses the error of another operation', async () => {
    const down = await WireServer.start(() => reset);
    const { client } = testClient(down.url);
    const error = await rejection(
      client.messages.send({ platform: 'instagram', accountId: 'int_1', recipientId: 'u', text: 'Hi' }),
    );
    expect(await rejection(client.posts.reconcile(error))).toBeInstanceOf(InvalidRequestError);
  });

  it('stops at once when it is aborted while it waits', async () => {
    const client = new SocialPublishing({ baseUrl: server.url, accessKey: testKey });
    creates.push('reset before');
    const error = await rejection(client.posts.create(body));
    const controller = new AbortController();
    const result = rejection(client.posts.reconcile(error, { waitMs: 60_000, signal: controller.signal }));
    await eventually(() => {
      expect(lists).toHaveLength(1);
    });
    controller.abort('enough');
    expect(await result).toBe('enough');
  });
});
