import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../src/emulator/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { bundleProgram } from '../support/bundle-program.js';
import { listening } from '../support/listening.js';
import { startCommand, startRedirected, type Started } from './command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** The store of the command is a file of SQLite, which Node has from 22.13 on. */
const hasSqlite = isBuiltin('node:sqlite');
const key = 'key-of-the-tests';

let folder: string;
let service: Emulator;
let served: { url: string; close: () => Promise<unknown> };
let accountId: string;
let started: Started[];

beforeEach(async () => {
  started = [];
  folder = temporaryFolder('cli');
  service = createEmulator({ accessKey: key });
  served = await serveEmulator(service, { realTime: true, console: true });
  accountId = service.seed.integration({ platform: 'bluesky', username: 'acme' }).id;
});

afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await served.close();
});

const settings = () => ({
  SOCIAL_PUBLISHING_BASE_URL: served.url,
  SOCIAL_PUBLISHING_ACCESS_KEY: key,
  XDG_STATE_HOME: folder,
});

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const command = startCommand(args, { ...settings(), ...env });
  started.push(command);
  return command;
}

describe('the command', () => {
  it('prints its version, help and results, and nothing else', async () => {
    expect(await start(['--version']).ended).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
      err: '',
    });
    const list = await start(['integrations', 'list']).ended;
    expect([list.code, JSON.parse(list.out), list.err]).toMatchObject([0, [{ id: accountId }], '']);
    expect((await start(['posts', 'list', '--stauts', 'x']).ended).code).toBe(2);
  });

  it.runIf(existsSync('/dev/full')).each([
    [['posts', 'list'], 1, 'Run the command again.'],
    [['--version'], 1, 'Run the command again.'],
    [['posts', 'create', '--content', 'A', '--save-as-draft'], 4, 'do not repeat it'],
    [['posts', 'list', '--nope'], 2, 'unknown option'],
  ])('that cannot write the result of %j exits with %i', async (args, code, message) => {
    const { code: exitCode, err } = await startRedirected('> /dev/full', args, settings()).ended;
    expect([exitCode, err]).toEqual([code, expect.stringContaining(message)]);
  });

  it('keeps its exit code if the reader of its result stops reading', async () => {
    service.publishing.outcome({ platform: 'bluesky', error: 'media rejected' });
    const post = ['--content', 'A', '--target', `bluesky:${accountId}`, '--publish-now', '--yes'];
    expect(await startRedirected('> >(true)', ['posts', 'create', ...post], settings()).ended).toMatchObject({
      code: 3,
      err: '',
    });
  });

  it('ends with 0 if the reader of a list stops reading', async () => {
    const { code, err } = await startRedirected('> >(true)', ['posts', 'list', '--all'], settings()).ended;
    expect([code, err]).toEqual([0, '']);
  });

  it.runIf(existsSync('/dev/full'))('keeps its exit code if stderr cannot be written', async () => {
    expect((await startRedirected('2> /dev/full', ['posts', 'list', '--nope'], settings()).ended).code).toBe(2);
  });

  it('ends with 130 after Ctrl-C', async () => {
    service.faults.add({ route: 'GET /v1/posts/', kind: 'latency', latencyMs: 60_000 });
    const { child, ended } = start(['posts', 'list']);
    await expect.poll(() => service.requests.length).toBe(1);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, out: '' });
  });

  it('ends with 143 after SIGTERM', async () => {
    service.faults.add({ route: 'GET /v1/posts/', kind: 'latency', latencyMs: 60_000 });
    const { child, ended } = start(['posts', 'list', '--json']);
    await expect.poll(() => service.requests.length).toBe(1);
    child.kill('SIGTERM');
    const { code, err } = await ended;
    expect([code, JSON.parse(err)]).toMatchObject([143, { error: { exitCode: 143 } }]);
  });

  it.runIf(hasSqlite)('that reads a store creates none: a misspelt --store', async () => {
    const store = join(folder, 'mispelt.db');
    const read = [
      ['intents', 'list'],
      ['intents', 'show', 'a'],
      ['intents', 'resolve', 'a', '--as', 'abandoned', '--yes'],
      ['intents', 'stats'],
      ['intents', 'sweep'],
      ['intents', 'sweep', '--dry-run'],
      ['intents', 'prune', '--older-than', '2027-01-01T00:00:00Z'],
    ];
    for (const args of read) {
      const { code, err } = await start([...args, '--store', store]).ended;
      expect([args, code, err]).toEqual([args, 2, expect.stringContaining(`There is no store ${store}.`)]);
    }
    expect(await readdir(folder)).toEqual([]);
    // The store of the base URL may be new: nothing was published yet.
    expect(await start(['intents', 'sweep']).ended).toMatchObject({ code: 0, out: '[]\n' });
  });

  it('runs the emulator as its alias does', async () => {
    const { child, ended } = start(['emulator', '--port', '0']);
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
    await expect.poll(() => out).toContain('Ctrl-C');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining('Stopped.') as string });
    expect((await start(['emulator', '--help']).ended).out).toContain('Usage: social-publishing emulator');
    expect((await start(['emulator', '--prot', '1']).ended).code).toBe(2);
  });
});

