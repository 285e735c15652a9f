import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveEmulator, type ServedEmulator } from '../../src/emulator/adapters/node.js';
import { createEmulator, type Emulator } from '../../src/emulator/index.js';
import { bundleProgram } from '../support/bundle-program.js';
import { hasSqlite } from '../support/run-program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const accessKey = 'the-access-key-of-the-process-test';
const program = bundleProgram('test/tools/mcp-process.ts');

let service: Emulator;
let served: ServedEmulator;
let accountId: string;
let folder: string;

beforeEach(async () => {
  service = createEmulator({ accessKey });
  accountId = service.seed.integration({ platform: 'bluesky', username: 'acme' }).id;
  served = await serveEmulator(service);
  folder = temporaryFolder('social-publishing-mcp');
});
afterEach(async () => {
  await served.close();
});

/** Starts a server, and keeps every byte that it writes to stdout and stderr. */
async function start(args: readonly string[], action: 'accept' | 'decline' = 'accept') {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', program, served.url, ...args],
    env: { PATH: process.env['PATH'] ?? '', TEST_ACCESS_KEY: accessKey },
    stderr: 'pipe',
  });
  const written: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => written.push(chunk.toString()));
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  let asked = 0;
  client.setRequestHandler('elicitation/create', () => {
    asked += 1;
    return { action, ...(action === 'accept' && { content: {} }) };
  });
  await client.connect(transport);
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    written.push(JSON.stringify(message));
    onmessage?.(message);
  };
  const kill = async () => {
    if (transport.pid !== null) process.kill(transport.pid, 'SIGKILL');
    await client.close().catch(() => undefined);
  };
  return { client, written, kill, asked: () => asked };
}

const publish = (key: string) => ({
  name: 'create_post',
  arguments: { key, content: `post ${key}`, mode: 'publish', accountIds: [accountId] },
});

describe('MCP over stdio', () => {
  it('initializes, lists, asks and publishes', async () => {
    const { client, written, kill } = await start(['draft']);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('create_post');
    const result = await client.callTool(publish('a'));
    expect(result.structuredContent).toMatchObject({ status: 'ok', data: { replayed: false } });
    expect(service.posts).toHaveLength(1);
    expect(written.join('')).not.toContain(accessKey);
    await kill();
  });
});

// Its test needs a store that outlives the process.
if (hasSqlite) {
  describe('an MCP server that is killed between and during calls', () => {
    it('publishes each key once', async () => {
      const keys = ['a', 'b', 'c', 'd'];
      const bytes: string[] = [];
      service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/posts/', times: 1 });
      for (let round = 0; round < 4; round += 1) {
        const { client, written, kill } = await start(['publish', join(folder, 'posts.db')]);
        const calls = keys.map((key) => client.callTool(publish(key)).catch(() => undefined));
        // The first processes die at once, in the middle of their calls; the last one ends them.
        if (round < 3) await sleep(round * 40);
        else await Promise.all(calls);
        bytes.push(...written);
        await kill();
        await sleep(250); // The lease of a dead process ends.
      }
      const contents = service.posts.map(({ content }) => content);
      expect(new Set(contents).size).toBe(contents.length);
      expect(contents.length).toBeLessThanOrEqual(keys.length);
      expect(bytes.join('')).not.toContain(accessKey);
    });
  });

  describe('two MCP servers with one store', () => {
    const db = () => join(folder, 'posts.db');

    it('publish the failed targets of a post once, for parallel calls with different retryKeys', async () => {
      const tiktok = service.seed.integration({ platform: 'tiktok', username: 'acme' }).id;
      service.publishing.outcome({ platform: 'tiktok', error: 'media rejected' });
      const servers = await Promise.all([start(['publish', db()]), start(['publish', db()])]);
      const { name, arguments: post } = publish('k');
      await servers[0].client.callTool({ name, arguments: { ...post, accountIds: [accountId, tiktok] } });
      await service.clock.advance({ minutes: 5 });
      const results = await Promise.all(
        ['r1', 'r2', 'r3', 'r4', 'r5', 'r6'].map((retryKey, index) =>
          servers[index % 2 === 0 ? 0 : 1].client.callTool({
            name: 'retry_failed_targets',
            arguments: { key: 'k', retryKey },
          }),
        ),
      );
      expect(service.posts).toHaveLength(2);
      const refused = results.filter(({ structuredContent }) =>
        JSON.stringify(structuredContent).includes('"rejected"'),
      );
      expect(refused).toHaveLength(5);
      for (const { kill } of servers) await kill();
    });

    it('ask once for a post that was not sent before the first one ended', async () => {
      service.faults.add({ kind: 'status', status: 401, route: 'POST /v1/posts/', times: 1 });
      const first = await start(['draft', db()]);
      const before = await first.client.callTool(publish('k'));
      expect(before.structuredContent).toMatchObject({ status: 'failed', data: { state: 'ready' } });
      expect(first.asked()).toBe(1);
      await first.kill();
      const second = await start(['draft', db()], 'decline');
      expect((await second.client.callTool(publish('other'))).structuredContent).toMatchObject({ status: 'rejected' });
      expect((await second.client.callTool(publish('k'))).structuredContent).toMatchObject({ status: 'ok' });
      expect(second.asked()).toBe(1);
      expect(service.posts).toHaveLength(1);
      await second.kill();
    });
  });
}
