/** An app that loads the package twice: as ES modules and as CommonJS, or in two versions. */
import { describe, expect, it, vi } from 'vitest';
import type { ClientOptions } from '../../src/index.js';
import { rejection } from '../policies/client.js';

const start = Date.parse('2027-03-01T09:00:00Z');
const hour = 3_600_000;
const create = 'POST /v1/posts/';

async function loadCopy() {
  vi.resetModules();
  return {
    ...(await import('../../src/index.js')),
    ...(await import('../../src/publisher/index.js')),
    ...(await import('../../src/tools/index.js')),
    ...(await import('../../src/emulator/index.js')),
  };
}

const [one, two] = [await loadCopy(), await loadCopy()];

/** A client of the first copy, and a publisher of the second one that uses it. */
function world({ ahead = 0, ...options }: ClientOptions & { ahead?: number } = {}) {
  let time = start;
  const service = one.createEmulator({ accessKey: 'test-key', now: () => time + ahead });
  const { id } = service.seed.integration({ platform: 'bluesky' });
  const now = () => time;
  const client = new one.SocialPublishing({
    baseUrl: 'https://emulator.test',
    accessKey: 'test-key',
    fetch: service.fetch,
    maxRetries: 0,
    now,
    ...options,
  });
  const store = new two.MemoryDurableStore();
  const publisher = two.createPublisher({ client, store, now });
  const body = {
    content: 'Hello',
    platforms: [{ platform: 'bluesky', accountId: id }] as const,
    scheduledFor: '2027-05-01T09:00:00Z',
  };
  const pass = async (ms: number) => {
    time += ms;
    await service.clock.advance({ milliseconds: ms });
  };
  return { service, client, store, publisher, body, pass };
}

const refuse = (status: number) => ({ route: create, kind: 'status', status, times: 1 }) as const;
const loseReply = { route: create, kind: 'reset_after_commit', times: 1 } as const;

describe('an error of another copy of the package', () => {
  it('is not an instance of the classes of this copy', async () => {
    const { service, client, body } = world();
    service.faults.add(refuse(400));
    const error = await rejection(client.posts.create(body));
    expect(error).toBeInstanceOf(one.ApiError);
    expect(error).not.toBeInstanceOf(two.SocialPublishingError);
  });

  it('has its outcome', async () => {
    const { service, client, body } = world();
    service.faults.add(refuse(400));
    expect(two.outcomeOf(await rejection(client.posts.create(body)))).toBe('rejected');
    service.faults.add(loseReply);
    expect(two.outcomeOf(await rejection(client.posts.create(body)))).toBe('unknown');
    expect(two.outcomeOf(new one.InvalidRequestError([]))).toBe('not_sent');
  });

  it('has the outcome unknown if this copy does not know its outcome', () => {
    const error = Object.assign(new one.SocialPublishingError('New'), { outcome: 'postponed' });
    expect(two.outcomeOf(error)).toBe('unknown');
  });

  it.each([
    ['an error', new Error('enough')],
    ['a frozen object', Object.freeze({})],
    // As the error of a list, it says that nothing was sent. As a reason, it proves nothing.
    ['an error of an earlier call', new one.SocialPublishingError('earlier')],
  ])('has the outcome of the create that it aborted: %s', async (_, reason) => {
    const { service, client, body } = world();
    service.faults.add({ route: create, kind: 'latency', latencyMs: hour });
    const controller = new AbortController();
    const creating = rejection(client.posts.create(body, { signal: controller.signal }));
    await expect.poll(() => service.requests.length).toBe(1);
    controller.abort(reason);
    expect(await creating).toBe(reason);
    expect(two.outcomeOf(reason)).toBe('unknown');
  });

  it('is refused by reconcile, which names the way without the error', async () => {
    const { service, client, body } = world();
    service.faults.add(loseReply);
    const error = await rejection(client.posts.create(body));
    const other = new two.SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'k', fetch: service.fetch });
    const refused = await rejection(other.posts.reconcile(error));
    expect(String(refused)).toContain(
      "error is from another client's create. Call reconcile on that client, or call reconcile({ body, sentAt }).",
    );
  });

  it('keeps its class as the cause of an error of this copy', () => {
    const cause = new one.InvalidRequestError([]);
    expect(new two.SocialPublishingError('Failed', { cause }).cause).toBe(cause);
  });
});

