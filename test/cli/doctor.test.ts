import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { accessKey, cliWorld, replaceInModule, runCommand, type CliWorld } from '../support/cli.js';
import { serveInMood } from '../support/rewriting-proxy.js';
import { serveThroughCache } from '../support/stale-cache.js';

interface HealthFinding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
}

let world: CliWorld;
beforeEach(async () => {
  world = await cliWorld();
  // As on every supported Node: the store of these tests is in memory.
  replaceInModule({ isBuiltin: () => true });
});

const findings = (json: () => unknown) => (json() as { findings: readonly HealthFinding[] }).findings;

describe('doctor', () => {
  it('checks everything with reads only, names the store, and exits with 0', async () => {
    const { code, json, out } = await world.run(['doctor']);
    expect(code).toBe(0);
    expect(findings(json).map(({ check }) => check)).toEqual([
      'node',
      'base URL',
      'access key',
      'service',
      'clock',
      'accounts',
      'store',
    ]);
    expect(out).toContain('/nonexistent/social-publishing/');
    expect(out).not.toContain(accessKey);
    expect(world.service.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('says how to fix each problem: missing settings exit with 2', async () => {
    const env = { SOCIAL_PUBLISHING_BASE_URL: '', SOCIAL_PUBLISHING_ACCESS_KEY: '' };
    const { code, json } = await world.run(['doctor'], { env });
    expect(code).toBe(2);
    const missing = { status: 'problem', message: 'It is missing.' };
    expect(findings(json).slice(1)).toEqual([
      {
        check: 'base URL',
        code: 'base_url_missing',
        fix: 'Set SOCIAL_PUBLISHING_BASE_URL, or pass --base-url URL.',
        ...missing,
      },
      {
        check: 'access key',
        code: 'access_key_missing',
        fix: 'Set SOCIAL_PUBLISHING_ACCESS_KEY, or pass --access-key-file FILE.',
        ...missing,
      },
    ]);
    const noFile = await world.run(['doctor', '--access-key-file', '/nonexistent/key']);
    expect([noFile.code, findings(noFile.json)]).toEqual([
      2,
      expect.arrayContaining([expect.objectContaining({ code: 'access_key_missing' })]),
    ]);
  });

  it('finds a refused key, and a service that is not there', async () => {
    const refused = await world.run(['doctor'], { env: { SOCIAL_PUBLISHING_ACCESS_KEY: 'another-key' } });
    expect(refused.code).toBe(1);
    expect(findings(refused.json)).toContainEqual({
      check: 'access key',
      status: 'problem',
      code: 'access_key_refused',
      message: expect.any(String) as string,
      fix: 'Check that the key belongs to this base URL and was not revoked.',
    });
    const away = await world.run(['doctor', '--base-url', 'http://127.0.0.1:9']);
    expect(away.code).toBe(1);
    expect(findings(away.json)).toContainEqual({
      check: 'service',
      status: 'problem',
      code: 'no_answer',
      message: expect.any(String) as string,
      fix: 'Check the base URL and the network between this machine and the service.',
    });
    const shown = await world.run(['doctor', '--base-url', 'http://127.0.0.1:9'], { tty: true });
    expect(shown.out).toContain('\n1 problem, 0 warnings.\n');
  });

  it('finds a wrong clock: Date has whole seconds, and 3 more are tolerated', async () => {
    const start = Date.parse('2027-03-01T08:00:00Z');
    world = await cliWorld({ now: () => start });
    const clockOf = async (aheadMs: number) => {
      const { json } = await world.run(['doctor'], { now: () => start + aheadMs });
      return findings(json).find(({ check }) => check === 'clock');
    };
    for (const aheadMs of [3_500, -2_500])
      expect(await clockOf(aheadMs)).toEqual({ check: 'clock', status: 'ok', message: 'It agrees with the service.' });
    for (const [aheadMs, message] of [
      [3_501, 'This machine is 3 s ahead of the service.'],
      [-2_501, 'This machine is 3 s behind the service.'],
      [90_000, 'This machine is 90 s ahead of the service.'],
    ] as const)
      expect(await clockOf(aheadMs)).toEqual({
        check: 'clock',
        status: 'warning',
        code: 'clock_skew',
        message,
        fix: 'Synchronize the clock (NTP). Times of posts and signatures of webhooks depend on it.',
      });
  });

  it('does not compare its clock with the Date of a reply from a cache', async () => {
    const cache = await serveThroughCache(world.url);
    const { json } = await world.run(['doctor', '--base-url', cache.url]);
    expect(findings(json)).toContainEqual({
      check: 'clock',
      status: 'ok',
      message: 'The service shows no current Date, so the clocks cannot be compared.',
    });
  });

  const connect = 'Connect the account again.';
  const soon = new Date(Date.now() + 3 * 24 * 3_600_000).toISOString();
  it.each([
    ['auth_failed', 'problem', { platform: 'linkedin', authStatus: 'expired' }, connect, ''],
    ['reconnect_required', 'problem', { platform: 'linkedin', tokenStatus: { reconnectRequired: true } }, connect, ''],
    [
      'expires_soon',
      'warning',
      { platform: 'linkedin', tokenStatus: { autoRefreshes: false }, accessTokenExpiresAt: soon },
      'Connect the account again before its token expires.',
      ` (${soon})`,
    ],
    [
      'insights_unreadable',
      'warning',
      { platform: 'instagram', insightsReadable: false },
      'Grant the permission to read insights, then connect the account again.',
      '',
    ],
  ] as const)('finds an account with the reason %s: a %s', async (reason, status, account, fix, until) => {
    const { id, platform } = world.service.seed.integration({ username: 'acme', ...account });
    const { code, json } = await world.run(['doctor']);
    expect(code).toBe(status === 'problem' ? 1 : 0);
    expect(findings(json).filter(({ check }) => check.startsWith('account'))).toEqual([
      {
        check: `account ${id}`,
        status,
        code: reason,
        account: id,
        message: expect.stringContaining(`${platform} acme: ${reason}${until}`) as string,
        fix,
      },
    ]);
  });

  it('names an account without a name by its ID', async () => {
    const { id } = world.service.seed.integration({ platform: 'linkedin', authStatus: 'expired' });
    const { url } = await serveInMood(world.url, { rewrite: (body) => body.replace(/"username":"[^"]*",/g, '') });
    const { json } = await world.run(['doctor', '--base-url', url]);
    expect(findings(json)).toContainEqual(expect.objectContaining({ message: `linkedin ${id}: auth_failed` }));
  });

  it('warns about a file store in CI, and about intents in doubt', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    const publish = ['publish', '--key', 'a', '--content', 'A', '--save-as-draft'];
    expect((await world.run(publish)).code).toBe(4);
    const { code, json } = await world.run(['doctor'], { env: { CI: 'true' } });
    expect(code).toBe(0);
    expect(findings(json)).toContainEqual({
      check: 'intents',
      status: 'warning',
      code: 'in_doubt',
      message: '1 in doubt.',
      fix: 'Run: social-publishing intents list --state in_doubt',
    });
    expect(findings(json).filter(({ check, status }) => check === 'store' && status === 'warning')).toEqual([
      {
        check: 'store',
        status: 'warning',
        code: 'store_setting',
        message: expect.stringContaining('CI machine') as string,
        fix: 'See docs/stores.md.',
      },
    ]);
  });

  it('counts open intents of other services in the store', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    const publish = ['publish', '--key', 'a', '--content', 'A', '--save-as-draft'];
    const store = ['--store', 'shared.db'];
    expect((await world.run([...publish, ...store])).code).toBe(4);
    const { json } = await world.run(['doctor', ...store, '--base-url', 'http://127.0.0.1:9/other']);
    expect(findings(json).filter(({ check }) => check === 'intents')).toEqual([
      {
        check: 'intents',
        status: 'warning',
        code: 'other_services',
        message: '1 open intent of other services. Commands with this base URL ignore them.',
        fix:
          'Run: social-publishing intents sweep, with the base URL of their service. If it is the same service under a new ' +
          'URL, see "Two services or projects on one store" in docs/stores.md.',
        otherServices: 1,
      },
    ]);
  });

  it('counts open intents that are late', async () => {
    const now = Date.now();
    const later = { now: () => now + 2 * 3_600_000 };
    const post = (key: string) => {
      const time = new Date(now + 3_600_000).toISOString();
      return [
        'publish',
        '--key',
        key,
        '--content',
        key,
        '--target',
        `bluesky:${world.accountId}`,
        '--scheduled-for',
        time,
      ];
    };
    for (const [key, message] of [
      ['a', '1 open intent 15 minutes or more after its time.'],
      ['b', '2 open intents 15 minutes or more after their time.'],
    ] as const) {
      expect((await world.run(post(key))).code).toBe(0);
      const { json } = await world.run(['doctor'], later);
      expect(findings(json).filter(({ check }) => check === 'intents')).toEqual([
        {
          check: 'intents',
          status: 'warning',
          code: 'overdue',
          message,
          fix: 'A worker must sweep them regularly. Run: social-publishing intents list --overdue',
          overdue: Number(message.charAt(0)),
        },
      ]);
    }
  });

  it('finds a store that does not exist, is refused or fails', async () => {
    const storeOf = async (store: string) => {
      const env = { SOCIAL_PUBLISHING_BASE_URL: world.url, SOCIAL_PUBLISHING_ACCESS_KEY: accessKey };
      const { code, json } = await runCommand(['doctor', '--store', store], { env });
      return [code, findings(json).filter(({ check }) => check === 'store')];
    };
    const store = { check: 'store', message: expect.any(String) as string };
    expect(await storeOf('missing.db')).toEqual([
      0,
      [
        {
          ...store,
          status: 'warning',
          code: 'store_missing',
          message: `There is no store ${join(process.cwd(), 'missing.db')}.`,
          fix: 'publish and campaign create it. If it should have keys, correct --store or SOCIAL_PUBLISHING_STORE.',
        },
      ],
    ]);
    const problem = { ...store, status: 'problem', fix: 'Fix it, or pass --store.' };
    expect(await storeOf(':memory:')).toEqual([2, [{ ...problem, code: 'store_refused' }]]);
    expect(await storeOf('postgres://127.0.0.1:9/db')).toEqual([1, [{ ...problem, code: 'store_failed' }]]);
  });

  it('prints readable lines on a terminal, with colour unless NO_COLOR is set', async () => {
    const coloured = await world.run(['doctor'], { tty: true });
    expect(coloured.out).toContain(`\n\u001b[32mok     \u001b[0m  base URL: ${world.url}\n`);
    expect(coloured.out).toContain('\nEverything is fine.\n');
    const plain = await world.run(['doctor'], { tty: true, env: { NO_COLOR: '1' } });
    expect(plain.out).not.toContain('\u001b[');
    expect(plain.out).toMatch(/^ok {7}service: It answers and accepts the access key\.$/m);
    const missing = await world.run(['doctor'], { tty: true, env: { SOCIAL_PUBLISHING_ACCESS_KEY: '' } });
    expect(missing.out).toContain(
      '\n\u001b[31mproblem\u001b[0m  access key: It is missing.\n         Set SOCIAL_PUBLISHING_ACCESS_KEY, or',
    );
  });
});

describe('completion', () => {
  const linesOf = async (shell: string) => (await world.run(['completion', shell])).out.split('\n');
  const options = ['account-id', 'json', 'ndjson', 'base-url', 'access-key-file', 'help'];

  it.each([
    ['bash', 'words', 'complete -F _social_publishing social-publishing'],
    ['zsh', 'names', 'compdef _social_publishing social-publishing'],
  ])('of %s has the commands of each group, and the options of each command', async (shell, name, last) => {
    const words = [
      `    'automations') ${name}='create list list-eligible-posts list-logs' ;;`,
      `    'automations list') ${name}='${options.map((option) => `--${option}`).join(' ')}' ;;`,
      `    'new') ${name}='--json --ndjson --help' ;;`,
      last,
    ];
    expect(await linesOf(shell)).toEqual(expect.arrayContaining(words));
  });

  it('of fish has them too, with descriptions', async () => {
    const complete = 'complete -c social-publishing';
    const seen = '__fish_seen_subcommand_from automations';
    const lines = await linesOf('fish');
    expect(lines).toEqual(
      expect.arrayContaining([
        `${complete} -n __fish_use_subcommand -a automations -d 'Comment automations and their logs.'`,
        `${complete} -n '${seen}' -a list -d 'Lists the automations.'`,
        // The text has an apostrophe, and another one two lines.
        `${complete} -n '__fish_seen_subcommand_from apps' -a create -d 'Stores the credentials of the client\\'s own OAuth app.'`,
        `${complete} -n __fish_use_subcommand -a emulator -d 'Runs the service in memory.'`,
        `${complete} -n __fish_use_subcommand -a campaign -d 'Schedules the rows of a table, each once. After a crash, run it again: it continues.'`,
      ]),
    );
    const list = `${complete} -n '${seen}; and __fish_seen_subcommand_from list' -l `;
    expect(lines.filter((line) => line.startsWith(list)).map((line) => line.slice(list.length))).toEqual(options);
    expect([lines[0], lines.at(-1)]).toEqual([`${complete} -f`, '']);
  });

  it('begins with the commands, without those of a group', async () => {
    for (const shell of ['bash', 'zsh'])
      expect((await world.run(['completion', shell])).out).toMatch(
        /'posts comments messages [a-z ]*publish campaign intents [a-z ]*emulator --help --version'/,
      );
  });

  it('knows no other shell', async () => {
    const { code, err } = await world.run(['completion', 'cmd']);
    expect([code, err]).toEqual([2, 'The shell must be bash, zsh or fish.\nSee --help.\n']);
  });
});

describe('mcp', () => {
  it.each([
    [['--mode', 'everything'], 'Allowed choices are draft, schedule, publish.'],
    [['--max-credits', 'many'], "--max-credits must be a whole number from 0, not 'many'."],
    [['--max-credits', '-1'], "--max-credits must be a whole number from 0, not '-1'."],
    [['--port', 'x'], "--port must be a whole number from 0 to 65535, not 'x'."],
    [['--http', '--port', '65536'], "--port must be a whole number from 0 to 65535, not '65536'."],
    [['--time-zone', 'Mars/Base'], 'timeZone must be an IANA time zone'],
  ])('with %j exits with 2 and writes nothing to stdout', async (args, message) => {
    const { code, out, err } = await world.run(['mcp', ...args]);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(message)]);
  });
});
