import { afterEach, describe, expect, it } from 'vitest';
import { createEmulator } from '../../../../src/emulator/index.js';
import { serveEmulator, type RequestLine, type ServedEmulator } from '../../../../src/emulator/adapters/node.js';
import { closeGraceMs } from '../../../../src/emulator/adapters/node-service.js';
import { holdTimeouts } from '../../../support/held-timeouts.js';
import { start } from '../../world.js';
import { ask } from '../ask.js';

let served: ServedEmulator | undefined;
afterEach(() => served?.close());

const statusOf = (reply: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1]);

describe('who may call the control API', () => {
  it.each([
    ['the address', ['Host: 127.0.0.1'], 200],
    ['a loopback name with any port', ['Host: localhost:9'], 200],
    ['a name under localhost', ['Host: app.localhost'], 200],
    ['the loopback address of IPv6', ['Host: [::1]:8787'], 200],
    ['a name that leads here', ['Host: rebound.example'], 403],
    ['a name that begins like ours', ['Host: localhost.example'], 403],
    ['a name that ends like ours', ['Host: examplelocalhost'], 403],
    ['another address', ['Host: 192.168.1.7'], 403],
    ['a page of its own origin', ['Host: localhost:8787', 'Origin: http://localhost:8787'], 200],
    ['a page of another port', ['Host: localhost:8787', 'Origin: http://localhost:3000'], 403],
    ['a page of the Internet', ['Host: 127.0.0.1', 'Origin: https://example.com'], 403],
    ['a page without an origin', ['Host: 127.0.0.1', 'Origin: null'], 403],
  ])('%s: %j', async (_, headers, status) => {
    served = await serveEmulator(createEmulator(), { console: true });
    const reply = await ask(served.port, ['GET /_emulator/clock HTTP/1.1', ...headers]);
    expect(statusOf(reply)).toBe(status);
    expect(reply.toLowerCase()).not.toContain('access-control-');
  });

  it('a refused request has no effect, for any target and method', async () => {
    const service = createEmulator({ now: () => start });
    served = await serveEmulator(service, { console: true });
    const advance = '{"hours":1}';
    const foreign = ['Host: 127.0.0.1', 'Origin: https://example.com', 'Content-Type: text/plain'];
    expect(statusOf(await ask(served.port, ['POST /_emulator/clock/advance HTTP/1.1', ...foreign], advance))).toBe(403);
    const whole = ['POST http://rebound.example/_emulator/clock/advance HTTP/1.1', 'Host: 127.0.0.1'];
    expect(statusOf(await ask(served.port, whole, advance))).toBe(403);
    const preflight = ['Access-Control-Request-Method: POST', ...foreign];
    const asked = await ask(served.port, ['OPTIONS /_emulator/clock/advance HTTP/1.1', ...preflight]);
    expect(statusOf(asked)).toBe(403);
    expect(asked.toLowerCase()).not.toContain('access-control-allow');
    expect(service.clock.now()).toBe(start);
  });

  it('accepts another configured host; with all addresses, names of containers, but no name of the Internet', async () => {
    served = await serveEmulator(createEmulator(), { console: true, host: '0.0.0.0' });
    const { port } = served;
    expect(served.url).toBe(`http://127.0.0.1:${String(port)}`);
    const status = async (host: string) =>
      statusOf(await ask(port, ['GET /_emulator/clock HTTP/1.1', `Host: ${host}`]));
    expect([await status('emulator:8787'), await status('192.168.1.7'), await status('rebound.example')]).toEqual([
      200, 200, 403,
    ]);
  });

  it('no other origin, unless it is configured', async () => {
    served = await serveEmulator(createEmulator());
    expect((await fetch(`${served.url}/_emulator/clock`)).status).toBe(404);
    expect((await fetch(`${served.url}/`)).status).toBe(404);
  });
});

