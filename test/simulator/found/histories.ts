/** Histories that once broke a law, without draws: each names its choices. `npm run simulate -- --explore … --save NAME` writes them. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Plan } from '../plan.js';

const folder = new URL('.', import.meta.url);

export const names = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length));

export function historyOf(name: string): Plan {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Plan; // The simulator wrote it.
}
