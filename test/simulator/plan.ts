/** A history: everything that its seed decides in advance. */
import type { NamedChoice, Schedule } from './explore/choices.js';
import { hashText, Random } from './random.js';
import type { RuntimeName } from './runtimes.js';
import { sceneOf } from './scenes.js';
import {
  changeWeights,
  faultWeights,
  hour,
  minute,
  operationWeights,
  second,
  type Fault,
  type FaultName,
  type Operation,
  type OperationName,
} from './steps.js';

/** What an intent sends. */
export interface KeyPlan {
  readonly key: string;
  readonly content: string;
  readonly mode: 'now' | 'later' | 'draft';
  /** With `later`: milliseconds after the start. */
  readonly inMs: number;
}

type ThemeName = 'all' | 'one key' | 'scene' | 'equal keys' | 'events';

/** A theme makes rare combinations of a few calls and faults likely. */
interface Theme {
  readonly operations: Partial<Record<OperationName, number>>;
  readonly faults: Partial<Record<FaultName, number>>;
  readonly mostFaults: number;
  readonly mostKeys: number;
  /** Default: 2, if there may be 2. */
  readonly leastKeys?: number;
  /** How many of the keys have the same content. */
  readonly equalKeys?: number;
  /** The longest times between two calls. */
  readonly gapsMs: readonly number[];
  /** It begins with a scene: see `scenes.ts`. */
  readonly hasScene?: true;
}

const themes: Readonly<Record<ThemeName, Theme>> = {
  all: {
    operations: operationWeights,
    faults: faultWeights,
    mostFaults: 8,
    mostKeys: 6,
    gapsMs: [5, 50, 50, 500, 5 * second, minute, 10 * minute, 90 * minute],
  },
  'one key': {
    operations: { publish: 6, resolve: 3, prune: 3, sweep: 2, enqueue: 0.5, resume: 0.5 },
    faults: { 'requests are late': 4, 'status storm': 4, 'reset after the service': 1, crash: 1, pause: 1 },
    mostFaults: 8,
    mostKeys: 1,
    gapsMs: [50, 5 * second, 20 * second, minute],
  },
  scene: {
    operations: { publish: 4, enqueue: 1, sweep: 3, resume: 1, resolve: 0.5, prune: 0.5 },
    faults: { crash: 1, 'crash at a call': 1, 'requests are late': 1, 'store loses answers': 1 },
    mostFaults: 1,
    mostKeys: 4,
    leastKeys: 4,
    equalKeys: 2,
    gapsMs: [50, 5 * second, 20 * second, 10 * minute],
    hasScene: true,
  },
  'equal keys': {
    operations: { publish: 6, publishMany: 2, sweep: 4, resume: 1, resolve: 0.5 },
    faults: {
      'reset after the service': 3,
      'requests are late': 2,
      'replies are late': 2,
      'reset before the service': 1,
      'reused connection fails': 2,
      'crash at a call': 2,
      'store loses answers': 1,
    },
    mostFaults: 5,
    mostKeys: 4,
    equalKeys: 4,
    gapsMs: [5, 50, 500, 5 * second, 10 * minute],
  },
  events: {
    operations: { publish: 4, catchUp: 3, replay: 2, 'restart the inbox': 2, sweep: 1 },
    faults: {
      ...{ 'webhooks lost': 2, 'webhooks doubled': 2, 'webhooks late': 2, 'handlers fail': 2, 'handlers are slow': 1 },
      ...{
        'the webhook secret is rotated': 0.7,
        'due is stale': 2,
        'store loses answers': 1,
        'store fails': 1,
        'crash at a call': 1,
        crash: 2,
      },
    },
    mostFaults: 8,
    mostKeys: 4,
    gapsMs: [50, 500, 5 * second, minute, 20 * minute],
  },
};

export interface ProcessPlan {
  /** How far its clock is ahead at the start, in milliseconds. */
  readonly offsetMs: number;
  /** How much faster its clock runs: 0.001 is one second in a thousand. */
  readonly drift: number;
  /** Default: Node. */
  readonly runtime?: RuntimeName;
}

