import { beforeEach, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { KillableProgram } from '../../support/killable-program.js';
import { programWorld, type ProgramWorld } from '../../support/run-program.js';

let world: ProgramWorld;
let names: Map<string, string>;

// Posts of three days: scheduled and published immediately, failed, partial and published.
beforeEach(async () => {
  world = await programWorld({ now: () => Date.parse('2027-03-01T12:00:00Z') });
  const { service, client } = world;
  const target = (platform: 'bluesky' | 'tiktok') => ({
    platform,
    accountId: service.seed.integration({ platform, username: 'acme' }).id,
  });
  const [good, bad] = [target('bluesky'), target('tiktok')];
  service.publishing.outcome({ platform: 'tiktok', error: 'media rejected' });
  names = new Map();
  const create = async (content: string, platforms: readonly (typeof good)[], scheduledFor?: string) => {
    const mode = scheduledFor === undefined ? { publishNow: true as const } : { scheduledFor };
    names.set((await client.posts.create({ content, platforms, ...mode })).postId, content);
  };
  await create('yesterday, scheduled the day before', [bad], '2027-03-02T23:30:00Z');
  await create('on the day before', [bad]);
  await create('too late', [bad], '2027-03-03T00:00:00Z');
  await service.clock.advance({ hours: 13 });
  await create('yesterday at once', [bad]);
  await create('yesterday at once, partial', [good, bad]);
  await create('yesterday, published', [good]);
  await service.clock.advance({ days: 2 });
});

const found = (out: string) => {
  const posts = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { postId: string; targets: readonly unknown[] });
  expect(posts.map(({ targets }) => targets)).toEqual(
    posts.map((): unknown[] => [expect.objectContaining({ error: 'media rejected' })]),
  );
  return posts.map(({ postId }) => names.get(postId));
};
const reads = () => world.service.requests.filter(({ method }) => method === 'GET');
const created = 6;
const args = ['--day', '2027-03-02', '--json'];
const yesterday = ['yesterday at once', 'yesterday at once, partial', 'yesterday, scheduled the day before'];

it('finds failed posts by schedule, and without a schedule by creation, whether or not an earlier run was killed', async () => {
  const program = new KillableProgram(world, 'failed-yesterday');
  world.service.faults.add({ route: 'GET /v1/posts/', kind: 'timeout', times: 1 });
  program.start(args);
  await eventually(() => {
    expect(reads()).toHaveLength(1);
  });
  expect(await program.kill()).toBe('');
  for (let run = 0; run < 2; run += 1) {
    const { code, out, err } = await program.start(args).ended;
    expect([code, err, found(out)]).toEqual([2, '', yesterday]);
  }
  expect(world.service.requests).toHaveLength(created + reads().length);
  console.log(
    `failed-yesterday: ${String(program.kills)} kill, 2 further runs, ${String(yesterday.length)} posts each`,
  );
});

it('counts the day in a time zone, and exits with 0 if no post failed', async () => {
  const berlin = await world.run('failed-yesterday', [...args, '--zone', 'Europe/Berlin']);
  // In Berlin, 23:30 in UTC is the next day.
  expect(found(berlin.out)).toEqual(['yesterday at once', 'yesterday at once, partial']);
  expect(await world.run('failed-yesterday', ['--day', '2027-04-01'])).toMatchObject({ code: 0, out: '' });
});
