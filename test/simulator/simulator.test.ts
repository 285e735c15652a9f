import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCampaign } from './campaign.js';
import { historicalBugs } from './explore/historical.js';
import { loadSimulator } from './load.js';
import { plantedBugs } from './planted.js';

it('keeps every law in the first 10 histories', async () => {
  const { failed } = await runCampaign(await loadSimulator(), { seed: 1, histories: 10 });
  expect(failed.map(({ seed, violation }) => [seed, violation])).toEqual([]);
});

// A second call of the process began in the tick in which it crashed, and once ran on in its next life.
it.each([1795935031398, 1795935533741])('a process that has crashed calls nothing more (seed %i)', async (seed) => {
  const { failed } = await runCampaign(await loadSimulator(), { seed, histories: 1 });
  expect(failed.map(({ violation }) => violation)).toEqual([]);
});

it.each([...plantedBugs, ...historicalBugs])('$name can be planted: its texts occur once in the sources', (bug) => {
  for (const { file, find } of [bug, ...(bug.also ?? [])]) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(text.split(find)).toHaveLength(2);
  }
});
