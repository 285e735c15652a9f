import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCampaign } from './campaign.js';
import { loadSimulator } from './load.js';
import { plantedBugs } from './planted.js';

const loaded = loadSimulator();

/** Each test runs 10 histories: 100 in one test would end at its time limit on a very busy machine. */
it.each([1, 11])('keeps every law in 10 histories of fixed seeds, from %d on', async (seed) => {
  const { failed } = await runCampaign(await loaded, { seed, histories: 10 });
  expect(failed.map(({ seed, violation }) => [seed, violation])).toEqual([]);
});

it('gives the same history for the same seed', async () => {
  const [one, other] = [await loadSimulator(), await loadSimulator()];
  const first = await one.run(one.planOf(7));
  // Histories before it leave nothing behind.
  await other.run(other.planOf(8));
  const again = await other.run(other.planOf(7));
  expect(again.log).toEqual(first.log);
  expect(again.hash).toBe(first.hash);
});

it.each(plantedBugs)('$name can be planted: its texts occur once in the sources', ({ patches }) => {
  for (const { file, find } of patches) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(text.split(find)).toHaveLength(2);
  }
});
