import { abortReason, onAbort, throwIfAborted } from '../core/abort.js';
import { discardBody } from '../core/discard-body.js';
import { ConfigurationError } from '../core/errors.js';
import { networkFailure, timedOut, type Limit } from './connection-errors.js';
import type { ClientContext } from './context.js';
import { classifyNetworkError } from './network-error.js';
import type { CallProgress, PreparedCall } from './prepared-call.js';
import type { Redact } from '../core/redactor.js';
import { redirected, unreadable } from './reply-errors.js';
import { interpretReply, isSuccess } from './reply.js';
import type { AttemptResult } from './retry.js';
import { fetchError, loadKy, readBody, send, type BodyText, type SendOptions } from './send.js';

/** Makes one attempt. One deadline covers headers and body: `timeoutMs`, or less if less of the total is left. */
export async function attempt<Reply>(
  client: ClientContext,
  call: PreparedCall<Reply>,
  progress: CallProgress,
  totalDeadline: number,
): Promise<AttemptResult<Reply>> {
  const { timeoutMs, totalTimeoutMs } = call;
  const left = totalDeadline - client.runtime.monotonic();
  const limit: Limit =
    left < timeoutMs
      ? { option: 'totalTimeoutMs', limitMs: totalTimeoutMs }
      : { option: 'timeoutMs', limitMs: timeoutMs };
  const reached = { fetch: false };
  const onFetch = () => {
    reached.fetch = true;
  };
  let waitsFor = 'the accessKey function returned no key';
  let status: number | undefined;
  try {
    return await stoppable(limit, Math.max(0, Math.min(left, timeoutMs)), call.signal, async (signal) => {
      const { accessKey } = client.settings;
      const key = typeof accessKey === 'function' ? await accessKey() : accessKey;
      waitsFor = 'a file of this package was not loaded';
      await loadKy();
      throwIfAborted(signal);
      client.shared.keys.add(key);
      progress.attempts += 1;
      progress.watcher?.onSend(call.body);
      const onStatus = (received: number) => {
        status = received;
      };
      return await exchange(client, call, progress, { key, signal, onFetch, onStatus });
    });
  } catch (error) {
    if (call.signal?.aborted === true) {
      if (reached.fetch) {
        progress.outcome = 'unknown';
        progress.mayHaveSucceeded = true;
      }
      throw abortReason(call.signal);
    }
    if (error === limit) return timedOut(call, limit, { waitsFor: reached.fetch ? undefined : waitsFor, status });
    // The key function failed: this attempt sent nothing. A `fetch` of the caller can reject with this class after a send.
    if (error instanceof ConfigurationError && !reached.fetch)
      throw new ConfigurationError(error.message, { ...call.at, outcome: progress.outcome });
    const redact = call.redactWith(client.shared.keys, progress.added);
    // `fetch` was not called if ky could not be loaded, or if ky cannot work in this environment.
    return networkFailure(fetchError(error), call, redact, reached.fetch ? undefined : { kind: 'not_sent' });
  }
}

async function exchange<Reply>(
  client: ClientContext,
  call: PreparedCall<Reply>,
  progress: CallProgress,
  { onStatus, ...sending }: SendOptions & { readonly onStatus: (status: number) => void },
): Promise<AttemptResult<Reply>> {
  const { settings, runtime, shared } = client;
  const { signal } = sending;
  const { attempts: number, events } = progress;
  progress.added = events?.request(number);
  let redactor: Redact | undefined;
  const redact: Redact = (text) => (redactor ??= call.redactWith(shared.keys, progress.added))(text);
  const startedAt = events === undefined ? 0 : runtime.monotonic();
  const response = await send(client, call, progress, sending);
  onStatus(response.status);
  shared.clock.learn(response.headers, runtime);
  const onResponse = () => events?.response(number, response.status, runtime.monotonic() - startedAt);
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    discardBody(response);
    onResponse();
    return redirected(call, response, redact);
  }
  let partial = '';
  let body: BodyText;
  try {
    body = await readBody(response, settings.maxResponseBytes, signal, (text) => {
      partial = text;
    });
  } catch (error) {
    throwIfAborted(signal);
    if (isSuccess(response)) {
      if (classifyNetworkError(error).kind === 'unreadable')
        return unreadable(call, { response, text: partial, redact }, { problem: 'its compressed body is broken' });
      return networkFailure(error, call, redact, { kind: 'lost' });
    }
    // The status suffices to show the refusal.
    body = { text: partial, tooLarge: false };
  }
  onResponse();
  return interpretReply(client, call, { response, ...body, attempt: number, events, redact });
}

/**
 * Runs an attempt until it ends, its time is over or the caller aborts. An abort works at once, even if `fetch` ignores its
 * signal. It leaves no timer and no listener.
 */
export function stoppable<Result>(
  limit: Limit,
  ms: number,
  callerSignal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    // An aborted signal calls no listener any more.
    throwIfAborted(callerSignal);
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
            stop(abortReason(callerSignal));
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
