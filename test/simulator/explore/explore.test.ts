import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadSimulator } from '../load.js';
import { plantedBugs } from '../planted.js';
import type { Simulator } from '../simulator.js';
import { explore } from './explore.js';
import { historicalBugs } from './historical.js';
import { planOf, scenarios, type Scenario } from './scenarios.js';
import { storyOf } from './story.js';

function scenario(name: string): Scenario {
  const found = scenarios.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no scenario ${name}.`);
  return found;
}

function patchesOf(name: string) {
  return [...plantedBugs, ...historicalBugs].find((bug) => bug.name === name)?.patches;
}

it('runs each history within the bound once, and none breaks a law', async () => {
  const simulator = await loadSimulator();
  const small = scenario('publish by one process');
  const [none, one] = [await explore(simulator, small, { bound: 0 }), await explore(simulator, small, { bound: 1 })];
  expect(none).toMatchObject({ histories: 1, found: [], isComplete: true });
  // The first history has a choice for each fault of each call.
  const { choices } = await simulator.run(planOf(small, []));
  const others = choices.flatMap(({ options }) => options.slice(1));
  expect(others.length).toBeGreaterThan(20);
  expect(one).toMatchObject({ histories: 1 + others.length, found: [], isComplete: true });
});

it('runs the same history again, choice by choice', async () => {
  const plan = planOf(scenario('two sweeps'), [
    [3, 1],
    [9, 1],
  ]);
  const [one, other] = [await loadSimulator(), await loadSimulator()];
  const history = await one.run(plan);
  expect((await other.run(JSON.parse(JSON.stringify(plan)) as typeof plan)).log).toEqual(history.log);
});

it('tells the shortest history of a planted bug', async () => {
  const simulator = await loadSimulator(patchesOf('reset-is-retried'));
  const { found } = await explore(simulator, scenario('publish by one process'), { bound: 1, mostFailures: 1 });
  const [first = ''] = found.map(storyOf);
  expect(first).toBe('A marks key-0, A POST /v1/posts/: reset before the service (FAULT), A gets the reply');
});

describe.each([
  ['unknown-becomes-ready', 'publish by one process'],
  ['reset-is-retried', 'publish by one process'],
  ['past: two-searches-at-once', 'a cached Date'],
  ['scope-is-ignored', 'two scopes on one store'],
])('finds %s', (bug, name) => {
  let simulator: Simulator | undefined;
  const explored = async (prunes: boolean) => {
    simulator ??= await loadSimulator(patchesOf(bug));
    const { found, histories } = await explore(simulator, scenario(name), { bound: 1, prunes });
    return { laws: [...new Set(found.map(({ history }) => history.violation?.law))].sort(), histories };
  };
  let all: Awaited<ReturnType<typeof explored>>;

  it('without pruning', async () => {
    all = await explored(false);
    expect(all.laws.length).toBeGreaterThan(0);
  });

  it('with pruning, in no more histories', async () => {
    const pruned = await explored(true);
    expect(pruned.laws).toEqual(all.laws);
    expect(pruned.histories).toBeLessThanOrEqual(all.histories);
  });
});

it.each(historicalBugs)('$name can be planted: its texts occur once in the sources', ({ patches }) => {
  for (const { file, find } of patches) {
    const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
    expect(text.split(find)).toHaveLength(2);
  }
});
