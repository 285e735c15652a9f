import { nextRandom } from './random.js';
import type { RemoveFault } from './fault-kinds.js';
import type { State } from './state.js';
import type { Store } from './store.js';
import type { ActiveFault } from './stored.js';
import type { Table } from './table.js';

/** What all faults have. */
interface AnyFault {
  readonly times?: number | undefined;
  readonly probability?: number | undefined;
}

/** Faults that were added and not used up: those of requests, or those of deliveries. */
export class ActiveFaults<Fault extends AnyFault> {
  readonly #store: Store;
  readonly #tableOf: (state: State) => Table<ActiveFault<Fault>>;

  constructor(store: Store, tableOf: (state: State) => Table<ActiveFault<Fault>>) {
    this.#store = store;
    this.#tableOf = tableOf;
  }

  /**
   * Adds a fault that its kind's own checks have passed.
   * @throws RangeError where its times or its probability can't be
   */
  add(fault: Fault): RemoveFault {
    const { times = 1, probability = 1 } = fault;
    if (!Number.isInteger(times) || times < 1) throw new RangeError("A fault's times must be an integer of 1 or more.");
    if (!(probability >= 0 && probability <= 1)) throw new RangeError("A fault's probability must be 0 to 1.");
    const id = this.#store.id('fault');
    this.#table().set(id, { id, fault: structuredClone(fault), struck: 0 });
    return () => {
      this.#table().delete(id);
    };
  }

  clear(): void {
    const table = this.#table();
    for (const id of [...table.ids()]) table.delete(id);
  }

  /** Those that have not hit anything, as they were added. */
  unused(): Fault[] {
    return this.list()
      .filter(({ struck }) => struck === 0)
      .map(({ fault }) => structuredClone(fault));
  }

  list(state: State = this.#store.state): ActiveFault<Fault>[] {
    return [...this.#tableOf(state).values()];
  }

  /** Tells whether a fault hits now, and uses it up by one if so. */
  strikes({ id, fault, struck }: ActiveFault<Fault>, state: State = this.#store.state): boolean {
    // No number is drawn where there is no choice: adding a sure fault must not change what a chancy one hits.
    const { probability = 1, times = Infinity } = fault;
    if (probability < 1 && nextRandom(state) >= probability) return false;
    const table = this.#tableOf(state);
    if (struck + 1 >= times) table.delete(id);
    else table.set(id, { id, fault, struck: struck + 1 });
    return true;
  }

  #table(): Table<ActiveFault<Fault>> {
    return this.#tableOf(this.#store.state);
  }
}
