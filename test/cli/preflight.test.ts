import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { preflight, SocialPublishing } from '../../src/index.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';
import { createTools } from '../../src/tools/index.js';
import { accessKey, cliWorld, runCommand, type CliOptions, type CliWorld } from '../support/cli.js';
import { temporaryFolder } from '../support/temporary-folder.js';

interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
}

const start = Date.parse('2027-03-01T08:00:00Z');
const hour = 3_600_000;
const at = (ms: number) => new Date(start + ms).toISOString();

let world: CliWorld;
let expired: string;
beforeEach(async () => {
  world = await cliWorld({ now: () => start });
  // A prepared service: an account without a login, and a post with the same text and time.
  expired = world.service.seed.integration({ platform: 'instagram', authFailureReason: 'token_expired' }).id;
  world.service.seed.post({
    content: 'Doors open at six',
    status: 'scheduled',
    scheduledFor: at(5 * hour),
    ...forAccount(),
  });
});

const forAccount = (accountId = world.accountId) => {
  const platforms = [{ platform: 'bluesky', accountId }] as const;
  return { platforms: [{ platform: 'bluesky' as const }], rawRequestBody: { platforms } };
};
const reads = () => {
  const routes = world.service.requests.map(({ route = '' }) => route);
  expect(routes.filter((route) => !route.startsWith('GET '))).toEqual([]);
  return Object.fromEntries([...new Set(routes)].map((route) => [route, routes.filter((one) => one === route).length]));
};
const publish = (args: readonly string[] = [], options?: CliOptions) =>
  world.run(
    [
      ...['publish', '--key', 'doors', '--content', 'Doors open at six', '--scheduled-for', at(4 * hour)],
      ...['--target', `bluesky:${world.accountId}`, '--target', `instagram:${expired}`, '--dry-run', ...args],
    ],
    options,
  );
const header = 'key,content,time,zone,targets';
const row = (key: string, content: string, ms: number, account = world.accountId) =>
  `${key},${content},${at(ms).replace('.000', '')},,bluesky:${account}`;
const campaign = (rows: readonly string[], args: readonly string[] = [], options: CliOptions = {}) =>
  world.run(['campaign', '-', '--name', 'spring', '--dry-run', ...args], {
    stdin: [header, ...rows].join('\n'),
    ...options,
  });

const expected = [
  ['warning', 'duplicate'],
  ['error', 'reconnect_required'],
  ['warning', 'media_missing'],
];
const kinds = (findings: readonly Finding[]) => findings.map(({ severity, code }) => [severity, code]);

