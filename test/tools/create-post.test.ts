import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/core/errors.js';
import { MemoryDurableStore } from '../../src/publisher/index.js';
import { ToolWorld, inMinutes, toolWorld } from './world.js';

const draft = { key: 'sale', content: 'Hello' };

describe('an equal post under a new key', () => {
  it('is held while the first one is in doubt, without a question, in every mode', async () => {
    const { world, agent } = toolWorld({ mode: 'publish', approve: () => expect.unreachable() });
    const post = { content: 'Hello', mode: 'publish', accountIds: [world.instagram] };
    world.service.faults.add({ kind: 'reset_before', route: 'POST /v1/posts/', times: 1 });
    await agent('create_post', { key: 'first', ...post });
    const requests = world.writes.length;
    expect(await agent('create_post', { key: 'second', ...post })).toMatchObject({
      status: 'held',
      data: { key: 'first', state: 'in_doubt' },
      next: expect.stringContaining('Call create_post with the key of that post') as string,
    });
    expect(await world.publisher.get('second')).toBeUndefined();
    const moreWhiteSpace = { ...post, content: ' Hello\n' };
    expect(await agent('create_post', { key: 'third', ...moreWhiteSpace })).toMatchObject({ status: 'held' });
    expect(world.writes).toHaveLength(requests);
    const another = { ...post, content: 'Hello again' };
    expect(await agent('create_post', { key: 'fourth', ...another })).toMatchObject({ status: 'ok' });
    await world.publisher.resolve('first', { as: 'abandoned' });
    expect(await agent('create_post', { key: 'second', ...post })).toMatchObject({ status: 'ok' });
  });
});

describe('a new key after a failure of one target', () => {
  const post = (world: ToolWorld) => ({
    content: 'Offer',
    mode: 'publish',
    accountIds: [world.instagram, world.tiktok],
  });

  /** A post that is published on Instagram, and failed on TikTok. */
  async function partial(publish: (world: ToolWorld) => Promise<unknown>, world = new ToolWorld()) {
    world.service.publishing.outcome({ platform: 'tiktok', error: 'The video is too short.' });
    await publish(world);
    await world.pass(5);
    world.service.publishing.outcome({ platform: 'tiktok' });
    const agent = world.agent({ mode: 'publish', approve: () => expect.unreachable() });
    return { world, agent, posts: () => world.service.posts.length };
  }
  const byAgent = (world: ToolWorld) => world.agent({ mode: 'publish' })('create_post', { key: 'k', ...post(world) });

  it('is held in every mode, and the retry of the failed target leads out', async () => {
    const { world, agent, posts } = await partial(byAgent);
    const moreWhiteSpace = { ...post(world), content: ' Offer\n' };
    for (const [key, again] of Object.entries({ second: post(world), third: moreWhiteSpace })) {
      expect(await agent('create_post', { key, ...again })).toMatchObject({
        status: 'held',
        summary: `An equal post is already published to acme (instagram, ${world.instagram}). Nothing was sent.`,
        data: { key: 'k', status: 'partial' },
        next: expect.stringContaining('call retry_failed_targets with key k.') as string,
      });
    }
    expect(posts()).toBe(1);
    expect(await agent('retry_failed_targets', { key: 'k', retryKey: 'k/retry-1' })).toMatchObject({ status: 'ok' });
    expect(posts()).toBe(2);
  });

  it('is no alarm for another text, other accounts, the failed one, a draft, or three days later', async () => {
    const { world, agent, posts } = await partial(byAgent);
    const others = [
      { ...post(world), content: 'Another offer' },
      { ...post(world), accountIds: [world.facebook] },
      { ...post(world), accountIds: [world.tiktok] },
      { ...post(world), mode: 'draft' },
      { ...post(world), mode: 'schedule', scheduledFor: inMinutes(3 * 24 * 60) },
    ];
    for (const [index, other] of others.entries())
      expect(await agent('create_post', { key: `other-${String(index)}`, ...other })).toMatchObject({ status: 'ok' });
    expect(posts()).toBe(1 + others.length);
  });

  it('is held for a scheduled post that was created long before', async () => {
    const { world, agent } = await partial(async (world) => {
      const time = { mode: 'schedule', scheduledFor: inMinutes(10 * 24 * 60) };
      await world.agent({ mode: 'publish' })('create_post', { key: 'k', ...post(world), ...time });
      await world.pass(10 * 24 * 60);
    });
    expect(await agent('create_post', { key: 'second', ...post(world) })).toMatchObject({ status: 'held' });
  });

  it('names the accounts that are left if no key has the post, and the key of the failed call', async () => {
    const { world, agent } = await partial((world) =>
      world.client.posts.create({
        content: 'Offer',
        publishNow: true,
        platforms: [
          { platform: 'instagram', accountId: world.instagram },
          { platform: 'tiktok', accountId: world.tiktok },
        ],
      }),
    );
    expect(await agent('create_post', { key: 'k', ...post(world) })).toMatchObject({
      status: 'held',
      next: expect.stringContaining(`call create_post with only these accountIds: ${world.tiktok}.`) as string,
    });
  });

  it('shows nothing of a post that has hidden accounts', async () => {
    const { world } = await partial(byAgent);
    const agent = world.agent({ mode: 'publish', accounts: [world.instagram] });
    const held = await agent('create_post', { key: 'mine', ...post(world), accountIds: [world.instagram] });
    expect(held).toMatchObject({ status: 'held', next: expect.stringContaining('ask for another text') as string });
    expect(JSON.stringify(held)).not.toContain(world.tiktok);
  });

  it('is sent if the list cannot be read', async () => {
    const { world, agent } = await partial(byAgent);
    world.service.faults.add({ kind: 'status', status: 403, route: 'GET /v1/posts/' });
    expect(await agent('create_post', { key: 'second', ...post(world) })).toMatchObject({ status: 'ok' });
  });
});

