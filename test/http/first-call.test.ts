import { afterEach, beforeEach, expect, it, vi } from 'vitest';

beforeEach(() => {
  // Other tests in this process have made calls: load the package again.
  vi.resetModules();
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.resetModules();
});

it('The first call of a program goes out before a moment of real time passes, so a test can replace its timers', async () => {
  const { SocialPublishing } = await import('../../src/client.js');
  const fetch = vi.fn<typeof globalThis.fetch>(
    (_, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => {
          reject(init.signal?.reason as Error);
        });
      }),
  );
  const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: 'test-key', fetch });
  const ended = client.posts.create({ content: 'Hello', saveAsDraft: true }).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(fetch).toHaveBeenCalledTimes(1);
  await expect(ended).resolves.toMatchObject({ name: 'TimeoutError', timeoutMs: 30_000, outcome: 'unknown' });
  expect(vi.getTimerCount()).toBe(0);
});
