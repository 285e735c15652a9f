import { onTestFinished, vi } from 'vitest';

/** The longest delay of a timer. */
const longestMs = 2 ** 31 - 1;

/**
 * Ends time-outs when a test says so, not after real time: a busy machine can't let one end before the request arrives.
 * Only timers of exactly `ms` are held, until `release()`, or until the test ends.
 */
export function holdTimeouts(ms: number): { readonly expire: () => void; readonly release: () => void } {
  const { setTimeout: start, clearTimeout: stop } = globalThis;
  const held = new Map<unknown, () => void>();
  const setHeld = (run: (...args: unknown[]) => void, delay?: number, ...args: unknown[]) => {
    const timer = start(run, delay === ms ? longestMs : delay, ...args);
    if (delay === ms)
      held.set(timer, () => {
        run(...args);
      });
    return timer;
  };
  // Node's types add a property for `util.promisify`, which the client doesn't use.
  const setting = vi.spyOn(globalThis, 'setTimeout').mockImplementation(setHeld as typeof setTimeout);
  const clearing = vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    held.delete(timer);
    stop(timer);
  });
  const release = () => {
    setting.mockRestore();
    clearing.mockRestore();
  };
  onTestFinished(release);
  return {
    release,
    expire: () => {
      for (const [timer, run] of [...held]) {
        held.delete(timer);
        stop(timer as NodeJS.Timeout); // `setTimeout` returned it.
        run();
      }
    },
  };
}
