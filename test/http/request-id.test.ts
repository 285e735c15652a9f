import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, responseOf, type SocialPublishingError } from '../../src/index.js';
import { rejection, testClient } from '../policies/client.js';
import { json, WireServer, type Script } from '../support/wire-server.js';

let server: WireServer;
let script: Script;

beforeEach(async () => {
  script = () => json(list);
  server = await WireServer.start((request, index) => script(request, index));
});

const list = { success: true, total: 0, posts: [] };
const requestIdHeader = 'X-Request-Id';
const sentIds = () => server.requests.map(({ headers }) => headers['x-request-id']);

describe('requestIdHeader', () => {
  it('sends nothing by default', async () => {
    const page = await testClient(server.url).client.posts.list();
    expect(sentIds()).toEqual([undefined]);
    expect(Object.keys(responseOf(page) ?? {})).not.toContain('requestId');
  });

  it('sends one ID per call with every attempt, and reports it in hooks and with the reply', async () => {
    script = (_, index) => (index === 0 ? json({}, 503) : json(list));
    const told: unknown[] = [];
    const note = (info: { readonly requestId?: string | undefined }) => {
      told.push(info.requestId);
    };
    const hooks = { onStart: note, onRequest: note, onResponse: note, onRetry: note, onEnd: note };
    const { client } = testClient(server.url, { requestIdHeader, hooks });
    const page = await client.posts.list();
    const [id] = sentIds();
    expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(sentIds()).toEqual([id, id]);
    expect(told).toEqual(Array.from({ length: 7 }, () => id));
    expect(responseOf(page)?.requestId).toBe(id);
    await client.posts.list();
    expect(sentIds()[2]).not.toBe(id);
  });

  it('needs no hooks, and marks errors, including the errors in hooks', async () => {
    script = () => json({ success: false }, 503);
    const retried: unknown[] = [];
    const { client } = testClient(server.url, {
      requestIdHeader,
      hooks: { onRetry: ({ error }) => retried.push(error.requestId) },
    });
    const error = (await rejection(client.posts.list())) as SocialPublishingError;
    const [id] = sentIds();
    expect(error.requestId).toBe(id);
    expect(retried).toEqual([id, id]);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ requestId: id });
    expect(await rejection(client.posts.list({ limit: 0 }))).toMatchObject({ requestId: expect.any(String) as string });
  });

  it("uses the ID of the call, else the client's, with headers in any form", async () => {
    const { client } = testClient(server.url, { requestIdHeader });
    const entries = new Map([['x-request-ID', 'mine-1']]).entries();
    expect(responseOf(await client.posts.list({}, { headers: entries }))?.requestId).toBe('mine-1');
    const mine = client.withOptions({ headers: { 'x-request-id': 'mine-2' } });
    expect(responseOf(await mine.posts.list())?.requestId).toBe('mine-2');
    expect(sentIds()).toEqual(['mine-1', 'mine-2']);
  });

  it('is not changed by the return value of a hook', async () => {
    const hooks = { onRequest: () => ({ 'x-request-id': 'of the hook' }) };
    const page = await testClient(server.url, { requestIdHeader, hooks }).client.posts.list();
    expect(sentIds()).toEqual([responseOf(page)?.requestId]);
    expect(sentIds()[0]).not.toBe('of the hook');
  });

  it('makes no ID twice in a thousand calls, nor where the runtime has no crypto', async () => {
    const { defaultRuntime } = await import('../../src/core/runtime.js');
    const ids = () => Array.from({ length: 1_000 }, () => defaultRuntime.newId());
    const crypto = Object.getOwnPropertyDescriptor(globalThis, 'crypto') ?? {};
    const withCrypto = ids();
    Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
    try {
      const without = ids();
      expect(new Set([...withCrypto, ...without]).size).toBe(2_000);
      for (const id of without) expect(id).toMatch(/^[\da-z]{8}0\.[\da-z]{4,}$/);
    } finally {
      Object.defineProperty(globalThis, 'crypto', crypto);
    }
  });

  it.each([
    'x-access-key',
    'X-Access-Key',
    'Accept',
    'content-type',
    'content-length',
    'authorization',
    'cookie',
    'x-session-token',
    'no name',
    '',
    'x-id\n',
    5,
    true,
    null,
  ])('is refused as %s', (name) => {
    expect(() => testClient(server.url, { requestIdHeader: name as never })).toThrow(ConfigurationError);
    expect(() => testClient(server.url, { requestIdHeader: name as never })).toThrow(/requestIdHeader/);
  });
});