/** How fast a process may send. */
export interface ClientLimits {
  readonly concurrency?: number;
  readonly perSecond?: number;
}

/** A fault that can strike a call. */
export interface PossibleFault {
  readonly kind: FaultName;
  /** Decides the details, as in a `Fault`. Default 0. */
  readonly detail?: number;
  /** A pattern of the names of calls. Missing: all. */
  readonly on?: string;
}

/** What is chosen in a history, and not drawn. */
export interface Exploration {
  readonly faults: readonly PossibleFault[];
  /** Choices begin and end at these times, in milliseconds after the start. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** Whether the service delivers webhooks. */
  readonly hasEvents: boolean;
  /** The process that has a receiver, and no inbox. */
  readonly receiver?: number;
  /** The choices of this history, by their numbers. */
  readonly schedule: Schedule;
  /** The same, by their names: of a saved history. */
  readonly named?: readonly NamedChoice[];
}

export interface Plan {
  readonly seed: number;
  readonly processes: readonly ProcessPlan[];
  readonly keys: readonly KeyPlan[];
  readonly leaseMs: number;
  readonly settleMs: number;
  readonly onMissing: 'hold' | 'resend';
  readonly serviceSkewMs: number;
  readonly publishingMs: number;
  readonly limits: ClientLimits;
  /** How long the inbox remembers a handled event. */
  readonly keepMs: number;
  /** How often an inbox asks for events that other processes received. */
  readonly pollMs: number;
  /** How many services have publishers with this store. Missing: the publishers do not know their service. */
  readonly services?: 1 | 2;
  /** In how many scopes the processes publish. Missing: without a scope. */
  readonly scopes?: 1 | 2;
  /** Missing: the seed decides. */
  readonly explored?: Exploration;
  /** How long before its time a scheduled intent is sent. Missing: at once. */
  readonly sendAheadMs?: number;
  readonly maxLateMs?: number;
  /** How long calls wait for a service that is down. */
  readonly outageMs?: number;
  /** The calls of users, and the faults. A part of them is a shorter history. */
  readonly steps: readonly (Operation | Fault)[];
}

/** All faults end this long after the start. */
export const faultsEndMs = 6 * hour;

export function planOf(seed: number, operations = 20): Plan {
  const random = new Random(hashText('plan', seed));
  const hasGoodClocks = random.chance(0.5);
  const processes = Array.from({ length: random.between(2, 4) }, (_, index) => ({
    ...processPlan(random, hasGoodClocks),
    runtime: new Random(hashText(`runtime ${String(index)}`, seed)).pick(['node', 'deno', 'bun'] as const),
  }));
  const theme = themes[random.weighted({ all: 6, 'one key': 1, scene: 2, 'equal keys': 1, events: 1.5 })];
  const keys = keyPlans(random, seed, theme);
  const scene = theme.hasScene === true ? sceneOf(random, processes.length) : { steps: [], settings: {} };
  const steps: (Operation | Fault)[] = [
    ...scene.steps,
    ...operationPlans(random, theme, operations, { processes: processes.length, keys: keys.length }),
    ...faultPlans(random, theme, processes.length, hasGoodClocks),
  ];
  const outage = outagePlan(seed, processes.length, keys.length);
  steps.push(...changePlans(seed, steps, processes.length), ...outage.steps);
  return {
    seed,
    processes,
    keys,
    leaseMs: random.pick([5 * second, minute, 10 * minute]),
    settleMs: random.pick([minute, 10 * minute, hour]),
    onMissing: random.chance(0.15) ? 'resend' : 'hold',
    serviceSkewMs: random.pick([0, 0, 0, 3 * second, -20 * second, hour, -hour]),
    publishingMs: random.pick([0, 0, 5 * second, 2 * minute]),
    limits: random.chance(0.2) ? { concurrency: random.between(1, 2), perSecond: random.pick([1, 5]) } : {},
    keepMs: random.chance(0.2) ? 2 * hour : 30 * 24 * hour,
    pollMs: random.pick([6 * hour, 24 * hour]),
    // They do not change the other draws of a seed.
    services: new Random(hashText('services', seed)).chance(0.2) ? 2 : 1,
    scopes: new Random(hashText('scopes', seed)).chance(0.15) ? 2 : 1,
    ...aheadPlan(seed),
    ...outage.settings,
    ...scene.settings,
    steps: steps.sort((a, b) => a.at - b.at),
  };
}

