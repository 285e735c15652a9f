interface Watch {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/**
 * Calls a function when a signal aborts. The returned function cancels that. Calls that share a signal share one
 * listener, because Node warns of a leak from the eleventh listener on. The last cancellation removes the listener.
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
      if (callbacks.delete(callback)) callback();
    }
  };
  signal.addEventListener('abort', listener, { once: true });
  const watch = { callbacks, listener };
  watches.set(signal, watch);
  return watch;
}

/**
 * The abort reason of a call whose result is not needed any more, such as a page that was read ahead. It isn't an
 * error, and hooks do not see it.
 */
export const notNeeded: unique symbol = Symbol('not needed');
