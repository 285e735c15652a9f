import dns from 'node:dns';
import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Agent, fetch as undiciFetch, ProxyAgent, type Dispatcher } from 'undici';
import { ConnectionError } from '../../src/core/errors.js';
import type { ClientOptions } from '../../src/http/client-options.js';
import { classesOfCall, post } from '../policies/calls.js';
import { rejection, testClient } from '../policies/client.js';
import { selfSigned } from '../support/self-signed.js';
import { listening } from '../support/listening.js';
import { closedPort } from '../support/wire-server.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The port of a proxy that answers CONNECT with this status. */
async function refusingProxy(status: number, asked: string[] = []): Promise<number> {
  const server = http.createServer();
  server.on('connect', (request: http.IncomingMessage, client: net.Socket) => {
    asked.push(request.url ?? '');
    client.end(`HTTP/1.1 ${String(status)} No\r\ncontent-length: 0\r\n\r\n`);
  });
  return (await listening(server)).port;
}

function through(dispatcher: Dispatcher): ClientOptions {
  closers.push(() => dispatcher.destroy());
  return { fetch: (url, init) => undiciFetch(url, { ...init, dispatcher }) };
}

async function failedPost(baseUrl: string, options: ClientOptions) {
  const { client, waits } = testClient(baseUrl, options);
  const error = await rejection(post.call(client));
  expect(error).toBeInstanceOf(ConnectionError);
  return { error: error as ConnectionError, retries: waits.length };
}

const sentNothing = 'The service never saw it, so it is safe to call again.';

describe('A proxy that refuses CONNECT sends nothing', () => {
  it.each([
    [407, 0, 'Check the user name and the password in the address of the proxy.'],
    [403, 0, 'The proxy does not allow the host of baseUrl: ask its operator.'],
    [502, 2, 'Check the address of the proxy, and whether it can reach the host of baseUrl.'],
  ])('with %i: %i retries', async (status, retries, hint) => {
    const asked: string[] = [];
    const port = await refusingProxy(status, asked);
    const options = through(new ProxyAgent(`http://user:secret@127.0.0.1:${String(port)}`));
    const failed = await failedPost('https://api.test', options);
    expect(failed).toMatchObject({ retries, error: { outcome: 'not_sent', attempts: retries + 1 } });
    expect(failed.error.message).toBe(
      `POST /v1/posts/ could not be sent (attempt ${String(retries + 1)}): the proxy refused the connection with status ` +
        `${String(status)}. ${hint} ${sentNothing}`,
    );
    expect(asked).toEqual(Array.from({ length: retries + 1 }, () => 'api.test:443'));
  });

  it('for every class of call', async () => {
    const port = await refusingProxy(407);
    const { client } = testClient('https://api.test', through(new ProxyAgent(`http://127.0.0.1:${String(port)}`)));
    for (const { call } of classesOfCall)
      expect(await rejection(call(client))).toMatchObject({ outcome: 'not_sent', attempts: 1 });
  });
});

