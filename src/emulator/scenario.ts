import * as z from 'zod/mini';
import { ConfigurationError } from '../core/errors.js';
import { once } from '../schema/fields.js';
import { parsed } from '../schema/issues.js';
import type { Emulator, EmulatorScenarios, ScenarioEntry } from './emulator.js';
import { listProblems, problemsOf, seedAll } from './seed/seed-file.js';
import { milliseconds, type Duration } from './service/clock.js';
import { isOfDeliveriesAlone } from './service/delivery-faults.js';
import type { Store } from './state/store.js';
import type { DeliveryFault, RequestFault } from './state/fault-kinds.js';
import type { Job, PlannedStep } from './state/stored-records.js';
import { timestamp } from './state/time.js';

type Hands = Pick<Emulator, 'seed' | 'faults' | 'deliveryFaults' | 'publishing'>;

const oneOrMore = () =>
  z.union([z.looseObject({}), z.array(z.looseObject({}))], { error: 'must be an object, or an array of them' });

const stepsSchema = once(() =>
  z.array(
    z.strictObject({
      at: z.looseObject({}),
      faults: z.optional(oneOrMore()),
      outcomes: z.optional(oneOrMore()),
      seed: z.optional(z.looseObject({})),
    }),
  ),
);

/**
 * Reads a scenario, and first runs it completely on a temporary emulator.
 * @param scratch an emulator with the same state
 * @throws ConfigurationError with each step that cannot run
 */
export function planScenario(
  steps: unknown,
  scratch: Hands,
): { readonly afterMs: number; readonly step: PlannedStep }[] {
  const read = parsed(stepsSchema(), steps, (issues) => new ConfigurationError(`The scenario is not valid: ${issues}`));
  const problems: string[] = [];
  const planned = read.map(({ at, ...step }, index) => ({
    index,
    afterMs: lengthOf(at, index, problems),
    step,
  }));
  // In the order of execution: a step may need the seeds of an earlier one.
  for (const { index, step } of [...planned].sort((a, b) => a.afterMs - b.afterMs))
    for (const problem of runStep(step, scratch)) problems.push(`[${String(index)}].${problem}`);
  if (problems.length > 0) throw new ConfigurationError(`The scenario cannot run: ${listProblems(problems)}`);
  return planned;
}

function lengthOf(at: Duration, index: number, problems: string[]): number {
  try {
    return milliseconds(at);
  } catch (error) {
    problems.push(`[${String(index)}].at: ${error instanceof Error ? error.message : String(error)}`);
    return 0;
  }
}

const idOf = ({ order }: Job) => `step_${String(order)}`;

/** The planned steps, as the control of a test. */
export function scenariosOf(store: Store): EmulatorScenarios {
  const planned = () => [...store.state.jobs].flatMap((job) => (job.kind === 'scenario' ? [job] : []));
  return {
    list: () =>
      planned().map((job) => ({
        id: idOf(job),
        at: timestamp(job.at),
        // `scenario` accepted it, and it has not changed since.
        step: structuredClone(job.step) as ScenarioEntry['step'],
      })),
    remove(id) {
      const found = planned().find((job) => idOf(job) === id);
      if (found === undefined) return false;
      store.state.jobs.delete(found);
      store.changed('scenario');
      return true;
    },
  };
}

export function runStep({ faults, outcomes, seed }: PlannedStep, hands: Hands): string[] {
  return [
    ...(seed === undefined ? [] : seedAll(hands.seed, seed).map((problem) => `seed.${problem}`)),
    ...[faults ?? []].flat().flatMap((fault) =>
      // Checks the fault before it reads a field.
      problemsOf('faults', () => addAnyFault(hands, fault as { readonly kind: string })),
    ),
    ...[outcomes ?? []].flat().flatMap((outcome) =>
      problemsOf('outcomes', () => {
        hands.publishing.outcome(outcome);
      }),
    ),
  ];
}

/** The traffic that a fault applies to. */
export type FaultOf = 'requests' | 'deliveries';

/**
 * Adds a fault from JSON, for requests or for deliveries depending on its kind. A `timeout` applies to requests, unless
 * `of` says otherwise.
 * @throws RangeError if it could never apply
 */
export function addAnyFault(
  { faults, deliveryFaults }: Pick<Emulator, 'faults' | 'deliveryFaults'>,
  fault: { readonly kind: string },
  of?: FaultOf,
): FaultOf {
  const which = of ?? (isOfDeliveriesAlone(fault.kind) ? 'deliveries' : 'requests');
  // `add` checks the fault itself.
  if (which === 'requests') faults.add(fault as unknown as RequestFault);
  else deliveryFaults.add(fault as unknown as DeliveryFault);
  return which;
}
