import { expect, it, vi } from 'vitest';
import { SocialPublishing } from '../../src/client.js';
import { ConnectionError } from '../../src/core/errors.js';

vi.mock('ky', () => {
  throw new TypeError('Failed to fetch dynamically imported module');
});

it('A call that cannot load ky rejects with the outcome not_sent, and fetch is not called', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>();
  const client = new SocialPublishing({ baseUrl: 'https://api.test', accessKey: 'test-key', fetch, maxRetries: 0 });
  const failed = client.posts.create({ content: 'Hello', saveAsDraft: true });
  await expect(failed).rejects.toThrow(ConnectionError);
  await expect(failed).rejects.toMatchObject({ outcome: 'not_sent' });
  expect(fetch).not.toHaveBeenCalled();
});