describe('the completion of bash', () => {
  it('completes commands and options', async () => {
    const { out } = await start(['completion', 'bash']).ended;
    const complete = (...words: string[]) => {
      const array = words.map((word) => `'${word}'`).join(' ');
      const script = `${out}\nCOMP_WORDS=(${array}); COMP_CWORD=${String(words.length - 1)}; _social_publishing; echo "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim();
    };
    expect(complete('social-publishing', 'po')).toBe('posts');
    expect(complete('social-publishing', 'posts', 'up')).toBe('update-scheduled');
    expect(complete('social-publishing', 'posts', 'create', '--dry')).toBe('--dry-run');
    expect(complete('social-publishing', 'publish', '--k')).toBe('--key');
    expect(complete('social-publishing', 'campaign', 'rows.csv', '--dry')).toBe('--dry-run');
  });
});

if (hasSqlite) {
  describe('a campaign of 30 rows', () => {
    it('is killed twice, and finishes with exactly 30 posts', async () => {
      service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs: 100 });
      const file = join(folder, 'spring.csv');
      const rows = Array.from({ length: 30 }, (_, index) => {
        const number = String(index);
        return `k${number},Post ${number},2099-03-29T09:00,Europe/Berlin,bluesky:${accountId}`;
      });
      await writeFile(file, ['key,content,time,zone,targets', ...rows].join('\n'));
      for (const enough of [6, 15]) {
        const { child, ended } = start(['campaign', file]);
        await expect.poll(() => service.posts.length).toBeGreaterThanOrEqual(enough);
        child.kill('SIGKILL');
        expect((await ended).code).toBeNull();
        expect(service.posts.length).toBeLessThan(30);
      }
      let last = await start(['campaign', file, '--wait', '--json']).ended;
      // If the kill cut off a request before it arrived, the intent is in doubt, and only an operator can decide.
      const { rows: results } = JSON.parse(last.out) as { rows: { key: string; state: string }[] };
      for (const { key: name, state } of results) {
        if (state === 'in_doubt')
          expect((await start(['intents', 'resolve', name, '--as', 'not_sent', '--yes']).ended).code).toBe(0);
      }
      if (last.code === 4) last = await start(['campaign', file, '--wait']).ended;
      expect(last.code).toBe(0);
      const contents = service.posts.map(({ content }) => content);
      expect([contents.length, new Set(contents).size]).toEqual([30, 30]);
    });
  });

  describe('publish', () => {
    it('that is killed while it sends is not sent again', async () => {
      service.faults.add({ route: 'POST /v1/posts/', kind: 'timeout', commit: true, times: 1 });
      const args = ['publish', '--key', 'a', '--content', 'A', '--target', `bluesky:${accountId}`];
      const { child, ended } = start([...args, '--scheduled-for', '2099-01-01T09:00:00Z']);
      await expect.poll(() => service.posts.length).toBe(1);
      child.kill('SIGKILL');
      await ended;
      const again = await start([...args, '--scheduled-for', '2099-01-01T09:00:00Z']).ended;
      expect([again.code, JSON.parse(again.out)]).toMatchObject([4, { state: 'sending' }]);
      expect(service.posts).toHaveLength(1);
    });

    it('keeps one SQLite file for the base URL in XDG_STATE_HOME', async () => {
      const args = ['publish', '--key', 'a', '--content', 'A', '--save-as-draft'];
      expect(await start(args).ended).toMatchObject({ code: 0, err: '' });
      const files = await readdir(join(folder, 'social-publishing'));
      expect(files.filter((name) => name.endsWith('.db'))).toHaveLength(1);
    });
  });

  describe('webhooks listen', () => {
    let url: string;
    let seen: string[];
    /** Whether the receiver keeps a delivery without an answer. */
    let isHanging: boolean;

    beforeEach(async () => {
      seen = [];
      isHanging = true;
      const server = createServer((request, response) => {
        seen.push(String(request.headers['x-service-event-id']));
        request.resume();
        if (!isHanging) response.end('ok');
      });
      ({ url } = await listening(server));
    });

    it('that is killed during a delivery repeats it with the same event ID', async () => {
      const env = { SOCIAL_PUBLISHING_WEBHOOK_SECRET: 'a-webhook-secret-of-tests' };
      const first = start(['webhooks', 'listen', '--forward-to', url], env);
      await expect.poll(() => service.requests.length).toBeGreaterThan(3);
      const args = ['posts', 'create', '--content', 'A', '--target', `bluesky:${accountId}`, '--publish-now', '--yes'];
      expect((await start(args).ended).code).toBe(0);
      await expect.poll(() => seen.length).toBe(1);
      first.child.kill('SIGKILL');
      await first.ended;
      isHanging = false;
      const second = start(['webhooks', 'listen', '--forward-to', url], env);
      await expect.poll(() => seen.length).toBe(2);
      second.child.kill('SIGINT');
      expect((await second.ended).code).toBe(130);
      expect(seen[1]).toBe(seen[0]);
    });
  });

  describe('mcp', () => {
    const env = () => ({
      ...process.env,
      SOCIAL_PUBLISHING_BASE_URL: served.url,
      SOCIAL_PUBLISHING_ACCESS_KEY: key,
      XDG_STATE_HOME: folder,
    });
    const draft = { name: 'create_post', arguments: { key: 'a', content: 'A' } };

    it('serves the tools over stdio, and a repeated call creates nothing', async () => {
      const client = new Client({ name: 'test', version: '1' });
      const args = [bundleProgram('src/cli/main.ts'), 'mcp'];
      await client.connect(new StdioClientTransport({ command: process.execPath, args, env: env(), stderr: 'ignore' }));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['create_post', 'send_message', 'resolve_post']),
      );
      for (let call = 0; call < 2; call += 1)
        expect(await client.callTool(draft)).toMatchObject({ structuredContent: { status: 'ok' } });
      await client.close();
      expect(service.posts).toMatchObject([{ content: 'A', status: 'draft' }]);
    });

    it('serves HTTP with a bearer token: 401 without it, and no token of a file in the output', async () => {
      const file = join(folder, 'token');
      await writeFile(file, 'a-bearer-token-of-tests\n');
      const { child, ended } = start(['mcp', '--http', '--token-file', file]);
      let err = '';
      child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
      await expect.poll(() => /http:\S+\/mcp/.exec(err)?.[0]).toBeDefined();
      const url = /http:\S+\/mcp/.exec(err)?.[0] ?? '';
      expect((await fetch(url, { method: 'POST' })).status).toBe(401);
      const client = new Client({ name: 'test', version: '1' });
      const requestInit = { headers: { authorization: 'Bearer a-bearer-token-of-tests' } };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
      expect(await client.callTool(draft)).toMatchObject({ structuredContent: { status: 'ok' } });
      await client.close();
      child.kill('SIGINT');
      expect(await ended).toMatchObject({ code: 130, out: '' });
      expect(err).not.toContain('a-bearer-token');
    });

    it('prints a random token to stderr', async () => {
      const { child, ended } = start(['mcp', '--http']);
      let err = '';
      child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
      await expect.poll(() => err).toMatch(/Authorization: Bearer \S{40,}/);
      child.kill('SIGINT');
      expect((await ended).out).toBe('');
    });
  });
}
