/** Rare meetings of a few calls and faults, which random plans seldom reach. Each one begins a history. */
import type { Random } from './random.js';
import { minute, second, type Fault, type FaultName, type Operation, type OperationName } from './steps.js';

/** `at`: the earliest time, in milliseconds after the start. It happens up to a second later. */
interface Call {
  readonly at: number;
  readonly what: OperationName;
  readonly process: number;
  readonly key?: number;
  readonly detail?: number;
}

interface Trouble {
  readonly at: number;
  readonly until: number;
  readonly kind: FaultName;
  readonly detail: number;
  readonly process?: number;
}

interface Scene {
  readonly calls: readonly Call[];
  readonly troubles: readonly Trouble[];
  /** Settings of the plan. */
  readonly settings: {
    readonly onMissing: 'hold' | 'resend';
    readonly leaseMs?: number;
    readonly settleMs?: number;
    readonly publishingMs?: number;
  };
}

/**
 * Details that mean: all processes, late by 2 s or by 40 s, old by an hour, or a 502; an operator abandons; a clock goes 5
 * minutes ahead.
 */
const [late2s, late40s, old1h, status502, abandon, ahead5min] = [12, 9, 33, 12, 512, 1];

/** A post that no intent has: its create failed, and its intent was abandoned and pruned. */
const orphan = {
  calls: [
    { at: 0, what: 'publish', process: 0, key: 0 },
    { at: 10 * second, what: 'resolve', process: 0, key: 0, detail: abandon },
    { at: 12 * second, what: 'prune', process: 0, detail: 0 },
  ],
  trouble: { at: 0, until: 9 * second, kind: 'reset after the service', detail: 0 },
} as const;

