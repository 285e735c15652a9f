/** Small scenarios: a few calls of two processes, A and B, and everything that can go wrong in them. */
import type { KeyPlan, Plan, PossibleFault } from '../plan.js';
import { hour, minute, second, type Fault, type FaultName, type Operation, type OperationName } from '../steps.js';
import type { Schedule } from './choices.js';

export interface Scenario {
  readonly name: string;
  readonly steps: readonly (Operation | Fault)[];
  readonly faults: readonly PossibleFault[];
  /** When choices begin and end, in milliseconds after the start. */
  readonly fromMs?: number;
  readonly untilMs?: number;
  readonly hasEvents?: true;
  readonly receiver?: number;
  readonly settings?: Partial<Plan>;
}

const [A, B, C] = [0, 1, 2];
const rightClock = { offsetMs: 0, drift: 0 };
const ahead2h = { offsetMs: 2 * hour, drift: 0 };

function call(what: OperationName, process: number, at: number, more: Partial<Operation> = {}): Operation {
  return { type: 'operation', at, process, what, key: 0, detail: 1, ...more };
}

/** A fault of the past: choices begin after it. */
function past(kind: FaultName, at: number, until: number, detail = 0): Fault {
  return { type: 'fault', kind, at, until, process: 0, chance: 1, detail };
}

/**
 * The details of faults, as the simulator reads them: late by 70 s, before or after the server; late by 2 s or 40 s; a 429 with a
 * `Retry-After` of 30 s or 1 hour; a list that lags by 5 minutes; a 503; a process
 * that ends 4 s after it closed its store; a `Date` that is 20 minutes old;
 * late by 700 s.
 */
const [
  lateBefore70s,
  lateAfter70s,
  late2s,
  late40s,
  wait30s,
  wait1h,
  lag5m,
  unavailable,
  endsAfter4s,
  old20m,
  late700s,
] = [2, 6, 0, 1, 37, 66, 2, 5, 1, 17, 3];

/** The calls of a store that change something. A read whose reply is lost has failed, and a late read is a later read. */
const writes = ' (?:insert|swap) ';
/** Nobody sees whether a process ended before a read, or after it: it ends before its next write or create. */
const process: readonly PossibleFault[] = [{ kind: 'crash at a call', on: ' (?:insert|swap|POST) ' }];
const store: readonly PossibleFault[] = [
  { kind: 'store fails' },
  { kind: 'store loses answers', on: writes },
  { kind: 'store is slow', detail: lateBefore70s, on: writes },
  { kind: 'store is slow', detail: lateAfter70s },
];
const network: readonly PossibleFault[] = [
  { kind: 'connection refused', on: ' POST ' },
  { kind: 'reset before the service' },
  { kind: 'reset after the service', on: ' POST ' },
  { kind: 'requests are late', detail: late40s },
  { kind: 'replies are late', detail: late40s, on: ' POST ' },
  { kind: 'gateway error after the service', on: ' POST ' },
  { kind: 'sent twice by a proxy', on: ' POST ' },
];
const service: readonly PossibleFault[] = [
  { kind: 'status storm', detail: 0 },
  { kind: 'status storm', detail: 2 },
  { kind: 'status storm', detail: 4 },
  { kind: 'listing lag', detail: 1 },
];
const events: readonly PossibleFault[] = [
  { kind: 'webhooks lost' },
  { kind: 'webhooks doubled' },
  { kind: 'handlers fail' },
  { kind: 'due is stale' },
];
const dates: readonly PossibleFault[] = [
  { kind: 'Date from a cache', detail: 1 },
  { kind: 'old Date', detail: 33 },
  { kind: 'old Date with Age', detail: 33 },
];
const all = [...process, ...store, ...network, ...service];

/** A create whose result its process does not know: it was executed, or it was not. */
const lost = past('reset after the service', 0, 3 * second);
const unsent = past('reset before the service', 0, 3 * second);

/** The sender dies before it gets the reply. */
const died = [past('replies are late', 0, 3 * second, late2s), past('crash', 1_500, 1_501)];

/** When the calls begin: processes have started. */
const at = 5 * second;
const afterLease = at + 70 * second;
/** An intent that is in doubt since the first second is searched for again. */
const searchedAt = 2 * minute;
/** `detail` of `resolve`: an operator abandons, or says that it was not sent. */
const [abandon, notSent] = [512, 256];
/** `detail` of a status storm that answers 400, and of a request that is late by 8 minutes. */
const [badRequest, late8m] = [6, 2];

