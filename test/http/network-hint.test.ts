import { createServer } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SocialPublishing } from '../../src/client.js';
import { ConnectionError } from '../../src/core/errors.js';
import { rejection, testClient } from '../policies/client.js';
import { listening } from '../support/listening.js';
import { closedPort, json, WireServer } from '../support/wire-server.js';

let server: WireServer;

beforeEach(async () => {
  server = await WireServer.start(() => json({ success: true, posts: [] }));
});

async function messageOf(baseUrl: string, options: ConstructorParameters<typeof SocialPublishing>[0] = {}) {
  const { client } = testClient(baseUrl, { maxRetries: 0, allowInsecureHttp: true, ...options });
  const error = await rejection(client.posts.list());
  expect(error).toBeInstanceOf(ConnectionError);
  return (error as ConnectionError).message;
}

describe('an error of the network says what to do', () => {
  it('where https: calls a port that speaks plain http', async () => {
    const { port } = await listening(createServer());
    const message = await messageOf(`https://127.0.0.1:${String(port)}`);
    expect(message).toMatch(/does not speak TLS/);
    expect(message).toMatch(/could not be sent/);
  });

  it('where what listens on such a port never answers', async () => {
    const message = await messageOf(server.url.replace('http:', 'https:'), { timeoutMs: 50 });
    expect(message).toMatch(/Does that port speak TLS/);
    expect(server.requests).toEqual([]);
  });

  it('where nothing listens on a loopback port: the emulator may not be running', async () => {
    expect(await messageOf(closedPort)).toMatch(/is the emulator running/);
  });

  it('where the host is unknown', async () => {
    expect(await messageOf('http://no-such-host.invalid')).toMatch(/The host of baseUrl was not found/);
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