const scenes: readonly Scene[] = [
  {
    // An intent is abandoned, pruned and published anew while its first create is under way.
    calls: [
      { at: 0, what: 'publish', process: 0 },
      { at: 7 * second, what: 'sweep', process: 1 },
      { at: 9 * second, what: 'resolve', process: 1, detail: abandon },
      { at: 11 * second, what: 'prune', process: 1, detail: 0 },
      { at: 13 * second, what: 'publish', process: 2 },
      { at: 60 * second, what: 'sweep', process: 0 },
    ],
    troubles: [{ at: 0, until: 30 * second, kind: 'replies are late', detail: late40s }],
    settings: { leaseMs: 5 * second, onMissing: 'hold' },
  },
  {
    // The same while a search for its post is under way.
    calls: [
      { at: second, what: 'publish', process: 0 },
      { at: 10 * second, what: 'sweep', process: 1 },
      { at: 10 * second, what: 'resolve', process: 2, detail: abandon },
      { at: 11 * second, what: 'prune', process: 2, detail: 0 },
      { at: 11 * second, what: 'enqueue', process: 0 },
    ],
    troubles: [
      { at: 0, until: 9 * second, kind: 'reset after the service', detail: 0 },
      { at: 9 * second, until: 11 * second, kind: 'replies are late', detail: late2s },
    ],
    settings: { onMissing: 'hold' },
  },
  {
    // An equal intent in doubt searches while a reply is under way.
    calls: [
      { at: 0, what: 'publish', process: 0, key: 0 },
      { at: 6 * second, what: 'publish', process: 1, key: 1 },
      { at: 7 * second, what: 'sweep', process: 2 },
      { at: 8 * second, what: 'sweep', process: 0 },
    ],
    troubles: [
      { at: 0, until: 5 * second, kind: 'reset before the service', detail: 0 },
      { at: 6 * second, until: 7 * second, kind: 'replies are late', detail: late40s },
    ],
    settings: { onMissing: 'hold' },
  },
  {
    // A clock is stepped after the sender learned the service's time: the window of the send misses its post.
    calls: [
      { at: 0, what: 'publish', process: 0, key: 1 },
      { at: 40 * second, what: 'publish', process: 0, key: 2 },
      { at: 30 * minute, what: 'sweep', process: 1 },
      { at: 31 * minute, what: 'sweep', process: 1 },
    ],
    troubles: [
      { at: 30 * second, until: 31 * second, kind: 'clock step', detail: ahead5min, process: 0 },
      { at: 35 * second, until: 50 * second, kind: 'reset after the service', detail: 0 },
      { at: 50 * second, until: 51 * second, kind: 'crash', detail: 0, process: 0 },
    ],
    settings: { onMissing: 'resend', settleMs: minute },
  },
  {
    // An equal post is older than the send, and a cache answers with an old `Date` before the send.
    calls: [
      ...orphan.calls,
      { at: 3 * minute, what: 'publish', process: 0, key: 2 },
      { at: 3 * minute + 3 * second, what: 'publish', process: 0, key: 3 },
      { at: 3 * minute + 6 * second, what: 'publish', process: 0, key: 0 },
    ],
    troubles: [
      orphan.trouble,
      { at: 3 * minute + 2 * second, until: 4 * minute, kind: 'old Date', detail: old1h },
      { at: 3 * minute + 5 * second, until: 4 * minute, kind: 'reset before the service', detail: 0 },
    ],
    settings: { onMissing: 'hold' },
  },
  {
    // The same, and each reply says that it is old.
    calls: [
      ...orphan.calls,
      { at: 3 * minute, what: 'publish', process: 0, key: 2 },
      { at: 3 * minute + 6 * second, what: 'publish', process: 0, key: 0 },
    ],
    troubles: [
      orphan.trouble,
      { at: 0, until: 4 * minute, kind: 'old Date with Age', detail: old1h },
      { at: 3 * minute + 5 * second, until: 4 * minute, kind: 'reset before the service', detail: 0 },
    ],
    settings: { onMissing: 'hold' },
  },
  {
    // An intent is pruned while an equal one is in doubt.
    calls: [
      { at: 0, what: 'publish', process: 1, key: 1 },
      { at: 3 * second, what: 'publish', process: 0, key: 0 },
      { at: 20 * second, what: 'prune', process: 0, detail: 0 },
      { at: 30 * second, what: 'sweep', process: 1 },
    ],
    troubles: [{ at: 0, until: 2 * second, kind: 'reset before the service', detail: 0 }],
    settings: { onMissing: 'hold', publishingMs: 0 },
  },
  {
    // A gateway reports an error after the service made the post.
    calls: [{ at: 0, what: 'publish', process: 0, key: 2 }],
    troubles: [{ at: 0, until: 3 * second, kind: 'gateway error after the service', detail: status502 }],
    settings: { onMissing: 'hold' },
  },
  {
    // The process of a handler ends.
    calls: [{ at: 0, what: 'publish', process: 0, key: 2 }],
    troubles: [
      { at: 0, until: 5 * second, kind: 'handlers are slow', detail: 0 },
      ...[0, 1, 2, 3].map((process): Trouble => ({
        at: 5 * second,
        until: 6 * second,
        kind: 'crash',
        detail: 0,
        process,
      })),
    ],
    settings: { onMissing: 'hold', leaseMs: minute, publishingMs: 0 },
  },
];

/** Returns the steps of a scene, and settings of the plan. */
export function sceneOf(
  random: Random,
  processes: number,
): { readonly steps: readonly (Operation | Fault)[]; readonly settings: Scene['settings'] } {
  const { calls, troubles, settings } = random.pick(scenes);
  const steps = [
    ...calls.map(({ at, what, process, key = 0, detail }): Operation => ({
      ...{ type: 'operation', at: at + random.below(second), process: process % processes, what, key },
      detail: detail ?? random.below(2 ** 30),
    })),
    ...troubles.map(({ at, until, kind, detail, process = 0 }): Fault => ({
      ...{ type: 'fault', at, until, kind, process, detail },
      chance: 1,
    })),
  ];
  return { steps, settings };
}
