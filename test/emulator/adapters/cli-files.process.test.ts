import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { address, end, shows, start } from './command.js';

const folder = () => mkdtempSync(join(tmpdir(), 'emulator-'));
const key = { 'x-access-key': 'test-key' };

function file(name: string, content: unknown): string {
  const path = join(folder(), name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function totalOf(url: string): Promise<unknown> {
  const reply = (await (await fetch(`${url}/v1/posts/`, { headers: key })).json()) as { total: unknown };
  return reply.total;
}

async function draft(url: string, content: string): Promise<string> {
  const body = JSON.stringify({ content, saveAsDraft: true });
  const reply = await fetch(`${url}/v1/posts/`, { method: 'POST', headers: key, body });
  return ((await reply.json()) as { postId: string }).postId;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('--state', () => {
  it('keeps everything that was answered 200 ms before a SIGKILL, and IDs continue', async () => {
    const state = join(folder(), 'state.json');
    const first = start('--port', '0', '--seed', 'demo', '--state', state, '--quiet');
    const url = await address(first);
    const ids: string[] = [];
    // Writes are under way all the time: the kill comes in the middle of one, as likely as not.
    for (let index = 0; index < 40; index += 1) ids.push(await draft(url, `post ${String(index)}`));
    await pause(200);
    const unheard = Array.from({ length: 20 }, (_, index) => draft(url, `late ${String(index)}`).catch(() => 'killed'));
    await pause(3);
    first.child.kill('SIGKILL');
    expect(await end(first)).toBe('SIGKILL');
    await Promise.all(unheard);
    expect(() => JSON.parse(readFileSync(state, 'utf8')) as unknown).not.toThrow();
    const second = start('--port', '0', '--state', state);
    const again = await address(second);
    const reply = await fetch(`${again}/v1/posts/?status=draft&limit=100`, { headers: key });
    const { posts } = (await reply.json()) as { posts: { postId: string }[] };
    const listed = new Set(posts.map(({ postId }) => postId));
    expect(ids.filter((id) => !listed.has(id))).toEqual([]);
    expect(listed.has(await draft(again, 'another'))).toBe(false);
    second.child.kill('SIGTERM');
    expect(await end(second)).toBe(0);
    expect(readdirSync(join(state, '..'))).toEqual(['state.json']);
  });

  it('writes the state without log lines, also if nothing changes for a while', async () => {
    const state = join(folder(), 'state.json');
    const command = start('--port', '0', '--state', state, '--quiet');
    const url = await address(command);
    await draft(url, 'first');
    await pause(400);
    await draft(url, 'second');
    await pause(200);
    command.child.kill('SIGTERM');
    expect(await end(command)).toBe(0);
    expect(command.errors).toBe('');
  });

  it('a state continues: its seed is ignored, its clock has not stopped, due events happen', async () => {
    const service = createEmulator({ now: () => Date.now() - 3_600_000 });
    const { id } = service.seed.integration({ platform: 'tiktok' });
    const scheduledFor = new Date(Date.now() - 1_800_000).toISOString();
    service.seed.post({ content: 'due', scheduledFor, platforms: [{ platform: 'tiktok', accountId: id }] });
    const written = { savedAt: Date.now() - 3_600_000, ...service.snapshot().toJSON() };
    const state = file('state.json', written);
    const command = start('--port', '0', '--state', state, '--seed', 'demo', '--quiet');
    const url = await address(command);
    expect(command.output).toContain(
      `--seed is ignored: ${state} contains a state, and the emulator continues from it.`,
    );
    const clock = (await (await fetch(`${url}/_emulator/clock`)).json()) as { milliseconds: number; running: boolean };
    expect(Math.abs(clock.milliseconds - Date.now())).toBeLessThan(600_000);
    await pause(100);
    const reply = await fetch(`${url}/v1/posts/`, { headers: key });
    expect(await reply.json()).toMatchObject({ total: 1, posts: [{ content: 'due', status: 'published' }] });
    command.child.kill('SIGTERM');
    expect(await end(command)).toBe(0);
  });

  it('the access key comes from the flag, else the environment, else the state file, else it is test-key', async () => {
    const state = join(folder(), 'state.json');
    const keyOf = async (args: readonly string[], variable?: string) => {
      const command = start(...args, { SOCIAL_PUBLISHING_ACCESS_KEY: variable });
      const [, accessKey] = await shows(command, /Access key: (\S+)\n/);
      command.child.kill('SIGTERM');
      expect(await end(command)).toBe(0);
      return accessKey;
    };
    const kept = ['--port', '0', '--quiet', '--state', state];
    expect(await keyOf(kept)).toBe('test-key');
    expect(await keyOf(kept, 'of-variable')).toBe('of-variable');
    expect(await keyOf(kept)).toBe('of-variable');
    expect(await keyOf([...kept, '--access-key', 'of-flag'], 'of-variable')).toBe('of-flag');
    expect(await keyOf(kept, '')).toBe('of-flag');
  });

  it.each([
    ['is not JSON', '{"format":', 'is not JSON'],
    ['is something else', { posts: [] }, 'not a state of the emulator'],
    ['is of a later version', { format: 'social-publishing-emulator', version: 9 }, 'of version 9'],
  ])('a file that %s is refused in one line and stays unchanged', async (_, content, message) => {
    const state = file('state.json', content);
    const before = readFileSync(state, 'utf8');
    const command = start('--port', '0', '--state', state);
    expect(await end(command)).toBe(2);
    const [line = '', ...rest] = command.errors.split('\n');
    expect(line).toContain(message);
    expect(line).toContain(state);
    expect(rest).toEqual(['See --help.', '']);
    expect(readFileSync(state, 'utf8')).toBe(before);
  });
});

describe('--seed with a file', () => {
  it('contains the data of the file, in any order of its parts', async () => {
    const seed = file('seed.json', {
      comments: [{ accountId: 'ig', postId: 'p1', text: 'nice' }],
      posts: [{ content: 'Hello', platforms: [{ platform: 'instagram' }] }],
      integrations: [{ id: 'ig', platform: 'instagram', username: 'acme' }],
    });
    const command = start('--port', '0', '--seed', seed, '--quiet');
    const url = await address(command);
    expect(await totalOf(url)).toBe(1);
    const query = 'platform=instagram&accountId=ig&postId=p1';
    const reply = await fetch(`${url}/v1/comments/?${query}`, { headers: key });
    expect(await reply.json()).toMatchObject({ comments: [{ text: 'nice' }] });
    command.child.kill('SIGTERM');
    await end(command);
  });

  it('names every bad entry with its place', async () => {
    const seed = file('seed.json', {
      integrations: [{ platform: 'instagram' }, { platform: 'myspace' }],
      posts: [{ contnt: 'a' }],
      comments: [{ accountId: 'nobody', postId: 'p' }],
      pots: [],
    });
    const command = start('--port', '0', '--seed', seed);
    expect(await end(command)).toBe(2);
    const [line = ''] = command.errors.split('\n');
    expect(line).toContain("'pots' is not a part of a seed file; did you mean 'posts'?");
    expect(line).toContain('integrations[1]: platform must be one of');
    expect(line).toContain('posts[0]: contnt is not a documented field');
    expect(line).toContain('comments[0]: seed.comment: accountId does not match an integration');
  });
});

describe('--scenario', () => {
  it('happens by the clock: faults, outcomes and seeds, each at its time', async () => {
    const scenario = file('scenario.json', [
      { at: { hours: 2 }, faults: { kind: 'status', status: 503, times: 1 } },
      {
        at: { hours: 1 },
        seed: { integrations: [{ id: 'tt', platform: 'tiktok' }] },
        outcomes: [{ platform: 'tiktok', error: 'down' }],
      },
    ]);
    const command = start('--port', '0', '--scenario', scenario, '--quiet');
    const url = await address(command);
    const advance = (hours: number) =>
      fetch(`${url}/_emulator/clock/advance`, { method: 'POST', body: JSON.stringify({ hours }) });
    const integrations = async () =>
      ((await (await fetch(`${url}/v1/connect/integrations`, { headers: key })).json()) as { total?: number }).total;
    expect(await integrations()).toBe(0);
    await advance(1);
    expect(await integrations()).toBe(1);
    await advance(1);
    expect((await fetch(`${url}/v1/posts/`, { headers: key })).status).toBe(503);
    expect(await (await fetch(`${url}/_emulator/outcomes`)).json()).toMatchObject({ outcomes: [{ error: 'down' }] });
    command.child.kill('SIGTERM');
    await end(command);
  });

  it('is checked whole at the start', async () => {
    const scenario = file('scenario.json', [
      { at: { hour: 2 }, faults: { kind: 'lost' } },
      { at: { hours: 2 }, faults: [{ kind: 'explode' }] },
      { at: {}, seed: { posts: [{ status: 'scheduled' }] } },
    ]);
    const command = start('--port', '0', '--scenario', scenario);
    expect(await end(command)).toBe(2);
    const [line = ''] = command.errors.split('\n');
    expect(line).toContain("[0].at: 'hour' is not a field of a duration; did you mean 'hours'?");
    expect(line).toContain("[1].faults: A fault's kind must be one of");
    expect(line).toContain('[2].seed.posts[0]: seed.post: a scheduled post needs scheduledFor');
  });
});

describe('what it says', () => {
  it('address, key and the three lines that a program needs, which run', async () => {
    const command = start('--port', '0', '--seed', 'demo');
    const url = await address(command);
    await shows(command, /Ctrl-C/);
    const code = command.output
      .split('\n')
      .filter((line) => line.startsWith('  '))
      .map((line) => line.trim());
    expect(code).toHaveLength(3);
    expect(code[1]).toBe(`const client = new SocialPublishing({ baseUrl: '${url}', accessKey: 'test-key' });`);
    const main = new URL('../../../src/index.ts', import.meta.url).href;
    const script = code.join('\n').replace("'social-publishing'", `'${main}'`);
    const args = ['--import', 'tsx', '--input-type=module', '-e', script];
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n').length).toBeGreaterThan(50);
    command.child.kill('SIGTERM');
    await end(command);
  });

  it('--no-log and --no-console omit the log and the console', async () => {
    const command = start('--port', '0', '--no-log', '--no-console');
    const url = await address(command);
    await shows(command, /Ctrl-C/);
    expect((await fetch(`${url}/_emulator/clock`)).status).toBe(404);
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect(command.output).not.toContain('Console');
    expect(command.output).not.toContain('GET');
    command.child.kill('SIGTERM');
    await end(command);
  });
});
