import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { isBuiltin } from 'node:module';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../src/cli/errors.js';
import { ConfigurationError, SocialPublishing, SocialPublishingError } from '../../src/index.js';
import { createPublisher, MemoryDurableStore } from '../../src/publisher/index.js';
import { cliWorld, accessKey, replaceInModule, runCommand, type CliWorld } from '../support/cli.js';
import { holdTimeouts } from '../support/held-timeouts.js';
import { shortenPauses } from '../support/short-timeouts.js';
import { Pool } from './pg-driver.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let world: CliWorld;
beforeEach(async () => {
  world = await cliWorld();
});

const later = '2099-01-01T09:00:00Z';
const publish = (key: string, ...more: string[]) => [
  'publish',
  '--key',
  key,
  '--content',
  'Hello',
  '--target',
  `bluesky:${world.accountId}`,
  ...(more.some((arg) => ['--publish-now', '--save-as-draft', '--scheduled-for'].includes(arg))
    ? more
    : ['--scheduled-for', later, ...more]),
];

const settings = () => ({ SOCIAL_PUBLISHING_BASE_URL: world.url, SOCIAL_PUBLISHING_ACCESS_KEY: accessKey });
/** Runs the command on this store. */
const runOn = (store: MemoryDurableStore) => (args: readonly string[]) =>
  runCommand(args, { env: settings() }, () => Promise.resolve({ store, close: () => undefined }));