it('create_post works beside an intent of a newer version', async () => {
  const world = new ToolWorld();
  await world.store.insert('intent/newer', '{"format":99,"state":"in_doubt"}', Date.now());
  expect(await world.agent()('create_post', draft)).toMatchObject({ status: 'ok' });
});

describe('create_post', () => {
  it('saves a draft by default, without a question', async () => {
    const world = new ToolWorld();
    const approve = vi.fn(() => true);
    const result = await world.agent({ approve })('create_post', draft);
    expect(result).toMatchObject({ status: 'ok', data: { key: 'sale', state: 'accepted', replayed: false } });
    expect(world.service.posts).toMatchObject([{ status: 'draft', content: 'Hello' }]);
    expect(approve).not.toHaveBeenCalled();
  });

  it('returns the same post for the same key', async () => {
    const { world, agent } = toolWorld();
    const first = await agent('create_post', draft);
    const second = await agent('create_post', draft);
    expect(second).toMatchObject({ status: 'ok', data: { replayed: true, postId: first.data?.['postId'] } });
    expect(world.service.posts).toHaveLength(1);
  });

  it('says that a call can be repeated if the store fails after the send', async () => {
    const world = new ToolWorld();
    const { store } = world;
    const insert = store.insert.bind(store);
    const closed = new ConfigurationError('This SqliteStore was closed. Create another one.');
    store.insert = (key, ...item) => (key.startsWith('post/') ? Promise.reject(closed) : insert(key, ...item));
    const failed = await world.agent()('create_post', draft);
    expect(failed).toMatchObject({ status: 'failed', next: 'Call again with the same input.' });
    expect(failed.summary).toContain('The post may have been sent.');
    store.insert = insert;
    expect(await world.agent()('create_post', draft)).toMatchObject({ status: 'held' });
    await world.pass(2);
    await world.agent()('create_post', draft);
    expect(world.service.posts).toHaveLength(1);
  });

  it('rejects the same key with another content', async () => {
    const { world, agent } = toolWorld();
    await agent('create_post', draft);
    const approve = vi.fn(() => true);
    const other = { ...draft, content: 'Other', mode: 'publish', accountIds: [world.instagram] };
    expect(await agent('create_post', other, { approve })).toMatchObject({ status: 'rejected' });
    expect(approve).not.toHaveBeenCalled();
    expect(world.service.posts).toHaveLength(1);
  });

  it.each<[string, RegExp, (world: ToolWorld) => unknown]>([
    ['a draft', /stays as it is.*choose one new key/, () => undefined],
    ['a cancelled post', /new key only if the user asks for a new post/, ({ publisher }) => publisher.cancel('sale')],
    ['a post that was not sent', /call edit_post with this key/, () => undefined],
    ['a refused post', /choose one new key, and repeat only with that key/, () => undefined],
    ['a scheduled post', /call edit_post with postId post_1/, () => undefined],
    ['a published post', /pass the content that the key has/, (world) => world.pass(5)],
    ['a hidden post', /pass the content that the key has/, () => undefined],
  ])('says what to do with another content for the key of %s', async (state, next, prepare) => {
    const { world, agent } = toolWorld({ mode: 'publish' });
    const { service, instagram, facebook } = world;
    const time = { mode: 'schedule', scheduledFor: inMinutes(60), accountIds: [instagram] };
    const status = { 'a post that was not sent': 429, 'a cancelled post': 429, 'a refused post': 422 }[state];
    if (status !== undefined) service.faults.add({ kind: 'status', status, route: 'POST /v1/posts/', times: 1 });
    await agent('create_post', {
      ...draft,
      ...(state !== 'a draft' && time),
      ...(state === 'a published post' && { mode: 'publish', scheduledFor: null }),
      ...(state === 'a hidden post' && { accountIds: [facebook] }),
    });
    await prepare(world);
    if (state === 'a published post') await agent('retry_failed_targets', { key: 'sale', retryKey: 'r' });
    const seeing = world.agent({ mode: 'publish', accounts: [instagram] });
    const refused = await seeing('create_post', { ...draft, content: 'Other', mode: 'draft' });
    expect(refused).toMatchObject({ status: 'rejected', next: expect.stringMatching(next) as string });
    expect(refused.summary).toBe(
      state === 'a cancelled post'
        ? 'The post of this key is cancelled. Nothing was sent.'
        : 'This key already has another content. Nothing was sent.',
    );
  });

  it('takes the same time in another notation, and in another time zone, as the same content', async () => {
    const world = new ToolWorld();
    const post = { key: 'sale', content: 'Hello', mode: 'schedule', accountIds: [world.instagram] };
    const berlin = world.agent({ mode: 'schedule', timeZone: 'Europe/Berlin' });
    const utc = world.agent({ mode: 'schedule' });
    expect(await berlin('create_post', { ...post, scheduledFor: '2027-03-26T09:00' })).toMatchObject({ status: 'ok' });
    const again = await utc('create_post', { ...post, scheduledFor: '2027-03-26T08:00:00Z' });
    expect(again).toMatchObject({ status: 'ok', data: { replayed: true } });
    expect(world.service.posts).toHaveLength(1);
  });

  it('sends accounts with their platforms, and shows times in the time zone', async () => {
    const world = new ToolWorld();
    const accountIds = [world.instagram, world.tiktok];
    const input = { ...draft, mode: 'schedule', accountIds, scheduledFor: '2027-03-26T09:00' };
    const result = await world.agent({ mode: 'schedule', timeZone: 'Europe/Berlin' })('create_post', input);
    expect(result.data).toMatchObject({ scheduledFor: '2027-03-26T09:00:00+01:00' });
    const [post] = world.service.posts;
    expect(Date.parse(post?.scheduledFor ?? '')).toBe(Date.parse('2027-03-26T08:00:00Z'));
    expect(post?.platforms?.map(({ platform }) => platform)).toEqual(['instagram', 'tiktok']);
  });

  it.each([
    [{ content: 'Hello' }, 'key'],
    [{ key: 'k' }, 'content'],
    [{ key: '', content: 'Hello' }, 'key'],
    [{ key: 'k', content: 5 }, 'content'],
    [{ key: 'k', content: 'Hello', mode: 'now' }, 'mode'],
    [{ key: 'k', content: 'Hello', mode: 'publish' }, 'accountIds'],
    [{ key: 'k', content: 'Hello', mode: 'schedule', accountIds: ['integration_1'] }, 'scheduledFor'],
    [{ key: 'k', content: 'Hello', scheduledFor: inMinutes(60) }, 'scheduledFor'],
    [
      { key: 'k', content: 'Hello', mode: 'publish', accountIds: ['integration_1'], scheduledFor: inMinutes(60) },
      'scheduledFor',
    ],
    [{ key: 'k', content: 'Hello', mode: 'publish', accountIds: ['integration_1', 'integration_1'] }, 'accountIds'],
    [
      { key: 'k', content: 'Hello', mode: 'schedule', accountIds: ['integration_1'], scheduledFor: 'tomorrow' },
      'scheduledFor',
    ],
  ])('names the wrong field of %o and sends nothing', async (input, name) => {
    const world = new ToolWorld();
    const result = await world.agent({ mode: 'publish' })('create_post', input);
    expect(result.status).toBe('invalid');
    expect(result.summary).toContain(name);
    expect(JSON.stringify(result.data)).toContain(`"field":"${name}"`);
    expect(world.writes).toEqual([]);
  });

  it('names an unknown field of any length, in short', async () => {
    const result = await new ToolWorld().agent()('create_post', { ...draft, ['x'.repeat(20_000)]: 1 });
    expect(result.status).toBe('invalid');
    const { issues } = result.data as { issues: { field: string }[] };
    expect(issues).toHaveLength(1);
    expect(JSON.stringify(result)).toMatch(/xxxx…/);
    expect(JSON.stringify(result).length).toBeLessThan(2_000);
  });

  it.each([
    ['create_post', 'content', { key: 'k', mode: 'publish' }],
    ['preview_post', 'content', { mode: 'publish' }],
    ['send_message', 'text', { key: 'k', recipientId: 'r' }],
  ])('%s refuses half of a character without a question', async (name, field, others) => {
    const { world, agent } = toolWorld({ approve: () => expect.unreachable() });
    const account = name === 'send_message' ? { accountId: world.instagram } : { accountIds: [world.instagram] };
    expect(await agent(name, { ...others, ...account, [field]: 'Hello \ud83d' })).toMatchObject({
      status: 'invalid',
      data: { issues: [{ field }] },
    });
  });

  it('names the field of an account that does not exist', async () => {
    const world = new ToolWorld();
    const input = { ...draft, mode: 'publish', accountIds: ['nobody'] };
    const result = await world.agent({ mode: 'publish' })('create_post', input);
    expect(result).toMatchObject({
      status: 'invalid',
      data: { issues: [{ field: 'accountIds' }] },
      next: 'Call list_accounts.',
    });
    expect(result.summary).toContain('nobody');
    expect(world.writes).toEqual([]);
  });

  it.each(['\0', '\uD800', 'x'.repeat(600)])(
    'names the field of the account ID %j, and not an argument',
    async (id) => {
      const agent = new ToolWorld().agent({ mode: 'publish' });
      const results = [
        await agent('create_post', { ...draft, mode: 'publish', accountIds: [id] }),
        await agent('list_comments', { accountId: id, postId: 'p' }),
      ];
      expect(results).toMatchObject([
        { status: 'invalid', data: { issues: [{ field: expect.stringMatching(/^accountIds(?:\.0)?$/) as string }] } },
        { status: 'invalid', data: { issues: [{ field: 'accountId' }] } },
      ]);
      for (const { summary } of results) expect(summary).toMatch(/^accountIds?(?:\.0)? must/);
    },
  );

  it.each([
    ['2027-03-28T02:30', '2027-03-28T01:30:00+01:00', '2027-03-28T03:30:00+02:00', 'does not exist'],
    ['2027-10-31T02:30', '2027-10-31T02:30:00+02:00', '2027-10-31T02:30:00+01:00', 'occurs twice'],
  ])('refuses %s, where clocks change, with both neighbours', async (scheduledFor, earlier, later, what) => {
    const { world, agent } = toolWorld({ mode: 'schedule', timeZone: 'Europe/Berlin' });
    const post = { ...draft, mode: 'schedule', accountIds: [world.instagram] };
    const result = await agent('create_post', { ...post, scheduledFor });
    expect(result).toMatchObject({ status: 'invalid', data: { field: 'scheduledFor', earlier, later } });
    expect(result.summary).toContain(what);
    expect(result.next).toContain(earlier);
    expect(result.next).toContain(later);
    expect(world.writes).toEqual([]);
    expect(await agent('create_post', { ...post, scheduledFor: later })).toMatchObject({ status: 'ok' });
  });
});

