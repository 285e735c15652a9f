import { expect, it } from 'vitest';
import { runCampaign } from './campaign.js';
import { loadSimulator } from './load.js';
import { plantedBugs } from './planted.js';

/** The first two tens are in simulator.test.ts. */
const firstSeeds = Array.from({ length: 8 }, (_, index) => 21 + 10 * index);
const loaded = loadSimulator();

it.each(firstSeeds)('keeps every law in 10 histories of fixed seeds, from %d on', async (seed) => {
  const { failed } = await runCampaign(await loaded, { seed, histories: 10 });
  expect(failed.map(({ seed, violation }) => [seed, violation])).toEqual([]);
});

it('finds a planted bug', async () => {
  const bug = plantedBugs.find(({ name }) => name === 'resend-after-lease');
  const simulator = await loadSimulator(bug?.patches);
  const { failed } = await runCampaign(simulator, { seed: 1, histories: 200, mostFailures: 1 });
  expect(failed).toHaveLength(1);
});
