/** The file that the command uses without `--store`: one for each base URL, in every spelling. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { stateFolder } from '../../src/cli/store.js';
import type { OpenCommandStore } from '../../src/cli/output.js';
import { MemoryDurableStore } from '../../src/publisher/index.js';
import { accessKey, cliWorld, runCommand, type CliWorld } from '../support/cli.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let world: CliWorld;
let folder: string;
/** A store in memory for each file that the command opens. */
let files: Map<string, MemoryDurableStore>;
beforeEach(async () => {
  world = await cliWorld();
  folder = temporaryFolder('cli');
  files = new Map();
  await mkdir(join(folder, 'social-publishing'));
});

async function openFile(file: string): Promise<OpenCommandStore> {
  const store = files.get(file) ?? new MemoryDurableStore();
  files.set(file, store);
  await writeFile(file, '');
  return { store, close: () => undefined };
}

function run(baseUrl: string, ...args: string[]) {
  const env = { XDG_STATE_HOME: folder, SOCIAL_PUBLISHING_ACCESS_KEY: accessKey };
  return runCommand([...args, '--base-url', baseUrl], { env }, openFile);
}

/** The file that version 0.2.0 created for a base URL. */
function earlierFile(baseUrl: string): string {
  const normal = baseUrl.replace(/\/+$/, '');
  const host = new URL(normal).host.replace(/[^\w.-]/g, '_');
  const digest = createHash('sha256').update(normal).digest('hex').slice(0, 8);
  return join(folder, 'social-publishing', `${host}-${digest}.db`);
}

async function storeOf(baseUrl: string): Promise<string | undefined> {
  const { err } = await run(baseUrl, 'intents', 'list');
  return /^Store: (.*)$/m.exec(err)?.[1];
}

const publish = () =>
  ['publish', '--key', 'a', '--content', 'A', '--target', `bluesky:${world.accountId}`].concat([
    '--scheduled-for',
    '2099-01-01T09:00:00Z',
  ]);

describe('another spelling of the base URL', () => {
  it('publishes no key again', async () => {
    const { host, port } = new URL(world.url);
    const spellings = [
      world.url,
      `${world.url}/`,
      `HTTP://${host}`,
      `http:\\\\${host}\\`,
      `http://127.1:${port}`,
      `http://0x7f.0.0.1:0${port}`,
      `${world.url}/a/..`,
      `${world.url}/./`,
      ` ${world.url}\t`,
    ];
    for (const spelling of spellings) expect((await run(spelling, ...publish())).code, spelling).toBe(0);
    expect(world.creates()).toBe(1);
    expect(files.size).toBe(1);
  });

  it.each([
    ['https://api.example.com', 'HTTPS://API.EXAMPLE.COM:443/'],
    ['http://localhost', 'http://LOCALHOST:80'],
    ['https://api.example.com/proxy', 'https://api.example.com/x/%2E%2E/proxy//'],
    ['https://xn--mnchen-3ya.example', 'https://MÜNCHEN.example'],
    ['http://[::1]:8787', 'http://[0:0:0:0:0:0:0:1]:8787'],
  ])('%s and %s have one store', async (one, other) => {
    const store = await storeOf(one);
    expect(store).toBe(earlierFile(one));
    expect(await storeOf(other)).toBe(store);
  });

  it.each([
    ['https://api.example.com', 'http://localhost'],
    ['http://localhost:8787', 'http://localhost:8788'],
    ['https://api.example.com/a', 'https://api.example.com/A'],
    ['https://api.example.com', 'https://api.example.com.'],
    ['https://api.example.com/~a', 'https://api.example.com/%7Ea'],
  ])('%s and %s are different URLs, with a store each', async (one, other) => {
    const first = await storeOf(one);
    const second = await storeOf(other);
    expect(second).toMatch(/\.db$/);
    expect(second).not.toBe(first);
    expect(await storeOf(one)).toBe(first);
  });
});

describe('a store of version 0.2.0', () => {
  it.each([
    'HTTP://localhost:18787',
    'http://LOCALHOST:18787/',
    'http://localhost:18787/a/..',
    'http://loCALhost:18787',
  ])('that was created for %s is used for the same text', async (spelling) => {
    const file = earlierFile(spelling);
    await writeFile(file, '');
    expect(await storeOf(spelling)).toBe(file);
  });

  it.each([
    ['HTTP://localhost:18787', 'http://localhost:18787'],
    ['Http://localhost:18787', 'http://localhost:18787'],
    ['http://Localhost:18787', 'http://localhost:18787'],
    ['http://LOCALHOST:18787', 'http://localhost:18787/'],
    ['https://api.example.com:443', 'https://api.example.com'],
    ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
  ])('that was created for %s is used for %s', async (spelling, text) => {
    const file = earlierFile(spelling);
    await writeFile(file, '');
    expect(await storeOf(text)).toBe(file);
  });

  it.each([
    ['publish', '--key', 'a', '--content', 'A', '--save-as-draft'],
    ['publish', '--key', 'a', '--content', 'A', '--save-as-draft', '--dry-run'],
    ['intents', 'list'],
    ['intents', 'sweep'],
    ['mcp'],
    ['doctor'],
  ])('beside another one: %s %s exits with 2 and names both', async (...args) => {
    const spelling = world.url.replace('http', 'HTTP');
    const both = [earlierFile(world.url), earlierFile(spelling)];
    for (const file of both) await writeFile(file, '');
    for (const text of [world.url, spelling]) {
      const { code, out, err } = await run(text, ...args);
      expect(code, text).toBe(2);
      for (const file of both) expect(out + err).toContain(file);
      expect(out + err).toContain('--store');
    }
    expect(world.creates()).toBe(0);
  });

  it('beside another one: campaign and listen exit with 2', async () => {
    const spelling = world.url.replace('http', 'HTTP');
    for (const text of [world.url, spelling]) await writeFile(earlierFile(text), '');
    const table = join(folder, 'a.csv');
    await writeFile(table, `key,content,time,targets\na,A,2099-01-01T09:00:00Z,bluesky:${world.accountId}\n`);
    expect((await run(world.url, 'campaign', table)).code).toBe(2);
    const secret = join(folder, 'secret');
    await writeFile(secret, 'a-webhook-secret-of-tests');
    const listen = ['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:9/', '--secret-file', secret];
    expect((await run(world.url, ...listen)).code).toBe(2);
    expect(world.creates()).toBe(0);
    // The user chooses one.
    expect((await run(world.url, ...publish(), '--store', earlierFile(world.url))).code).toBe(0);
  });
});

