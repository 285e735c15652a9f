/** What the client adds to a bare `fetch` of the same bytes: checking, policy, reading and parsing. */
import { Worker } from 'node:worker_threads';
import { SocialPublishing } from '../src/index.js';
import { compare, report } from './measure.js';

const sizes = [1, 20, 100];

function postsOf(count: number): string {
  const posts = Array.from({ length: count }, (_, index) => ({
    postId: `post_${String(index)}`,
    content: 'The blue one is back. '.repeat(5),
    status: 'published',
    scheduledFor: '2026-03-01T09:00:00.000Z',
    timezone: 'Europe/Berlin',
    mediaItems: [
      { type: 'image', url: 'https://media.example.com/1.png', filename: '1.png', size: 52_113, mimeType: 'image/png' },
    ],
    platforms: ['instagram', 'facebook', 'bluesky'].map((platform) => ({
      platform,
      status: 'published',
      platformPostId: `${platform}_${String(index)}`,
      platformPostUrl: `https://${platform}.example.com/${String(index)}`,
      publishedAt: '2026-03-01T09:00:02.000Z',
    })),
    crosspostingEnabled: false,
    rawRequestBody: { content: 'The blue one is back.' },
    createdAt: '2026-02-28T10:00:00.000Z',
    updatedAt: '2026-03-01T09:00:02.000Z',
  }));
  return JSON.stringify({ success: true, total: count, posts });
}

export async function benchClient(): Promise<void> {
  // The server has a thread of its own, so that it takes no time from what is measured.
  const workerData = Object.fromEntries(sizes.map((size) => [String(size), postsOf(size)]));
  const worker = new Worker(new URL('server.mjs', import.meta.url), { workerData });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  const url = `http://127.0.0.1:${String(port)}`;
  const client = new SocialPublishing({ baseUrl: url, accessKey: 'bench-key' });
  const headers = { 'x-access-key': 'bench-key', accept: 'application/json' };
  for (const limit of sizes) {
    const kilobytes = (postsOf(limit).length / 1_000).toFixed(1);
    const result = await compare(
      limit === 100 ? 60 : 200,
      async () => (await fetch(`${url}/v1/posts/?limit=${String(limit)}`, { headers })).json(),
      () => client.posts.list({ limit }).then((page) => page.items),
    );
    report(`posts.list, ${String(limit)} posts (${kilobytes} kB)`, 'fetch and .json()', result);
  }
  await worker.terminate();
}
