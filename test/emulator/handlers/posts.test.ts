import { describe, expect, it } from 'vitest';
import type { ListPostsQuery } from '../../../src/posts/posts.js';
import { raw, start, world } from '../world.js';

const hour = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

describe('creating a post', () => {
  it('saves a draft without accounts, without credits and without an event', async () => {
    const { service, client } = world();
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    const draft = await client.posts.create({ content: 'Idea', saveAsDraft: true });
    expect(draft).toMatchObject({ status: 'draft', platforms: [] });
    await service.clock.advance({ days: 30 });
    expect(service.posts).toMatchObject([{ postId: draft.postId, status: 'draft' }]);
    expect(service.deliveries).toEqual([]);
    expect(service.creditsUsed).toBe(0);
  });

  it('publishes a scheduled post at its time and not before', async () => {
    const { service, client, platforms } = world();
    const scheduledFor = new Date(start + 2 * hour);
    await client.posts.create({ content: 'Later', scheduledFor, platforms });
    await service.clock.advance({ hours: 1, minutes: 59, seconds: 59 });
    expect(service.posts).toMatchObject([{ status: 'scheduled', platforms: [{ status: 'pending' }] }]);
    await service.clock.advance({ seconds: 1 });
    expect(service.posts).toMatchObject([
      { status: 'published', platforms: [{ publishedAt: scheduledFor.toISOString() }] },
    ]);
  });

  it('reads a time without an offset as UTC, and one with an offset as it is', async () => {
    const { service, client, platforms } = world();
    // The client refuses such a time: another program may send it.
    const local = { content: 'local', scheduledFor: '2026-03-02T10:00:00', platforms };
    expect((await raw(service, 'POST /v1/posts/', local)).status).toBe(200);
    await client.posts.create({ content: 'offset', scheduledFor: '2026-03-02T12:30:00+02:00', platforms });
    await service.clock.advance({ hours: 1 });
    expect(service.posts.map(({ status }) => status)).toEqual(['published', 'scheduled']);
    await service.clock.advance({ minutes: 30 });
    expect(service.posts.map(({ status }) => status)).toEqual(['published', 'published']);
  });

  it.each([
    ['every target succeeds', {}, {}, 'published'],
    ['one returns a warning', { warning: 'cut' }, {}, 'partial'],
    ['one fails', { error: 'rejected' }, {}, 'partial'],
    ['one fails, one returns a warning', { error: 'rejected' }, { warning: 'cut' }, 'partial'],
    ['every target fails', { error: 'rejected' }, { error: 'too long' }, 'failed'],
  ])('ends in the documented state where %s', async (_, onTiktok, onFacebook, status) => {
    const { service, client, tiktok, facebook } = world();
    service.publishing.outcome({ platform: 'tiktok', ...onTiktok });
    service.publishing.outcome({ accountId: facebook, ...onFacebook });
    const platforms = [
      { platform: 'tiktok', accountId: tiktok },
      { platform: 'facebook', accountId: facebook },
    ] as const;
    const reply = await client.posts.create({ content: 'Now', publishNow: true, platforms });
    expect(reply.status).toBe(status);
    const told = (rule: { error?: string; warning?: string }) => ({
      success: rule.error === undefined,
      ...(rule.error === undefined ? { platformPostUrl: expect.any(String) as unknown } : { error: rule.error }),
      ...(rule.warning === undefined ? {} : { warningMessage: rule.warning }),
    });
    expect(reply.platforms).toEqual([
      { platform: 'tiktok', ...told(onTiktok) },
      { platform: 'facebook', ...told(onFacebook) },
    ]);
  });

  it('takes the last outcome that fits a target, for as many targets as it was said for', async () => {
    const { service, client, platforms } = world();
    const publish = async () => {
      const { status } = await client.posts.create({ publishNow: true, platforms });
      return status;
    };
    service.publishing.outcome({ error: 'all' });
    service.publishing.outcome({ platform: 'tiktok', warning: 'once', times: 1 });
    expect([await publish(), await publish()]).toEqual(['partial', 'failed']);
    service.publishing.reset();
    expect(await publish()).toBe('published');
  });

  it('fails on an account whose authorization failed', async () => {
    const { service, client } = world();
    const { id } = service.seed.integration({
      platform: 'pinterest',
      authStatus: 'expired',
      authFailureReason: 'token_expired',
    });
    const reply = await client.posts.create({
      publishNow: true,
      platforms: [{ platform: 'pinterest', accountId: id }],
    });
    expect(reply).toMatchObject({
      status: 'failed',
      platforms: [{ success: false, error: expect.stringContaining('token_expired') as unknown }],
    });
  });

  it('shows the post as publishing for as long as a test says', async () => {
    const { service, client, platforms } = world();
    service.publishing.duration({ seconds: 90 });
    const reply = await client.posts.create({ publishNow: true, platforms });
    expect(reply.status).toBe('publishing');
    await service.clock.advance({ seconds: 89 });
    expect(service.posts).toMatchObject([{ status: 'publishing', platforms: [{ status: 'publishing' }] }]);
    await service.clock.advance({ seconds: 1 });
    expect(service.posts).toMatchObject([{ status: 'published' }]);
  });

  it('keeps the request as it came, fields that the document does not show included', async () => {
    const { service, client } = world();
    const extraBody = {
      mediaItems: [{ type: 'image', url: 'https://a.test/b.png', dpi: 300 }],
      timezone: 'Europe/Paris',
      mood: null,
    };
    await client.posts.create({ content: 'x', saveAsDraft: true }, { extraBody });
    expect(service.posts).toMatchObject([
      {
        timezone: 'Europe/Paris',
        mediaItems: [{ type: 'image', url: 'https://a.test/b.png', dpi: 300 }],
        rawRequestBody: { content: 'x', saveAsDraft: true, ...extraBody },
      },
    ]);
  });

  it.each([
    ['no way to publish', { content: 'x' }],
    ['two ways to publish', { content: 'x', saveAsDraft: true, publishNow: true }],
    ['no targets', { content: 'x', publishNow: true }],
    [
      'a target of another platform',
      { publishNow: true, platforms: [{ platform: 'youtube', accountId: 'integration_1' }] },
    ],
    ['an unknown integration', { publishNow: true, platforms: [{ platform: 'tiktok', accountId: 'nobody' }] }],
    ['an invalid time', { scheduledFor: 'soon', platforms: [{ platform: 'instagram', accountId: 'integration_1' }] }],
    ['media that no reply could show', { saveAsDraft: true, mediaItems: ['a.png'] }],
    ['a field of the wrong type', { saveAsDraft: 'yes' }],
    ["a body that isn't an object", '[]'],
    ["a body that isn't JSON", '{"content"'],
  ])('refuses %s in the message form', async (_, body) => {
    const { service } = world();
    const reply = await raw(service, 'POST /v1/posts/', body);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
    expect(reply.body).toEqual({ success: false, message: expect.any(String) as unknown });
    expect(service.posts).toEqual([]);
  });
});

