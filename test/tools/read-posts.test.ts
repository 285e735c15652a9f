import { describe, expect, it, vi } from 'vitest';
import { withShortTimeouts } from '../support/short-timeouts.js';
import type { ToolProgress } from '../../src/tools/index.js';
import { ToolWorld, accessKey, inMinutes, toolWorld, publishTo } from './world.js';

describe('lists', () => {
  it('have at most 20 items and 16,384 bytes, and a cursor that reaches the rest once', async () => {
    const { world, agent } = toolWorld();
    const text = 'é'.repeat(600);
    for (let index = 0; index < 47; index += 1) {
      await world.client.posts.create({ content: `${String(index)} ${text}`, saveAsDraft: true });
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await agent('list_posts', { limit: 100, ...(cursor === undefined ? {} : { cursor }) });
      const posts = data?.['posts'] as { postId: string }[];
      expect(posts.length).toBeGreaterThan(0);
      expect(posts.length).toBeLessThanOrEqual(20);
      expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(16_384);
      seen.push(...posts.map(({ postId }) => postId));
      cursor = data?.['cursor'] as string | undefined;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(47);
    expect(new Set(seen).size).toBe(47);
  });

  it('with cursors of the service continue in the middle of a page', async () => {
    const { world, agent } = toolWorld();
    for (let index = 0; index < 45; index += 1) {
      const text = `${String(index)} ${'long '.repeat(300)}`;
      world.service.seed.comment({ accountId: world.instagram, postId: 'p1', text });
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const input = { accountId: world.instagram, postId: 'p1', ...(cursor === undefined ? {} : { cursor }) };
      const { data } = await agent('list_comments', input);
      expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(16_384);
      seen.push(...(data?.['comments'] as { id: string }[]).map(({ id }) => id));
      cursor = data?.['cursor'] as string | undefined;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(45);
    expect(new Set(seen).size).toBe(45);
  });

  it.each(['list_comments', 'list_conversations', 'list_messages'])(
    'of %s reach all pages of the service',
    async (name) => {
      const { world, agent } = toolWorld();
      const accountId = world.instagram;
      const { id: conversationId } = world.service.seed.conversation({ accountId });
      for (let index = 0; index < 120; index += 1) {
        if (name === 'list_comments') world.service.seed.comment({ accountId, postId: 'p1' });
        else if (name === 'list_messages') world.service.seed.message({ accountId, conversationId });
        else world.service.seed.conversation({ accountId });
      }
      const of = { list_comments: { postId: 'p1' }, list_messages: { conversationId } }[name];
      const seen = new Set<string>();
      let cursor: unknown;
      do {
        const { data = {} } = await agent(name, {
          accountId,
          limit: 20,
          ...of,
          ...(cursor !== undefined && { cursor }),
        });
        const items = data[name.slice(5)] as { id?: string; conversationId?: string; messageId?: string }[];
        for (const item of items) seen.add(item.id ?? item.messageId ?? item.conversationId ?? '');
        cursor = data['cursor'];
      } while (cursor !== undefined);
      expect(seen.size).toBe(name === 'list_conversations' ? 121 : 120);
    },
  );

  it('shorten a single text that is too long', async () => {
    const world = new ToolWorld();
    world.service.seed.comment({ accountId: world.instagram, postId: 'p1', text: '🙂'.repeat(20_000) });
    const { data } = await world.agent()('list_comments', { accountId: world.instagram, postId: 'p1' });
    expect(data).toMatchObject({ truncated: true });
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(16_384);
    expect(JSON.stringify(data)).not.toMatch(/\\ud83d/i);
  });

  it.each([
    ['list_posts', {}],
    ['list_accounts', {}],
    ['list_comments', { accountId: 'integration_1', postId: 'p' }],
    ['accounts_needing_attention', {}],
  ])('%s refuses a cursor that it did not make', async (name, input) => {
    const world = new ToolWorld();
    const result = await world.agent()(name, { ...input, cursor: 'nonsense' });
    expect(result).toMatchObject({ status: 'invalid', data: { issues: [{ field: 'cursor' }] } });
  });
});

describe('list_posts', () => {
  it('filters by status, platform and time', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    await agent('create_post', { key: 'draft', content: 'Draft' });
    const scheduled = { content: 'Later', mode: 'schedule', accountIds: [world.tiktok] };
    await agent('create_post', { key: 's1', ...scheduled, scheduledFor: inMinutes(60) });
    await agent('create_post', { key: 's2', ...scheduled, scheduledFor: inMinutes(600) });
    const contents = async (input: object) => {
      const { data } = await agent('list_posts', input);
      return (data?.['posts'] as { postId: string }[]).length;
    };
    expect(await contents({ status: 'draft' })).toBe(1);
    expect(await contents({ platform: 'tiktok' })).toBe(2);
    expect(await contents({ platform: ['instagram', 'facebook'] })).toBe(0);
    expect(await contents({ scheduledAfter: inMinutes(120) })).toBe(1);
    expect(await contents({ platform: 'tiktok', scheduledBefore: inMinutes(120) })).toBe(1);
  });
});

describe('get_post', () => {
  it('finds a post by its ID and by its key', async () => {
    const { agent } = toolWorld();
    const created = await agent('create_post', { key: 'k', content: 'Hello' });
    const postId = created.data?.['postId'];
    expect(await agent('get_post', { postId })).toMatchObject({ status: 'ok', data: { postId, status: 'draft' } });
    expect(await agent('get_post', { key: 'k' })).toMatchObject({ status: 'ok', data: { postId, key: 'k' } });
  });

  it('knows a created post that the list does not show yet', async () => {
    const { world, agent } = toolWorld();
    world.service.faults.add({ kind: 'listing_lag', lagMs: 3_600_000 });
    const { data } = await agent('create_post', { key: 'k', content: 'Hello' });
    for (const reference of [{ key: 'k' }, { postId: data?.['postId'] }])
      expect(await agent('get_post', reference)).toMatchObject({ status: 'ok', data: { key: 'k', status: 'draft' } });
  });

  it('is ok for a failed post', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    world.service.publishing.outcome({ platform: 'instagram', error: 'media rejected' });
    await agent('create_post', publishTo([world.instagram]));
    await world.pass(5);
    expect(await agent('get_post', { key: 'k' })).toMatchObject({
      status: 'ok',
      data: { status: 'failed', targets: [{ error: 'media rejected' }] },
    });
  });

  it.each([{ postId: 'nothing' }, { key: 'nothing' }])('fails for %o, which does not exist', async (input) => {
    expect(await new ToolWorld().agent()('get_post', input)).toMatchObject({ status: 'failed' });
  });

  it.each([{}, { postId: 'p', key: 'k' }])('refuses %o', async (input) => {
    const result = await new ToolWorld().agent()('get_post', input);
    expect(result).toMatchObject({ status: 'invalid' });
    expect(result.summary).toContain('postId');
  });
});

