/** `npm run simulate -- --explore`: every schedule of small scenarios, not a sample. */
import { writeFileSync } from 'node:fs';
import { loadSimulator } from '../load.js';
import { plantedBugs, type PlantedBug } from '../planted.js';
import { namesOf } from './choices.js';
import { explore, type Explored, type Found } from './explore.js';
import { nameOf } from './explored-faults.js';
import { historicalBugs } from './historical.js';
import { plantedTable, scenarioTable, writeRows } from './report.js';
import { planOf, scenarios, type Scenario } from './scenarios.js';
import { storyOf } from './story.js';

export interface ExploreCommand {
  /** A part of the names of scenarios. Empty: all. */
  readonly scenario: string;
  /** For example `1/2`: the first half of them. */
  readonly part: string;
  readonly bound: number;
  readonly prunes: boolean;
  /** Names of bugs, or `all`. Missing: none is planted. */
  readonly planted?: string | undefined;
  /** Writes the tables of docs/durable-tests.md. */
  readonly writes: boolean;
  /** Writes the plan of the first violation to test/simulator/found. */
  readonly save?: string | undefined;
  /** Ends each scenario early, in minutes of real time. */
  readonly minutes: number;
}

/** Returns whether it found what it should: no violation, or each planted bug. */
export async function runExploration(command: ExploreCommand): Promise<boolean> {
  const [part = 0, parts = 0] = command.part.split('/').map(Number);
  const chosen = scenarios.filter(({ name }, index) => name.includes(command.scenario) && index % parts === part - 1);
  if (chosen.length === 0) {
    console.error(
      `--explore must be a part of one of: ${scenarios.map(({ name }) => name).join(', ')}; --part for example 1/2`,
    );
    return false;
  }
  return command.planted === undefined ? exploreAll(chosen, command) : findBugs(command.planted, chosen, command);
}

async function exploreAll(chosen: readonly Scenario[], command: ExploreCommand): Promise<boolean> {
  const { bound, prunes, writes, save, minutes } = command;
  const simulator = await loadSimulator();
  let isClean = true;
  console.log(
    '| scenario | bound | histories | pruned | choices | violations | s |\n| --- | --- | --- | --- | --- | --- | --- |',
  );
  for (const scenario of chosen) {
    const result = await explore(simulator, scenario, { bound, prunes, limitMs: minutes * 60_000 });
    const { histories, pruned, choices, seconds, found, isComplete } = result;
    const cells = [scenario.name, bound, histories, pruned, choices, found.length, seconds.toFixed(1)];
    console.log(`| ${cells.join(' | ')} |${isComplete ? '' : ' ended early'}`);
    const [first] = found;
    if (first !== undefined) {
      isClean = false;
      tell(scenario, first);
      if (save !== undefined) saveHistory(save, scenario, first);
    }
    if (writes && isComplete) writeRows(scenarioTable, [rowOf(scenario, bound, result)]);
  }
  return isClean;
}

function rowOf({ name }: Scenario, bound: number, { histories, seconds, found }: Explored): string[] {
  const cell = `${String(histories)} (${seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0)} s)`;
  return [name, ...[0, 1, 2, 3].map((one) => (one === bound ? cell : '-')), String(found.length)];
}

function tell({ name }: Scenario, found: Found): void {
  const { law = '', text = '' } = found.history.violation ?? {};
  console.log(
    `\n${name}: breaks the law "${law}": ${text}\n${storyOf(found)}\nSchedule: ${JSON.stringify(found.schedule)}\n`,
  );
}

/** Writes it without the numbers of its choices, which move if the code makes other calls. */
function saveHistory(name: string, scenario: Scenario, { history }: Found): void {
  const { explored, ...plan } = planOf(scenario, []);
  const named = namesOf(history.choices);
  const faults = explored?.faults.filter((fault) => named.some(({ option }) => option.endsWith(`: ${nameOf(fault)}`)));
  const saved = { ...plan, explored: { ...explored, faults, named } };
  writeFileSync(`test/simulator/found/${name}.json`, `${JSON.stringify(saved)}\n`);
}

async function findBugs(names: string, chosen: readonly Scenario[], command: ExploreCommand): Promise<boolean> {
  const all = [...plantedBugs, ...historicalBugs];
  const bugs = names === 'all' ? all : all.filter(({ name }) => names.split(',').includes(name));
  let isMissed = bugs.length === 0;
  console.log('| planted bug | scenario | bound | after histories | faults and interruptions |');
  for (const bug of bugs) {
    const row = await findBug(bug, chosen, command);
    console.log(`| ${row.join(' | ')} |`);
    isMissed ||= row[1] === 'not found';
    if (command.writes) writeRows(plantedTable, [row]);
  }
  return !isMissed;
}

/** Searches with the bounds 0, 1, 2, … until a history breaks a law. */
async function findBug(bug: PlantedBug, chosen: readonly Scenario[], command: ExploreCommand): Promise<string[]> {
  const simulator = await loadSimulator(bug);
  let histories = 0;
  for (let bound = 0; bound <= command.bound; bound += 1) {
    for (const scenario of chosen) {
      const limitMs = command.minutes * 60_000;
      const result = await explore(simulator, scenario, { bound, prunes: command.prunes, mostFailures: 1, limitMs });
      histories += result.histories;
      const [first] = result.found;
      if (first === undefined) continue;
      if (command.save !== undefined) saveHistory(command.save, scenario, first);
      const steps = first.history.story.filter((line) => line.startsWith('! '));
      const shortest = steps.length === 0 ? 'none' : storyOf({ history: { ...first.history, story: steps } });
      return [bug.name, scenario.name, String(bound), String(histories), shortest];
    }
  }
  return [bug.name, 'not found', `above ${String(command.bound)}`, String(histories), ''];
}
