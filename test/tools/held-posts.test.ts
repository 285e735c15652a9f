import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { defaultRuntime } from '../../src/core/runtime.js';
import { newGate } from '../support/gate.js';
import { ToolWorld, accessKey, partial, toolWorld, publishTo } from './world.js';

/** Creates a post whose request got lost: whether it arrived is unknown. */
async function inDoubt(world = new ToolWorld(), key = 'k', content = 'Hello'): Promise<ToolWorld> {
  world.service.faults.add({ kind: 'reset_before', route: 'POST /v1/posts/', times: 1 });
  const result = await world.agent({ mode: 'publish' })('create_post', {
    ...publishTo([world.instagram], key),
    content,
  });
  expect(result).toMatchObject({ status: 'held', data: { state: 'in_doubt' } });
  return world;
}

describe('list_held_posts', () => {
  it('lists posts in doubt with their evidence', async () => {
    const world = await inDoubt();
    const { data } = await world.agent()('list_held_posts');
    expect(data).toMatchObject({
      posts: [{ key: 'k', state: 'in_doubt', accountIds: [world.instagram], lookup: { result: 'no_match' } }],
    });
  });

  it('lists the others beside a post that a newer version stored, and names its key', async () => {
    const world = await inDoubt();
    await world.store.insert('intent/newer', '{"format":99}', world.time);
    const result = await world.agent()('list_held_posts');
    expect(result).toMatchObject({ status: 'ok', data: { posts: [{ key: 'k' }] } });
    expect(result.next).toMatch(/newer version .*'intent\/newer'.*Upgrade.*\. The service may still execute/);
    await world.pass(30);
    const { next } = await world.agent()('list_held_posts');
    expect(next).toMatch(/newer version/);
    expect(next).not.toContain('The service may still execute');
  });

  it('lists them part by part', async () => {
    const world = new ToolWorld();
    for (const key of ['a', 'b', 'c', '😀', '\uFF5E']) await inDoubt(world, key, `About ${key}`);
    const keys: unknown[] = [];
    let cursor: unknown;
    do {
      const { data } = await world.agent()('list_held_posts', {
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      keys.push(...(data?.['posts'] as { key: string }[]).map(({ key }) => key));
      cursor = data?.['cursor'];
    } while (cursor !== undefined);
    expect(keys.sort()).toEqual(['a', 'b', 'c', '😀', '\uFF5E'].sort());
  });
});

/** Leaves a post as a process does that ended while it was sending. */
async function crashed(world = new ToolWorld()): Promise<ToolWorld> {
  const reached = newGate();
  const hanging = () => {
    reached.open();
    return new Promise<never>(() => undefined);
  };
  const dying = new ToolWorld({ store: world.store, client: { fetch: hanging } });
  void dying.publisher.publish('k', {
    content: 'Hello',
    publishNow: true,
    platforms: [{ platform: 'instagram', accountId: world.instagram }],
  });
  await reached.opened;
  return world;
}

describe('a post whose sender ended', () => {
  it('is listed as held once its sender cannot wait for a reply any more, and not before', async () => {
    const world = await crashed();
    const agent = world.agent();
    expect(await agent('list_held_posts')).toMatchObject({ data: { posts: [] } });
    // A create with publishNow has 5 minutes.
    await world.pass(5);
    expect(await agent('list_held_posts')).toMatchObject({ data: { posts: [] } });
    await world.pass(5);
    expect(await agent('list_held_posts')).toMatchObject({ data: { posts: [{ key: 'k', state: 'sending' }] } });
  });

  it('is listed in the order of keys, beside posts in doubt', async () => {
    const world = await inDoubt(await crashed(), 'z', 'Other');
    await world.pass(10);
    const first = await world.agent()('list_held_posts', { limit: 1 });
    expect(first).toMatchObject({ data: { posts: [{ key: 'k', state: 'sending' }] } });
    const second = await world.agent()('list_held_posts', { limit: 1, cursor: first.data?.['cursor'] });
    expect(second).toMatchObject({ data: { posts: [{ key: 'z', state: 'in_doubt' }] } });
  });

  it('is searched for when create_post is repeated, as get_post says', async () => {
    const world = await crashed();
    await world.pass(4);
    const agent = world.agent();
    const read = await agent('get_post', { key: 'k' });
    expect(read.next).toContain('call create_post again with the same key and input');
    expect(await agent('create_post', publishTo([world.instagram]))).toMatchObject({
      status: 'held',
      data: { state: 'in_doubt' },
    });
    expect(world.service.posts).toEqual([]);
  });
});

describe('the advice to a call that is repeated while the first one runs', () => {
  it('is followed to the letter, twice: it leads to the result of the first call in seconds, and to one post', async () => {
    const [reached, answered] = [newGate(), newGate()];
    const { service, store } = new ToolWorld();
    const fetch = async (input: string | URL | Request, init?: RequestInit) => {
      if (init?.method === 'POST') {
        reached.open();
        await answered.opened;
      }
      return service.fetch(input, init);
    };
    const world = new ToolWorld({ store, client: { fetch } });
    const agent = world.agent({ mode: 'publish' });
    const input = publishTo([world.instagram]);
    const first = agent('create_post', input);
    await reached.opened;
    for (const repeated of [await agent('create_post', input), await agent('create_post', input)]) {
      expect(repeated).toMatchObject({ status: 'held', data: { key: 'k', state: 'sending' } });
      expect(repeated.next).toMatch(
        /^Do not send it under a new key\. Call wait_for_post with its key: .* If .*, wait until 2027-03-01T09:10:00Z, .* Then call create_post again with the same key and input/,
      );
    }
    const sleeping = vi.spyOn(defaultRuntime, 'sleep').mockImplementation(async () => {
      answered.open();
      await first;
      await service.clock.advance({ minutes: 5 });
    });
    onTestFinished(() => {
      sleeping.mockRestore();
    });
    const waits = await Promise.all([agent('wait_for_post', { key: 'k' }), agent('wait_for_post', { key: 'k' })]);
    for (const result of waits) expect(result).toMatchObject({ status: 'ok', data: { final: true, key: 'k' } });
    expect(await first).toMatchObject({ status: 'ok' });
    expect(service.posts).toHaveLength(1);
  });
});

describe('the advice about a post in doubt', () => {
  const until = ({ next = '' }: { readonly next?: string | undefined }) =>
    /Wait until (\S+), because/.exec(next)?.[1] ?? '';

  it.each([
    ['is listed 9 minutes late', 'reset_after_commit'],
    ['was never created', 'reset_before'],
  ] as const)('is followed to the letter, each call twice: a post that %s is published once', async (_, kind) => {
    const { world, agent } = toolWorld({ mode: 'publish', approve: () => true });
    world.service.faults.add({ kind: 'listing_lag', lagMs: 540_000 });
    world.service.faults.add({ kind, route: 'POST /v1/posts/', times: 1 });
    const input = publishTo([world.instagram]);
    const create = async () => [await agent('create_post', input), await agent('create_post', input)] as const;
    for (const result of await create()) {
      expect(result.next).not.toMatch(/ask the user|list_held_posts|resolve_post/);
      expect(until(result)).toBe('2027-03-01T09:10:00Z');
    }
    const held = await agent('list_held_posts');
    expect(held).toMatchObject({ data: { posts: [{ key: 'k', waitUntil: '2027-03-01T09:10:00Z' }] } });
    expect(held.next).toMatch(/until its waitUntil\. Wait until then before the user decides/);
    await world.pass(10);
    const [result] = await create();
    if (result.status === 'held') {
      expect(result.next).toMatch(/Call list_held_posts and ask the user/);
      const [post] = (await agent('list_held_posts')).data?.['posts'] as Record<string, unknown>[];
      expect(post).not.toHaveProperty('waitUntil');
      // The user finds no post.
      await agent('resolve_post', { key: 'k', as: 'not_sent' });
      await agent('resolve_post', { key: 'k', as: 'not_sent' });
      await create();
    }
    expect(world.service.posts).toHaveLength(1);
  });

  it('names the wait after a decision while the request is on its way', async () => {
    const world = await crashed();
    const { next } = await world.agent({ approve: () => true })('resolve_post', { key: 'k', as: 'not_sent' });
    expect(next).toContain('Wait until 2027-03-01T09:10:00Z');
  });

  it('names the wait after an early decision: the post is listed by then, and published once', async () => {
    const { world, agent } = toolWorld({ mode: 'publish', approve: () => true });
    world.service.faults.add({ kind: 'listing_lag', lagMs: 540_000, times: 1 });
    world.service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/posts/', times: 1 });
    const input = publishTo([world.instagram]);
    await agent('create_post', input);
    const early =
      /^If its last send was held, wait until 2027-03-01T09:10:00Z, because .*\. To send it, call create_post/;
    for (const tool of ['resolve_post', 'resolve_post', 'get_post']) {
      const result = await agent(tool, tool === 'get_post' ? { key: 'k' } : { key: 'k', as: 'not_sent' });
      expect(result).toMatchObject({
        status: 'ok',
        data: { state: 'ready' },
        next: expect.stringMatching(early) as string,
      });
    }
    await world.pass(10);
    expect(await agent('get_post', { key: 'k' })).toMatchObject({
      next: 'To send it, call create_post again with the same key and input.',
    });
    for (let call = 0; call < 2; call += 1) expect(await agent('create_post', input)).toMatchObject({ status: 'ok' });
    expect(world.service.posts).toHaveLength(1);
  });
});

describe('resolve_post', () => {
  it('finds a post that is listed by now, in place of sending it again', async () => {
    const { world, agent } = toolWorld({ mode: 'publish', approve: () => true });
    world.service.faults.add({ kind: 'listing_lag', lagMs: 120_000, times: 1 });
    world.service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/posts/', times: 1 });
    const input = publishTo([world.instagram]);
    expect(await agent('create_post', input)).toMatchObject({ status: 'held', data: { state: 'in_doubt' } });
    await world.pass(3);
    const result = await agent('resolve_post', { key: 'k', as: 'not_sent' });
    expect(result).toMatchObject({ status: 'ok', data: { postId: world.service.posts[0]?.postId } });
    expect(result.summary).toContain('found');
    await agent('create_post', input);
    expect(world.service.posts).toHaveLength(1);
  });

  it('decides nothing while the list cannot be read', async () => {
    const world = await inDoubt();
    world.service.faults.add({ kind: 'status', status: 500, route: 'GET /v1/posts/' });
    const result = await world.agent({ approve: () => true })('resolve_post', { key: 'k', as: 'not_sent' });
    expect(result).toMatchObject({
      status: 'held',
      next: expect.stringMatching(/^Wait until .*Then call again\.$/) as string,
    });
    expect(await world.publisher.get('k')).toMatchObject({ state: 'in_doubt' });
  });

  it('decides nothing if the search finds an equal post that was not known before', async () => {
    const world = await inDoubt();
    const body = {
      content: 'Hello',
      publishNow: true,
      platforms: [{ platform: 'instagram', accountId: world.instagram }],
    } as const;
    // As a service that adds a field to the request.
    const { postId } = await world.client.posts.create(body, { extraBody: { timezone: 'UTC' } });
    const agent = world.agent({ approve: () => true });
    const decide = () => agent('resolve_post', { key: 'k', as: 'not_sent' });
    const result = await decide();
    expect(result).toMatchObject({ status: 'held', data: { state: 'in_doubt', lookup: { postIds: [postId] } } });
    expect(result.next).toContain('as published and its ID');
    expect(await decide()).toMatchObject({ status: 'ok', data: { state: 'ready' } });
  });

  it('does not advise a repeat if the store failed: a sweep can have sent the post since', async () => {
    const world = await inDoubt();
    const resolve = () => Promise.reject(new Error('The connection was lost.'));
    const { publisher: own } = world;
    const publisher = {
      publish: own.publish.bind(own),
      resume: own.resume.bind(own),
      resolve,
      retryFailed: own.retryFailed.bind(own),
      cancel: own.cancel.bind(own),
      edit: own.edit.bind(own),
      get: own.get.bind(own),
      list: own.list.bind(own),
    };
    const result = await world.agent({ publisher, approve: () => true })('resolve_post', { key: 'k', as: 'not_sent' });
    expect(result).toMatchObject({
      status: 'failed',
      next: expect.stringContaining('Do not repeat this call') as string,
    });
  });

  it('leaves a post that cannot be changed or cancelled, and says how to give it up', async () => {
    const world = await inDoubt();
    const agent = world.agent({ mode: 'publish', approve: () => true });
    await agent('resolve_post', { key: 'k', as: 'not_sent' });
    for (const call of [agent('cancel_post', { key: 'k' }), agent('edit_post', { key: 'k', content: 'Other' })])
      expect(await call).toMatchObject({
        status: 'failed',
        data: { state: 'ready' },
        next: expect.stringContaining('resolve_post with abandoned') as string,
      });
  });

  it.each(['edit_post', 'cancel_post'])(
    'keeps a change of another call that was made during the question: %s',
    async (name) => {
      const world = new ToolWorld();
      const body = {
        content: 'Hello',
        scheduledFor: new Date(world.time + 86_400_000),
        platforms: [{ platform: 'instagram', accountId: world.instagram }],
      } as const;
      await world.publisher.enqueue('k', body);
      const agent = world.agent({
        approve: async () => {
          await world.publisher.edit('k', { ...body, scheduledFor: new Date(world.time + 2 * 86_400_000) });
          return true;
        },
      });
      const result = await agent(name, { key: 'k', ...(name === 'edit_post' && { content: 'Other' }) });
      expect(result).toMatchObject({ status: 'failed', data: { key: 'k', state: 'ready' } });
      expect(await world.publisher.get('k')).toMatchObject({ body: { content: 'Hello' }, state: 'ready' });
    },
  );

  it('holds an equal post under another key until the first one is sent or abandoned', async () => {
    const world = await inDoubt();
    const agent = world.agent({ mode: 'publish', approve: () => true });
    await agent('resolve_post', { key: 'k', as: 'not_sent' });
    const other = publishTo([world.instagram], 'other');
    expect(await agent('create_post', other)).toMatchObject({ status: 'held', data: { key: 'k' } });
    await world.publisher.sweep();
    expect(world.service.posts).toHaveLength(1);
  });

  it('checks again after the question whether an equal post came into doubt', async () => {
    const world = new ToolWorld();
    const agent = world.agent({
      approve: async () => {
        await inDoubt(world, 'first');
        return true;
      },
    });
    expect(await agent('create_post', publishTo([world.instagram], 'second'))).toMatchObject({
      status: 'held',
      data: { key: 'first' },
    });
    expect(world.service.posts).toEqual([]);
  });

  it('says after the question that a call with the same key sends the post', async () => {
    const world = new ToolWorld();
    const agent = world.agent({
      approve: async () => {
        await crashed(world);
        return true;
      },
    });
    const result = await agent('create_post', publishTo([world.instagram]));
    expect(result).toMatchObject({ status: 'held', data: { key: 'k', state: 'sending' } });
    expect(result.summary).toBe('Another call is sending the post, or ended while it was sending it.');
    expect(world.service.posts).toEqual([]);
  });

  it('decides nothing while its request may be on its way', async () => {
    const world = await crashed();
    const result = await world.agent({ approve: () => true })('resolve_post', { key: 'k', as: 'not_sent' });
    expect(result).toMatchObject({ status: 'held', data: { state: 'sending' } });
  });

  it.each([
    ['needs approval in every mode', { mode: 'publish' }, 'abandoned', 'needs_approval'],
    ['does nothing after a no', { approve: () => false }, 'not_sent', 'rejected'],
  ] as const)('%s', async (_, options, as, status) => {
    const world = await inDoubt();
    expect(await world.agent(options)('resolve_post', { key: 'k', as })).toMatchObject({ status });
    expect(await world.publisher.get('k')).toMatchObject({ state: 'in_doubt' });
  });

  it('records an approved decision once', async () => {
    const world = await inDoubt();
    const approve = vi.fn(() => true);
    const agent = world.agent({ approve });
    const decide = () => agent('resolve_post', { key: 'k', as: 'abandoned' });
    expect(await decide()).toMatchObject({ status: 'ok', data: { state: 'abandoned' } });
    expect(await decide()).toMatchObject({ status: 'ok' });
    expect(approve).toHaveBeenCalledOnce();
  });

  it('makes a post that was not sent ready for the same key', async () => {
    const world = await inDoubt();
    const agent = world.agent({ approve: () => true });
    expect(await agent('resolve_post', { key: 'k', as: 'not_sent' })).toMatchObject({ data: { state: 'ready' } });
    expect(await agent('create_post', publishTo([world.instagram]))).toMatchObject({ status: 'ok' });
    expect(world.service.posts).toHaveLength(1);
  });

  it.each([
    [{ key: 'k', as: 'published' }, 'postId', 'is required with as published'],
    [{ key: 'k', as: 'abandoned', postId: 'p' }, 'postId', 'cannot be combined with as abandoned'],
    [{ key: 'k', as: 'done' }, 'as', 'must be'],
  ])('refuses %o', async (input, name, reason) => {
    const result = await new ToolWorld().agent({ approve: () => true })('resolve_post', input);
    const message: unknown = expect.stringContaining(reason);
    expect(result).toMatchObject({ status: 'invalid', data: { issues: [{ field: name, message }] } });
  });

  it('fails for an unknown key', async () => {
    const result = await new ToolWorld().agent({ approve: () => true })('resolve_post', { key: 'x', as: 'abandoned' });
    expect(result.status).toBe('failed');
  });
});

describe('retry_failed_targets', () => {
  const input = { key: 'k', retryKey: 'k/retry' };

  it('counts as publishing', async () => {
    const world = await partial();
    const writes = world.writes.length;
    expect(await world.agent({ mode: 'schedule' })('retry_failed_targets', input)).toMatchObject({
      status: 'needs_approval',
    });
    expect(world.writes).toHaveLength(writes);
    expect(await world.publisher.get('k/retry')).toBeUndefined();
  });

  it('publishes only the failed targets, once, and asks once', async () => {
    const world = await partial();
    const approve = vi.fn(() => true);
    const agent = world.agent({ approve });
    await agent('retry_failed_targets', input);
    await agent('retry_failed_targets', input);
    expect(approve).toHaveBeenCalledOnce();
    const bodies = world.service.posts.map(({ rawRequestBody }) => rawRequestBody?.['platforms']);
    expect(bodies).toHaveLength(2);
    expect(bodies).toContainEqual([{ platform: 'tiktok', accountId: world.tiktok }]);
  });

  it('refuses a second retryKey, which would publish to the same account again', async () => {
    const world = await partial();
    const agent = world.agent({ mode: 'publish' });
    await agent('retry_failed_targets', input);
    const result = await agent('retry_failed_targets', { key: 'k', retryKey: 'k/other' });
    expect(result).toMatchObject({ status: 'rejected', data: { retryKey: 'k/retry' } });
    expect(result.next).toContain('retryKey k/retry');
    expect(await world.publisher.get('k/other')).toBeUndefined();
    expect(world.service.posts).toHaveLength(2);
  });

  it.each([1, 2, 3, 4, 5])('publishes once for parallel calls with different retryKeys: try %i', async () => {
    const world = await partial();
    // Two programs with the same store.
    const other = new ToolWorld({ store: world.store, client: { fetch: world.service.fetch } });
    const agents = [world.agent({ mode: 'publish' }), other.agent({ mode: 'publish' })];
    const retries = ['r1', 'r2'].flatMap((name) =>
      agents.map((agent, index) => agent('retry_failed_targets', { key: 'k', retryKey: `${name}/${String(index)}` })),
    );
    const results = await Promise.all(retries);
    expect(world.service.posts).toHaveLength(2);
    const [winner, ...others] = results.filter((result) => result.status !== 'rejected');
    expect(others).toEqual([]);
    for (const result of results)
      if (result !== winner) expect(result.data).toEqual({ retryKey: winner?.data?.['key'] });
  });

  it('publishes once for parallel calls without a store', async () => {
    const world = await partial();
    const agent = world.agent({ mode: 'publish', store: undefined });
    const call = (retryKey: string) => agent('retry_failed_targets', { key: 'k', retryKey });
    await Promise.all([call('r1'), call('r2'), call('r3')]);
    expect(world.service.posts).toHaveLength(2);
  });

  it('continues under the key of a call that ended after its claim', async () => {
    const world = await partial();
    vi.spyOn(world.publisher, 'retryFailed').mockRejectedValueOnce(new Error('the process ended'));
    const agent = world.agent({ mode: 'publish' });
    expect(await agent('retry_failed_targets', input)).toMatchObject({ status: 'failed' });
    const other = await world.agent({ mode: 'publish' })('retry_failed_targets', { key: 'k', retryKey: 'k/other' });
    expect(other).toMatchObject({ status: 'rejected', data: { retryKey: 'k/retry' } });
    expect(await agent('retry_failed_targets', input)).toMatchObject({ data: { key: 'k/retry', replayed: false } });
    expect(world.service.posts).toHaveLength(2);
  });

  it('is not held by a claim of an earlier post of the same key', async () => {
    const world = await partial();
    await world.agent({ mode: 'publish' })('retry_failed_targets', input);
    await world.pass(5);
    await world.publisher.sweep();
    await world.publisher.prune({ olderThan: new Date(world.time + 60_000) });
    await world.pass(3 * 24 * 60); // Until an equal post is another one.
    await partial(world);
    const result = await world.agent({ mode: 'publish' })('retry_failed_targets', { key: 'k', retryKey: 'k/other' });
    expect(result).toMatchObject({ data: { key: 'k/other', replayed: false } });
  });

  it('publishes the failed targets of a retry under a further key', async () => {
    const world = await partial();
    const agent = world.agent({ mode: 'publish' });
    world.service.publishing.outcome({ platform: 'tiktok', error: 'media rejected again' });
    await agent('retry_failed_targets', input);
    await world.pass(5);
    const result = await agent('retry_failed_targets', { key: 'k/retry', retryKey: 'k/retry-2' });
    expect(result).toMatchObject({ data: { key: 'k/retry-2', replayed: false } });
    expect(world.service.posts).toHaveLength(3);
  });

  it('takes another retryKey after a retry that the service refused', async () => {
    const world = await partial();
    const agent = world.agent({ mode: 'publish' });
    world.service.faults.add({ kind: 'status', status: 422, route: 'POST /v1/posts/', times: 1 });
    expect(await agent('retry_failed_targets', input)).toMatchObject({ status: 'rejected' });
    expect(await agent('retry_failed_targets', { key: 'k', retryKey: 'k/other' })).toMatchObject({
      data: { key: 'k/other', replayed: false },
    });
    expect(world.service.posts).toHaveLength(2);
  });

  it('does nothing if nothing failed', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    await agent('create_post', publishTo([world.instagram]));
    await world.pass(5);
    expect(await agent('retry_failed_targets', input)).toMatchObject({ status: 'ok' });
    expect(world.service.posts).toHaveLength(1);
  });

  it('fails for an unknown key and for a post that is not final', async () => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    expect(await agent('retry_failed_targets', input)).toMatchObject({ status: 'failed' });
    await agent('create_post', { key: 'k', content: 'Draft' });
    const result = await agent('retry_failed_targets', input);
    expect(result).toMatchObject({ status: 'failed' });
    expect(result.next).toContain('wait_for_post');
    await inDoubt(world, 'doubt');
    const doubt = { key: 'doubt', retryKey: 'r' };
    expect(await agent('retry_failed_targets', doubt)).toMatchObject({ status: 'held' });
  });
});

describe('results', () => {
  it('never contain the access key', async () => {
    const world = await inDoubt();
    expect(JSON.stringify(await world.agent()('list_held_posts'))).not.toContain(accessKey);
  });
});
