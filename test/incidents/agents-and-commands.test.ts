import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryDurableStore } from '../../src/publisher/index.js';
import { accessKey, cliWorld, runCommand, type CliWorld } from '../support/cli.js';
import { ToolWorld } from '../tools/world.js';

describe('elsewhere, an agent that lost the thread repeated its call, and posted twice', () => {
  const call = (world: ToolWorld) => ({
    key: 'spring-sale',
    content: 'Our spring sale begins',
    mode: 'publish',
    accountIds: [world.instagram],
  });

  it('here, the same key returns the first post, also to another agent, also after a lost reply', async () => {
    const world = new ToolWorld();
    world.service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/posts/', times: 1 });
    for (let turn = 0; turn < 3; turn += 1) await world.agent({ mode: 'publish' })('create_post', call(world));
    expect(world.service.posts).toHaveLength(1);
    expect(world.writes).toHaveLength(1);
  });

  it('here, an agent that may only draft publishes nothing, whatever it was talked into', async () => {
    const world = new ToolWorld();
    const result = await world.agent({ mode: 'draft' })('create_post', call(world));
    expect(result.status).toBe('needs_approval');
    expect(world.writes).toEqual([]);
  });
});

describe('elsewhere, a command that ran again published again', () => {
  let world: CliWorld;
  let files: Map<string, MemoryDurableStore>;
  beforeEach(async () => {
    world = await cliWorld();
    files = new Map();
  });

  /** Runs the command with the store that it chooses for the address of the service. */
  const publish = (baseUrl: string) =>
    runCommand(
      [
        ...['publish', '--key', 'spring-sale', '--content', 'Our spring sale begins', '--base-url', baseUrl],
        ...['--target', `bluesky:${world.accountId}`, '--scheduled-for', '2099-01-01T09:00:00Z'],
      ],
      { env: { SOCIAL_PUBLISHING_ACCESS_KEY: accessKey, XDG_STATE_HOME: '/nonexistent' } },
      (file) => {
        const store = files.get(file) ?? new MemoryDurableStore();
        files.set(file, store);
        return Promise.resolve({ store, close: () => undefined });
      },
    );

  it('here, a cron job that starts twice publishes once', async () => {
    for (let run = 0; run < 2; run += 1) expect((await publish(world.url)).code).toBe(0);
    expect(world.creates()).toBe(1);
  });

  it('here, once: somebody wrote the address in capitals', async () => {
    for (const address of [world.url, world.url.replace('http:', 'HTTP:'), `${world.url}/x/..`])
      expect((await publish(address)).code).toBe(0);
    expect(world.creates()).toBe(1);
  });
});
