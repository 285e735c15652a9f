import { onAbort } from './abort.js';

/** Time and chance, which tests put in their own hands. */
export interface Runtime {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds from any start that never run backwards. */
  monotonic(): number;
  /** 0 up to 1. */
  random(): number;
  /** Waits; rejects with the signal's reason as soon as that aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** The time and chance of the machine. */
export const defaultRuntime: Runtime = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const timer = setTimeout(() => {
        forget();
        resolve();
      }, ms);
      const forget = onAbort(signal, () => {
        clearTimeout(timer);
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a signal's reason can be anything
        reject(signal?.reason);
      });
    }),
};
