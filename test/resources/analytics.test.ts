import { CreditLimitError, SocialPublishing } from 'social-publishing';
import type { Emulator } from 'social-publishing/emulator';
import { beforeEach, describe, expect, it } from 'vitest';
import { everydayWorld } from './everyday-world.js';

let service: Emulator;
let client: SocialPublishing;
beforeEach(() => {
  ({ service, client } = everydayWorld({}, { strictResponses: true }));
});

let instagram: string;
let postId: string;

beforeEach(() => {
  instagram = service.seed.integration({ platform: 'instagram' }).id;
  service.seed.integration({ platform: 'tiktok' });
  postId = service.seed.post({
    content: 'Win a mug',
    status: 'published',
    platforms: [{ platform: 'instagram' }, { platform: 'tiktok' }],
  }).postId;
  service.seed.metrics({ postId, platform: 'instagram', metrics: { likes: 3, views: 120 } });
  service.seed.metrics({ postId, platform: 'tiktok', metrics: { likes: 4 } });
});

describe('a user who wants to know how a post did', () => {
  it('gets its metrics, added up and for each platform', async () => {
    const post = await client.analytics.getPost(postId);
    expect(post.aggregated).toEqual({ likes: 7, views: 120 });
    expect(post.platforms).toMatchObject([
      { platform: 'instagram', metrics: { likes: 3, views: 120 } },
      // A metric that a platform doesn't report is missing, not zero.
      { platform: 'tiktok', metrics: { likes: 4 } },
    ]);
  });

  it('compares posts by a metric', async () => {
    const other = service.seed.post({ content: 'New shop', status: 'published', platforms: [{ platform: 'tiktok' }] });
    service.seed.metrics({ postId: other.postId, metrics: { likes: 50 } });

    const best = await client.analytics.listPosts({ sortBy: 'likes', order: 'desc' });
    expect(best.items.map(({ content }) => content)).toEqual(['New shop', 'Win a mug']);
  });

  it('sees how the whole account did in a range of days', async () => {
    service.seed.metrics({ accountId: instagram, date: '2026-03-01', metrics: { reach: 200 } });
    service.seed.metrics({ accountId: instagram, date: '2026-03-02', metrics: { reach: 40 } });

    const insights = await client.analytics.getInstagramInsights({
      accountId: instagram,
      metrics: ['reach'],
      since: '2026-03-01',
      until: '2026-03-02',
    });
    expect(insights.metrics['reach']).toEqual({ total: 240 });
  });
});

describe('a user with few credits', () => {
  it('sees the used credits: one per call', async () => {
    await client.analytics.getPost(postId);
    await client.analytics.listPosts();
    expect(client.creditsUsed).toBe(2);
  });

  it('sets a limit, past which nothing is sent', async () => {
    const thrifty = new SocialPublishing({
      baseUrl: 'https://emulator.test',
      accessKey: 'test-key',
      fetch: service.fetch,
      maxCredits: 1,
    });
    await thrifty.analytics.getPost(postId);
    await expect(thrifty.analytics.getPost(postId)).rejects.toThrow(CreditLimitError);
    expect(service.creditsUsed).toBe(1);
  });

  it('pays for a page only when it is read', async () => {
    for (let number = 0; number < 60; number += 1) {
      service.seed.post({ status: 'published', platforms: [{ platform: 'instagram' }] });
    }
    for await (const post of client.analytics.listPosts()) if (post.postId !== '') break;
    expect(client.creditsUsed).toBe(1);
  });
});
