import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { signWebhook, type WebhookReceiver } from '../../src/webhooks/index.js';
import { setUp } from './recording-receiver.js';
import { published, secret } from './verify-suite.js';
import { eventually } from '../support/eventually.js';
import { listening } from '../support/listening.js';

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

function serve(listener: Listener) {
  return listening(createServer((request, response) => void listener(request, response)));
}

const text = JSON.stringify(published);

async function deliver(
  url: string,
  body: string | Uint8Array<ArrayBuffer> = text,
  headers: Record<string, string> = {},
) {
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { ...(await signWebhook({ body, secret })), ...headers },
  });
  return {
    status: response.status,
    body: await response.text(),
    connection: response.headers.get('connection'),
    allow: response.headers.get('allow'),
  };
}

describe('receiver.node, on a socket', () => {
  it('serves as the listener of an http server, and keeps the connection', async () => {
    const { receiver, handled } = setUp();
    const { url } = await serve(receiver.node);
    expect(await deliver(url)).toEqual({
      status: 200,
      body: '{"received":true}',
      connection: 'keep-alive',
      allow: null,
    });
    expect((await deliver(url)).status).toBe(200);
    expect(handled).toEqual([{ ...published, known: true }]);
  });

  it('puts a body together that comes in many pieces, cut inside its letters', async () => {
    const { receiver, handled } = setUp();
    const { port } = await serve(receiver.node);
    const bytes = new TextEncoder().encode(text);
    const headers = await signWebhook({ body: bytes, secret });
    const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
    expect(await statusOf(port, headers, pieces)).toBe(200);
    expect(handled[0]).toMatchObject({ data: { post: { content: published.data.post.content } } });
  });

  it('refuses a wrong method and a wrong signature', async () => {
    const { receiver, rejected } = setUp();
    const { url } = await serve(receiver.node);
    expect(await fetch(url).then((response) => [response.status, response.headers.get('allow')])).toEqual([
      405,
      'POST',
    ]);
    expect((await deliver(url, text, { 'X-Service-Signature': `sha256=${'0'.repeat(64)}` })).status).toBe(401);
    expect(rejected.map((error) => error.code)).toEqual(['signature_mismatch']);
  });

  it('refuses a signature that came in two headers', async () => {
    const { receiver, rejected } = setUp();
    const { port } = await serve(receiver.node);
    const headers = await signWebhook({ body: text, secret });
    const signature = headers['X-Service-Signature'] ?? '';
    const answer = await raw(
      port,
      { ...headers, 'X-Service-Signature': `${signature}\r\nX-Service-Signature: ${signature}` },
      text,
    );
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(rejected.map((error) => error.code)).toEqual(['duplicate_header']);
  });

  it('answers 413 to a body that is too large, declared or not, and closes the connection', async () => {
    const { receiver, rejected } = setUp();
    const { url, port } = await serve(receiver.node);
    const large = new Uint8Array(3 * 1_048_576);
    expect(await deliver(url, large)).toMatchObject({ status: 413, connection: 'close' });
    const headers = await signWebhook({ body: '', secret });
    expect(await statusOf(port, headers, Array<Uint8Array>(3).fill(large.subarray(0, 1_048_576)))).toBe(413);
    expect(rejected.map((error) => error.code)).toEqual(['body_too_large', 'body_too_large']);
  });

  it('answers while a body that is too large is still being sent', async () => {
    const { receiver } = setUp();
    const { port } = await serve(receiver.node);
    const headers = await signWebhook({ body: '', secret });
    // It announces much, sends a little, and waits.
    expect(await raw(port, { ...headers, 'Content-Length': '5000000' }, 'x')).toMatch(
      /^HTTP\/1.1 413 [\s\S]*connection: close/i,
    );
  });

  it('answers a body that stalls when the time is over', async () => {
    const { receiver, rejected, errors } = setUp({ ackTimeoutMs: 50 });
    const { port } = await serve(receiver.node);
    const headers = await signWebhook({ body: text, secret });
    expect(await raw(port, { ...headers, 'Content-Length': '100' }, '{"a":')).toMatch(
      /^HTTP\/1.1 (408|503) [\s\S]*connection: close/i,
    );
    expect([rejected, errors]).toEqual([[], []]);
  });

  it('survives a client that goes away in mid-body', async () => {
    const { receiver, handled, rejected, errors } = setUp();
    const done: Promise<void>[] = [];
    const { url, port } = await serve((request, response) => {
      done.push(receiver.node(request, response));
    });
    const headers = await signWebhook({ body: text, secret });
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(head({ ...headers, 'Content-Length': '100' }), () => {
          socket.destroy();
          resolve();
        });
      });
    });
    await eventually(() => {
      expect(done).toHaveLength(1);
    });
    await done[0];
    expect([handled, rejected, errors]).toEqual([[], [], []]);
    expect((await deliver(url)).status).toBe(200);
  });

  it('survives a request that fails with an error', async () => {
    const { receiver, errors } = setUp();
    const request = Object.assign(new Readable({ read: () => undefined }), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    const response = { statusCode: 0, headersSent: false, setHeader: vi.fn(), end: vi.fn() };
    const done = receiver.node(request, response);
    request.destroy(new Error('reset'));
    await done;
    expect([response.statusCode, errors]).toEqual([408, []]);
  });

  it('keeps another response that was faster', async () => {
    const { receiver } = setUp({
      on: { default: () => new Promise((resolve) => setTimeout(resolve, 50)) },
    });
    let done: Promise<void> | undefined;
    const { url } = await serve((request, response) => {
      done = receiver.node(request, response);
      response.writeHead(504).end();
    });
    expect((await deliver(url)).status).toBe(504);
    await expect(done).resolves.toBeUndefined();
  });
});

