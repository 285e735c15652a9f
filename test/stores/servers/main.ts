/**
 * Runs the tests of the stores: Postgres and Redis against real servers, SQLite on Node 22, 24 and 26 (or on the
 * versions in `--node`: `--node 24`). Servers: DATABASE_URL and REDIS_URL if set, else servers on the usual ports of
 * 127.0.0.1, else new servers. It uses a separate schema and prefix, and removes both. Exits with 3 if no server
 * program is available.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import {
  postgresAnswers,
  ProgramMissing,
  programMissing,
  redisAnswers,
  startPostgres,
  startRedis,
  type TemporaryServer,
} from '../../support/temporary-servers.js';

const asked = process.argv.indexOf('--node');
const nodes = asked === -1 ? ['22', '24', '26'] : process.argv.slice(asked + 1);

interface Run {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Counted {
  passed: number;
  failed: number;
}

const started: TemporaryServer[] = [];
const table = new Map<string, Counted>();
let complete = true;
let missing = false;
mkdirSync('.tmp', { recursive: true });
try {
  const servers = { DATABASE_URL: await findPostgres(), REDIS_URL: await findRedis() };
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--silent=passed-only'];
  // These tests mostly wait for servers and for programs.
  const workers = `--maxWorkers=${String(2 * availableParallelism())}`;
  await run({ name: '', command: ['node', ...vitest, '--project', 'stores', workers], env: servers });
  for (const version of nodes) {
    const command = [
      'npx',
      '-y',
      '-p',
      `node@${version}`,
      'node',
      ...vitest,
      ...['--project', 'unit', '--project', 'stores'],
      'test/stores/sqlite.test.ts',
      'test/webhooks/receiver-stores.test.ts',
      // A million items: skipped above, on the Node of this machine, if that has no node:sqlite.
      'test/stores/servers/sqlite.spec.ts',
    ];
    await run({ name: `, Node ${version}`, command });
  }
} catch (error) {
  if (!(error instanceof ProgramMissing)) throw error;
  complete = false;
  missing = true;
  console.error(error.message);
} finally {
  for (const server of started) await server.stop();
}
report();

async function findPostgres(): Promise<string> {
  const given = process.env['DATABASE_URL'];
  if (given !== undefined && given !== '') return given;
  const usual = 'postgres://postgres@127.0.0.1:5432/postgres';
  if (await postgresAnswers(usual)) return usual;
  const own = await startPostgres();
  started.push(own);
  return own.url;
}

async function findRedis(): Promise<string> {
  const given = process.env['REDIS_URL'];
  if (given !== undefined && given !== '') return given;
  const usual = 'redis://127.0.0.1:6379';
  if (await redisAnswers(usual)) return usual;
  const own = await startRedis();
  started.push(own);
  return own.url;
}

async function run({ name, command: [program = '', ...args], env }: Run): Promise<void> {
  const file = `.tmp/stores${name.replace(/\W+/g, '-')}.json`;
  rmSync(file, { force: true });
  const child = spawn(program, [...args, '--reporter=dot', '--reporter=json', `--outputFile.json=${file}`], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) complete = false;
  count(file, name);
}

interface Report {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly ancestorTitles: readonly string[] }[];
  }[];
}

/** A test belongs to its outermost group, such as "PostgresStore over pg Pool". */
function count(file: string, suffix: string): void {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  for (const { assertionResults } of testResults) {
    for (const { status, ancestorTitles } of assertionResults) {
      const name = (ancestorTitles[0] ?? 'others') + suffix;
      const counted = table.get(name) ?? { passed: 0, failed: 0 };
      if (status === 'passed') counted.passed += 1;
      // A test that needs a newer Node is skipped.
      else if (status === 'failed') counted.failed += 1;
      table.set(name, counted);
    }
  }
}

function report(): void {
  const width = Math.max(...[...table.keys()].map((name) => name.length), 5);
  console.log(`\n${'Tests'.padEnd(width)}  passed  failed`);
  for (const [name, { passed, failed }] of table)
    console.log(`${name.padEnd(width)}  ${String(passed).padStart(6)}  ${String(failed).padStart(6)}`);
  const all = [...table.values()];
  const [passed, failed] = [sum(all.map((counted) => counted.passed)), sum(all.map((counted) => counted.failed))];
  console.log(`${passed} passed, ${failed} failed`);
  // A run without tests isn't a success.
  if (!complete || failed > 0 || passed === 0) process.exitCode = missing && failed === 0 ? programMissing : 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
