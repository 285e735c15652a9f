/** The entry of the bundle: runs histories. */
import { Choices, type Choice, type IsKnown } from './explore/choices.js';
import type { Plan } from './plan.js';
import type { Fault, Operation } from './steps.js';
import { faultsEndMs, neighbourOf, planOf } from './plan.js';
import { hour, minute, start } from './steps.js';
import type { Violation } from './parts.js';
import { host } from './host.js';
import { Users } from './users.js';
import { World } from './world.js';

export interface History {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly events: number;
  /** The entries of maps and sets that processes keep at rest. `undefined`: nothing counts them. */
  readonly entries: number | undefined;
  /** The same for the same seed, on every machine. */
  readonly hash: string;
  /** Everything that happened, in order. */
  readonly log: readonly string[];
  /** Of an explored history. */
  readonly choices: readonly Choice[];
  /** See `Choices`. */
  readonly knownAt: number | undefined;
  readonly story: readonly string[];
}

export interface Simulator {
  readonly planOf: (seed: number, operations?: number) => Plan;
  /** @param isKnown ends an explored history that continues as an earlier one */
  readonly run: (plan: Plan, isKnown?: IsKnown) => Promise<History>;
  /** A step in plain words. */
  readonly describe: (step: Operation | Fault) => string;
}

/** The times between the users' calls at the end of a history, when everything works. Clocks can be a day apart. */
const restMs = [70 * minute, 70 * minute, 70 * minute, 4 * hour, 13 * hour, 13 * hour, 2 * hour];

/** The same of an explored history. Its clocks differ less. */
const exploredRestMs = [70 * minute, 70 * minute, 13 * hour, 2 * hour];

/** See `awaitsDistantPost`. */
const mostHoursForDistant = 30;

/** No history needs more events: more of them are an endless loop. */
const mostEvents = 100_000;
/** The same for each step of a long history. */
const mostEventsOfStep = 100;

