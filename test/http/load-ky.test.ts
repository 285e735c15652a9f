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
  expect(fetch).not.toHaveBeenCalled();
});
