/** The histories of this folder, with their defects planted again. */
import { expect, it } from 'vitest';
import { historicalBugs } from '../explore/historical.js';
import { loadSimulator } from '../load.js';
import { plantedBugs } from '../planted.js';
import { historyOf } from './histories.js';

/** It is planted for the random histories too. */
const formerLife = plantedBugs.filter(({ name }) => name === 'late-failure-of-a-former-life');
const bugs = [...historicalBugs, ...formerLife.map((bug) => ({ ...bug, history: 'search-of-a-former-life' }))];

it.each(bugs)('$history fails if the defect "$name" is there again', async ({ history, ...bug }) => {
  const { violation } = await (await loadSimulator(bug)).run(historyOf(history));
  expect(violation).toBeDefined();
});
