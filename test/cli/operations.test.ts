import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { existsSync } from 'node:fs';
import { Terminated } from '../../src/cli/errors.js';
import { allOperations } from '../../src/cli/commands/resource.js';
import { resources } from '../../src/cli/run.js';
import { SocialPublishing } from '../../src/index.js';
import { endpoints } from '../../src/resources/endpoints.js';
import { accessKey, cliWorld, runCommand, startCliWorld, type CliWorld } from '../support/cli.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let world: CliWorld;
const folder = temporaryFolder('cli', afterAll);
beforeAll(async () => {
  world = await startCliWorld();
});
afterAll(() => world.close());
afterEach(() => {
  world.service.faults.clear();
});

const later = '2099-01-01T09:00:00Z';
const target = () => `bluesky:${world.accountId}`;
const scheduled = () => ['--content', 'Hello', '--target', target(), '--scheduled-for', later];

describe('the commands of the operations', () => {
  it('are one for each of the 21 endpoints, and each calls a method of the client', () => {
    const client = new SocialPublishing({ baseUrl: 'https://api.example.com', accessKey });
    expect(allOperations()).toHaveLength(21);
    for (const { resource, method } of allOperations())
      // The names of the endpoints are the names of the client's namespaces.
      expect(typeof (client[resource as 'posts'] as unknown as Record<string, unknown>)[method]).toBe('function');
  });

  it('list the same resources as the client', () => {
    expect(resources.map(({ name }) => name)).toEqual(Object.keys(endpoints));
  });

  it('show the values of their options, and the common options last', async () => {
    const helpOf = async (...args: string[]) => (await world.run([...args, '--help'], { columns: 120 })).out;
    const list = await helpOf('posts', 'list');
    expect(list).toMatch(/--status <text> +draft, pending, scheduled, publishing, published, failed, partial\n/);
    expect(list).toMatch(/--platform <value> +twitter, instagram, youtube, …; repeat for more\n/);
    expect(list).toMatch(/--profile-id <text> +an ID, or null for none\n/);
    expect(list).toMatch(/--created-after <time> +for example 2027-03-01T09:00:00Z\n/);
    expect(list).toMatch(/--offset <n> +0 or more; default 0\n/);
    const analytics = await helpOf('analytics', 'list-posts');
    expect(analytics).toMatch(/--page <n> +1 or more; default 1\n/);
    expect(analytics).toMatch(/--sort-by <text> +date, likes, comments, …; default date\n/);
    const comments = await helpOf('comments', 'list');
    expect(comments).toMatch(/--platform <text> +required; facebook, instagram, threads, linkedin\n/);
    expect(comments).toMatch(/--account-id <text> +required\n/);
    const notifications = await helpOf('notifications', 'create');
    expect(notifications).toMatch(
      /--event-types <value> +post\.scheduled, post\.published, post\.partial, post\.failed; repeat for\s+more\n/,
    );
    expect(notifications).toMatch(/--webhook-url <url>\n/);
    expect(await helpOf('publish')).toMatch(
      /--target <platform:account-id> +an account to publish to; repeat for more\n/,
    );
    expect(list).toMatch(/Common options:\n  --json .*\n  --ndjson .*\n  --base-url .*\n  --access-key-file/);
    expect(await helpOf('automations', 'create')).toMatch(/--keywords <value> +a value; repeat for more\n/);
    expect(await helpOf('analytics', 'get-instagram-insights')).toMatch(/--since <date> +YYYY-MM-DD\n/);
    expect(await helpOf('posts', 'update-scheduled')).toContain(' Deprecated by the service.');
    expect(await helpOf('posts', 'create')).not.toContain('Deprecated');
    expect(await helpOf('posts', 'create')).toMatch(/--body <file> +JSON with the fields; - for stdin\n/);
    expect(await helpOf('apps', 'create')).toMatch(
      /--body <file> +JSON with the fields, with clientSecret; - for stdin\n/,
    );
    expect(await helpOf('webhooks', 'listen')).toMatch(/--poll <seconds> .*default 60.*\n.*--since/s);
  });
});

