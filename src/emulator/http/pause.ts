import { longestTimerMs } from '../../core/runtime.js';

/** Waits in real time; an abort ends it at once. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      // Any value can be a reason; it is passed on as it is.
      reject(signal.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(ms, longestTimerMs),
    );
    signal.addEventListener('abort', abort, { once: true });
  });
}
