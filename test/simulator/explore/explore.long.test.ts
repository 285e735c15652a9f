import { describe, expect, it } from 'vitest';
import { loadSimulator } from '../load.js';
import type { Simulator } from '../simulator.js';
import { explore } from './explore.js';
import { bugNamed, scenario } from './named.js';
import { planOf } from './scenarios.js';

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

describe.each([
  ['unknown-becomes-ready', 'publish by one process'],
  ['reset-is-retried', 'publish by one process'],
  ['past: two-searches-at-once', 'a cached Date'],
  ['scope-is-ignored', 'two scopes on one store'],
])('finds %s', (bug, name) => {
  let simulator: Simulator | undefined;
  const explored = async (prunes: boolean) => {
    simulator ??= await loadSimulator(bugNamed(bug));
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
