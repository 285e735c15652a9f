import type { RetryClass } from '../core/call/endpoint.js';
import { type Outcome, type SocialPublishingError, provesNothing } from '../core/errors.js';
import { growingWaits } from '../core/flow/retrying.js';

export type Failure =
  /** Proved never to have reached the service. */
  | { readonly kind: 'not_sent' }
  /** Not sent, and a retry would not help: a refused certificate, no common TLS version, a proxy that refuses the host. */
  | { readonly kind: 'unsendable' }
  /** Timed out, reset or cut off: the service may have executed it. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'status'; readonly status: number }
  /** An unreadable 2xx reply. */
  | { readonly kind: 'unreadable' };

/** A failed attempt: its class for retries, and the error to throw if it is the last attempt. */
export interface FailedAttempt {
  readonly ok: false;
  readonly failure: Failure;
  readonly retryAfterMs?: number | undefined;
  toError(outcome: Outcome, attempts: number): SocialPublishingError;
}

export type AttemptResult<Reply> = { readonly ok: true; readonly reply: Reply } | FailedAttempt;

/** After these statuses, a call that is safe to repeat may be retried. */
const troubled = new Set([408, 500, 502, 503, 504]);

/**
 * Returns whether a call of this class may be retried after this failure. The API has no idempotency key, so a write is
 * retried only if it is proved that the service did not execute it. A reset proves nothing. A 429 is a refusal before
 * the work, because refusals of platforms are in the post's result.
 */
export function mayRetry(retry: RetryClass, failure: Failure): boolean {
  switch (failure.kind) {
    case 'not_sent':
      return true;
    case 'status':
      if (failure.status === 429) return true;
      return troubled.has(failure.status) && (retry === 'repeatable' || retry === 'paid_per_success');
    case 'lost':
      return retry === 'repeatable';
    case 'unsendable':
    case 'unreadable':
      return false;
  }
}

export function attemptOutcome(failure: Failure, isRead: boolean): Outcome {
  switch (failure.kind) {
    case 'not_sent':
    case 'unsendable':
      return 'not_sent';
    case 'lost':
    case 'unreadable':
      return 'unknown';
    case 'status':
      if (provesNothing(failure.status)) return 'unknown';
      // 300 to 303 may be the reply to an executed write ("see other"); 307 and 308 ask to send it elsewhere.
      return !isRead && failure.status >= 300 && failure.status <= 303 ? 'unknown' : 'rejected';
  }
}

const longestWait = growingWaits(500, 8_000);
/** The client does not wait for a longer `Retry-After`: it throws the error with `retryAfterMs` immediately. */
export const longestRetryAfterMs = 60_000;

/**
 * Returns the wait before the next attempt, in milliseconds: 50 to 100 % of 500 ms · 2^retries, at most 8 s.
 * `Retry-After` is the minimum, plus up to 10 %, so that clients with the same value do not retry together.
 */
export function backoff(retries: number, retryAfterMs: number | undefined, random: () => number): number {
  const ordinary = longestWait(retries + 1) * (0.5 + 0.5 * random());
  return retryAfterMs === undefined ? ordinary : Math.max(ordinary, retryAfterMs * (1 + 0.1 * random()));
}

/** `fetch` joins repeated headers with commas. An HTTP date also contains one, after the weekday. */
const retryAfterParts = /(?:\s*(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*, )?[^,]+/gi;
/** A century. A larger number, such as an underflow, has no date. */
const longestWaitMs = 100 * 365 * 24 * 3_600_000;
/** Date.parse accepts many texts that aren't HTTP dates, such as '-1' or '1.5'. */
const beginsAsHttpDate = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;

/**
 * Reads `Retry-After`: whole seconds or an HTTP date, in milliseconds from now. `undefined` for 0, a negative or
 * fractional number, a past date, and anything unreadable. If the header occurs several times, the longest wait counts,
 * so the call never retries earlier than requested. A date counts from the `Date` of the same reply, because this
 * machine's clock may be wrong.
 * @param now this machine's time, for a reply without a `Date`
 */
export function readRetryAfter(headers: Pick<Headers, 'get'>, now: number): number | undefined {
  const repliedAt = Date.parse(headers.get('date') ?? '');
  const from = Number.isNaN(repliedAt) ? now : repliedAt;
  const waits = (headers.get('retry-after')?.match(retryAfterParts) ?? []).map((part) => readWait(part.trim(), from));
  const longest = Math.max(0, ...waits);
  return longest === 0 ? undefined : Math.min(longest, longestWaitMs);
}

function readWait(text: string, now: number): number {
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  if (!beginsAsHttpDate.test(text)) return 0;
  // The third form of HTTP dates has no zone. It is in UTC, as the others are.
  const date = Date.parse(/[a-z]$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}

const budgetCapacity = 500;
const retryCost = 5;
const retryCostAfterSilence = 10;

/**
 * A client's retry budget, a token bucket as in the AWS SDKs: retries drain it and successes fill it. While the whole
 * service fails, it is empty and the client does not retry.
 */
export class RetryBudget {
  #tokens = budgetCapacity;

  take(failure: Failure): boolean {
    // After a 429, the rate limit slows the client down (see pace.ts), so the budget stays unchanged.
    if (failure.kind === 'status' && failure.status === 429) return true;
    const cost = failure.kind === 'lost' ? retryCostAfterSilence : retryCost;
    if (cost > this.#tokens) return false;
    this.#tokens -= cost;
    return true;
  }

  refill(retries: number): void {
    this.#tokens = Math.min(budgetCapacity, this.#tokens + (retries > 0 ? retryCost : 1));
  }
}