describe('approval', () => {
  const publish = (world: ToolWorld) => ({ ...draft, mode: 'publish', accountIds: [world.instagram] });
  const schedule = (world: ToolWorld, minutes: number) => ({
    ...draft,
    mode: 'schedule',
    accountIds: [world.instagram],
    scheduledFor: inMinutes(minutes),
  });

  it('is missing if nobody can be asked, and nothing is sent or stored', async () => {
    const world = new ToolWorld();
    const result = await world.agent()('create_post', publish(world));
    expect(result.status).toBe('needs_approval');
    expect(world.writes).toEqual([]);
    expect(await world.publisher.get('sale')).toBeUndefined();
  });

  it('shows the tool, the input and what it would do', async () => {
    const world = new ToolWorld();
    const approve = vi.fn(() => true);
    const input = publish(world);
    await world.agent({ approve })('create_post', input);
    expect(approve).toHaveBeenCalledExactlyOnceWith({
      tool: 'create_post',
      title: 'Create a post',
      input,
      summary: `Publish a post now to acme (instagram, ${world.instagram}): "Hello".`,
    });
  });

  it('shows the start of the text, without control characters', async () => {
    const world = new ToolWorld();
    const approve = vi.fn(() => false);
    const content = `One\n\u001B[2JTwo \u202Eevil ${'x'.repeat(400)}`;
    await world.agent({ approve })('create_post', { ...publish(world), content });
    const [[request]] = approve.mock.calls as unknown as [[{ summary: string }]];
    expect(request.summary).toMatch(
      /^Publish a post now to acme \(instagram, \S+\): "One \[2JTwo evil x{270,290}…"\.$/,
    );
  });

  it.each([false, undefined, 1, 'true', 'yes', {}])(
    'takes %o as a no: nothing is stored, the key stays free',
    async (answer) => {
      const world = new ToolWorld();
      const agent = world.agent({ approve: () => answer as boolean });
      expect(await agent('create_post', publish(world))).toMatchObject({ status: 'rejected' });
      expect(world.writes).toEqual([]);
      expect(await world.publisher.get('sale')).toBeUndefined();
      expect(await agent('create_post', draft)).toMatchObject({ status: 'ok', data: { replayed: false } });
    },
  );

  it('fails if the question fails, and sends nothing', async () => {
    const world = new ToolWorld();
    const approve = () => Promise.reject(new Error('the dialog crashed with secret 42'));
    const result = await world.agent({ approve })('create_post', publish(world));
    expect(result.status).toBe('failed');
    expect(JSON.stringify(result)).not.toContain('42');
    expect(world.writes).toEqual([]);
  });

  it('of execute replaces the option for that call', async () => {
    const world = new ToolWorld();
    const agent = world.agent({ approve: () => false });
    expect(await agent('create_post', publish(world), { approve: () => true })).toMatchObject({ status: 'ok' });
  });

  it('is not asked for again when an approved call is repeated', async () => {
    const world = new ToolWorld();
    const approve = vi.fn(() => true);
    const agent = world.agent({ approve });
    await agent('create_post', publish(world));
    expect(await agent('create_post', publish(world))).toMatchObject({ data: { replayed: true } });
    expect(approve).toHaveBeenCalledOnce();
  });

  it('is not asked for again when an approved call was not sent', async () => {
    const world = new ToolWorld();
    world.service.faults.add({ kind: 'status', status: 429, route: 'POST /v1/posts/', times: 1 });
    const approve = vi.fn(() => true);
    const agent = world.agent({ approve });
    const first = await agent('create_post', publish(world));
    expect(first).toMatchObject({ status: 'failed', data: { state: 'ready' } });
    expect(first.next).toContain('call again with the same key');
    await world.pass(2);
    expect(await agent('create_post', publish(world))).toMatchObject({ status: 'ok' });
    expect(approve).toHaveBeenCalledOnce();
  });

  it.each([
    [4, 'needs_approval'],
    [4.99, 'needs_approval'],
    [-5, 'needs_approval'],
    [5, 'ok'],
    [60, 'ok'],
  ])('with mode schedule: a time %d minutes ahead is %s', async (minutes, status) => {
    const world = new ToolWorld();
    const result = await world.agent({ mode: 'schedule' })('create_post', schedule(world, minutes));
    expect(result.status).toBe(status);
    expect(world.writes).toHaveLength(status === 'ok' ? 1 : 0);
  });

  it('with mode draft: a scheduled post needs it', async () => {
    const world = new ToolWorld();
    expect(await world.agent()('create_post', schedule(world, 60))).toMatchObject({ status: 'needs_approval' });
  });

  it('with mode publish: nothing needs it', async () => {
    const world = new ToolWorld();
    expect(await world.agent({ mode: 'publish' })('create_post', publish(world))).toMatchObject({ status: 'ok' });
  });

  it.each(['enqueued', 'not sent'])('is needed for a post that another program left ready: %s', async (how) => {
    const world = new ToolWorld();
    const { mode: _mode, key, content, accountIds } = publish(world);
    const body = {
      content,
      publishNow: true as const,
      platforms: accountIds.map((accountId) => ({ platform: 'instagram', accountId })),
    };
    world.service.faults.add({ kind: 'status', status: 429, route: 'POST /v1/posts/', times: 1 });
    await (how === 'enqueued' ? world.publisher.enqueue(key, body) : world.publisher.publish(key, body));
    expect(await world.publisher.get(key)).toMatchObject({ state: 'ready' });
    await world.pass(2);
    const agent = world.agent();
    expect((await agent('get_post', { key })).next).toContain('call create_post again with the same key and input');
    expect(await agent('preview_post', publish(world))).toMatchObject({ data: { needsApproval: true } });
    expect(await agent('create_post', publish(world))).toMatchObject({ status: 'needs_approval' });
    expect(world.service.posts).toEqual([]);
  });

  it('is needed when a scheduled post that was not sent has come near', async () => {
    const { world, agent } = toolWorld({ mode: 'schedule' });
    world.service.faults.add({ kind: 'status', status: 429, route: 'POST /v1/posts/', times: 1 });
    expect(await agent('create_post', schedule(world, 10))).toMatchObject({ data: { state: 'ready' } });
    await world.pass(6);
    expect(await agent('create_post', schedule(world, 10))).toMatchObject({ status: 'needs_approval' });
    expect(world.service.posts).toEqual([]);
  });
});

