/** The programs of the recipes for operators: each is killed several times, and then runs to its end twice. */
import { join } from 'node:path';
import { SocialPublishing } from 'social-publishing';
import { createPublisher, type Publisher, type PublisherOptions } from 'social-publishing/publisher';
import { SqliteStore } from 'social-publishing/stores/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';
import { hasSqlite, programWorld, type Ended, type ProgramWorld } from '../../support/run-program.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const hour = 3_600_000;
const create = 'POST /v1/posts/';
let folder: string;
let world: ProgramWorld;
let db: string;
let store: SqliteStore;
let client: SocialPublishing;

/** A publisher of an hour ago, on a machine whose clock was right. */
const earlier = (options: Partial<PublisherOptions> = {}): Publisher =>
  createPublisher({ client, store, now: () => Date.now() - hour, ...options });

const draft = (content: string) => ({ content, saveAsDraft: true }) as const;

/** Kills the program again and again, at a request or after a time, then runs it to its end twice. */
async function killAndRun(
  program: string,
  args: readonly string[],
  env = {},
): Promise<{ kills: number; ends: Ended[] }> {
  let kills = 0;
  world.service.faults.add({ kind: 'latency', latencyMs: 20 });
  for (let round = 0; round < 14; round += 1) {
    const until = round % 2 === 0 ? world.service.requests.length + 1 + round / 2 : Infinity;
    const running = world.start(program, ['--db', db, ...args], env);
    const killer = setInterval(() => {
      if (world.service.requests.length >= until) running.child.kill('SIGKILL');
    }, 1);
    if (until === Infinity) setTimeout(() => running.child.kill('SIGKILL'), 100 + 20 * round);
    const { code } = await running.ended;
    clearInterval(killer);
    if (code === null) kills += 1;
  }
  const ends: Ended[] = [];
  for (let run = 0; run < 2; run += 1) ends.push(await world.start(program, ['--db', db, ...args], env).ended);
  return { kills, ends };
}

/** Every content at the service, in order. */
const contents = () => world.service.posts.map(({ content }) => content).sort();

describe.skipIf(!hasSqlite)('the programs of the recipes', () => {
  beforeEach(async () => {
    folder = temporaryFolder('recipes');
    world = await programWorld();
    db = join(folder, 'db');
    store = new SqliteStore(db);
    await store.setup();
    client = new SocialPublishing({ baseUrl: world.url, accessKey: 'key', maxRetries: 0 });
  });
  afterEach(async () => {
    await store.close();
  });

  it('after-outage publishes each intent once, however often it is killed', async () => {
    const publisher = earlier();
    const expected: string[] = [];
    for (let index = 0; index < 30; index += 1) {
      const kind = index % 3 === 0 ? 'reset_after_commit' : 'reset_before';
      world.service.faults.add({ route: create, kind, times: 1 });
      world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 503, times: 1 });
      const content = `Text ${String(index)}`;
      expect((await publisher.publish(`k/${String(index)}`, draft(content))).state).toBe('in_doubt');
      expected.push(content);
    }
    const { kills, ends } = await killAndRun('after-outage', ['--prefix', 'k/']);
    expect(kills).toBeGreaterThan(0);
    expect(ends[1]).toMatchObject({ code: ends[0]?.code });
    // A kill during a send leaves it open, because it was sent a moment ago.
    const { byState } = await publisher.stats();
    const left = byState.in_doubt + byState.sending;
    expect(left).toBeLessThanOrEqual(kills * 8);
    expect(new Set(contents()).size).toBe(contents().length);
    expect(contents().length + left).toBeGreaterThanOrEqual(expected.length);
  });

  it('after-failover finds the posts whose writes were lost, and changes nothing', async () => {
    const publisher = earlier();
    await publisher.publish('kept', draft('Kept'));
    await publisher.enqueue('rolled-back', draft('Mark lost'));
    // The lost writes of the old primary: a mark, and a whole intent.
    await client.posts.create(draft('Mark lost'));
    await client.posts.create(draft('Intent lost'));
    const since = new Date(Date.now() - hour).toISOString();
    const { kills, ends } = await killAndRun('after-failover', ['--since', since]);
    expect(kills).toBeGreaterThan(0);
    for (const { code, out } of ends) {
      expect(code).toBe(2);
      expect(out).toContain("post_2  looks like 'rolled-back'");
      expect(out).toContain('post_3  belongs to no intent.');
      expect(out).not.toContain('post_1');
    }
    expect(world.service.posts).toHaveLength(3);
    await createPublisher({ client, store }).resolve('rolled-back', { as: 'published', postId: 'post_2' });
    expect((await world.start('after-failover', ['--db', db, '--since', since]).ended).out).not.toContain('post_2');
  });

  it('two-projects publishes once in each scope', async () => {
    const env = { ACCESS_KEY_SHOP: 'key', ACCESS_KEY_BLOG: 'key' };
    const args = ['--key', 'welcome', '--content', 'Hello', 'shop', 'blog'];
    const { kills, ends } = await killAndRun('two-projects', args, env);
    expect(kills).toBeGreaterThan(0);
    expect(world.service.posts.length).toBeLessThanOrEqual(2);
    const states = ends.map(({ out }) =>
      [...out.matchAll(/ {2}(accepted|in_doubt|sending) {2}/g)].map(([, state]) => state),
    );
    expect(states[0]).toHaveLength(2);
    expect(ends[1]?.out).toBe(ends[0]?.out);
  });

  it('moved-service continues the intents of the old URL', async () => {
    const old = await serveEmulator(world.service);
    const before = createPublisher({
      client: new SocialPublishing({ baseUrl: old.url, accessKey: 'key', maxRetries: 0 }),
      store,
      now: () => Date.now() - hour,
    });
    for (let index = 0; index < 20; index += 1) {
      if (index % 2 === 0) world.service.faults.add({ route: create, kind: 'reset_after_commit', times: 1 });
      if (index % 2 === 0) world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 503, times: 1 });
      const content = draft(`Text ${String(index)}`);
      await (index % 2 === 0
        ? before.publish(`k/${String(index)}`, content)
        : before.enqueue(`k/${String(index)}`, content));
    }
    await old.close();
    expect(await createPublisher({ client, store }).stats()).toMatchObject({ otherServices: 20 });
    const { kills, ends } = await killAndRun('moved-service', ['--from', old.url]);
    expect(kills).toBeGreaterThan(0);
    expect(new Set(contents()).size).toBe(contents().length);
    const { byState } = await createPublisher({ client, store, service: old.url }).stats();
    expect(contents().length + byState.in_doubt + byState.sending).toBeGreaterThanOrEqual(20);
    expect(ends[1]?.out).toContain('in doubt');
  });
});
