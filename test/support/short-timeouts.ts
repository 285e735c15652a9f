import { vi } from 'vitest';

/**
 * Ends the time-outs of a call at once, not after real time. Only for a call whose requests are never answered: in
 * others, a slow machine would meet the time-out.
 */
export async function withShortTimeouts<T>(call: () => Promise<T>): Promise<T> {
  const start = globalThis.setTimeout;
  const shortened = (run: (...args: unknown[]) => void, _delay?: number, ...args: unknown[]) => start(run, 1, ...args);
  // Node's types add a property for `util.promisify`, which the client doesn't use.
  const setting = vi.spyOn(globalThis, 'setTimeout').mockImplementation(shortened as typeof setTimeout);
  try {
    return await call();
  } finally {
    setting.mockRestore();
  }
}

const longestPauseMs = 5_000;

/**
 * Shortens the pauses of programs that poll. Longer timers do not change: on a slow machine, a shorter time-out of a call
 * could end first. Returns a function that restores the timers.
 */
export function shortenPauses(): () => void {
  const start = globalThis.setTimeout;
  const shortened = (run: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) =>
    start(run, delay > longestPauseMs ? delay : delay / 20, ...args);
  const setting = vi.spyOn(globalThis, 'setTimeout').mockImplementation(shortened as typeof setTimeout);
  return () => {
    setting.mockRestore();
  };
}