describe('media that no event could contain', () => {
  const bad: [string, object][] = [
    ['an invalid thumbnail', { thumbnail: null }],
    ['a thumbnail of another kind', { thumbnail: 5 }],
    ['a size with a fraction', { size: 1.5 }],
    ['a size below 0', { size: -1 }],
  ];

  it.each(bad)('is refused before anything is done: %s', async (_, item) => {
    const { service, client, platforms } = world();
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    const { postId } = await client.posts.create({ content: 'a', scheduledFor: iso(start + hour), platforms });
    const mediaItems = [item];
    for (const way of [{ publishNow: true }, { scheduledFor: iso(start + hour) }, { saveAsDraft: true }])
      expect((await raw(service, 'POST /v1/posts/', { content: 'b', platforms, mediaItems, ...way })).status).toBe(400);
    expect((await raw(service, `PUT /v1/posts/scheduled/${postId}`, { mediaItems })).status).toBe(400);
    await service.clock.advance({ hours: 2 });
    expect(service.posts).toMatchObject([{ content: 'a', status: 'published' }]);
    expect(service.deliveries.map(({ eventType }) => eventType)).toEqual(['post.scheduled', 'post.published']);
  });

  it.each(bad)('is refused by a seed: %s', (_, item) => {
    const { service } = world();
    expect(() => service.seed.post({ mediaItems: [item] })).toThrow(/seed\.post: mediaItems\.0\.(thumbnail|size)/);
    expect(service.posts).toEqual([]);
  });

  it('a thumbnail of the caller’s own goes into the event', async () => {
    const { service, client, platforms } = world();
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    const mediaItems = [{ url: 'https://a.test/1.mp4', thumbnail: 'https://a.test/1.jpg' }, {}];
    await client.posts.create({ content: 'a', publishNow: true, platforms }, { extraBody: { mediaItems } });
    await service.settled();
    const { data } = JSON.parse(service.deliveries[0]?.body ?? '{}') as { data: { post: { mediaItems: unknown[] } } };
    expect(data.post.mediaItems).toEqual([mediaItems[0], { thumbnail: expect.any(String) as unknown }]);
  });
});

