import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { KillableProgram } from '../../support/killable-program.js';
import { hasSqlite, programWorld, type ProgramWorld } from '../../support/run-program.js';

const posts = 23;
let world: ProgramWorld;

beforeEach(async () => {
  world = await programWorld({ now: () => Date.now() });
  const { service, client } = world;
  const { id: accountId } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
  for (let number = 0; number < posts; number += 1)
    await client.posts.create({
      content: String(number),
      publishNow: true,
      platforms: [{ platform: 'bluesky', accountId }],
    });
});

const pages = () =>
  world.service.requests.filter(({ route }) => route === 'GET /v1/analytics/').map(({ query }) => query['page'] ?? '1');

describe.skipIf(!hasSqlite)('analytics-nightly', () => {
  it('continues at its position after the budget and after each kill, and repeats at most the page of a kill', async () => {
    const program = new KillableProgram(world, 'analytics-nightly');
    const args = ['--page-size', '2', '--max-credits', '5', '--db', join(program.folder, 'db')];
    // Each page takes a while, so that the program is killed while it reads one.
    world.service.faults.add({ route: 'GET /v1/analytics/', kind: 'latency', latencyMs: 100 });
    program.start(args);
    await eventually(() => {
      expect(pages()).toHaveLength(1);
    });
    await program.kill();
    for (let saved = 0; saved < 3; saved += 1) {
      await program.start(args).says('posts saved');
      await program.kill();
    }
    const codes: (number | null)[] = [];
    do codes.push((await program.start(args).ended).code);
    while (codes.at(-1) === 2);
    expect(codes.at(-1)).toBe(0);
    const all = Array.from({ length: 12 }, (_, index) => String(index + 1));
    expect([...new Set(pages())]).toEqual(all);
    expect(pages().length).toBeLessThanOrEqual(all.length + program.kills);
    const { out, code } = await program.start(args).ended;
    expect([code, out]).toEqual([0, expect.stringMatching(/is complete already\.\n0 credits used\.\n$/)]);
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(join(program.folder, 'db'));
    expect(database.prepare('SELECT count(*) AS count FROM metrics').get()).toEqual({ count: posts });
    database.close();
    console.log(
      `analytics-nightly: ${String(program.kills)} kills, ${String(codes.length)} further runs, ${String(all.length)} pages, ${String(world.service.creditsUsed)} credits, ${String(posts)} posts saved`,
    );
  });
});
