import { expect, it } from 'vitest';
import { runCampaign } from './campaign.js';
import { loadSimulator } from './load.js';
import { plantedBugs } from './planted.js';

/** The first ten are in simulator.test.ts. Each test runs 10: 100 in one test would end at its time limit on a very busy machine. */
const firstSeeds = Array.from({ length: 9 }, (_, index) => 11 + 10 * index);
const loaded = loadSimulator();

it.each(firstSeeds)('keeps every law in 10 histories of fixed seeds, from %d on', async (seed) => {
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

it('finds a planted bug', async () => {
  const bug = plantedBugs.find(({ name }) => name === 'resend-after-lease');
  const simulator = await loadSimulator(bug);
  const { failed } = await runCampaign(simulator, { seed: 1, histories: 200, mostFailures: 1 });
  expect(failed).toHaveLength(1);
});
