import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasSqlite, programWorld, type ProgramWorld, type Running } from '../../support/run-program.js';
import { eventually } from '../../support/eventually.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const secret = 'whk_of-the-tests';
let folder: string;
let world: ProgramWorld;
let platforms: { platform: 'bluesky' | 'tiktok'; accountId: string }[];

beforeEach(async () => {
  folder = temporaryFolder('webhook-receiver');
  world = await programWorld({ now: () => Date.now() });
  const { service } = world;
  platforms = (['bluesky', 'tiktok'] as const).map((platform) => ({
    platform,
    accountId: service.seed.integration({ platform, username: 'acme' }).id,
  }));
  service.publishing.outcome({ platform: 'tiktok', error: 'media rejected' });
});

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  return world.start('webhook-receiver', ['--port', '0', '--db', join(folder, 'db'), ...args], {
    WEBHOOK_SECRET: secret,
    ...env,
  });
}

async function listening(args: readonly string[] = []) {
  const running = start(args);
  const [, port = ''] = /on port (\d+)/.exec(await running.says('listening on port')) ?? [];
  return { ...running, url: `http://127.0.0.1:${port}/` };
}

const publish = async (content: string) => {
  await world.client.posts.create({ content, publishNow: true, platforms });
  await world.service.settled();
};

describe.skipIf(!hasSqlite)('the webhook receiver', () => {
  it('reports which target failed and why, refuses unsigned deliveries, and exits with 0 at a signal', async () => {
    const receiver = await listening();
    await receiver.says('caught up: 0 events');
    world.service.seed.subscription({ webhook: { url: receiver.url, secret } });
    await publish('Hello');
    await receiver.says(`tiktok ${platforms[1]?.accountId ?? ''}: media rejected`);
    const forged = await fetch(receiver.url, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(forged.ok).toBe(false);
    receiver.child.kill('SIGTERM');
    const { code, out, err } = await receiver.ended;
    expect(out).toMatch(/post\.partial {2}post_\S+ {2}Hello\n/);
    expect(err).toContain('refused a delivery: missing_header');
    expect(code).toBe(0);
  });

  it('catches up on events of its downtime, and reports none twice', async () => {
    const since = new Date(world.service.clock.now() - 60_000).toISOString();
    await publish('While it was down');
    const first = await listening(['--since', since]);
    await first.says('(caught up)');
    first.child.kill('SIGINT');
    expect((await first.ended).code).toBe(0);

    const second = await listening(['--since', since]);
    await second.says('caught up: 0 events');
    second.child.kill('SIGINT');
    expect((await second.ended).out).not.toContain('While it was down');
  });

  it('finds the event of a post whose deliveries all failed while it ran', async () => {
    const since = new Date(world.service.clock.now() - 60_000).toISOString();
    const receiver = await listening(['--since', since, '--every', '0.3']);
    await receiver.says('caught up: 0 events');
    await publish('Never delivered');
    await receiver.says('Never delivered  (caught up)');
    receiver.child.kill('SIGTERM');
    expect((await receiver.ended).code).toBe(0);
  });
});

describe.skipIf(!hasSqlite)('the webhook receiver that can not catch up', () => {
  const since = ['--since', '2026-03-01T00:00:00Z'];

  it('still receives deliveries where the service refuses, says so, and catches up later', async () => {
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 401, times: 1 });
    const receiver = await listening([...since, '--every', '0.3']);
    await receiver.says('caught up: 0 events');
    receiver.child.kill('SIGTERM');
    const { code, err } = await receiver.ended;
    expect(err).toMatch(/could not catch up.*401/);
    expect(code).toBe(0);
  });

  it('does not listen without a key', async () => {
    const { code, out, err } = await start(since, { SOCIAL_PUBLISHING_ACCESS_KEY: '' }).ended;
    expect(out).toBe('');
    expect(err).toMatch(/accessKey/);
    expect(code).toBe(1);
  });

  it('obeys a signal while the service is silent', async () => {
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'timeout' });
    const receiver = await listening(since);
    await eventually(() => {
      expect(world.service.requests).toHaveLength(1);
    });
    receiver.child.kill('SIGTERM');
    expect((await receiver.ended).code).toBe(0);
  });
});

it.skipIf(!hasSqlite)('does not start without a secret', async () => {
  const running = world.start('webhook-receiver', ['--db', join(folder, 'db')], { WEBHOOK_SECRET: '' });
  const { code, err } = await running.ended;
  expect(err).toMatch(/secret/);
  expect(code).toBe(1);
});