describe('an input', () => {
  it('that is not UTF-8 is refused: its characters would be published wrongly', async () => {
    const file = join(folder, 'latin1');
    const columns = 'key,content,time,zone,targets';
    await writeFile(file, Buffer.from(`${columns}\na,Gr\u00fc\u00dfe,${later},,${target()}`, 'latin1'));
    for (const args of [
      ['campaign', file],
      ['posts', 'create', '--body', file],
    ]) {
      const { code, err } = await world.run(args);
      expect([code, err]).toEqual([2, expect.stringContaining(`'${file}' is not UTF-8. Save it as UTF-8.`)]);
    }
    expect(world.creates()).toBe(0);
  });

  it.each([
    ['--body', ['posts', 'create', '--body']],
    ['--extra-body', ['posts', 'create', '--extra-body']],
    ['--extras', ['mcp', '--extras']],
    ['--access-key-file', ['posts', 'list', '--access-key-file']],
    ['--secret-file', ['webhooks', 'sign', '--body', '-', '--secret-file']],
    ['--token-file', ['mcp', '--http', '--token-file']],
    ['The table', ['campaign']],
    ['--body', ['webhooks', 'sign', '--body']],
    ['--body', ['webhooks', 'verify', '--signature=', '--timestamp=1', '--body']],
  ])('of %s that cannot be read is named (%j)', async (option, args) => {
    const env = { SOCIAL_PUBLISHING_WEBHOOK_SECRET: 'a-webhook-secret-of-tests' };
    const before = world.creates();
    const missing = await world.run([...args, '/nonexistent'], { env });
    const problem = `${option}: cannot read '/nonexistent': there is no such file.\nSee --help.\n`;
    expect([missing.code, missing.out, missing.err]).toEqual([2, '', problem]);
    // A folder.
    expect((await world.run([...args, folder], { env })).err).toBe(
      `${option}: cannot read '${folder}': EISDIR.\nSee --help.\n`,
    );
    expect(world.creates()).toBe(before);
  });

  it.each([
    ['{', 'does not contain JSON.'],
    ['"text"', 'must contain one JSON object.'],
  ])('with %j in the place of a JSON object is refused', async (stdin, problem) => {
    for (const option of ['--body', '--extra-body']) {
      const { code, err } = await world.run(['posts', 'create', option, '-'], { stdin });
      expect([code, err]).toEqual([2, `${option}: '-' ${problem}\nSee --help.\n`]);
    }
  });

  it('on stdin is one file', async () => {
    const { code, err } = await world.run(['posts', 'create', '--body', '-', '--extra-body', '-'], { stdin: '{}' });
    expect([code, err]).toEqual([2, 'Only one of --body and --extra-body can be -.\nSee --help.\n']);
  });

  it('with a secret must not be empty', async () => {
    const { code, err } = await world.run(['posts', 'list', '--access-key-file', '-'], { stdin: '\n' });
    expect([code, err]).toEqual([2, "--access-key-file: '-' is empty.\nSee --help.\n"]);
  });

  it('with a byte order mark is read, from a file and from stdin', async () => {
    const file = join(folder, 'bom.json');
    const body = '\uFEFF{"content":"Gr\u00fc\u00dfe","saveAsDraft":true}';
    await writeFile(file, body);
    for (const name of [file, '-']) {
      const { code, json } = await world.run(['posts', 'create', '--body', name, '--dry-run'], { stdin: body });
      expect([code, json()]).toMatchObject([0, { body: { content: 'Gr\u00fc\u00dfe' } }]);
    }
  });
});

it('a value after = may look like an option', async () => {
  const args = ['posts', 'create', '--content=--dry-run', '--save-as-draft', '--dry-run'];
  const { code, json } = await world.run(args);
  expect([code, json()]).toMatchObject([0, { body: { content: '--dry-run' } }]);
});

