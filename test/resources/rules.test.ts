import { describe, expect, it } from 'vitest';
import {
  InvalidRequestError,
  retryFailed,
  SocialPublishing,
  SocialPublishingError,
  type CreatePostBody,
  type KnownWebhookEvent,
  type Post,
} from '../../src/index.js';
import { defaultRuntime } from '../../src/core/runtime.js';
import { FinalEventFeed, postOfEvent } from '../../src/posts/watch-posts.js';
import { rejection } from '../policies/client.js';
import { everydayWorld } from './everyday-world.js';

/** A client whose `fetch` records each request and replies with the next prepared replies. */
function scripted(...replies: readonly (() => Response)[]) {
  const requests: { readonly url: URL; readonly body: unknown }[] = [];
  const fetch = (url: string, { body }: { readonly body?: string }) => {
    requests.push({ url: new URL(url), body: body === undefined ? undefined : (JSON.parse(body) as unknown) });
    const reply = replies[Math.min(requests.length, replies.length) - 1];
    return reply === undefined ? Promise.reject(new TypeError('fetch failed')) : Promise.resolve(reply());
  };
  const client = new SocialPublishing({
    baseUrl: 'https://api.test',
    accessKey: 'k',
    maxRetries: 0,
    fetch: fetch as unknown as typeof globalThis.fetch,
  });
  return { client, requests };
}

const issuesOf = async (call: PromiseLike<unknown>) => {
  const error = await rejection(call);
  if (!(error instanceof InvalidRequestError)) throw error;
  return error.issues;
};

describe('a create without targets', () => {
  it.each([
    ['publishNow', { publishNow: true }],
    ['publishNow', { publishNow: true, platforms: undefined }],
    ['scheduledFor', { scheduledFor: '2031-01-01T00:00:00Z', platforms: [] }],
  ])('gets one issue that names the mode %s', async (mode, body) => {
    const { client, requests } = scripted();
    const message = `platforms must have at least one { platform, accountId } with ${mode}`;
    expect(await issuesOf(client.posts.create(body as CreatePostBody))).toEqual([{ path: ['platforms'], message }]);
    expect(requests).toEqual([]);
  });
});

describe('a query that is null', () => {
  it('is refused by posts.list', async () => {
    const { client, requests } = scripted();
    expect(await rejection(client.posts.list(null as never))).toBeInstanceOf(InvalidRequestError);
    expect(requests).toEqual([]);
  });
});

describe('a feed of final events', () => {
  const event = { known: true, type: 'post.published', data: { post: { id: 'post_1' }, platforms: [] } } as never;

  it('ends a pause early with a wanted event', async () => {
    const { stream, push } = feedOf();
    const feed = new FinalEventFeed(stream, (postId) => postId === 'post_1');
    const paused = feed.pause(defaultRuntime, 3_600_000, undefined);
    push(event);
    await paused;
    expect([...feed.take().keys()]).toEqual(['post_1']);
  });

  it('is not read after it is closed, even if it has no method return', async () => {
    const { stream, push, count } = feedOf();
    const feed = new FinalEventFeed(stream, () => true);
    feed.close();
    push(event);
    await new Promise((resolve) => setImmediate(resolve));
    expect(count()).toBe(1);
  });

  function feedOf() {
    const waiting: ((result: IteratorResult<never>) => void)[] = [];
    let reads = 0;
    const next = () => {
      reads += 1;
      return new Promise<IteratorResult<never>>((resolve) => waiting.push(resolve));
    };
    const push = (value: never) => waiting.shift()?.({ value, done: false });
    return { stream: { [Symbol.asyncIterator]: () => ({ next }) }, push, count: () => reads };
  }
});

describe('metrics of Instagram insights', () => {
  const reply = () => Response.json({ success: true, accountId: 'a', metrics: {} });
  const textOf = async (metrics: unknown) => {
    const { client, requests } = scripted(reply);
    await client.analytics.getInstagramInsights({ accountId: 'a', metrics } as never);
    return requests[0]?.url.searchParams.get('metrics');
  };

  it('are sent with only commas between the names', async () => {
    expect(await textOf(['reach', 'views'])).toBe('reach,views');
    expect(await textOf('reach , views')).toBe('reach,views');
  });

  it('are omitted if the array is empty, or if they are omitted', async () => {
    expect(await textOf([])).toBeNull();
    expect(await textOf(undefined)).toBeNull();
  });

  it('are refused with all documented names if one is unknown', async () => {
    const { client, requests } = scripted(reply);
    const [issue] = await issuesOf(client.analytics.getInstagramInsights({ accountId: 'a', metrics: 'reach, likez' }));
    expect(issue).toMatchObject({ path: ['metrics'] });
    expect(issue?.message).toMatch(/^metrics must be one or more of reach, .*likes.*, not '.+'/);
    expect(requests).toEqual([]);
  });
});

