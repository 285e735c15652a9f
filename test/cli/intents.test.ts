/** What is late and in doubt, for cron; and the decision about many intents after an outage. */
import { beforeEach, describe, expect, it } from 'vitest';
import { accessKey, cliWorld, type CliWorld } from '../support/cli.js';

let world: CliWorld;
beforeEach(async () => {
  world = await cliWorld();
});

const hour = 3_600_000;
const later = new Date(Date.now() + 24 * hour).toISOString();
const after = (ms: number) => ({ now: () => Date.now() + ms });

async function publish(key: string, kind?: 'reset_before' | 'reset_after_commit'): Promise<void> {
  if (kind !== undefined) world.service.faults.add({ route: 'POST /v1/posts/', kind, times: 1 });
  const args = ['--content', key, '--target', `bluesky:${world.accountId}`, '--scheduled-for', later];
  expect((await world.run(['publish', '--key', key, ...args])).code).toBe(kind === undefined ? 0 : 4);
}

describe('intents stats', () => {
  it('ends with 0, 3 with overdue intents, and 4 with intents in doubt', async () => {
    await publish('a');
    const fine = await world.run(['intents', 'stats']);
    expect([fine.code, fine.json()]).toMatchObject([
      0,
      { byState: { ready: 0, sending: 0, accepted: 1, in_doubt: 0 }, overdue: 0, otherServices: 0 },
    ]);
    const late = await world.run(['intents', 'stats'], after(25 * hour));
    expect([late.code, late.json()]).toMatchObject([3, { overdue: 1 }]);
    expect((await world.run(['intents', 'list', '--overdue'], after(25 * hour))).json()).toMatchObject([{ key: 'a' }]);
    expect((await world.run(['intents', 'list', '--overdue'])).json()).toEqual([]);
    const finding: unknown = expect.objectContaining({ check: 'intents', status: 'warning', overdue: 1 });
    expect((await world.run(['doctor'], after(25 * hour))).json()).toMatchObject({
      findings: expect.arrayContaining([finding]) as unknown,
    });
    await publish('b', 'reset_before');
    expect((await world.run(['intents', 'stats'], after(25 * hour))).code).toBe(4);
    expect((await world.run(['intents', 'stats'], { tty: true })).out).toContain('in_doubt: 1');
  });

  it('explains its exit codes', async () => {
    expect((await world.run(['intents', 'stats', '--help'])).out).toMatch(/Exits with 4 if intents are in doubt/);
  });
});