describe('wrong arguments', () => {
  it.each([
    [['posts', 'list', '--stauts', 'draft'], 'Did you mean --status?'],
    [['posts', 'lst'], 'Did you mean list?'],
    [['postz', 'list'], 'Did you mean posts?'],
    [['posts', 'list', '--limit', 'many'], '--limit must be a whole number'],
    [['posts', 'list', '--limit', '5', '--all'], 'cannot be combined'],
    ...['', ' ', 'x', 'Infinity'].map((text): [string[], string] => [
      ['posts', 'list', '--offset', text],
      `--offset must be a number, not '${text}'.`,
    ]),
    ...['', ' ', '0', '1.5', 'Infinity'].map((text): [string[], string] => [
      ['posts', 'list', '--limit', text],
      `--limit must be a whole number from 1, not '${text}'.`,
    ]),
    [['posts', 'create', '--content', 'x', '--target', 'bluesky'], 'for example bluesky:integration_7.'],
    [['posts', 'create', '--content', 'x', '--target', ':integration_7'], '--target must be PLATFORM:ACCOUNT_ID,'],
    [['posts', 'create', '--content', 'x', '--target', 'bluesky:a\nb'], '--target must be PLATFORM:ACCOUNT_ID,'],
    [['analytics', 'get-post'], 'The argument <post-id> is missing.'],
    [['publish', '--key', 'k', '--content', 'x', '--save-as-draft', '--base-url', 'nowhere'], 'baseUrl'],
    [['intents', 'list', '--base-url', 'nowhere'], 'baseUrl'],
    [['posts', 'create', '--content', 'x'], 'scheduledFor'],
    [['posts', 'create', '--body', '/nonexistent.json'], 'there is no such file'],
    [['posts', 'update-scheduled'], "missing required argument 'post-id'"],
    [['posts', 'list', '--json', '--ndjson'], 'cannot be combined'],
    [['integrations', 'select-facebook-pages', '--selected-account-ids', 'a'], "The field 'token' is missing"],
    // As after an empty variable: `--content $TEXT --dry-run`.
    [['posts', 'create', '--save-as-draft', '--content', '--dry-run'], '--content has no value: --dry-run follows it.'],
    [['campaign', 'spring.csv', '--name', '--dry-run'], '--name has no value: --dry-run follows it.'],
    [['publish', '--save-as-draft', '--content', 'x', '--key', '--yes'], '--key has no value: --yes follows it.'],
    [
      ['posts', 'create', '--content', 'x', '--target', '--save-as-draft', '--json'],
      '--target has no value: --save-as-draft follows it.',
    ],
    [['posts', 'create', '--content', '--base-url=http://x.test'], '--content has no value: --base-url follows it.'],
    [['posts', 'create', '--save-as-draft', '--content', '-h'], '--content has no value: -h follows it.'],
    [[], 'The command is missing'],
  ])('%j exit with 2 and say why', async (args, message) => {
    const before = world.service.requests.length;
    const { code, out, err } = await world.run(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(world.service.requests).toHaveLength(before);
  });

  it('do not show a secret that was passed as an argument', async () => {
    const { code, err } = await world.run(['posts', 'list', '--access-key=a-key-in-an-argument']);
    expect(code).toBe(2);
    expect(err).toContain("unknown option '--access-key'");
    expect(err).not.toContain('a-key-in-an-argument');
  });

  it('do not show extra arguments, which may be secrets', async () => {
    const { code, err } = await world.run(['posts', 'list', 'a-token-as-an-argument']);
    expect(code).toBe(2);
    expect(err).toContain('Expected 0 arguments but got 1.');
    expect(err).not.toContain('a-token-as-an-argument');
  });

  it.each([[['--limit', '2']], [['--all']], [[]]])('leave stdout empty for a list with %j', async (more) => {
    const { code, out } = await world.run(['posts', 'list', '--status', 'schedulled', ...more]);
    expect([code, out]).toEqual([2, '']);
  });

  it.each(['--json', '--ndjson'])('are JSON on stderr with %s', async (format) => {
    const { code, err } = await world.run(['posts', 'list', '--stauts', 'draft', format]);
    expect(code).toBe(2);
    const message = "unknown option '--stauts' (Did you mean --status?)";
    expect(JSON.parse(err)).toEqual({ error: { name: 'UsageError', message, exitCode: 2 } });
  });

  it.each([['SOCIAL_PUBLISHING_BASE_URL'], ['SOCIAL_PUBLISHING_ACCESS_KEY']])(
    'name the missing setting %s',
    async (name) => {
      const { code, err } = await world.run(['posts', 'list'], { env: { [name]: '' } });
      expect(code).toBe(2);
      expect(err).toContain(name);
    },
  );
});

describe('a list', () => {
  it('is JSON on a pipe, one line per item with --ndjson, and a table on a terminal', async () => {
    const piped = await world.run(['integrations', 'list']);
    expect(piped.json()).toMatchObject([{ id: world.accountId, platform: 'bluesky' }]);
    const lines = await world.run(['integrations', 'list', '--ndjson'], { tty: true });
    expect(JSON.parse(lines.out)).toMatchObject({ id: world.accountId });
    const table = await world.run(['integrations', 'list'], { tty: true });
    expect(table.out.split('\n')[0]).toMatch(/^id +platform +username/);
    expect(table.out).toContain('acme');
    expect((await world.run(['integrations', 'list', '--json'], { tty: true })).json()).toHaveLength(1);
  });

  it('takes one page, --limit items or --all of them', async () => {
    const own = await cliWorld();
    for (let index = 0; index < 130; index += 1)
      own.service.seed.post({ content: `Post ${String(index)}`, status: 'draft' });
    const count = async (...args: string[]) => ((await own.run(['posts', 'list', ...args])).json() as unknown[]).length;
    expect([await count(), await count('--limit', '7'), await count('--limit', '105'), await count('--all')]).toEqual([
      20, 7, 105, 130,
    ]);
  });

  it('shows no control characters of strangers on a terminal', async () => {
    world.service.seed.post({ content: 'red \u001b[31m and\nlines\u0007', status: 'draft' });
    const { out } = await world.run(['posts', 'list', '--status', 'draft'], { tty: true });

    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(out).toContain('red');
  });
});

describe('a write', () => {
  it('with --dry-run prints method, URL, redacted headers and body, and sends nothing', async () => {
    const before = world.service.requests.length;
    const { code, json, out } = await world.run(['posts', 'create', ...scheduled(), '--dry-run']);
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      dryRun: true,
      method: 'POST',
      url: `${world.url}/v1/posts/`,
      headers: { 'x-access-key': '***' },
      body: { content: 'Hello', scheduledFor: later, platforms: [{ platform: 'bluesky', accountId: world.accountId }] },
    });
    expect(out).not.toContain(accessKey);
    expect(world.service.requests).toHaveLength(before);
  });

  it('prints the reply, and needs no confirmation for a later time', async () => {
    const { code, json } = await world.run(['posts', 'create', ...scheduled()]);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ status: 'scheduled', scheduledFor: later });
  });

  it.each([
    ['publishes now', ['--publish-now']],
    ['is due within 5 minutes', ['--scheduled-for', new Date(Date.now() + 200_000).toISOString()]],
  ])('that %s needs --yes without a terminal', async (_, mode) => {
    const before = world.creates();
    const args = ['posts', 'create', '--content', 'Now', '--target', target(), ...mode];
    const { code, err } = await world.run(args);
    expect(code).toBe(5);
    expect(err).toContain('Nothing was sent');
    expect(world.creates()).toBe(before);
    expect((await world.run([...args, '--yes'])).code).toBe(0);
    expect(world.creates()).toBe(before + 1);
  });

  it('takes texts with commas, and several values of an enumeration, also in one option', async () => {
    const create = [
      'automations',
      'create',
      '--account-id',
      'i',
      '--name',
      'n',
      '--post-scope',
      'any',
      '--dm-message',
      'm',
    ];
    const automation = await world.run([...create, '--keywords', 'a,b', '--keywords', 'c', '--dry-run']);
    expect(automation.json()).toMatchObject({ body: { keywords: ['a,b', 'c'] } });
    const subscribe = ['notifications', 'create', '--channel', 'webhook', '--webhook-url', 'https://example.com/hook'];
    const types = ['--event-types', 'post.failed,post.partial', '--event-types', 'post.published'];
    expect((await world.run([...subscribe, ...types, '--dry-run'])).json()).toMatchObject({
      body: {
        eventTypes: ['post.failed', 'post.partial', 'post.published'],
        webhook: { url: 'https://example.com/hook' },
      },
    });
  });

  it('takes its fields from --body, and options go first', async () => {
    const body = JSON.stringify({ content: 'From stdin', saveAsDraft: true });
    const { json } = await world.run(['posts', 'create', '--body', '-', '--content', 'From the option'], {
      stdin: body,
    });
    expect(json()).toMatchObject({ status: 'draft' });
    expect(world.service.posts.at(-1)?.content).toBe('From the option');
  });

  it('sends undocumented fields of --extra-body', async () => {
    const file = join(folder, 'extra.json');
    await writeFile(file, JSON.stringify({ timezone: 'Europe/Berlin' }));
    const { code } = await world.run(['posts', 'create', '--content', 'x', '--save-as-draft', '--extra-body', file]);
    expect(code).toBe(0);
    expect(world.service.requests.at(-1)?.body).toMatchObject({ timezone: 'Europe/Berlin' });
  });

  it('that the service rejects exits with 3, and needs no search', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 400 });
    const { code, err } = await world.run(['posts', 'create', ...scheduled(), '--json']);
    expect([code, JSON.parse(err)]).toMatchObject([3, { error: { outcome: 'rejected', status: 400, exitCode: 3 } }]);
    expect(err).not.toContain('next');
  });

  it('with an unknown outcome that creates no post says to check the service', async () => {
    const { id } = world.service.seed.integration({ platform: 'instagram' });
    world.service.faults.add({ kind: 'reset_after_commit', times: 1 });
    const args = [
      'messages',
      'send',
      '--platform',
      'instagram',
      '--account-id',
      id,
      '--recipient-id',
      'r',
      '--text',
      'Hi',
    ];
    const { code, err } = await world.run([...args, '--yes']);
    expect([code, err.trimEnd().split('\n')]).toEqual([
      4,
      [expect.any(String), 'The outcome is unknown. Do not repeat it before you have checked the service.'],
    ]);
  });

  it('that did not reach the service exits with 1', async () => {
    const { code, err } = await world.run(['posts', 'create', ...scheduled(), '--base-url', 'http://127.0.0.1:9']);
    expect(code).toBe(1);
    expect(err).not.toContain('    at ');
  });

  it('with an unknown outcome exits with 4 and prints the command that finds the post', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit', times: 1 });
    const { code, err } = await world.run(['posts', 'create', ...scheduled(), '--json']);
    expect(code).toBe(4);
    const { error } = JSON.parse(err) as { error: { next: string; outcome: string } };
    expect(error.outcome).toBe('unknown');
    const [, lookup = ''] = /social-publishing (posts list .*)$/.exec(error.next) ?? [];
    const found = await world.run(lookup.split(' '));
    expect(found.json()).toContainEqual(expect.objectContaining({ content: 'Hello' }));
  });

  it('with failed targets exits with 3', async () => {
    world.service.publishing.outcome({ platform: 'bluesky', error: 'down', times: 1 });
    const args = ['posts', 'create', '--content', 'x', '--target', target(), '--publish-now', '--yes'];
    const { code, json } = await world.run(args);
    expect(code).toBe(3);
    expect(json()).toMatchObject({ status: 'failed' });
  });
});

