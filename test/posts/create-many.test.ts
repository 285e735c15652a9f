import { describe, expect, it } from 'vitest';
import {
  InvalidRequestError,
  type CreateManyOptions,
  type CreateManyProgress,
  type CreateManyResult,
  type CreatePostBody,
} from '../../src/index.js';
import { rejection } from '../policies/client.js';
import { collect } from '../support/collect.js';
import { everydayWorld } from '../resources/everyday-world.js';

const draft = (content: string): CreatePostBody => ({ content, saveAsDraft: true });
const drafts = (count: number) => Array.from({ length: count }, (_, index) => draft(`draft ${String(index)}`));

const byIndex = (results: readonly CreateManyResult[]) =>
  [...results].sort((a, b) => a.index - b.index).map(({ status }) => status);

describe('posts.createMany', () => {
  it('creates each body once and yields a result for each, with its index', async () => {
    const { client, service } = everydayWorld();
    const progress: CreateManyProgress[] = [];
    const results = await collect(client.posts.createMany(drafts(25), { onProgress: (now) => progress.push(now) }));
    expect(byIndex(results)).toEqual(Array.from({ length: 25 }, () => 'created'));
    expect(service.posts.map(({ content }) => content).sort()).toEqual(
      drafts(25)
        .map(({ content }) => content)
        .sort(),
    );
    for (const { index, post } of results) {
      expect(service.posts.find(({ postId }) => postId === post?.postId)?.content).toBe(`draft ${String(index)}`);
    }
    expect(progress).toHaveLength(25);
    expect(progress.at(-1)).toEqual({ done: 25, total: 25, created: 25, failed: 0, unknown: 0, notSent: 0 });
  });

  it('takes the reply of a replaced create that is no promise: the post exists', async () => {
    const { client } = everydayWorld();
    const reply = { postId: 'post_1', status: 'draft' };
    Object.assign(client.posts, { create: () => reply });
    expect(await collect(client.posts.createMany(drafts(1)))).toEqual([{ index: 0, status: 'created', post: reply }]);
  });

  it('merges the extras of each item over the common extras', async () => {
    const { client, service } = everydayWorld();
    const items = [draft('a'), { body: draft('b'), extraBody: { timezone: 'Europe/Berlin' } }];
    await collect(client.posts.createMany(items, { concurrency: 1, extraBody: { timezone: 'UTC' } }));
    expect(service.posts.map(({ rawRequestBody }) => rawRequestBody?.['timezone'])).toEqual(['UTC', 'Europe/Berlin']);
  });

  it.each([5, 'media', [{ url: 'u' }]])('refuses %j as extraBody: nothing of it could be sent', async (extraBody) => {
    const { client, service } = everydayWorld();
    const [result] = await collect(client.posts.createMany([{ body: draft('a'), extraBody } as never]));
    expect(result).toMatchObject({ status: 'failed', error: { name: 'InvalidRequestError' } });
    expect(service.posts).toEqual([]);
  });

  it('refuses an item with another field beside its body, which would be lost', async () => {
    const { client, service } = everydayWorld();
    const item = { body: draft('a'), extras: { mediaItems: [] } };
    const [result] = await collect(client.posts.createMany([item]));
    expect(result).toMatchObject({ status: 'failed', error: { name: 'InvalidRequestError' } });
    expect(String(result?.error)).toContain("'extras' is not a field of an item. Supported: body, extraBody");
    expect(service.posts).toEqual([]);
  });

  it('keeps at most this number in flight, and reads its source no further ahead', async () => {
    const { service } = everydayWorld();
    let underWay = 0;
    let most = 0;
    let pulled = 0;
    let taken = 0;
    let furthest = 0;
    const { client } = everydayWorld(
      {},
      {
        fetch: async (input, init) => {
          underWay += 1;
          most = Math.max(most, underWay);
          await new Promise((resolve) => setTimeout(resolve, 1));
          underWay -= 1;
          return service.fetch(input, init);
        },
      },
    );
    function* source() {
      for (const body of drafts(30)) {
        pulled += 1;
        furthest = Math.max(furthest, pulled - taken);
        yield body;
      }
    }
    for await (const _ of client.posts.createMany(source(), { concurrency: 3 })) taken += 1;
    expect(taken).toBe(30);
    expect(most).toBe(3);
    // The last yielded item may not be counted as consumed yet.
    expect(furthest).toBeLessThanOrEqual(4);
  });

  it('returns the result of each item', async () => {
    const { client, service } = everydayWorld({}, { maxRetries: 0 });
    const route = 'POST /v1/posts/';
    service.faults.add({ route, times: 1, kind: 'status', status: 400 });
    service.faults.add({ route, times: 1, kind: 'reset_after_commit' });
    const bodies = [
      draft('refused'),
      draft('lost'),
      { content: 'odd', typo: true } as unknown as CreatePostBody,
      draft('well'),
    ];
    const results = await collect(client.posts.createMany(bodies, { concurrency: 1 }));
    expect(byIndex(results)).toEqual(['failed', 'unknown', 'failed', 'created']);
    expect(results[2]?.error).toBeInstanceOf(InvalidRequestError);
    const found = await client.posts.reconcile(results[1]?.error);
    expect(found).toMatchObject({ status: 'created', post: { content: 'lost' } });
  });

  it('after an abort, sends nothing more, and lists the unsent items', async () => {
    const { service } = everydayWorld();
    const controller = new AbortController();
    let calls = 0;
    const { client } = everydayWorld(
      {},
      {
        fetch: (input, init) => {
          calls += 1;
          if (calls === 3) controller.abort(new Error('enough'));
          return service.fetch(input, init);
        },
      },
    );
    const results = await collect(client.posts.createMany(drafts(6), { concurrency: 1, signal: controller.signal }));
    expect(byIndex(results)).toEqual(['created', 'created', 'unknown', 'not_sent', 'not_sent', 'not_sent']);
    expect(calls).toBe(3);
    const errors = results.slice(2).map(({ error }) => error);
    expect(new Set(errors).size).toBe(errors.length);
    expect((errors[0] as Error).cause).toEqual(new Error('enough'));
  });

  it('closes its source where the loop is left, and leaves no create behind', async () => {
    const { client, service } = everydayWorld();
    let closed = false;
    function* source() {
      try {
        yield* drafts(100);
      } finally {
        closed = true;
      }
    }
    for await (const _ of client.posts.createMany(source(), { concurrency: 4 })) break;
    const created = service.posts.length;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(closed).toBe(true);
    expect(created).toBeLessThanOrEqual(5);
    expect(service.posts).toHaveLength(created);
  });

  it('ends with the error of a failing source, after the earlier results', async () => {
    const { client } = everydayWorld();
    const broken = new Error('the file is gone');
    async function* source() {
      await Promise.resolve();
      yield draft('a');
      yield draft('b');
      throw broken;
    }
    const seen: CreateManyResult[] = [];
    const run = async () => {
      for await (const result of client.posts.createMany(source())) seen.push(result);
    };
    expect(await rejection(run())).toBe(broken);
    expect(byIndex(seen)).toEqual(['created', 'created']);
  });

  it.each([
    ['concurrency', { concurrency: 0 }],
    ['onProgress', { onProgress: 5 as unknown as () => void }],
    ['signal', { signal: 5 as unknown as AbortSignal }],
    ['timeoutMs', { timeoutMs: -1 }],
    ['colour', { colour: 1 } as CreateManyOptions],
  ])('refuses a bad %s before it reads its source', async (name, options) => {
    const { client, service } = everydayWorld();
    let read = 0;
    function* source() {
      read += 1;
      yield* drafts(2);
    }
    const error = await rejection(collect(client.posts.createMany(source(), options)));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ method: 'POST', route: '/v1/posts/' });
    expect((error as Error).message).toContain(name);
    expect(read).toBe(0);
    expect(service.requests).toEqual([]);
  });

  it('refuses anything except a list of bodies', async () => {
    const { client } = everydayWorld();
    const one = draft('alone') as unknown as CreatePostBody[];
    expect(await rejection(collect(client.posts.createMany(one)))).toBeInstanceOf(InvalidRequestError);
  });
});
