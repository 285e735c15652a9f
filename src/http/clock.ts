import type { ServiceClock } from '../core/transport.js';

/** Learns from replies how far the service's clock is from this machine's. */
export class LearnedClock implements ServiceClock {
  #offsetMs: number | undefined;
  /** The header that was read last. */
  #told: string | undefined;

  get offsetMs(): number | undefined {
    return this.#offsetMs;
  }

  /**
   * Reads a reply's `Date` header.
   * @param now this machine's time when the reply came, in milliseconds since 1970
   */
  learn(date: string | null, now: number): void {
    // A header has whole seconds: its first sight is nearest to the truth.
    if (date === null || date === this.#told) return;
    this.#told = date;
    const time = Date.parse(date);
    if (!Number.isNaN(time)) this.#offsetMs = time - now;
  }
}
