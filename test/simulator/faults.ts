import type { Plan } from './plan.js';
import type { Fault, FaultName } from './steps.js';
import { start } from './steps.js';
import type { Faults } from './parts.js';
import type { Draws, Random } from './random.js';
import type { Scheduler } from './scheduler.js';

/** The faults that apply at the moment. */
export class ActiveFaults implements Faults {
  readonly #faults: readonly Fault[];
  readonly #scheduler: Scheduler;
  readonly #draws: Draws;

  constructor(plan: Plan, scheduler: Scheduler, draws: Draws) {
    this.#faults = plan.steps.filter((step) => step.type === 'fault');
    this.#scheduler = scheduler;
    this.#draws = draws;
  }

  strikes(kinds: readonly FaultName[], name: string, process?: number): Fault | undefined {
    const now = this.#scheduler.time - start;
    for (const fault of this.#faults) {
      if (fault.at > now || fault.until <= now || !kinds.includes(fault.kind)) continue;
      if (process !== undefined && fault.detail % 3 !== 0 && fault.process !== process) continue;
      if (this.of(`${fault.kind} ${name}`).chance(fault.chance)) return fault;
    }
    return undefined;
  }

  has(...kinds: readonly FaultName[]): boolean {
    return this.#faults.some(({ kind }) => kinds.includes(kind));
  }

  of(name: string): Random {
    return this.#draws.of(name);
  }
}