describe('intents resolve --all', () => {
  const all = (...args: string[]) => ['intents', 'resolve', '--all', ...args];

  async function outage(): Promise<void> {
    await publish('first');
    await publish('k/lost/1', 'reset_before');
    await publish('k/lost/2', 'reset_before');
    await publish('k/candidate', 'reset_before');
    const body = { platform: 'bluesky', accountId: world.accountId } as const;
    await world.service.clock.advance({ hours: 1 });
    const post = { content: 'k/candidate', scheduledFor: later, platforms: [body] };
    await world.service.fetch('https://emulator.test/v1/posts/', {
      method: 'POST',
      headers: { 'x-access-key': accessKey, 'content-type': 'application/json' },
      body: JSON.stringify(post),
    });
  }

  it('asks with the number of intents, decides those without a match, and lists the others with the reason', async () => {
    await outage();
    const args = all('--result', 'no_match', '--prefix', 'k/', '--as', 'not_sent');
    const declined = await world.run(args, after(hour));
    expect([declined.code, declined.out]).toEqual([5, '']);
    const yes = 'Your decision cannot be undone. There is no terminal to ask on.';
    expect(declined.err).toContain(
      `This searches for the posts of 3 intents, and records not_sent for each one without a match. ${yes}`,
    );
    const failed = await world.run(all('--result', 'failed', '--as', 'not_sent', '--prefix', 'k/'), after(hour));
    // Their searches did not fail, so it asks nothing.
    expect(failed.code).toBe(4);
    const { code, json } = await world.run([...args, '--yes'], after(hour));
    expect(code).toBe(4);
    expect(json()).toMatchObject([
      { key: 'k/lost/1', state: 'ready', decided: true },
      { key: 'k/lost/2', state: 'ready', decided: true },
      { key: 'k/candidate', state: 'in_doubt', decided: false, reason: 'it has candidates: post_2' },
    ]);
    const again = await world.run([...args, '--yes'], after(hour));
    expect([again.code, again.json()]).toMatchObject([4, [{ key: 'k/candidate', decided: false }]]);
    expect((await world.run(['intents', 'sweep'], after(hour))).code).toBe(0);
    expect(world.service.posts).toHaveLength(4);
  });

  it.each([
    ['accepted', ['--scheduled-for', later], 'its post was found'],
    ['published', ['--publish-now', '--yes'], 'it is published now'],
  ])('decides nothing about a post that its search finds, and shows it: %s', async (state, mode, reason) => {
    world.service.faults.add({ kind: 'listing_lag', lagMs: hour / 2, times: 1 });
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit', times: 1 });
    const post = ['--content', 'k', '--target', `bluesky:${world.accountId}`, ...mode];
    expect((await world.run(['publish', '--key', 'k', ...post])).code).toBe(4);
    await world.service.clock.advance({ hours: 1 });
    const { code, out } = await world.run(all('--as', 'not_sent', '--yes'), { ...after(hour), tty: true });
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^key +state +decided +postId +reason\nk +${state} +false +post_1 +${reason}\n$`));
  });

  it('keeps recent sends and other prefixes, and asks nothing if there is nothing to search for', async () => {
    await publish('k', 'reset_before');
    const { code, json } = await world.run(all('--as', 'abandoned'));
    expect(code).toBe(4);
    const [{ sentAt, reason }] = json() as [{ sentAt: string; reason: string }];
    const from = new Date(Date.parse(sentAt) + 600_000).toISOString();
    expect(reason).toMatch(/^it is too recent: .* --sent-before/);
    expect(reason).toContain(`Run the command again after ${from},`);
    expect((await world.run(all('--as', 'abandoned', '--dry-run'))).err).toContain(`k: ${reason}`);
    const old = await world.run(all('--as', 'abandoned', '--result', 'failed', '--yes'), after(hour));
    expect(old.json()).toMatchObject([{ decided: false, reason: 'its last search did not fail: see --result' }]);
    const other = await world.run(all('--as', 'abandoned', '--prefix', 'x'), after(hour));
    expect([other.code, other.json()]).toEqual([0, []]);
  });

  it('shows with --dry-run which intents it would search for, and sends nothing', async () => {
    await publish('k', 'reset_before');
    const before = world.service.requests.length;
    const sentBefore = new Date(Date.now() + hour).toISOString();
    const { code, json } = await world.run(all('--as', 'abandoned', '--sent-before', sentBefore, '--dry-run'));
    expect([code, json()]).toMatchObject([0, [{ key: 'k', state: 'in_doubt', lookup: 'no_match', as: 'abandoned' }]]);
    expect(world.service.requests).toHaveLength(before);
  });

  it('keeps intents whose search fails, except with --result failed', async () => {
    await publish('k', 'reset_before');
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 403 });
    const kept = await world.run(all('--as', 'abandoned', '--yes'), after(hour));
    expect([kept.code, kept.json()]).toMatchObject([
      4,
      [{ decided: false, reason: expect.stringContaining('the search failed: ') as string }],
    ]);
    const failed = all('--as', 'abandoned', '--result', 'failed');
    expect((await world.run(failed, after(hour))).err).toContain(
      'records abandoned for each one without a post or a candidate, also if the search fails. Your decision',
    );
    const { code, json } = await world.run([...failed, '--yes'], after(hour));
    expect([code, json()]).toMatchObject([0, [{ key: 'k', state: 'abandoned', decided: true }]]);
  });

  it.each([
    [['k', '--all', '--as', 'not_sent'], 'Pass the key of an intent, or --all.'],
    [['--as', 'not_sent'], 'Pass the key of an intent, or --all.'],
    [['--all', '--as', 'published'], '--as must be not_sent or abandoned with --all.'],
    [['--all', '--as', 'not_sent', '--result', 'candidates'], '--result must be no_match or failed.'],
    [['--all', '--as', 'not_sent', '--sent-before', 'yesterday'], '--sent-before must be a time with its offset'],
    [
      ['--all', '--as', 'not_sent', '--dry-run', '--sent-before', '2027-02-30T00:00:00Z'],
      '--sent-before names a day that does not exist: 2027-02 has 28 days',
    ],
    [['k', '--as', 'not_sent', '--prefix', 'k'], 'are only allowed with --all.'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await world.run(['intents', 'resolve', ...args]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
