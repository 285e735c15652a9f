import { onAbort } from '../core/abort.js';
import { ConfigurationError, type Outcome } from '../core/errors.js';
import type { CallWatcher } from '../core/transport.js';
import type { ClientContext } from './context.js';
import { exchange, sendFailure } from './exchange.js';
import { timedOut, type AttemptResult, type Limit } from './failed-attempt.js';
import type { PreparedCall } from './request.js';

/** How far a call has come. */
export interface CallState {
  /** Attempts handed to `fetch`. */
  attempts: number;
  /** What became of the operation in the attempts that are over. */
  outcome: Outcome;
  readonly watcher: CallWatcher | undefined;
}

/** Makes one attempt. One deadline covers headers and body; it is what is left of the total where that is less. */
export async function attempt<Reply>(
  client: ClientContext,
  call: PreparedCall<Reply>,
  state: CallState,
  totalDeadline: number,
): Promise<AttemptResult<Reply>> {
  const { timeoutMs, totalTimeoutMs } = call.limits;
  const left = totalDeadline - client.runtime.monotonic();
  const limit: Limit =
    left < timeoutMs
      ? { option: 'totalTimeoutMs', limitMs: totalTimeoutMs }
      : { option: 'timeoutMs', limitMs: timeoutMs };
  const stop = stopAt(limit, Math.max(0, Math.min(left, timeoutMs)), call.signal);
  // An object, since the compiler does not see that a closure below sets it.
  const sending: { sent: boolean; key: string | null } = { sent: false, key: null };
  const send = async () => {
    const key = await client.settings.accessKey();
    stop.signal.throwIfAborted();
    Object.assign(sending, { sent: true, key });
    state.attempts += 1;
    state.watcher?.onSend(call.body);
    return exchange(client, call, state.attempts, key, stop.signal);
  };
  try {
    // `fetch` may be anybody's, and need not listen to a signal: an abort must work at once all the same.
    return await Promise.race([stop.stopped, send()]);
  } catch (error) {
    const { sent, key } = sending;
    if (call.signal?.aborted === true) {
      if (sent) state.outcome = 'unknown';
      throw call.signal.reason;
    }
    if (error === limit) return timedOut(call, limit, sent);
    // Neither the network's doing nor the service's, for example a key function that failed: nothing more was sent.
    if (error instanceof ConfigurationError) {
      const { message, cause } = error;
      throw new ConfigurationError(message, { ...call.at, cause, outcome: state.outcome });
    }
    return sendFailure(error, call, call.redactWith(key));
  } finally {
    stop.end();
  }
}

/** What ends an attempt before its time. */
interface Stop {
  /** Aborts with the limit, or with the caller's reason. */
  readonly signal: AbortSignal;
  /** Rejects with the same. */
  readonly stopped: Promise<never>;
  /** Leaves no timer and no listener behind. */
  readonly end: () => void;
}

function stopAt(limit: Limit, ms: number, signal: AbortSignal | undefined): Stop {
  const controller = new AbortController();
  let reject: (reason: unknown) => void = () => undefined;
  const stopped = new Promise<never>((_, rejectStopped) => {
    reject = rejectStopped;
  });
  stopped.catch(() => undefined);
  const stop = (reason: unknown) => {
    controller.abort(reason);
    reject(reason);
  };
  const forget = onAbort(signal, () => {
    stop(signal?.reason);
  });
  const timer = setTimeout(stop, ms, limit);
  const end = () => {
    clearTimeout(timer);
    forget();
  };
  return { signal: controller.signal, stopped, end };
}
