interface Watch {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/**
 * Calls a function of the caller's own when a signal aborts; what comes back calls that off. Many calls may share one signal, and Node warns of a
 * leak from the eleventh listener on: so they share one listener, which goes with the last of them.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined;
  const watch = watches.get(signal) ?? startWatch(signal);
  watch.callbacks.add(callback);
  return () => {
    if (!watch.callbacks.delete(callback) || watch.callbacks.size > 0) return;
    signal.removeEventListener('abort', watch.listener);
    if (watches.get(signal) === watch) watches.delete(signal);
  };
}

function startWatch(signal: AbortSignal): Watch {
  const callbacks = new Set<() => void>();
  const listener = () => {
    watches.delete(signal);
    for (const callback of [...callbacks]) {
      // One that was called off by another is not called.
      if (callbacks.delete(callback)) callback();
    }
  };
  signal.addEventListener('abort', listener, { once: true });
  const watch = { callbacks, listener };
  watches.set(signal, watch);
  return watch;
}

/**
 * The reason with which a call is aborted that nobody waits for any more, for example a page that was fetched ahead of a
 * reader who has left. It is no error: no hook is told of it.
 */
export const notNeeded: unique symbol = Symbol('not needed');