describe('the page', () => {
  it('comes with a policy that lets no other script in, or says how to build it', async () => {
    served = await serveEmulator(createEmulator(), { console: true });
    const reply = await fetch(`${served.url}/`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(reply.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await reply.text()).toContain('<!doctype html>');
  });

  it('a path that escapes is answered by the service, as a path that is not there', async () => {
    served = await serveEmulator(createEmulator(), { console: true });
    const reply = await ask(served.port, ['GET /../package.json HTTP/1.1', 'Host: localhost']);
    expect(statusOf(reply)).toBe(404);
    expect(reply).not.toContain('social-publishing');
  });

  const background = ['x-access-key: test-key', 'x-emulator-background: 1'];

  it('reads in the background: no record, no fault, no log line', async () => {
    const lines: RequestLine[] = [];
    const service = createEmulator();
    service.faults.add({ kind: 'status', status: 503, times: 1 });
    served = await serveEmulator(service, { console: true, onRequest: (line) => lines.push(line) });
    const own = ['Host: localhost', 'Sec-Fetch-Site: same-origin', ...background];
    expect(statusOf(await ask(served.port, ['GET /v1/posts/ HTTP/1.1', ...own]))).toBe(200);
    expect([service.requests, lines, service.faults.unused().length]).toEqual([[], [], 1]);
  });

  it.each([
    ['a page of another port', ['Origin: http://localhost:5173', 'Sec-Fetch-Site: same-site']],
    ['a page of another host', ['Origin: http://127.0.0.1:5173', 'Sec-Fetch-Site: cross-site']],
    ['a program that is not a browser', []],
  ])('%s cannot hide its requests as background', async (_, headers) => {
    const lines: RequestLine[] = [];
    const service = createEmulator();
    service.faults.add({ kind: 'status', status: 503, times: 1 });
    served = await serveEmulator(service, { console: true, onRequest: (line) => lines.push(line) });
    const reply = await ask(served.port, ['GET /v1/posts/ HTTP/1.1', 'Host: localhost', ...headers, ...background]);
    expect(statusOf(reply)).toBe(503);
    expect([service.requests.length, lines.length, service.faults.unused().length]).toEqual([1, 1, 0]);
  });
});

describe('events', () => {
  /** Reads a stream until it has shown something. */
  async function reading(url: string) {
    const reply = await fetch(`${url}/_emulator/events`);
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    return {
      reply,
      async until(pattern: RegExp) {
        while (!pattern.test(text)) {
          const next = (await reader?.read()) ?? { done: true };
          if (next.done) throw new Error(`It ended without that: ${text}`);
          text += next.value;
        }
        return text;
      },
      async end() {
        while (!(await reader?.read())?.done);
      },
    };
  }

  it('send every reader the requests with their replies, the posts, the clock and the faults', async () => {
    const service = createEmulator({ now: () => start });
    const { id } = service.seed.integration({ platform: 'tiktok' });
    served = await serveEmulator(service, { console: true });
    const readers = await Promise.all(Array.from({ length: 5 }, () => reading(served?.url ?? '')));
    const body = JSON.stringify({ content: 'a', publishNow: true, platforms: [{ platform: 'tiktok', accountId: id }] });
    await fetch(`${served.url}/v1/posts/`, { method: 'POST', headers: { 'x-access-key': 'test-key' }, body });
    await service.clock.advance({ hours: 1 });
    service.faults.add({ kind: 'timeout' });
    for (const reader of readers) {
      expect(reader.reply.headers.get('content-type')).toBe('text/event-stream');
      const text = await reader.until(/"what":"faults"/);
      expect(text).toMatch(/event: post\ndata: \{"postId":"post_1",.*"status":"published"/);
      expect(text).toMatch(/event: request\ndata: \{"id":"request_1",.*"status":200,"reply":\{"headers":/);
      expect(text).toMatch(/event: clock\ndata: \{"now":"2026-03-02T10:00:00.000Z"/);
    }
  });

  it('end with the server, which waits for no reader', async () => {
    served = await serveEmulator(createEmulator(), { console: true });
    const reader = await reading(served.url);
    await reader.until(/event: clock/);
    holdTimeouts(closeGraceMs);
    await Promise.all([served.close(), reader.end()]);
  });

  it('a reader that goes leaves nothing behind', async () => {
    const service = createEmulator();
    served = await serveEmulator(service, { console: true });
    const gone = new AbortController();
    const reply = await fetch(`${served.url}/_emulator/events`, { signal: gone.signal });
    gone.abort();
    await expect(reply.text()).rejects.toThrow();
    service.faults.add({ kind: 'timeout', times: 1 });
    expect((await fetch(`${served.url}/_emulator/clock`)).status).toBe(200);
  });
});

it('the session has an ID that is new after each start, so that a page notices a restart', async () => {
  const service = createEmulator();
  const instanceOf = async () => {
    const reply = await fetch(`${served?.url ?? ''}/_emulator/session`);
    return ((await reply.json()) as { readonly instance: string }).instance;
  };
  served = await serveEmulator(service, { console: true });
  const first = await instanceOf();
  expect(first).toMatch(/./);
  expect(await instanceOf()).toBe(first);
  await served.close();
  served = await serveEmulator(service, { console: true });
  expect(await instanceOf()).not.toBe(first);
});
