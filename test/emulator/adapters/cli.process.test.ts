import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { listening } from '../../support/listening.js';
import { end, shows, start } from './command.js';

describe('social-publishing emulator', () => {
  it('serves the demo, logs requests, and ends cleanly with Ctrl-C', async () => {
    const command = start('--port', '0', '--seed', 'demo', '--access-key', 'mine');
    const [, url = ''] = await shows(command, /answers at (http:\/\/127\.0\.0\.1:\d+)\n/);
    await shows(command, /Ctrl-C/);
    expect(command.output).toContain('Access key: mine');
    expect(command.output).toContain('12 integrations, 60 posts');
    expect(command.output).toContain('Without --state, each start uses the same post IDs again.');
    const reply = await fetch(`${url}/v1/posts/?limit=1`, { headers: { 'x-access-key': 'mine' } });
    expect(await reply.json()).toMatchObject({ success: true, total: 60 });
    expect((await fetch(`${url}/v1/posts/`)).status).toBe(401);
    await shows(
      command,
      /\d\d:\d\d:\d\d {2}GET {4}\/v1\/posts\/ {2}200 {2}\d+ ms\n(?:.*\n)*.*GET {4}\/v1\/posts\/ {2}401/,
    );
    command.child.kill('SIGINT');
    expect(await end(command)).toBe(0);
    expect(command.output).toMatch(/Stopped\.\n$/);
    expect(command.errors).toBe('');
  });

  it('logs deliveries, and records the reply and the latency of the receiver', async () => {
    const receiver = createServer((_, response) => response.end('thanks'));
    const { port } = await listening(receiver);
    const command = start('--port', '0');
    const [, url = ''] = await shows(command, /answers at (http:\S+)\n/);
    const post = (path: string, body: object) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'x-access-key': 'test-key', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await post('/v1/notifications/', {
      channel: 'webhook',
      eventTypes: ['post.scheduled'],
      webhook: { url: `http://127.0.0.1:${String(port)}/hook` },
    });
    const { id } = (await (await post('/_emulator/seed/integration', { platform: 'bluesky' })).json()) as {
      id: string;
    };
    const platforms = [{ platform: 'bluesky', accountId: id }];
    await post('/v1/posts/', { content: 'Hi', platforms, scheduledFor: '2099-01-01T00:00:00Z' });
    await shows(command, / {2}event {2}post\.scheduled to http:\/\/127\.0\.0\.1:\d+ {2}200 {2}\d+ ms\n/);
    const { deliveries } = (await (await fetch(`${url}/_emulator/deliveries`)).json()) as { deliveries: object[] };
    expect(deliveries).toMatchObject([{ ok: true, reply: 'thanks', latencyMs: expect.any(Number) as number }]);
    command.child.kill('SIGTERM');
    await end(command);
  });

  it('answers pages of the origins that --cors names', async () => {
    const command = start('--port', '0', '--quiet', '--cors', 'https://a.example', '--cors', 'https://b.example');
    const [, url = ''] = await shows(command, /answers at (http:\S+)\n/);
    const statuses = [];
    for (const origin of ['https://a.example', 'https://b.example', 'https://c.example'])
      statuses.push((await fetch(`${url}/v1/posts/`, { headers: { 'x-access-key': 'test-key', origin } })).status);
    expect(statuses).toEqual([200, 200, 403]);
  });

  it('ends at once with SIGTERM, even where a request hangs', async () => {
    const command = start('--port', '0', '--quiet');
    const [, port = ''] = await shows(command, /answers at http:\/\/127\.0\.0\.1:(\d+)\n/);
    // A request whose body never comes.
    const hanging = fetch(`http://127.0.0.1:${port}/v1/posts/`, {
      method: 'POST',
      body: new ReadableStream(),
      duplex: 'half',
      headers: { 'x-access-key': 'test-key' },
    } as RequestInit).catch(() => 'broken off');
    await new Promise((resolve) => setImmediate(resolve));
    command.child.kill('SIGTERM');
    expect(await end(command)).toBe(0);
    expect(await hanging).toBe('broken off');
  });

  it('prints only the address and the key with --quiet', async () => {
    const command = start('--port', '0', '--quiet', '--seed', 'demo');
    await shows(command, /Access key: .*\n/);
    command.child.kill('SIGTERM');
    expect(await end(command)).toBe(0);
    expect(command.output).toMatch(/^The emulator answers at \S+\nAccess key: test-key\n$/);
    expect(command.errors).toBe('');
  });

  it('explains itself', async () => {
    const command = start('--help');
    expect(await end(command)).toBe(0);
    for (const flag of ['port', 'host', 'seed', 'state', 'scenario', 'access-key', 'random-seed', 'no-console', 'open'])
      expect(command.output).toContain(`--${flag}`);
    for (const flag of ['cors', 'no-log', 'quiet', 'version', 'help']) expect(command.output).toContain(`--${flag}`);
    expect(command.output).toMatch(/\n\nExample:\n  \S+( \S+)? --seed demo --open\n$/);
    const lines = command.output.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(24);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it('prints its version', async () => {
    const command = start('--version');
    expect(await end(command)).toBe(0);
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(command.output).toBe(`${version}\n`);
  });

  it('ends quietly when its output is closed', async () => {
    const command = start('--port', '0');
    const [, url = ''] = await shows(command, /answers at (http:\S+)\n[^]*Ctrl-C/);
    command.child.stdout?.destroy();
    await fetch(`${url}/v1/posts/`).catch(() => 'ended before it answered');
    expect(await end(command)).toBe(0);
    expect(command.errors).toBe('');
  });

  it('says which port is busy, and what to do', async () => {
    const port = String((await listening(createServer())).port);
    const command = start('--port', port);
    expect(await end(command)).toBe(2);
    expect(command.errors).toBe(
      `Port ${port} is in use by another program. Choose another with --port, or --port 0 for any free port.\nSee --help.\n`,
    );
  });

  it.each([
    [['--prot', '1'], "Unknown option '--prot'; did you mean '--port'?"],
    [['--no-consle'], "Unknown option '--no-consle'; did you mean '--console'?"],
    [['--host', 'no.such.address.invalid', '--port', '0'], "--host 'no.such.address.invalid' is not an address"],
    [
      ['--state', '/no/such/folder/state.json', '--port', '0'],
      "--state: cannot write '/no/such/folder/state.json' (ENOENT).",
    ],
    [['--scenario', '/no/such/file.json'], "--scenario: the file '/no/such/file.json' does not exist."],
    [['--open', '--no-console'], '--open opens the console, so it cannot be combined with --no-console.'],
    [['--access-key'], 'argument missing'],
    [['--access-key', 'a b'], '--access-key must be printable ASCII without spaces.'],
    [['--cors', 'example.com', '--port', '0'], '--cors must be an origin such as https://app.example.com'],
    [['--port', '65536'], '--port must be a whole number from 0 to 65535.'],
    [['--seed', 'full'], "--seed must be empty, demo or a JSON file: the file 'full' does not exist."],
  ])('refuses %j in one clear line', async (args, message) => {
    const command = start(...args);
    expect(await end(command)).toBe(2);
    expect(command.errors.split('\n')[0]).toContain(message);
    expect(command.errors.split('\n')).toHaveLength(3);
    expect(command.errors).not.toContain('    at ');
    expect(command.output).toBe('');
  });
});

describe('social-publishing emulator exec', () => {
  const run = async (...args: string[]) => {
    const command = start('exec', ...args);
    return { code: await end(command), output: command.output, errors: command.errors };
  };

  it('runs a command against a fresh emulator, and ends with its exit code', async () => {
    const program = `
      const { SOCIAL_PUBLISHING_BASE_URL: url, SOCIAL_PUBLISHING_ACCESS_KEY: key } = process.env;
      const reply = await fetch(url + '/v1/posts/?limit=1', { headers: { 'x-access-key': key } });
      console.log(reply.status, (await reply.json()).total);
      process.exit(7);`;
    const node = [process.execPath, '--input-type=module', '-e', program];
    expect(await run('--', ...node)).toEqual({ code: 7, output: '200 0\n', errors: '' });
    expect(await run('--seed', 'demo', '--', ...node)).toMatchObject({ code: 7, output: '200 60\n' });
  });

  it('ends with 128 and the number of the signal that ended the command', async () => {
    expect(await run('--', 'sh', '-c', 'kill -9 $$')).toMatchObject({ code: 137 });
  });

  it('exits with 2 without a command, and for a command that does not exist', async () => {
    expect(await run()).toMatchObject({ code: 2, errors: expect.stringContaining('exec -- COMMAND') as string });
    const missing = await run('--', '/nonexistent/program');
    expect(missing).toMatchObject({ code: 2, errors: expect.stringContaining('did not start: ENOENT') as string });
  });
});
