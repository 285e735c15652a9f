import { nearestName, isMilliseconds, isWhole, oneOf, present, unchecked } from '../../core/call/options.js';
import { checkFault, type FaultChecks, limitChecks } from '../service/active-faults.js';
import type { FaultScope, OutageFault, RequestFault } from '../state/fault-kinds.js';
import { allEndpoints } from '../../resources/endpoints.js';
import { pointInTime, timestamp } from '../state/time.js';
import { matchRoute } from './router.js';

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

const scope = { kind: unchecked, route: unchecked, ...limitChecks };
const length = present(isMilliseconds({ least: 0 }));
const effect = present(oneOf('unavailable', 'unavailable_after_commit', 'refused'));

const checks: FaultChecks<RequestFault['kind']> = {
  status: { ...scope, status: present(isWhole({ least: 200, most: 599 })), body: unchecked, headers: unchecked },
  reset_before: scope,
  reset_after_commit: scope,
  truncated_body: scope,
  invalid_json: scope,
  timeout: { ...scope, commit: unchecked },
  latency: { ...scope, latencyMs: length },
  listing_lag: { ...scope, lagMs: length },
  rate_limit: { ...scope, perSecond: present(isWhole({ least: 1 })) },
  outage: { ...scope, effect, from: unchecked, until: unchecked },
};

/** Refuses a route that cannot match a request. Undocumented routes are allowed, for stubs. */
function checkRoute(route: string): void {
  if (typeof route === 'string' && methods.includes(route.toUpperCase())) return;
  if (typeof route !== 'string' || !/^[A-Z]+ \/\S*$/i.test(route)) {
    throw new RangeError(
      "A fault's route must be a method and a path, such as 'POST /v1/posts/', or only a method, such as 'GET'.",
    );
  }
  const [method = '', path = ''] = route.split(' ', 2);
  if (!methods.includes(method.toUpperCase()))
    throw new RangeError(`A fault's route must begin with one of ${methods.join(', ')}, not with '${method}'.`);
  if (
    /[?#*]/.test(path) ||
    path.split('/').some((segment) => segment.startsWith(':') || /[{}]/.test(segment.replace(/^\{[^{}]+\}$/, '')))
  ) {
    throw new RangeError(
      `A fault's route cannot contain a query or wildcards. Write a parameter as {name}, as in 'GET /v1/connect/integrations/{id}', not as in '${route}'.`,
    );
  }
  if (path.indexOf('/v1/') > 0)
    throw new RangeError(
      `A fault's route must begin with /v1/, without the path of the base URL: '${route}' never matches.`,
    );
  const documented = allEndpoints().map((endpoint) => endpoint.route);
  const named = (wanted: string) => documented.find((other) => matchRoute(other, method, wanted) !== undefined);
  if (named(path) !== undefined) return;
  const other = named(path.endsWith('/') ? path.slice(0, -1) : `${path}/`);
  if (other !== undefined) throw new RangeError(`The route '${route}' does not exist. Use '${other}'.`);
  const meant = documented.find((candidate) => isSlipOf(route, candidate));
  if (meant !== undefined) throw new RangeError(`The route '${route}' does not exist; did you mean '${meant}'?`);
}

/**
 * Whether a route is a misspelling of a documented one: one segment, the last slash or the leading `/v1` differs. Other
 * routes may be stubbed, because not all are documented.
 */
function isSlipOf(route: string, documented: string): boolean {
  const [segments, others] = [partsOf(route), partsOf(documented)];
  if (segments.length !== others.length || segments[0] !== others[0]) return false;
  const pairs = segments.map((given, index) => ({ given, known: others[index] ?? '' }));
  const differing = pairs.filter(({ given, known }) => given !== known);
  const isNear = ({ given, known }: (typeof pairs)[number]) =>
    !known.startsWith('{') && nearestName(given, [known]) !== undefined;
  return differing.length <= 1 && differing.every(isNear);
}

function partsOf(route: string): string[] {
  const [method = '', path = ''] = route.split(' ', 2);
  const segments = path.split('/').filter((segment) => segment !== '');
  return [method.toUpperCase(), ...(segments[0] === 'v1' ? [] : ['v1']), ...segments];
}

/** The only route whose requests create posts. */
export const createRoute = 'POST /v1/posts/';

/**
 * Returns an outage whose times the state can contain.
 * @throws RangeError a time is invalid, or it ends before it begins
 */
export function readOutage({ from, until, ...fault }: OutageFault, now: number): OutageFault {
  const begin = from === undefined ? now : pointInTime("An outage fault's from", from);
  const end = until === undefined ? undefined : pointInTime("An outage fault's until", until);
  if (end !== undefined && end <= Math.max(begin, now))
    throw new RangeError("An outage fault's until must be later than its from and than the emulator's clock.");
  return { ...fault, from: timestamp(begin), ...(end === undefined ? {} : { until: timestamp(end) }) };
}

/**
 * Refuses a fault that could never apply.
 * @throws RangeError with the allowed values
 */
export function checkRequestFault(fault: RequestFault): void {
  checkFault('A fault', checks, fault);
  const { route }: FaultScope = fault;
  if (fault.kind === 'listing_lag' && route !== undefined && route !== createRoute)
    throw new RangeError(`A listing_lag fault applies to created posts, so its route must be '${createRoute}'.`);
  if (route !== undefined) checkRoute(route);
}
