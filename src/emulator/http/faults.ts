import { nextRandom } from '../service/random.js';
import type { FaultScope, ListingLagFault, RemoveFault, RequestFault } from '../service/records.js';
import { compileRoute, matchRoute } from './route.js';
import type { ActiveFault, Store } from '../service/store.js';

const kinds: readonly string[] = [
  'status',
  'reset_before',
  'reset_after_commit',
  'truncated_body',
  'invalid_json',
  'timeout',
  'latency',
  'listing_lag',
  'rate_limit',
] satisfies RequestFault['kind'][];

export function checkScope(fault: {
  readonly times?: number | undefined;
  readonly probability?: number | undefined;
}): void {
  const { times = 1, probability = 1 } = fault;
  if (!Number.isInteger(times) || times < 1) throw new RangeError("A fault's times must be an integer of 1 or more.");
  if (!(probability >= 0 && probability <= 1)) throw new RangeError("A fault's probability must be 0 to 1.");
}

/** Tells whether a fault hits now, and uses it up by one if so. */
export function strikes<Fault extends { readonly probability?: number | undefined }>(
  store: Store,
  list: ActiveFault<Fault>[],
  active: ActiveFault<Fault>,
): boolean {
  // No number is drawn where there is no choice: adding a sure fault must not change what a chancy one hits.
  const { probability = 1 } = active.fault;
  if (probability < 1 && nextRandom(store.state) >= probability) return false;
  active.left -= 1;
  if (active.left <= 0) list.splice(list.indexOf(active), 1);
  return true;
}

/** Refuses a route that could hit nothing. One that the API document doesn't show may be stubbed. */
function checkRoute(route: string, documented: readonly string[]): void {
  if (typeof route !== 'string' || !/^[A-Z]+ \/\S*$/i.test(route)) {
    throw new RangeError("A fault's route must be a method and a path, such as 'POST /v1/posts/'.");
  }
  const [method = '', path = ''] = route.split(' ', 2);
  if (
    /[?#*]/.test(path) ||
    path.split('/').some((segment) => segment.startsWith(':') || /[{}]/.test(segment.replace(/^\{[^{}]+\}$/, '')))
  ) {
    throw new RangeError(
      `A fault's route has no query and no wildcards; a parameter is written {name}, as in 'GET /v1/connect/integrations/{id}', not as in '${route}'.`,
    );
  }
  if (path.indexOf('/v1/') > 0)
    throw new RangeError(`A fault's route begins with /v1/, whatever path the base URL has: '${route}' hits nothing.`);
  const named = (wanted: string) =>
    documented.find((other) => matchRoute(compileRoute(other), method, wanted) !== undefined);
  const other = named(path) === undefined ? named(path.endsWith('/') ? path.slice(0, -1) : `${path}/`) : undefined;
  if (other !== undefined) throw new RangeError(`There is no '${route}': the route is '${other}'.`);
}

const createRoute = 'POST /v1/posts/';

/** Refuses a number of a fault that can't work. */
function checkNumbers(fault: RequestFault): void {
  const { route }: FaultScope = fault;
  const atLeastZero = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
  switch (fault.kind) {
    case 'status':
      if (!(Number.isInteger(fault.status) && fault.status >= 200 && fault.status <= 599))
        throw new RangeError("A status fault's status must be 200 to 599.");
      return;
    case 'latency':
      if (!atLeastZero(fault.latencyMs))
        throw new RangeError("A latency fault's latencyMs must be a number of 0 or more.");
      return;
    case 'listing_lag':
      if (!atLeastZero(fault.lagMs)) throw new RangeError("A listing_lag fault's lagMs must be a number of 0 or more.");
      if (route !== undefined && route !== createRoute)
        throw new RangeError(`A listing_lag fault hits created posts: its route can be '${createRoute}' alone.`);
      return;
    case 'rate_limit':
      if (!(Number.isInteger(fault.perSecond) && fault.perSecond >= 1))
        throw new RangeError("A rate_limit fault's perSecond must be an integer of 1 or more.");
  }
}

/** The faults of requests. */
export class Faults {
  readonly #store: Store;
  readonly #routes: readonly string[];
  /** When each rate limit took its latest requests, in real time: no part of the state. */
  readonly #taken = new Map<number, number[]>();

  constructor(store: Store, documentedRoutes: readonly string[]) {
    this.#store = store;
    this.#routes = documentedRoutes;
  }

  add(fault: RequestFault): RemoveFault {
    if (!kinds.includes(fault.kind)) throw new RangeError(`A fault's kind must be one of ${kinds.join(', ')}.`);
    checkNumbers(fault);
    if (fault.route !== undefined) checkRoute(fault.route, this.#routes);
    checkScope(fault);
    const { faults } = this.#store.state;
    const id = this.#store.count('fault');
    faults.push({ id, fault: structuredClone(fault), left: fault.times ?? Infinity });
    return () => {
      const list = this.#store.state.faults;
      const index = list.findIndex((active) => active.id === id);
      if (index !== -1) list.splice(index, 1);
    };
  }

  clear(): void {
    this.#store.state.faults.length = 0;
  }

  /** The faults that hit a request: every latency before the first one that answers in the service's place, and that one. */
  take(method: string, path: string): RequestFault[] {
    const { faults } = this.#store.state;
    const hits: RequestFault[] = [];
    for (const active of [...faults]) {
      const { route } = active.fault;
      if (active.fault.kind === 'listing_lag') continue;
      if (route !== undefined && matchRoute(compileRoute(route), method, path) === undefined) continue;
      if (active.fault.kind === 'rate_limit' && this.#isWithin(active.id, active.fault.perSecond)) continue;
      if (!strikes(this.#store, faults, active)) continue;
      hits.push(active.fault);
      if (active.fault.kind !== 'latency') break;
    }
    return hits;
  }

  /** The lag that hits a create which is carried out. */
  takeListingLag(method: string, path: string): ListingLagFault | undefined {
    const { faults } = this.#store.state;
    for (const active of [...faults]) {
      const { fault } = active;
      if (fault.kind !== 'listing_lag' || matchRoute(compileRoute(createRoute), method, path) === undefined) continue;
      if (strikes(this.#store, faults, active)) return fault;
    }
    return undefined;
  }

  /** Whether a rate limit takes one more request now. One that it takes counts. */
  #isWithin(id: number, perSecond: number): boolean {
    const now = performance.now();
    const recent = (this.#taken.get(id) ?? []).filter((at) => at > now - 1000);
    const within = recent.length < perSecond;
    if (within) recent.push(now);
    this.#taken.set(id, recent);
    return within;
  }
}
