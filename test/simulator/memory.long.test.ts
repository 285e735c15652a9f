import { expect, it } from 'vitest';
import { bundle, runBundle } from './load.js';
import type { KeyPlan, Plan } from './plan.js';
import type { Simulator } from './simulator.js';
import type { Operation } from './steps.js';

const calls = ['publish', 'publish', 'create', 'analytics', 'catchUp', 'sweep', 'list'] as const;

/** A history without faults: the same calls again and again, each intent once. */
function longPlan(simulator: Simulator, operations: number): Plan {
  const keys = Array.from({ length: operations }, (_, index): KeyPlan => ({
    key: `key-${String(index)}`,
    content: `Post ${String(index)}`,
    mode: 'now',
    inMs: 0,
  }));
  const steps = keys.map((_, index): Operation => {
    const rare = index % 100 < calls.length ? calls[index % 100] : undefined;
    const what = rare ?? (index % 3 === 0 ? 'create' : 'publish');
    return { type: 'operation', at: index * 500, process: index % 2, what, key: index, detail: 2 * index };
  });
  const processes = [0, 0].map((offsetMs) => ({ offsetMs, drift: 0 }));
  return { ...simulator.planOf(1), processes, keys, steps, limits: {}, publishingMs: 0, onMissing: 'hold' };
}

it('keeps one entry in memory for each create, and nothing else that grows', async () => {
  const entries: number[] = [];
  for (const operations of [100, 500]) {
    const simulator = runBundle(await bundle({}), { isCounting: true });
    const plan = longPlan(simulator, operations);
    const history = await simulator.run(plan);
    expect(history.violation).toBeUndefined();
    const creates = plan.steps.filter((step) => step.type === 'operation' && /create|publish/.test(step.what)).length;
    // `reconcile` knows the IDs of the last 10,000 posts of its client.
    entries.push((history.entries ?? Infinity) - creates);
  }
  const [short = 0, long = Infinity] = entries;
  expect(short).toBeGreaterThan(0);
  expect(long).toBeLessThanOrEqual(short);
});
