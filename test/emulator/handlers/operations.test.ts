import { describe, expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { raw, start, world } from '../world.js';

const day = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();
const key = { 'x-access-key': 'test-key' };

describe('the access key', () => {
  it.each([
    ['GET /v1/posts/', { success: false, message: expect.any(String) as unknown }],
    ['GET /v1/comments/', { success: false, message: expect.any(String) as unknown }],
    ['GET /v1/connect/integrations/x', { error: expect.any(String) as unknown }],
    ['POST /v1/connect/facebook/selection/x', { error: expect.any(String) as unknown }],
    ['POST /v1/apps/', { error: expect.any(String) as unknown }],
  ])("is asked for by %s, in the operation's error form", async (route, body) => {
    for (const headers of [{}, { 'x-access-key': 'wrong' }, { 'x-access-key': '' }]) {
      expect(
        await raw(
          createEmulator(),
          route,
          route.startsWith('POST') ? {} : undefined,
          headers as Record<string, string>,
        ),
      ).toEqual({ status: 401, body });
    }
  });

  it('may be one of several, or none at all', async () => {
    const several = createEmulator({ accessKey: ['one', 'two'] });
    expect((await raw(several, 'GET /v1/posts/', undefined, { 'x-access-key': 'two' })).status).toBe(200);
    expect((await raw(several, 'GET /v1/posts/', undefined, key)).status).toBe(401);
    expect((await raw(createEmulator({ accessKey: null }), 'GET /v1/posts/', undefined, {})).status).toBe(200);
  });

  it('is not asked for by the selections where a test says so', async () => {
    const service = createEmulator({ selectionNeedsKey: false });
    const { token } = service.seed.selection({ platform: 'facebook', accounts: [{ id: 'p' }] });
    const reply = await raw(service, `POST /v1/connect/facebook/selection/${token}`, { selectedAccountIds: ['p'] }, {});
    expect(reply.status).toBe(200);
    expect((await raw(service, 'GET /v1/posts/', undefined, {})).status).toBe(401);
  });
});

describe('a path that no operation has', () => {
  it.each([
    ['GET /v1/posts', 'GET /v1/posts does not exist. The path is /v1/posts/, with a slash at the end.'],
    ['POST /v1/posts?a=b', 'POST /v1/posts does not exist. The path is /v1/posts/, with a slash at the end.'],
    [
      'GET /v1/connect/integrations/',
      'GET /v1/connect/integrations/ does not exist. The path is /v1/connect/integrations, without a slash at the end.',
    ],
    ['DELETE /v1/posts', 'DELETE /v1/posts does not exist.'],
    ['GET /v1/nowhere', 'GET /v1/nowhere does not exist.'],
    ...['DELETE /v1/posts/', 'GET /v1/posts/abc', 'GET /v2/posts/', 'GET /', 'GET /v1/messages/%E0%A4'].map((route) => [
      route,
      expect.any(String) as string,
    ]),
  ])('is not found, with a hint where a slash is wrong: %s', async (route, message) => {
    expect(await raw(createEmulator(), route)).toEqual({ status: 404, body: { success: false, message } });
  });
});

describe('integrations', () => {
  it('are searched without regard to case in display name, user name and platform user ID; an ID must be whole', async () => {
    const { service, client } = world();
    service.seed.integration({
      platform: 'youtube',
      username: 'zeta',
      displayName: 'Blue Bottle',
      platformUserId: 'UC99',
    });
    const find = async (q: string) => (await client.integrations.list({ q })).items.map(({ id }) => id);
    expect(await find('BLUE b')).toEqual(['integration_4']);
    expect(await find('ZET')).toEqual(['integration_4']);
    expect(await find('uc9')).toEqual(['integration_4']);
    expect(await find('integration_4')).toEqual(['integration_4']);
    expect(await find('integration_')).toEqual([]);
    expect(await find('INTEGRATION_4')).toEqual([]);
  });

  it('are filtered by platform and profile, and paged', async () => {
    const { service, client } = world();
    for (let index = 0; index < 20; index += 1)
      service.seed.integration({ platform: 'threads', profileId: index === 0 ? 'brand' : null });
    expect((await client.integrations.list({ profileId: 'brand' })).response.total).toBe(1);
    expect((await client.integrations.list({ profileId: null })).response.total).toBe(22);
    const page = await client.integrations.list();
    expect([page.items.length, page.response.total]).toEqual([20, 23]);
    expect((await client.integrations.list({ platform: 'threads', offset: 18 })).items).toHaveLength(2);
  });

  it('are sorted by connection date, newest first, or by name', async () => {
    const service = createEmulator({ now: () => start });
    for (const [index, username] of ['bea', 'Ada', 'cem'].entries()) {
      service.seed.integration({ platform: 'threads', username, createdAt: iso(start - index * day) });
    }
    const names = async (search: string) => {
      const { body } = await raw(service, `GET /v1/connect/integrations?${search}`);
      return (body as { integrations: { username: string }[] }).integrations.map(({ username }) => username);
    };
    expect(await names('')).toEqual(['bea', 'Ada', 'cem']);
    expect(await names('sortBy=createdAt&sort=asc')).toEqual(['cem', 'Ada', 'bea']);
    expect(await names('sortBy=name')).toEqual(['Ada', 'bea', 'cem']);
    expect(await names('sortBy=name&sort=desc')).toEqual(['cem', 'bea', 'Ada']);
  });

  it("show tokens' state only in the single read, and never a token", async () => {
    const { service, client, instagram } = world();
    const fields = ['scopes', 'accessTokenExpiresAt', 'refreshTokenExpiresAt', 'tokenStatus', 'updatedAt'];
    const detail = await client.integrations.get(instagram);
    const [listed] = (await client.integrations.list({ platform: 'instagram' })).items;
    for (const field of fields) {
      expect(detail).toHaveProperty(field);
      expect(listed).not.toHaveProperty(field);
    }
    const expired = service.seed.integration({
      platform: 'tiktok',
      authStatus: 'expired',
      authFailureReason: 'token_expired',
    });
    expect((await client.integrations.get(expired.id)).tokenStatus).toEqual({
      valid: false,
      autoRefreshes: false,
      reconnectRequired: true,
      reason: 'token_expired',
    });
  });

  it('move to a profile whose name is known, and out of it', async () => {
    const { service, client, tiktok } = world();
    service.seed.integration({ platform: 'threads', profileId: 'brand', profileName: 'Brand' });
    expect(await client.integrations.update(tiktok, { profileId: 'brand' })).toMatchObject({
      profileId: 'brand',
      profileName: 'Brand',
    });
    const out = await client.integrations.update(tiktok, { profileId: null });
    expect(out.profileId).toBeNull();
    expect(out).not.toHaveProperty('profileName');
  });
});

describe('a selection', () => {
  const select = (platform: string, token: string) => `POST /v1/connect/${platform}/selection/${token}`;
  const error = { error: expect.any(String) as unknown };

  it('saves only the selected accounts, and its token works once', async () => {
    const { service } = world();
    const { token } = service.seed.selection({
      platform: 'facebook',
      accounts: [{ id: 'a' }, { id: 'b' }],
      redirectUri: 'https://app.test/done',
    });
    const body = { selectedAccountIds: ['b'] };
    expect(await raw(service, select('facebook', token), body)).toMatchObject({
      status: 200,
      body: { platform: 'facebook', redirectUri: 'https://app.test/done', integrations: [{ platformUserId: 'b' }] },
    });
    expect(await raw(service, select('facebook', token), body)).toEqual({ status: 410, body: error });
    const { body: list } = await raw(service, 'GET /v1/connect/integrations?platform=facebook');
    expect((list as { total: number }).total).toBe(2);
  });

  it('keeps its token through a refusal', async () => {
    const { service } = world();
    const { token } = service.seed.selection({ platform: 'facebook', accounts: [{ id: 'a' }] });
    for (const body of [{ selectedAccountIds: ['other'] }, { selectedAccountIds: [] }, {}]) {
      expect(await raw(service, select('facebook', token), body)).toEqual({ status: 400, body: error });
    }
    expect((await raw(service, select('facebook', token), { selectedAccountIds: ['a'] })).status).toBe(200);
  });

  it('refuses a token that it does not know, of the other platform, or of a length that the document rules out', async () => {
    const { service } = world();
    const { token } = service.seed.selection({ platform: 'facebook', accounts: [{ id: 'a' }] });
    const body = { selectedAccountIds: ['a'] };
    expect(await raw(service, select('facebook', 'unknown'), body)).toEqual({ status: 404, body: error });
    expect(await raw(service, select('instagram', token), body)).toEqual({ status: 404, body: error });
    expect(await raw(service, select('instagram', 'x'.repeat(19)), body)).toEqual({ status: 400, body: error });
    expect(await raw(service, select('instagram', 'x'.repeat(101)), body)).toEqual({ status: 400, body: error });
  });

  it('connects an account anew that is connected already, not twice', async () => {
    const { service } = world();
    const known = service.seed.integration({
      platform: 'facebook',
      platformUserId: 'a',
      authStatus: 'expired',
      profileId: 'brand',
    });
    const { token } = service.seed.selection({ platform: 'facebook', accounts: [{ id: 'a', authStatus: 'active' }] });
    const { body } = await raw(service, select('facebook', token), { selectedAccountIds: ['a', 'a'] });
    expect((body as { integrations: unknown[] }).integrations).toMatchObject([
      { id: known.id, authStatus: 'active', profileId: 'brand' },
    ]);
  });

  it('connects an account anew long after: it has a new token with new ends, and was changed now', async () => {
    const { service, client } = world();
    const known = service.seed.integration({ platform: 'facebook', platformUserId: 'a', authStatus: 'expired' });
    await service.clock.advance({ days: 800 });
    const { token } = service.seed.selection({ platform: 'facebook', accounts: [{ id: 'a' }] });
    await raw(service, select('facebook', token), { selectedAccountIds: ['a'] });
    const now = service.clock.now();
    const { createdAt, updatedAt, refreshTokenExpiresAt = '', tokenStatus } = await client.integrations.get(known.id);
    expect([createdAt, updatedAt]).toEqual([known.createdAt, iso(now)]);
    expect(Date.parse(refreshTokenExpiresAt)).toBeGreaterThan(now);
    expect(tokenStatus).toMatchObject({ valid: true, reconnectRequired: false });
  });
});

describe('comments', () => {
  it('are the comments of one post of one account, newest first, page by page without a repeat', async () => {
    const { service, client, facebook, instagram } = world();
    for (let index = 0; index < 60; index += 1) {
      service.seed.comment({
        accountId: facebook,
        postId: 'p',
        text: String(index),
        timestamp: iso(start + index * 1000),
      });
    }
    service.seed.comment({ accountId: facebook, postId: 'other' });
    service.seed.comment({ accountId: instagram, postId: 'p' });
    const query = { platform: 'facebook', accountId: facebook, postId: 'p' } as const;
    const first = await client.comments.list(query);
    expect(first.items).toHaveLength(25);
    const all = await client.comments.list(query).toArray();
    expect(all.map(({ text }) => text)).toEqual(Array.from({ length: 60 }, (_, index) => String(59 - index)));
    // Three pages: 25, 25, 10.
    expect(service.requests).toHaveLength(4);
  });

  it('do not shift between pages when a new one comes', async () => {
    const { service, client, facebook } = world();
    for (let index = 0; index < 4; index += 1)
      service.seed.comment({ accountId: facebook, postId: 'p', text: String(index), timestamp: iso(start + index) });
    const query = { platform: 'facebook', accountId: facebook, postId: 'p', limit: 2 } as const;
    const first = await client.comments.list(query);
    service.seed.comment({ accountId: facebook, postId: 'p', text: 'new', timestamp: iso(start + 99) });
    const second = await first.nextPage();
    expect(second?.items.map(({ text }) => text)).toEqual(['1', '0']);
  });
});

describe('messages', () => {
  it('of a conversation come newest first, 25 a page, and a sent one is among them', async () => {
    const { service, client, instagram } = world();
    const { id, participants } = service.seed.conversation({ accountId: instagram });
    for (let index = 0; index < 30; index += 1)
      service.seed.message({ accountId: instagram, conversationId: id, text: String(index) });
    const recipientId = participants?.[0]?.id ?? '';
    await client.messages.send({ platform: 'instagram', accountId: instagram, recipientId, text: 'Sent' });
    const query = { platform: 'instagram', accountId: instagram } as const;
    const page = await client.messages.list(id, query);
    expect(page.items).toHaveLength(25);
    const { selfId, conversations } = (await client.messages.listConversations(query)).response;
    expect(page.items[0]).toMatchObject({ text: 'Sent', from: { id: selfId } });
    expect(conversations).toMatchObject([{ lastMessage: { text: 'Sent' } }]);
    expect(await client.messages.list(id, query).toArray()).toHaveLength(31);
  });

  it('show conversations by their last change, 20 a page', async () => {
    const { service, client, instagram } = world();
    for (let index = 0; index < 21; index += 1) service.seed.conversation({ accountId: instagram });
    await service.clock.advance({ minutes: 1 });
    service.seed.message({ accountId: instagram, conversationId: 'conversation_5', text: 'again' });
    const page = await client.messages.listConversations({ platform: 'instagram', accountId: instagram });
    expect(page.items).toHaveLength(20);
    expect(page.items[0]?.id).toBe('conversation_5');
    expect((await page.nextPage())?.items).toHaveLength(1);
  });

  it('begin a conversation with a new user', async () => {
    const { client, instagram } = world();
    await client.messages.send({ platform: 'instagram', accountId: instagram, recipientId: 'new', text: 'Hi' });
    const { items } = await client.messages.listConversations({ platform: 'instagram', accountId: instagram });
    expect(items).toMatchObject([{ participants: [{ id: 'new' }], lastMessage: { text: 'Hi' } }]);
  });
});

describe('automations', () => {
  it('accept fields that the document omits from the request, under the names of the resource', async () => {
    const { client, instagram } = world();
    const extraBody = {
      matchMode: 'contains',
      excludeKeywords: ['spam'],
      platformPostId: 'p',
      status: 'paused',
      postScope: 'specific',
    };
    const automation = await client.automations.create({ accountId: instagram, name: 'x' }, { extraBody });
    expect(automation).toMatchObject({
      status: 'paused',
      trigger: { matchMode: 'contains', excludeKeywords: ['spam'], platformPostId: 'p', postScope: 'specific' },
    });
  });

  it('add up their log', async () => {
    const { service, client, instagram } = world();
    const { id } = service.seed.automation({ accountId: instagram });
    service.seed.automationLog({ automationId: id });
    service.seed.automationLog({ automationId: id, status: 'succeeded', createdAt: iso(start + 5000) });
    service.seed.automationLog({ automationId: id, status: 'failed', error: 'no' });
    expect(await client.automations.list()).toMatchObject([
      { stats: { triggered: 3, succeeded: 1, failed: 1, lastRunAt: iso(start + 5000), lastError: 'no' } },
    ]);
  });

  it('page their logs by skip, and filter them by status', async () => {
    const { service, client, instagram } = world();
    const { id } = service.seed.automation({ accountId: instagram });
    for (let index = 0; index < 45; index += 1) {
      service.seed.automationLog({
        automationId: id,
        status: index % 3 === 0 ? 'failed' : 'succeeded',
        createdAt: iso(start + index),
      });
    }
    const page = await client.automations.listLogs(id, { skip: 40, limit: 4 });
    expect(page.response.pagination).toEqual({ total: 45, limit: 4, skip: 40, hasMore: true });
    expect((await client.automations.listLogs(id, { skip: 41, limit: 4 })).response.pagination?.hasMore).toBe(false);
    expect(await client.automations.listLogs(id).toArray()).toHaveLength(45);
    expect((await client.automations.listLogs(id, { status: 'failed' })).response.pagination?.total).toBe(15);
  });
});

describe('post analytics', () => {
  const published = (time: number, extra: object = {}) => ({
    status: 'published' as const,
    createdAt: iso(time),
    platforms: [{ platform: 'instagram' as const }],
    ...extra,
  });

  it('cost a credit a call, refused calls too, and none without a valid key', async () => {
    const { service, client } = world();
    const { postId } = service.seed.post(published(start));
    await client.analytics.getPost(postId);
    await client.analytics.listPosts();
    await raw(service, 'GET /v1/analytics/?postId=unknown');
    await raw(service, 'GET /v1/analytics/?limit=0');
    expect(service.creditsUsed).toBe(4);
    await raw(service, 'GET /v1/analytics/', undefined, {});
    expect(service.creditsUsed).toBe(4);
    expect(client.creditsUsed).toBe(2);
  });

  it('list the posts published in the last 90 days, newest first, 50 per page', async () => {
    const { service, client } = world();
    service.seed.post({ status: 'draft' });
    service.seed.post(published(start - 91 * day, { content: 'old' }));
    service.seed.post(published(start - 90 * day, { content: 'edge' }));
    for (let index = 0; index < 50; index += 1)
      service.seed.post(published(start - index * 3_600_000, { content: String(index) }));
    const page = await client.analytics.listPosts();
    expect(page.items).toHaveLength(50);
    expect(page.items[0]?.content).toBe('0');
    const second = await client.analytics.listPosts({ page: 2 });
    expect(second.items.map(({ content }) => content)).toEqual(['edge']);
  });

  it("take a range of up to 366 days, both ends included, by the emulator's clock", async () => {
    const { service } = world({ now: () => Date.parse('2031-06-15T12:00:00Z') });
    service.seed.post(published(Date.parse('2030-06-14T23:00:00Z')));
    const count = async (search: string) => {
      const { status, body } = await raw(service, `GET /v1/analytics/?${search}`);
      return status === 200 ? (body as { posts: unknown[] }).posts.length : status;
    };
    expect(await count('fromDate=2030-06-14')).toBe(1);
    expect(await count('fromDate=2030-06-14&toDate=2030-06-14')).toBe(1);
    expect(await count('fromDate=2030-06-15')).toBe(0);
    expect(await count('fromDate=2030-06-01&toDate=2030-06-13')).toBe(0);
    expect(await count('fromDate=2030-06-13')).toBe(400);
    expect(await count('fromDate=2031-06-02&toDate=2031-06-01')).toBe(400);
    expect(await count('fromDate=2031-02-30')).toBe(400);
  });

  it('sort by a figure, those without it last, and filter by platform and account', async () => {
    const { service, client, instagram } = world();
    for (const [content, likes] of [
      ['few', 1],
      ['none', undefined],
      ['many', 9],
    ] as const) {
      const { postId } = service.seed.post(published(start, { content }));
      if (likes !== undefined) service.seed.metrics({ postId, metrics: { likes, engagementRate: likes } });
    }
    service.seed.post({ status: 'published', content: 'else', platforms: [{ platform: 'tiktok' }] });
    const contents = async (query: object) =>
      (await client.analytics.listPosts(query)).items.map(({ content }) => content);
    expect(await contents({ sortBy: 'likes', accountId: instagram })).toEqual(['many', 'few', 'none']);
    expect(await contents({ sortBy: 'engagement', order: 'asc', platform: 'instagram' })).toEqual([
      'none',
      'few',
      'many',
    ]);
    expect(await contents({ platform: 'tiktok' })).toEqual(['else']);
  });

  it('of an account and of its platform leave out a post that failed there', async () => {
    const { service, client, instagram, tiktok } = world();
    service.publishing.outcome({ platform: 'tiktok', error: 'No.' });
    const platforms = [
      { platform: 'instagram', accountId: instagram },
      { platform: 'tiktok', accountId: tiktok },
    ] as const;
    await client.posts.create({ content: 'a', publishNow: true, platforms });
    const listed = async (query: object) => (await client.analytics.listPosts(query)).items.length;
    expect([await listed({ accountId: instagram }), await listed({ platform: 'instagram' })]).toEqual([1, 1]);
    expect([await listed({ accountId: tiktok }), await listed({ platform: 'tiktok' })]).toEqual([0, 0]);
  });

  it('omit metrics that a platform does not report, and add up the others', async () => {
    const { service, client } = world();
    const { postId } = service.seed.post({
      status: 'published',
      platforms: [{ platform: 'instagram' }, { platform: 'tiktok' }],
    });
    service.seed.metrics({ postId, platform: 'instagram', metrics: { likes: 3, saves: 1, engagementRate: 2 } });
    service.seed.metrics({ postId, platform: 'tiktok', metrics: { likes: 4 } });
    const { aggregated, platforms } = await client.analytics.getPost(postId);
    expect(aggregated).toEqual({ likes: 7, saves: 1 });
    expect(platforms?.map(({ metrics }) => metrics)).toEqual([{ likes: 3, saves: 1, engagementRate: 2 }, { likes: 4 }]);
    const one = await client.analytics.getPost(postId, { platform: 'tiktok' });
    expect(one).toMatchObject({ aggregated: { likes: 4 }, platforms: [{ platform: 'tiktok' }] });
    service.seed.metrics({ postId, metrics: { likes: 100 } });
    expect((await client.analytics.getPost(postId)).aggregated).toEqual({ likes: 100 });
  });

  it('find a post by its ID on the platform, with the account', async () => {
    const { service, client, instagram, tiktok } = world();
    const { postId } = service.seed.post(published(start));
    const external = 'instagram_1';
    service.seed.metrics({ postId: external, accountId: instagram, metrics: { likes: 5 } });
    expect(await client.analytics.getPost(external, { accountId: instagram })).toMatchObject({
      source: 'service',
      postId,
      aggregated: { likes: 5 },
    });
    expect(await client.analytics.getPost(external, { accountId: instagram, source: 'platform' })).toMatchObject({
      source: 'platform',
    });
    await expect(client.analytics.getPost(external)).rejects.toMatchObject({ status: 404 });
    await expect(client.analytics.getPost(external, { accountId: tiktok })).rejects.toMatchObject({ status: 404 });
  });

  it('return no post of the platform if a post of the service is requested', async () => {
    const { service, client, instagram } = world();
    service.seed.eligiblePost({ accountId: instagram, id: 'own', caption: 'By hand', timestamp: iso(start - day) });
    service.seed.metrics({ postId: 'own', accountId: instagram, metrics: { reach: 12 } });
    const asked = { accountId: instagram, source: 'service' } as const;
    await expect(client.analytics.getPost('own', asked)).rejects.toMatchObject({ status: 404 });
    expect((await client.analytics.getPost('own', { accountId: instagram })).source).toBe('platform');
  });

  it('show the figures of one platform of a post, whichever ID it is asked for by', async () => {
    const { service, client, instagram } = world();
    const platforms = [{ platform: 'instagram' as const }, { platform: 'tiktok' as const }];
    const { postId } = service.seed.post(published(start, { platforms }));
    for (const id of [postId, 'instagram_1']) {
      expect((await client.analytics.getPost(id, { accountId: instagram })).platforms).toHaveLength(2);
      const found = await client.analytics.getPost(id, { accountId: instagram, platform: 'tiktok' });
      expect(found.platforms?.map(({ platform }) => platform)).toEqual(['tiktok']);
    }
  });

  it('know posts of an account that the service did not publish', async () => {
    const { service, client, instagram } = world();
    service.seed.eligiblePost({ accountId: instagram, id: 'own', caption: 'By hand', timestamp: iso(start - day) });
    service.seed.metrics({ postId: 'own', accountId: instagram, metrics: { reach: 12 } });
    service.seed.post(published(start));
    const found = await client.analytics.getPost('own', { accountId: instagram });
    expect(found).toMatchObject({
      source: 'platform',
      postId: 'own',
      content: 'By hand',
      publishedAt: iso(start - day),
      aggregated: { reach: 12 },
    });
    const listed = await client.analytics.listPosts({ source: 'platform', accountId: instagram });
    expect(listed.items.map(({ postId }) => postId)).toEqual(['post_1', 'own']);
    expect((await client.analytics.listPosts()).items).toHaveLength(1);
  });

  it('refuse a post that is not published', async () => {
    const { service, client } = world();
    const { postId } = service.seed.post({ status: 'draft' });
    await expect(client.analytics.getPost(postId)).rejects.toMatchObject({ status: 404, form: 'message' });
  });
});

describe('Instagram insights', () => {
  it('cost a credit where they succeed, and none where they do not', async () => {
    const { service, client, instagram, facebook } = world();
    await client.analytics.getInstagramInsights({ accountId: instagram });
    await raw(service, `GET /v1/analytics/instagram/account-insights?accountId=${facebook}`);
    await raw(service, 'GET /v1/analytics/instagram/account-insights?accountId=nobody');
    await raw(service, `GET /v1/analytics/instagram/account-insights?accountId=${instagram}&metrics=luck`);
    expect(service.creditsUsed).toBe(1);
    expect(client.creditsUsed).toBe(1);
  });

  it('add up the days of a range, and omit days that are missing upstream', async () => {
    const { service, client, instagram } = world();
    for (let ago = 0; ago < 40; ago += 1) {
      service.seed.metrics({
        accountId: instagram,
        date: iso(start - ago * day).slice(0, 10),
        metrics: { reach: 10, ...(ago === 0 ? { views: 0 } : {}) },
      });
    }
    const { metrics } = await client.analytics.getInstagramInsights({ accountId: instagram });
    expect(metrics).toEqual({ reach: { total: 310 }, views: { total: 0 } });
    const two = await client.analytics.getInstagramInsights({
      accountId: instagram,
      since: '2026-03-01',
      until: '2026-03-02',
      metrics: ['reach', 'likes'],
    });
    expect(two).toMatchObject({
      dateRange: { since: '2026-03-01', until: '2026-03-02' },
      metrics: { reach: { total: 20 } },
    });
    expect(two.metrics).not.toHaveProperty('likes');
  });

  it('return daily values only of reach', async () => {
    const { service, client, instagram } = world();
    service.seed.metrics({ accountId: instagram, metrics: { reach: 2 } });
    service.seed.metrics({ accountId: instagram, date: '2026-03-01', metrics: { reach: 1 } });
    const series = await client.analytics.getInstagramInsights({
      accountId: instagram,
      metricType: 'time_series',
      metrics: 'reach',
    });
    expect(series.metrics['reach']).toEqual({
      values: [
        { date: '2026-03-01', value: 1 },
        { date: '2026-03-02', value: 2 },
      ],
    });
    const get = (search: string) =>
      raw(
        service,
        `GET /v1/analytics/instagram/account-insights?accountId=${instagram}&metricType=time_series&${search}`,
      );
    expect((await get('metrics=reach,views')).status).toBe(400);
    expect((await get('')).status).toBe(400);
    expect((await get('metrics=reach&breakdown=age')).status).toBe(400);
  });

  it('break a total down where parts were seeded', async () => {
    const { service, client, instagram } = world();
    const breakdown = { dimensionKeys: ['age'], results: [{ dimensionValues: ['18-24'], value: 3 }] };
    service.seed.metrics({ accountId: instagram, metrics: { reach: 5 }, breakdowns: { reach: [breakdown] } });
    const parts = async (name?: string) =>
      (await client.analytics.getInstagramInsights({ accountId: instagram, breakdown: name })).metrics['reach'];
    expect(await parts('age')).toEqual({ total: 5, breakdowns: [breakdown] });
    expect(await parts('city')).toEqual({ total: 5 });
    expect(await parts()).toEqual({ total: 5 });
  });

  it("take a range of up to 90 days, by the emulator's clock", async () => {
    const { service } = world({ now: () => Date.parse('2031-06-15T12:00:00Z') });
    const get = async (search: string) =>
      (await raw(service, `GET /v1/analytics/instagram/account-insights?accountId=integration_1&${search}`)).status;
    expect(await get('since=2031-03-17')).toBe(200);
    expect(await get('since=2031-03-16')).toBe(400);
    expect(await get('since=2031-01-01&until=2031-04-01')).toBe(200);
    expect(await get('since=2031-01-01&until=2031-04-02')).toBe(400);
  });

  it('are refused where the account can not be read', async () => {
    const { service, client } = world();
    const { id } = service.seed.integration({ platform: 'instagram', insightsReadable: false });
    await expect(client.analytics.getInstagramInsights({ accountId: id })).rejects.toMatchObject({ status: 403 });
  });
});

describe('a request that is refused', () => {
  const any = expect.any(String) as unknown;
  const inMessage = { success: false, message: any };
  const inError = { error: any };
  const comments = 'GET /v1/comments/?postId=p&';
  const messages = 'GET /v1/messages/';
  const notifications = 'POST /v1/notifications/';

  // The accounts are integration_1 on Instagram, integration_2 on Facebook, and integration_4 on Instagram.
  it.each<[string, object | undefined, number, object?]>([
    ['GET /v1/connect/integrations/nobody', undefined, 404, inError],
    ['PATCH /v1/connect/integrations/nobody', { profileId: null }, 404, inError],
    ['PATCH /v1/connect/integrations/integration_3', {}, 400, inError],
    [`${comments}platform=facebook&accountId=integration_2&after=zzz`, undefined, 400, inMessage],
    [`${comments}platform=facebook&accountId=nobody`, undefined, 404, inMessage],
    [`${comments}platform=instagram&accountId=integration_2`, undefined, 400, inMessage],
    [`${comments}platform=tiktok&accountId=integration_2`, undefined, 400, inMessage],
    ['GET /v1/comments/?platform=facebook&accountId=integration_2', undefined, 400, inMessage],
    [`${messages}?platform=facebook&accountId=integration_2`, undefined, 400],
    [`${messages}?platform=instagram&accountId=integration_2`, undefined, 400],
    [`${messages}nothing?platform=instagram&accountId=integration_1`, undefined, 404],
    [`${messages}conversation_1?platform=instagram&accountId=integration_4`, undefined, 404],
    ['POST /v1/messages/', { platform: 'instagram', accountId: 'integration_1', text: 'Hi' }, 400],
    ['GET /v1/comment-automations/nothing/logs', undefined, 404],
    ['POST /v1/comment-automations/', { accountId: 'nobody' }, 404],
    ['POST /v1/comment-automations/', {}, 400],
    ['GET /v1/comment-automations/posts?accountId=nobody', undefined, 404],
    ['GET /v1/comment-automations/posts', undefined, 400],
    [notifications, {}, 400, inMessage],
    [notifications, { channel: 'webhook', eventTypes: ['post.failed'] }, 400, inMessage],
    [notifications, { channel: 'pigeon', eventTypes: ['post.failed'] }, 400, inMessage],
    [notifications, { channel: 'webhook', eventTypes: [], webhook: { url: 'https://a.test' } }, 400, inMessage],
    [notifications, { channel: 'webhook', eventTypes: ['post.x'], webhook: { url: 'https://a.test' } }, 400, inMessage],
    [notifications, { channel: 'webhook', eventTypes: ['post.failed'], webhook: { url: 'ftp://a' } }, 400, inMessage],
    [notifications, { channel: 'email', eventTypes: ['post.failed'], email: 'a@b.test' }, 400, inMessage],
  ])('%s %j has status %i', async (route, sent, status, body) => {
    const { service, instagram } = world();
    service.seed.conversation({ accountId: instagram, id: 'conversation_1' });
    service.seed.integration({ platform: 'instagram', id: 'integration_4' });
    const reply = await raw(service, route, sent);
    expect(reply.status).toBe(status);
    if (body !== undefined) expect(reply.body).toEqual(body);
  });
});

describe('notifications and apps', () => {
  it('take an email subscription, and send no webhook for it', async () => {
    const service = createEmulator();
    const reply = await raw(service, 'POST /v1/notifications/', {
      channel: 'email',
      eventTypes: ['post.failed'],
      email: { recipients: ['a@b.test'] },
    });
    expect(reply).toMatchObject({
      status: 200,
      body: { notification: { channel: 'email', email: { recipients: ['a@b.test'] } } },
    });
    expect((reply.body as { notification: object }).notification).not.toHaveProperty('webhook');
  });

  it('never show the client secret of an app again', async () => {
    const service = createEmulator();
    const reply = await raw(service, 'POST /v1/apps/', {
      platform: 'tiktok',
      name: 'a',
      clientId: 'b',
      clientSecret: 'hush-hush',
    });
    expect(JSON.stringify(reply.body)).not.toContain('hush-hush');
    expect(await raw(service, 'POST /v1/apps/', { platform: 'tiktok', name: 'a', clientId: 'b' })).toEqual({
      status: 400,
      body: { error: expect.any(String) as unknown },
    });
  });
});
