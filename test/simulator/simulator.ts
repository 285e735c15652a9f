/** The entry of the bundle: runs histories. */
import type { Fault, Operation, Plan } from './plan.js';
import { faultsEndMs, hour, minute, planOf, start } from './plan.js';
import type { Violation } from './parts.js';
import { Users } from './users.js';
import { World } from './world.js';

export interface History {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly events: number;
  /** The same for the same seed, on every machine. */
  readonly hash: string;
  /** Everything that happened, in order. */
  readonly log: readonly string[];
}

export interface Simulator {
  readonly planOf: (seed: number, operations?: number) => Plan;
  readonly run: (plan: Plan) => Promise<History>;
  /** A step in plain words. */
  readonly describe: (step: Operation | Fault) => string;
}

/** The times between the calls of the users while the history comes to rest. Clocks can be a day apart. */
const restMs = [70 * minute, 70 * minute, 70 * minute, 4 * hour, 13 * hour, 13 * hour, 2 * hour];

/** More events than any history needs: something runs in a circle. */
const mostEvents = 100_000;

async function run(plan: Plan): Promise<History> {
  const world = new World(plan);
  const onUnhandled = (error: unknown) => {
    world.laws.break('every rejection is handled', `nobody handles ${String(error)}`);
  };
  process.on('unhandledRejection', onUnhandled);
  try {
    return await live(world);
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
}

async function live(world: World): Promise<History> {
  const { plan } = world;
  const users = new Users(world);
  const { scheduler, laws, machines } = world;
  const mustStop = () => {
    if (scheduler.events > mostEvents) laws.break('everything ends', `${String(mostEvents)} events, and no end`);
    return laws.violation !== undefined;
  };
  for (const machine of machines) scheduler.plan(machine, 0, `${machine.name} is up`, () => machine.memory);
  for (const step of plan.steps) {
    scheduler.plan(world, step.at, describe(step), () => {
      begin(world, users, step);
    });
  }
  await scheduler.runUntil(start + faultsEndMs, mustStop);
  await comeToRest(world, users, mustStop);
  if (laws.violation === undefined) {
    users.atRest();
    await laws.atRest();
  }
  return {
    seed: plan.seed,
    violation: laws.violation,
    events: scheduler.events,
    hash: scheduler.hash(),
    log: scheduler.log,
  };
}

function begin(world: World, users: Users, step: Operation | Fault): void {
  if (step.type === 'operation') {
    users.perform(step);
    return;
  }
  const machine = world.machines[step.process % world.machines.length];
  if (machine === undefined) return;
  if (step.kind === 'crash') machine.crash('');
  if (step.kind === 'pause') machine.pausedUntil = start + step.until;
  if (step.kind === 'clock step') {
    const stepMs = [15_000, 5 * minute, 2 * hour][step.detail % 3] ?? 0;
    machine.steppedMs += (step.detail >> 4) % 2 === 0 ? stepMs : -stepMs;
  }
}

/** The service answers again, and time passes. */
async function comeToRest(world: World, users: Users, mustStop: () => boolean): Promise<void> {
  const { scheduler, machines } = world;
  for (const [round, waitMs] of restMs.entries()) {
    if (world.laws.violation !== undefined) return;
    const isForAll = round === 0 || round >= restMs.length - 2;
    for (const machine of machines) {
      machine.restart();
      if (!isForAll && machine.index !== round % machines.length) continue;
      users.call(machine, 'sweep', () => machine.memory.publisher.sweep());
      // It also wakes the worker.
      if (round >= restMs.length - 3 && machine.index === round % machines.length) users.catchUp(machine);
      if (round >= 2) users.replay(machine);
    }
    await scheduler.runUntil(scheduler.time + waitMs, mustStop);
  }
}

function describe(step: Operation | Fault): string {
  if (step.type === 'operation') return `user: ${step.what} ${String(step.key)} at ${String(step.process)}`;
  const seconds = ((step.until - step.at) / 1_000).toFixed(0);
  return `fault: ${step.kind} for ${seconds} s, chance ${String(step.chance)}, process ${String(step.process)}`;
}

export const simulator: Simulator = { planOf, run, describe };
