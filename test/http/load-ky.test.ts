import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.doUnmock('ky');
  vi.resetModules();
});

it('A call that cannot load ky rejects with the outcome not_sent, and fetch is not called', async () => {
  // Other tests in this process have loaded ky: load the package again.
  vi.resetModules();
  vi.doMock('ky', () => {
    throw new TypeError('Failed to fetch dynamically imported module');
  });
  const { SocialPublishing } = await import('../../src/client.js');
  const { ConnectionError } = await import('../../src/core/errors.js');
  const fetch = vi.fn<typeof globalThis.fetch>();
  const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: 'test-key', fetch, maxRetries: 0 });
  const failed = client.posts.create({ content: 'Hello', saveAsDraft: true });
  await expect(failed).rejects.toThrow(ConnectionError);
  await expect(failed).rejects.toMatchObject({ outcome: 'not_sent' });
  await expect(failed).rejects.toThrow('could not be sent');
  expect(fetch).not.toHaveBeenCalled();
});

it('Calls that wait until ky is loaded do not go out together, faster than perSecond', async () => {
  vi.resetModules();
  let finishLoading = () => {};
  const loaded = new Promise<void>((resolve) => {
    finishLoading = resolve;
  });
  vi.doMock('ky', async (importActual) => {
    await loaded;
    return importActual();
  });
  const { SocialPublishing } = await import('../../src/client.js');
  const sentAt: number[] = [];
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
    await Promise.resolve();
  };
  const client = new SocialPublishing(
    {
      baseUrl: 'https://api.test',
      accessKey: 'test-key',
      limits: { perSecond: 2 },
      fetch: () => {
        sentAt.push(now);
        return Promise.resolve(Response.json({ success: true, total: 0, posts: [] }));
      },
    },
    { now: () => now, monotonic: () => now, sleep, random: () => 0.5 },
  );
  const calls = [client.posts.list(), client.posts.list(), client.posts.list()].map((list) => list.then());
  await new Promise((resolve) => setImmediate(resolve));
  const passedWhileLoading = now;
  finishLoading();
  await Promise.all(calls);
  expect(passedWhileLoading).toBe(0);
  expect(sentAt).toHaveLength(3);
});