/** The last one is a clock that was never set. */
const wrongOffsetsMs = [
  ...[0, 0, 2 * second, 2 * second, -minute, -minute, hour, hour, -hour, -hour, 6 * hour, 25 * hour],
  400 * 24 * hour,
];

function processPlan(random: Random, hasGoodClock: boolean): ProcessPlan {
  return {
    offsetMs: hasGoodClock ? random.between(-500, 500) : random.pick(wrongOffsetsMs),
    drift: hasGoodClock ? 0 : random.pick([0, 0, 0.0001, -0.0002, 0.002]),
  };
}

function keyPlans(random: Random, seed: number, { mostKeys, leastKeys, equalKeys }: Theme): KeyPlan[] {
  const count = random.between(leastKeys ?? Math.min(2, mostKeys), mostKeys);
  const equal = equalKeys ?? (random.chance(0.3) ? 3 : 1);
  return Array.from({ length: count }, (_, index) => {
    const twin = index < equal ? 0 : index;
    // Equal intents are equal in everything.
    const own = new Random(hashText(`key ${String(twin)}`, seed));
    const mode = own.weighted({ now: 5, later: 4, draft: 1 });
    return {
      key: `key-${String(index)}`,
      content: `Post ${String(twin)}`,
      mode,
      inMs: own.pick([20 * minute, hour, 3 * hour, 7 * hour]),
    };
  });
}

/** In half of the histories, users cancel and edit intents. In most of these, scheduled intents wait for their send. */
function changePlans(seed: number, steps: readonly (Operation | Fault)[], processes: number): Operation[] {
  const random = new Random(hashText('changes', seed));
  const count = random.chance(0.5) ? random.between(1, 12) : 0;
  const others = steps.filter((step) => step.type === 'operation');
  return Array.from({ length: count }, (): Operation => {
    // Most of them meet another call.
    const { at, key } = random.pick(others);
    return {
      ...{ type: 'operation', at: at + random.below(random.pick([5, 20, second, 10 * second, minute, hour])), key },
      ...{ process: random.below(processes), what: random.weighted(changeWeights), detail: random.below(2 ** 30) },
    };
  });
}

/** `detail` of a status storm, as the service reads it. */
const status503 = 5;

/** The forms of an outage: all processes meet it. */
const outages: readonly Pick<Fault, 'kind' | 'detail'>[] = [
  { kind: 'status storm', detail: status503 },
  { kind: 'connection refused', detail: 0 },
  { kind: 'reset before the service', detail: 0 },
  { kind: 'reset after the service', detail: 0 },
  { kind: 'silence before the service', detail: 0 },
];

/**
 * In one history of six, the service is down while users publish and sweep. Later, operators settle the doubts at once. In
 * some others, they do so although nothing is wrong.
 */
