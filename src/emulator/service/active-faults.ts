import { isNumber, isWhole, type OptionCheck } from '../../core/call/options.js';
import { isFields } from '../../core/json.js';
import { checkFields } from './fields.js';
import { nextRandom } from '../state/time.js';
import type { RemoveFault } from '../state/fault-kinds.js';
import type { State } from '../state/state.js';
import type { Store } from '../state/store.js';
import type { ActiveFault } from '../state/stored-records.js';
import type { Table } from '../state/table.js';

interface AnyFault {
  readonly times?: number | undefined;
  readonly probability?: number | undefined;
}

/** A fault with its effects so far. */
export interface FaultEntry<Fault> {
  /** Removes it: `remove(id)`. */
  readonly id: string;
  /** The fault as it was added. */
  readonly fault: Fault;
  /** How many times it has applied. */
  readonly struck: number;
  /** Whether it is used up: it has applied as often as its `times` says. */
  readonly spent: boolean;
}

export const limitChecks = { times: isWhole({ least: 1 }), probability: isNumber({ least: 0, most: 1 }) };

/** All fields of each kind of fault, with their checks. */
export type FaultChecks<Kind extends string> = Readonly<Record<Kind, Readonly<Record<string, OptionCheck>>>>;

/**
 * Refuses a fault with an unknown kind or field, or with an invalid value.
 * @throws RangeError with the allowed values
 */
export function checkFault<Kind extends string>(
  noun: string,
  checks: FaultChecks<Kind>,
  fault: { readonly kind: Kind },
): void {
  // A caller without types can pass anything.
  if (!isFields(fault) || !Object.hasOwn(checks, fault.kind))
    throw new RangeError(`${noun}'s kind must be one of ${Object.keys(checks).join(', ')}.`);
  checkFields(`a ${fault.kind} fault`, fault, checks[fault.kind]);
}

/** The number of used-up faults that are still listed. */
const keptSpent = 100;

/** The added faults, of requests or of deliveries. The functions of this control need no object. */
export abstract class ActiveFaults<Fault extends AnyFault> {
  readonly #store: Store;
  readonly #tableOf: (state: State) => Table<ActiveFault<Fault>>;

  constructor(store: Store, tableOf: (state: State) => Table<ActiveFault<Fault>>) {
    this.#store = store;
    this.#tableOf = tableOf;
  }

  /**
   * Returns a fault as the state contains it, after its checks.
   * @throws RangeError if it could never apply
   */
  protected abstract checked(fault: Fault): Fault;

  readonly add = (given: Fault): RemoveFault => {
    const fault = this.checked(given);
    const id = this.#store.id('fault');
    this.#table().set(id, { id, fault: structuredClone(fault), struck: 0 });
    this.#store.changed('faults');
    return () => {
      this.remove(id);
    };
  };

  readonly remove = (id: string): boolean => {
    const existed = this.#table().delete(id);
    if (existed) this.#store.changed('faults');
    return existed;
  };

  readonly list = (): FaultEntry<Fault>[] =>
    [...this.#table().values()].map((active) => ({ ...structuredClone(active), spent: isSpent(active) }));

  readonly clear = (): void => {
    this.#table().clear();
    this.#store.changed('faults');
  };

  readonly unused = (): Fault[] =>
    this.active()
      .filter(({ struck }) => struck === 0)
      .map(({ fault }) => structuredClone(fault));

  /** Returns the faults that are not used up. */
  protected active(state: State = this.#store.state): ActiveFault<Fault>[] {
    return [...this.#tableOf(state).values()].filter((active) => !isSpent(active));
  }

  /** Returns whether a fault applies now. If so, uses it up by one. */
  protected strikes({ id, fault, struck }: ActiveFault<Fault>, state: State = this.#store.state): boolean {
    // A certain fault draws no random number: adding it must not change the effects of random faults.
    const { probability = 1 } = fault;
    if (probability < 1 && nextRandom(state) >= probability) return false;
    const table = this.#tableOf(state);
    const after = { id, fault, struck: struck + 1 };
    table.set(id, after);
    if (isSpent(after)) forgetOldest(table);
    if (state === this.#store.state) this.#store.changed('faults');
    return true;
  }

  #table(): Table<ActiveFault<Fault>> {
    return this.#tableOf(this.#store.state);
  }
}

function isSpent({ fault, struck }: ActiveFault<AnyFault>): boolean {
  return struck >= (fault.times ?? Infinity);
}

function forgetOldest(table: Table<ActiveFault<AnyFault>>): void {
  const spent = [...table.values()].filter(isSpent);
  const [oldest] = spent;
  if (oldest !== undefined && spent.length > keptSpent) table.delete(oldest.id);
}
