import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execFileSync } from 'node:child_process';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startCliWorld, type CliWorld } from '../support/cli.js';
import { holdTimeouts } from '../support/held-timeouts.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let world: CliWorld;
const folder = temporaryFolder('cli', afterAll);
beforeAll(async () => {
  world = await startCliWorld();
});
afterAll(() => world.close());

const subscribe = (file: string) => [
  ...['notifications', 'create', '--channel', 'webhook', '--event-types', 'post.failed'],
  ...['--webhook-url', 'https://example.com/hook', '--secret-file', file],
];

describe('the secret of a new subscription', () => {
  it('may go to a pipe, and the mode of the pipe stays', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', ['-m', '644', pipe]);
    const [result, secret] = await Promise.all([world.run(subscribe(pipe)), readFile(pipe, 'utf8')]);
    expect(result.code).toBe(0);
    expect(secret.trim().length).toBeGreaterThan(8);
    expect((await stat(pipe)).mode & 0o777).toBe(0o644);
  });

  it('that cannot be saved exits with 4: the subscription exists', async () => {
    const pipe = join(folder, 'closed-pipe');
    execFileSync('mkfifo', [pipe]);
    const latencyMs = 19_001;
    const held = holdTimeouts(latencyMs);
    world.service.faults.add({ route: 'POST /v1/notifications/', kind: 'latency', latencyMs, times: 1 });
    const before = world.service.requests.length;
    const running = world.run(subscribe(pipe));
    const reader = await open(pipe, 'r');
    await expect.poll(() => world.service.requests.length).toBe(before + 1);
    await reader.close();
    held.expire();
    const { code, err, out } = await running;
    expect([code, out]).toEqual([4, '']);
    expect(err).toMatch(/The subscription 'notification_\d+' was created, but its secret could not be saved/);
    expect(err).toContain('Do not repeat the command');
  });
});