export const scenarios: readonly Scenario[] = [
  {
    name: 'publish by one process',
    steps: [call('publish', A, at)],
    faults: [
      ...all,
      { kind: 'store is closed', detail: endsAfter4s },
      { kind: 'store is slow', detail: late700s, on: ' insert ' },
    ],
  },
  {
    name: 'another program writes an intent that is under way',
    steps: [
      call('publish', A, at),
      past('requests are late', at, at + 500, late2s),
      past('store has foreign data', at + second, at + 10 * second, 1),
      call('sweep', B, at + 5 * second),
    ],
    faults: [...process, ...store],
  },
  {
    name: 'an operator names a post beside a search',
    steps: [
      call('publish', A, second),
      lost,
      call('sweep', A, searchedAt),
      call('resolve', B, searchedAt, { detail: 0 }),
      call('prune', B, searchedAt + second, { detail: 0 }),
      call('publish', B, searchedAt + 2 * second),
    ],
    fromMs: searchedAt,
    faults: [...process, ...store, ...network],
  },
  {
    name: 'an operator names the post of another intent',
    steps: [
      call('publish', A, second),
      call('publish', A, second, { key: 1 }),
      lost,
      call('resolve', B, searchedAt, { key: 1, detail: 0 }),
      call('sweep', A, searchedAt + second),
    ],
    fromMs: searchedAt,
    faults: all,
    settings: { keys: [0, 1].map(keyOf) },
  },
  {
    name: 'publish by two processes with one key',
    steps: [call('publish', A, at), call('publish', B, at)],
    faults: all,
  },
  {
    name: 'publish and sweep',
    steps: [call('publish', A, at), call('sweep', B, at), call('sweep', B, afterLease)],
    faults: all,
  },
  {
    name: 'two sweeps',
    steps: [call('enqueue', A, second), call('sweep', A, at), call('sweep', B, at)],
    faults: all,
  },
  {
    name: 'two sweeps of an intent in doubt',
    steps: [call('publish', A, second), lost, call('sweep', A, searchedAt), call('sweep', B, searchedAt)],
    fromMs: searchedAt,
    faults: all,
  },
  {
    name: 'resend',
    steps: [call('publish', A, second), unsent, call('sweep', A, 2 * minute), call('sweep', B, 2 * minute)],
    faults: all,
    settings: { onMissing: 'resend', settleMs: minute },
    fromMs: 2 * minute,
  },
  ...(['hold', 'resend'] as const).flatMap((onMissing) =>
    [A, B].map((wrong): Scenario => ({
      name: `${onMissing}, and the clock of the ${wrong === A ? 'sender' : 'searcher'} is wrong`,
      // A post is listed after 15 minutes at the latest.
      steps: [call('publish', A, second), ...died, ...[2, 4, 20].map((minutes) => call('sweep', B, minutes * minute))],
      faults: [...process, ...store, ...network, ...service.slice(2)],
      settings: { onMissing, settleMs: minute, processes: [A, B].map((one) => (one === wrong ? ahead2h : rightClock)) },
      fromMs: 2 * minute,
      untilMs: 25 * minute,
    })),
  ),
  ...[0, 1].map((detail): Scenario => ({
    name: `resolveAll (${detail === 0 ? 'not sent' : 'abandoned'}) beside a late reply`,
    steps: [
      call('publish', A, at),
      past('replies are late', at, at + second, late2s),
      past('listing lag', at, at + second, lag5m),
      call('sweep', B, at + 1_500),
      call('resolveAll', B, at + 2 * second, { detail }),
      call('sweep', B, at + minute),
    ],
    faults: [...process, ...store, ...network.filter(({ on }) => on === undefined)],
    fromMs: at + 1_500,
    settings: { leaseMs: second },
  })),
  ...(['cancel', 'edit intent'] as const).map((what): Scenario => ({
    name: `late send beside ${what === 'cancel' ? 'cancel' : 'edit'}`,
    steps: [call('enqueue', A, second), call('sweep', A, at), call(what, B, at), call('sweep', B, afterLease)],
    faults: all,
    // It is sent a second before the sweeps.
    settings: { sendAheadMs: hour - (at - second) },
  })),
  {
    name: 'late send beside edit and cancel',
    steps: [
      call('enqueue', A, second),
      call('sweep', A, at),
      call('edit intent', B, at),
      call('cancel', C, at),
      call('sweep', B, afterLease),
    ],
    faults: [...process, ...store.slice(0, 2)],
    settings: { sendAheadMs: hour - (at - second), processes: [rightClock, rightClock, rightClock] },
  },
  {
    name: 'an outage',
    steps: [
      call('publishMany', A, at),
      past('status storm', at, at + 4 * second, unavailable),
      call('sweep', B, at + 2 * second),
      call('publishMany', B, afterLease),
    ],
    faults: [...process, ...store],
    settings: { keys: [0, 1, 2].map(keyOf) },
  },
  {
    name: 'prune beside a search',
    steps: [
      call('publish', A, second),
      lost,
      call('sweep', A, searchedAt),
      call('resolve', B, searchedAt, { detail: abandon }),
      call('prune', B, searchedAt + second, { detail: 0 }),
      call('publish', B, searchedAt + 2 * second),
    ],
    fromMs: searchedAt,
    faults: all,
  },
  {
    name: 'two equal intents',
    steps: [call('publish', A, at), call('publish', B, at, { key: 1 })],
    faults: all,
    settings: { keys: [keyOf(0), { ...keyOf(0), key: 'key-1' }] },
  },
  {
    name: 'a search for an intent beside an equal one',
    steps: [
      call('publish', B, second, { key: 1 }),
      unsent,
      call('publish', A, searchedAt),
      call('sweep', B, searchedAt),
    ],
    fromMs: searchedAt,
    faults: all,
    settings: { keys: [keyOf(0), { ...keyOf(0), key: 'key-1' }] },
  },
  {
    name: 'prune beside an equal intent in doubt',
    steps: [
      call('publish', B, second, { key: 1 }),
      unsent,
      call('publish', A, at),
      call('sweep', A, at + minute),
      call('prune', A, at + 2 * minute, { detail: 0 }),
      call('sweep', B, at + 2 * minute),
    ],
    faults: [...process, ...store],
    settings: { keys: [0, 1].map((index) => ({ ...keyOf(0), key: `key-${String(index)}`, mode: 'now' })) },
  },
  {
    name: 'observe beside a reply',
    steps: [call('publish', A, at)],
    faults: [...process, ...store, ...network, ...events],
    hasEvents: true,
    settings: { keys: [{ ...keyOf(0), mode: 'now' }] },
  },
  {
    name: 'inbox with two workers',
    steps: [
      call('publish', A, second),
      call('restart the inbox', A, at),
      call('restart the inbox', B, at),
      past('handlers are slow', at, at + second),
      call('catchUp', B, at + second),
    ],
    faults: [...process, ...store, ...events],
    hasEvents: true,
    settings: { keys: [{ ...keyOf(0), mode: 'now' }], publishingMs: at - second },
  },
  {
    name: 'createOnce by two processes',
    steps: [call('createOnce', A, at), call('createOnce', B, at), call('createOnce', B, afterLease)],
    // A proxy that sends twice makes two posts of one call.
    faults: all.filter(({ kind }) => kind !== 'sent twice by a proxy'),
  },
  {
    name: 'a cached Date',
    steps: [call('publish', A, at), call('publish', A, at + second, { key: 1 }), call('sweep', B, afterLease)],
    faults: [...process, ...dates, ...network],
    settings: { keys: [keyOf(0), keyOf(1)], serviceSkewMs: hour },
  },
  {
    name: 'a cached Date beside an equal older post',
    steps: [
      call('publish', A, second),
      lost,
      call('resolve', A, 4 * second, { detail: abandon }),
      call('prune', A, 4_500, { detail: 0 }),
      // The sender knows the time, reads another `Date`, and ends during a create that does not reach the service.
      ...[1, 2, 0].map((key, index) => call('publish', A, 15 * minute + index * second, { key })),
      past('silence before the service', 15 * minute + 2 * second, 15 * minute + 3 * second),
      past('crash', 15 * minute + 3 * second, 15 * minute + 4 * second),
    ],
    faults: [...dates, { kind: 'old Date', detail: old20m }],
    fromMs: 15 * minute,
    settings: { keys: [0, 1, 2].map(keyOf) },
  },
  {
    name: 'two services on one store',
    steps: [call('publish', A, at), call('sweep', A, afterLease)],
    faults: [...process, ...store, ...network],
    settings: { services: 2, processes: [rightClock] },
  },
  {
    name: 'two services with equal post IDs',
    steps: [call('publish', A, at, { key: 1 }), call('sweep', A, afterLease)],
    faults: [...process, ...store, ...network],
    // The other service has another key in its place.
    settings: { services: 2, processes: [rightClock], keys: [keyOf(0), keyOf(1)] },
  },
  {
    name: 'two scopes on one store',
    steps: [call('publish', A, at), call('publish', B, at)],
    faults: [...process, ...store, ...network],
    settings: { scopes: 2 },
  },
  {
    name: 'receiver and inbox',
    steps: [call('publish', A, at - second), past('webhooks doubled', 0, hour)],
    faults: [...process, ...store, ...events.slice(2)],
    hasEvents: true,
    receiver: A,
    settings: { keys: [{ ...keyOf(0), mode: 'now' }], publishingMs: second },
  },
  {
    name: 'prune and publish again beside a late reply',
    steps: [
      call('publish', A, at),
      call('sweep', B, at + 7 * second),
      call('resolve', B, at + 9 * second, { detail: abandon }),
      call('prune', B, at + 11 * second, { detail: 0 }),
      call('publish', B, at + 13 * second),
      call('sweep', A, at + minute),
    ],
    faults: [...process, ...network, ...service],
    settings: { leaseMs: 5 * second },
  },
  {
    name: 'prune and publish again beside a slow search',
    steps: [
      call('publish', A, second),
      lost,
      call('sweep', A, searchedAt),
      past('requests are late', searchedAt, searchedAt + 100, late2s),
      call('resolve', B, searchedAt + 500, { detail: abandon }),
      call('prune', B, searchedAt + second, { detail: 0 }),
      // The new intent is in doubt too.
      call('publish', B, searchedAt + 3 * second),
      past('reset before the service', searchedAt + 3 * second, searchedAt + 4 * second),
    ],
    fromMs: searchedAt,
    faults: [...process, ...store, ...network],
  },
  {
    name: 'prune and publish again beside a late refusal',
    steps: [
      call('publish', A, at),
      past('replies are late', at, at + 500, late2s),
      past('status storm', at, at + 500),
      call('sweep', B, at + 1_200),
      call('resolve', B, at + 1_400, { detail: abandon }),
      call('prune', B, at + 1_600, { detail: 0 }),
      call('publish', B, at + 2 * second),
    ],
    faults: [...process, ...store, ...network],
    fromMs: at + second,
    settings: { leaseMs: second },
  },
  {
    name: 'a clock that is 25 hours ahead',
    steps: [call('publish', A, at), call('sweep', B, afterLease)],
    faults: [...process, ...store, ...network],
    settings: { processes: [{ offsetMs: 25 * hour, drift: 0 }, rightClock] },
  },
  {
    name: 'an edit after a clock that is 400 days ahead',
    steps: [call('publish', A, at), call('edit intent', B, at + 10 * second), call('sweep', B, afterLease)],
    faults: [...process, ...network, { kind: 'status storm', detail: wait1h }],
    settings: { processes: [{ offsetMs: 400 * 24 * hour, drift: 0 }, rightClock] },
  },
  {
    name: 'a second send that is refused, beside a late first one',
    steps: [
      call('publish', A, second),
      past('requests are late', 0, 3 * second, late8m),
      call('sweep', B, 2 * minute),
      call('resolve', B, 3 * minute, { detail: notSent }),
      call('sweep', B, 4 * minute),
    ],
    fromMs: 4 * minute,
    faults: [...all, { kind: 'status storm', detail: badRequest, on: ' POST' }],
  },
  {
    name: 'a rate limit',
    steps: [call('publish', A, at), call('publish', A, at, { key: 1 }), call('catchUp', A, at + 2 * second)],
    faults: [{ kind: 'status storm', detail: wait30s }, ...process],
    settings: { keys: [keyOf(0), keyOf(1)] },
  },
  {
    name: 'reused connections of three runtimes',
    steps: [A, B, C].map((one) => call('publish', one, at + one * second, { key: one })),
    faults: [...process, { kind: 'reused connection fails' }],
    settings: {
      keys: [keyOf(0), keyOf(1), keyOf(2)],
      processes: (['node', 'deno', 'bun'] as const).map((runtime) => ({ ...rightClock, runtime })),
    },
  },
];

function keyOf(index: number): KeyPlan {
  return { key: `key-${String(index)}`, content: `Post ${String(2 * index)}`, mode: 'later', inMs: hour };
}

/** Returns the history of a scenario that makes these choices. */
export function planOf(scenario: Scenario, schedule: Schedule): Plan {
  const { steps, faults, fromMs = at, untilMs = fromMs + 15 * minute, hasEvents = false, receiver } = scenario;
  return {
    seed: 1,
    processes: [rightClock, rightClock],
    keys: [keyOf(0)],
    leaseMs: minute,
    settleMs: 10 * minute,
    onMissing: 'hold',
    serviceSkewMs: 0,
    publishingMs: 0,
    limits: {},
    keepMs: 30 * 24 * hour,
    pollMs: 4 * hour,
    services: 1,
    explored: {
      ...{ faults, fromMs, untilMs, hasEvents, schedule },
      ...(receiver === undefined ? {} : { receiver }),
    },
    ...scenario.settings,
    steps,
  };
}
