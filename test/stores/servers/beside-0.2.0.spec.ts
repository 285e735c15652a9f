/** Processes of release 0.2.0 and of this version on one store, for one service without scopes: nothing is doubled. */
import { execFileSync, fork, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';
import { createEmulator } from '../../../src/emulator/index.js';
import { bundleProgram } from '../../support/bundle-program.js';
import { openStore, type StoreSpec } from '../open-store.js';
import type { BesideReport, BesideTask } from './beside-process.js';
import { nodeOf } from './campaign.js';
import { removeRedisKeys } from './remove-redis-keys.js';
import { serverUrl } from './server-url.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** The commit of release 0.2.0. */
const release = '0e44d0b';
const program = 'test/stores/servers/beside-process.ts';
const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = `sp_beside_${randomUUID().slice(0, 8)}`;
const keys = Array.from({ length: 60 }, (_, index) => `key-${String(index)}`);
const kills = 16;

const hasHistory = spawnSync('git', ['cat-file', '-e', `${release}:src/index.ts`], { cwd: root }).status === 0;

/** Bundles the same program with the sources of release 0.2.0. */
function bundleOld(): string {
  const folder = join(root, '.tmp/release-0.2.0');
  if (!existsSync(join(folder, 'src'))) {
    mkdirSync(folder, { recursive: true });
    const archive = execFileSync('git', ['archive', release, 'src', 'test/stores/open-store.ts'], {
      cwd: root,
      maxBuffer: 2 ** 28,
    });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
  }
  mkdirSync(join(folder, 'test/stores/servers'), { recursive: true });
  cpSync(join(root, program), join(folder, program));
  buildSync({
    absWorkingDir: folder,
    entryPoints: { program },
    ...{ outdir: join(folder, 'built'), outExtension: { '.js': '.mjs' }, logLevel: 'error' },
    ...{ bundle: true, splitting: true, packages: 'external', platform: 'node', format: 'esm', target: 'node20' },
  });
  return join(folder, 'built/program.mjs');
}

type Version = '0.2.0' | 'new';

/** Starts processes of both versions, and collects their reports. */
class Processes {
  readonly published = new Set<string>();
  readonly sent = { '0.2.0': 0, new: 0 };
  readonly handled: string[] = [];
  readonly ports: number[] = [];
  readonly intents: NonNullable<BesideReport['intent']>[] = [];
  readonly #programs: Readonly<Record<Version, string>>;
  readonly #node: string;
  readonly #children = new Set<ChildProcess>();

  constructor(programs: Readonly<Record<Version, string>>, node: string) {
    this.#programs = programs;
    this.#node = node;
  }

  /** @param onReport is called after each report */
  start(version: Version, task: BesideTask, onReport: (child: ChildProcess) => void = () => undefined): ChildProcess {
    const child = fork(this.#programs[version], [JSON.stringify(task)], {
      execPath: this.#node,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#children.add(child);
    child.on('exit', () => this.#children.delete(child));
    child.on('message', (line: BesideReport) => {
      if (line.port !== undefined) this.ports.push(line.port);
      if (line.published !== undefined) this.published.add(line.published);
      if (line.isNew === true) this.sent[version] += 1;
      if (line.handled !== undefined) this.handled.push(line.handled);
      if (line.intent !== undefined) this.intents.push(line.intent);
      onReport(child);
    });
    return child;
  }

  async killAll(): Promise<void> {
    const all = [...this.#children];
    for (const child of all) child.kill('SIGKILL');
    await Promise.all(all.map((child) => once(child, 'exit')));
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

/** Publishes with two processes of each version. Each is killed after a few calls, and starts again. */
async function publishWithKills(processes: Processes, taskOf: (own: string) => BesideTask): Promise<void> {
  let left = kills;
  const begin = (version: Version): void => {
    let calls = 3 + Math.floor(Math.random() * 12);
    processes.start(version, taskOf(version), (child) => {
      calls -= 1;
      if (calls !== 0 || left === 0) return;
      left -= 1;
      // Its next call is under way.
      setTimeout(() => child.kill('SIGKILL'), Math.random() * 20);
      child.once('exit', () => {
        begin(version);
      });
    });
  };
  for (const version of ['0.2.0', 'new', '0.2.0', 'new'] as const) begin(version);
  const wanted = [...taskOf('0.2.0').keys, ...taskOf('new').keys];
  await until(() => left === 0 && wanted.every((key) => processes.published.has(key)));
}

interface Counted {
  readonly posts: number;
  readonly keysWithTwoPosts: number;
  readonly held: number;
  readonly events: number;
  readonly handled: number;
  readonly handledTwice: number;
}

async function publishBeside(spec: StoreSpec, processes: Processes): Promise<Counted> {
  const events = new Set<string>();
  const service = createEmulator({
    now: () => Date.now(),
    deliver: async (request) => {
      events.add(request.headers.get('x-service-event-id') ?? '');
      const port = processes.ports[Math.floor(Math.random() * processes.ports.length)] ?? 0;
      const { method, headers } = request;
      return fetch(`http://127.0.0.1:${String(port)}/`, { method, headers, body: await request.text() });
    },
  });
  const { id: accountId } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
  const secret = 'whsec_beside';
  service.seed.subscription({ webhook: { url: 'https://inbox.test/', secret } });
  service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/posts/', probability: 0.2 });
  service.deliveryFaults.add({ kind: 'duplicate', probability: 0.2 });
  const served = await serveEmulator(service, { realTime: true });
  const task = { spec, baseUrl: served.url, accountId, secret };
  const own = (version: string) => keys.map((key) => `${version}/${key}`).slice(0, 20);
  for (const version of ['0.2.0', 'new'] as const) processes.start(version, { ...task, job: 'receive', keys: [] });
  await until(() => processes.ports.length === 2);
  await publishWithKills(processes, (version) => ({ ...task, job: 'publish', keys: [...keys, ...own(version)] }));

  const all = [...keys, ...own('0.2.0'), ...own('new')];
  processes.start('new', { ...task, job: 'settle', keys: all });
  await until(() => processes.intents.length === all.length);
  await until(() => service.posts.every(({ status }) => status === 'published'));
  await until(() => events.size >= service.posts.length && events.size === new Set(processes.handled).size);
  // A second run of a handler would follow at once.
  await sleep(1_000);
  await processes.killAll();
  await served.close();
  const postIds = new Map<string, string[]>();
  for (const { content = '', postId } of service.posts) postIds.set(content, [...(postIds.get(content) ?? []), postId]);
  // Only an intent whose process was killed before the send is held, and it has no post.
  for (const { key, state, postId } of processes.intents)
    expect([key, postIds.get(key) ?? []]).toEqual([key, state === 'in_doubt' ? [] : [postId]]);
  return {
    posts: service.posts.length,
    keysWithTwoPosts: [...postIds.values()].filter((ids) => ids.length > 1).length,
    held: processes.intents.filter(({ state }) => state === 'in_doubt').length,
    events: events.size,
    handled: new Set(processes.handled).size,
    handledTwice: processes.handled.length - new Set(processes.handled).size,
  };
}

if (!hasHistory) {
  describe('release 0.2.0 beside this version', () => {
    it.skip(`needs the commit ${release} of this repository: git fetch --unshallow`, () => {});
  });
} else {
  const folder = temporaryFolder('beside', afterAll);
  const pool = new pg.Pool({ connectionString: serverUrl('DATABASE_URL'), max: 1 });
  let programs: Readonly<Record<Version, string>>;
  beforeAll(async () => {
    programs = { '0.2.0': bundleOld(), new: bundleProgram(program) };
    await pool.query(`CREATE SCHEMA ${run}`);
  });
  afterAll(async () => {
    await pool.query(`DROP SCHEMA ${run} CASCADE`);
    await pool.end();
    await removeRedisKeys(run);
  });
  const specs: Readonly<Record<string, { readonly spec: StoreSpec; readonly node: number }>> = {
    SQLite: { spec: { kind: 'sqlite', file: join(folder, 'beside.db') }, node: 22 },
    Postgres: { spec: { kind: 'pg Pool', url: serverUrl('DATABASE_URL'), schema: run }, node: 20 },
    Redis: { spec: { kind: 'ioredis', url: serverUrl('REDIS_URL'), prefix: `${run}:` }, node: 20 },
  };

  describe('release 0.2.0 beside this version', { timeout: 600_000 }, () => {
    it.each(Object.entries(specs))(
      'on %s: nothing is published twice, no event is handled twice',
      async (name, one) => {
        if (one.spec.kind === 'pg Pool') {
          const store = await openStore(one.spec);
          await store.setup?.();
          await store.close?.();
        }
        const processes = new Processes(programs, await nodeOf(one.node));
        let counted: Counted;
        try {
          counted = await publishBeside(one.spec, processes);
        } finally {
          await processes.killAll();
        }
        const { sent } = processes;
        console.log(`${name}: ${JSON.stringify({ ...counted, kills, sentByOld: sent['0.2.0'], sentByNew: sent.new })}`);
        expect(counted).toMatchObject({ posts: 100 - counted.held, keysWithTwoPosts: 0, handledTwice: 0 });
        expect(counted.handled).toBe(counted.events);
        expect(Math.min(sent['0.2.0'], sent.new)).toBeGreaterThan(0);
      },
    );
  });
}
