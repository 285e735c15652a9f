import { beforeEach, expect, it } from 'vitest';
import { programWorld, type ProgramWorld } from '../../support/run-program.js';

let world: ProgramWorld;
let account: string;

beforeEach(async () => {
  world = await programWorld({ now: () => Date.parse('2026-12-31T12:00:00Z') });
  account = world.service.seed.integration({ platform: 'instagram', username: 'acme' }).id;
});

const year = ['--since', '2026-01-01', '--until', '2026-12-31'];

it('writes a year of insights and posts as CSV', async () => {
  const { service } = world;
  service.seed.metrics({ accountId: account, date: '2026-02-01', metrics: { reach: 120 } });
  const { postId } = service.seed.post({
    content: 'Hello, "world"',
    status: 'published',
    platforms: [{ platform: 'instagram', accountId: account, publishedAt: '2026-06-01T09:00:00Z' }],
  });
  service.seed.metrics({ postId, metrics: { likes: 7 } });
  const { code, out, err } = await world.run('analytics-report', [...year, '--account', account]);
  const lines = out.trim().split('\n');
  expect(lines[0]).toMatch(/^since,until,reach,views,/);
  expect(lines[1]).toMatch(/^2026-01-01,2026-03-31,120,/);
  expect(lines[5]).toMatch(/^2026-12-27,2026-12-31,/);
  expect(lines[6]).toMatch(/^published,post,content,impressions,reach,likes,/);
  expect(lines[7]).toContain(`,${postId},"Hello, ""world""",,,7,`);
  expect(lines).toHaveLength(8);
  expect(err).toBe('6 credits used.\n');
  expect(service.creditsUsed).toBe(6);
  expect(code).toBe(0);
});

it('prints the cost of a dry run, and spends nothing', async () => {
  const { code, out } = await world.run('analytics-report', [...year, '--account', account, '--dry-run']);
  expect(out).toBe('insights: 5 credits; posts: 1, and 1 for each further 100 posts\n');
  expect(world.service.requests).toEqual([]);
  expect(code).toBe(0);
});

it('spends no more than it may, and says so', async () => {
  const whole = await world.run('analytics-report', [...year, '--account', account, '--max-credits', '4']);
  expect(world.service.creditsUsed).toBe(0);
  expect(whole.err).toContain('The report is not whole.');
  expect(whole.code).toBe(2);
  const posts = await world.run('analytics-report', [...year, '--account', account, '--max-credits', '5']);
  expect(world.service.creditsUsed).toBe(5);
  expect(posts.code).toBe(2);
});

it('explains the required options if days are missing or invalid', async () => {
  expect(await world.run('analytics-report')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Usage:') as string,
  });
  const { code, err } = await world.run('analytics-report', ['--since', '2026-02-30', '--until', '2026-03-01']);
  expect(err).toContain('since names a day that does not exist');
  expect(code).toBe(1);
});
