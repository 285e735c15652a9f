import { sharedByCopies } from './copies.js';
import type { LocalTime, ServiceClock } from './service-clock.js';

/** The parts of a client that code must know which gets a client and agrees with it. */
export interface ClientParts {
  readonly runtime: LocalTime;
  readonly settings: { readonly accessKey: unknown };
  readonly shared: {
    readonly keys: { readonly all: readonly string[] };
    readonly clock: Pick<ServiceClock, 'offsetMs'>;
  };
}

/** Facts about a client. */
export interface ClientFacts {
  /** The time by the client's option `now`, in milliseconds since 1970. */
  readonly now: () => number;
  /** The service's time, by the `Date` headers of its replies. Before the first reply, the same as `now`. */
  readonly serviceNow: () => number;
  /** The access keys that the client sends or has sent. */
  readonly accessKeys: () => readonly string[];
}

const parts = () => sharedByCopies('clients', () => new WeakMap<object, ClientParts>());

export function setParts(client: object, known: ClientParts): void {
  parts().set(client, known);
}

/** Returns the facts of a client. Another object has the clock of this machine and no key. */
export function factsOf(client: object): ClientFacts {
  const known = parts().get(client);
  if (known === undefined) return { now: () => Date.now(), serviceNow: () => Date.now(), accessKeys: () => [] };
  const { runtime, settings, shared } = known;
  const own = typeof settings.accessKey === 'string' ? [settings.accessKey] : [];
  return {
    now: () => runtime.now(),
    serviceNow: () => runtime.now() + (shared.clock.offsetMs(runtime) ?? 0),
    accessKeys: () => [...own, ...shared.keys.all],
  };
}
