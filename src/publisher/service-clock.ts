/** What is known of the service's clock: the `Date` of its replies against the clock of this process. */
import { responseOf } from '../core/response.js';
import { ApiError } from '../core/errors.js';

/** A clock that was set since tells nothing any more. */
const trustedForMs = 10 * 60_000;

/**
 * What to add to this process's clock for the service's, by a reply that just came. Never more than the truth: `Date` is
 * cut to a second, and the reply was under way for a while.
 */
export function skewOf(reply: unknown, now: number): number | undefined {
  const headers =
    reply instanceof ApiError
      ? reply.headers
      : typeof reply === 'object' && reply !== null
        ? responseOf(reply)?.headers
        : undefined;
  const date = Date.parse(headers?.get('date') ?? '');
  return Number.isNaN(date) ? undefined : date - now;
}

/** The last skew that was seen. */
export class ServiceClock {
  #seen: { readonly skewMs: number; readonly at: number } | undefined;

  see(skewMs: number | undefined, now: number): void {
    if (skewMs !== undefined) this.#seen = { skewMs, at: now };
  }

  /** `undefined`: nothing is known, or it is too long ago. */
  skew(now: number): number | undefined {
    return this.#seen !== undefined && Math.abs(now - this.#seen.at) <= trustedForMs ? this.#seen.skewMs : undefined;
  }
}