describe('a read', () => {
  it('that fails is safe to repeat: 1, or 3 if the service rejects it', async () => {
    expect((await world.run(['integrations', 'get', 'unknown'])).code).toBe(3);
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 503 });
    expect((await world.run(['posts', 'list'])).code).toBe(1);
  });

  it('that creates a post ends with 130 after Ctrl-C, and prints the command that finds the post', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs: 3_600_000, times: 1 });
    const stop = new AbortController();
    const before = world.creates();
    const running = world.run(['posts', 'create', ...scheduled()], { signal: stop.signal });
    await expect.poll(() => world.creates()).toBe(before + 1);
    stop.abort(new DOMException('Interrupted.', 'AbortError'));
    const { code, err } = await running;
    expect(code).toBe(130);
    expect(err).toContain('posts list --created-after');
  });

  it.each([
    ['posts', 'list', '--all'],
    ['integrations', 'get', 'integration_1'],
    ['analytics', 'get-post', 'post_1'],
    ['doctor'],
  ])('%s %s that ends with Ctrl-C does not say that an outcome is unknown', async (...args) => {
    world.service.faults.add({ kind: 'latency', latencyMs: 30_000 });
    for (const format of [[], ['--json']]) {
      const stop = new AbortController();
      const before = world.service.requests.length;
      const running = world.run([...args, ...format], { signal: stop.signal });
      await expect.poll(() => world.service.requests.length).toBeGreaterThan(before);
      stop.abort(new DOMException('Interrupted.', 'AbortError'));
      const { out, err } = await running;
      expect(out + err).not.toMatch(/unknown|not repeat/i);
    }
  });

  it('ends with 130 after Ctrl-C', async () => {
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'latency', latencyMs: 3_600_000 });
    const stop = new AbortController();
    const before = world.service.requests.length;
    const running = world.run(['posts', 'list'], { signal: stop.signal });
    await expect.poll(() => world.service.requests.length).toBe(before + 1);
    stop.abort(new DOMException('Interrupted.', 'AbortError'));
    expect((await running).code).toBe(130);
  });

  it('ends with 143 after SIGTERM', async () => {
    const stop = new AbortController();
    stop.abort(new Terminated());
    const { code, err } = await world.run(['posts', 'list', '--json'], { signal: stop.signal });
    expect([code, JSON.parse(err)]).toEqual([
      143,
      { error: { name: 'AbortError', message: 'Interrupted.', exitCode: 143 } },
    ]);
  });
});