describe('preview_post', () => {
  it('shows at most 20 accounts of a long list', async () => {
    const world = new ToolWorld();
    const accountIds = Array.from(
      { length: 30 },
      (_, index) => world.service.seed.integration({ platform: 'bluesky', username: `many${String(index)}` }).id,
    );
    const { data } = await world.agent()('preview_post', { content: 'Hello', mode: 'publish', accountIds });
    const { request } = data as { request: { body: { platforms: unknown[]; more_platforms: number } } };
    expect(request.body.platforms).toHaveLength(20);
    expect(request.body.more_platforms).toBe(10);
  });

  it('returns the request with times and accounts, and sends nothing', async () => {
    const { world, agent } = toolWorld({ timeZone: 'America/New_York' });
    const accountIds = [world.instagram];
    const input = { content: 'Hello', mode: 'schedule', accountIds, scheduledFor: '2027-03-26T09:00' };
    expect(await agent('preview_post', input)).toMatchObject({
      status: 'ok',
      data: {
        request: {
          method: 'POST',
          path: '/v1/posts/',
          body: { content: 'Hello', platforms: [{ platform: 'instagram', accountId: world.instagram }] },
        },
        scheduledFor: '2027-03-26T09:00:00-04:00',
        needsApproval: true,
        accounts: [{ accountId: world.instagram, username: 'acme' }],
      },
    });
    expect(world.writes).toEqual([]);
  });

  it('reads each account once, and lists none', async () => {
    const world = new ToolWorld();
    const input = { content: 'Hello', mode: 'publish', accountIds: [world.instagram, world.facebook] };
    await world.agent()('preview_post', input);
    const paths = world.service.requests.map(({ path }) => path).filter((path) => path.startsWith('/v1/connect'));
    expect(paths.sort()).toEqual(
      [world.instagram, world.facebook].map((id) => `/v1/connect/integrations/${id}`).sort(),
    );
  });

  it('says what a key has', async () => {
    const { agent } = toolWorld();
    await agent('create_post', { key: 'k', content: 'Hello' });
    const preview = (content: string) => agent('preview_post', { key: 'k', content });
    expect(await preview('Hello')).toMatchObject({ data: { existing: { sameContent: true } } });
    expect(await preview('Other')).toMatchObject({ data: { existing: { sameContent: false } } });
  });
});

