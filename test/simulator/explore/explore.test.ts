import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadSimulator } from '../load.js';
import { explore } from './explore.js';
import { historicalBugs } from './historical.js';
import { patchesOf, scenario } from './named.js';
import { planOf } from './scenarios.js';
import { storyOf } from './story.js';

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

it.each(historicalBugs)('$name can be planted: its texts occur once in the sources', ({ patches }) => {
  for (const { file, find } of patches) {
    const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
    expect(text.split(find)).toHaveLength(2);
  }
});