describe('--store', () => {
  it.each([':memory:', 'file:posts.db', 'FILE:///tmp/posts.db', 'file:posts.db?mode=memory'])(
    '%j exits with 2, because SQLite would not keep the keys, or not there',
    async (store) => {
      const { code, err } = await run(world.url, ...publish(), '--store', store);
      expect(code).toBe(2);
      expect(err).toContain('--store must be');
      expect(files.size).toBe(0);
    },
  );

  it.each([
    // A secret of CI that does not exist is empty.
    ['', 'is empty'],
    ['~/posts.db', 'Write the whole path'],
    ['~someone/posts.db', 'Write the whole path'],
    ['"/srv/posts.db"', 'Write the whole path'],
    ["'postgres://127.0.0.1:9/db'", 'Write the whole path'],
    [' ', 'Write the whole path'],
    ['/srv/posts.db ', 'Write the whole path'],
    ['/srv/posts.db\n', 'Write the whole path'],
    ['postgres://127.0.0.1:9/db?schema=shop', '?options=-c%20search_path%3DNAME'],
    ['postgres://127.0.0.1:9/db?sslmode=disable&search_path=shop', '?options=-c%20search_path%3DNAME'],
    ['redis://127.0.0.1:9/5?prefix=shop', 'redis://HOST/1'],
  ])('%j exits with 2, because it would mean another store, also in the environment', async (store, message) => {
    const env = { SOCIAL_PUBLISHING_ACCESS_KEY: accessKey, XDG_STATE_HOME: folder, SOCIAL_PUBLISHING_STORE: store };
    const inEnvironment = await runCommand([...publish(), '--base-url', world.url], { env }, openFile);
    const asOption = await run(world.url, ...publish(), '--store', store);
    expect([inEnvironment.code, asOption.code]).toEqual([2, 2]);
    expect(inEnvironment.err).toMatch(/^SOCIAL_PUBLISHING_STORE /);
    expect(asOption.err).toMatch(/^--store /);
    for (const { err } of [inEnvironment, asOption]) expect(err).toContain(message);
    expect(files.size).toBe(0);
    expect(world.creates()).toBe(0);
  });

  it('a path may contain ~, quotes, and the scheme of a URL', async () => {
    const paths = ["~it's.db", 'a redis:b', 'postgres:b', 'file:b', ':memory:', 'a"b'].map((name) =>
      join(folder, name),
    );
    for (const path of paths) {
      const { code, json } = await run(world.url, ...publish(), '--store', path);
      expect([code, json()]).toMatchObject([0, { store: path }]);
    }
    expect([...files.keys()]).toEqual(paths);
  });

  const runOnFiles = (store: string, ...args: string[]) => {
    const env = { SOCIAL_PUBLISHING_ACCESS_KEY: accessKey };
    return runCommand([...args, '--base-url', world.url, '--store', store], { env });
  };

  it('a folder that does not exist exits with 2, and is not created', async () => {
    const missing = join(folder, 'volume');
    for (const args of [publish(), [...publish(), '--dry-run'], ['intents', 'sweep'], ['doctor']]) {
      const { code, out, err } = await runOnFiles(join(missing, 'posts.db'), ...args);
      expect([args, code, out + err]).toEqual([args, 2, expect.stringContaining(`There is no folder ${missing} `)]);
    }
    expect(await readdir(folder)).toEqual(['social-publishing']);
    expect(world.creates()).toBe(0);
  });

  it('a missing file is not created by a command that continues, counts or checks', async () => {
    const store = join(folder, 'mispelt.db');
    for (const command of ['sweep', 'stats']) {
      const { code, err } = await runOnFiles(store, 'intents', command);
      expect([code, err]).toEqual([2, expect.stringContaining(`There is no store ${store}.`)]);
    }
    const { code, json } = await runOnFiles(store, 'doctor');
    expect([code, json()]).toEqual([
      0,
      expect.objectContaining({
        findings: expect.arrayContaining([
          expect.objectContaining({ check: 'store', status: 'warning', message: `There is no store ${store}.` }),
        ]) as unknown,
      }),
    ]);
    expect(await readdir(folder)).toEqual(['social-publishing']);
  });

  it('a relative path is shown as the whole path, so that it means the same file in any folder', async () => {
    const relative = join('.tmp', 'relative.db');
    await mkdir('.tmp', { recursive: true });
    const { json } = await run(world.url, ...publish(), '--store', relative);
    expect(json()).toMatchObject({ store: join(process.cwd(), relative) });
    await rm(relative);
  });
});

describe('a HOME without an absolute path', () => {
  it.each(['', '.', 'home'])('%j does not make the store depend on the current folder', (home) => {
    const folder = stateFolder({ env: { HOME: home } });
    expect(folder).toBe(stateFolder({ env: {} }));
    expect(isAbsolute(folder)).toBe(true);
  });
});