describe('wait_for_post', () => {
  it('returns the targets of a published post', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    await agent('create_post', publishTo([world.instagram]));
    await world.pass(5);
    expect(await agent('wait_for_post', { key: 'k', seconds: 1 })).toMatchObject({
      status: 'ok',
      data: { final: true, status: 'published', targets: [{ platform: 'instagram', state: 'published' }] },
    });
  });

  it('fails with the targets of a partial post', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    world.service.publishing.outcome({ platform: 'tiktok', error: 'media rejected' });
    const created = await agent('create_post', publishTo([world.instagram, world.tiktok]));
    await world.pass(5);
    const result = await agent('wait_for_post', { postId: created.data?.['postId'], seconds: 1 });
    expect(result).toMatchObject({ status: 'failed', data: { final: true, status: 'partial' } });
    expect(JSON.stringify(result.data)).toContain('media rejected');
  });

  it('does not propose to repeat a post whose targets have only warnings', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    world.service.publishing.outcome({ platform: 'tiktok', warning: 'late' });
    const created = await agent('create_post', publishTo([world.instagram, world.tiktok]));
    await world.pass(5);
    expect(await agent('wait_for_post', { postId: created.data?.['postId'], seconds: 1 })).toMatchObject({
      status: 'failed',
      summary: 'The post is published, with warnings.',
      next: 'See the warnings of the targets. Nothing needs to be published again.',
      data: { final: true, status: 'partial' },
    });
  });

  it('is ok and not final when the time runs out', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    const input = { key: 'k', content: 'Later', mode: 'schedule', accountIds: [world.tiktok] };
    await agent('create_post', { ...input, scheduledFor: inMinutes(60) });
    const result = await agent('wait_for_post', { key: 'k', seconds: 0 });
    expect(result).toMatchObject({ status: 'ok', data: { final: false, status: 'scheduled' } });
  });

  it('does not wait for a draft', async () => {
    const { agent } = toolWorld();
    const { data } = await agent('create_post', { key: 'k', content: 'Hello' });
    const expected = { status: 'ok', data: { final: false } };
    expect(await agent('wait_for_post', { key: 'k' })).toMatchObject(expected);
    expect(await agent('wait_for_post', { postId: data?.['postId'] })).toMatchObject(expected);
  });

  it.each(['get_post', 'wait_for_post'])('%s leads out for an ID that no post has, or that is a key', async (tool) => {
    const { agent } = toolWorld();
    await agent('create_post', { key: 'k', content: 'Hello' });
    const wait = tool === 'wait_for_post' && { seconds: 0 };
    for (const postId of ['nothing', 'x'.repeat(600)])
      expect(await agent(tool, { postId, ...wait })).toMatchObject({
        status: 'failed',
        next: expect.stringContaining('list_posts lists the posts') as string,
      });
    expect(await agent(tool, { postId: 'k', ...wait })).toMatchObject({
      status: 'failed',
      next: 'This is the key of a post: pass it as key.',
    });
  });

  it('does not report a post as not found that a list has shown', async () => {
    let isHidden = false;
    const world: ToolWorld = new ToolWorld({
      client: {
        fetch: (...args) =>
          isHidden
            ? Promise.resolve(Response.json({ success: true, posts: [], total: 0 }))
            : world.service.fetch(...args),
      },
    });
    const platforms = [{ platform: 'instagram', accountId: world.instagram }] as const;
    const { postId } = await world.client.posts.create({ content: 'Hello', scheduledFor: inMinutes(60), platforms });
    for (const publisher of [world.publisher, undefined]) {
      const agent = world.agent({ publisher });
      isHidden = false;
      await agent('list_posts');
      isHidden = true;
      const result = await agent('wait_for_post', { postId, seconds: 0 });
      expect(result).toMatchObject({ status: 'ok', data: { postId, status: 'scheduled', final: false } });
    }
    const agent = world.agent();
    isHidden = false;
    await world.pass(120);
    await agent('list_posts');
    isHidden = true;
    expect(await agent('wait_for_post', { postId, seconds: 0 })).toMatchObject({
      status: 'ok',
      data: { postId, status: 'published', final: true },
    });
  });

  it.each([
    ['lists the post late', { kind: 'listing_lag', lagMs: 3_600_000 }],
    ['fails', { kind: 'status', status: 503, route: 'GET /v1/posts/' }],
    ['is too slow', { kind: 'timeout', route: 'GET /v1/posts/' }],
    ['breaks off', { kind: 'reset_before', route: 'GET /v1/posts/' }],
  ] as const)('knows a created post by its key and its ID if the list %s', async (_, fault) => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    const isSlow = fault.kind === 'timeout';
    if (!isSlow) world.service.faults.add(fault);
    const draft = await agent('create_post', { key: 'draft', content: 'A draft' });
    const created = await agent('create_post', publishTo([world.instagram]));
    const scheduled = { ...publishTo([world.instagram], 'later'), mode: 'schedule', scheduledFor: inMinutes(60) };
    const later = await agent('create_post', scheduled);
    if (isSlow) world.service.faults.add(fault); // A create waits for the list too.

    const hurried = isSlow ? withShortTimeouts : <T>(call: () => Promise<T>) => call();
    for (const { data } of [draft, created, later]) {
      const { postId, key } = data as { postId: string; key: string };
      const wait = (reference: object) => agent('wait_for_post', { ...reference, seconds: 0 });
      const byKey = await hurried(() => wait({ key }));
      expect(byKey, key).toMatchObject({ status: 'ok', data: { key, postId } });
      const byId = await hurried(() => wait({ postId }));
      expect(byId, key).toMatchObject({ status: 'ok', data: { key, postId, final: false } });
      expect(byId.summary).toMatch(
        /^(?:The post was created, and the list of posts does not show it yet|The list of posts could not be read in this time)\.$/,
      );
    }
  });

  it.each([
    { kind: 'status', status: 503, route: 'GET /v1/posts/' },
    { kind: 'timeout', route: 'GET /v1/posts/' },
  ] as const)('does not report a post as not found if the list cannot be read: $kind', async (fault) => {
    const world = new ToolWorld();
    world.service.faults.add(fault);
    for (const options of [{}, { publisher: undefined }]) {
      const wait = () => world.agent(options)('wait_for_post', { postId: 'post_1', seconds: 0 });
      const result = await (fault.kind === 'timeout' ? withShortTimeouts(wait) : wait());
      expect(result).toMatchObject({ status: 'ok', data: { postId: 'post_1', final: false } });
      expect(result.summary).toBe('The list of posts could not be read in this time.');
    }
  });

  it('does not wait for a draft whose second reading fails', async () => {
    let reads = 0;
    const world: ToolWorld = new ToolWorld({
      client: {
        fetch: (input, init) => {
          if (init.method === 'GET') reads += 1;
          return reads > 1 ? Promise.resolve(new Response('{}', { status: 503 })) : world.service.fetch(input, init);
        },
      },
    });
    const { postId } = await world.client.posts.create({ content: 'Hello', saveAsDraft: true });
    const result = await world.agent()('wait_for_post', { postId });
    expect(result).toMatchObject({ status: 'ok', data: { postId, final: false }, next: 'Do not wait for a draft.' });
    expect(reads).toBeGreaterThan(1);
  });

  it('is held for a post in doubt', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    world.service.faults.add({ kind: 'reset_before', route: 'POST /v1/posts/', times: 1 });
    await agent('create_post', publishTo([world.instagram]));
    expect(await agent('wait_for_post', { key: 'k', seconds: 0 })).toMatchObject({ status: 'held' });
  });

  it('reports each poll, and ignores errors of onProgress', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    const scheduled = { ...publishTo([world.instagram]), mode: 'schedule', scheduledFor: inMinutes(60) };
    await agent('create_post', scheduled);
    const seen: unknown[] = [];
    const onProgress = (progress: unknown) => {
      seen.push(progress);
      throw new Error('The display is broken.');
    };
    const before = world.service.requests.length;
    expect(await agent('wait_for_post', { key: 'k', seconds: 5 }, { onProgress })).toMatchObject({ status: 'ok' });
    const polls = world.service.requests.length - before;
    expect(polls).toBeGreaterThan(1);
    expect(seen).toEqual(
      Array.from({ length: polls }, () => ({
        seconds: expect.any(Number) as number,
        ofSeconds: 5,
        summary: 'The post is scheduled.',
      })),
    );
  });

  it('reports a poll that failed, and the next one that did not', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    await agent('create_post', { ...publishTo([world.instagram]), mode: 'schedule', scheduledFor: inMinutes(60) });
    world.service.faults.add({ kind: 'status', status: 503, route: 'GET /v1/posts/', times: 1 });
    const seen: string[] = [];
    const onProgress = ({ summary }: ToolProgress) => seen.push(summary);
    await agent('wait_for_post', { key: 'k', seconds: 3 }, { onProgress });
    expect(seen.slice(0, 2)).toEqual([
      'The list of posts could not be read. The wait goes on.',
      'The post is scheduled.',
    ]);
  });

  it.each([-1, 601, '60'])('refuses %o seconds', async (seconds) => {
    const result = await new ToolWorld().agent()('wait_for_post', { postId: 'p', seconds });
    expect(result).toMatchObject({ status: 'invalid', data: { issues: [{ field: 'seconds' }] } });
  });

  it('rejects with the reason of an abort', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    const input = { key: 'k', content: 'Later', mode: 'schedule', accountIds: [world.tiktok] };
    await agent('create_post', { ...input, scheduledFor: inMinutes(60) });
    const leaving = new AbortController();
    const waiting = agent('wait_for_post', { key: 'k', seconds: 600 }, { signal: leaving.signal });
    leaving.abort('left');
    await expect(waiting).rejects.toBe('left');
  });
});

