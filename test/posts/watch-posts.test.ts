import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  InvalidRequestError,
  PermissionError,
  SocialPublishing,
  WaitTimeoutError,
  targetResults,
  type Post,
  type WatchPostsOptions,
  type WebhookEvent,
} from '../../src/index.js';
import { isFinalStatus } from '../../src/model/known-values.js';
import { unhandledRejectionsOf } from '../support/unhandled-rejections.js';
import { rejection } from '../policies/client.js';
import { collect } from '../support/collect.js';
import { everydayWorld, type EverydayWorld } from '../resources/everyday-world.js';

const inMinutes = (world: EverydayWorld, minutes: number) => new Date(world.service.clock.now() + minutes * 60_000);

async function scheduled(world: EverydayWorld, minutes: number, accountId: string) {
  return world.client.posts.create({
    content: 'Hello',
    platforms: [{ platform: 'instagram', accountId }],
    scheduledFor: inMinutes(world, minutes),
  });
}

/** A world with a post that goes out in some minutes. */
async function scheduledPost(minutes: number) {
  const world = everydayWorld();
  const { id } = world.service.seed.integration({ platform: 'instagram' });
  const { postId } = await scheduled(world, minutes, id);
  return { world, id, postId };
}

/** A feed that a test fills by hand. */
function feedOf(...events: WebhookEvent[]) {
  const state = { closed: false };
  let wake: () => void = () => undefined;
  const feed: AsyncIterable<WebhookEvent> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        while (events.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        const [value] = events.splice(0, 1);
        return { done: false as const, value: value as WebhookEvent };
      },
      return: () => {
        state.closed = true;
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  return {
    feed,
    state,
    push: (event: WebhookEvent) => {
      events.push(event);
      wake();
    },
  };
}

function finalEvent(postId: string, accountId: string): WebhookEvent {
  return {
    known: true,
    id: 'event_x',
    type: 'post.failed',
    data: {
      post: { id: postId, status: 'failed', content: 'Hello', scheduledFor: null },
      platforms: [{ platform: 'instagram', integrationId: accountId, status: 'failed', errorMessage: 'rejected' }],
    },
  };
}

describe('posts.waitUntilFinal', () => {
  it('passes the post to onUpdate after each poll, until it is final', async () => {
    const world = everydayWorld();
    const { id } = world.service.seed.integration({ platform: 'instagram' });
    const created = await scheduled(world, 1, id);
    const seen: (string | undefined)[] = [];
    const onUpdate = ({ postId, status }: Post) => seen.push(`${postId} ${String(status)}`);
    await world.client.posts.waitUntilFinal(created.postId, { onUpdate });
    expect(seen).toEqual(world.waits.map(() => `${created.postId} scheduled`));
    const failing = world.client.posts.waitUntilFinal((await scheduled(world, 1, id)).postId, {
      onUpdate: () => {
        throw new RangeError('of the caller');
      },
    });
    await expect(failing).rejects.toThrow(RangeError);
  });

  it('passes the error of each failed poll to onPollError, and goes on', async () => {
    const { world, postId } = await scheduledPost(1);
    world.service.faults.add({ kind: 'status', status: 503, route: 'GET /v1/posts/', times: 2 });
    const seen: unknown[] = [];
    const options = { maxRetries: 0, onPollError: (error: unknown) => seen.push(error) };
    expect(await world.client.posts.waitUntilFinal(postId, options)).toMatchObject({ status: 'published' });
    expect(seen).toMatchObject([{ status: 503 }, { status: 503 }]);
  });

  it('ignores an onUpdate that returns a promise that rejects', async () => {
    const { world, postId } = await scheduledPost(1);
    // By its type, the client ignores the result: an async function fits.
    const onUpdate: () => unknown = () => Promise.reject(new Error('the screen is gone'));
    const reasons = await unhandledRejectionsOf(async () => {
      expect(await world.client.posts.waitUntilFinal(postId, { onUpdate })).toMatchObject({ status: 'published' });
    });
    expect(reasons).toEqual([]);
  });

  it('resolves to the post once it is published', async () => {
    const world = everydayWorld();
    const { id } = world.service.seed.integration({ platform: 'instagram' });
    const created = await scheduled(world, 1, id);
    const post = await world.client.posts.waitUntilFinal(created.postId);
    expect(post).toMatchObject({ postId: created.postId, status: 'published' });
    expect(isFinalStatus(post.status)).toBe(true);
    // Quick at first, then slower, never slower than pollMs.
    expect(world.waits[0]).toBe(1_000);
    expect(world.waits).toEqual([...world.waits].sort((a, b) => a - b));
    expect(Math.max(...world.waits)).toBeLessThanOrEqual(15_000);
  });

  it('reads the list from the time of the create, if its reply contains that', async () => {
    const world = everydayWorld();
    const { id } = world.service.seed.integration({ platform: 'instagram' });
    await world.client.posts.waitUntilFinal(await scheduled(world, 1, id));
    expect(world.lists()[0]?.['createdAfter']).toBe('2026-03-02T08:58:00.000Z');
  });

  it('reads the list from two minutes before since, whatever its form', async () => {
    for (const since of ['2026-03-02T08:30:00Z', new Date('2026-03-02T08:30:00Z')]) {
      const world = everydayWorld();
      const { id } = world.service.seed.integration({ platform: 'instagram' });
      const { postId } = await scheduled(world, 1, id);
      await world.client.posts.waitUntilFinal(postId, { since });
      expect(world.lists()[0]?.['createdAfter']).toBe('2026-03-02T08:28:00.000Z');
    }
  });

  it('rejects with the post as last seen when the time runs out', async () => {
    const world = everydayWorld();
    const { id } = world.service.seed.integration({ platform: 'instagram' });
    const created = await scheduled(world, 60, id);
    const error = await rejection(world.client.posts.waitUntilFinal(created, { waitMs: 30_000 }));
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({
      outcome: 'unknown',
      missing: [],
      pending: [{ postId: created.postId, status: 'scheduled' }],
    });
    expect(JSON.stringify(error)).not.toContain('Hello');
    expect(world.waits.reduce((sum, ms) => sum + ms, 0)).toBe(30_000);
  });

  it('names an ID that was never listed', async () => {
    const world = everydayWorld();
    const error = await rejection(world.client.posts.waitUntilFinal('post_404', { waitMs: 5_000, pollMs: 500 }));
    expect(error).toMatchObject({ name: 'WaitTimeoutError', pending: [], missing: ['post_404'] });
  });

  it('counts what is missing when the time runs out, with each status once', async () => {
    const world = everydayWorld();
    const { id } = world.service.seed.integration({ platform: 'instagram' });
    const platforms = [{ platform: 'instagram', accountId: id }] as const;
    for (const status of ['scheduled', 'pending', 'pending'] as const) {
      world.service.seed.post({ status, scheduledFor: '2099-01-01T09:00:00Z', platforms });
    }
    const wait = collect(world.client.posts.watch(['post_1', 'post_2', 'post_3', 'post_404'], { waitMs: 5_000 }));
    expect((await rejection(wait)) as Error).toHaveProperty(
      'message',
      'waitMs ran out with 3 not final (scheduled, pending) and 1 not listed. Nothing was changed. To wait longer, ' +
        'call again with a larger waitMs.',
    );
  });

  it('leaves no listener on the signal of a wait with a feed', async () => {
    const { world, postId } = await scheduledPost(60);
    const { signal } = new AbortController();
    const wait = world.client.posts.waitUntilFinal(postId, { signal, events: feedOf().feed, waitMs: 60_000 });
    expect(await rejection(wait)).toBeInstanceOf(WaitTimeoutError);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('refuses a draft at once', async () => {
    const world = everydayWorld();
    const { postId } = await world.client.posts.create({ content: 'Hello', saveAsDraft: true });
    expect(await rejection(world.client.posts.waitUntilFinal(postId))).toBeInstanceOf(InvalidRequestError);
    expect(world.waits).toEqual([]);
  });

  it('sends nothing for a signal that has aborted', async () => {
    const world = everydayWorld();
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    expect(await rejection(world.client.posts.waitUntilFinal('post_1', { signal }))).toBe(reason);
    expect(world.service.requests).toEqual([]);
  });

  it.each([
    ['without a feed', undefined],
    ['with a feed that says nothing', feedOf().feed],
  ])('obeys an abort between two polls at once, %s', async (_, events) => {
    const { service } = everydayWorld();
    const { id } = service.seed.integration({ platform: 'instagram' });
    service.seed.post({
      status: 'scheduled',
      scheduledFor: '2099-01-01T09:00:00Z',
      platforms: [{ platform: 'instagram', accountId: id }],
    });
    const controller = new AbortController();
    const reason = new Error('enough');
    // The time of a real client, which would wait for an hour.
    const client = new SocialPublishing({
      baseUrl: 'https://emulator.test',
      accessKey: 'test-key',
      fetch: async (input, init) => {
        const response = await service.fetch(input, init);
        setTimeout(() => {
          controller.abort(reason);
        }, 20);
        return response;
      },
    });
    const options = { signal: controller.signal, events, pollMs: 3_600_000, waitMs: Infinity };
    expect(await rejection(client.posts.waitUntilFinal('post_1', options))).toBe(reason);
  });

  it.each([
    ['pollMs', { pollMs: 0 }],
    ['waitMs', { waitMs: -1 }],
    ['since', { since: 'yesterday' }],
    ['events', { events: [] as unknown as AsyncIterable<WebhookEvent> }],
    ['signal', { signal: 5 as unknown as AbortSignal }],
    ['polMs', { polMs: 5 } as WatchPostsOptions],
  ])('refuses a bad %s before anything is sent', async (name, options) => {
    const world = everydayWorld();
    const error = await rejection(world.client.posts.waitUntilFinal('post_1', options));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as InvalidRequestError).message).toContain(name);
    expect(world.service.requests).toEqual([]);
  });
});

describe('a refusal', () => {
  it('of waitUntilFinal names its own argument', async () => {
    const { client } = everydayWorld();
    const error = await rejection(client.posts.waitUntilFinal({} as never));
    expect(error).toMatchObject({
      issues: [{ path: ['post'], message: "post must be a post's ID, the reply to its create, or a listed post" }],
    });
    const draft = await client.posts.create({ content: 'Hello', saveAsDraft: true });
    expect(await rejection(client.posts.waitUntilFinal(draft))).toMatchObject({
      issues: [{ path: ['post'], message: expect.stringMatching(/^post is a draft \(.*\)/) as string }],
    });
  });

  it('of watch names the position in its list', async () => {
    const { client } = everydayWorld();
    const error = await rejection(collect(client.posts.watch(['post_1', ''])));
    expect(error).toMatchObject({ issues: [{ path: ['postIds', 1] }] });
    expect((error as InvalidRequestError).issues[0]?.message).toMatch(/^postIds\.1 must be a post's ID/);
    expect(await rejection(collect(client.posts.watch('post_1' as never)))).toMatchObject({
      issues: [{ path: ['postIds'], message: 'postIds must be an array or another iterable of posts' }],
    });
  });
});

describe('posts.watch', () => {
  it('yields each post once, when it becomes final, with one walk of the list per poll', async () => {
    const world = everydayWorld();
    const { id } = world.service.seed.integration({ platform: 'instagram' });
    const late = await scheduled(world, 3, id);
    const early = await scheduled(world, 1, id);
    const twice = [late.postId, early.postId, late.postId];
    const seen = await collect(world.client.posts.watch(twice));
    expect(seen.map(({ postId }) => postId)).toEqual([early.postId, late.postId]);
    expect(world.lists()).toHaveLength(world.waits.length + 1);
  });

  it('narrows later polls to the oldest post that it waits for', async () => {
    const world = everydayWorld();
    const { id } = world.service.seed.integration({ platform: 'instagram' });
    await world.client.posts.create({ content: 'old', saveAsDraft: true });
    await world.service.clock.advance({ days: 30 });
    const { postId } = await scheduled(world, 1, id);
    await collect(world.client.posts.watch([postId]));
    const [first, second] = world.lists();
    expect(first?.['createdAfter']).toBeUndefined();
    expect(second?.['createdAfter']).toBe('2026-04-01T08:58:00.000Z');
  });

  it('finds a post that lists show late', async () => {
    const world = everydayWorld();
    const { id } = world.service.seed.integration({ platform: 'instagram' });
    world.service.faults.add({ kind: 'listing_lag', lagMs: 90_000 });
    const { postId } = await scheduled(world, 1, id);
    const [post] = await collect(world.client.posts.watch([postId]));
    expect(post?.status).toBe('published');
  });

  it('survives lists that fail with 429, 5xx or no reply', async () => {
    const world = everydayWorld({}, { maxRetries: 0 });
    const { id } = world.service.seed.integration({ platform: 'instagram' });
    const { postId } = await scheduled(world, 1, id);
    const route = 'GET /v1/posts/';
    world.service.faults.add({ route, times: 1, kind: 'status', status: 503 });
    world.service.faults.add({ route, times: 1, kind: 'reset_before' });
    const [post] = await collect(world.client.posts.watch([postId]));
    expect(post?.status).toBe('published');
  });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])('survives %s, after which nothing was sent', async (code) => {
    const emulated = everydayWorld();
    let refusals = 0;
    const { id } = emulated.service.seed.integration({ platform: 'instagram' });
    const { postId } = await scheduled(emulated, 0, id);
    await emulated.service.clock.advance({ minutes: 1 });
    const world = everydayWorld(
      {},
      {
        maxRetries: 0,
        fetch: (url, init) => {
          refusals += 1;
          if (refusals > 3) return emulated.service.fetch(url, init);
          const cause = Object.assign(new Error(code), { code });
          return Promise.reject(new TypeError('fetch failed', { cause }));
        },
      },
    );
    const [post] = await collect(world.client.posts.watch([postId]));
    expect(post?.status).toBe('published');
    expect(refusals).toBe(4);
  });

  it('ends with a permanent refusal of the service', async () => {
    const world = everydayWorld();
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 403 });
    expect(await rejection(collect(world.client.posts.watch(['post_1'])))).toBeInstanceOf(PermissionError);
    expect(world.waits).toEqual([]);
  });

  it('believes a final event where the list lags behind it, and closes the feed', async () => {
    const { world, id, postId } = await scheduledPost(60);
    const { feed, state } = feedOf(finalEvent(postId, id));
    const [post] = await collect(world.client.posts.watch([postId], { events: feed }));
    expect(post).toMatchObject({ postId, status: 'failed', platforms: [{ errorMessage: 'rejected' }] });
    expect(post && targetResults(post).failed).toMatchObject([{ accountId: id }]);
    expect(state.closed).toBe(true);
  });

  it('goes on after the event post.scheduled, which is not final', async () => {
    const { world, id, postId } = await scheduledPost(60);
    // Made by hand, as the type of events is closed.
    const { feed } = feedOf({ ...finalEvent(postId, id), type: 'post.scheduled' } as WebhookEvent);
    const wait = collect(world.client.posts.watch([postId], { events: feed, waitMs: 30_000 }));
    expect(await rejection(wait)).toMatchObject({ pending: [{ postId, status: 'scheduled' }] });
  });

  it('takes the targets of an event from the list, where that has them', async () => {
    const { world, id, postId } = await scheduledPost(1);
    await world.service.clock.advance({ minutes: 2 });
    const { feed } = feedOf(finalEvent(postId, id));
    const [post] = await collect(world.client.posts.watch([postId], { events: feed }));
    expect(post?.status).toBe('published');
    expect(world.lists()).toHaveLength(1);
  });

  it('goes on with lists where the feed ends or fails', async () => {
    const { world, postId } = await scheduledPost(1);

    const broken = (async function* (): AsyncGenerator<WebhookEvent> {
      await Promise.resolve();
      throw new Error('the queue is gone');
    })();
    const [post] = await collect(world.client.posts.watch([postId], { events: broken }));
    expect(post?.status).toBe('published');
  });

  it('yields the post where the feed cannot be closed', async () => {
    const { world, postId } = await scheduledPost(1);
    const stuck: AsyncIterable<WebhookEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: () => {
          throw new Error('the queue is gone');
        },
      }),
    };
    expect(await collect(world.client.posts.watch([postId], { events: stuck }))).toMatchObject([{ postId }]);
  });

  it('ends at once with nothing to wait for', async () => {
    const world = everydayWorld();
    expect(await collect(world.client.posts.watch([]))).toEqual([]);
    expect(world.service.requests).toEqual([]);
  });
});
