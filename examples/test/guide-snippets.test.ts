import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { createWebhookReceiver, verifyWebhook } from '../../src/webhooks/index.js';
import { bodyNotRaw } from '../../src/webhooks/verify/verify.js';
import { bundleProgram } from '../../test/support/bundle-program.js';
import { readDocument, root } from '../../test/support/docs-blocks.js';
import { deliver } from '../../test/webhooks/receiver-checks.js';
import { secret } from '../../test/webhooks/verify-suite.js';

const sizes = [2000, 200_000, 1_000_000];
const guide = await readDocument('docs/webhooks.md');
const advice = { guide: guide.replaceAll(/\s+/g, ' '), message: bodyNotRaw().message };

/** Writes code into a file, and returns its path from the root. */
function fileWith(name: string, code: string): string {
  mkdirSync(`${root}examples/.tmp/guide-snippets`, { recursive: true });
  const path = `examples/.tmp/guide-snippets/${name.replaceAll(/\W+/g, '-')}.ts`;
  writeFileSync(root + path, code);
  return path;
}

/** Writes the code of a section of the guide into a file. */
function fileOf(section: string): string {
  const text = guide.split(/^### /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  const code = [...text.matchAll(/^```typescript\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n');
  expect(code, section).not.toBe('');
  return fileWith(section, code);
}

/** Delivers an event of each size, and returns the statuses of the replies. */
async function deliverAll(url: string): Promise<number[]> {
  const statuses: number[] = [];
  for (const size of sizes) {
    const event = { id: `evt_${String(size)}`, text: '' };
    const text = 'x'.repeat(size - JSON.stringify(event).length);
    statuses.push(await deliver(url, JSON.stringify({ ...event, text })));
  }
  return statuses;
}

describe('the programs of the guide receive events of 2 kB, 200 kB and 1 MB', () => {
  const running: ChildProcess[] = [];

  afterAll(() => {
    for (const child of running) child.kill();
  });

  it.each(['Node http', 'Express 5', 'Fastify 5', 'Hono'])('%s', async (section) => {
    const child = spawn(process.execPath, [bundleProgram(fileOf(section), 'examples/')], {
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.push(child);
    let log = '';
    const port = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        log += chunk.toString();
        const found = /port: (\d+)/.exec(log)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.on('exit', () => {
        reject(new Error(`${section} ended:\n${log}`));
      });
    });
    expect(await deliverAll(`http://127.0.0.1:${port}/webhooks`)).toEqual([200, 200, 200]);
  });
});

describe('the modules of the guide, and its advice, with events of 2 kB, 200 kB and 1 MB', () => {
  const closing: (() => unknown)[] = [];

  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    for (const close of closing.splice(0)) await close();
  });

  /** Imports the code of a section, with the secret in its environment. */
  async function importOf<T>(section: string): Promise<T> {
    vi.stubEnv('WEBHOOK_SECRET', secret);
    vi.spyOn(console, 'log').mockReturnValue();
    return (await import(/* @vite-ignore */ root + fileOf(section))) as T;
  }

  async function urlOf(server: Server): Promise<string> {
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhooks`;
  }

  /** Serves on a socket, as the host of a function does. */
  function host(answer: (request: IncomingMessage, body: Buffer) => Promise<Response>): Promise<string> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        void answer(request, Buffer.concat(chunks)).then(({ status }) => response.writeHead(status).end());
      });
    });
    return urlOf(server);
  }

  function requestOf({ headers }: IncomingMessage, body: Buffer): Request {
    const init = { method: 'POST', headers: headers as Record<string, string>, body: new Uint8Array(body) };
    return new Request('http://127.0.0.1/webhooks', init);
  }

  it('Next.js, app router', async () => {
    const { POST } = await importOf<{ POST: (request: Request) => Promise<Response> }>('Next.js');
    expect(await deliverAll(await host((request, body) => POST(requestOf(request, body))))).toEqual([200, 200, 200]);
  });

  it('Next.js, pages router: receiver.node without a body parser', async () => {
    expect(guide).toContain('`export const config = { api: { bodyParser: false } }`) and export `receiver.node`');
    const receiver = createWebhookReceiver({ secret, on: {} });
    const url = await urlOf(createServer((request, response) => void receiver.node(request, response)));
    expect(await deliverAll(url)).toEqual([200, 200, 200]);
  });

  it('Cloudflare Workers', async () => {
    type Worker = { fetch: (request: Request, env: object, context: unknown) => Promise<Response> };
    const { default: worker } = await importOf<{ default: Worker }>('Cloudflare Workers');
    const context = { waitUntil: () => undefined };
    const url = await host((request, body) =>
      worker.fetch(requestOf(request, body), { WEBHOOK_SECRET: secret }, context),
    );
    expect(await deliverAll(url)).toEqual([200, 200, 200]);
  });

  it.each([true, false])('AWS Lambda, body in base64: %s', async (isBase64Encoded) => {
    type Handler = (event: object) => Promise<{ statusCode: number; body: string }>;
    const { handler } = await importOf<{ handler: Handler }>('AWS Lambda, function URL');
    const url = await host(async (request, body) => {
      const { statusCode, body: text } = await handler({
        requestContext: { http: { method: 'POST' } },
        headers: request.headers,
        body: body.toString(isBase64Encoded ? 'base64' : 'utf8'),
        isBase64Encoded,
      });
      return new Response(text, { status: statusCode });
    });
    expect(await deliverAll(url)).toEqual([200, 200, 200]);
  });

  it.each(['guide', 'message'] as const)('Express, the parser that the %s names', async (source) => {
    const code = /express\.raw\(\{.*?\}\)/.exec(advice[source])?.[0] ?? '';
    const path = fileWith(`express-raw-${source}`, `import express from 'express';\nexport const parser = ${code};\n`);
    const { parser } = (await import(/* @vite-ignore */ root + path)) as { parser: RequestHandler };
    const receiver = createWebhookReceiver({ secret, on: {} });
    const app = express();
    app.post('/webhooks', parser, receiver.node);
    expect(await deliverAll(await urlOf(createServer(app)))).toEqual([200, 200, 200]);
  });

  it('Fastify with parseAs "buffer": request.body goes to verifyWebhook', async () => {
    expect(advice.message).toContain('a parser with parseAs "buffer", pass request.body to verifyWebhook');
    const app = Fastify();
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, parsed) => {
      parsed(null, body);
    });
    app.post('/webhooks', async (request, reply) => {
      await verifyWebhook({ body: request.body as Buffer, headers: request.headers, secret });
      return reply.code(200).send();
    });
    closing.push(() => app.close());
    expect(await deliverAll(`${await app.listen({ port: 0, host: '127.0.0.1' })}/webhooks`)).toEqual([200, 200, 200]);
  });

  it('Fastify with parseAs "buffer": receiver.node replies 500, as the guide says', async () => {
    expect(advice.guide).toContain("with `parseAs: 'buffer'`, `receiver.node` gets no bytes and replies 500");
    const codes: string[] = [];
    const receiver = createWebhookReceiver({ secret, on: {}, onRejected: ({ code }) => codes.push(code) });
    const app = Fastify();
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, parsed) => {
      parsed(null, body);
    });
    app.post('/webhooks', (request, reply) => receiver.node(request.raw, reply.hijack().raw));
    closing.push(() => app.close());
    expect(await deliver(`${await app.listen({ port: 0, host: '127.0.0.1' })}/webhooks`)).toBe(500);
    expect(codes).toEqual(['body_not_raw']);
  });

  it('Next.js and Hono: the text of the request goes to verifyWebhook', async () => {
    expect(advice.message).toContain('Next.js and Hono: await request.text()');
    const app = new Hono();
    app.post('/webhooks', async ({ req: request }) => {
      await verifyWebhook({ body: await request.text(), headers: request.raw.headers, secret });
      return new Response();
    });
    const url = await host(async (request, body) => app.fetch(requestOf(request, body)));
    expect(await deliverAll(url)).toEqual([200, 200, 200]);
  });
});
