import type { Runtime } from './runtime.js';

type ClientClock = Pick<Runtime, 'now'>;

/** The clocks of clients, for code that gets a client and must agree with its option `now`. */
const clocks = new WeakMap<object, ClientClock>();

export function setClock(client: object, clock: ClientClock): void {
  clocks.set(client, clock);
}

/** Returns the time by the clock of a client, in milliseconds since 1970. Another object has the clock of this machine. */
export function timeOf(client: object): number {
  return (clocks.get(client) ?? Date).now();
}