async function run(plan: Plan, isKnown?: IsKnown): Promise<History> {
  const { explored } = plan;
  const choices = explored && new Choices(explored, isKnown);
  const world = new World(plan, choices);
  const worlds = plan.services === 2 ? [world, new World(neighbourOf(plan), choices, world)] : [world];
  const onUnhandled = (error: unknown) => {
    world.laws.break('every rejection is handled', `nobody handles ${String(error)}`);
  };
  process.on('unhandledRejection', onUnhandled);
  try {
    return await live(
      worlds.map((one) => ({ world: one, users: new Users(one) })),
      world,
    );
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
}

/** A service, its processes and their users. */
interface Side {
  readonly world: World;
  readonly users: Users;
}

/** @param first the one whose history it is: the other one shares its store and its time */
async function live(sides: readonly Side[], { plan, scheduler, laws, choices }: World): Promise<History> {
  const mustStop = () => {
    const most = Math.max(mostEvents, plan.steps.length * mostEventsOfStep);
    if (scheduler.events > most) laws.break('everything ends', `${String(most)} events, and no end`);
    for (const { world } of sides) laws.violation ??= world.laws.violation;
    return laws.violation !== undefined || choices?.knownAt !== undefined;
  };
  for (const { world, users } of sides) {
    for (const machine of world.machines) scheduler.plan(machine, 0, `${machine.name} is up`, () => machine.memory);
    for (const step of world.plan.steps) {
      scheduler.plan(world, step.at, describe(step), () => {
        begin(world, users, step);
      });
    }
  }
  if (choices === undefined || plan.explored === undefined) {
    await scheduler.runUntil(start + faultsEndMs, mustStop);
  } else {
    await scheduler.runUntil(start + plan.explored.fromMs - 1, mustStop);
    choices.isOpen = true;
    await scheduler.runUntil(start + plan.explored.untilMs, mustStop);
    choices.isOpen = false;
  }
  await comeToRest(sides, scheduler, mustStop);
  for (const { world, users } of sides) {
    if (mustStop()) break;
    users.atRest();
    await world.laws.atRest();
  }
  mustStop();
  return {
    seed: plan.seed,
    violation: laws.violation,
    events: scheduler.events,
    entries: host.countEntries?.(),
    hash: scheduler.hash(),
    log: scheduler.log,
    choices: choices?.made ?? [],
    knownAt: choices?.knownAt,
    story: choices?.story ?? [],
  };
}

function begin(world: World, users: Users, step: Operation | Fault): void {
  if (step.type === 'operation') {
    users.perform(step);
    return;
  }
  const { scheduler, machines } = world;
  if (step.kind === 'store has foreign data') void writeForeign(world, step);
  const machine = machines[step.process % machines.length];
  if (machine === undefined) return;
  changeSecrets(world, step);
  if (step.kind === 'callers abort') {
    scheduler.plan(machine, 0, `${machine.name}: callers abort`, () => {
      machine.abort();
    });
  }
  if (step.kind === 'crash') machine.crash('');
  if (step.kind === 'pause') machine.pausedUntil = start + step.until;
  if (step.kind === 'clock step') {
    const stepMs = [15_000, 5 * minute, 2 * hour][step.detail % 3] ?? 0;
    machine.steppedMs += (step.detail >> 4) % 2 === 0 ? stepMs : -stepMs;
  }
}

/** A newer version, or another program, writes an intent. Later, the intent is as before. */
async function writeForeign(world: World, { at, until, detail }: Fault): Promise<void> {
  const { store, plan, scheduler } = world;
  const key = `intent/${plan.keys[detail % plan.keys.length]?.key ?? ''}`;
  const before = await store.get(key);
  // Another fault may have written it.
  if (before === undefined || !/^\{"format":[12],/.test(before.data)) return;
  const version = await store.swap(key, before.version, detail % 2 === 0 ? 'no JSON' : '{"format":99}', null);
  scheduler.plan(world, until - at, `${key} is as before`, () => {
    const { wakeAt } = JSON.parse(before.data) as { wakeAt: number | null };
    void store.swap(key, version ?? 0, before.data, wakeAt);
  });
}

/** An operator replaces a key or a secret, and then restarts the processes one after the other. */
function changeSecrets(world: World, { kind, at, until, detail }: Fault): void {
  const { secrets, scheduler, faults, machines } = world;
  if (kind !== 'the access key is rotated' && kind !== 'the webhook secret is rotated') return;
  const isKey = kind === 'the access key is rotated';
  if (isKey) secrets.rotateKey(detail % 2 === 0);
  else secrets.announceSigningSecret();
  const random = faults.of(kind);
  const lengthMs = until - at;
  const change = isKey ? lengthMs : random.below(lengthMs + 1);
  scheduler.plan(world, change, isKey ? 'the old key is refused' : 'the service signs with the new secret', () => {
    if (isKey) secrets.refuseOldKey();
    else secrets.useSigningSecret();
  });
  for (const machine of machines) {
    scheduler.plan(world, random.below(lengthMs + 1), `${machine.name} is deployed anew`, () => {
      machine.crash('to start with new secrets');
    });
  }
}

/** The service answers again, and time passes. */
async function comeToRest(
  sides: readonly Side[],
  scheduler: World['scheduler'],
  mustStop: () => boolean,
): Promise<void> {
  const waits = sides[0]?.world.plan.explored === undefined ? restMs : exploredRestMs;
  for (const [round, waitMs] of waits.entries()) {
    if (mustStop()) return;
    for (const side of sides) callAll(side, round, waits.length);
    await scheduler.runUntil(scheduler.time + waitMs, mustStop);
  }
  for (let hours = 0; hours < mostHoursForDistant && !mustStop(); hours += 1) {
    const waiting = sides.filter(({ world }) => world.laws.intents.awaitsDistantPost());
    if (waiting.length === 0) return;
    for (const { world, users } of waiting) {
      // Each can have another scope.
      for (const machine of world.machines) users.call(machine, 'sweep', () => machine.memory.publisher.sweep());
    }
    await scheduler.runUntil(scheduler.time + hour + minute, mustStop);
  }
}

function callAll({ world: { machines, plan }, users }: Side, round: number, rounds: number): void {
  const isForAll = round === 0 || round >= rounds - 2;
  const { hasEvents = true, receiver } = plan.explored ?? {};
  for (const machine of machines) {
    machine.setClockRight();
    machine.restart();
    if (!isForAll && machine.index !== round % machines.length) continue;
    users.call(machine, 'sweep', () => machine.memory.publisher.sweep());
    // It also wakes the worker.
    if (hasEvents && machine.index !== receiver) {
      if (round >= rounds - 3 && machine.index === round % machines.length) users.catchUp(machine);
      if (round >= 2) users.replay(machine);
    }
    // Removes no intent, only claims of pruned ones.
    if (round === rounds - 1) {
      users.call(machine, 'prune', () => machine.memory.publisher.prune({ olderThan: new Date(0) }));
    }
  }
}

function describe(step: Operation | Fault): string {
  if (step.type === 'operation') return `user: ${step.what} ${String(step.key)} at ${String(step.process)}`;
  const seconds = ((step.until - step.at) / 1_000).toFixed(0);
  return `fault: ${step.kind} for ${seconds} s, chance ${String(step.chance)}, process ${String(step.process)}`;
}

export const simulator: Simulator = { planOf, run, describe };
