/** The same account twice: each command names it, and sends nothing. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { cliWorld, type CliWorld } from '../support/cli.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let world: CliWorld;
let folder: string;
beforeEach(async () => {
  world = await cliWorld();
  folder = temporaryFolder('repeated-target');
});

const post = (platform: string) => {
  const target = (platform: string) => ['--target', `${platform}:${world.accountId}`];
  return ['--content', 'Hello', ...target('bluesky'), ...target(platform), '--publish-now', '--yes'];
};

it.each([
  ['posts create', 'bluesky', () => ['posts', 'create']],
  ['posts create', 'threads', () => ['posts', 'create']],
  ['publish', 'bluesky', () => ['publish', '--key', 'k']],
  ['publish', 'threads', () => ['publish', '--key', 'k']],
])('%s, on bluesky and %s', async (_, platform, args) => {
  const { code, err } = await world.run([...args(), ...post(platform)]);
  expect(code).toBe(2);
  expect(err).toContain(`--target names the account '${world.accountId}' twice.`);
  expect(world.service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('campaign', async () => {
  const file = join(folder, 'posts.csv');
  const target = `bluesky:${world.accountId}`;
  await writeFile(file, `key,content,targets,time\nk,Hello,${target};${target},2099-01-01T00:00:00Z\n`);
  const { code, err } = await world.run(['campaign', file, '--yes']);
  expect(code).toBe(2);
  expect(err).toContain(`line 2, targets: '${target}' occurs twice: list it once`);
  expect(world.service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});
