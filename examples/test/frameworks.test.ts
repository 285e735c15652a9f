import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createWebhookReceiver, type WebhookVerificationError } from '../../src/webhooks/index.js';
import { deliver, expectReceiver } from '../../test/webhooks/receiver-checks.js';
import { secret } from '../../test/webhooks/verify-suite.js';

describe('the examples of receivers that are modules', () => {
  const servers: Server[] = [];

  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  });

  /** Serves on a socket, as the host of a function does. */
  async function host(
    answer: (request: IncomingMessage, body: Buffer) => Promise<{ status: number; headers: HeadersInit; body: string }>,
  ): Promise<string> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        void answer(request, Buffer.concat(chunks)).then(({ status, headers, body }) => {
          response.writeHead(status, Object.fromEntries(new Headers(headers)));
          response.end(body);
        });
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  }

  function listen(): () => string[] {
    vi.stubEnv('WEBHOOK_SECRET', secret);
    const log = vi.spyOn(console, 'log').mockReturnValue();
    return () => log.mock.calls.map((call) => call.join(' '));
  }

  it('next answers the requests that its route is called with', async () => {
    const events = listen();
    const { POST } = await import('../receivers/next.js');
    const url = await host(async (request, body) => {
      const init = { method: 'POST', headers: request.headers as Record<string, string>, body: new Uint8Array(body) };
      const response = await POST(new Request(`http://127.0.0.1${request.url ?? ''}`, init));
      return { status: response.status, headers: response.headers, body: await response.text() };
    });
    await expectReceiver(url);
    expect(events()).toEqual(['post.published evt_1', 'post.published evt_odd']);
  });

  it.each([true, false])('lambda answers the events of a function URL, body in base64: %s', async (isBase64Encoded) => {
    const events = listen();
    vi.resetModules();
    const { handler } = await import('../receivers/lambda.js');
    const url = await host(async (request, body) => {
      const result = await handler({
        requestContext: { http: { method: request.method ?? '' } },
        headers: request.headers as Record<string, string>,
        body: body.length > 0 ? body.toString(isBase64Encoded ? 'base64' : 'utf8') : undefined,
        isBase64Encoded,
      });
      return { status: result.statusCode, headers: result.headers, body: result.body };
    });
    await expectReceiver(url);
    expect((await fetch(url)).status).toBe(405);
    expect(events()).toEqual(['post.published evt_1', 'post.published evt_odd']);
  });
});

describe('Express behind a global express.json()', () => {
  it.each([
    ['/webhooks', 'the receiver as it stands'],
    ['/by-hand', 'a Request made of the parsed body'],
  ])('is refused at %s (%s), and the error names the remedy', async (path) => {
    const rejected: WebhookVerificationError[] = [];
    const receiver = createWebhookReceiver({
      secret,
      on: { default: () => expect.unreachable() },
      onRejected: (error) => rejected.push(error),
    });
    const app = express();
    app.use(express.json());
    app.post('/webhooks', receiver.node);
    app.post('/by-hand', async (request, response) => {
      // A common mistake: a body that was serialised again differs from the signed one.
      const init = {
        method: 'POST',
        headers: request.headers as Record<string, string>,
        body: JSON.stringify(request.body, null, 1),
      };
      response.sendStatus((await receiver.fetch(new Request('http://a/', init))).status);
    });
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const status = await deliver(`http://127.0.0.1:${String(port)}${path}`);
    server.close();
    if (path === '/webhooks') {
      expect(status).toBe(500);
      expect(rejected.map((error) => error.code)).toEqual(['body_not_raw']);
      expect(rejected[0]?.message).toMatch(/Express: mount this route before express\.json\(\)/);
    } else {
      expect(status).toBe(401);
      expect(rejected[0]?.message).toMatch(/byte for byte as received/);
    }
  });

  it.each([express.raw({ type: 'application/json' }), express.text({ type: 'application/json' })])(
    'works behind express.raw() and express.text()',
    async (parser) => {
      const receiver = createWebhookReceiver({ secret, on: {} });
      const app = express();
      app.post('/webhooks', parser, receiver.node);
      const server = app.listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      expect(await deliver(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhooks`)).toBe(200);
      server.close();
    },
  );
});
