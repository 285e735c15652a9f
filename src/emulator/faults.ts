import { nextRandom } from './random.js';
import { compileRoute, matchRoute } from './route.js';
import type { ActiveFault, Store } from './store.js';

/** Which requests a fault hits. */
export interface FaultScope {
  /** A route such as `POST /v1/posts/`, documented or not. Default: every request. */
  readonly route?: string | undefined;
  /** How many requests it hits before it is used up. Default: no end. */
  readonly times?: number | undefined;
  /** How likely it hits a request that it could hit, 0 to 1. Default 1. The choice comes from the emulator's `seed`. */
  readonly probability?: number | undefined;
}

/** Answers in place of the service, which does not carry the request out. */
export interface StatusFault extends FaultScope {
  /** The reply has another status. */
  readonly kind: 'status';
  /** 200 to 599. */
  readonly status: number;
  /** A string is sent as it is, anything else as JSON. Default: the operation's error form. */
  readonly body?: unknown;
  /** Headers of the reply. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Breaks the connection or the reply:
 *
 * - `reset_before`: the connection is reset, the request was not carried out.
 * - `reset_after_commit`: the request was carried out, then the connection is reset.
 * - `truncated_body`: it was carried out, and the connection breaks in the middle of the reply's body.
 * - `invalid_json`: it was carried out, and the reply ends well, but is no JSON.
 */
export interface BrokenFault extends FaultScope {
  /** What happens in place of a whole reply. */
  readonly kind: 'reset_before' | 'reset_after_commit' | 'truncated_body' | 'invalid_json';
}

/** Never answers. */
export interface TimeoutFault extends FaultScope {
  /** No reply ever comes. */
  readonly kind: 'timeout';
  /** Whether the request is carried out all the same. Default false. */
  readonly commit?: boolean | undefined;
}

/** Answers late. */
export interface LatencyFault extends FaultScope {
  /** The reply comes late. */
  readonly kind: 'latency';
  /** Real milliseconds before the request is carried out. */
  readonly latencyMs: number;
}

/** Something that goes wrong with requests. */
export type RequestFault = StatusFault | BrokenFault | TimeoutFault | LatencyFault;

/** Takes a fault back. */
export type RemoveFault = () => void;

const kinds: readonly string[] = [
  'status',
  'reset_before',
  'reset_after_commit',
  'truncated_body',
  'invalid_json',
  'timeout',
  'latency',
] satisfies RequestFault['kind'][];

export function checkScope(fault: { readonly times?: number | undefined; readonly probability?: number | undefined }): void {
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

/** The faults of requests. */
export class Faults {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  add(fault: RequestFault): RemoveFault {
    if (!kinds.includes(fault.kind)) throw new RangeError(`A fault's kind must be one of ${kinds.join(', ')}.`);
    if (fault.kind === 'status' && !(Number.isInteger(fault.status) && fault.status >= 200 && fault.status <= 599)) {
      throw new RangeError("A status fault's status must be 200 to 599.");
    }
    if (fault.kind === 'latency' && !(Number.isFinite(fault.latencyMs) && fault.latencyMs >= 0)) {
      throw new RangeError("A latency fault's latencyMs must be a number of 0 or more.");
    }
    if (fault.route !== undefined && !/^[A-Z]+ \//i.test(fault.route)) {
      throw new RangeError("A fault's route must be a method and a path, such as 'POST /v1/posts/'.");
    }
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

  /** The faults that hit a request: every latency before the first other one, and that one. */
  take(method: string, path: string): RequestFault[] {
    const { faults } = this.#store.state;
    const hits: RequestFault[] = [];
    for (const active of [...faults]) {
      const { route } = active.fault;
      if (route !== undefined && matchRoute(compileRoute(route), method, path) === undefined) continue;
      if (!strikes(this.#store, faults, active)) continue;
      hits.push(active.fault);
      if (active.fault.kind !== 'latency') break;
    }
    return hits;
  }
}