describe('publish', () => {
  it('creates the post once, however often it runs, and names the store', async () => {
    const first = await world.run(publish('a'));
    expect([first.code, first.json()]).toMatchObject([0, { key: 'a', state: 'accepted', replayed: false }]);
    expect((first.json() as { store: string }).store).toMatch(
      /^\/nonexistent\/social-publishing\/127\.0\.0\.1_\d+-\w{8}\.db$/,
    );
    const second = await world.run(publish('a'));
    expect([second.code, second.json()]).toMatchObject([0, { state: 'accepted', replayed: true }]);
    expect(world.creates()).toBe(1);
    // A restarted emulator gives the ID to another post.
    expect(first.err).toBe('');
    expect(second.err).toContain('started again without --state, post_1 can be another post');
    expect((await world.run(['intents', 'show', 'a'])).err).toContain('pass a new --store');
  });

  it('with another body under the same key exits with 3 and sends nothing', async () => {
    await world.run(publish('a'));
    const { code, err } = await world.run([...publish('a'), '--content', 'Other']);
    expect(code).toBe(3);
    expect(err).toContain('another body');
    expect(err).toContain('intents show');
    expect(err).not.toContain('publisher.get');
    expect(world.creates()).toBe(1);
  });

  it('with a key of another service names the flags of the command, not options of a program', async () => {
    await world.run(publish('a'));
    const other = [...publish('a'), '--base-url', world.url.replace('127.0.0.1', 'localhost')];
    const { code, err } = await world.run(other);
    expect(code).toBe(3);
    expect(err).toContain(`belongs to the service ${world.url}`);
    expect(err).toMatch(/--base-url.*--store/s);
    expect(err).not.toMatch(/createPublisher|scope/);
    expect(world.creates()).toBe(1);
  });

  it('exits with 0 for a draft, with 1 while it is ready, and repeating it then publishes', async () => {
    expect((await world.run(publish('draft', '--save-as-draft'))).code).toBe(0);
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 401, times: 1 });
    const ready = await world.run(publish('b'));
    expect([ready.code, ready.json()]).toMatchObject([
      1,
      { state: 'ready', next: expect.stringContaining('access key') as string },
    ]);
    expect((await world.run(publish('b'))).code).toBe(0);
  });

  it('exits with 3 if the service rejects it, or if all targets fail', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 400, times: 1 });
    expect((await world.run(publish('c'))).code).toBe(3);
    world.service.publishing.outcome({ platform: 'bluesky', error: 'down', times: 1 });
    const failed = await world.run(publish('d', '--publish-now', '--yes'));
    expect([failed.code, failed.json()]).toMatchObject([3, { state: 'failed' }]);
  });

  it('exits with 4 in doubt, says what to do, and is not sent again', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    const { code, json } = await world.run(publish('e'));
    expect([code, json()]).toMatchObject([4, { state: 'in_doubt' }]);
    expect((json() as { next: string }).next).toMatch(
      /^Do not publish it under another key\. Wait until .* intents show e$/,
    );
    const later = await world.run(publish('e'), { now: () => Date.now() + 601_000 });
    expect([later.code, later.json()]).toMatchObject([
      4,
      { next: expect.stringContaining('intents resolve e --as published') as string },
    ]);
    expect(world.creates()).toBe(1);
  });

  it('asks before it goes out, but not if the key was sent before', async () => {
    const { code, err } = await world.run(publish('f', '--publish-now'));
    expect([code, world.creates()]).toEqual([5, 0]);
    expect(err).toContain('--yes');
    expect((await world.run(publish('f', '--publish-now', '--yes'))).code).toBe(0);
    expect((await world.run(publish('f', '--publish-now'))).code).toBe(0);
    expect(world.creates()).toBe(1);
  });

  it.each([
    ['y', 0, 1],
    [' YES ', 0, 1],
    ['yesterday', 5, 0],
    ['oh yes', 5, 0],
    ['n', 5, 0],
    ['', 5, 0],
  ])('asks on a terminal, and %j exits with %i', async (answer, exitCode, creates) => {
    const { code, err } = await world.run(publish('q', '--publish-now'), { answer });
    expect([code, world.creates()]).toEqual([exitCode, creates]);
    expect(err).toContain('This post goes out within 5 minutes.');
  });

  it('ends with 130 after Ctrl-C, and the same command continues', async () => {
    const latencyMs = 19_001;
    const held = holdTimeouts(latencyMs);
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs, times: 1 });
    const stop = new AbortController();
    const running = world.run(publish('r'), { signal: stop.signal });
    await expect.poll(() => world.creates()).toBe(1);
    stop.abort();
    const { code, err } = await running;
    expect(code).toBe(130);
    expect(err).toContain('Run the same command again');
    held.expire();
    await expect.poll(async () => (await world.run(publish('r'))).code).toBe(0);
    expect(world.creates()).toBe(1);
  });

  it('sends and stores nothing after Ctrl-C', async () => {
    const stop = new AbortController();
    stop.abort();
    const { code, err } = await world.run(publish('s'), { signal: stop.signal });
    expect([code, world.creates()]).toEqual([130, 0]);
    expect(err).toContain('Interrupted.');
    expect((await world.run(['intents', 'list'])).json()).toEqual([]);
  });

  it('says in its help which exit codes allow the same command again', async () => {
    const { out } = await world.run(['publish', '--help'], { columns: 100 });
    expect(out.replace(/\s+/g, ' ')).toContain(
      'After exit 1 or 4, the same command is safe: after 4, it only searches. Never use another key. After 2, 3 or 5, ' +
        'fix the cause first.',
    );
    expect(out).not.toContain('until it exits with 0');
  });

  it('with --dry-run prints the request and the store, and stores nothing', async () => {
    const { code, json, out } = await world.run([...publish('g'), '--dry-run']);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ dryRun: true, key: 'g', method: 'POST', body: { content: 'Hello' } });
    expect(out).not.toContain(accessKey);
    expect((await world.run(['intents', 'show', 'g'])).code).toBe(1);
    expect(world.creates()).toBe(0);
  });

  it('without --key, or with an invalid body, exits with 2', async () => {
    expect((await world.run(['publish', '--content', 'x', '--save-as-draft'])).code).toBe(2);
    expect((await world.run(['publish', '--key', 'h', '--content', 'x'])).code).toBe(2);
    expect(world.creates()).toBe(0);
  });

  it('says that the same command is safe if the store fails', async () => {
    const store = new MemoryDurableStore();
    const full = () =>
      Promise.reject(new SocialPublishingError('The disk of the SQLite file is full.', { outcome: 'unknown' }));
    vi.spyOn(store, 'insert').mockImplementation(full);
    const { code, err } = await runOn(store)(publish('full'));
    expect([code, err]).toEqual([
      4,
      'The disk of the SQLite file is full.\nRun the same command again: it sends nothing twice.\n',
    ]);
    expect(world.creates()).toBe(0);
  });

  it('exits with 4 if the store refuses the data of another program after the send', async () => {
    const store = new MemoryDurableStore();
    const insert = store.insert.bind(store);
    vi.spyOn(store, 'insert').mockImplementation(async (key, ...item) => {
      const version = await insert(key, ...item);
      if (!key.startsWith('post/')) return version;
      const intent = await store.get('intent/foreign');
      await store.swap('intent/foreign', intent?.version ?? 0, '{"format":99}', null);
      return version;
    });
    const first = await runOn(store)(publish('foreign'));
    expect(world.creates()).toBe(1);
    // The same command again: another one may have sent it.
    const again = await runOn(store)(publish('foreign'));
    for (const { code, err } of [first, again]) {
      expect(code).toBe(4);
      expect(err).toContain('newer version');
      expect(err).toContain('The post may have been sent.');
      expect(err).not.toContain('Nothing was sent');
    }
    expect(world.creates()).toBe(1);
  });

  describe('and an intent of a newer version in its store', () => {
    async function newer() {
      const store = new MemoryDurableStore();
      const run = runOn(store);
      await run(publish('a', '--save-as-draft'));
      const client = new SocialPublishing({ baseUrl: world.url, accessKey });
      await createPublisher({ client, store }).enqueue('z', { content: 'Z', saveAsDraft: true });
      await store.insert('intent/newer', '{"format":99}', Date.now());
      return run;
    }

    it('lists and sweeps the others, names its key, and exits with 1', async () => {
      const run = await newer();
      const all = await run(['intents', 'list']);
      expect(all.json()).toMatchObject([{ key: 'a' }, { key: 'z' }]);
      const planned = await run(['intents', 'sweep', '--dry-run']);
      expect(planned.json()).toMatchObject([{ key: 'z', action: 'send' }]);
      const swept = await run(['intents', 'sweep', '--yes']);
      expect(swept.json()).toMatchObject([{ key: 'z', state: 'accepted' }]);
      for (const { code, err } of [all, planned, swept]) {
        expect(code).toBe(1);
        expect(err).toMatch(/'intent\/newer'.*Upgrade/);
        expect(err).not.toContain('same command again');
      }
    });

    it('prunes the others, names its key, and exits with 1', async () => {
      const run = await newer();
      const prune = (...more: string[]) => run(['intents', 'prune', '--older-than', '2098-01-01T00:00:00Z', ...more]);
      const planned = await prune('--dry-run');
      expect(planned.json()).toMatchObject({ dryRun: true, keys: ['a'] });
      const pruned = await prune();
      expect(pruned.err).toContain('1 other intent was removed.');
      expect((await run(['intents', 'list'])).json()).toMatchObject([{ key: 'z' }]);
      for (const { code, err } of [planned, pruned]) {
        expect(code).toBe(1);
        expect(err).toMatch(/'intent\/newer'.*Upgrade/);
        expect(err).not.toContain('same command again');
      }
    });

    it('does not hide the intents in doubt, or those of other services, from doctor, which names its key', async () => {
      const run = await newer();
      world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
      expect((await run(publish('doubt'))).code).toBe(4);
      const own = await run(['doctor']);
      const other = await run(['doctor', '--base-url', world.url.replace('127.0.0.1', 'localhost')]);
      const found = ({ json }: typeof own) =>
        (json() as { findings: { check: string }[] }).findings.filter(({ check }) => /store|intents/.test(check));
      const newest = {
        check: 'intents',
        status: 'problem',
        message: expect.stringContaining("'intent/newer'") as string,
      };
      const store = { check: 'store', status: 'ok' };
      expect(found(own)).toMatchObject([store, { status: 'warning', message: '1 in doubt.' }, newest]);
      expect(found(other)).toMatchObject([store, { status: 'warning', otherServices: 2 }, newest]);
      expect([own.code, other.code]).toEqual([1, 1]);
    });

    it('shows its message for its key, without advice to repeat the command', async () => {
      const { code, out, err } = await (await newer())(['intents', 'show', 'newer']);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(/'intent\/newer'.*Upgrade/);
      expect(err).not.toMatch(/same command again|when the store works/);
    });
  });

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
    ['', false],
    [undefined, false],
  ])('with CI=%s: warns about a file, because a later job cannot see it: %s', async (CI, warns) => {
    const warning: unknown = expect.stringMatching(
      /^This store is a file on a CI machine: .* Set SOCIAL_PUBLISHING_STORE\.\n$/,
    );
    expect((await world.run(publish('i'), { env: { CI } })).err).toEqual(warns ? warning : '');
    const { json } = await world.run([...publish('i'), '--json'], { env: { CI } });
    expect((json() as { warnings?: unknown }).warnings).toEqual(
      warns ? [expect.stringContaining('CI machine')] : undefined,
    );
  });
});