describe('publish --dry-run', () => {
  it('shows the findings of preflight in its words, after five reads, and exits with 1 for an error', async () => {
    const { code, json } = await publish();
    expect(reads()).toEqual({
      'GET /v1/connect/integrations': 1,
      'GET /v1/connect/integrations/{id}': 2,
      'GET /v1/posts/': 2,
    });
    const { findings } = json() as { findings: readonly Finding[] };
    expect([code, kinds(findings)]).toEqual([1, expected]);

    const client = new SocialPublishing({ baseUrl: world.url, accessKey });
    const platforms = [
      { platform: 'bluesky', accountId: world.accountId },
      { platform: 'instagram', accountId: expired },
    ] as const;
    const direct = await preflight(client, { content: 'Doors open at six', scheduledFor: at(4 * hour), platforms });
    expect(direct.findings).toEqual(findings);

    const { out } = await publish([], { tty: true });
    for (const { severity, code: name, message } of findings)
      expect(out).toContain(`- ${severity} ${name}: ${message}`);

    const store = new MemoryDurableStore();
    const tools = createTools({ client, store, publisher: createPublisher({ client, store }) });
    const input = {
      mode: 'schedule',
      content: 'Doors open at six',
      scheduledFor: at(4 * hour),
      accountIds: [world.accountId, expired],
    };
    const preview = await tools.find(({ name }) => name === 'preview_post')?.execute(input);
    expect(preview).toMatchObject({
      status: 'ok',
      data: { findings },
      next: expect.stringContaining('findings') as string,
    });
  });

  it('exits with 0 if there is no error', async () => {
    const args = [
      '--key',
      'x',
      '--content',
      'Hi',
      '--scheduled-for',
      at(48 * hour),
      '--target',
      `bluesky:${world.accountId}`,
    ];
    const { code, json } = await world.run(['publish', ...args, '--dry-run']);
    expect([code, json()]).toMatchObject([0, { dryRun: true, findings: [] }]);
  });

  it('with --no-preflight sends no request at all', async () => {
    const { code, json } = await publish(['--no-preflight']);
    expect([code, json()]).toMatchObject([0, { dryRun: true }]);
    expect(json()).not.toHaveProperty('findings');
    expect(world.service.requests).toEqual([]);
  });

  it('does not find the post of its own key', async () => {
    const args = [
      'publish',
      '--key',
      'once',
      '--content',
      'Only once',
      '--scheduled-for',
      at(9 * hour),
      '--target',
      `bluesky:${world.accountId}`,
    ];
    expect((await world.run(args)).code).toBe(0);
    expect((await world.run([...args, '--dry-run'])).json()).toMatchObject({ findings: [] });
    const other = args.map((arg) => (arg === 'once' ? 'other' : arg));
    expect((await world.run([...other, '--dry-run'])).json()).toMatchObject({
      findings: [{ code: 'duplicate' }, { code: 'time_conflict' }],
    });
  });

  it('continues after reads that fail, and creates no store', async () => {
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 503 });
    world.service.faults.add({ route: 'GET /v1/connect/integrations', kind: 'status', status: 503 });
    const { json } = await publish();
    const { findings } = json() as { findings: readonly Finding[] };
    expect(findings.filter(({ code }) => code === 'not_checked')).toHaveLength(3);
    expect(findings.filter(({ code }) => code === 'not_checked').every(({ severity }) => severity === 'warning')).toBe(
      true,
    );
  });
});

