/**
 * Runs the server scenarios of @modelcontextprotocol/conformance that apply to `social-publishing mcp --http`. Exits with
 * 1 if one of them fails. npx installs the program into its own cache.
 */
import { execFile } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SocialPublishing } from '../../src/index.js';
import { createEmulator } from '../../src/emulator/index.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';
import { createTools } from '../../src/tools/index.js';
import { serveMcpOverHttp } from '../../src/tools/mcp/serve.js';

/** The other scenarios need tools, resources and prompts with fixed names. */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
];
/** The program needs Node 22. */
const packages = ['--package', 'node@24', '--package', '@modelcontextprotocol/conformance@0.1.16'];
const token = 'a-token-of-the-conformance-run';

const service = createEmulator({ accessKey: 'test-key' });
const { id: accountId } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
const client = new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'test-key', fetch: service.fetch });
const store = new MemoryDurableStore();
const tools = createTools({ client, publisher: createPublisher({ client, store }), store });
const served = await serveMcpOverHttp({ tools, token });
const proxy = await serveProxy(served.url);
const folder = mkdtempSync(join(tmpdir(), 'social-publishing-conformance-'));
const { port } = proxy.address() as AddressInfo;

let failed = 0;
try {
  for (const scenario of scenarios) if (!(await runScenario(scenario))) failed += 1;
  if (!(await asksAgainForTamperedState())) failed += 1;
} finally {
  proxy.close();
  await served.close();
  rmSync(folder, { recursive: true });
}
console.log(failed === 0 ? 'All scenarios passed.' : `${String(failed)} scenarios failed.`);
process.exitCode = failed === 0 ? 0 : 1;

/** The program sends no token, so this proxy adds it. It passes Host and Origin on. */
async function serveProxy(url: string): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const sent = request(url, { method: incoming.method ?? 'GET', headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function runScenario(scenario: string): Promise<boolean> {
  const url = `http://localhost:${String(port)}/mcp`;
  const args = ['--yes', ...packages, '--', 'conformance', 'server', '--url', url, '--scenario', scenario];
  const { isDone, output } = await new Promise<{ isDone: boolean; output: string }>((resolve) => {
    execFile('npx', args, { cwd: folder }, (error, stdout, stderr) => {
      resolve({ isDone: error === null, output: `${stdout}${stderr}` });
    });
  });
  const summary = /Passed: .*/.exec(output)?.[0] ?? output;
  console.log(`${scenario}: ${isDone ? 'passed' : 'failed'}. ${summary}`);
  return isDone;
}

/** The program has no scenario for it: a client of revision 2026-07-28 changes the state of the question. */
async function asksAgainForTamperedState(): Promise<boolean> {
  let asked = 0;
  const changed: string[] = [];
  const tampering: typeof fetch = (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : '';
    if (changed.length > 0 || !body.includes('"requestState"')) return fetch(input, init);
    changed.push(body);
    return fetch(input, { ...init, body: body.replace(/"requestState":"[^"]{8}/, '"requestState":"v1.AAAAA') });
  };
  const agent = new Client(
    { name: 'conformance', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  agent.setRequestHandler('elicitation/create', () => {
    asked += 1;
    return { action: 'accept' as const, content: {} };
  });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await agent.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit, fetch: tampering }));
  const post = { key: 'tampered', content: 'Hello', mode: 'publish', accountIds: [accountId] };
  await agent.callTool({ name: 'create_post', arguments: post });
  await agent.close();
  const isDone = changed.length === 1 && asked === 2 && service.posts.length === 1;
  console.log(`tampered state: ${isDone ? 'passed' : 'failed'}. The user was asked ${String(asked)} times.`);
  return isDone;
}
