import { beforeEach, describe, expect, it } from 'vitest';
import type { InvalidRequestError, ResponseError } from '../../src/core/errors.js';
import { createEmulator } from '../../src/emulator/index.js';
import { seedAll } from '../../src/emulator/seed/seed-file.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import { tableOf } from '../../src/cli/output.js';
import { preflightAll } from '../../src/resources/preflight/preflight.js';
import { MemoryDurableStore } from '../../src/stores/memory.js';
import { raw, world } from '../emulator/world.js';
import { WireServer, reply } from '../support/wire-server.js';
import { rejection, testClient, testKey } from './client.js';

// Enough to overflow the stack if they are spread over the arguments of a call.
const many = 130_000;

let server: WireServer;
let body: string;

beforeEach(async () => {
  server = await WireServer.start(() => reply({ body }));
});

it('a body with 130,000 mistakes is refused with all of them', async () => {
  const { client } = testClient(server.url);
  const error = await rejection(client.request('POST /v1/x', { body: { list: Array(many).fill(Number.NaN) } }));
  expect((error as InvalidRequestError).issues).toHaveLength(many);
  expect(server.requests).toEqual([]);
});

describe('a reply that is wrong in 130,000 places', () => {
  it.each([
    ['items', () => ({ posts: Array<number>(many).fill(1) })],
    ['items of an item', () => ({ posts: [{ postId: 'post_1', platforms: Array<number>(many).fill(1) }] })],
    [
      'fields of a record',
      () => ({ metrics: Object.fromEntries(Array.from({ length: many }, (_, i) => [`m${String(i)}`, 1])) }),
    ],
  ])('is one ResponseError after one request: %s', async (_, make) => {
    body = JSON.stringify({ success: true, ...make() });
    const { client } = testClient(server.url);
    const call = body.includes('metrics')
      ? client.analytics.getInstagramInsights({ accountId: 'int_1' })
      : client.posts.list();
    const error = (await rejection(call)) as ResponseError;
    expect(error).toMatchObject({ name: 'ResponseError', status: 200, outcome: 'unknown' });
    expect(error.issues.length).toBeGreaterThan(0);
    expect(error.message.length).toBeLessThan(1_000);
    expect(server.requests).toHaveLength(1);
  });

  it('is one ResponseError, too, where it is so strictly judged: 130,000 drifts', async () => {
    body = JSON.stringify({ success: true, posts: [{ postId: 'p', platforms: Array(many).fill({ status: null }) }] });
    const { client } = testClient(server.url, { strictResponses: true });
    expect(await rejection(client.posts.list())).toMatchObject({ name: 'ResponseError' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a campaign of 130,000 posts', () => {
  it('is checked, and shown as a table', async () => {
    const service = createEmulator({ accessKey: testKey, now: () => Date.UTC(2026, 0, 1) });
    const { id: accountId } = service.seed.integration({ platform: 'bluesky' });
    const { client } = testClient('https://emulator.test', { fetch: service.fetch });
    const posts = Array.from({ length: many }, (_, index) => ({
      name: `Row ${String(index)}`,
      body: {
        content: `Text ${String(index)}`,
        scheduledFor: new Date(Date.UTC(2026, 1, 1, 0, 6 * index)),
        platforms: [{ platform: 'bluesky', accountId }],
      },
    }));
    expect((await preflightAll(client, posts, { now: () => Date.UTC(2026, 0, 1) })).flat()).toEqual([]);
    expect(tableOf(posts, { columns: ['name'], width: 80 }).split('\n')).toHaveLength(many + 1);
  });
});

const badPosts: readonly (readonly [string, () => object])[] = [
  ['items', () => ({ content: 'Hi', saveAsDraft: true, platforms: Array<number>(many).fill(1) })],
  ['unknown fields', () => Object.fromEntries(Array.from({ length: many }, (_, i) => [`f${String(i)}`, 1]))],
];

describe('an argument that is wrong in 130,000 places', () => {
  it.each(badPosts)('is one InvalidRequestError, with a message of bearable length: %s', async (_, make) => {
    const { client } = testClient(server.url);
    const error = (await rejection(client.posts.create(make() as never))) as InvalidRequestError;
    expect(error).toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent' });
    expect(error.issues.length).toBeGreaterThan(0);
    expect(error.message.length).toBeLessThan(10_000);
    expect(server.requests).toHaveLength(0);
  });

  it.each(badPosts)('is one InvalidRequestError of a publisher, too: %s', async (_, make) => {
    const { client } = testClient(server.url);
    const publisher = createPublisher({ client, store: new MemoryDurableStore() });
    const error = (await rejection(publisher.publish('k', make() as never))) as InvalidRequestError;
    expect(error).toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent' });
    expect(error.message.length).toBeLessThan(10_000);
    expect(server.requests).toHaveLength(0);
  });

  it('are awaited to the end, where they are posts', async () => {
    body = JSON.stringify({ success: true, posts: [] });
    const { client } = testClient(server.url);
    const ids = Array.from({ length: many }, (_, i) => ({
      postId: `post_${String(i)}`,
      createdAt: '2026-03-01T09:00:00Z',
    }));
    const error = await rejection(client.posts.watch(ids as never, { waitMs: 0 }).next());
    expect(error).toMatchObject({ name: 'WaitTimeoutError' });
  });
});

describe('an argument of 100,000 levels', () => {
  const nested = () => {
    let value: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) value = [value];
    return value as object;
  };

  it.each([
    ['in a documented field', { content: 'Hi', saveAsDraft: true, platforms: nested() }, undefined],
    ['in an unknown field', { content: 'Hi', saveAsDraft: true, deep: nested() }, undefined],
    ['in extraBody', { content: 'Hi', saveAsDraft: true }, { deep: nested() }],
  ])('is an InvalidRequestError: %s', async (_, argument, extraBody) => {
    const { client } = testClient(server.url);
    const error = await rejection(client.posts.create(argument as never, { extraBody }));
    expect(error).toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent' });
    const own = client.request('POST /v1/anything', { body: nested() });
    expect(await rejection(own)).toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent' });
    expect(server.requests).toHaveLength(0);
  });
});

describe('input of the emulator with 130,000 mistakes', () => {
  const service = createEmulator({ accessKey: testKey });
  const platforms = Array<number>(many).fill(1);

  it.each([
    ['POST', '/v1/posts/', { content: 'Hi', saveAsDraft: true, platforms }],
    ['POST', '/v1/posts/', { content: 'Hi', saveAsDraft: true, mediaItems: platforms }],
    ['POST', '/v1/comment-automations/', { accountId: 'int_1', keywords: platforms }],
    ['POST', '/v1/notifications/', { channel: 'email', eventTypes: platforms }],
  ])('is refused with 400: %s %s', async (method, path, value) => {
    const response = await service.fetch(`https://emulator.test${path}`, {
      method,
      headers: { 'x-access-key': testKey, 'content-type': 'application/json' },
      body: JSON.stringify(value),
    });
    expect(response.status).toBe(400);
    expect((await response.text()).length).toBeLessThan(10_000);
  });

  it('is refused with 400 where it is 100,000 levels deep, and breaks no list later', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const send = (method: string, body?: string) =>
      service.fetch('https://emulator.test/v1/posts/', {
        method,
        headers: { 'x-access-key': testKey },
        ...(body && { body }),
      });
    for (const body of [
      `{"content":"Hi","saveAsDraft":true,"deep":${deep}}`,
      `{"content":"Hi","saveAsDraft":true,"platforms":${deep}}`,
      deep,
    ]) {
      expect((await send('POST', body)).status).toBe(400);
    }
    const asDeepAsCanBe = `${'['.repeat(489)}${']'.repeat(489)}`;
    expect((await send('POST', `{"content":"Hi","saveAsDraft":true,"deep":${asDeepAsCanBe}}`)).status).toBe(200);
    expect((await send('GET')).status).toBe(200);
    const client = testClient('https://emulator.test', { fetch: service.fetch }).client;
    expect((await client.posts.list()).items).toHaveLength(1);
  });

  it('is reported entry by entry for a seed file', () => {
    expect(seedAll(service.seed, { posts: platforms })).toHaveLength(many);
  });

  it('is a TypeError in a seed', () => {
    expect(() => service.seed.post({ content: 'Hi', mediaItems: platforms as never })).toThrow(TypeError);
  });
});

it('a request to the emulator that is wrong in 130,000 places gets one reply', async () => {
  const { service } = world();
  const platforms = Array.from({ length: many }, () => ({ platform: 'x' }));
  const { status, body } = await raw(service, 'POST /v1/posts/', { content: 'Draft', saveAsDraft: true, platforms });
  expect(status).toBe(400);
  expect((body as { message: string }).message.length).toBeLessThan(10_000);
});
