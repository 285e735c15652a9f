import { ActiveFaults } from '../service/active-faults.js';
import type { ListingLagFault, OutageFault, RequestFault } from '../state/fault-kinds.js';
import type { Store } from '../state/store.js';
import { latest, pointInTime } from '../state/time.js';
import type { ActiveFault } from '../state/stored-records.js';
import { checkRequestFault, createRoute, readOutage } from './fault-checks.js';
import { matchRoute } from './router.js';

/** The time that `perSecond` counts, in milliseconds of real time. */
const windowMs = 1000;

export class RequestFaults extends ActiveFaults<RequestFault> {
  /** The times at which each rate limit accepted requests in the last second. They are not part of the state. */
  readonly #accepted = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(store: Store, now: () => number) {
    super(store, ({ faults }) => faults);
    this.#now = now;
  }

  protected override checked(fault: RequestFault): RequestFault {
    checkRequestFault(fault);
    return fault.kind === 'outage' ? readOutage(fault, this.#now()) : fault;
  }

  /**
   * Returns the faults for a request: every latency before the first fault that replies in place of the service, and
   * that fault.
   */
  take(method: string, path: string): RequestFault[] {
    const hits: RequestFault[] = [];
    for (const active of this.active()) {
      const { fault } = active;
      if (fault.kind === 'listing_lag' || !fits(fault.route, method, path)) continue;
      if (fault.kind === 'outage' && !this.#isDown(fault)) continue;
      if (this.#isWithinLimit(active) || !this.strikes(active)) continue;
      hits.push(fault);
      if (fault.kind !== 'latency') break;
    }
    return hits;
  }

  takeListingLag(method: string, path: string): ListingLagFault | undefined {
    if (!fits(createRoute, method, path)) return undefined;
    for (const active of this.active()) {
      if (active.fault.kind === 'listing_lag' && this.strikes(active)) return active.fault;
    }
    return undefined;
  }

  #isDown({ from = 0, until = latest }: OutageFault): boolean {
    const now = this.#now();
    return pointInTime('from', from) <= now && now < pointInTime('until', until);
  }

  #isWithinLimit({ id, fault }: ActiveFault<RequestFault>): boolean {
    if (fault.kind !== 'rate_limit') return false;
    const now = performance.now();
    const recent = (this.#accepted.get(id) ?? []).filter((at) => at > now - windowMs);
    const isWithin = recent.length < fault.perSecond;
    if (isWithin) recent.push(now);
    this.#accepted.set(id, recent);
    return isWithin;
  }
}

function fits(route: string | undefined, method: string, path: string): boolean {
  if (route === undefined) return true;
  // Only a method: every path.
  if (!route.includes(' ')) return route.toUpperCase() === method.toUpperCase();
  return matchRoute(route, method, path) !== undefined;
}