function outagePlan(
  seed: number,
  processes: number,
  keys: number,
): Pick<Plan, 'steps'> & { readonly settings: Pick<Plan, 'outageMs'> } {
  const random = new Random(hashText('outage', seed));
  const isDown = random.chance(0.17);
  if (!isDown && !random.chance(0.1)) return { steps: [], settings: {} };
  const at = random.below(random.pick([minute, hour]));
  const lengthMs = random.pick([5 * second, minute, 15 * minute]);
  const call = (what: OperationName, from: number, withinMs: number): Operation => ({
    ...{ type: 'operation', at: from + random.below(withinMs), what, process: random.below(processes) },
    ...{ key: random.below(keys), detail: random.below(2 ** 30) },
  });
  const decisions = Array.from({ length: random.between(1, 3) }, () => call('resolveAll', at, 2 * lengthMs + hour));
  if (!isDown) return { steps: decisions, settings: {} };
  const fault: Fault = { type: 'fault', at, until: at + lengthMs, process: 0, chance: 1, ...random.pick(outages) };
  const calls = (['publishMany', 'publishMany', 'publish', 'sweep', 'sweep'] as const).map((what) =>
    call(what, at, lengthMs),
  );
  return { steps: [fault, ...calls, ...decisions], settings: { outageMs: random.pick([minute, 10 * minute]) } };
}

function aheadPlan(seed: number): Pick<Plan, 'sendAheadMs' | 'maxLateMs'> {
  const random = new Random(hashText('ahead', seed));
  if (random.chance(0.65)) return {};
  return {
    sendAheadMs: random.pick([0, 5 * minute, 30 * minute, 2 * hour]),
    maxLateMs: random.pick([minute, 10 * minute, hour]),
  };
}

/** Calls come in bursts, with longer and longer times between them. */
function operationPlans(
  random: Random,
  theme: Theme,
  count: number,
  { processes, keys }: { readonly processes: number; readonly keys: number },
): Operation[] {
  const operations: Operation[] = [];
  let at = random.below(second);
  for (let index = 0; index < count; index += 1) {
    operations.push({
      type: 'operation',
      at,
      process: random.below(processes),
      what: random.weighted(theme.operations),
      key: random.below(keys),
      detail: random.below(2 ** 30),
    });
    at += random.below(random.pick(theme.gapsMs));
  }
  return operations;
}

function faultPlans(random: Random, theme: Theme, processes: number, hasGoodClocks: boolean): Fault[] {
  const count = random.below(theme.mostFaults + 1);
  const faults: Fault[] = [];
  for (let index = 0; index < count; index += 1) {
    const kind = random.weighted(theme.faults);
    if (kind === 'clock step' && hasGoodClocks) continue;
    const at = random.chance(0.6) ? random.below(minute) : random.below(4 * hour);
    const length = random.below(random.pick([second, 10 * second, minute, 20 * minute, 2 * hour]));
    faults.push({
      type: 'fault',
      at,
      until: Math.min(faultsEndMs, at + length),
      kind,
      process: random.below(processes),
      chance: random.pick([0.1, 0.3, 0.6, 1]),
      detail: random.below(2 ** 30),
    });
  }
  return faults;
}

const otherScope = 'other';

/** Returns the scope of a process. `undefined`: it has none, which is a scope too. */
export function scopeOf({ scopes }: Plan, process: number): string | undefined {
  return scopes === 2 && process % 2 === 1 ? otherScope : undefined;
}

/** Returns the content of a key: half of the keys have another content in the other scope. */
export function contentIn(scope: string | undefined, { content }: KeyPlan): string {
  return scope === undefined || /[02468]$/.test(content) ? content : `${content} of ${scope}`;
}

/** Whether several intents have the content. It is then unknown which of them a create belongs to. */
export function hasTwins({ keys, scopes }: Plan, content: string): boolean {
  const all = (scopes === 2 ? [undefined, otherScope] : [undefined]).flatMap((scope) =>
    keys.map((key) => contentIn(scope, key)),
  );
  return all.filter((one) => one === content).length > 1;
}

/** Returns the plan of the other service: half of the keys are the same, and all bodies are equal. */
export function neighbourOf(plan: Plan): Plan {
  return {
    ...plan,
    seed: hashText('other service', plan.seed),
    keys: plan.keys.map((key, index) => (index % 2 === 0 ? key : { ...key, key: `${key.key}-other` })),
    steps: plan.steps.map((step) => (step.type === 'operation' ? { ...step, process: step.process + 1 } : step)),
  };
}