describe('each resource', () => {
  it('has the methods of the client with positional path parameters', async () => {
    const { code, json } = await world.run(['integrations', 'update', world.accountId, '--profile-id', 'profile_1']);
    expect([code, json()]).toMatchObject([0, { id: world.accountId, profileId: 'profile_1' }]);
    expect((await world.run(['integrations', 'update', world.accountId, '--profile-id', 'null'])).json()).toMatchObject(
      {
        profileId: null,
      },
    );
    expect((await world.run(['integrations', 'get', world.accountId])).json()).toMatchObject({ id: world.accountId });
  });

  it('accepts the ID of analytics get-post as argument and as option', async () => {
    const args = ['posts', 'create', '--content', 'x', '--target', target(), '--publish-now', '--yes'];
    const { postId } = (await world.run(args)).json() as { postId: string };
    for (const id of [[postId], ['--post-id', postId]]) {
      const { err, out } = await world.run(['analytics', 'get-post', ...id]);
      expect([err, out]).toEqual(['', expect.stringContaining(postId)]);
    }
  });

  it('lists the accounts whose tokens expire within 7 days, or within --within-days', async () => {
    const accessTokenExpiresAt = new Date(Date.now() + 20 * 24 * 3_600_000).toISOString();
    const account = {
      platform: 'threads',
      username: 'acme',
      tokenStatus: { autoRefreshes: false },
      accessTokenExpiresAt,
    } as const;
    const { id } = world.service.seed.integration(account);
    const list = async (...args: string[]) =>
      (await world.run(['integrations', 'needing-attention', ...args])).json() as { id: string }[];
    expect((await list()).map((one) => one.id)).not.toContain(id);
    const { platform, username } = account;
    expect(await list('--within-days', '30')).toContainEqual({
      ...{ id, platform, username, reason: 'expires_soon', expiresAt: accessTokenExpiresAt },
    });
    expect((await world.run(['integrations', 'needing-attention', '--within-days', '-1'])).err).toBe(
      "--within-days must be a whole number from 0, not '-1'.\nSee --help.\n",
    );
  });

  it('sends a message only after a confirmation', async () => {
    const { id } = world.service.seed.integration({ platform: 'instagram', username: 'acme' });
    const args = [
      'messages',
      'send',
      '--platform',
      'instagram',
      '--account-id',
      id,
      '--recipient-id',
      'r',
      '--text',
      'Hi',
    ];
    expect((await world.run(args)).code).toBe(5);
  });
});

