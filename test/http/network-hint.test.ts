import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SocialPublishing } from '../../src/client.js';
import { ConfigurationError, ConnectionError, InvalidRequestError } from '../../src/core/errors.js';
import { rejection, testClient } from '../policies/client.js';
import { closedPort, json, WireServer } from '../support/wire-server.js';

let server: WireServer;

beforeEach(async () => {
  server = await WireServer.start(() => json({ success: true, posts: [] }));
});
afterEach(() => server.close());

async function messageOf(baseUrl: string, options: ConstructorParameters<typeof SocialPublishing>[0] = {}) {
  const { client } = testClient(baseUrl, { maxRetries: 0, allowInsecureHttp: true, ...options });
  const error = await rejection(client.posts.list());
  expect(error).toBeInstanceOf(ConnectionError);
  return (error as ConnectionError).message;
}

describe('an error of the network says what to do', () => {
  it('where https: calls a port that speaks plain http', async () => {
    const plain = createServer().listen(0, '127.0.0.1');
    await once(plain, 'listening');
    try {
      const { port } = plain.address() as AddressInfo;
      const message = await messageOf(`https://127.0.0.1:${String(port)}`);
      expect(message).toMatch(/does not speak TLS/);
      expect(message).toMatch(/could not be sent/);
    } finally {
      plain.close();
    }
  });

  it('where what listens on such a port never answers', async () => {
    const message = await messageOf(server.url.replace('http:', 'https:'), { timeoutMs: 50 });
    expect(message).toMatch(/Does that port speak TLS/);
    expect(server.requests).toEqual([]);
  });

  it('where nothing listens on a loopback port: the emulator may not be running', async () => {
    expect(await messageOf(await closedPort())).toMatch(/is the emulator running/);
  });

  it('where the host is unknown', async () => {
    expect(await messageOf('http://no-such-host.invalid')).toMatch(/The host of baseUrl was not found/);
  });

  it.each(['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed'])(
    'where a browser says no more than %j',
    async (text) => {
      const message = await messageOf(server.url, { fetch: () => Promise.reject(new TypeError(text)) });
      expect(message).toMatch(/offline/);
      expect(message).toMatch(/CORS/);
    },
  );

  it('and nothing more if its kind has no hint', async () => {
    const fetch = () => Promise.reject(new TypeError('odd'));
    expect(await messageOf(server.url, { fetch })).toMatch(/odd\. It is a read/);
  });
});

describe('an error of the input says what to do', () => {
  it('where baseUrl is a path of the page', () => {
    const build = () => new SocialPublishing({ baseUrl: '/proxy', accessKey: null });
    expect(build).toThrow(ConfigurationError);
    expect(build).toThrow(/new URL\('\/proxy', location\.origin\)/);
  });

  it('where a range is too long: split it', async () => {
    const { client } = testClient(server.url);
    const query = { accountId: 'int_1', since: '2026-01-01', until: '2026-12-31' };
    const error = await rejection(client.analytics.getInstagramInsights(query));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as InvalidRequestError).message).toMatch(/at most 90 days.*splitDateRange/);
  });
});

describe('posts.list', () => {
  it('takes one platform as a string, and several as an array', async () => {
    const { client } = testClient(server.url);
    await client.posts.list({ platform: 'bluesky' });
    await client.posts.list({ platform: ['bluesky', 'threads'] });
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/posts/?platform=bluesky',
      '/v1/posts/?platform=bluesky&platform=threads',
    ]);
  });
});
