import { throwIfAborted } from '../core/abort.js';
import { RateLimitError, type SocialPublishingError } from '../core/errors.js';
import { worseOutcome } from '../core/outcome.js';
import { attempt, stoppable } from './attempt.js';
import type { Limit } from './connection-errors.js';
import type { ClientContext } from './context.js';
import type { CallProgress, PreparedCall } from './prepared-call.js';
import {
  attemptOutcome,
  backoff,
  longestRetryAfterMs,
  mayRetry,
  type AttemptResult,
  type FailedAttempt,
} from './retry.js';
import { preloadKy } from './send.js';

/** Makes a call: reserves its credit, attempts it, retries it, and counts or releases the credit. */
export async function retryLoop<Reply>(
  client: ClientContext,
  call: PreparedCall<Reply>,
  progress: CallProgress,
): Promise<Reply> {
  if (call.operation.credits === undefined) return attemptUntilDone(client, call, progress);
  const settle = client.shared.credits.reserve(client.settings.maxCredits, call.at);
  try {
    const reply = await attemptUntilDone(client, call, progress);
    settle(true);
    progress.credits = 1;
    return reply;
  } catch (error) {
    // The API document counts every call of post analytics, and every successful call of the insights. A call with a lost or
    // unreadable reply may have been successful.
    const { retry } = call.operation;
    const spent = retry === 'paid_per_call' ? progress.outcome !== 'not_sent' : progress.mayHaveSucceeded;
    settle(spent);
    progress.credits = spent ? 1 : 0;
    throw error;
  }
}

async function attemptUntilDone<Reply>(
  client: ClientContext,
  call: PreparedCall<Reply>,
  progress: CallProgress,
): Promise<Reply> {
  const { runtime, shared, settings } = client;
  const deadline = runtime.monotonic() + call.totalTimeoutMs;
  const loading = preloadKy();
  if (loading !== undefined) await withinLimits(call, loading);
  let last: SocialPublishingError | undefined;
  for (let retries = 0; ; retries += 1) {
    const { at, signal } = call;
    throwIfAborted(signal);
    const waiting = shared.pace.enter(runtime, settings.limits, { at, signal, deadline, attempts: progress.attempts });
    if (waiting !== undefined) await orThrow(waiting, last);
    const result = await attemptInTurn(client, call, progress, deadline);
    if (result.ok) {
      shared.budget.refill(retries);
      return result.reply;
    }
    last = await waitForRetry(client, call, progress, { retries, deadline, failed: result });
  }
}

/** Waits until ky is loaded. If the time of the call is over first, its attempt reports that. */
async function withinLimits({ totalTimeoutMs, signal }: PreparedCall<unknown>, loading: Promise<void>): Promise<void> {
  const limit: Limit = { option: 'totalTimeoutMs', limitMs: totalTimeoutMs };
  try {
    await stoppable(limit, totalTimeoutMs, signal, () => loading);
  } catch (error) {
    if (error !== limit) throw error;
  }
}

/** A retry that would wait too long for its turn throws the error of the attempt before. */
async function orThrow(turn: Promise<void>, last: SocialPublishingError | undefined): Promise<void> {
  try {
    await turn;
  } catch (error) {
    throw last !== undefined && error instanceof RateLimitError ? last : error;
  }
}

/** Makes an attempt whose turn it is, and reports its result to the rate limit. */
async function attemptInTurn<Reply>(
  client: ClientContext,
  call: PreparedCall<Reply>,
  progress: CallProgress,
  deadline: number,
): Promise<AttemptResult<Reply>> {
  const { pace } = client.shared;
  const sentAt = client.runtime.monotonic();
  try {
    const result = await attempt(client, call, progress, deadline);
    const now = client.runtime.monotonic();
    if (result.ok || (result.failure.kind === 'status' && result.failure.status !== 429)) pace.taken(now, sentAt);
    else if (result.failure.kind === 'status') pace.limited(now, sentAt, result.retryAfterMs);
    return result;
  } finally {
    pace.leave();
  }
}

/** Waits before the next attempt. Throws the error if no retry is allowed. */
async function waitForRetry(
  { runtime, shared }: ClientContext,
  call: PreparedCall<unknown>,
  progress: CallProgress,
  { retries, deadline, failed }: { retries: number; deadline: number; failed: FailedAttempt },
): Promise<SocialPublishingError> {
  const { failure, retryAfterMs } = failed;
  if (failure.kind === 'lost' || failure.kind === 'unreadable') progress.mayHaveSucceeded = true;
  progress.outcome = worseOutcome(progress.outcome, attemptOutcome(failure, call.at.method === 'GET'));
  const error = failed.toError(progress.outcome, progress.attempts);
  if (!mayRetry(call.operation.retry, failure) || retries >= call.maxRetries) throw error;
  if (retryAfterMs !== undefined && retryAfterMs > longestRetryAfterMs) throw error;
  const waitMs = backoff(retries, retryAfterMs, () => runtime.random());
  // A wait that can only end in a time-out isn't started: this error says more.
  if (runtime.monotonic() + waitMs >= deadline || !shared.budget.take(failure)) throw error;
  progress.events?.retry({ attempt: progress.attempts, waitMs, error });
  await runtime.sleep(waitMs, call.signal);
  throwIfAborted(call.signal);
  return error;
}