describe('A connection that was never made sends nothing, and is tried again', () => {
  it.each(['Node', 'undici'])('a TLS handshake that the server cuts off: %s', async (name) => {
    const cut = net.createServer((socket) => socket.once('data', () => socket.end()));
    const url = `https://127.0.0.1:${String((await listening(cut)).port)}`;
    const { error, retries } = await failedPost(url, name === 'Node' ? {} : through(new Agent()));
    expect({ outcome: error.outcome, retries }).toEqual({ outcome: 'not_sent', retries: 2 });
    expect(error.message).toContain(sentNothing);
  });

  it('a local address that this machine does not have', async () => {
    const options = through(new Agent({ localAddress: '192.0.2.1' }));
    const { error, retries } = await failedPost(closedPort, options);
    expect({ outcome: error.outcome, retries }).toEqual({ outcome: 'not_sent', retries: 2 });
    expect(error.message).toContain('EADDRNOTAVAIL');
    expect(error.message).not.toContain('Nothing listens there');
  });

  it('a name server that does not answer, with a resolver of the caller', async () => {
    const resolver = new dns.Resolver({ tries: 1, timeout: 100 });
    resolver.setServers([new URL(closedPort).host]);
    const lookup: net.LookupFunction = (host, _, callback) => {
      resolver.resolve4(host, (error) => {
        callback(error, '');
      });
    };
    const { error, retries } = await failedPost('https://api.test', through(new Agent({ connect: { lookup } })));
    expect({ outcome: error.outcome, retries }).toEqual({ outcome: 'not_sent', retries: 2 });
    expect(error.message).toContain('queryA');
    expect(error.message).toContain('The host of baseUrl was not found: check its spelling, and DNS.');
    expect(error.message).not.toContain('Nothing listens there');
  });

  it('a stream of HTTP/2 that the server refuses unread', async () => {
    let streams = 0;
    const server = http2.createSecureServer(selfSigned);
    server.on('stream', (stream) => {
      streams += 1;
      stream.on('error', () => undefined);
      stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
    });
    const url = `https://localhost:${String((await listening(server)).port)}`;
    vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined); // undici calls HTTP/2 experimental.
    const { error, retries } = await failedPost(
      url,
      through(new Agent({ allowH2: true, connect: { rejectUnauthorized: false } })),
    );
    vi.restoreAllMocks();
    expect({ outcome: error.outcome, retries, streams }).toEqual({ outcome: 'not_sent', retries: 2, streams: 3 });
  });

  it.each(['ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EMFILE', 'EACCES'])(
    'connect %s',
    async (code) => {
      const cause = Object.assign(new Error(`connect ${code} 192.0.2.1:443`), { code, syscall: 'connect' });
      const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
      const { error, retries } = await failedPost('https://api.test', { fetch });
      expect({ outcome: error.outcome, retries }).toEqual({ outcome: 'not_sent', retries: 2 });
    },
  );
});

describe('A host with several addresses', () => {
  const connect = (code: string, address: string) =>
    Object.assign(new Error(`connect ${code} ${address}:443`), { code, syscall: 'connect' });
  const failing = (...errors: Error[]) => ({
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause: new AggregateError(errors) })),
  });
  const refused = connect('ECONNREFUSED', '192.0.2.1');

  it('is not reached if its IPv4 address refuses and this machine has no IPv6', async () => {
    const { error } = await failedPost('https://api.test', failing(refused, connect('ENETUNREACH', '2001:db8::1')));
    expect(error.outcome).toBe('not_sent');
    expect(error.message).toContain('Nothing listens there: check the host and the port of baseUrl.');
    expect(error.message).toContain(sentNothing);
  });

  it('may have received the request if one address failed in another way', async () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
    const { error, retries } = await failedPost('https://api.test', failing(refused, reset));
    expect({ outcome: error.outcome, retries }).toEqual({ outcome: 'unknown', retries: 0 });
    expect(error.message).toBe(
      'POST /v1/posts/ got no whole reply (attempt 1): read ECONNRESET. It may have been executed: check before you call again.',
    );
  });
});

it('An environment in which ky cannot create a request sends nothing', async () => {
  // jsdom replaces AbortController but not Request, which refuses the signals of jsdom.
  const refuse = function NodesRequest() {
    throw new TypeError('RequestInit: Expected signal ("AbortSignal {}") to be an instance of AbortSignal.');
  };
  const fetch = vi.fn<typeof globalThis.fetch>();
  vi.stubGlobal('Request', refuse);
  const { error } = await failedPost('https://api.test', { fetch });
  vi.unstubAllGlobals();
  expect(error.outcome).toBe('not_sent');
  expect(error.message).toContain('to be an instance of AbortSignal. The service never saw it');
  expect(fetch).not.toHaveBeenCalled();
});

it('An environment without fetch, such as a window of jsdom, sends nothing, and is named', async () => {
  vi.stubGlobal('fetch', undefined);
  closers.push(() => vi.unstubAllGlobals());
  const { client, waits } = testClient('https://service.test');
  const error = await rejection(client.posts.create({ content: 'a', saveAsDraft: true }));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({
    outcome: 'not_sent',
    message: expect.stringContaining('pass the option fetch') as string,
  });
  expect(waits).toEqual([]);
});
