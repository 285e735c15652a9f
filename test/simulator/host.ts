/** The current actor: a simulated process, or the world around the processes. */
export interface Actor {
  /** Milliseconds since 1970, by the actor's clock. */
  now(): number;
  /** Milliseconds that never run backwards. */
  monotonic(): number;
  /** 0 up to 1. */
  random(): number;
  setTimer(run: () => void, ms: number): { cancel(): void };
  readonly fetch: typeof globalThis.fetch;
  /** The globals of its JavaScript runtime. */
  readonly runtimeGlobals: Readonly<Record<string, unknown>>;
}

/** The interface that the replaced globals of a bundle use. */
export interface Host {
  actor: Actor;
  /** Returns the entries of maps and sets that processes keep. Missing: nothing counts them. */
  countEntries?: () => number;
}

/** The host of this bundle: `load.ts` passes it to the bundle. */
declare const simulatorHost: Host;

export const host: Host = simulatorHost;
