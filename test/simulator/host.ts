/** Whoever runs at the moment: a simulated process, or the world around them. */
export interface Actor {
  /** Milliseconds since 1970, by the actor's clock. */
  now(): number;
  /** Milliseconds that never run backwards. */
  monotonic(): number;
  /** 0 up to 1. */
  random(): number;
  setTimer(run: () => void, ms: number): { cancel(): void };
}

/** What the replaced globals of a bundle ask. */
export interface Host {
  actor: Actor;
}

/** The host of this bundle: `load.ts` passes it to the bundle. */
declare const simulatorHost: Host;

export const host: Host = simulatorHost;