describe('accounts', () => {
  it('are listed with their health', async () => {
    const world = new ToolWorld();
    world.service.seed.integration({ platform: 'threads', authStatus: 'expired', authFailureReason: 'token_expired' });
    const { data } = await world.agent()('list_accounts', { platform: 'threads' });
    expect(data).toMatchObject({ total: 1, accounts: [{ platform: 'threads', health: 'auth_failed' }] });
    expect(await world.agent()('list_accounts', { platform: 'instagram' })).toMatchObject({
      data: { accounts: [{ accountId: world.instagram, username: 'acme', health: 'ok' }] },
    });
  });

  it('that need attention have a reason', async () => {
    const world = new ToolWorld();
    world.service.seed.integration({
      platform: 'threads',
      accessTokenExpiresAt: inMinutes(60),
      tokenStatus: { valid: true, autoRefreshes: false, reconnectRequired: false, reason: '' },
    });
    expect(await world.agent()('accounts_needing_attention')).toMatchObject({
      data: { accounts: [{ platform: 'threads', reason: 'expires_soon' }] },
    });
  });

  it('that need attention are listed part by part', async () => {
    const world = new ToolWorld();
    for (let index = 0; index < 5; index += 1) {
      world.service.seed.integration({ platform: 'threads', authStatus: 'expired' });
    }
    const first = await world.agent()('accounts_needing_attention', { limit: 3 });
    expect(first.data?.['accounts']).toHaveLength(3);
    const second = await world.agent()('accounts_needing_attention', { limit: 3, cursor: first.data?.['cursor'] });
    expect(second.data?.['accounts']).toHaveLength(2);
    expect(second.data).not.toHaveProperty('cursor');
  });
});

