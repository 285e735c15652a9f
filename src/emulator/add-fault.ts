import type { Emulator } from './emulator.js';
import type { DeliveryFault, RequestFault } from './state/fault-kinds.js';

/** The traffic that a fault applies to. */
export type FaultOf = 'requests' | 'deliveries';

/** The kinds that only deliveries have. Requests and deliveries both have a `timeout`. */
const ofDeliveriesAlone: readonly unknown[] = [
  'duplicate',
  'concurrent',
  'reorder',
  'delay',
  'lost',
  'rotated_secret',
] satisfies DeliveryFault['kind'][];

/**
 * Adds a fault from JSON, for requests or for deliveries depending on its kind. A `timeout` applies to requests, unless
 * `of` says otherwise.
 * @throws RangeError if it could never apply
 */
export function addAnyFault(
  { faults, deliveryFaults }: Pick<Emulator, 'faults' | 'deliveryFaults'>,
  fault: { readonly kind: string },
  of?: FaultOf,
): FaultOf {
  const which = of ?? (ofDeliveriesAlone.includes(fault.kind) ? 'deliveries' : 'requests');
  // `add` checks the fault itself.
  if (which === 'requests') faults.add(fault as unknown as RequestFault);
  else deliveryFaults.add(fault as unknown as DeliveryFault);
  return which;
}
