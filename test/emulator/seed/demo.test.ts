import { describe, expect, it } from 'vitest';
import { knownPlatforms, knownPostStatuses } from '../../../src/model/known-values.js';
import { isCommentPlatform } from '../../../src/resources/comments.js';
import { verifyWebhook } from '../../../src/webhooks/index.js';
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

  it('has three subscriptions with deliveries of every outcome, signed by the rule', async () => {
    const { service } = demo();
    const attempts = new Map<string, string[]>();
    for (const { eventId, url, status, error, latencyMs } of service.deliveries) {
      const key = `${new URL(url).hostname} ${eventId}`;
      attempts.set(key, [...(attempts.get(key) ?? []), String(status ?? error)]);
      expect(latencyMs).toBeGreaterThan(0);
    }
    const results = new Set([...attempts.values()].map((all) => all.join(', ')));
    expect([...results].sort()).toEqual([
      '200',
      '401, 401, 401',
      '500, 500, 500',
      '503, 200',
      'timed out, timed out, timed out',
    ]);
    const secrets = new Map(service.subscriptions.map(({ id, webhook }) => [id, webhook?.secret ?? '']));
    expect(secrets.size).toBe(3);
    for (const { body, headers, at, status, subscriptionId } of service.deliveries) {
      const secret = secrets.get(subscriptionId) ?? '';
      const verified = verifyWebhook({ body, headers, secret, now: () => Date.parse(at) });
      if (status === 401) await expect(verified).rejects.toMatchObject({ code: 'signature_mismatch' });
      else expect((await verified).id).toBe(headers['X-Service-Event-Id']);
    }
  });

  it('has the requests of its posts, with two refusals and a list', () => {
    const { service, posts } = demo();
    const created = service.requests.flatMap(({ method, status, reply }) =>
      method === 'POST' && status === 200 ? [(JSON.parse(reply?.body ?? '') as { postId: string }).postId] : [],
    );
    expect(created).toEqual(posts.map(({ postId }) => postId));
    expect(service.requests.map(({ method, status }) => `${method} ${status ?? ''}`)).toEqual(
      expect.arrayContaining(['POST 400', 'POST 503', 'GET 200']),
    );
  });

  it('answers its own webhooks: no delivery needs a network', async () => {
    const { service, client } = demo();
    const { id: accountId } = service.seed.integration({ platform: 'bluesky' });
    const { postId } = await client.posts.create({
      content: 'Now',
      publishNow: true,
      platforms: [{ platform: 'bluesky', accountId }],
    });
    await service.clock.advance({ minutes: 5 });
    const published = service.latestDeliveries(10, { postId });
    expect(published.map(({ url, status }) => `${new URL(url).hostname} ${status ?? ''}`)).toEqual([
      'shop.demo.invalid 200',
      'reports.demo.invalid 503',
      'reports.demo.invalid 200',
    ]);
    const [again] = published.filter(({ status }) => status === 503);
    expect(await service.replay(again?.id ?? '')).toMatchObject({ ok: true, status: 200 });
  });

  it.each([0, 1])(
    'after %d hours has comments under the newest post of each account, and under its runs',
    async (hours) => {
      const { service, client, integrations, automations } = demo();
      await service.clock.advance({ hours });
      for (const { id: accountId, platform } of integrations) {
        if (!isCommentPlatform(platform)) continue;
        const posts = await client.posts.list().toArray();
        const target = posts.flatMap(({ platforms = [], rawRequestBody }) => {
          const accounts = rawRequestBody?.['platforms'] as { accountId: string }[];
          return platforms.flatMap(({ platformPostId }, index) =>
            platformPostId !== undefined && accounts[index]?.accountId === accountId ? [platformPostId] : [],
          );
        })[0];
        if (target === undefined) continue;
        const comments = await client.comments.list({ platform, accountId, postId: target }).toArray();
        expect(comments.length).toBeGreaterThanOrEqual(3);
      }
      const automation = automations[0];
      const run = (await client.automations.listLogs(automation?.id ?? '')).items[0];
      const query = {
        platform: 'instagram',
        accountId: automation?.accountId ?? '',
        postId: run?.platformPostId ?? '',
      };
      const comments = await client.comments.list({ ...query, platform: 'instagram' }).toArray();
      expect(comments.find(({ id }) => id === run?.commentId)).toMatchObject({ text: run?.commentText });
    },
  );

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
      const { requests, deliveries } = service;
      return JSON.stringify([
        integrations,
        posts,
        automations,
        conversations,
        selections,
        service.posts,
        requests,
        deliveries,
      ]);
    };
    expect(all(1)).toBe(all(1));
    expect(all(2)).not.toBe(all(1));
  });
});
