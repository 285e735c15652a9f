import { describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/index.js';
import { newGate } from '../../support/gate.js';
import { raw, start, world } from '../world.js';

/** Changes everything that can be reached from an object. */
function spoil(object: object): void {
  for (const value of Object.values(object)) if (typeof value === 'object' && value !== null) spoil(value as object);
  for (const [name, value] of Object.entries(object)) {
    if (typeof value !== 'object') Object.assign(object, { [name]: 'spoilt' });
  }
  if (Array.isArray(object)) object.push('spoilt');
}

describe('a seed', () => {
  it('returns the item as the service does', async () => {
    const { service, client, instagram, facebook } = world();
    const query = { platform: 'instagram', accountId: instagram } as const;

    const integration = service.seed.integration({
      platform: 'linkedin',
      username: 'x',
      profileId: 'p',
      profileName: 'P',
      scopes: ['read'],
    });
    expect((await client.integrations.list({ platform: 'linkedin' })).items).toEqual([integration]);

    const comment = service.seed.comment({
      accountId: facebook,
      postId: 'p',
      text: 'nice',
      likeCount: 3,
      replies: [{ text: 'ta' }],
    });
    expect((await client.comments.list({ platform: 'facebook', accountId: facebook, postId: 'p' })).items).toEqual([
      comment,
    ]);

    const conversation = service.seed.conversation({ accountId: instagram });
    expect((await client.messages.listConversations(query)).items).toEqual([conversation]);
    const message = service.seed.message({ accountId: instagram, conversationId: conversation.id, text: 'hi' });
    expect((await client.messages.list(conversation.id, query)).items).toEqual([message]);

    const eligible = service.seed.eligiblePost({ accountId: instagram, caption: 'Hello' });
    expect((await client.automations.listEligiblePosts({ accountId: instagram })).items).toEqual([eligible]);

    const automation = service.seed.automation({
      accountId: instagram,
      name: 'Guide',
      trigger: { keywords: ['guide'] },
    });
    expect(await client.automations.list()).toEqual([automation]);
    const log = service.seed.automationLog({ automationId: automation.id, commentText: 'guide' });
    expect((await client.automations.listLogs(automation.id)).items).toEqual([log]);

    const post = service.seed.post({
      content: 'x',
      status: 'partial',
      platforms: [{ platform: 'tiktok', warningMessage: 'cut' }],
    });
    expect((await client.posts.list()).items).toEqual([post]);
    expect(service.posts).toEqual([post]);
  });

  it('keeps the passed IDs', () => {
    const service = createEmulator();
    const { id: accountId } = service.seed.integration({ platform: 'instagram', id: 'acc' });
    expect(accountId).toBe('acc');
    expect(service.seed.comment({ accountId, postId: 'p', id: 'c' }).id).toBe('c');
    expect(service.seed.conversation({ accountId, id: 'v' }).id).toBe('v');
    expect(service.seed.post({ postId: 'p' }).postId).toBe('p');
    expect(service.seed.selection({ platform: 'facebook', token: 't', accounts: [] })).toEqual({ token: 't' });
    expect(service.seed.subscription({ webhook: { url: 'https://a.test', secret: 's' } }).webhook?.secret).toBe('s');
  });

  it("takes a status of a target that is not among the emulator's own", () => {
    const service = createEmulator();
    service.seed.integration({ platform: 'tiktok' });
    const post = service.seed.post({ status: 'pending', platforms: [{ platform: 'tiktok', status: 'queued' }] });
    expect(post.platforms).toMatchObject([{ status: 'queued' }]);
  });

  it('creates the same IDs and secrets in every run, and others with another seed', () => {
    const run = (seed?: number) => {
      const service = createEmulator({ now: () => start, ...(seed === undefined ? {} : { seed }) });
      service.seed.integration({ platform: 'instagram' });
      return [
        service.seed.selection({ platform: 'facebook', accounts: [] }),
        service.seed.subscription({ webhook: { url: 'https://a.test' } }),
      ];
    };
    expect(run()).toEqual(run());
    expect(run(2)).not.toEqual(run());
  });

  it('that is scheduled is published at its time', async () => {
    const { service } = world();
    service.seed.post({ scheduledFor: '2026-03-02T10:00:00Z', platforms: [{ platform: 'tiktok' }] });
    service.seed.post({ status: 'publishing', platforms: [{ platform: 'tiktok' }] });
    service.seed.post({ status: 'pending' });
    await service.clock.advance({ hours: 1 });
    expect(service.posts.map(({ status }) => status)).toEqual(['published', 'published', 'pending']);
  });

  it.each<[string, keyof Emulator['seed'], object]>([
    ['an account that there is not', 'comment', { accountId: 'nobody', postId: 'p' }],
    ['a conversation that there is not', 'message', { accountId: 'acc', conversationId: 'none' }],
    ['an automation that there is not', 'automationLog', { automationId: 'none' }],
    ['figures of a post that there is not', 'metrics', { postId: 'none', metrics: { likes: 1 } }],
    ['a field of the wrong type', 'integration', { platform: 'tiktok', username: 7 }],
    ['a token that no selection could have', 'selection', { platform: 'instagram', token: 'short', accounts: [] }],
    ["a figure that isn't a number", 'metrics', { accountId: 'acc', metrics: { reach: '7' } }],
    ['a figure without end', 'metrics', { accountId: 'acc', metrics: { reach: Infinity } }],
    ['a figure of another name', 'metrics', { accountId: 'acc', metrics: { rich: 7 } }],
    [
      'a figure of a post that only accounts have',
      'metrics',
      { accountId: 'acc', postId: 'p', metrics: { profile_views: 7 } },
    ],
    ['a figure of a post that is NaN', 'metrics', { accountId: 'acc', postId: 'p', metrics: { likes: Number.NaN } }],
    [
      'figures of a platform that is not known',
      'metrics',
      { accountId: 'acc', postId: 'p', platform: 'myspace', metrics: {} },
    ],
    ['no figures', 'metrics', { accountId: 'acc' }],
    ['a part of a figure of another name', 'metrics', { accountId: 'acc', metrics: {}, breakdowns: { rich: [] } }],
    ['a day that there is not', 'metrics', { accountId: 'acc', date: '2026-02-30', metrics: {} }],
    ['a day with a time', 'metrics', { accountId: 'acc', date: '2026-02-03T00:00:00Z', metrics: {} }],
    ['insights of an account that has none', 'metrics', { accountId: 'tik', metrics: { reach: 1 } }],
    ['an invalid time', 'post', { scheduledFor: 'tomorrow' }],
    ['a day that no month has', 'post', { scheduledFor: '2026-02-30T10:00:00Z' }],
    ['a scheduled post without a time', 'post', { status: 'scheduled' }],
    ['a status that is not known', 'post', { status: 'lost' }],
    ['a post created at no time', 'post', { createdAt: 'yesterday' }],
    [
      'a target published at no time',
      'post',
      { status: 'published', platforms: [{ platform: 'tiktok', publishedAt: 'soon' }] },
    ],
    ['a target on a platform that is not known', 'post', { platforms: [{ platform: 'myspace', accountId: 'tik' }] }],
    ['a comment of no time', 'comment', { accountId: 'acc', postId: 'p', timestamp: '' }],
    ['a reply of no time', 'comment', { accountId: 'acc', postId: 'p', replies: [{ timestamp: 'x' }] }],
    ['a message of no time', 'message', { accountId: 'acc', conversationId: 'conversation', timestamp: 'x' }],
    ['an integration on a platform that is not known', 'integration', { platform: 'myspace' }],
    ['comments where a platform has none', 'comment', { accountId: 'tik', postId: 'p' }],
    ['conversations on another platform than Instagram', 'conversation', { accountId: 'tik' }],
    ['a webhook without an address', 'subscription', {}],
    ['a webhook that is not http', 'subscription', { webhook: { url: 'ftp://a.test' } }],
    ['a webhook with an empty secret', 'subscription', { webhook: { url: 'https://a.test', secret: '' } }],
    ['a webhook with a masked secret', 'subscription', { webhook: { url: 'https://a.test', secret: 'whsec_****' } }],
    [
      'an event type that is not known',
      'subscription',
      { webhook: { url: 'https://a.test' }, eventTypes: ['post.lost'] },
    ],
    ['a channel that is not known', 'subscription', { channel: 'fax' }],
    ['a selection of a platform that has none', 'selection', { platform: 'tiktok', accounts: [] }],
    [
      'a selection of accounts on another platform',
      'selection',
      { platform: 'facebook', accounts: [{ id: 'p', platform: 'instagram' }] },
    ],
    ['a target whose account is not clear', 'post', { platforms: [{ platform: 'bluesky' }] }],
  ])('refuses %s', (_, kind, fields) => {
    const service = createEmulator();
    service.seed.integration({ platform: 'instagram', id: 'acc' });
    service.seed.integration({ platform: 'tiktok', id: 'tik' });
    service.seed.conversation({ accountId: 'acc', id: 'conversation' });
    const seed = () => service.seed[kind](fields as never);
    expect(seed).toThrow(TypeError);
    expect(seed).toThrow(/^seed\./);
  });
});

describe('objects returned by the emulator', () => {
  it('can be changed without changing the service', async () => {
    const { service, client, instagram } = world();
    const { token } = service.seed.selection({ platform: 'facebook', accounts: [{ id: 'p' }] });
    const media = [{ type: 'image', url: 'https://a.test/b.png' }];
    const seeded = service.seed.post({ content: 'kept', mediaItems: media, platforms: [{ platform: 'tiktok' }] });
    const platformMetadata = { a: { b: 1 } };
    const integration = service.seed.integration({ platform: 'threads', username: 'kept', platformMetadata });
    const subscription = service.seed.subscription({ webhook: { url: 'https://a.test', secret: 'kept' } });
    await client.posts.create({ publishNow: true, platforms: [{ platform: 'instagram', accountId: instagram }] });
    await service.settled();
    const state = () => JSON.stringify([service.posts, service.requests, service.deliveries]);
    const before = state();

    seeded.content = 'changed';
    media[0] = { type: 'video', url: '' };
    for (const post of [seeded, ...service.posts]) {
      for (const target of post.platforms ?? []) target.status = 'changed';
      post.mediaItems?.splice(0);
      Object.assign(post.rawRequestBody ?? {}, { changed: true });
    }
    service.posts.length = 0;
    for (const request of service.requests) Object.assign(request.headers, { changed: 'yes' });
    service.requests.length = 0;
    for (const delivery of service.deliveries) Object.assign(delivery, { attempt: 9 });
    Object.assign(integration.platformMetadata ?? {}, { a: 'changed' });
    platformMetadata.a.b = 2;
    if (subscription.webhook !== undefined) subscription.webhook.secret = 'changed';

    expect(state()).toBe(before);
    expect((await client.integrations.get(integration.id)).platformMetadata).toEqual({ a: { b: 1 } });
    expect(token).not.toBe('');
  });

  it('are copies, for every kind of seed', async () => {
    const { service, instagram } = world();
    const automation = service.seed.automation({ accountId: instagram });
    const conversation = service.seed.conversation({ accountId: instagram });
    const post = service.seed.post({ status: 'published', platforms: [{ platform: 'instagram' }] });
    const seeded: Record<Exclude<keyof Emulator['seed'], 'demo'>, object[]> = {
      integration: [service.seed.integration({ platform: 'threads', platformMetadata: { a: 1 }, scopes: ['read'] })],
      post: [post],
      comment: [service.seed.comment({ accountId: instagram, postId: 'p', replies: [{ text: 'ta' }] })],
      conversation: [conversation],
      message: [service.seed.message({ accountId: instagram, conversationId: conversation.id })],
      eligiblePost: [service.seed.eligiblePost({ accountId: instagram })],
      metrics: [
        service.seed.metrics({ postId: post.postId, metrics: { likes: 7 } }),
        service.seed.metrics({ accountId: instagram, metrics: { reach: 7 } }),
      ],
      automation: [automation],
      automationLog: [service.seed.automationLog({ automationId: automation.id })],
      selection: [service.seed.selection({ platform: 'facebook', accounts: [{ id: 'p' }] })],
      subscription: [service.seed.subscription({ webhook: { url: 'https://a.test' } })],
    };
    const account = `platform=instagram&accountId=${instagram}`;
    const reads = [
      'posts/',
      `comments/?postId=p&${account}`,
      `messages/?${account}`,
      `messages/${conversation.id}?${account}`,
      'comment-automations/',
      `comment-automations/${automation.id}/logs`,
      `comment-automations/posts?accountId=${instagram}`,
      'analytics/',
      `analytics/instagram/account-insights?accountId=${instagram}`,
      'connect/integrations',
      `connect/integrations/${instagram}`,
    ];
    const shown = async () => {
      const replies: unknown[] = [];
      for (const path of reads) replies.push(await raw(service, `GET /v1/${path}`));
      expect(replies).toEqual(reads.map(() => expect.objectContaining({ status: 200 }) as unknown));
      return JSON.stringify(replies);
    };
    const before = await shown();
    for (const value of Object.values(seeded).flat()) spoil(value);
    expect(JSON.stringify(seeded)).toContain('spoilt');
    expect(await shown()).toBe(before);
  });

  it('records each request once, as it came', async () => {
    const { service } = world();
    await raw(service, 'POST /v1/posts/?debug=1&tag=a&tag=b', { saveAsDraft: true });
    await raw(service, 'POST /v1/posts/', 'no json');
    await raw(service, 'GET /v1/nowhere');
    expect(service.requests).toMatchObject([
      {
        method: 'POST',
        url: 'https://emulator.test/v1/posts/?debug=1&tag=a&tag=b',
        path: '/v1/posts/',
        route: 'POST /v1/posts/',
        query: { debug: '1', tag: ['a', 'b'] },
        body: { saveAsDraft: true },
        status: 200,
        at: new Date(start).toISOString(),
      },
      { method: 'POST', body: 'no json', status: 400 },
      { method: 'GET', path: '/v1/nowhere', status: 404 },
    ]);
    expect(service.requests[2]).not.toHaveProperty('route');
    expect(service.requests[0]?.headers).toMatchObject({ 'x-access-key': 'test-key' });
  });

  it('shares nothing with another emulator', async () => {
    const one = world();
    const other = world();
    await one.client.posts.create({ saveAsDraft: true });
    expect(other.service.posts).toEqual([]);
    expect((await other.client.posts.create({ saveAsDraft: true })).postId).toBe('post_1');
  });
});

describe('a snapshot', () => {
  it('restores the whole state: time, posts, due events, faults, random numbers', async () => {
    const { service, client, platforms } = world();
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    await client.posts.create({ content: 'a', scheduledFor: '2026-03-02T10:00:00Z', platforms });
    await service.settled();
    service.faults.add({ kind: 'status', status: 500, probability: 0.5 });
    const snapshot = service.snapshot();
    const story = async () => {
      const statuses: number[] = [];
      for (let index = 0; index < 20; index += 1)
        statuses.push((await raw(service, 'POST /v1/posts/', { saveAsDraft: true })).status);
      await service.clock.advance({ hours: 2 });
      return {
        statuses,
        posts: service.posts,
        deliveries: service.deliveries,
        now: service.clock.now(),
        requests: service.requests,
      };
    };
    const first = await story();
    service.restore(snapshot);
    expect(service.clock.now()).toBe(start);
    expect(service.posts).toMatchObject([{ status: 'scheduled' }]);
    expect(await story()).toEqual(first);
    service.restore(snapshot);
    expect(service.posts).toHaveLength(1);
  });

  it('can be put into another emulator', async () => {
    const one = world();
    await one.client.posts.create({ content: 'a', saveAsDraft: true });
    const other = createEmulator();
    other.restore(one.service.snapshot());
    expect(other.posts).toEqual(one.service.posts);
    await raw(other, 'POST /v1/posts/', { saveAsDraft: true });
    expect([other.posts.length, one.service.posts.length]).toEqual([2, 1]);
  });

  it('keeps a delivery that is under way out of the state that it restores', async () => {
    const [asked, answered] = [newGate(), newGate()];
    let calls = 0;
    const service = createEmulator({
      now: () => start,
      deliver: async () => {
        calls += 1;
        asked.open();
        await answered.opened;
        return new Response(null, { status: 500 });
      },
    });
    const { id } = service.seed.integration({ platform: 'tiktok' });
    service.seed.subscription({ webhook: { url: 'https://app.test/' } });
    const snapshot = service.snapshot();
    await raw(service, 'POST /v1/posts/', { publishNow: true, platforms: [{ platform: 'tiktok', accountId: id }] });
    await asked.opened;
    service.restore(snapshot);
    answered.open();
    await service.clock.advance({ days: 1 });
    expect(service.deliveries).toEqual([]);
    expect(calls).toBe(1);
  });

  it('accepts only a snapshot', () => {
    expect(() => {
      createEmulator().restore({ takenAt: '2026-03-02T09:00:00.000Z' } as never);
    }).toThrow(TypeError);
  });
});
