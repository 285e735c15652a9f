/** Histories that once broke a law. Each file holds the shortened plan of one of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadSimulator } from '../load.js';
import type { Plan } from '../plan.js';

const folder = new URL('.', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));

it.each(names)('%s breaks no law any more', async (name) => {
  const simulator = await loadSimulator();
  // `npm run simulate -- --save NAME` wrote it.
  const plan = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Plan;
  expect((await simulator.run(plan)).violation).toBeUndefined();
});