describe('the store', () => {
  // The messages AuthenticationOk and ReadyForQuery of Postgres.
  const login = Buffer.from('5200000008000000005a0000000549', 'hex');

  it.each([
    ['accepts connections', 5_000, 'connection timeout', []],
    ['accepts a login', 10_000, 'Query read timeout', [login]],
  ])('is not waited for without end: a Postgres that %s and is silent', async (_, ms, error, replies) => {
    const held = holdTimeouts(ms);
    const server = createServer((socket) => {
      const left = [...replies];
      const next = () => {
        const reply = left.shift();
        if (reply === undefined) held.expire();
        else socket.write(reply);
      };
      if (left.length === 0) next();
      socket.on('data', next).on('error', () => {});
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, err } = await world.run([...publish('s'), '--store', `postgres://127.0.0.1:${String(port)}/db`]);
    expect([code, err]).toEqual([1, expect.stringContaining(error)]);
    expect(world.creates()).toBe(0);
  });

  it('with a password comes only from the environment', async () => {
    const url = 'postgres://user:a-store-password@127.0.0.1:9/db';
    const asArgument = await world.run([...publish('a'), '--store', url]);
    expect(asArgument.code).toBe(2);
    const { code, err, out } = await world.run(publish('a'), { env: { SOCIAL_PUBLISHING_STORE: url } });
    expect(code).toBe(1);
    expect(err).toMatch(
      /cannot be used: Postgres did not answer: [^.]*127\.0\.0\.1:9\. Nothing was sent\.\nFix this, then run the command again\.\n$/,
    );
    expect(err + out + asArgument.err).not.toContain('a-store-password');
    expect(world.creates()).toBe(0);
  });

  it('with a user and no password may be an argument', async () => {
    const { code, err } = await world.run([...publish('a'), '--store', 'postgres://user@127.0.0.1:9/db']);
    expect([code, err]).toEqual([1, expect.stringContaining('cannot be used')]);
  });

  it.each(['redis://a-store-secret@127.0.0.1:9', 'postgres://user%3Aa-store-secret@127.0.0.1:9/db'])(
    'with text that may be a secret in place of its user is refused: %s',
    async (url) => {
      const { code, err, out } = await world.run([...publish('a'), '--store', url]);
      expect(code).toBe(2);
      expect(err + out).not.toContain('a-store-secret');
    },
  );

  it.each(['password', 'sslpassword', 'PASS', 'auth'])(
    'with a secret in its parameter %s comes only from the environment',
    async (name) => {
      const url = `postgres://127.0.0.1:9/db?user=u&${name}=a%2Dstore-password`;
      const asArgument = await world.run([...publish('a'), '--store', url]);
      expect(asArgument.code).toBe(2);
      expect(asArgument.err).toContain('--store cannot contain a password');
      const { code, err, out } = await world.run(publish('a'), { env: { SOCIAL_PUBLISHING_STORE: url } });
      expect(code).toBe(1);
      expect(err + out + asArgument.err).not.toMatch(/a(?:-|%2D)store-password/);
      expect(world.creates()).toBe(0);
    },
  );

  it.each([
    ['postgres://user:100%secret@127.0.0.1:9/db', '%25'],
    ['postgres://us%er:secret@127.0.0.1:9/db', '%25'],
    ['mysql://127.0.0.1/db', 'postgres://'],
    ['postgres://user:sec#ret@localhost:5432/db', 'is not a URL'],
  ])('%s is refused, and no password is shown', async (url, message) => {
    const { code, err } = await world.run(publish('a'), { env: { SOCIAL_PUBLISHING_STORE: url } });
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err).not.toMatch(/ret@|secret/);
  });

  it('in a file needs node:sqlite: without it, nothing is sent', async () => {
    replaceInModule({ isBuiltin: () => false });
    const { code, err } = await runCommand(publish('a'), { env: settings() });
    expect([code, err]).toEqual([
      2,
      `A store in a file needs node:sqlite, which Node has from 22.13 on; this is ${process.version}. Nothing was sent. ` +
        'Update Node, or pass --store postgres://… or redis://….\nSee --help.\n',
    ]);
    expect((await world.run(['doctor'])).json()).toMatchObject({
      findings: expect.arrayContaining([
        {
          check: 'node',
          status: 'warning',
          code: 'no_sqlite',
          message: `${process.version} has no node:sqlite, so publish and campaign need a server as their store.`,
          fix: 'Use Node 22.13 or later, or set SOCIAL_PUBLISHING_STORE to postgres://… or redis://….',
        },
      ]) as unknown,
    });
    expect(world.creates()).toBe(0);
  });

  it.each([
    ['a wrong argument', new UsageError('The driver is missing.'), 2, 'The driver is missing.\nSee --help.\n'],
    ['a wrong setting', new ConfigurationError('The table is too old.'), 2, 'The table is too old.\n'],
    [
      'another error',
      new Error('It is locked.'),
      1,
      'The store own.db cannot be used: It is locked. Nothing was sent.\nFix this, then run the command again.\n',
    ],
  ])('that cannot be opened: %s', async (_, error, exitCode, message) => {
    const args = [...publish('a'), '--store', 'own.db'];
    const { code, err } = await runCommand(args, { env: settings() }, () => Promise.reject(error));
    expect([code, err.replace(process.cwd() + sep, '')]).toEqual([exitCode, message]);
    expect(world.creates()).toBe(0);
  });

  const server = { pg: 'postgres://127.0.0.1:9/db', redis: 'redis://127.0.0.1:9' };
  const withDrivers = (resolve: (name: string) => string) => {
    // The command calls no other property of it.
    replaceInModule({ createRequire: () => ({ resolve }) as unknown as NodeJS.Require });
  };

  it.each(['pg', 'redis'] as const)('on a server needs the package %s: without it, nothing is sent', async (name) => {
    const tried: string[] = [];
    withDrivers((driver) => {
      tried.push(driver);
      throw Object.assign(new Error('It is missing.'), { code: 'MODULE_NOT_FOUND' });
    });
    const { code, err } = await world.run([...publish('a'), '--store', server[name]]);
    expect([code, err]).toEqual([
      2,
      `This store needs the package '${name}'. Nothing was sent. Run: npm install ${name}\nSee --help.\n`,
    ]);
    // In the current folder, then beside the command.
    expect(tried).toEqual([name, name]);
  });

  it('shows why a driver cannot be loaded', async () => {
    withDrivers(() => {
      throw new Error('It is broken.');
    });
    const { code, err } = await world.run([...publish('a'), '--store', server.pg]);
    expect([code, err]).toEqual([1, expect.stringContaining('cannot be used: It is broken. Nothing was sent.')]);
  });

  it('on a Postgres without its table is empty for a dry run, which creates none', async () => {
    withDrivers(() => fileURLToPath(new URL('pg-driver.ts', import.meta.url)));
    const { code, json } = await world.run([...publish('a'), '--store', server.pg, '--dry-run']);
    expect([code, json()]).toMatchObject([0, { findings: [] }]);
    expect(Pool.statements).toEqual([expect.stringContaining('SELECT')]);
  });

  it('on a Redis that is away: shows each of 5 attempts, then fails', async () => {
    const restore = shortenPauses();
    onTestFinished(restore);
    const { code, err } = await world.run([...publish('a'), '--store', server.redis]);
    expect([code, err.match(/^Redis: .*$/gm)]).toEqual([
      1,
      Array.from({ length: 5 }, () => expect.any(String) as string),
    ]);
    expect(err).toContain('The store redis://127.0.0.1:9 cannot be used: ');
    expect(world.creates()).toBe(0);
  });

  it.runIf(isBuiltin('node:sqlite'))('is one file per base URL in XDG_STATE_HOME', async () => {
    const folder = temporaryFolder('cli');
    const env = { ...settings(), XDG_STATE_HOME: folder };
    expect((await runCommand(publish('a'), { env })).code).toBe(0);
    expect((await runCommand(publish('a'), { env })).json()).toMatchObject({ replayed: true });
    expect((await runCommand([...publish('a'), '--store', join(folder, 'own.db')], { env })).json()).toMatchObject({
      replayed: false,
    });
    const files = await readdir(join(folder, 'social-publishing'));
    expect(files.filter((file) => file.endsWith('.db'))).toHaveLength(1);
  });
});

