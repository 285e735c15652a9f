import type { Runtime } from './runtime.js';

/** `Date` counts whole seconds: a lower offset within this time after a greater one adds nothing. */
const headerPrecisionMs = 1_000;
const trustedForMs = 10 * 60_000;

/** This machine's time, and the time that passes even while the machine's clock is set. */
export type LocalTime = Pick<Runtime, 'now' | 'monotonic'>;

interface Sample {
  readonly offsetMs: number;
  readonly now: number;
  readonly monotonic: number;
}

/**
 * Estimates how far the service's clock is ahead of this machine's, from the `Date` headers of its replies. A cache or a
 * slow reply makes a `Date` old, never new. So the greatest offset of the last 10 minutes counts.
 */
export class ServiceClock {
  /** The oldest first. Each offset is greater than all later ones, so the list stays short. */
  #samples: readonly Sample[] = [];

  /**
   * Returns the milliseconds to add to this machine's time to get the service's time: as `recentOffsetMs`, or else as the
   * last replies showed it. `undefined` before the first `Date`.
   */
  offsetMs(time: LocalTime): number | undefined {
    return this.recentOffsetMs(time) ?? this.#samples[0]?.offsetMs;
  }

  /** Returns the greatest offset of the last 10 minutes. It is never above the true one, unless a clock was set. */
  recentOffsetMs(time: LocalTime): number | undefined {
    return this.#samples.find((sample) => isRecent(sample, time))?.offsetMs;
  }

  /** Reads the `Date` of a reply that just arrived. A reply from a cache, or without a readable `Date`, changes nothing. */
  learn(headers: Pick<Headers, 'get'> | undefined, time: LocalTime): void {
    const [now, monotonic] = [time.now(), time.monotonic()];
    const offsetMs = offsetOf(headers, now);
    if (offsetMs === undefined) return;
    const greater = this.#samples.filter((sample) => isRecent(sample, time) && sample.offsetMs > offsetMs);
    const last = greater.at(-1);
    const addsNothing = last !== undefined && monotonic - last.monotonic < headerPrecisionMs;
    this.#samples = addsNothing ? greater : [...greater, { offsetMs, now, monotonic }];
  }
}

/** If this machine's clock was set by more than 10 minutes, earlier offsets are wrong. */
function isRecent(sample: Sample, time: LocalTime): boolean {
  const age = Math.max(time.monotonic() - sample.monotonic, Math.abs(time.now() - sample.now));
  return age <= trustedForMs;
}

/**
 * Returns how far the service's clock is ahead, from the headers of one reply. `undefined`: it has no readable `Date`, or
 * its `Age` shows that it waited in a cache.
 */
export function offsetOf(headers: Pick<Headers, 'get'> | undefined, now: number): number | undefined {
  // A header that occurs several times is joined with commas.
  if (!/^[0\s,]*$/.test(headers?.get('age') ?? '')) return undefined;
  const date = Date.parse(headers?.get('date') ?? '');
  return Number.isNaN(date) ? undefined : date - now;
}
