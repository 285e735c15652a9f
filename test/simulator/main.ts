/**
 * Runs simulated histories: processes, store, network, clocks and service in one process, decided by a seed.
 *
 *   npm run simulate -- [--seed 1] [--histories 1000] [--minutes 60] [--planted NAME,NAME | --planted list | --planted all]
 *
 *   npm run simulate -- --explore SCENARIO|all [--part 1/2] [--bound 1] [--prune] [--planted NAME,NAME | --planted all] [--write]
 *
 * `--explore` runs every history of small scenarios: docs/durable-tests.md. `--part 1/2` runs the first half of them, so that two
 * processes share the work.
 * `--coverage` prints the lines that no history ran. `--log` prints every event of a failed history, `--save NAME` writes its
 * shortened plan to test/simulator/found/NAME.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCampaign, type Campaign } from './campaign.js';
import { measureCoverage } from './coverage.js';
import { runExploration } from './explore/main.js';
import { bundle, loadSimulator, runBundle } from './load.js';
import { plantedBugs, type PlantedBug } from './planted.js';
import { shrink } from './shrink.js';
import type { History, Simulator } from './simulator.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    histories: { type: 'string' },
    minutes: { type: 'string' },
    planted: { type: 'string' },
    log: { type: 'boolean', default: false },
    save: { type: 'string' },
    coverage: { type: 'boolean', default: false },
    explore: { type: 'string' },
    part: { type: 'string', default: '1/1' },
    bound: { type: 'string', default: '1' },
    prune: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

/** A planted bug must be found within this number of histories. */
const mostForPlanted = 5_000;
const defaultHistories = 1_000;
/** The files that `--coverage` shows. */
const covered =
  /^src\/(?:publisher\/|webhooks\/(?:inbox\/|receive\/receiver-options)|stores\/(?:memory|lost-replies)|posts\/(?:find-posts|reconcile|create-log))/;

const seed = Number(values.seed);
const minutes = Number(values.minutes ?? 'Infinity');
const histories = Number(values.histories ?? (values.minutes === undefined ? defaultHistories : 'Infinity'));
if (!Number.isSafeInteger(seed) || !(histories >= 1) || !(minutes > 0)) {
  console.error('--seed must be a whole number, --histories a number of 1 or more, --minutes a number above 0.');
  process.exit(1);
}

if (values.explore !== undefined) {
  const { explore, planted, save } = values;
  const isRight = await runExploration({
    ...{ scenario: explore === 'all' ? '' : explore, part: values.part, planted, save, minutes },
    ...{ bound: Number(values.bound), prunes: values.prune, writes: values.write },
  });
  process.exitCode = isRight ? 0 : 1;
} else if (values.planted === 'list') {
  for (const { name, about } of plantedBugs) console.log(`${name}: ${about}`);
} else if (values.planted !== undefined) {
  await findPlanted(values.planted);
} else if (values.coverage) {
  await printCoverage();
} else {
  await runHistories();
}

async function runHistories(): Promise<void> {
  const simulator = await loadSimulator();
  const campaign = await runCampaign(simulator, {
    seed,
    histories,
    limitMs: minutes * 60_000,
    onProgress: (count, failures) => {
      console.log(`${String(count)} histories, ${String(failures)} failed`);
    },
    onFailure: ({ seed: failed, violation }) => {
      console.log(`seed ${String(failed)}: ${violation?.law ?? ''}: ${violation?.text ?? ''}`);
    },
  });
  console.log(summaryOf(campaign));
  for (const history of campaign.failed.slice(0, 10)) await explain(simulator, history);
  process.exitCode = campaign.failed.length === 0 ? 0 : 1;
}

function summaryOf({ histories: count, events, seconds, hash, failed }: Campaign): string {
  const perSecond = (count / seconds).toFixed(1);
  const each = (events / count).toFixed(0);
  return (
    `${String(count)} histories from seed ${String(seed)} in ${seconds.toFixed(1)} s: ${perSecond} each second, ` +
    `${each} events each, hash ${hash}, ${String(failed.length)} failed`
  );
}

/** Prints a shorter history that breaks the same law. */
async function explain(simulator: Simulator, failed: History): Promise<void> {
  const law = failed.violation?.law ?? '';
  const { plan, history } = await shrink(simulator, simulator.planOf(failed.seed), law);
  console.log(`\nSeed ${String(failed.seed)} breaks the law "${law}": ${history.violation?.text ?? ''}.`);
  if (values.save !== undefined) writeFileSync(`test/simulator/found/${values.save}.json`, `${JSON.stringify(plan)}\n`);
  const { steps, keys, processes, seed: _, ...settings } = plan;
  const clocks = processes.map(({ offsetMs, drift }) => `${String(offsetMs)} ms (drift ${String(drift)})`);
  console.log(`Clocks: ${clocks.join(', ')}. ${JSON.stringify(settings)}`);
  for (const { key, content, mode, inMs } of keys)
    console.log(`${key}: "${content}", ${mode}, in ${String(inMs / 60_000)} minutes`);
  for (const step of steps) console.log(`+${(step.at / 1_000).toFixed(3)} s ${simulator.describe(step)}`);
  const shown = values.log
    ? history.log
    : history.log.filter((line) => !/ (?:due|scan) | timer |is answered/.test(line)).slice(-60);
  console.log(shown.join('\n'));
}

/** Prints which lines of the publisher, the inbox, the memory store and `reconcile` no history ran. */
async function printCoverage(): Promise<void> {
  const files = await measureCoverage(async () => {
    const code = await bundle({ hasSourceMap: true });
    console.log(summaryOf(await runCampaign(runBundle(code), { seed, histories, limitMs: minutes * 60_000 })));
    return code;
  });
  const shown = files.filter(({ file }) => covered.test(file));
  console.log('| file | lines | not run |\n| --- | --- | --- |');
  for (const { file, lines, missed } of shown) console.log(`| ${file} | ${String(lines)} | ${String(missed.length)} |`);
  for (const { file, missed } of shown) {
    const text = readFileSync(file, 'utf8').split('\n');
    for (const line of missed) console.log(`${file}:${String(line)}: ${text[line - 1]?.trim() ?? ''}`);
  }
}

async function findPlanted(name: string): Promise<void> {
  const names = name.split(',');
  const bugs = name === 'all' ? plantedBugs : plantedBugs.filter((bug) => names.includes(bug.name));
  if (bugs.length === 0) {
    console.error(`--planted must be list, all, or one of: ${plantedBugs.map((bug) => bug.name).join(', ')}`);
    process.exit(1);
  }
  console.log('| planted bug | found after | law |\n| --- | --- | --- |');
  let isMissed = false;
  for (const bug of bugs) isMissed = !(await find(bug, bugs.length === 1)) || isMissed;
  process.exitCode = isMissed ? 1 : 0;
}

/** Runs histories until one fails. */
async function find(bug: PlantedBug, isExplained: boolean): Promise<boolean> {
  const simulator = await loadSimulator(bug);
  const { failed, histories: count } = await runCampaign(simulator, {
    seed,
    histories: mostForPlanted,
    mostFailures: 1,
  });
  const [first] = failed;
  console.log(
    `| ${bug.about} | ${first === undefined ? 'not found' : String(count)} | ${first?.violation?.law ?? ''} |`,
  );
  if (first !== undefined && isExplained) await explain(simulator, first);
  return first !== undefined;
}