describe('intents', () => {
  const inDoubt = async (key: string) => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    expect((await world.run(publish(key))).code).toBe(4);
  };

  it('list and show what was published', async () => {
    await world.run(publish('spring/a'));
    await inDoubt('autumn/b');
    expect((await world.run(['intents', 'list'])).json()).toHaveLength(2);
    expect((await world.run(['intents', 'list', '--state', 'in_doubt'])).json()).toMatchObject([{ key: 'autumn/b' }]);
    expect((await world.run(['intents', 'list', '--prefix', 'spring/', '--ndjson'])).json()).toMatchObject({
      key: 'spring/a',
    });
    const table = await world.run(['intents', 'list'], { tty: true });
    expect(table.out).toMatch(/^key +state/);
    const { json, code } = await world.run(['intents', 'show', 'autumn/b']);
    expect([code, json()]).toMatchObject([0, { state: 'in_doubt', next: expect.any(String) as string }]);
    expect((await world.run(['intents', 'list', '--state', 'lost'])).code).toBe(2);
    expect((await world.run(['intents', 'show', 'unknown'])).code).toBe(1);
  });

  it('name the commands to run next with the options that choose the store', async () => {
    const store = ['--store', '/stores/own store.db'];
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    expect((await world.run([...publish('n'), ...store])).code).toBe(4);
    const next = async (...args: string[]) =>
      ((await world.run(['intents', ...args, ...store])).json() as { next: string }).next;
    const option = "--store '/stores/own store.db'";
    expect(await next('show', 'n')).toMatch(
      new RegExp(`intents sweep --no-send ${option}, .*: social-publishing intents show n ${option}$`),
    );
    const later = await world.run(['intents', 'show', 'n', ...store], { now: () => Date.now() + 601_000 });
    expect(later.out).toContain(`intents resolve n ${option} --as published --post-id ID`);
    const sweep = `If it was in doubt, the list is searched for its post once more before it is sent. To send all due intents, run: social-publishing intents sweep ${option}`;
    const early =
      /^If its last send was in doubt, wait until 20\S+Z, because the service may still execute it or list its post\. /;
    const decided = await next('resolve', 'n', '--as', 'not_sent', '--yes');
    expect([decided.replace(early, ''), decided]).toEqual([sweep, expect.stringMatching(early)]);
    expect(await next('show', 'n')).toBe(decided);
    const settled = await world.run(['intents', 'show', 'n', ...store], { now: () => Date.now() + 601_000 });
    expect(settled.json()).toMatchObject({ next: sweep });
    expect((await world.run(['intents', 'sweep', ...store])).code).toBe(0);
    expect(world.service.posts).toHaveLength(1);
  });

  it('resolve needs a confirmation, and not_sent lets the same command send it', async () => {
    await inDoubt('c');
    const asked = await world.run(['intents', 'resolve', 'c', '--as', 'not_sent']);
    expect([asked.code, asked.err]).toEqual([5, expect.stringMatching(/only \d+ s ago: its post may still appear/)]);
    const later = await world.run(['intents', 'resolve', 'c', '--as', 'not_sent'], { now: () => Date.now() + 601_000 });
    expect([later.code, later.err]).toEqual([5, expect.not.stringContaining('ago')]);
    expect((await world.run(['intents', 'resolve', 'c', '--as', 'not_sent', '--yes'])).json()).toMatchObject({
      state: 'ready',
    });
    expect((await world.run(publish('c'))).json()).toMatchObject({ state: 'accepted' });
    expect(world.service.posts).toHaveLength(1);
  });

  it('resolve --as not_sent searches first: a listed post decides', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_after_commit', times: 1 });
    const isListed = world.service.faults.add({ kind: 'listing_lag', lagMs: 3_600_000 });
    expect((await world.run(publish('d'))).code).toBe(4);
    isListed();
    await world.service.clock.advance({ hours: 1 });
    const { json, err } = await world.run(['intents', 'resolve', 'd', '--as', 'not_sent', '--yes']);
    expect(json()).toMatchObject({ state: 'accepted' });
    expect(err).toBe('The post was found, so your decision is not needed.\n');
    expect(world.creates()).toBe(1);
  });

  it('resolve --as not_sent decides nothing if the search fails', async () => {
    await inDoubt('e');
    world.service.faults.add({ route: 'GET /v1/posts/', kind: 'status', status: 403 });
    const { code, err } = await world.run(['intents', 'resolve', 'e', '--as', 'not_sent', '--yes']);
    expect(code).toBe(4);
    expect(err).toMatch(/Nothing was decided\.\nWait until 20\S+Z\. Run the command again\.\n$/);
    const later = { now: () => Date.now() + 601_000 };
    expect((await world.run(['intents', 'resolve', 'e', '--as', 'not_sent', '--yes'], later)).err).toMatch(
      /Nothing was decided\.\nRun the command again\.\n$/,
    );
  });

  it('resolve --as not_sent decides nothing if the search finds an equal post that was not shown before', async () => {
    await inDoubt('h');
    const client = new SocialPublishing({ baseUrl: world.url, accessKey });
    const platforms = [{ platform: 'bluesky', accountId: world.accountId }];
    const body = { content: 'Hello', scheduledFor: later, platforms } as const;
    // As a service that adds a field to the request.
    const { postId } = await client.posts.create(body, { extraBody: { timezone: 'UTC' } });
    const resolve = () => world.run(['intents', 'resolve', 'h', '--as', 'not_sent', '--yes']);
    const { code, err } = await resolve();
    expect(code).toBe(4);
    expect(err).toContain(`equal post that was not known: ${postId}. Nothing was decided.`);
    expect(err).toMatch(/If it is this post, run: .* resolve h .*--as published --post-id ID/);
    expect((await world.run(['intents', 'show', 'h'])).json()).toMatchObject({ lookup: { postIds: [postId] } });
    // The operator has seen it now.
    expect((await resolve()).json()).toMatchObject({ state: 'ready' });
  });

  it('resolve --as published needs the ID of the post, and --as abandoned none', async () => {
    await inDoubt('f');
    const as = (...args: string[]) => world.run(['intents', 'resolve', 'f', '--yes', '--as', ...args]);
    const needsId = '--post-id is required with --as published, and not allowed otherwise.\nSee --help.\n';
    for (const args of [['published'], ['not_sent', '--post-id', 'post_9']])
      expect(await as(...args)).toMatchObject({ code: 2, err: needsId });
    const decisions = '--as must be published, not_sent or abandoned.\nSee --help.\n';
    expect(await as('sent')).toMatchObject({ code: 2, err: decisions });
    expect((await as('published', '--post-id', 'post_9')).json()).toMatchObject({ postId: 'post_9' });
    await inDoubt('g');
    expect((await world.run(['intents', 'resolve', 'g', '--yes', '--as', 'abandoned'])).json()).toMatchObject({
      state: 'abandoned',
    });
    expect((await world.run(publish('g'))).code).toBe(3);
  });

  it('sweep continues what is due, and exits with the worst result', async () => {
    world.service.faults.add({
      route: 'POST /v1/posts/',
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '0' },
      times: 3,
    });
    await world.run(publish('h'));
    const { code } = await world.run(['intents', 'sweep']);
    expect(code).toBe(0);
  });

  /** Leaves an intent ready. */
  const refused = async (key: string, ...mode: string[]) => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 401, times: 1 });
    expect((await world.run(publish(key, ...mode))).code).toBe(1);
  };
  const inAnHour = () => ({ now: () => Date.now() + 3_600_000 });

  it('sweep asks on a terminal before a ready intent goes out, and not for a later post', async () => {
    await refused('now', '--publish-now', '--yes');
    const before = world.creates();
    const { code, err } = await world.run(['intents', 'sweep'], { ...inAnHour(), answer: 'n' });
    expect(code).toBe(5);
    expect(err).toContain("At least one ready post goes out within 5 minutes: 'now'.");
    expect(world.creates()).toBe(before);
    expect((await world.run(['intents', 'sweep', '--yes'], inAnHour())).code).toBe(0);
    expect(world.creates()).toBe(before + 1);
    await refused('later');
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    expect((await world.run(publish('doubt', '--publish-now', '--yes'))).code).toBe(4);
    const swept = await world.run(['intents', 'sweep'], { ...inAnHour(), answer: 'n' });
    const states = (swept.json() as { key: string; state: string }[]).map(({ key, state }) => `${key} ${state}`);
    expect([swept.code, states.sort()]).toEqual([4, ['doubt in_doubt', 'later accepted']]);
  });

  it('sweep asks about undocumented fields too', async () => {
    // In place of the time.
    const stdin = JSON.stringify({ publishNow: true, scheduledFor: null });
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 401, times: 1 });
    expect((await world.run(publish('extra', '--extra-body', '-', '--yes'), { stdin })).code).toBe(1);
    expect((await world.run(['intents', 'sweep'], { ...inAnHour(), answer: 'n' })).code).toBe(5);
  });

  it('sweep --dry-run prints the action for each open intent, and does nothing', async () => {
    await refused('ready', '--publish-now', '--yes');
    await inDoubt('doubt');
    await world.run(publish('accepted'));
    await world.run(publish('draft', '--save-as-draft'));
    const before = world.service.requests.length;
    const { code, json } = await world.run(['intents', 'sweep', '--dry-run'], inAnHour());
    expect([code, json()]).toEqual([
      0,
      [
        { key: 'accepted', state: 'accepted', action: 'read its post' },
        { key: 'doubt', state: 'in_doubt', action: 'search for its post' },
        { key: 'ready', state: 'ready', action: 'send' },
      ],
    ]);
    expect(world.service.requests).toHaveLength(before);
    expect((await world.run(['intents', 'show', 'ready'])).json()).toMatchObject({ state: 'ready' });
  });

  it('resolve --dry-run prints the decision, and records nothing', async () => {
    await inDoubt('k');
    const before = world.service.requests.length;
    const args = ['intents', 'resolve', 'k', '--as', 'not_sent', '--dry-run'];
    const { code, json } = await world.run(args);
    expect([code, json()]).toEqual([0, { dryRun: true, key: 'k', state: 'in_doubt', as: 'not_sent' }]);
    expect(world.service.requests).toHaveLength(before);
    expect((await world.run(['intents', 'show', 'k'])).json()).toMatchObject({ state: 'in_doubt' });
    expect((await world.run(['intents', 'resolve', 'unknown', '--as', 'abandoned', '--dry-run'])).code).toBe(1);
  });

  it('prune --dry-run prints the keys that it would remove, as many as prune removes', async () => {
    await world.run(publish('published', '--publish-now', '--yes'));
    await world.run(publish('draft', '--save-as-draft'));
    await world.run(publish('accepted'));
    await inDoubt('doubt');
    const prune = (...more: string[]) => world.run(['intents', 'prune', '--older-than', ...more]);
    expect((await prune('2098-01-01T00:00:00Z', '--dry-run')).json()).toMatchObject({
      dryRun: true,
      keys: ['draft', 'published'],
    });
    expect((await prune('2020-01-01T00:00:00Z', '--dry-run')).json()).toMatchObject({ keys: [] });
    expect((await prune('yesterday', '--dry-run')).code).toBe(2);
    const missing = await prune('2027-02-30T00:00:00Z', '--dry-run');
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringContaining('--older-than names a day that does not exist: 2027-02 has 28 days'),
    ]);
    expect((await world.run(['intents', 'list'])).json()).toHaveLength(4);
    expect((await prune('2098-01-01T00:00:00Z')).json()).toMatchObject({ removed: 2 });
  });
});
