import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveEmulator, type ServedEmulator } from '../../src/emulator/adapters/node.js';
import { createEmulator, type Emulator } from '../../src/emulator/index.js';
import { hasSqlite } from '../support/run-program.js';

const accessKey = 'the-access-key-of-the-process-test';
const program = fileURLToPath(new URL('mcp-process.ts', import.meta.url));

let service: Emulator;
let served: ServedEmulator;
let accountId: string;
let folder: string;

beforeEach(async () => {
  service = createEmulator({ accessKey });
  accountId = service.seed.integration({ platform: 'bluesky', username: 'acme' }).id;
  served = await serveEmulator(service);
  folder = mkdtempSync(join(tmpdir(), 'social-publishing-mcp-'));
});
afterEach(async () => {
  await served.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a server, and keeps every byte that it writes to stdout and stderr. */
async function start(args: readonly string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', 'tsx', '--disable-warning=ExperimentalWarning', program, served.url, ...args],
    env: { PATH: process.env['PATH'] ?? '', TEST_ACCESS_KEY: accessKey },
    stderr: 'pipe',
  });
  const written: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => written.push(chunk.toString()));
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const, content: {} }));
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
  return { client, written, kill };
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
}