describe('secrets', () => {
  it('of a new subscription go to a file that only its owner can read', async () => {
    const file = join(folder, 'secret.txt');
    const args = ['notifications', 'create', '--channel', 'webhook', '--event-types', 'post.failed'];
    const { code, out, err, json } = await world.run([
      ...args,
      '--webhook-url',
      'https://example.com/hook',
      '--secret-file',
      file,
    ]);
    const secret = (await readFile(file, 'utf8')).trim();
    expect(code).toBe(0);
    expect(secret.length).toBeGreaterThan(8);
    expect(out + err).not.toContain(secret);
    expect(json()).toMatchObject({ secretFile: file, webhook: { secret: '***' } });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  const subscribe = (file: string) => [
    ...['notifications', 'create', '--channel', 'webhook', '--event-types', 'post.failed'],
    ...['--webhook-url', 'https://example.com/hook', '--secret-file', file],
  ];

  it('of a new subscription need a file that can be written: otherwise nothing is sent', async () => {
    const notFolder = join(folder, 'not-a-folder');
    await writeFile(notFolder, '');
    const before = world.service.requests.length;
    const { code, err } = await world.run(subscribe(join(notFolder, 'secret.txt')));
    expect(code).toBe(2);
    expect(err).toMatch(/^--secret-file: cannot write '.*secret\.txt': \w+\. Nothing was sent\.$/m);
    expect(world.service.requests).toHaveLength(before);
  });

  it('of a new subscription never replace a file with content, which may be an earlier secret', async () => {
    const file = join(folder, 'earlier.txt');
    await writeFile(file, 'whsec_earlier\n');
    const before = world.service.requests.length;
    const { code, err } = await world.run(subscribe(file));
    expect(code).toBe(2);
    expect(err).toContain(`--secret-file: '${file}' has content. Nothing was sent. Pass the path of a new file.`);
    expect(await readFile(file, 'utf8')).toBe('whsec_earlier\n');
    expect(world.service.requests).toHaveLength(before);
  });

  it('of a new subscription make an existing file private, and a refused request changes no file', async () => {
    const file = join(folder, 'existing.txt');
    const absent = join(folder, 'absent.txt');
    await writeFile(file, '', { mode: 0o644 });
    const fault = { route: 'POST /v1/notifications/', kind: 'status', status: 400, times: 2 } as const;
    world.service.faults.add(fault);
    expect((await world.run(subscribe(file))).code).toBe(3);
    expect((await world.run(subscribe(absent))).code).toBe(3);
    expect(await readFile(file, 'utf8')).toBe('');
    await expect(stat(absent)).rejects.toThrow('ENOENT');
    expect((await world.run(subscribe(file))).code).toBe(0);
    expect((await readFile(file, 'utf8')).length).toBeGreaterThan(8);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('of a new subscription go to a new file in the state folder without --secret-file', async () => {
    const env = { XDG_STATE_HOME: folder };
    const { code, json } = await world.run(subscribe('').slice(0, -2), { env });
    const { secretFile } = json() as { secretFile: string };
    expect([code, dirname(secretFile)]).toEqual([0, join(folder, 'social-publishing')]);
    expect(basename(secretFile)).toMatch(/^webhook-secret-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/);
    const secret = await readFile(secretFile, 'utf8');
    expect(secret.trim().length).toBeGreaterThan(8);
    // Another emulator gives its first subscription the same ID.
    const other = await cliWorld();
    const next = { env: { ...env, SOCIAL_PUBLISHING_BASE_URL: other.url } };
    expect((await other.run(subscribe('').slice(0, -2), next)).code).toBe(0);
    await other.close();
    expect(await readdir(join(folder, 'social-publishing'))).toHaveLength(2);
    expect(await readFile(secretFile, 'utf8')).toBe(secret);
  });

  it.runIf(existsSync('/dev/full'))('of a new subscription that cannot be saved leave the outcome open', async () => {
    const { code, out, err } = await world.run(subscribe('/dev/full'));
    expect([code, out]).toEqual([4, '']);
    expect(err).toMatch(
      /^The subscription '\S+' was created, but its secret could not be saved in \/dev\/full: ENOSPC.*\.$/m,
    );
    expect(err).toContain('Do not repeat the command before you have removed this subscription at the service.');
  });

  it('of an app come only from --body, and no output shows them', async () => {
    const body = JSON.stringify({ platform: 'twitter', name: 'App', clientId: 'id', clientSecret: 'a-client-secret' });
    expect((await world.run(['apps', 'create', '--client-secret', 'x'])).code).toBe(2);
    const dry = await world.run(['apps', 'create', '--body', '-', '--dry-run'], { stdin: body });
    expect(dry.json()).toMatchObject({ body: { clientSecret: '***' } });
    const { code, out, err } = await world.run(['apps', 'create', '--body', '-'], { stdin: body });
    expect(code).toBe(0);
    expect(out + err + dry.out).not.toContain('a-client-secret');
  });

  it('in the path are a field of --body, and a dry run prints the template of the route', async () => {
    const body = JSON.stringify({ token: 'a-selection-token-of-tests', selectedAccountIds: ['a'] });
    const { json, out } = await world.run(['integrations', 'select-facebook-pages', '--body', '-', '--dry-run'], {
      stdin: body,
    });
    expect(json()).toMatchObject({ url: `${world.url}/v1/connect/facebook/selection/{token}` });
    expect(out).not.toContain('a-selection-token');
    const refused = await world.run(['integrations', 'select-facebook-pages', '--body', '-'], { stdin: body });
    expect(refused.code).toBe(3);
    expect(refused.out + refused.err).not.toContain('a-selection-token');
  });

  it('the access key may come from a file', async () => {
    const file = join(folder, 'key');
    await writeFile(file, `${accessKey}\n`);
    const env = { SOCIAL_PUBLISHING_ACCESS_KEY: '' };
    expect((await world.run(['posts', 'list', '--access-key-file', file], { env })).code).toBe(0);
  });
});

it.each(['--version', '-V'])('%s prints the version', async (option) => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  expect(await runCommand([option])).toMatchObject({ code: 0, out: `${version}\n`, err: '' });
});