describe('analytics', () => {
  it('spend their own budget and no more', async () => {
    const { world, agent } = toolWorld({ maxCredits: 2 });
    world.service.seed.metrics({ accountId: world.instagram, metrics: { reach: 120 } });
    const call = () => agent('account_insights', { accountId: world.instagram, metrics: ['reach'] });
    expect(await call()).toMatchObject({ status: 'ok', data: { metrics: { reach: { total: 120 } } } });
    expect(await call()).toMatchObject({ status: 'ok' });
    const before = world.service.requests.length;
    expect(await call()).toMatchObject({ status: 'rejected', data: { creditsUsed: 2, maxCredits: 2 } });
    expect(world.service.requests).toHaveLength(before);
    expect(world.service.creditsUsed).toBe(2);
  });

  it('return a daily series of 90 days', async () => {
    const world = new ToolWorld();
    world.service.seed.metrics({ accountId: world.instagram, metrics: { reach: 120 } });
    const input = { accountId: world.instagram, metrics: ['reach'], metricType: 'time_series' };
    const result = await world.agent({ maxCredits: 2 })('account_insights', {
      ...input,
      since: '2026-12-02',
      until: '2027-03-01',
    });
    expect(result.status).toBe('ok');
  });

  it('return the metrics of a post', async () => {
    const { world, agent } = toolWorld({ mode: 'publish', maxCredits: 1 });
    const { data } = await agent('create_post', publishTo([world.instagram]));
    await world.pass(5);
    const postId = data?.['postId'] as string;
    world.service.seed.metrics({ postId, metrics: { likes: 7 } });
    expect(await agent('post_analytics', { postId })).toMatchObject({
      status: 'ok',
      data: { aggregated: { likes: 7 } },
    });
  });
});

