import { sharedByCopies } from './copies.js';

/** The parts of a client that code must know which gets a client and agrees with it. */
export interface ClientParts {
  readonly runtime: { now(): number };
  readonly settings: { readonly accessKey: unknown };
  readonly shared: { readonly keys: { readonly all: readonly string[] } };
}

/** Facts about a client. */
export interface ClientFacts {
  /** The time by the client's option `now`, in milliseconds since 1970. */
  readonly now: () => number;
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
  if (known === undefined) return { now: () => Date.now(), accessKeys: () => [] };
  const { runtime, settings, shared } = known;
  const own = typeof settings.accessKey === 'string' ? [settings.accessKey] : [];
  return { now: () => runtime.now(), accessKeys: () => [...own, ...shared.keys.all] };
}
