import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/recording-server.js';
import { collect } from '../support/collect.js';
import { clientOf, ids, numbered, offsetOf, postsOf } from './lists.js';

/** A service whose pages arrive when they are released. */
function heldBack(count: number) {
  const held = new Map<number, () => void>();
  const answer: Answer = async (request, index) => {
    await new Promise<void>((resolve) => held.set(offsetOf(request.target), resolve));
    return postsOf(count)(request, index);
  };
  const release = (offset: number) => {
    held.get(offset)?.();
    held.delete(offset);
  };
  return { answer, release, waiting: () => [...held.keys()].sort((a, b) => a - b) };
}

describe('reading ahead', () => {
  test('asks for the next page as soon as one arrives, before its turn comes', async () => {
    const service = heldBack(20);
    const { client } = await clientOf(service.answer);
    const walk = collect(client.posts.list({ limit: 2 }, { concurrency: 3 }));
    await expect.poll(service.waiting).toEqual([0]);
    service.release(0);
    await expect.poll(service.waiting).toEqual([2, 4, 6]);
    // The page of offset 2 does not come yet; those behind it do.
    service.release(4);
    await expect.poll(service.waiting).toEqual([2, 6, 8]);
    service.release(6);
    await expect.poll(service.waiting).toEqual([2, 8, 10]);
    for (const offset of [2, 8, 10, 12, 14, 16, 18]) {
      await expect.poll(service.waiting).toContain(offset);
      service.release(offset);
    }
    expect(ids(await walk)).toEqual(numbered(20));
  });

  test('does not accumulate pages that are not consumed', async () => {
    const { client, requests } = await clientOf(postsOf(1_000));
    const pages = client.posts.list({ limit: 2 }, { concurrency: 3 }).pages();
    await pages.next();
    await expect.poll(() => requests.length).toBe(7);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(requests).toHaveLength(7);
    await pages.return();
  });

  test('asks for nothing behind a page that failed', async () => {
    const service = heldBack(100);
    const { client, requests } = await clientOf(async (request, index) => {
      const reply = await service.answer(request, index);
      return offsetOf(request.target) === 4 ? { success: false, message: 'no' } : reply;
    });
    const walk = collect(client.posts.list({ limit: 2 }, { concurrency: 3 }));
    walk.catch(() => undefined);
    await expect.poll(service.waiting).toEqual([0]);
    service.release(0);
    await expect.poll(service.waiting).toEqual([2, 4, 6]);
    service.release(4);
    service.release(6);
    await expect.poll(service.waiting).toEqual([2]);
    service.release(2);
    await expect(walk).rejects.toMatchObject({ resume: { offset: 4 } });
    expect(requests).toHaveLength(4);
  });

  test.each([1, 4])('reports no error to hooks when the loop ends early (concurrency %i)', async (concurrency) => {
    const errors: unknown[] = [];
    const retries: unknown[] = [];
    const { client, requests } = await clientOf(
      async (request, page) => {
        if (page > 2) await new Promise(() => undefined);
        return postsOf(100)(request, page);
      },
      { hooks: { onError: (info) => errors.push(info), onRetry: (info) => retries.push(info) }, maxRetries: 2 },
    );
    for await (const post of client.posts.list({ limit: 2 }, { concurrency })) {
      if (post.postId === 'post_2') break;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(errors).toEqual([]);
    expect(retries).toEqual([]);
    expect(requests.length).toBeGreaterThanOrEqual(2);
  });

  test('still reports an abort by the caller to the hook', async () => {
    const errors: unknown[] = [];
    const { client, requests } = await clientOf(() => new Promise(() => undefined), {
      hooks: { onError: ({ error }) => errors.push(error) },
    });
    const controller = new AbortController();
    const walk = collect(client.posts.list({}, { concurrency: 4, signal: controller.signal }));
    await expect.poll(() => requests.length).toBe(1);
    controller.abort('enough');
    await expect(walk).rejects.toBe('enough');
    expect(errors).toEqual(['enough']);
  });
});
