import { describe, expect, it } from 'vitest';
import { knownPostStatuses } from '../../../src/resources/posts.js';
import { knownPlatforms } from '../../../src/model/platforms.js';
import { createEmulator } from '../../../src/emulator/index.js';
import { clientOf, start } from '../world.js';

const day = 86_400_000;

function demo(seed = 1) {
  const service = createEmulator({ now: () => start, seed });
  return { service, client: clientOf(service.fetch), ...service.seed.demo() };
}

describe('the demo seed', () => {
  it('connects accounts on all ten platforms, one of them to be connected again', async () => {
    const { client, integrations } = demo();
    expect(new Set(integrations.map(({ platform }) => platform))).toEqual(new Set(knownPlatforms));
    const expired = integrations.filter(({ authFailureReason }) => authFailureReason === 'token_expired');
    expect(expired).toHaveLength(1);
    expect((await client.integrations.get(expired[0]?.id ?? '')).tokenStatus?.reconnectRequired).toBe(true);
  });

  it('holds 60 posts, every state among them, a fortnight back and one ahead', async () => {
    const { client, posts } = demo();
    expect(posts).toHaveLength(60);
    expect(new Set(posts.map(({ status }) => status))).toEqual(new Set(knownPostStatuses));
    for (const { status, scheduledFor, createdAt = '', platforms = [] } of posts) {
      expect(Date.parse(createdAt)).toBeLessThan(start);
      if (status === 'draft') continue;
      expect(Math.abs(Date.parse(scheduledFor ?? '') - start)).toBeLessThan(16 * day);
      expect(Date.parse(scheduledFor ?? '') > start).toBe(status === 'scheduled');
      const failed = platforms.filter(({ errorMessage }) => errorMessage !== undefined).length;
      const warned = platforms.some(({ warningMessage }) => warningMessage !== undefined);
      if (status === 'published') expect([failed, warned]).toEqual([0, false]);
      if (status === 'failed') expect(failed).toBe(platforms.length);
      if (status === 'partial') {
        expect(failed > 0 || warned).toBe(true);
        expect(failed).toBeLessThan(platforms.length);
      }
    }
    expect(await client.posts.list().toArray()).toHaveLength(60);
  });

  it('has comments with replies, conversations, and automations with logs', async () => {
    const { client, integrations, posts, automations, conversations } = demo();
    const accounts = new Map(integrations.map((integration) => [integration.id, integration.platform]));
    let comments = 0;
    let replies = 0;
    for (const { rawRequestBody, platforms = [] } of posts) {
      const targets = rawRequestBody?.['platforms'] as { accountId: string }[];
      for (const [index, { platformPostId: postId }] of platforms.entries()) {
        const accountId = targets[index]?.accountId ?? '';
        if (postId === undefined || accounts.get(accountId) !== 'instagram') continue;
        for await (const comment of client.comments.list({ platform: 'instagram', accountId, postId })) {
          comments += 1;
          replies += comment.replies?.length ?? 0;
        }
      }
    }
    expect(comments).toBeGreaterThan(20);
    expect(replies).toBeGreaterThan(5);
    expect(conversations).toHaveLength(18);
    expect(conversations.every(({ lastMessage }) => lastMessage !== undefined)).toBe(true);
    expect(automations).toHaveLength(4);
    for (const { id, stats } of automations) {
      expect((await client.automations.listLogs(id)).response.pagination?.total).toBe(stats?.triggered);
      expect(stats?.triggered).toBeGreaterThan(0);
    }
  });

  it('has figures that follow the week', async () => {
    const { client, integrations } = demo();
    const accountId = integrations.find(({ platform }) => platform === 'instagram')?.id ?? '';
    const { metrics } = await client.analytics.getInstagramInsights({
      accountId,
      since: '2025-12-05',
      until: '2026-03-02',
      metricType: 'time_series',
      metrics: 'reach',
    });
    const byDay = new Map<number, number[]>();
    for (const { date = '', value = 0 } of metrics['reach']?.values ?? []) {
      const weekday = new Date(date).getUTCDay();
      byDay.set(weekday, [...(byDay.get(weekday) ?? []), value]);
    }
    const mean = (weekday: number) => {
      const values = byDay.get(weekday) ?? [];
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    expect(byDay.size).toBe(7);
    // Friday is the best day, Sunday the worst.
    for (const weekday of [1, 2, 3, 4, 6]) {
      expect(mean(5)).toBeGreaterThan(mean(weekday));
      expect(mean(0)).toBeLessThan(mean(weekday));
    }
  });

  it('shows metrics that differ by platform, and no 0 for a missing one', async () => {
    const { client } = demo();
    const { items } = await client.analytics.listPosts({ limit: 100 });
    expect(items.length).toBeGreaterThan(25);
    const bluesky = items.flatMap(({ platforms }) => platforms ?? []).filter(({ platform }) => platform === 'bluesky');
    expect(bluesky.length).toBeGreaterThan(0);
    for (const { metrics } of bluesky)
      expect(Object.keys(metrics ?? {}).sort()).toEqual(['comments', 'likes', 'shares']);
  });

  it('lets its selections be finished', async () => {
    const { client, selections } = demo();
    expect(
      await client.integrations.selectFacebookPages(selections.facebook, { selectedAccountIds: ['100200300400'] }),
    ).toMatchObject({ integrations: [{ platform: 'facebook' }] });
    expect(
      await client.integrations.selectInstagramAccounts(selections.instagram, {
        selectedAccountIds: ['17841400000000777'],
      }),
    ).toMatchObject({ integrations: [{ platform: 'instagram' }] });
  });

  it('continues: scheduled posts are published, and publishing posts finish', async () => {
    const { service } = demo();
    await service.clock.advance({ days: 16 });
    const left = service.posts.filter(({ status }) => status === 'scheduled' || status === 'publishing');
    expect(left).toEqual([]);
  });

  it('is the same in every run of a seed, and another with another seed', () => {
    const all = (seed: number) => {
      const { service, integrations, posts, automations, conversations, selections } = demo(seed);
      return JSON.stringify([integrations, posts, automations, conversations, selections, service.posts]);
    };
    expect(all(1)).toBe(all(1));
    expect(all(2)).not.toBe(all(1));
  });
});
