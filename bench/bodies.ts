/** Returns a reply to `posts.list` with this number of posts, as the service sends it. */
export function listOf(count: number, from = 0, total = count): string {
  const posts = Array.from({ length: count }, (_, index) => post(from + index));
  return JSON.stringify({ success: true, total, posts });
}

function post(number: number): object {
  return {
    postId: `post_${String(number)}`,
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
      platformPostId: `${platform}_${String(number)}`,
      platformPostUrl: `https://${platform}.example.com/${String(number)}`,
      publishedAt: '2026-03-01T09:00:02.000Z',
    })),
    crosspostingEnabled: false,
    rawRequestBody: { content: 'The blue one is back.' },
    createdAt: '2026-02-28T10:00:00.000Z',
    updatedAt: '2026-03-01T09:00:02.000Z',
  };
}
