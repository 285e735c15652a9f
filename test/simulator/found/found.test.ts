/** Histories that once broke a law, without draws: each names its choices. `npm run simulate -- --explore … --save NAME` writes them. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { namesOf } from '../explore/choices.js';
import { historicalBugs } from '../explore/historical.js';
import { loadSimulator } from '../load.js';
import type { Plan } from '../plan.js';
import { plantedBugs } from '../planted.js';

const folder = new URL('.', import.meta.url);
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length));

/** It is planted for the random histories too. */
const formerLife = plantedBugs.filter(({ name }) => name === 'late-failure-of-a-former-life');
const bugs = [...historicalBugs, ...formerLife.map((bug) => ({ ...bug, history: 'search-of-a-former-life' }))];

function planOf(name: string): Plan {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Plan; // The simulator wrote it.
}

const simulator = loadSimulator();

it.each(names)('%s makes its choices, and breaks no law any more', async (name) => {
  const plan = planOf(name);
  const { violation, choices } = await (await simulator).run(plan);
  expect(violation).toBeUndefined();
  // Otherwise, it would not reach the place of its defect.
  expect(namesOf(choices)).toEqual(plan.explored?.named ?? []);
});

it.each(bugs)('$history fails if the defect "$name" is there again', async ({ history, patches }) => {
  const { violation } = await (await loadSimulator(patches)).run(planOf(history));
  expect(violation).toBeDefined();
});
