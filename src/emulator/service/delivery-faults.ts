import { knownEventTypes } from '../../model/events.js';
import { ActiveFaults } from './active-faults.js';
import { isFields } from '../../core/json.js';
import { isMilliseconds, present } from '../../core/call/options.js';
import { checkFields } from './fields.js';
import { randomHex } from '../state/time.js';
import type { DeliveryFault } from '../state/fault-kinds.js';
import type { State } from '../state/state.js';
import type { Store } from '../state/store.js';
import type { StoredEvent } from '../state/stored-records.js';

const scope = ['kind', 'eventType', 'subscriptionId', 'times', 'probability'];

const fields: Readonly<Record<DeliveryFault['kind'], readonly string[]>> = {
  duplicate: scope,
  concurrent: scope,
  reorder: scope,
  delay: [...scope, 'delayMs'],
  timeout: scope,
  lost: scope,
  rotated_secret: [...scope, 'secret'],
};

/** Whether only deliveries have this kind of fault. Requests and deliveries both have a `timeout`. */
export function isOfDeliveriesAlone(kind: string): boolean {
  return kind !== 'timeout' && Object.hasOwn(fields, kind);
}

/** The faults that can apply to a retry. The others apply only to first attempts that were not held back before. */
const hitRetries: readonly DeliveryFault['kind'][] = ['timeout', 'lost', 'rotated_secret'];

const secretDigits = 48;

export class DeliveryFaults extends ActiveFaults<DeliveryFault> {
  constructor(store: Store) {
    super(store, ({ deliveryFaults }) => deliveryFaults);
  }

  protected override checked(fault: DeliveryFault): DeliveryFault {
    // A caller without types can pass anything.
    if (!isFields(fault) || !Object.hasOwn(fields, fault.kind))
      throw new RangeError(`A delivery fault's kind must be one of ${Object.keys(fields).join(', ')}.`);
    checkFields(`a ${fault.kind} fault`, fault, fields[fault.kind], { delayMs: present(isMilliseconds({ least: 0 })) });
    if (fault.eventType !== undefined && !knownEventTypes.includes(fault.eventType)) {
      throw new RangeError(`A delivery fault's eventType must be one of ${knownEventTypes.join(', ')}.`);
    }
    // A caller without types may pass anything.
    if (fault.secret !== undefined && (typeof (fault.secret as unknown) !== 'string' || fault.secret.trim() === ''))
      throw new RangeError("A rotated_secret fault's secret must be a non-empty string.");
    return fault;
  }

  /** Returns the signing secret after a rotation. The default is the same for each subscription. */
  rotatedSecret({ secret }: DeliveryFault, subscriptionId: string): string {
    return secret ?? `whsec_${randomHex({ random: hashOf(subscriptionId) }, secretDigits)}`;
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

function hashOf(text: string): number {
  let hash = 7;
  for (let index = 0; index < text.length; index += 1) hash = (hash * 31 + text.charCodeAt(index)) | 0;
  return hash;
}