describe('a publisher with a client of another copy', () => {
  it.each([
    [400, 'rejected', 'rejected'],
    [429, 'ready', 'rejected'],
    [401, 'ready', 'rejected'],
    [500, 'in_doubt', 'unknown'],
    [409, 'in_doubt', 'unknown'],
  ] as const)('reads status %i as %s', async (status, state, outcome) => {
    const { service, publisher, body } = world();
    service.faults.add(refuse(status));
    const intent = await publisher.publish('k', body);
    expect(intent).toMatchObject({ state, error: { status, outcome } });
    expect(intent.error?.message).toMatch(new RegExp(`^POST /v1/posts/ was .+ status ${String(status)}`));
  });

  it('keeps an intent ready whose request was never sent', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
    const { publisher, body } = world({
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause: refused })),
    });
    expect(await publisher.publish('k', body)).toMatchObject({ state: 'ready', error: { name: 'ConnectionError' } });
  });

  it('rejects with the issues that this client refuses', async () => {
    const { client, store, body } = world();
    const strict = {
      posts: {
        create: () => Promise.reject(new one.InvalidRequestError([{ path: ['content'], message: 'is too long' }])),
        list: client.posts.list.bind(client.posts),
      },
    };
    const publisher = two.createPublisher({ client: strict, store });
    const error = await rejection(publisher.publish('k', body));
    expect(String(error)).toContain('content: is too long');
    expect(await publisher.get('k')).toBeUndefined();
  });

  it("learns the service's time from its replies, and finds the post of a lost reply", async () => {
    const { service, client, publisher, body, pass } = world({ ahead: hour });
    service.faults.add(loseReply);
    await publisher.publish('k', body);
    await pass(60_000);
    const [post] = await client.posts.list().toArray();
    expect(await publisher.resume('k')).toMatchObject({ state: 'accepted', postId: post?.postId });
  });

  it('reads a page that is too long in smaller pages', async () => {
    const { service, client, publisher, body, pass } = world({ maxResponseBytes: 8_000 });
    for (let count = 0; count < 5; count += 1)
      await client.posts.create({ ...body, content: String(count).repeat(1_000) });
    service.faults.add(loseReply);
    await publisher.publish('k', body);
    await pass(60_000);
    expect((await publisher.resume('k')).state).toBe('accepted');
  });
});

it('responseOf returns the reply of an object, an item and a page of another copy', async () => {
  const { client, body } = world();
  const post = await client.posts.create(body);
  const page = await client.posts.list();
  expect(two.responseOf(post)?.status).toBe(200);
  expect(two.responseOf(page)?.headers.get('date')).toBe(new Date(start).toUTCString());
  expect(two.responseOf(page.items[0] ?? {})?.url).toContain('/v1/posts/');
  expect(two.responseOf({ ...post })).toBeUndefined();
});

it('a list of another copy is a list', async () => {
  const { client, body } = world();
  await client.posts.create(body);
  const list = two.Paginator.from(client.posts.list());
  expect((await list.toArray()).map(({ content }) => content)).toEqual(['Hello']);
});

describe('tools with a client of another copy', () => {
  const call = (
    tools: readonly { name: string; execute(input: unknown): Promise<unknown> }[],
    name: string,
    input: object,
  ) => tools.find((tool) => tool.name === name)?.execute(input);

  it('say why a call failed', async () => {
    const { client, service } = world();
    const tools = two.createTools({ client });
    service.faults.add({
      route: 'GET /v1/posts/',
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '90' },
      times: 1,
    });
    expect(await call(tools, 'list_posts', {})).toMatchObject({
      status: 'failed',
      next: 'Wait 90 seconds, then call again.',
      data: { name: 'RateLimitError', httpStatus: 429 },
    });
  });

  it('hide the access key that the service repeats', async () => {
    const { client, service } = world();
    service.seed.post({ content: 'My key is test-key', status: 'draft' });
    const tools = two.createTools({ client });
    const result = JSON.stringify(await call(tools, 'list_posts', {}));
    expect(result).toContain('My key is');
    expect(result).not.toContain('test-key');
  });

  it('say that a post is not final yet', async () => {
    const { client, body } = world();
    const { postId } = await client.posts.create(body);
    const tools = two.createTools({ client });
    expect(await call(tools, 'wait_for_post', { postId, seconds: 0 })).toMatchObject({ data: { final: false } });
  });
});

describe('preflight with a client of another copy', () => {
  const body = { content: 'Hello', publishNow: true, platforms: [{ platform: 'bluesky', accountId: 'a' }] } as const;

  it('knows that an account does not exist, although the accounts cannot be listed', async () => {
    const { client, service } = world();
    service.faults.add({ route: 'GET /v1/connect/integrations', kind: 'status', status: 500 });
    const { findings } = await two.preflight(client, body);
    expect(findings.map(({ code }) => code)).toEqual(['account_not_found', 'not_checked']);
  });

  it('rejects for an invalid option of its reads', async () => {
    const { client } = world();
    const error = await rejection(two.preflight(client, body, { timeoutMs: -1 }));
    expect(error).toMatchObject({ name: 'InvalidRequestError' });
  });
});
