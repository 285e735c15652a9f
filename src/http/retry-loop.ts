import { RateLimitError, type SocialPublishingError } from '../core/errors.js';
import { attempt } from './attempt.js';
import type { CallState } from './call-state.js';
import type { ClientContext } from './context.js';
import type { AttemptResult, FailedAttempt } from './connection-errors.js';
import type { PreparedCall } from './prepared-call.js';
import { worseOutcome } from '../core/outcome.js';
import { backoff, longestRetryAfterMs, mayRetry, outcomeOf } from './retry.js';

/** Makes one call: reserves its credit, attempts it, retries it, and settles the credit by what became of it. */
export function makeCall<Reply>(client: ClientContext, call: PreparedCall<Reply>, state: CallState): Promise<Reply> {
  return call.costsCredit ? spendCredit(client, call, state) : attemptUntilDone(client, call, state);
}

async function spendCredit<Reply>(client: ClientContext, call: PreparedCall<Reply>, state: CallState): Promise<Reply> {
  const settle = client.shared.credits.reserve(client.settings.maxCredits, call.at);
  try {
    const reply = await attemptUntilDone(client, call, state);
    settle(true);
    state.credits = 1;
    return reply;
  } catch (error) {
    // The document counts each call of post analytics, and the successful ones of the insights. Where a reply was lost, or
    // can't be read, it may have been one.
    const spent = call.retry === 'paid_per_call' ? state.outcome !== 'not_sent' : state.mayHaveSucceeded;
    settle(spent);
    state.credits = spent ? 1 : 0;
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
  let last: SocialPublishingError | undefined;
  for (let retries = 0; ; retries += 1) {
    const waiting = shared.pace.enter(runtime, client.settings.limits, {
      at: call.at,
      signal: call.signal,
      deadline,
      attempts: state.attempts,
    });
    if (waiting !== undefined) await orThrow(waiting, last);
    const result = await attemptInTurn(client, call, state, deadline);
    if (result.ok) {
      shared.budget.refill(retries);
      return result.reply;
    }
    last = await waitForRetry(client, call, state, { retries, deadline, failed: result });
  }
}

/** A retry that would wait too long for its turn ends in the error that it was for. */
async function orThrow(turn: Promise<void>, last: SocialPublishingError | undefined): Promise<void> {
  try {
    await turn;
  } catch (error) {
    throw last !== undefined && error instanceof RateLimitError ? last : error;
  }
}

/** Makes an attempt whose turn it is, and tells the gate what came of it. */
async function attemptInTurn<Reply>(
  client: ClientContext,
  call: PreparedCall<Reply>,
  state: CallState,
  deadline: number,
): Promise<AttemptResult<Reply>> {
  const { pace } = client.shared;
  try {
    const result = await attempt(client, call, state, deadline);
    const now = client.runtime.monotonic();
    if (result.ok || (result.failure.kind === 'status' && result.failure.status !== 429)) pace.taken(now);
    else if (result.failure.kind === 'status') pace.limited(now, result.retryAfterMs);
    return result;
  } finally {
    pace.leave();
  }
}

/** Waits before the next attempt, or throws the error where there is none. */
async function waitForRetry(
  { runtime, shared }: ClientContext,
  call: PreparedCall<unknown>,
  state: CallState,
  { retries, deadline, failed }: { retries: number; deadline: number; failed: FailedAttempt },
): Promise<SocialPublishingError> {
  const { method } = call;
  const { failure, retryAfterMs } = failed;
  if (failure.kind === 'lost' || failure.kind === 'unreadable') state.mayHaveSucceeded = true;
  state.outcome = worseOutcome(state.outcome, outcomeOf(failure, method === 'GET'));
  const error = failed.toError(state.outcome, state.attempts);
  if (!mayRetry(call.retry, failure) || retries >= call.limits.maxRetries) throw error;
  if (retryAfterMs !== undefined && retryAfterMs > longestRetryAfterMs) throw error;
  const waitMs = backoff(retries, retryAfterMs, () => runtime.random());
  // A wait that can only end in a time-out is not begun: the error at hand says more.
  if (runtime.monotonic() + waitMs >= deadline || !shared.budget.take(failure)) throw error;
  state.teller?.retry({ attempt: state.attempts, waitMs, error });
  await runtime.sleep(waitMs, call.signal);
  call.signal?.throwIfAborted();
  return error;
}
