import { join } from 'node:path';
import { SocialPublishing } from 'social-publishing';
import { createPublisher, type Publisher } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasSqlite, programWorld, type ProgramWorld, type Running } from '../../support/run-program.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let folder: string;
let world: ProgramWorld;
let store: SqliteStore;
let client: SocialPublishing;
let publisher: Publisher;

const body = (accountId: string) => ({
  content: 'Hello',
  publishNow: true as const,
  platforms: [{ platform: 'bluesky' as const, accountId }],
});

describe.skipIf(!hasSqlite)('the publisher worker', () => {
  beforeEach(async () => {
    folder = temporaryFolder('publisher-worker');
    world = await programWorld();
    store = new SqliteStore(join(folder, 'db'));
    await store.setup();
    client = new SocialPublishing({ baseUrl: world.url, accessKey: 'key' });
    publisher = createPublisher({ client, store });
  });

  afterEach(async () => {
    await store.close();
  });

  const start = (...args: string[]): Running =>
    world.start('publisher-worker', ['--db', join(folder, 'db'), '--every', '0.2', ...args]);

  it('publishes intents that another process wrote, also later ones, and ends with 0 at SIGTERM', async () => {
    const { id } = world.service.seed.integration({ platform: 'bluesky', username: 'acme' });
    await publisher.enqueue('first', body(id));
    const worker = start();
    await worker.says('first  published  post_1');
    await publisher.enqueue('second', body(id));
    await worker.says('second  published  post_2');
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0, err: '' });
    expect(world.service.posts).toHaveLength(2);
  });

  it('reports an intent in doubt, and ends with 2', async () => {
    const { id } = world.service.seed.integration({ platform: 'bluesky', username: 'acme' });
    world.service.faults.add({ route: 'POST /v1/posts/', times: 1, kind: 'reset_before' });
    await publisher.enqueue('lost', body(id));
    const worker = start();
    await worker.says('lost  in_doubt');
    worker.child.kill('SIGINT');
    const { code, err } = await worker.ended;
    expect(err).toContain('lost is in doubt: ');
    expect(code).toBe(2);
    expect(world.service.posts).toHaveLength(0);
  });

  it('logs each change, and alerts about an intent that is late', async () => {
    const { id } = world.service.seed.integration({ platform: 'bluesky', username: 'acme' });
    // Written an hour ago, and the service refuses the access key.
    const early = createPublisher({ client, store, now: () => Date.now() - 3_600_000 });
    await early.enqueue('late', body(id));
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 401, times: 2 });
    const worker = start();
    const out = await worker.says('late  ready');
    expect(out).toContain('late  sending');
    worker.child.kill('SIGTERM');
    const { err } = await worker.ended;
    expect(err).toMatch(/^1 intents are late:\nlate {2}ready/);
  });

  it('refuses a pause that is not a number', async () => {
    expect(await start('--every', 'often').ended).toMatchObject({
      code: 1,
      err: '--every must be a number of seconds above 0, not often.\n',
    });
  });
});
