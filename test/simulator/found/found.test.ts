import { expect, it } from 'vitest';
import { namesOf } from '../explore/choices.js';
import { loadSimulator } from '../load.js';
import { historyOf, names } from './histories.js';

const simulator = loadSimulator();

it.each(names)('%s makes its choices, and breaks no law any more', async (name) => {
  const plan = historyOf(name);
  const { violation, choices } = await (await simulator).run(plan);
  expect(violation).toBeUndefined();
  // Otherwise, it would not reach the place of its defect.
  expect(namesOf(choices)).toEqual(plan.explored?.named ?? []);
});