describe('campaign --dry-run', () => {
  it('compares its rows with each other, with intents that are not sent and with posts, with the reads of one post', async () => {
    const other = world.service.seed.integration({ platform: 'bluesky', username: 'second' }).id;
    await world.run(['intents', 'list', '--json']);
    const rows = [
      row('a', 'New shoes', 30 * hour),
      row('b', 'New shoes', 40 * hour),
      row('c', 'Other shoes', 40 * hour + 60_000),
      row('d', 'New shoes', 35 * hour, other),
      row('e', 'Doors open at six', 6 * hour),
    ];
    const { code, json } = await campaign(rows);
    expect(reads()).toEqual({
      'GET /v1/connect/integrations': 1,
      'GET /v1/connect/integrations/{id}': 2,
      'GET /v1/posts/': 2,
    });
    const found = (json() as readonly { findings: readonly Finding[] }[]).map(({ findings }) => findings);
    expect(code).toBe(0);
    expect(found.map(kinds)).toEqual([
      [['warning', 'duplicate']],
      [
        ['warning', 'duplicate'],
        ['warning', 'time_conflict'],
      ],
      [['warning', 'time_conflict']],
      [],
      [['warning', 'duplicate']],
    ]);
    expect(found[0]?.[0]?.message).toBe(
      `Line 3 (scheduled, ${at(40 * hour)}) has the same text and is for the same account, ${world.accountId}.`,
    );

    const table = await campaign(rows, [], { tty: true });
    expect(table.out).toContain(`line 2: warning duplicate: ${found[0]?.[0]?.message ?? ''}\n`);
  });

  it('finds nothing about a row that was sent, neither by itself nor as its own duplicate', async () => {
    const rows = [row('a', 'New shoes', 30 * hour), row('b', 'Socks', 50 * hour)];
    const run = (args: readonly string[], some = rows) =>
      world.run(['campaign', '-', '--name', 'spring', ...args], { stdin: [header, ...some].join('\n') });
    expect((await run([])).code).toBe(0);
    const again = await run(['--dry-run'], [...rows, row('c', 'New shoes', 31 * hour)]);
    expect(
      (again.json() as readonly { findings: readonly Finding[] }[]).map(({ findings }) => kinds(findings)),
    ).toEqual([[], [], [['warning', 'duplicate']]]);
  });

  it('shows a failed read once, for all lines, and reads the rows without the accounts', async () => {
    world.service.faults.add({ route: 'GET /v1/connect/integrations', kind: 'status', status: 503 });
    const rows = [row('a', 'A', 30 * hour), row('b', 'B', 60 * hour)];
    const { code, out } = await campaign(rows, [], { tty: true });
    expect(code).toBe(0);
    expect(out.match(/all lines: warning not_checked: The accounts could not be listed/g)).toHaveLength(1);
  });

  it('with --no-preflight sends no request at all', async () => {
    const { code, json } = await campaign([row('a', 'A', 30 * hour, 'unknown')], ['--no-preflight']);
    expect([code, json()]).toMatchObject([0, [{ dryRun: true }]]);
    expect(json()).not.toHaveProperty('0.findings');
    expect(world.service.requests).toEqual([]);
  });

  it('exits with 1 if an account needs a new login, and creates no store', async () => {
    const folder = temporaryFolder('social-publishing-preflight');
    const file = join(folder, 'campaign.csv');
    writeFileSync(file, `${header}\na,A,${at(30 * hour).replace('.000', '')},,instagram:${expired}\n`);
    const env = { SOCIAL_PUBLISHING_BASE_URL: world.url, SOCIAL_PUBLISHING_ACCESS_KEY: accessKey };
    const { code, json } = await runCommand(['campaign', file, '--dry-run', '--store', join(folder, 'store.db')], {
      env,
    });
    expect([code, json()]).toMatchObject([
      1,
      [{ findings: [{ code: 'reconnect_required' }, { code: 'media_missing' }] }],
    ]);
    expect(existsSync(join(folder, 'store.db'))).toBe(false);
  });

  it('reports a time in the past without a store, and creates none', async () => {
    const folder = temporaryFolder('social-publishing-preflight');
    const file = join(folder, 'campaign.csv');
    writeFileSync(file, `${header}\na,A,2020-03-29T09:00:00Z,,bluesky:${world.accountId}\n`);
    const env = { SOCIAL_PUBLISHING_BASE_URL: world.url, SOCIAL_PUBLISHING_ACCESS_KEY: accessKey };
    const store = join(folder, 'store.db');
    const { code, err } = await runCommand(['campaign', file, '--dry-run', '--store', store], { env });
    expect(code).toBe(2);
    expect(err).toMatch(/^line 2, time: is in the past, and the store does not show .*: check --store/);
    expect(existsSync(store)).toBe(false);
  });
});

describe('intents that are not sent yet', () => {
  it('are compared with a post of another key, and are no finding for their own', async () => {
    const args = (key: string) => [
      'publish',
      '--key',
      key,
      '--content',
      'Waits',
      '--scheduled-for',
      at(30 * hour),
      '--target',
      `bluesky:${world.accountId}`,
    ];
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 429, times: 9 });
    expect((await world.run(args('waits'))).json()).toMatchObject({ state: 'ready' });
    const other = await world.run([...args('other'), '--dry-run']);
    expect((other.json() as { findings: readonly Finding[] }).findings[0]?.message).toBe(
      `The intent waits (scheduled, ${at(30 * hour)}) has the same text and is for the same account, ${world.accountId}.`,
    );
    expect((await world.run([...args('waits'), '--dry-run'])).json()).toMatchObject({ findings: [] });
  });
});
