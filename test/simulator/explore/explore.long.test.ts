import { describe, expect, it } from 'vitest';
import { loadSimulator } from '../load.js';
import type { Simulator } from '../simulator.js';
import { explore } from './explore.js';
import { patchesOf, scenario } from './named.js';

describe.each([
  ['unknown-becomes-ready', 'publish by one process'],
  ['reset-is-retried', 'publish by one process'],
  ['past: two-searches-at-once', 'a cached Date'],
  ['scope-is-ignored', 'two scopes on one store'],
])('finds %s', (bug, name) => {
  let simulator: Simulator | undefined;
  const explored = async (prunes: boolean) => {
    simulator ??= await loadSimulator(patchesOf(bug));
    const { found, histories } = await explore(simulator, scenario(name), { bound: 1, prunes });
    return { laws: [...new Set(found.map(({ history }) => history.violation?.law))].sort(), histories };
  };
  let all: Awaited<ReturnType<typeof explored>>;

  it('without pruning', async () => {
    all = await explored(false);
    expect(all.laws.length).toBeGreaterThan(0);
  });

  it('with pruning, in no more histories', async () => {
    const pruned = await explored(true);
    expect(pruned.laws).toEqual(all.laws);
    expect(pruned.histories).toBeLessThanOrEqual(all.histories);
  });
});
