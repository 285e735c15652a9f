import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { serveEmulator, type RequestLine, type ServedEmulator } from '../../../src/emulator/adapters/node.js';
import { closeGraceMs } from '../../../src/emulator/adapters/node-service.js';
import { raw, start } from '../world.js';
import { ask } from './ask.js';
import { eventually } from '../../support/eventually.js';
import { closedPort } from '../../support/wire-server.js';
import { listening } from '../../support/listening.js';
import { holdTimeouts } from '../../support/held-timeouts.js';
import { unhandledRejectionsOf } from '../../support/unhandled-rejections.js';

const headers = { 'x-access-key': 'test-key' };

let served: ServedEmulator | undefined;
afterEach(() => served?.close());

describe('serveEmulator', () => {
  it('refuses a target with a user name as a bad request', async () => {
    const lines: RequestLine[] = [];
    served = await serveEmulator(createEmulator(), { onRequest: (line) => lines.push(line) });
    const reply = await ask(served.port, ['GET http://u:p@127.0.0.1/v1/posts/ HTTP/1.1', 'Host: 127.0.0.1']);
    expect(reply).toMatch(/^HTTP\/1\.1 400 /);
    expect(reply).toContain('contains a user name');
    expect(reply).not.toContain('u:p');
    expect(lines.map(({ result }) => result)).toEqual([400]);
  });

  it('listens on loopback, on any free port', async () => {
    served = await serveEmulator(createEmulator());
    expect(served.url).toBe(`http://127.0.0.1:${String(served.port)}`);
    expect((await fetch(`${served.url}/v1/posts/`, { headers })).status).toBe(200);
  });

  it('lets the client close idle connections, so that a paused process loses no request', async () => {
    served = await serveEmulator(createEmulator());
    const reply = await fetch(`${served.url}/v1/posts/`, { headers });
    // With a time-out, Node announces it here.
    expect([reply.headers.get('connection'), reply.headers.get('keep-alive')]).toEqual(['keep-alive', null]);
  });

  it('uses the configured port, and reports why it cannot', async () => {
    served = await serveEmulator(createEmulator());
    const { port } = served;
    await expect(serveEmulator(createEmulator(), { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await served.close();
    served = await serveEmulator(createEmulator(), { port });
    expect(served.port).toBe(port);
  });

  it('closes while a request hangs, and more than once', async () => {
    const service = createEmulator();
    service.faults.add({ kind: 'timeout' });
    served = await serveEmulator(service);
    const call = fetch(`${served.url}/v1/posts/`, { headers });
    const failed = expect(call).rejects.toThrow();
    while (service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([served.close(), served.close()]);
    await failed;
    await expect(fetch(`${served.url}/v1/posts/`, { headers })).rejects.toThrow();
  });

  it('lets a request that is being answered end', async () => {
    const service = createEmulator();
    service.faults.add({ kind: 'latency', latencyMs: 50 });
    served = await serveEmulator(service);
    holdTimeouts(closeGraceMs);
    // Else the client keeps the connection for some seconds, and the server waits for its end.
    const call = fetch(`${served.url}/v1/posts/`, { headers: { ...headers, connection: 'close' } });
    while (service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await served.close();
    expect((await call).status).toBe(200);
  });

  it('keeps the clock still, or lets it run', async () => {
    const still = createEmulator({ now: () => start });
    served = await serveEmulator(still);
    const running = createEmulator({ now: () => start });
    const other = await serveEmulator(running, { realTime: true });
    await expect.poll(() => running.clock.now()).toBeGreaterThan(start);
    expect(still.clock.now()).toBe(start);
    await other.close();
    const stopped = running.clock.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(running.clock.now()).toBe(stopped);
  });

  it('reports each request, without its query and without a selection token', async () => {
    const lines: RequestLine[] = [];
    const service = createEmulator();
    served = await serveEmulator(service, { onRequest: (line) => lines.push(line) });
    await fetch(`${served.url}/v1/posts/?q=hidden`, { headers });
    await fetch(`${served.url}/v1/connect/facebook/selection/hidden-token`, { method: 'POST', headers, body: '{}' });
    service.faults.add({ kind: 'reset_before', times: 1 });
    await fetch(`${served.url}/v1/posts/`, { headers }).catch(() => undefined);
    await served.close();
    expect(lines.map(({ method, path, result }) => `${method} ${path} ${String(result)}`)).toEqual([
      'GET /v1/posts/ 200',
      'POST /v1/connect/facebook/selection/*** 400',
      'GET /v1/posts/ reset',
    ]);
  });

  it.each<[string, (line: RequestLine) => void]>([
    ['rejects', () => Promise.reject(new Error('the log collector is down'))],
    [
      'throws',
      () => {
        throw new Error('the disk is full');
      },
    ],
  ])('ignores an onRequest that %s', async (_, onRequest) => {
    const server = await serveEmulator(createEmulator(), { onRequest });
    const reasons = await unhandledRejectionsOf(async () => {
      expect((await fetch(`${server.url}/v1/posts/`, { headers })).status).toBe(200);
      await server.close();
    });
    expect(reasons).toEqual([]);
  });

  it('survives a client that goes in the middle of its request', async () => {
    served = await serveEmulator(createEmulator());
    const { port } = served;
    await new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write('POST /v1/posts/ HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"half', () => {
          socket.destroy();
        });
      });
      socket
        .on('close', () => {
          resolve();
        })
        .on('error', reject);
    });
    expect((await fetch(`${served.url}/v1/posts/`, { headers })).status).toBe(200);
  });
});

describe('malformed requests', () => {
  it.each([
    ['two slashes', ['GET // HTTP/1.1', 'Host: a'], 404],
    ['a bad host', ['GET /v1/posts/ HTTP/1.1', 'Host: a b'], 400],
    ['a host with a path', ['GET /v1/posts/ HTTP/1.1', 'Host: a/b'], 400],
    ['TRACE', ['TRACE /v1/posts/ HTTP/1.1', 'Host: a'], 405],
    ["an absolute target that isn't a URL", ['GET http://[a HTTP/1.1', 'Host: a'], 400],
  ])('%s: the client gets a reply, and the service continues', async (_, lines, status) => {
    served = await serveEmulator(createEmulator({ now: () => start }));
    const reply = await ask(served.port, lines);
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `));
    expect(reply).toMatch(/\r\ndate: Mon, 02 Mar 2026 09:00:00 GMT\r\n/i);
    expect(reply).toContain('"success":false');
    expect((await fetch(`${served.url}/v1/posts/`, { headers })).status).toBe(200);
  });

  it('an absolute target that is a URL is answered as its path', async () => {
    served = await serveEmulator(createEmulator());
    const lines = ['GET http://elsewhere.test/v1/posts/ HTTP/1.1', 'Host: a', 'x-access-key: test-key'];
    expect(await ask(served.port, lines)).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a page of a loopback origin', () => {
  it('may send the requested headers, and read every header of the reply', async () => {
    served = await serveEmulator(createEmulator({ now: () => start }));
    const asked = await fetch(`${served.url}/v1/posts/`, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:5173',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-access-key, content-type',
      },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(asked.headers.get('vary')).toBe('origin, access-control-request-headers');
    expect(asked.headers.get('access-control-allow-methods')).toContain('POST');
    expect(asked.headers.get('access-control-allow-headers')).toBe('x-access-key, content-type');
    expect(asked.headers.get('date')).toBe('Mon, 02 Mar 2026 09:00:00 GMT');
    const reply = await fetch(`${served.url}/v1/posts/`, { headers: { ...headers, origin: 'http://localhost:5173' } });
    expect(reply.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(reply.headers.get('vary')).toBe('origin');
    expect(reply.headers.get('access-control-expose-headers')).toBe('*');
    expect(reply.headers.get('date')).toBe('Mon, 02 Mar 2026 09:00:00 GMT');
  });
});

describe('pages of other origins', () => {
  const call = (origin: string, more: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}) =>
    fetch(`${served?.url ?? ''}/v1/posts/`, { ...more, headers: { ...headers, origin, ...more.headers } });

  it.each([
    'http://localhost',
    'https://localhost:8443',
    'http://app.localhost:3000',
    'http://127.0.0.2',
    'http://[::1]:5173',
  ])('the service answers a page of %s', async (origin) => {
    served = await serveEmulator(createEmulator());
    const reply = await call(origin);
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  });

  it.each([
    'https://example.com',
    'http://localhost.example.com',
    'http://example-localhost',
    'http://192.168.1.7',
    'null',
  ])('the service refuses a page of %s, its preflight too, and executes nothing', async (origin) => {
    const service = createEmulator();
    const lines: RequestLine[] = [];
    served = await serveEmulator(service, { onRequest: (line) => lines.push(line) });
    const refused = await call(origin, { method: 'POST', body: '{"content":"Hi","saveAsDraft":true}' });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    expect(await refused.json()).toEqual({
      success: false,
      message:
        origin === 'null'
          ? 'The emulator does not answer pages without an origin, such as local files. Serve the page from http://localhost.'
          : `The emulator does not answer pages of ${origin}. To allow them, start it with --cors ${origin}, or pass cors to serveEmulator.`,
    });
    const asked = await call(origin, { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    expect([service.posts, service.requests]).toEqual([[], []]);
    expect(lines.map(({ method, result }) => `${method} ${String(result)}`)).toEqual(['POST 403', 'OPTIONS 403']);
  });

  it('the service answers pages of the origins in cors', async () => {
    served = await serveEmulator(createEmulator(), { cors: ['https://app.example.com', 'https://example.com'] });
    const statuses = [];
    for (const origin of ['https://example.com', 'http://localhost:1', 'https://example.org', 'http://example.com'])
      statuses.push((await call(origin)).status);
    expect(statuses).toEqual([200, 200, 403, 403]);
    await served.close();
    served = await serveEmulator(createEmulator(), { cors: 'https://example.com' });
    expect((await call('https://example.com')).headers.get('access-control-allow-origin')).toBe('https://example.com');
  });

  it('the service answers its own pages, where it listens on all addresses', async () => {
    served = await serveEmulator(createEmulator(), { host: '0.0.0.0' });
    const own = (host: string, origin: string) =>
      ask(served?.port ?? 0, [
        'GET /v1/posts/ HTTP/1.1',
        `Host: ${host}`,
        `Origin: ${origin}`,
        'x-access-key: test-key',
      ]);
    expect(await own('192.168.1.7:8787', 'http://192.168.1.7:8787')).toMatch(/^HTTP\/1.1 200 /);
    // A name of the Internet that leads to this computer (DNS rebinding).
    expect(await own('rebound.example:8787', 'http://rebound.example:8787')).toMatch(/^HTTP\/1.1 403 /);
  });

  it('sends no CORS headers to programs that are not browsers', async () => {
    served = await serveEmulator(createEmulator());
    const reply = await fetch(`${served.url}/v1/posts/`, { headers });
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  });

  it.each(['*', 'example.com', 'https://example.com/', 'https://example.com/app', '', 7])(
    'cors refuses %j',
    async (cors) => {
      await expect(serveEmulator(createEmulator(), { cors: cors as string })).rejects.toThrow(
        'cors must be an origin such as https://app.example.com, or an array of origins',
      );
    },
  );
});

describe('two servers of one emulator in real time', () => {
  it('the clock runs until both are closed', async () => {
    const service = createEmulator();
    const first = await serveEmulator(service, { realTime: true });
    const second = await serveEmulator(service, { realTime: true });
    await first.close();
    await first.close();
    const before = service.clock.now();
    await eventually(() => {
      expect(service.clock.now()).toBeGreaterThan(before);
    });
    await second.close();
    const stopped = service.clock.now();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(service.clock.now()).toBe(stopped);
  });
});

describe('deliveries over the network', () => {
  it('reach a real receiver, and do not follow a redirect', async () => {
    const paths: string[] = [];
    const receiver = createServer((request, response) => {
      paths.push(request.url ?? '');
      request.resume();
      response.writeHead(paths.length === 1 ? 302 : 204, { location: '/elsewhere' }).end();
    });
    const { url } = await listening(receiver);
    const service = createEmulator({ now: () => start });
    const { id } = service.seed.integration({ platform: 'tiktok' });
    service.seed.subscription({ webhook: { url: `${url}/hook` } });
    await raw(service, 'POST /v1/posts/', { publishNow: true, platforms: [{ platform: 'tiktok', accountId: id }] });
    await service.clock.advance({ minutes: 5 });
    expect(paths).toEqual(['/hook', '/hook']);
    expect(service.deliveries.map(({ status }) => status)).toEqual([302, 204]);
  });

  it('fail with an explanation if nothing listens', async () => {
    const service = createEmulator({ now: () => start });
    const { id } = service.seed.integration({ platform: 'tiktok' });
    service.seed.subscription({ webhook: { url: closedPort } });
    await raw(service, 'POST /v1/posts/', { publishNow: true, platforms: [{ platform: 'tiktok', accountId: id }] });
    await service.clock.advance({ hours: 1 });
    expect(service.deliveries).toHaveLength(3);
    for (const delivery of service.deliveries) {
      expect(delivery).toMatchObject({ ok: false, error: expect.stringContaining('ECONNREFUSED') as unknown });
      expect(delivery).not.toHaveProperty('status');
    }
  });
});
