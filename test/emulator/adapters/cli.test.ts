import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const cli = fileURLToPath(new URL('../../../src/emulator/adapters/cli.ts', import.meta.url));

interface Command {
  readonly child: ChildProcess;
  output: string;
  errors: string;
}

let running: Command | undefined;
afterEach(() => {
  running?.child.kill('SIGKILL');
});

/** The command as a user calls it, from its source. */
function start(...args: string[]): Command {
  const child = spawn(process.execPath, ['--import', 'tsx', cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const command: Command = { child, output: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    command.output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    command.errors += text;
  });
  running = command;
  return command;
}

async function end({ child }: Command): Promise<unknown> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  return child.exitCode ?? child.signalCode;
}

async function shows(command: Command, pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const match = pattern.exec(command.output);
    if (match !== null) return match;
    if (command.child.exitCode !== null) throw new Error(`It ended without that: ${command.output}${command.errors}`);
    await once(command.child.stdout ?? command.child, 'data');
  }
}

describe('social-publishing-emulator', () => {
  it('serves the demo, logs requests, and ends cleanly with Ctrl-C', async () => {
    const command = start('--port', '0', '--seed', 'demo', '--access-key', 'mine');
    const [, url = ''] = await shows(command, /answers at (http:\/\/127\.0\.0\.1:\d+)\n/);
    await shows(command, /Ctrl-C/);
    expect(command.output).toContain('Access key: mine');
    expect(command.output).toContain('12 integrations, 60 posts');
    const reply = await fetch(`${url}/v1/posts/?limit=1`, { headers: { 'x-access-key': 'mine' } });
    expect(await reply.json()).toMatchObject({ success: true, total: 60 });
    expect((await fetch(`${url}/v1/posts/`)).status).toBe(401);
    await shows(command, /\d\d:\d\d:\d\d {2}GET {4}\/v1\/posts\/ {2}200 {2}\d+ ms\n.*GET {4}\/v1\/posts\/ {2}401/);
    command.child.kill('SIGINT');
    expect(await end(command)).toBe(0);
    expect(command.output).toMatch(/Stopped\.\n$/);
    expect(command.errors).toBe('');
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

  it('explains itself', async () => {
    const command = start('--help');
    expect(await end(command)).toBe(0);
    for (const flag of ['--port', '--seed', '--access-key', '--random-seed', '--quiet', '--version', '--help']) {
      expect(command.output).toContain(flag);
    }
  });

  it('tells its version', async () => {
    const command = start('--version');
    expect(await end(command)).toBe(0);
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(command.output).toBe(`${version}\n`);
  });

  it('ends quietly when nobody reads its output any more', async () => {
    const command = start('--port', '0');
    const [, url = ''] = await shows(command, /answers at (http:\S+)\n[^]*Ctrl-C/);
    command.child.stdout?.destroy();
    await fetch(`${url}/v1/posts/`).catch(() => 'ended before it answered');
    expect(await end(command)).toBe(0);
    expect(command.errors).toBe('');
  });

  it('says which port is busy, and what to do', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const port = String((server.address() as AddressInfo).port);
    const command = start('--port', port);
    const code = await end(command);
    server.close();
    expect(code).toBe(2);
    expect(command.errors).toBe(
      `Port ${port} is in use by another program. Choose one with --port, or --port 0 for any free one.\nSee --help.\n`,
    );
  });

  it.each([
    [['--prot', '1'], "Unknown option '--prot'"],
    [['--port', '65536'], '--port must be a whole number from 0 to 65535.'],
    [['--seed', 'full'], '--seed must be empty or demo.'],
  ])('refuses %j in one clear line', async (args, message) => {
    const command = start(...args);
    expect(await end(command)).toBe(2);
    expect(command.errors.split('\n')[0]).toContain(message);
    expect(command.errors).not.toContain('    at ');
    expect(command.output).toBe('');
  });
});
