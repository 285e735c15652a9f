import { onAbort } from './abort.js';

/** Time and chance, which tests put in their own hands. */
export interface Runtime {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds from any start that never run backwards. */
  monotonic(): number;
  /** 0 up to 1. */
  random(): number;
  /** An ID that no other call has, in this process or another. */
  newId(): string;
  /** Waits; rejects with the signal's reason as soon as that aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** The longest delay that timers take. A longer one would run out at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** The time and chance of the machine. */
export const defaultRuntime: Runtime = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  newId,
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

/** A UUID, where the runtime makes them: React Native and pages of plain http don't. */
function newId(): string {
  const { crypto } = globalThis as { crypto?: { randomUUID?: () => string } };
  return crypto?.randomUUID?.() ?? `${Date.now().toString(36)}${Math.random().toString(36)}`;
}
