import fc from 'fast-check';
import { answers, brokenConnections, neverSent, ownReplies, refusals, type End, type Fault } from './faults.js';

/** A create, with what befalls each of its attempts. */
export interface Create {
  readonly kind: 'create';
  readonly body: number;
  readonly faults: readonly Fault[];
  readonly reason: Reason;
  /** Aborted before anything is sent. */
  readonly early?: 'already' | 'key' | undefined;
  readonly client: number;
}

/** A search for a failed create so far, and an immediate second search. */
export interface Reconcile {
  readonly kind: 'reconcile';
  readonly of: number;
  readonly times: number;
  readonly waitMs: number;
  readonly faults: readonly Fault[];
  readonly client: number;
}

/** A walk over the list. */
export interface List {
  readonly kind: 'list';
  readonly faults: readonly Fault[];
  readonly client: number;
}

export type Operation = Create | Reconcile | List;

/** The abort reason of a caller. */
export type Reason = 'default' | 'own error' | 'text' | 'error of the package';

/** Concurrent steps, one group after the other. */
export interface Sequence {
  readonly steps: readonly (readonly Operation[])[];
  /** Posts of others that lie between, so that the listing has several pages. */
  readonly others: number;
  /** How far the service's clock is from the client's. */
  readonly skewMs: number;
}

const ends: readonly End[] = [
  ...ownReplies,
  ...(Object.keys(brokenConnections) as End[]),
  ...(Object.keys(answers) as End[]),
  'silence',
];

const turns = fc.nat(6);

/** Returns a value once in a number of times, else nothing. */
const rarely = <T>(value: fc.Arbitrary<T>, times: number): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const fault: fc.Arbitrary<Fault> = fc
  .record({
    end: fc.oneof(
      { weight: 2, arbitrary: fc.constant<End>('fine') },
      { weight: 6, arbitrary: fc.constantFrom<End>('reset', 'cut body', 'success: false beside the post') },
      { weight: 6, arbitrary: fc.constantFrom(...ends) },
    ),
    commit: fc.boolean(),
    there: turns,
    back: turns,
    abort: rarely(fc.constantFrom('there', 'back', 'body'), 6),
  })
  .map(({ end, commit, ...rest }) => {
    if ((ownReplies as readonly End[]).includes(end)) return { end, commit: true, ...rest };
    if (refusals.includes(end) || neverSent.includes(end)) return { end, commit: false, ...rest };
    return { end, commit, ...rest };
  });

const client = fc.nat(1);
const create: fc.Arbitrary<Create> = fc.record({
  kind: fc.constant('create'),
  body: fc.oneof(fc.nat(1), fc.nat(5)),
  faults: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 6, arbitrary: fc.array(fault, { minLength: 1, maxLength: 3 }) },
  ),
  reason: fc.constantFrom<Reason>('default', 'own error', 'text', 'error of the package'),
  early: rarely(fc.constantFrom('already', 'key'), 20),
  client,
});
const listFaults = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(fault, { maxLength: 3 }) },
);
const reconcile: fc.Arbitrary<Reconcile> = fc.record({
  kind: fc.constant('reconcile'),
  of: fc.nat(),
  times: fc.constantFrom(1, 1, 2),
  waitMs: fc.constantFrom(0, 0, 3_000),
  faults: listFaults,
  client,
});
const list: fc.Arbitrary<List> = fc.record({ kind: fc.constant('list'), faults: listFaults, client });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: create },
  { weight: 5, arbitrary: reconcile },
  { weight: 1, arbitrary: list },
);

export const sequence: fc.Arbitrary<Sequence> = fc.record({
  steps: fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 6 }),
  others: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(105) }),
  skewMs: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constantFrom(-3, 3).map((min) => min * 60_000) },
  ),
});