describe('abort', () => {
  it('rejects at once with the reason', async () => {
    const world = new ToolWorld();
    const reason = new Error('the user left');
    const call = world.agent()('create_post', draft, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
    expect(world.writes).toEqual([]);
  });

  it('rejects while the user is asked, and sends nothing', async () => {
    const world = new ToolWorld();
    const leaving = new AbortController();
    const approve = () => {
      setTimeout(() => {
        leaving.abort('left');
      });
      return new Promise<boolean>(() => undefined);
    };
    const input = { ...draft, mode: 'publish', accountIds: [world.instagram] };
    await expect(world.agent({ approve })('create_post', input, { signal: leaving.signal })).rejects.toBe('left');
    expect(world.writes).toEqual([]);
  });

  it('rejects while a post is sent; the same call again returns its post', async () => {
    const leaving = new AbortController();
    const { world, agent } = toolWorld();
    const sent = agent('create_post', draft, { signal: leaving.signal });
    leaving.abort('left');
    await expect(sent).rejects.toBe('left');
    await expect.poll(async () => (await agent('create_post', draft)).status).toBe('ok');
    expect(world.service.posts).toHaveLength(1);
  });
});

describe('a create whose reply is lost', () => {
  it('is found, and is not sent again', async () => {
    const { world, agent } = toolWorld();
    world.service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/posts/', times: 1 });
    const results = [await agent('create_post', draft), await agent('create_post', draft)];
    expect(results.at(-1)?.status).toMatch(/ok|held/);
    expect(world.service.posts).toHaveLength(1);
  });
});

it('names the service of a key that belongs to another one, and no new key as the way out', async () => {
  const store = new MemoryDurableStore();
  const draft = { key: 'k', content: 'Hello' };
  await new ToolWorld({ store }).agent()('create_post', draft);
  const other = new ToolWorld({ store, client: { baseUrl: 'https://other.test' } });
  const result = await other.agent()('create_post', draft);
  expect(result).toMatchObject({
    status: 'rejected',
    summary: 'This key belongs to the service https://emulator.test. Nothing was sent.',
    next: expect.stringContaining('A new key would publish the post at this service too.') as string,
  });
  expect(other.writes).toEqual([]);
});
