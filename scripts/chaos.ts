/**
 * Publishes 10,000 intents by four processes of which one is killed every 200 ms, while 20 % of the replies are lost and the
 * store's server is killed three times. Prints what came of it, and writes the table into docs/durable.md. Everything is
 * its own: servers on free ports, files in temporary folders.
 *
 *   npm run chaos -- [--intents 10000] [--stores redis,postgres,sqlite]
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChaos, type ChaosPlan, type ChaosResult } from './chaos/run.js';
import { startPostgres, startRedis } from './servers/temporary.js';

const { values } = parseArgs({
  options: {
    intents: { type: 'string', default: '10000' },
    stores: { type: 'string', default: 'redis,postgres,sqlite' },
  },
});

const page = 'docs/durable.md';
const [begin, end] = ['<!-- chaos: written by npm run chaos -->', '<!-- /chaos -->'];
// Its types don't know that older versions of Node have no such module.
const hasSqlite = (process.getBuiltinModule('node:sqlite') as object | undefined) !== undefined;

const names: Readonly<Record<string, string>> = { redis: 'Redis', postgres: 'Postgres', sqlite: 'SQLite' };
const rows: string[] = [];
let good = true;
for (const name of values.stores.split(',')) {
  if (name === 'sqlite' && !hasSqlite) {
    console.log(`SQLite is left out: node:sqlite needs Node 22.13, and this is ${process.version}.`);
    continue;
  }
  console.log(`--- ${names[name] ?? name}`);
  const result = await onServer(name, (where) =>
    runChaos({
      ...where,
      intents: Number(values.intents),
      processes: 4,
      killEveryMs: 200,
      lostReplies: 0.2,
      restarts: 3,
      say: (line) => {
        console.log(line);
      },
    }),
  );
  console.log(result);
  rows.push(rowOf(names[name] ?? name, result));
  good &&= result.doubles + result.wrong + result.heldWithPost + result.open === 0;
}
const table = tableOf(rows);
console.log(`\n${table}`);
writeTable(table);
if (!good) {
  console.error('Doubles, wrong posts, or intents that were lost: see above.');
  process.exitCode = 1;
}

async function onServer(
  name: string,
  work: (where: Pick<ChaosPlan, 'spec' | 'restart'>) => Promise<ChaosResult>,
): Promise<ChaosResult> {
  if (name === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'social-publishing-chaos-'));
    try {
      return await work({ spec: { kind: 'sqlite', file: join(folder, 'chaos.db') } });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const server = name === 'redis' ? await startRedis() : await startPostgres();
  try {
    const restart = () => server.restart();
    return name === 'redis'
      ? await work({ restart, spec: { kind: 'node-redis', url: server.url, prefix: 'chaos:' } })
      : await work({ restart, spec: { kind: 'pg Pool', url: server.url, schema: 'public' } });
  } finally {
    await server.stop();
  }
}

function rowOf(name: string, result: ChaosResult): string {
  const held = Object.values(result.held).reduce((sum, count) => sum + count, 0);
  const points = Object.entries(result.held).map(([point, count]) => `${point}: ${count}`);
  const heldAs = points.length === 0 ? String(held) : `${held} (${points.join(', ')})`;
  const { intents, posts, doubles, found, resent, kills, restarts, seconds } = result;
  const cells = [name, intents, posts, doubles, heldAs, found, resent, kills, restarts, `${seconds.toFixed(0)} s`];
  return `| ${cells.join(' | ')} |`;
}

function tableOf(lines: readonly string[]): string {
  const head =
    'store|intents|posts|doubles|held, and where|found in the list|sent again|processes killed|server killed|time';
  const titles = `| ${head.split('|').join(' | ')} |`;
  return [titles, titles.replace(/[^|]+/g, '---'), ...lines].join('\n');
}

function writeTable(text: string): void {
  const old = readFileSync(page, 'utf8');
  const [before, after] = [old.indexOf(begin), old.indexOf(end)];
  if (before === -1 || after === -1) {
    console.log(`${page} has no place for the table.`);
    return;
  }
  writeFileSync(page, `${old.slice(0, before)}${begin}\n\n${text}\n\n${old.slice(after)}`);
}
