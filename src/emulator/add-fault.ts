import type { Emulator } from './emulator.js';
import type { DeliveryFault, RequestFault } from './service/fault-kinds.js';

/** What a fault is of. */
export type FaultOf = 'requests' | 'deliveries';

/** The kinds that deliveries alone have. Both have a `timeout`. */
const ofDeliveriesAlone: readonly unknown[] = [
  'duplicate',
  'concurrent',
  'reorder',
  'delay',
  'lost',
  'rotated_secret',
] satisfies DeliveryFault['kind'][];

/**
 * Adds a fault that came as JSON, of requests or of deliveries as its kind tells. A `timeout` is of requests unless it is said.
 * @throws RangeError where it could hit nothing
 */
export function addAnyFault(
  { faults, deliveryFaults }: Pick<Emulator, 'faults' | 'deliveryFaults'>,
  fault: { readonly kind: string },
  of?: FaultOf,
): FaultOf {
  const which = of ?? (ofDeliveriesAlone.includes(fault.kind) ? 'deliveries' : 'requests');
  // What a fault must be, `add` itself checks: it is its argument as it came.
  if (which === 'requests') faults.add(fault as unknown as RequestFault);
  else deliveryFaults.add(fault as unknown as DeliveryFault);
  return which;
}
