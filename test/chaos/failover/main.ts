/** Fails the stores over while publishers and inboxes run, and counts what was lost and doubled. */
import { ProgramMissing, programMissing } from '../../support/temporary-servers.js';
import { heldOf, tableOf, writeTable, type Column } from '../tables.js';
import { startPostgresPair } from './postgres.js';
import { startRedisPair } from './redis.js';
import { runFailover, type FailoverResult, type LosableStore } from './run.js';
import type { Server } from './servers.js';
import { startSqliteMachine } from './sqlite.js';

interface Variant {
  /** The store, as `--stores` names it. */
  readonly store: 'postgres' | 'redis' | 'sqlite';
  readonly name: string;
  readonly start: () => (LosableStore & Server) | Promise<LosableStore & Server>;
  /**
   * `all`: it must keep everything. `not all`: it must lose something, because a run that loses nothing shows nothing.
   * `nearly all`: it may lose something, but rarely does.
   */
  readonly keeps: 'all' | 'not all' | 'nearly all';
}

const minReplicas = { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '1' };

const variants: readonly Variant[] = [
  {
    store: 'postgres',
    name: 'Postgres, a synchronous standby',
    start: () => startPostgresPair('synchronous'),
    keeps: 'all',
  },
  {
    store: 'postgres',
    name: 'Postgres, an asynchronous standby',
    start: () => startPostgresPair('asynchronous'),
    keeps: 'not all',
  },
  { store: 'redis', name: 'Redis, a replica', start: () => startRedisPair({}), keeps: 'not all' },
  {
    store: 'redis',
    name: 'Redis, `min-replicas-to-write 1`, `min-replicas-max-lag 1`',
    start: () => startRedisPair(minReplicas),
    keeps: 'not all',
  },
  { store: 'sqlite', name: 'SQLite, a path (WAL, `FULL`)', start: () => startSqliteMachine(undefined), keeps: 'all' },
  {
    store: 'sqlite',
    name: 'SQLite, WAL, `NORMAL`',
    start: () => startSqliteMachine(['journal_mode = WAL', 'synchronous = NORMAL']),
    keeps: 'not all',
  },
  {
    store: 'sqlite',
    name: 'SQLite, `DELETE`, `EXTRA`',
    start: () => startSqliteMachine(['journal_mode = DELETE', 'synchronous = EXTRA']),
    keeps: 'all',
  },
  {
    store: 'sqlite',
    name: 'SQLite, `DELETE`, `FULL`',
    start: () => startSqliteMachine(['journal_mode = DELETE', 'synchronous = FULL']),
    // It lost 2 of 2,792 keys in the tries of the store only.
    keeps: 'nearly all',
  },
];

export interface FailoverOptions {
  readonly stores: readonly string[];
  readonly intents: number;
  readonly hasSqlite: boolean;
}

/** Returns the exit code. */
export async function runFailovers({ stores, intents, hasSqlite }: FailoverOptions): Promise<number> {
  const results: (FailoverResult & { name: string })[] = [];
  const broken: string[] = [];
  let leftOut = 0;
  for (const { store, name, start, keeps } of variants.filter((variant) => stores.includes(variant.store))) {
    console.log(`--- ${name}`);
    try {
      if (store === 'sqlite' && !hasSqlite)
        throw new ProgramMissing(`node:sqlite needs Node 22.13, and this is ${process.version}.`);
      const result = await runVariant(await start(), intents);
      console.log(result);
      results.push({ name, ...result });
      broken.push(...brokenLaws(result, keeps).map((law) => `${name}: ${law}`));
    } catch (error) {
      if (!(error instanceof ProgramMissing)) throw error;
      console.error(`Left out: ${error.message}`);
      leftOut += 1;
    }
  }
  const table = `${publisherTable(results)}\n\n${inboxTable(results)}`;
  console.log(`\n${table}`);
  // The page contains the table of the full run.
  if (results.length === variants.length && intents >= 600) writeTable('failover', table);
  for (const law of broken) console.error(law);
  if (broken.length > 0 || results.length === 0) return broken.length > 0 ? 1 : programMissing;
  return leftOut > 0 ? programMissing : 0;
}

async function runVariant(machine: LosableStore & Server, intents: number): Promise<FailoverResult> {
  try {
    return await runFailover({
      ...machine,
      intents,
      failovers: 3,
      say: (line) => {
        console.log(line);
      },
    });
  } finally {
    await machine.stop();
  }
}

function brokenLaws(result: FailoverResult, keeps: Variant['keeps']): string[] {
  const { wrong, open, heldWithPost, lost, waiting, doubles, twice, forgotten, lostIntents, doubled } = result;
  const { keys, marks } = lostIntents;
  const counts: Readonly<Record<string, number>> = {
    'intents with the post of another one': wrong,
    'intents that are open': open,
    'intents held as no_match although their post exists': heldWithPost,
    'events that no handler completed': lost,
    'events that wait': waiting,
    ...(keeps === 'all' && {
      'lost keys': keys,
      'lost marks': marks,
      'doubled posts': doubles,
      'events completed twice': twice,
      'events that were acknowledged and lost': forgotten,
    }),
    // Nothing is doubled later, except what the comparison shows.
    'posts that a sweep doubled although no mark was lost': Math.max(0, doubled.swept - marks),
    'posts that were doubled although their key was not lost': Math.max(0, doubled.repeated - keys),
  };
  const broken = Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]));
  if (keeps === 'not all' && keys + marks + doubles + forgotten + twice === 0)
    broken.push('nothing was lost, so the run does not show that a loss would be counted');
  return broken;
}

function publisherTable(all: readonly (FailoverResult & { name: string })[]): string {
  const columns: readonly Column<FailoverResult & { name: string }>[] = [
    ['store', ({ name }) => name],
    ['failovers', ({ failovers }) => failovers],
    ['intents', ({ intents }) => intents],
    ['posts', ({ posts }) => posts],
    ['keys lost', ({ lostIntents }) => lostIntents.keys],
    ['marks lost', ({ lostIntents }) => lostIntents.marks],
    ['doubles', ({ doubles }) => doubles],
    [
      'doubled: at once, by a sweep, by a repeated key',
      ({ doubled }) => `${doubled.running}, ${doubled.swept}, ${doubled.repeated}`,
    ],
    ['held, and where', ({ held }) => heldOf(held)],
    ['found in the list', ({ found }) => found],
    ['time', ({ seconds }) => `${seconds.toFixed(0)} s`],
  ];
  return tableOf(all, columns);
}

function inboxTable(all: readonly (FailoverResult & { name: string })[]): string {
  const columns: readonly Column<FailoverResult & { name: string }>[] = [
    ['store', ({ name }) => name],
    ['events', ({ events }) => events],
    ['lost', ({ lost }) => lost],
    ['completed twice', ({ twice }) => twice],
    ['acknowledged, lost, recovered by catchUp', ({ forgotten }) => forgotten],
    ['not delivered, recovered by catchUp', ({ recovered, forgotten }) => recovered - forgotten],
    ['handled again after a crash or a lease', ({ repeated }) => repeated],
  ];
  return tableOf(all, columns);
}
