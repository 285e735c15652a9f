/** How much the clocks of two processes may differ, in milliseconds. */
const clockToleranceMs = 5000;

export const maxLeaseMs = 6 * 3_600_000;

/** A time in the store, and how long after its write it was. */
export interface StoredTime {
  readonly at: number;
  readonly lengthMs: number;
}

/** Whether a stored time cannot be right: a clock that was ahead wrote it. */
export function isFromClockAhead({ at, lengthMs }: StoredTime, now: number): boolean {
  return at > now + lengthMs + clockToleranceMs;
}

/** Whether a stored time is still to come. */
export function isAhead(time: StoredTime, now: number): boolean {
  return time.at > now && !isFromClockAhead(time, now);
}

/** Work that is due at intervals, and at once if the clock is set back. */
export class Interval {
  readonly #ms: number;
  #next = -Infinity;

  constructor(ms: number) {
    this.#ms = ms;
  }

  isDue(now: number): boolean {
    return now >= this.#next || this.#next > now + this.#ms;
  }

  restart(now: number): void {
    this.#next = now + this.#ms;
  }
}
