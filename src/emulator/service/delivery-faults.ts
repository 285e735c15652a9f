import { knownEventTypes } from '../../model/events.js';
import { ActiveFaults, checkFault, type FaultChecks, limitChecks } from './active-faults.js';
import { isMilliseconds, present, unchecked } from '../../core/call/options.js';
import type { DeliveryFault } from '../state/fault-kinds.js';
import type { State } from '../state/state.js';
import type { Store } from '../state/store.js';
import type { StoredEvent } from '../state/stored-records.js';

const scope = { kind: unchecked, eventType: unchecked, subscriptionId: unchecked, ...limitChecks };

const checks: FaultChecks<DeliveryFault['kind']> = {
  duplicate: scope,
  concurrent: scope,
  reorder: scope,
  delay: { ...scope, delayMs: present(isMilliseconds({ least: 0 })) },
  timeout: scope,
  lost: scope,
  rotated_secret: { ...scope, secret: unchecked },
};

/** Whether only deliveries have this kind of fault. Requests and deliveries both have a `timeout`. */
export function isOfDeliveriesAlone(kind: string): boolean {
  return kind !== 'timeout' && Object.hasOwn(checks, kind);
}

/** The faults that can apply to a retry. The others apply only to first attempts that were not held back before. */
const hitRetries: readonly DeliveryFault['kind'][] = ['timeout', 'lost', 'rotated_secret'];

/** The secret after a rotation, unless the fault names one: no receiver knows it. */
export const rotatedSecret = 'whsec_after_the_rotation';

export class DeliveryFaults extends ActiveFaults<DeliveryFault> {
  constructor(store: Store) {
    super(store, ({ deliveryFaults }) => deliveryFaults);
  }

  protected override checked(fault: DeliveryFault): DeliveryFault {
    checkFault('A delivery fault', checks, fault);
    if (fault.eventType !== undefined && !knownEventTypes.includes(fault.eventType)) {
      throw new RangeError(`A delivery fault's eventType must be one of ${knownEventTypes.join(', ')}.`);
    }
    // A caller without types may pass anything.
    if (fault.secret !== undefined && (typeof (fault.secret as unknown) !== 'string' || fault.secret.trim() === ''))
      throw new RangeError("A rotated_secret fault's secret must be a non-empty string.");
    return fault;
  }

  /** Returns the fault that applies to an attempt, and uses it up by one. */
  take(state: State, event: StoredEvent, attempt: number): DeliveryFault | undefined {
    for (const active of this.active(state)) {
      const { kind, eventType = event.type, subscriptionId = event.subscriptionId } = active.fault;
      if (eventType !== event.type || subscriptionId !== event.subscriptionId) continue;
      if (!hitRetries.includes(kind) && (attempt > 1 || event.delayed === true)) continue;
      if (this.strikes(active, state)) return active.fault;
    }
    return undefined;
  }
}
