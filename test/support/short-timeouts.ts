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

/**
 * Shortens the pauses of programs that poll. Longer timers stay, such as the time-outs of calls, which a slow machine would
 * meet. Returns what restores them.
 */
export function shortenPauses(longestMs = 5_000): () => void {
  const start = globalThis.setTimeout;
  const shortened = (run: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) =>
    start(run, delay > longestMs ? delay : delay / 20, ...args);
  const setting = vi.spyOn(globalThis, 'setTimeout').mockImplementation(shortened as typeof setTimeout);
  return () => {
    setting.mockRestore();
  };
}