describe('receiver.node, behind a body parser', () => {
  /** Reads the whole body first, then leaves something of it on the request, as body parsers do. */
  const behind =
    (receiver: WebhookReceiver, leave: (bytes: Buffer) => object): Listener =>
    async (request, response) => {
      Object.assign(request, leave(await buffer(request)));
      setImmediate(() => void receiver.node(request, response));
    };

  it.each<[string, (bytes: Buffer) => object]>([
    ['a parsed body', (bytes) => ({ body: JSON.parse(bytes.toString()) as object })],
    ['an empty object', () => ({ body: {} })],
    ['a parsed list', () => ({ body: [1] })],
    ['nothing', () => ({})],
  ])('that leaves %s, answers with 500, and calls onRejected', async (_, leave) => {
    const { receiver, handled, rejected } = setUp();
    const { url } = await serve(behind(receiver, leave));
    expect((await deliver(url)).status).toBe(500);
    expect(rejected.map((error) => error.code)).toEqual(['body_not_raw']);
    expect(rejected[0]?.message).toContain('before express.json()');
    expect(handled).toEqual([]);
  });

  it.each<[string, (bytes: Buffer) => object]>([
    ['its bytes in body', (bytes) => ({ body: bytes })],
    ['its text in body', (bytes) => ({ body: bytes.toString() })],
    [
      'its bytes in rawBody beside the parsed body',
      (bytes) => ({ rawBody: bytes, body: JSON.parse(bytes.toString()) as object }),
    ],
    ['its text in rawBody', (bytes) => ({ rawBody: bytes.toString(), body: {} })],
  ])('that leaves %s, verifies that', async (_, leave) => {
    const { receiver, handled } = setUp();
    const { url } = await serve(behind(receiver, leave));
    expect((await deliver(url)).status).toBe(200);
    expect(handled).toHaveLength(1);
  });

  it('verifies what one leaves in the request that sets body to an empty object and reads nothing', async () => {
    const { receiver } = setUp();
    const { url } = await serve((request, response) => receiver.node(Object.assign(request, { body: {} }), response));
    expect((await deliver(url)).status).toBe(200);
  });

  it('verifies a request that was paused', async () => {
    const { receiver } = setUp();
    const { url } = await serve((request, response) => {
      request.pause();
      setImmediate(() => void receiver.node(request, response));
    });
    expect((await deliver(url)).status).toBe(200);
  });

  it('refuses a request that was set to return text', async () => {
    const { receiver, rejected } = setUp();
    const { url } = await serve((request, response) => receiver.node(request.setEncoding('utf8'), response));
    expect((await deliver(url)).status).toBe(500);
    expect(rejected.map((error) => error.code)).toEqual(['body_not_raw']);
  });
});

/** Sends a body in pieces, without its length, and returns the status of the response. */
function statusOf(port: number, headers: Record<string, string>, pieces: readonly Uint8Array[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
      resolve(response.statusCode);
      response.resume();
    });
    request.on('error', reject);
    for (const piece of pieces) request.write(piece);
    request.end();
  });
}

function head(headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return ['POST / HTTP/1.1', 'Host: 127.0.0.1', ...lines, '', ''].join('\r\n');
}

/** Sends a request unchanged, and returns the head of the response. */
function raw(port: number, headers: Record<string, string>, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const socket = connect(port, '127.0.0.1', () => socket.write(head({ ...length, ...headers }) + body));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (answer.includes('\r\n\r\n')) {
        resolve(answer);
        socket.destroy();
      }
    });
    socket.on('error', reject);
  });
}
