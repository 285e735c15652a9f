/**
 * Runs the contract suite of the stores, and campaigns whose programs are killed, over handles whose drivers are not
 * installed here: Bun, D1 and a Durable Object in workerd, better-sqlite3, Neon's Pool in front of a Postgres. Also libSQL
 * and PGlite, and the examples for Bun and Workers, killed. Drivers are installed into a folder of the system's temporary
 * files. A driver that this machine cannot install is reported as not run. Arguments choose some:
 * `npm run test:handles -- bun d1`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { runBunExample, runWorkerExample } from './example-runs.js';
import { bunPath, install, moduleOf, nodePath, versionOf, type PackageName } from './folder.js';
import { countKills, type KillCount } from './kills.js';
import type { ExampleCount } from './example-runs.js';
import type { Campaign } from './programs/campaign.js';
import type { Task } from './programs/process.js';
import { bundle, publishInProcess, publishInWorker, run, startHost, startTask } from './start.js';
import { bridgeWebSockets } from './web-sockets.js';
import { postgresAnswers } from '../support/temporary-servers.js';

interface Result {
  readonly tests: number;
  readonly failures: readonly string[];
  readonly kills?: KillCount | ExampleCount;
}

interface Check {
  readonly id: string;
  readonly name: () => string;
  readonly needs: readonly PackageName[];
  readonly run: () => Promise<Result | undefined>;
}

const processProgram = await bundle('process');
const workerProgram = await bundle('worker');
const ownModule = (name: string) => import.meta.resolve(name);
const ownVersion = (name: string) =>
  (JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string }).version;
const nodeVersion = execFileSync(nodePath(), ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();

let databases = 0;

/** The contract suite, then a campaign, in processes. */
async function inProcess(command: string, handle: Task['handle'], module: string): Promise<Result> {
  const name = `${handle.replace(':', '-')}-${String((databases += 1))}`;
  const task = (database: string): Task => ({ handle, module, database: join(run, database) });
  const result = await contract(command, task(`${name}-contract`));
  const file = task(`${name}-campaign`);
  const kills = await countKills((campaign) => publishInProcess(command, processProgram, { ...file, campaign }));
  return { ...result, kills };
}

async function contract(command: string, task: Task): Promise<Result> {
  const { lines, end } = startTask(command, processProgram, task);
  for await (const line of lines) {
    await end;
    return line as Result; // The only line that the program prints.
  }
  await end;
  throw new Error(`${task.handle} printed nothing.`);
}

async function inWorker(on: 'd1' | 'object'): Promise<Result> {
  const host = await startHost(workerProgram, join(run, `${on}-contract`));
  const failures: string[] = [];
  let tests = 1;
  try {
    for (let i = 0; i < tests; i += 1) {
      const reply = await fetch(`${host.url}${String(i)}?on=${on}`);
      const text = await reply.text();
      if (!reply.ok) throw new Error(`The worker answered ${String(reply.status)}: ${text.slice(0, 3000)}`);
      const { failure, ...counted } = JSON.parse(text) as { tests: number; failure?: string };
      tests = counted.tests;
      if (failure !== undefined) failures.push(failure);
    }
  } finally {
    await host.kill();
  }
  const data = join(run, `${on}-campaign`);
  const start = (campaign: Campaign) => publishInWorker(on, workerProgram, data, campaign);
  const kills = await countKills(start, { webhookQuery: `?on=${on}` });
  return { tests, failures, kills };
}

async function overNeon(): Promise<Result | undefined> {
  const url = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  if (!(await postgresAnswers(url))) return undefined;
  const { hostname: host, port } = new URL(url);
  const bridge = await bridgeWebSockets(moduleOf('ws'), { host, port: Number(port || 5432) });
  try {
    const webSockets = { module: moduleOf('ws'), port: bridge.port };
    const module = moduleOf('@neondatabase/serverless');
    const task: Task = { handle: 'neon', module, database: url, webSockets };
    const result = await contract(process.execPath, task);
    await dropTable(url, 'social_publishing_neon'); // The campaign starts with an empty store.
    const start = (campaign: Campaign) => publishInProcess(process.execPath, processProgram, { ...task, campaign });
    return { ...result, kills: await countKills(start) };
  } finally {
    bridge.close();
    await dropTable(url, 'social_publishing_neon');
  }
}

async function dropTable(url: string, table: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`DROP TABLE IF EXISTS ${table}`);
  await client.end();
}