describe('errors', () => {
  it.each([
    ['status 404', { kind: 'status', status: 404 }, 'failed'],
    ['status 401', { kind: 'status', status: 401 }, 'failed'],
    ['status 429', { kind: 'status', status: 429 }, 'failed'],
    ['status 422', { kind: 'status', status: 422 }, 'rejected'],
    ['status 500', { kind: 'status', status: 500 }, 'failed'],
    ['a lost connection', { kind: 'reset_before' }, 'failed'],
    ['a reply that is not JSON', { kind: 'invalid_json' }, 'failed'],
  ] as const)('%s is a result', async (_, fault, status) => {
    const world = new ToolWorld();
    world.service.faults.add(fault);
    const result = await world.agent()('list_posts');
    expect(result.status).toBe(status);
    expect(result.summary).toMatch(/[.!?…]$/);
  });

  it('never contain the access key', async () => {
    const world = new ToolWorld();
    const body = { success: false, message: `bad key ${accessKey}` };
    world.service.faults.add({ kind: 'status', status: 401, body });
    expect(JSON.stringify(await world.agent()('list_posts'))).not.toContain(accessKey);
  });

  it('of another program are not quoted', async () => {
    const world = new ToolWorld();
    vi.spyOn(world.publisher, 'get').mockRejectedValue(new Error('postgres://user:hunter2@db'));
    const result = await world.agent()('get_post', { key: 'k' });
    expect(result.status).toBe('failed');
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });
});
