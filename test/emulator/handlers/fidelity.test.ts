import { describe, expect, it } from 'vitest';
import { raw, world } from '../world.js';

describe('a range with only an end', () => {
  it.each([
    ['GET /v1/analytics/instagram/account-insights?accountId=ACCOUNT&until=2099-01-01', 'until'],
    ['GET /v1/analytics/instagram/account-insights?accountId=ACCOUNT&until=2020-01-01', 'since'],
    ['GET /v1/analytics/?toDate=2099-01-01', 'toDate'],
    ['GET /v1/analytics/?toDate=2020-01-01', 'fromDate'],
  ])('%s is checked against the documented default of its start', async (route, named) => {
    const { service, instagram } = world();
    const { status, body } = await raw(service, route.replace('ACCOUNT', instagram));
    expect(status).toBe(400);
    expect((body as { message: string }).message).toContain(named);
  });

  it.each([
    'GET /v1/analytics/instagram/account-insights?accountId=ACCOUNT&until=2026-03-01',
    'GET /v1/analytics/?toDate=2026-02-01',
  ])('%s is a good one', async (route) => {
    const { service, instagram } = world();
    expect((await raw(service, route.replace('ACCOUNT', instagram))).status).toBe(200);
  });
});

describe('an own app', () => {
  it('is shown with the integrations that were connected under it, which it counts', async () => {
    const { service, client } = world();
    const app = await client.apps.create({ platform: 'twitter', name: 'Ours', clientId: 'c', clientSecret: 's' });
    const { id } = service.seed.integration({ platform: 'twitter', appId: app.id });
    const shown = { id: app.id, name: 'Ours', imageUrl: expect.stringMatching(/^https:/) as string };
    expect(app).toMatchObject({ imageUrl: expect.stringMatching(/^https:/) as string, integrationCount: 0 });
    expect(await client.integrations.get(id)).toMatchObject({ appId: app.id, byok: true, app: shown });
    expect((await client.integrations.list({ platform: 'twitter' })).items[0]).toMatchObject({ app: shown });
  });

  it('counts earlier integrations that name it', async () => {
    const { service, client } = world();
    service.seed.integration({ platform: 'twitter', appId: 'app_1' });
    const app = await client.apps.create({ platform: 'twitter', name: 'Ours', clientId: 'c', clientSecret: 's' });
    expect(app).toMatchObject({ id: 'app_1', integrationCount: 1 });
  });
});

describe('integrations by name', () => {
  it('break ties by display name, then by platform user ID', async () => {
    const { service, client } = world();
    const seed = (displayName: string, platformUserId: string) =>
      service.seed.integration({ platform: 'bluesky', username: 'same', displayName, platformUserId });
    seed('B', '1');
    seed('A', '2');
    seed('B', '0');
    const ids = async (sort: 'asc' | 'desc') =>
      (await client.integrations.list({ platform: 'bluesky', sortBy: 'name', sort })).items.map(
        ({ displayName, platformUserId }) => `${displayName ?? ''}${platformUserId ?? ''}`,
      );
    expect(await ids('asc')).toEqual(['A2', 'B0', 'B1']);
    expect(await ids('desc')).toEqual(['B1', 'B0', 'A2']);
  });
});

describe('analytics of one post', () => {
  it.each(['limit=101', 'limit=0', 'page=0', 'sortBy=nothing', 'order=up', 'limit=a'])(
    'check %s as the list does: it is one operation',
    async (parameter) => {
      const { service } = world();
      const { postId } = service.seed.post({ status: 'published', platforms: [{ platform: 'tiktok' }] });
      const { status, body } = await raw(service, `GET /v1/analytics/?postId=${postId}&${parameter}`);
      expect(status).toBe(400);
      expect((body as { message: string }).message).toContain(parameter.split('=')[0]);
    },
  );

  it('take them where they are right', async () => {
    const { service } = world();
    const { postId } = service.seed.post({ status: 'published', platforms: [{ platform: 'tiktok' }] });
    const route = `GET /v1/analytics/?postId=${postId}&limit=5&page=2&sortBy=likes&order=asc`;
    expect(await raw(service, route)).toMatchObject({ status: 200, body: { post: { postId } } });
  });
});

describe('limits of a request', () => {
  const draft = { content: 'Hi', saveAsDraft: true };

  it.each([1.5, -1, '12'])('refuses a media item with a size of %j', async (size) => {
    const { service } = world();
    const { status, body } = await raw(service, 'POST /v1/posts/', { ...draft, mediaItems: [{ type: 'image', size }] });
    expect(status).toBe(400);
    expect((body as { message: string }).message).toContain('mediaItems.0.size');
  });

  it.each([['nobody'], ['a@'], ['@b'], ['a b@c.d'], ['']])('refuses a recipient such as %j', async (recipient) => {
    const { service } = world();
    const { status, body } = await raw(service, 'POST /v1/notifications/', {
      channel: 'email',
      eventTypes: ['post.failed'],
      email: { recipients: ['team@acme.example', recipient] },
    });
    expect(status).toBe(400);
    expect((body as { message: string }).message).toContain('recipients.1');
    expect(() => service.seed.subscription({ channel: 'email', email: { recipients: [recipient] } })).toThrow(
      'recipients',
    );
  });

  it("is a target's own content, which lists show with it", async () => {
    const { service, client, tiktok, facebook } = world();
    await raw(service, 'POST /v1/posts/', {
      content: 'For all',
      publishNow: true,
      platforms: [
        { platform: 'tiktok', accountId: tiktok, content: 'For TikTok' },
        { platform: 'facebook', accountId: facebook },
      ],
    });
    const [post] = (await client.posts.list()).items;
    expect(post?.platforms?.map(({ content }) => content)).toEqual(['For TikTok', 'For all']);
    expect(
      service.seed.post({ content: 'All', platforms: [{ platform: 'tiktok', content: 'Own' }] }).platforms?.[0]
        ?.content,
    ).toBe('Own');
  });

  it("refuses a target's content that is not text", async () => {
    const { service, tiktok } = world();
    const platforms = [{ platform: 'tiktok', accountId: tiktok, content: 5 }];
    expect((await raw(service, 'POST /v1/posts/', { publishNow: true, platforms })).status).toBe(400);
  });
});
