import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createEmulator } from '../src/emulator/index.js';
import { serveEmulator } from '../src/emulator/adapters/node.js';
import { listening } from './support/listening.js';

const demo = fileURLToPath(new URL('../examples/demo.ts', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

function run(
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--import', 'tsx', demo, ...args],
      { cwd: root, env: { ...process.env, ...env } },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, output: stdout + stderr });
      },
    );
  });
}

test('the demo does the whole job and ends with 0', async () => {
  const { code, output } = await run(['--fast']);
  expect(output).toContain('Done.');
  expect(code).toBe(0);
  for (const words of [
    'verified post.scheduled',
    'verified post.partial',
    'failed    tiktok: The video is missing',
    '↳ Acme: Thank you!',
    'used 2, the service counted 2',
  ]) {
    expect(output).toContain(words);
  }
  expect(output.split('\n').filter((line) => line.length > 90)).toEqual([]);
});

test('against a real service the demo reads, says so, and sends nothing but reads', async () => {
  const service = createEmulator({ accessKey: 'live-key' });
  service.seed.integration({ platform: 'bluesky', username: 'acme' });
  const served = await serveEmulator(service);
  try {
    const { code, output } = await run(['--live', '--fast'], {
      SOCIAL_PUBLISHING_BASE_URL: served.url,
      SOCIAL_PUBLISHING_ACCESS_KEY: 'live-key',
    });
    expect(code).toBe(0);
    expect(output).toContain('This only reads');
    expect(output).toContain('@acme');
    expect(service.requests.length).toBeGreaterThan(0);
    expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
    expect(service.creditsUsed).toBe(0);
  } finally {
    await served.close();
  }
});

test('the demo ends with 1 and a clear message where a step fails', async () => {
  const { url } = await listening(createServer((socket) => socket.once('data', () => socket.destroy())));
  const env = { SOCIAL_PUBLISHING_BASE_URL: url, SOCIAL_PUBLISHING_ACCESS_KEY: 'live-key' };
  const { code, output } = await run(['--live', '--fast'], env);
  expect(code).toBe(1);
  expect(output).toContain('The demo failed: GET /v1/connect/integrations got no whole reply');
  expect(output).not.toContain('live-key');
});
