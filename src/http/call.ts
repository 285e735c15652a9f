import { ResponseError } from '../core/errors.js';
import { attempt } from './attempt.js';
import type { CallState } from './call-state.js';
import type { ClientContext } from './context.js';
import type { FailedAttempt } from './failed-attempt.js';
import type { PreparedCall } from './request.js';
import { backoff, longestRetryAfterMs, mayRetry, outcomeOf, worseOutcome } from './retry.js';

/** Makes one call: reserves its credit, attempts it, retries it, and settles the credit by what became of it. */
export async function makeCall<Reply>(
  client: ClientContext,
  call: PreparedCall<Reply>,
  state: CallState,
): Promise<Reply> {
  if (!call.costsCredit) return attemptUntilDone(client, call, state);
  const settle = client.shared.credits.reserve(client.settings.maxCredits, call.at);
  try {
    const reply = await attemptUntilDone(client, call, state);
    settle(true);
    return reply;
  } catch (error) {
    // The document counts each call of post analytics, and the successful ones of the insights. A reply that can't be
    // read was a success at the service.
    settle(call.retry === 'paid_per_call' ? state.outcome !== 'not_sent' : error instanceof ResponseError);
    throw error;
  }
}

async function attemptUntilDone<Reply>(
  client: ClientContext,
  call: PreparedCall<Reply>,
  state: CallState,
): Promise<Reply> {
  const { runtime, shared } = client;
  const deadline = runtime.monotonic() + call.limits.totalTimeoutMs;
  for (let retries = 0; ; retries += 1) {
    const result = await attempt(client, call, state, deadline);
    if (result.ok) {
      shared.budget.refill(retries);
      return result.reply;
    }
    await waitForRetry(client, call, state, { retries, deadline, failed: result });
  }
}

/** Waits before the next attempt, or throws the error where there is none. */
async function waitForRetry(
  { runtime, shared, teller }: ClientContext,
  call: PreparedCall<unknown>,
  state: CallState,
  { retries, deadline, failed }: { retries: number; deadline: number; failed: FailedAttempt },
): Promise<void> {
  const { method } = call;
  const { failure, retryAfterMs } = failed;
  state.outcome = worseOutcome(state.outcome, outcomeOf(failure, method === 'GET'));
  const error = failed.toError(state.outcome, state.attempts);
  if (!mayRetry(call.retry, failure) || retries >= call.limits.maxRetries) throw error;
  if (retryAfterMs !== undefined && retryAfterMs > longestRetryAfterMs) throw error;
  const waitMs = backoff(retries, retryAfterMs, () => runtime.random());
  // A wait that can only end in a time-out is not begun: the error at hand says more.
  if (runtime.monotonic() + waitMs >= deadline || !shared.budget.take(failure)) throw error;
  if (teller.hears('onRetry')) {
    teller.tell('onRetry', { ...call.at, attempt: state.attempts, waitMs, error });
  }
  await runtime.sleep(waitMs, call.signal);
  call.signal?.throwIfAborted();
}
