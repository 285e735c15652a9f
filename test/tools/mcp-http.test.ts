import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveMcpOverHttp, type ServedHttp } from '../../src/tools/mcp/serve.js';
import { ToolWorld } from './world.js';

const token = 'a-token-of-the-test';
const world = new ToolWorld();
let served: ServedHttp;

beforeAll(async () => {
  served = await serveMcpOverHttp({ tools: world.tools(), token });
});
afterAll(() => served.close());

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

function post(headers: Record<string, string>, url = served.url) {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(initialize),
  });
}

describe('MCP over HTTP', () => {
  it('lists and calls tools for a client with the token', async () => {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('list_accounts');
    const result = await client.callTool({ name: 'list_accounts', arguments: {} });
    expect(result.structuredContent).toMatchObject({ status: 'ok', data: { total: 3 } });
    await client.close();
  });

  it('listens on loopback only', () => {
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  });

  it.each([{}, { authorization: 'Bearer wrong' }, { authorization: `Basic ${token}` }])(
    'refuses a request without the token with 401',
    async (headers) => {
      const response = await post(headers);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await response.text()).not.toContain(token);
    },
  );

  it('refuses a page of another origin, with the token too', async () => {
    const response = await post({ authorization: `Bearer ${token}`, origin: 'https://evil.example' });
    expect(response.status).toBe(403);
  });

  it('refuses an opaque origin', async () => {
    expect((await post({ authorization: `Bearer ${token}`, origin: 'null' })).status).toBe(403);
  });

  it('serves a page of this machine', async () => {
    const response = await post({ authorization: `Bearer ${token}`, origin: 'http://localhost:6274' });
    expect(response.status).toBe(200);
    await response.text();
  });

  it('survives TRACE, a method that a Request cannot have', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request(served.url, { method: 'TRACE', headers: { authorization: `Bearer ${token}` } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(500);
    const response = await post({ authorization: `Bearer ${token}` });
    expect(response.status).toBe(200);
    await response.text();
  });

  it('refuses a request for another host, which a page could send through its own name', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'evil.example', authorization: `Bearer ${token}` };
      request(served.url, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end('{}');
    });
    expect(status).toBe(403);
  });

  it.each([undefined, '2026-07-28'])('asks for approval as far as revision %s can', async (pin) => {
    const client = new Client(
      { name: 'test', version: '1' },
      {
        capabilities: { elicitation: { form: {} } },
        ...(pin !== undefined && { versionNegotiation: { mode: { pin } } }),
      },
    );
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const, content: {} }));
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit }));
    const input = { key: `k-${String(pin)}`, content: 'Hello', mode: 'publish', accountIds: [world.instagram] };
    const result = await client.callTool({ name: 'create_post', arguments: input });
    expect(result.structuredContent).toMatchObject({ status: pin === undefined ? 'needs_approval' : 'ok' });
    if (pin === undefined) {
      const next = 'Over HTTP, revision 2025-11-25 of the protocol cannot ask the user.';
      expect(result.structuredContent).toMatchObject({ next: expect.stringContaining(next) as string });
      expect(result.structuredContent).toMatchObject({
        next: expect.stringContaining('same key and content') as string,
      });
    }
    await client.close();
  });

  it('names the client as the reason if it cannot ask, in revision 2026-07-28', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit }));
    const input = { key: 'k-client', content: 'Hello', mode: 'publish', accountIds: [world.instagram] };
    const result = await client.callTool({ name: 'create_post', arguments: input });
    const next = 'This client cannot ask the user: it does not support elicitation.';
    expect(result.structuredContent).toMatchObject({ next: expect.stringContaining(next) as string });
    await client.close();
  });

  it('refuses another path', async () => {
    expect((await post({ authorization: `Bearer ${token}` }, new URL('/', served.url).href)).status).toBe(404);
  });
});