describe('the argument of reconcile', () => {
  const otherWay = 'If you do not have the error, call reconcile({ body, sentAt }).';
  const notOurs = `error must be the error that this client's posts.create rejected with. ${otherWay}`;

  it.each([
    ['undefined', undefined, notOurs],
    ['an error of another library', new Error('mine'), notOurs],
    ['an error with a body', Object.assign(new Error('mine'), { body: {}, sentAt: new Date() }), notOurs],
    ['an object without body and sentAt', { error: 'x' }, notOurs],
    ["a list's error", new SocialPublishingError('x', { method: 'GET', route: '/v1/posts/' }), notOurs],
    [
      "another client's error",
      new SocialPublishingError('x', { method: 'POST', route: '/v1/posts/' }),
      `error is from another client's create. Call reconcile on that client, or call reconcile({ body, sentAt }).`,
    ],
    [
      'a text',
      'gone',
      `error must be an object. Abort a create with an Error, not with a string or a number. ${otherWay}`,
    ],
  ])('is refused before anything is sent: %s', async (_, asked, message) => {
    const { client, requests } = scripted();
    expect(await issuesOf(client.posts.reconcile(asked))).toEqual([{ path: ['error'], message }]);
    expect(requests).toEqual([]);
  });
});

describe('retryFailed', () => {
  const post: Post = {
    postId: 'post_1',
    status: 'failed',
    content: 'Hello',
    platforms: [{ platform: 'tiktok', status: 'failed' }],
  };

  it('names the argument that is wrong', () => {
    const event = { data: { post: { id: 'post_2' } } } as KnownWebhookEvent;
    expect(() => retryFailed(post, event)).toThrow('event must be an event of this post');
    expect(() => retryFailed({ ...post, status: 'scheduled' })).toThrow(
      'post must have the status published, partial or failed. posts.waitUntilFinal returns such a post',
    );
    expect(() => retryFailed(null as unknown as Post)).toThrow(
      'post must be a post from a list, or an intent of the publisher',
    );
  });

  it('sends no mode, no time and no old targets of the request as extras', () => {
    const rawRequestBody = {
      content: 'First',
      platforms: [{ platform: 'tiktok', accountId: 'a' }],
      scheduledFor: '2026-03-01T09:00:00Z',
      saveAsDraft: false,
      publishNow: false,
      timezone: 'Europe/Berlin',
    };
    expect(retryFailed({ ...post, rawRequestBody })).toEqual({
      body: { content: 'First', platforms: [{ platform: 'tiktok', accountId: 'a' }], publishNow: true },
      extraBody: { timezone: 'Europe/Berlin' },
    });
  });

  it('creates no content field for a post without content', () => {
    const { content: _, ...silent } = post;
    const rawRequestBody = { platforms: [{ platform: 'tiktok', accountId: 'a' }] };
    expect(Object.keys(retryFailed({ ...silent, rawRequestBody })?.body ?? {})).toEqual(['platforms', 'publishNow']);
  });
});

describe('a post made from its final event', () => {
  const eventOf = (data: object) =>
    ({ known: true, id: 'e', type: 'post.published', data }) as unknown as KnownWebhookEvent;

  it('contains only fields that the event or the list has', () => {
    const bare = eventOf({ post: { id: 'post_1', scheduledFor: null }, platforms: [{ errorMessage: null }] });
    expect(postOfEvent(bare, undefined)).toStrictEqual({ postId: 'post_1', status: 'published', platforms: [{}] });
  });

  it('prefers the event to the list, and keeps what only the list has', () => {
    const event = eventOf({
      post: { id: 'post_1', content: 'New', scheduledFor: '2026-03-01T09:00:00Z' },
      platforms: [{ platform: 'tiktok', status: 'published', platformPostId: '7', warningMessage: 'cropped' }],
    });
    const listed: Post = { postId: 'post_1', status: 'scheduled', content: 'Old', createdAt: '2026-02-01T09:00:00Z' };
    expect(postOfEvent(event, listed)).toStrictEqual({
      postId: 'post_1',
      status: 'published',
      content: 'New',
      scheduledFor: '2026-03-01T09:00:00Z',
      createdAt: '2026-02-01T09:00:00Z',
      platforms: [{ platform: 'tiktok', status: 'published', platformPostId: '7', warningMessage: 'cropped' }],
    });
    expect(postOfEvent(eventOf({ post: { id: 'post_1' }, platforms: [] }), listed)).toMatchObject({ content: 'Old' });
  });
});

