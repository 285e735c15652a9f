/**
 * Runs every history of a scenario: depth first over all choices, each time again from the start. The number of faults and
 * of interrupted processes together is limited, as in CHESS.
 */
import type { History, Simulator } from '../simulator.js';
import type { Choice, Schedule } from './choices.js';
import { planOf, type Scenario } from './scenarios.js';

export interface ExploreOptions {
  /** The most faults and interruptions of a history. */
  readonly bound: number;
  /** Ends a history whose state was reached before. */
  readonly prunes?: boolean;
  /** Ends the exploration after this number of violations. */
  readonly mostFailures?: number;
  /** Ends it early, in milliseconds of real time. */
  readonly limitMs?: number;
}

export interface Found {
  readonly schedule: Schedule;
  /** The number of faults and interruptions. */
  readonly cost: number;
  readonly history: History;
  /** How many histories were run until this one, with it. */
  readonly after: number;
}

export interface Explored {
  readonly histories: number;
  /** How many of them ended early, because their state was reached before. */
  readonly pruned: number;
  /** The most choices of a history. */
  readonly choices: number;
  /** Of one core. */
  readonly seconds: number;
  readonly found: readonly Found[];
  /** Every history within the bound was run. */
  readonly isComplete: boolean;
}

export async function explore(simulator: Simulator, scenario: Scenario, options: ExploreOptions): Promise<Explored> {
  const { bound, prunes = false, mostFailures = Infinity, limitMs = Infinity } = options;
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  /** How many faults and interruptions were left when a state was reached. */
  const known = new Map<string, number>();
  const found: Found[] = [];
  let [histories, pruned, choices] = [0, 0, 0];
  let isComplete = true;

  async function visit(schedule: Schedule, cost: number): Promise<void> {
    if (found.length >= mostFailures || performance.now() - startedAt > limitMs) {
      isComplete = false;
      return;
    }
    const left = bound - cost;
    const isKnown = (state: string) => {
      if ((known.get(state) ?? -1) >= left) return true;
      known.set(state, left);
      return false;
    };
    const history = await simulator.run(planOf(scenario, schedule), prunes ? isKnown : undefined);
    histories += 1;
    choices = Math.max(choices, history.choices.length);
    if (history.knownAt !== undefined) pruned += 1;
    if (history.violation !== undefined) found.push({ schedule, cost, history, after: histories });
    const last = schedule.at(-1)?.[0] ?? -1;
    for (const [index, option] of alternatives(history, last, left)) {
      const price = history.choices[index]?.options[option]?.cost ?? 0;
      await visit([...schedule, [index, option]], cost + price);
    }
  }

  await visit([], 0);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (user + system) / 1_000_000;
  return { histories, pruned, choices, seconds, found, isComplete };
}

/** The other options of the choices after the last one of the schedule. */
function alternatives({ choices, knownAt }: History, last: number, left: number): [number, number][] {
  const end = knownAt ?? choices.length;
  return choices
    .slice(0, end)
    .flatMap(({ options }: Choice, index) =>
      index <= last
        ? []
        : options.flatMap(({ cost }, option) =>
            option === 0 || cost > left ? [] : [[index, option] as [number, number]],
          ),
    );
}
