import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCampaign } from './campaign.js';
import { loadSimulator } from './load.js';
import { plantedBugs } from './planted.js';

it('keeps every law in the first 10 histories', async () => {
  const { failed } = await runCampaign(await loadSimulator(), { seed: 1, histories: 10 });
  expect(failed.map(({ seed, violation }) => [seed, violation])).toEqual([]);
});

it.each(plantedBugs)('$name can be planted: its texts occur once in the sources', ({ patches }) => {
  for (const { file, find } of patches) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(text.split(find)).toHaveLength(2);
  }
});
