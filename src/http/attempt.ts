import { onAbort } from '../core/abort.js';
import { ConfigurationError } from '../core/errors.js';
import type { CallState } from './call-state.js';
import type { ClientContext } from './context.js';
import { exchange, loadKy, sendFailure } from './send.js';
import { networkFailure, timedOut, type AttemptResult, type Limit } from './connection-errors.js';
import type { PreparedCall } from './prepared-call.js';

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
  // An object, since the compiler does not see that a closure below sets it.
  const sending = { begun: false };
  const { keys } = client.shared;
  try {
    return await stoppable(limit, Math.max(0, Math.min(left, timeoutMs)), call.signal, async (signal) => {
      const { accessKey } = client.settings;
      const key = typeof accessKey === 'function' ? await accessKey() : accessKey;
      await loadKy();
      signal.throwIfAborted();
      keys.add(key);
      sending.begun = true;
      state.attempts += 1;
      state.watcher?.onSend(call.body);
      return exchange(client, call, state, key, signal);
    });
  } catch (error) {
    if (call.signal?.aborted === true) {
      if (sending.begun) {
        state.outcome = 'unknown';
        state.mayHaveSucceeded = true;
      }
      throw call.signal.reason;
    }
    if (error === limit) return timedOut(call, limit, sending.begun);
    // Neither the network's doing nor the service's, for example a key function that failed: nothing more was sent.
    if (error instanceof ConfigurationError) {
      throw new ConfigurationError(error.message, { ...call.at, outcome: state.outcome });
    }
    const redact = call.redactWith(keys, state.added);
    // ky is a file of its own in the package, which a web server may no longer have.
    if (!sending.begun) return networkFailure(error, error, call, redact, { kind: 'not_sent' });
    return sendFailure(error, call, redact);
  }
}

/**
 * Runs an attempt until it is done, its time is over or the caller aborts. `fetch` may be anybody's, and need not listen to
 * a signal: an abort works at once all the same. No timer and no listener is left behind.
 */
function stoppable<Result>(
  limit: Limit,
  ms: number,
  callerSignal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const stop = (reason: unknown) => {
      end();
      controller.abort(reason);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a signal's reason can be anything
      reject(reason);
    };
    const timer = setTimeout(stop, ms, limit);
    const forget =
      callerSignal === undefined
        ? undefined
        : onAbort(callerSignal, () => {
            stop(callerSignal.reason);
          });
    const end = () => {
      clearTimeout(timer);
      forget?.();
    };
    run(controller.signal).then(
      (result) => {
        end();
        resolve(result);
      },
      (error: unknown) => {
        end();
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it came
        reject(error);
      },
    );
  });
}