const bun = (handle: Task['handle'], module: string) => () => inProcess(bunPath(), handle, module);
const version = (name: PackageName) => versionOf(name) ?? '';
const checks: readonly Check[] = [
  {
    id: 'file',
    name: () => `SqliteStore on a file, Node ${nodeVersion}`,
    needs: [],
    run: () => inProcess(nodePath(), 'file', 'node:fs'),
  },
  {
    id: 'bun',
    name: () => `SqliteStore on bun:sqlite, Bun ${version('bun')}`,
    needs: ['bun'],
    run: bun('bun:sqlite', 'bun:sqlite'),
  },
  {
    id: 'bun-file',
    name: () => `SqliteStore on a file, Bun ${version('bun')}`,
    needs: ['bun'],
    run: bun('file', 'node:fs'),
  },
  {
    id: 'better-sqlite3',
    name: () => `SqliteStore on better-sqlite3 ${version('better-sqlite3')}`,
    needs: ['better-sqlite3'],
    run: () => inProcess(process.execPath, 'better-sqlite3', moduleOf('better-sqlite3')),
  },
  {
    id: 'libsql',
    name: () => `SqliteStore on @libsql/client ${ownVersion('@libsql/client')}, a file`,
    needs: [],
    run: () => inProcess(process.execPath, 'libsql', ownModule('@libsql/client')),
  },
  {
    id: 'd1',
    name: () => `SqliteStore on D1, miniflare ${version('miniflare')}`,
    needs: ['miniflare'],
    run: () => inWorker('d1'),
  },
  {
    id: 'durable-object',
    name: () => `SqliteStore on a Durable Object, miniflare ${version('miniflare')}`,
    needs: ['miniflare'],
    run: () => inWorker('object'),
  },
  {
    id: 'pglite',
    name: () => `PostgresStore on PGlite ${ownVersion('@electric-sql/pglite')}, a folder`,
    needs: [],
    run: () => inProcess(process.execPath, 'pglite', ownModule('@electric-sql/pglite')),
  },
  {
    id: 'example-bun',
    name: () => `examples/bun, Bun ${version('bun')}`,
    needs: ['bun'],
    run: async () => ({ tests: 0, failures: [], kills: await runBunExample() }),
  },
  {
    id: 'example-worker',
    name: () => `examples/cloudflare-worker, miniflare ${version('miniflare')}`,
    needs: ['miniflare'],
    run: async () => ({ tests: 0, failures: [], kills: await runWorkerExample() }),
  },
  {
    id: 'neon',
    name: () => `PostgresStore on the Pool of @neondatabase/serverless ${version('@neondatabase/serverless')}`,
    needs: ['@neondatabase/serverless', 'ws'],
    run: overNeon,
  },
];

const bad: string[] = [];
const chosen = process.argv.slice(2);
const unknown = chosen.filter((id) => !checks.some((check) => check.id === id));
if (unknown.length > 0)
  throw new Error(`Unknown: ${unknown.join(', ')}. Known: ${checks.map(({ id }) => id).join(', ')}.`);
console.log(
  'handle | contract suite | kills | intents | posts | doubled | held | wrong | events handled | events lost',
);
for (const check of checks.filter(({ id }) => chosen.length === 0 || chosen.includes(id)))
  console.log(await line(check));
process.exitCode = bad.length > 0 ? 1 : 0;

async function line({ id, name, needs, run: execute }: Check): Promise<string> {
  try {
    for (const needed of needs) await install(needed);
  } catch (error) {
    return `${id} | not run: ${firstLine(error)}`;
  }
  try {
    const result = await execute();
    if (result === undefined) return `${id} | not run: no server`;
    const { tests, failures, kills } = result;
    for (const failure of failures) console.error(failure);
    if (failures.length > 0 || (kills !== undefined && !isRight(kills))) bad.push(id);
    const contract = tests === 0 ? '' : `${String(tests - failures.length)} of ${String(tests)}`;
    return [name(), contract, ...countsOf(kills)].join(' | ');
  } catch (error) {
    bad.push(id);
    return `${id} | FAILED: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function isRight(count: KillCount | ExampleCount): boolean {
  return count.doubled + count.wrong + ('eventsLost' in count ? count.eventsLost : 0) === 0;
}

function countsOf(count: KillCount | ExampleCount | undefined): string[] {
  if (count === undefined) return [];
  const { kills, intents, posts, doubled, held, wrong } = count;
  const events = 'eventsLost' in count ? [count.eventsHandled, count.eventsLost] : [];
  return [kills, intents, posts, doubled, held, wrong, ...events].map(String);
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
