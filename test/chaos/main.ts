/**
 * Publishes 10,000 intents with four processes. One process is killed every 200 ms, 20 % of the replies are lost, and
 * the store's server is killed three times. An inbox receives the events; its processes are killed too, and 5 % of the
 * events are never delivered, so the inbox catches up on them. Prints the results, and writes the tables into
 * docs/durable-tests.md. It uses separate servers on free ports, and temporary folders.
 *
 * npm run chaos -- [--intents 10000] [--stores redis,postgres,sqlite] [--clocks equal|apart|jumping]
 *
 * With `--failover`, no process is killed. The servers fail over to standbys, and power cuts end the programs on SQLite.
 * Settings that can lose writes are tried too, and their losses counted. Exits with 3 if a program is missing.
 *
 * npm run chaos -- --failover [--intents 600] [--stores redis,postgres,sqlite]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChaos, type ChaosPlan, type ChaosResult } from './run.js';
import { startPostgres, startRedis } from '../support/temporary-servers.js';
import { runFailovers } from './failover/main.js';
import { heldOf, tableOf, writeTable } from './tables.js';

const { values } = parseArgs({
  options: {
    failover: { type: 'boolean', default: false },
    intents: { type: 'string' },
    stores: { type: 'string', default: 'redis,postgres,sqlite' },
    clocks: { type: 'string', default: 'equal' },
  },
});

// Its types don't know that older versions of Node lack this module.
const hasSqlite = (process.getBuiltinModule('node:sqlite') as object | undefined) !== undefined;

const names: Readonly<Record<string, string>> = { redis: 'Redis', postgres: 'Postgres', sqlite: 'SQLite' };
const results: (ChaosResult & { name: string })[] = [];
const intents = Number(values.intents ?? (values.failover ? '600' : '10000'));
const stores = values.stores.split(',');
const clocks = (['equal', 'apart', 'jumping'] as const).find((name) => name === values.clocks);
const unknown = stores.filter((name) => !Object.hasOwn(names, name));
if (clocks === undefined) {
  console.error('--clocks must be equal, apart or jumping.');
  process.exit(1);
}
if (unknown.length > 0 || !Number.isInteger(intents) || intents < 1) {
  console.error(
    unknown.length > 0
      ? `--stores: ${unknown.join(', ')} is not supported; supported: ${Object.keys(names).join(', ')}.`
      : '--intents must be a whole number above 0.',
  );
  process.exit(1);
}
if (values.failover) process.exit(await runFailovers({ stores, intents, hasSqlite }));
let good = true;
for (const name of stores) {
  if (name === 'sqlite' && !hasSqlite) {
    console.log(`SQLite is left out: node:sqlite needs Node 22.13, and this is ${process.version}.`);
    continue;
  }
  console.log(`--- ${names[name] ?? name}`);
  const result = await onServer(name, (where) =>
    runChaos({
      ...where,
      intents,
      processes: 4,
      killEveryMs: 200,
      lostReplies: 0.2,
      clocks,
      lostDeliveries: 0.05,
      restarts: 3,
      say: (line) => {
        console.log(line);
      },
    }),
  );
  console.log(result);
  results.push({ name: names[name] ?? name, ...result });
  const { doubles, wrong, heldWithPost, open, lost, twice, forgotten, waiting } = result;
  good &&= doubles + wrong + heldWithPost + open + lost + twice + forgotten + waiting === 0;
}
if (results.length === 0) {
  console.error('No run: the tables are unchanged.');
  process.exit(1);
}
const table = `${publisherTable(results)}\n\n${inboxTable(results)}`;
console.log(`\n${table}`);
// The page contains the table of the full run.
if (clocks === 'equal' && intents >= 10_000) writeTable('chaos', table);
if (!good) {
  console.error('Doubles, wrong posts, or intents or events that were lost: see above.');
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

function publisherTable(all: typeof results): string {
  return tableOf(all, [
    ['store', ({ name }) => name],
    ['intents', ({ intents }) => intents],
    ['posts', ({ posts }) => posts],
    ['doubles', ({ doubles }) => doubles],
    ['held, and where', ({ held }) => heldOf(held)],
    ['held with a post, as no_match', ({ heldWithPost }) => heldWithPost],
    ['held with a post, as candidate', ({ candidates }) => candidates],
    ['found in the list', ({ found }) => found],
    ['sent again', ({ resent }) => resent],
    ['processes killed', ({ kills }) => kills],
    ['server killed', ({ restarts }) => restarts],
    ['time', ({ seconds }) => `${seconds.toFixed(0)} s`],
  ]);
}

function inboxTable(all: typeof results): string {
  return tableOf(all, [
    ['store', ({ name }) => name],
    ['events', ({ events }) => events],
    ['lost', ({ lost }) => lost],
    ['completed twice', ({ twice }) => twice],
    ['recovered by catchUp', ({ recovered }) => recovered],
    ['handled again after a crash', ({ repeated }) => repeated],
    ['inboxes killed', ({ inboxKills }) => inboxKills],
  ]);
}
