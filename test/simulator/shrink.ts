import type { Plan } from './plan.js';
import type { History, Simulator } from './simulator.js';

/** How many shorter histories are tried. */
const mostRuns = 400;

/** Finds a shorter history that breaks the same law, by omitting smaller and smaller parts of the steps. */
export async function shrink(simulator: Simulator, plan: Plan, law: string): Promise<{ plan: Plan; history: History }> {
  let [best, history] = [plan, await simulator.run(plan)];
  let runs = 0;
  for (let length = Math.ceil(best.steps.length / 2); length >= 1; length = length === 1 ? 0 : Math.ceil(length / 2)) {
    for (let from = 0; from < best.steps.length && runs < mostRuns;) {
      const shorter = { ...best, steps: best.steps.filter((_, index) => index < from || index >= from + length) };
      const tried = await simulator.run(shorter);
      runs += 1;
      if (tried.violation?.law === law) [best, history] = [shorter, tried];
      else from += length;
    }
  }
  return { plan: best, history };
}