describe('listing posts', () => {
  async function list(query: ListPostsQuery, search?: string): Promise<string[]> {
    const { service, client, instagram, tiktok } = world();
    const branded = service.seed.integration({ platform: 'facebook', profileId: 'brand' }).id;
    const target = (platform: 'instagram' | 'tiktok' | 'facebook', accountId: string) => ({ platform, accountId });
    const posts = [
      { content: 'draft', status: 'draft' },
      { content: 'insta', status: 'published', platforms: [target('instagram', instagram)] },
      { content: 'tiktok', scheduledFor: iso(start + 5 * hour), platforms: [target('tiktok', tiktok)] },
      { content: 'brand', scheduledFor: iso(start + 9 * hour), platforms: [target('facebook', branded)] },
      { content: 'mixed', status: 'partial', platforms: [target('facebook', branded), target('instagram', instagram)] },
    ] as const;
    for (const [index, post] of posts.entries()) service.seed.post({ ...post, createdAt: iso(start + index * hour) });
    if (search === undefined) return (await client.posts.list(query)).items.map(({ content = '' }) => content);
    const { body } = await raw(service, `GET /v1/posts/?${search}`);
    return (body as { posts: { content: string }[] }).posts.map(({ content }) => content);
  }

  it.each<[string, ListPostsQuery, string[]]>([
    ['newest first by default', {}, ['mixed', 'brand', 'tiktok', 'insta', 'draft']],
    ['oldest first with asc', { sort: 'asc' }, ['draft', 'insta', 'tiktok', 'brand', 'mixed']],
    ['by status', { status: 'scheduled' }, ['brand', 'tiktok']],
    ['by platform', { platform: ['tiktok'] }, ['tiktok']],
    ['by one platform or another', { platform: ['tiktok', 'instagram'] }, ['mixed', 'tiktok', 'insta']],
    ['by profile', { profileId: 'brand' }, ['mixed', 'brand']],
    ['of integrations without a profile', { profileId: null }, ['tiktok', 'insta']],
    ['created from a time on, it included', { createdAfter: iso(start + 3 * hour) }, ['mixed', 'brand']],
    ['created up to a time, it included', { createdBefore: iso(start + hour) }, ['insta', 'draft']],
    ['scheduled from a time on', { scheduledAfter: iso(start + 6 * hour) }, ['brand']],
    ['scheduled up to a time', { scheduledBefore: iso(start + 6 * hour) }, ['tiktok']],
    [
      'by filters that narrow each other',
      { status: 'partial', platform: ['instagram'], profileId: 'brand' },
      ['mixed'],
    ],
    ['a page', { offset: 1, limit: 2 }, ['brand', 'tiktok']],
    ['nothing past the end', { offset: 9 }, []],
  ])('lists %s', async (_, query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  it('takes the later one of posts created in the same instant for the newer one', async () => {
    const { service, client } = world();
    for (const content of ['first', 'second', 'third']) service.seed.post({ content });
    const contents = async (sort: 'asc' | 'desc') =>
      (await client.posts.list({ sort })).items.map(({ content }) => content);
    expect(await contents('desc')).toEqual(['third', 'second', 'first']);
    expect(await contents('asc')).toEqual(['first', 'second', 'third']);
  });

  it('compares times as instants, not as texts', async () => {
    expect(await list({}, 'scheduledAfter=2026-03-02T17:30:00%2B02:00')).toEqual(['brand']);
  });

  it('returns 20 posts by default', async () => {
    const { service, client } = world();
    for (let index = 0; index < 21; index += 1) service.seed.post({});
    const page = await client.posts.list();
    expect(page.items).toHaveLength(20);
    expect(page.response.total).toBe(21);
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=ten',
    'limit=1.5',
    'offset=-1',
    'sort=up',
    'status=lost',
    'platform=myspace',
    'platform=tiktok&platform=myspace',
    'createdAfter=today',
    'limit=1&limit=2',
  ])('refuses %s', async (search) => {
    const { service } = world();
    const reply = await raw(service, `GET /v1/posts/?${search}`);
    expect(reply).toMatchObject({ status: 400, body: { success: false } });
  });

  it('follows an integration to its new profile', async () => {
    const { client, tiktok, platforms } = world();
    await client.posts.create({ publishNow: true, platforms });
    await client.integrations.update(tiktok, { profileId: 'brand' });
    expect((await client.posts.list({ profileId: 'brand' })).response.total).toBe(1);
    expect((await client.posts.list({ profileId: null })).response.total).toBe(0);
  });
});

describe('editing a scheduled post', () => {
  const edit = (postId: string) => `PUT /v1/posts/scheduled/${postId}`;

  it('replaces content, targets, media and time, and publishes once, at the new time', async () => {
    const { service, client, platforms, facebook } = world();
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    const { postId } = await client.posts.create({ content: 'a', scheduledFor: iso(start + hour), platforms });
    const reply = await raw(service, edit(postId), {
      content: 'b',
      platforms: [{ platform: 'facebook', accountId: facebook }],
      mediaItems: [{ type: 'image', url: 'https://a.test/b.png' }],
      scheduledFor: iso(start + 3 * hour),
    });
    expect(reply).toMatchObject({ status: 200, body: { success: true, postId, scheduledFor: iso(start + 3 * hour) } });
    await service.clock.advance({ hours: 2 });
    expect(service.posts).toMatchObject([{ status: 'scheduled', content: 'b', mediaItems: [{ type: 'image' }] }]);
    await service.clock.advance({ hours: 1 });
    expect(service.posts).toMatchObject([
      { status: 'published', platforms: [{ platform: 'facebook' }], rawRequestBody: { content: 'a' } },
    ]);
    expect(service.deliveries.map(({ eventType }) => eventType)).toEqual(['post.scheduled', 'post.published']);
  });

  it('replaces crossposting', async () => {
    const { service, client, platforms } = world();
    const { postId } = await client.posts.create({ content: 'a', scheduledFor: iso(start + hour), platforms });
    expect(service.posts[0]?.crosspostingEnabled).toBe(false);
    await raw(service, edit(postId), { crosspostingEnabled: true });
    expect(service.posts[0]?.crosspostingEnabled).toBe(true);
    await raw(service, edit(postId), { content: 'b' });
    expect(service.posts[0]?.crosspostingEnabled).toBe(true);
  });

  it.each(['2026-03-05', '2026-02-30T09:00:00Z', '2026-03-05 09:00:00Z', '2026-03-05T24:00:00Z', 'tomorrow', ''])(
    'refuses a time that a create refuses too: %j',
    async (scheduledFor) => {
      const { service, client, platforms } = world();
      const { postId } = await client.posts.create({ content: 'a', scheduledFor: iso(start + hour), platforms });
      for (const route of [edit(postId), 'POST /v1/posts/'])
        expect(await raw(service, route, { content: 'b', scheduledFor, platforms })).toMatchObject({ status: 400 });
      expect(service.posts).toMatchObject([{ content: 'a', scheduledFor: iso(start + hour) }]);
    },
  );

  it('keeps fields that the request does not name', async () => {
    const { service, client, platforms } = world();
    const { postId } = await client.posts.create({ content: 'a', scheduledFor: iso(start + hour), platforms });
    await raw(service, edit(postId), { content: 'b' });
    expect(service.posts).toMatchObject([
      { content: 'b', platforms: [{ platform: 'tiktok' }], scheduledFor: iso(start + hour) },
    ]);
  });

  it('refuses a post that is no longer scheduled, and one that does not exist', async () => {
    const { service, client, platforms } = world();
    const { postId } = await client.posts.create({ publishNow: true, platforms });
    expect(await raw(service, edit(postId), { content: 'b' })).toMatchObject({ status: 400, body: { success: false } });
    expect(await raw(service, edit('nothing'), { content: 'b' })).toMatchObject({
      status: 404,
      body: { success: false },
    });
  });

  it('reconciles credits if a test sets a price per target', async () => {
    const { service, client, tiktok, facebook } = world({ creditsPerTarget: 3 });
    const one = [{ platform: 'tiktok', accountId: tiktok }] as const;
    const { postId } = await client.posts.create({ scheduledFor: iso(start + hour), platforms: one });
    expect(service.creditsUsed).toBe(3);
    await raw(service, edit(postId), { platforms: [...one, { platform: 'facebook', accountId: facebook }] });
    expect(service.creditsUsed).toBe(6);
    await service.clock.advance({ hours: 1 });
    expect(service.creditsUsed).toBe(6);
    await raw(service, 'POST /v1/posts/', { saveAsDraft: true, platforms: one });
    expect(service.creditsUsed).toBe(6);
  });
});