describe('a wait for a post', () => {
  const final = () => Response.json({ success: true, total: 1, posts: [{ postId: 'post_1', status: 'published' }] });
  const status = (code: number) => () => Response.json({ success: false, message: 'no' }, { status: code });
  const page = () => new Response('<html>', { headers: { 'content-type': 'text/html' } });
  const waiting = (...replies: (() => Response)[]) => {
    const world = scripted(...replies);
    return { ...world, wait: world.client.posts.waitUntilFinal('post_1', { pollMs: 1, waitMs: 2_000 }) };
  };

  it.each([
    ['408', status(408)],
    ['429', status(429)],
    ['500', status(500)],
    ['503', status(503)],
    ['a reply that is not JSON', page],
  ])('polls again after %s', async (_, failure) => {
    const { wait, requests } = waiting(failure, final);
    expect(await wait).toMatchObject({ status: 'published' });
    expect(requests).toHaveLength(2);
  });

  it.each([400, 401, 403, 404, 409, 499])('ends with the error of status %i', async (code) => {
    const { wait, requests } = waiting(status(code), final);
    expect(await rejection(wait)).toMatchObject({ status: code });
    expect(requests).toHaveLength(1);
  });

  it('ends with the last failure as the cause if no poll succeeds', async () => {
    const world = everydayWorld({}, { maxRetries: 0, fetch: () => Promise.resolve(status(503)()) });
    const error = await rejection(world.client.posts.waitUntilFinal('post_1', { waitMs: 5_000 }));
    expect(error).toMatchObject({
      name: 'WaitTimeoutError',
      missing: ['post_1'],
      pending: [],
      cause: { status: 503 },
      message:
        'waitMs ran out with 1 not listed. Nothing was changed. To wait longer, call again with a larger waitMs.',
    });
  });

  it('reads from an hour before the newest post if a post is not listed yet', async () => {
    const listed = { postId: 'post_2', status: 'scheduled', createdAt: '2026-05-01T09:00:00.000Z' };
    const { client, requests } = scripted(
      () => Response.json({ success: true, total: 1, posts: [listed] }),
      () => Response.json({ success: true, total: 1, posts: [{ postId: 'post_1', status: 'published' }] }),
    );
    await client.posts.waitUntilFinal('post_1', { pollMs: 1, waitMs: 5_000 });
    const starts = requests.map(({ url }) => url.searchParams.get('createdAfter'));
    expect(starts[0]).toBeNull();
    expect(Date.parse(starts.at(-1) ?? '')).toBeLessThan(Date.parse(listed.createdAt));
  });

  it("gives each poll the rest of the time, at least a second, and at most the caller's limit", async () => {
    const limits: (number | undefined)[] = [];
    const world = everydayWorld({}, { maxRetries: 0 });
    const { id } = world.service.seed.integration({ platform: 'instagram' });
    const { postId } = await world.client.posts.create({
      content: 'Hello',
      platforms: [{ platform: 'instagram', accountId: id }],
      scheduledFor: new Date(world.service.clock.now() + 86_400_000),
    });
    const list = world.client.posts.list.bind(world.client.posts);
    world.client.posts.list = (query, options) => {
      limits.push(options?.totalTimeoutMs);
      return list(query, options);
    };
    await rejection(world.client.posts.waitUntilFinal(postId, { waitMs: 2_500, pollMs: 1_000 }));
    expect(limits[0]).toBe(2_500);
    expect(Math.min(...limits.map((limit) => limit ?? 0))).toBe(1_000);
    limits.length = 0;
    await rejection(world.client.posts.waitUntilFinal(postId, { waitMs: 2_500, totalTimeoutMs: 1_700 }));
    expect(limits[0]).toBe(1_700);
  });
});
