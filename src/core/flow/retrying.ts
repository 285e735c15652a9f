import { defaultRuntime, type Runtime } from '../runtime.js';

/** Returns the wait before a retry, in milliseconds; 1 is the first retry. `undefined`: no further retry. */
export type RetrySchedule = (retry: number) => number | undefined;

/** Returns a schedule with the listed waits. After the last one, there is no further retry. */
export function listedWaits(waitsMs: readonly number[]): RetrySchedule {
  return (retry) => waitsMs[retry - 1];
}

/** Multiplies the wait by `factor` at each retry, up to a longest wait. */
export function growingWaits(firstMs: number, longestMs: number, factor = 2): (retry: number) => number {
  return (retry) => Math.min(firstMs * factor ** (retry - 1), longestMs);
}

/** When to try again, and until when. */
export interface RetryOptions {
  readonly schedule: RetrySchedule;
  /** Milliseconds from now. The last wait is cut short, so that one more attempt is made as the time runs out. */
  readonly limitMs?: number | undefined;
  /** Ends a wait with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called at the start of each wait, with its milliseconds. */
  readonly onWait?: ((waitMs: number) => void) | undefined;
  /** The clock, and the function that waits. */
  readonly runtime?: Pick<Runtime, 'monotonic' | 'sleep'> | undefined;
}

/** The waits between the attempts of one piece of work, for loops whose attempts end in more ways than an exception. */
export class Retries {
  readonly #options: RetryOptions;
  readonly #runtime: Pick<Runtime, 'monotonic' | 'sleep'>;
  readonly #giveUpAt: number;
  #count = 0;

  constructor(options: RetryOptions) {
    this.#options = options;
    this.#runtime = options.runtime ?? defaultRuntime;
    this.#giveUpAt = options.limitMs === undefined ? Infinity : this.#runtime.monotonic() + options.limitMs;
  }

  /** The time left, in milliseconds; 0 or less: it has run out. */
  get leftMs(): number {
    return this.#giveUpAt - this.#runtime.monotonic();
  }

  /**
   * Waits before the next attempt. Returns `false` without a wait if there is no further attempt.
   * @throws the signal's reason
   */
  async wait(): Promise<boolean> {
    const { leftMs } = this;
    const { schedule, onWait, signal } = this.#options;
    const scheduledMs = schedule(this.#count + 1);
    if (scheduledMs === undefined || leftMs <= 0) return false;
    this.#count += 1;
    const waitMs = Math.min(scheduledMs, leftMs);
    onWait?.(waitMs);
    await this.#runtime.sleep(waitMs, signal);
    return true;
  }
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

/**
 * Repeats work until it succeeds.
 * @param isRetryable whether a failure may pass. By default every failure may
 * @throws the first failure that is not retryable, or the last failure when the schedule or the time has ended
 */
export async function retrying<T>(
  work: () => T | Promise<T>,
  options: RetryOptions & { readonly isRetryable?: ((error: unknown) => boolean) | undefined },
): Promise<T> {
  const { isRetryable = () => true } = options;
  const retries = new Retries(options);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || !(await retries.wait())) throw error;
    }
  }
}
