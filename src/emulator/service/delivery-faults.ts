import { knownEventTypes } from '../../model/events.js';
import { ActiveFaults } from './active-faults.js';
import type { DeliveryFault, RemoveFault } from './records.js';
import type { State } from './state.js';
import type { Store } from './store.js';
import type { StoredEvent } from './stored.js';

const kinds: readonly string[] = ['duplicate', 'reorder', 'delay', 'timeout'] satisfies DeliveryFault['kind'][];

/** Those that can hit a retry. The others hit first attempts alone, and none that was held back before. */
const hitRetries: readonly DeliveryFault['kind'][] = ['timeout'];

/** What goes wrong with webhook deliveries. */
export class DeliveryFaults {
  readonly #faults: ActiveFaults<DeliveryFault>;

  constructor(store: Store) {
    this.#faults = new ActiveFaults(store, ({ deliveryFaults }) => deliveryFaults);
  }

  add(fault: DeliveryFault): RemoveFault {
    if (!kinds.includes(fault.kind))
      throw new RangeError(`A delivery fault's kind must be one of ${kinds.join(', ')}.`);
    if (fault.eventType !== undefined && !knownEventTypes.includes(fault.eventType)) {
      throw new RangeError(`A delivery fault's eventType must be one of ${knownEventTypes.join(', ')}.`);
    }
    if (fault.kind === 'delay' && !(Number.isFinite(fault.delayMs) && (fault.delayMs ?? -1) >= 0)) {
      throw new RangeError("A delay's delayMs must be a number of 0 or more.");
    }
    return this.#faults.add(fault);
  }

  clear(): void {
    this.#faults.clear();
  }

  /** The fault that hits an attempt, used up by one. */
  take(state: State, event: StoredEvent, attempt: number): DeliveryFault | undefined {
    for (const active of this.#faults.list(state)) {
      const { kind, eventType = event.type, subscriptionId = event.subscriptionId } = active.fault;
      if (eventType !== event.type || subscriptionId !== event.subscriptionId) continue;
      if (!hitRetries.includes(kind) && (attempt > 1 || event.delayed === true)) continue;
      if (this.#faults.strikes(active, state)) return active.fault;
    }
    return undefined;
  }
}
