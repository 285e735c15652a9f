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
    if (watch.callbacks.delete(callback) && watch.callbacks.size === 0) endWatch(signal, watch.listener);
  };
}

function startWatch(signal: AbortSignal): Watch {
  const callbacks = new Set<() => void>();
  const listener = () => {
    endWatch(signal, listener);
    for (const callback of [...callbacks]) {
      if (callbacks.delete(callback)) callback();
    }
  };
  // Not with `once`: polyfills may ignore it.
  signal.addEventListener('abort', listener);
  const watch = { callbacks, listener };
  watches.set(signal, watch);
  return watch;
}

function endWatch(signal: AbortSignal, listener: () => void): void {
  // By its type, every signal has it. Polyfills may not.
  (signal as Partial<AbortSignal>).removeEventListener?.('abort', listener);
  if (watches.get(signal)?.listener === listener) watches.delete(signal);
}

/** Returns a controller that a signal aborts too, until `forget` is called. */
export function linkedController(signal: AbortSignal | undefined): { stop: AbortController; forget: () => void } {
  const stop = new AbortController();
  const forget = onAbort(signal, () => {
    stop.abort(signal && abortReason(signal));
  });
  return { stop, forget };
}

/** The reasons of signals without `reason`. Each call of a signal rejects with the same object, which `outcomeOf` knows. */
const ownReasons = new WeakMap<AbortSignal, unknown>();

/** Returns the reason of an aborted signal. Signals of polyfills and of React Native may have none. */
export function abortReason(signal: AbortSignal): unknown {
  const { reason } = signal as { readonly reason?: unknown };
  if (reason !== undefined) return reason;
  const own = ownReasons.get(signal) ?? abortError();
  ownReasons.set(signal, own);
  return own;
}

function abortError(): Error {
  const message = 'This operation was aborted';
  // React Native has no DOMException.
  return typeof DOMException === 'function'
    ? new DOMException(message, 'AbortError')
    : Object.assign(new Error(message), { name: 'AbortError' });
}

/** Throws the reason of an aborted signal. Signals of jsdom, polyfills and React Native may have no `throwIfAborted`. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortReason(signal);
}

/** Whether a call rejected with the reason of its aborted signal. The reason belongs to the caller. */
export function isAbortReason(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && error === abortReason(signal);
}

/** Settles as the work does, or rejects with the reason of the signal as soon as it is aborted. */
export function untilAborted<Result>(signal: AbortSignal | undefined, work: Promise<Result>): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = () => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a signal's reason can be anything
      reject(abortReason(signal));
    };
    if (signal.aborted) stop();
    const forget = onAbort(signal, stop);
    work.then(resolve, reject).finally(forget);
  });
}

/** Settles as the work does, or rejects with the result of `late` after a time, by the machine's timers. Leaves no timer. */
export async function within<Result>(ms: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late());
    }, ms);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The abort reason of a call whose result is not needed any more, such as a page that was read ahead. It isn't an
 * error, and hooks do not see it.
 */
export const notNeeded: unique symbol = Symbol('not needed');
