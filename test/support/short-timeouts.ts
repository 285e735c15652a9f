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
