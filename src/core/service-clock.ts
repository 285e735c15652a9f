/** `Date` counts whole seconds, so of equal headers the first one is the most precise. */
const headerPrecisionMs = 1_000;
const trustedForMs = 10 * 60_000;

/** Estimates how far the service's clock is ahead of this machine's, from the `Date` headers of its replies. */
export class ServiceClock {
  #estimate: { readonly header: string; readonly offsetMs: number; readonly learnedAt: number } | undefined;

  /**
   * Returns the milliseconds to add to this machine's time to get the service's time; `undefined` before the first header.
   * The estimate is never above the true offset, and at most a second and the time of a reply below it.
   */
  get offsetMs(): number | undefined {
    return this.#estimate?.offsetMs;
  }

  /**
   * Returns `offsetMs` if it was learned in the last 10 minutes.
   * @param now this machine's time, in milliseconds since 1970
   */
  recentOffsetMs(now: number): number | undefined {
    if (this.#estimate === undefined) return undefined;
    return Math.abs(now - this.#estimate.learnedAt) <= trustedForMs ? this.#estimate.offsetMs : undefined;
  }

  /**
   * Reads the `Date` header of a reply. An unreadable header changes nothing.
   * @param now this machine's time when the reply arrived, in milliseconds since 1970
   */
  learn(header: string | null | undefined, now: number): void {
    const known = this.#estimate;
    if (header == null || (known?.header === header && Math.abs(now - known.learnedAt) < headerPrecisionMs)) return;
    const offsetMs = offsetOf(header, now);
    if (offsetMs !== undefined) this.#estimate = { header, offsetMs, learnedAt: now };
  }
}

/** Returns how far the service's clock is ahead, from one `Date` header; `undefined` if the header is unreadable. */
export function offsetOf(header: string | null | undefined, now: number): number | undefined {
  const time = Date.parse(header ?? '');
  return Number.isNaN(time) ? undefined : time - now;
}
