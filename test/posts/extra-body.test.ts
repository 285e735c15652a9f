/** A create whose mode, time or targets are in `extraBody`: the rules read the body and `extraBody` together. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InvalidRequestError, SocialPublishing, type CreatePostBody } from '../../src/index.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';
import { createTools } from '../../src/tools/index.js';
import { everydayWorld, type EverydayWorld } from '../resources/everyday-world.js';

type Extra = Readonly<Record<string, unknown>>;

describe.each(['create', 'request'])('the time limit of a post by the method %s', (method) => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['publishNow in the body', { publishNow: true }, {}, 300_000],
    ['publishNow in extraBody', {}, { publishNow: true }, 300_000],
    [
      'publishNow in the body that extraBody replaces',
      { publishNow: true },
      { publishNow: false, saveAsDraft: true },
      30_000,
    ],
    ['a draft', { saveAsDraft: true }, {}, 30_000],
  ])('%s', async (_, mode: Extra, extraBody: Extra, timeoutMs) => {
    let answers = true;
    const client = new SocialPublishing({
      baseUrl: 'https://service.test',
      accessKey: 'key',
      fetch: (_url, { signal }) =>
        new Promise<Response>((resolve, reject) => {
          if (answers) resolve(Response.json({ success: true, postId: 'p' }));
          signal.addEventListener('abort', () => {
            reject(new DOMException('aborted', 'AbortError'));
          });
        }),
    });
    // The first call loads ky, before the timers stop.
    await client.posts.create({ saveAsDraft: true });
    answers = false;
    // A monotonic clock that jumped back would hold the call back.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const platforms = [{ platform: 'bluesky', accountId: 'int_1' }] as const;
    // The compiler cannot see the mode in extraBody.
    const body = { content: 'a', platforms, ...mode } as unknown as CreatePostBody;
    const call =
      method === 'create'
        ? client.posts.create(body, { extraBody })
        : client.request('POST /v1/posts/', { body }, { extraBody });
    const rejected = call.catch((error: unknown) => error);
    // A call does more than wait for timers before it sets its own.
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(await rejected).toMatchObject({ name: 'TimeoutError', timeoutMs });
  });
});

describe('rules about mode and targets', () => {
  let world: EverydayWorld;
  beforeEach(() => {
    world = everydayWorld();
  });
  const target = { platform: 'instagram', accountId: 'int_1' };

  it.each([
    ['publishNow without platforms', {}, { publishNow: true }, 'platforms must have at least one'],
    [
      'scheduledFor without platforms',
      {},
      { scheduledFor: '2027-01-01T00:00:00Z' },
      'platforms must have at least one',
    ],
    [
      'no targets, in place of targets',
      { publishNow: true, platforms: [target] },
      { platforms: [] },
      'platforms must have',
    ],
    ['a second mode', { saveAsDraft: true }, { publishNow: true }, 'publishNow cannot be combined with saveAsDraft'],
    [
      'a mode that extraBody removes',
      { publishNow: true, platforms: [target] },
      { publishNow: false },
      'scheduledFor is required',
    ],
  ])('%s: client, createMany and publisher refuse it', async (_, fields, extraBody: Extra, message) => {
    const body = { content: 'Hello', ...fields } as CreatePostBody;
    const messageOf = (error: unknown) =>
      error instanceof InvalidRequestError ? error.issues.map((issue) => issue.message).join('\n') : error;
    const refused = [messageOf(await world.client.posts.create(body, { extraBody }).catch((error: unknown) => error))];
    for await (const { error } of world.client.posts.createMany([{ body, extraBody }])) refused.push(messageOf(error));
    const publisher = createPublisher({ client: world.client, store: new MemoryDurableStore() });
    refused.push(messageOf(await publisher.publish('k', body, { extraBody }).catch((error: unknown) => error)));
    for (const text of refused) expect(text).toContain(message);
    expect(world.service.requests).toEqual([]);
  });

  it.each([
    ['publishNow', { platforms: [target] }, { publishNow: true }],
    ['publishNow and targets', {}, { publishNow: true, platforms: [target] }],
    ['targets', { publishNow: true }, { platforms: [target] }],
    ['a draft', {}, { saveAsDraft: true }],
    ['a draft in place of publishNow', { publishNow: true }, { publishNow: false, saveAsDraft: true }],
    ['a null beside the mode', {}, { saveAsDraft: true, scheduledFor: null }],
  ])('%s in extraBody is sent', async (_, fields, extraBody: Extra) => {
    const bodies: unknown[] = [];
    const client = new SocialPublishing({
      baseUrl: 'https://service.test',
      accessKey: 'key',
      fetch: (_url, init) => {
        bodies.push(JSON.parse(init.body as string));
        return Promise.resolve(Response.json({ success: true, postId: 'p' }));
      },
    });
    const body = { content: 'Hello', ...fields } as CreatePostBody;
    await client.posts.create(body, { extraBody });
    expect(bodies).toEqual([{ ...body, ...extraBody }]);
  });
});

it('a draft in extraBody is a draft for the publisher and the tools', async () => {
  const { client } = everydayWorld();
  const publisher = createPublisher({ client, store: new MemoryDurableStore() });
  // The compiler cannot see the mode in extraBody.
  const body = { content: 'Hello' } as CreatePostBody;
  await publisher.publish('k', body, { extraBody: { saveAsDraft: true } });
  const tools = createTools({ client, publisher });
  const wait = tools.find(({ name }) => name === 'wait_for_post');
  expect(await wait?.execute({ key: 'k', seconds: 0 })).toMatchObject({
    summary: 'The post is a draft. Nothing publishes it.',
    data: { status: 'draft' },
  });
});

it('reconcile finds the post of a create that extraBody published', async () => {
  const { client, service } = everydayWorld();
  const accountId = service.seed.integration({ platform: 'instagram' }).id;
  service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit', times: 1 });
  const body = { content: 'Hello', platforms: [{ platform: 'instagram', accountId }] } as unknown as CreatePostBody;
  const extraBody = { publishNow: true };
  const sentAt = new Date(service.clock.now());
  const error: unknown = await client.posts.create(body, { extraBody }).catch((reason: unknown) => reason);
  const postId = service.posts[0]?.postId;
  expect(await client.posts.reconcile(error)).toMatchObject({ status: 'created', post: { postId } });
  expect(await client.posts.reconcile({ body, extraBody, sentAt })).toMatchObject({ post: { postId } });
});
