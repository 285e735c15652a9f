import { RateLimitError } from '../core/errors.js';
import type { Runtime } from '../core/runtime.js';

/** The client's own pace. */
export interface PaceLimits {
  /** How many attempts may be under way at a time, 1 or more. Default: no limit. */
  readonly concurrency?: number | undefined;
  /** How many attempts may go out in any second, above 0. Default: no limit. */
  readonly perSecond?: number | undefined;
}

/** The attempt that asks to go out. */
export interface Waiting {
  readonly at: { readonly method: string; readonly route: string };
  readonly signal: AbortSignal | undefined;
  /** When its call must be over, by the runtime's monotonic clock. */
  readonly deadline: number;
  readonly attempts: number;
}

/** Longer than this no call waits for its turn: its caller can do better. */
const longestWaitMs = 60_000;
/** For how long a 429 holds the others back where it doesn't say: the shortest wait of its own retry. */
const ordinaryHoldMs = 250;
/** After a 429, the rate that was seen to pass is not used up whole, and grows again with each second that goes well. */
const backOff = 0.7;
/** By how much the rate grows with each attempt that is taken, in attempts a second: more where it is low. */
const growth = (rate: number) => 0.05 + 0.25 / rate;
/** After so long without a 429 the gate is open again. */
const forgetMs = 60_000;
/** How many times are kept at the most. */
const mostTaken = 10_000;
/** A window a little longer than a second: connections open and networks hurry, so that attempts come closer together. */
const windowMs = 1_050;

/**
 * The gate that every attempt of a client and its relatives goes through. It is open until a 429 comes or `limits` are given.
 * A 429 closes it for the time that it tells; then attempts go out at the rate that the service was seen to take, and faster
 * again as they succeed.
 */
export class Pace {
  #underWay = 0;
  readonly #queue: (() => void)[] = [];
  #heldUntil = -Infinity;
  /** Attempts a second since the last 429; `Infinity` before the first. */
  #rate = Infinity;
  #nextSlot = -Infinity;
  /** Counts the 429s: each makes void the slots that were given before. */
  #round = 0;
  /** When the last attempts went out. */
  readonly #sent: number[] = [];
  /** When the last attempts were taken. */
  #taken: number[] = [];

  /**
   * Waits until an attempt may go out; `undefined` where it may at once.
   * @throws RateLimitError it would wait too long; nothing was sent
   */
  enter(runtime: Runtime, limits: PaceLimits, waiting: Waiting): Promise<void> | undefined {
    const isFree = this.#underWay < (limits.concurrency ?? Infinity) && this.#queue.length === 0;
    const now = runtime.monotonic();
    if (isFree && this.#waitMs(now, limits) <= 0) {
      this.#underWay += 1;
      this.#note(now, limits);
      return undefined;
    }
    return this.#wait(runtime, limits, waiting);
  }

  /** An attempt is over. */
  leave(): void {
    this.#underWay -= 1;
    this.#queue.shift()?.();
  }

  /** The service took an attempt, whatever it answered. */
  taken(now: number): void {
    if (this.#taken.length >= mostTaken) this.#taken = this.#taken.slice(-mostTaken / 2);
    this.#taken.push(now);
    if (this.#rate === Infinity) return;
    this.#rate = now - this.#heldUntil > forgetMs ? Infinity : this.#rate + growth(this.#rate);
  }

  /** The service answered 429. */
  limited(now: number, retryAfterMs: number | undefined): void {
    const isNew = now >= this.#heldUntil;
    this.#heldUntil = Math.max(this.#heldUntil, now + (retryAfterMs ?? ordinaryHoldMs));
    this.#taken = this.#taken.filter((time) => now - time < 1_000);
    const seen = Math.max(1, this.#taken.length) * backOff;
    // The refusals of one burst come mixed with what was taken of it.
    this.#rate = isNew ? Math.min(this.#rate, seen) : Math.max(this.#rate, seen);
    this.#nextSlot = this.#heldUntil;
    this.#round += 1;
  }

  async #wait(runtime: Runtime, limits: PaceLimits, waiting: Waiting): Promise<void> {
    await this.#takePlace(runtime, limits, waiting);
    try {
      for (;;) {
        const now = runtime.monotonic();
        const waitMs = this.#waitMs(now, limits);
        if (waitMs <= 0) break;
        this.#checkWait(now, waitMs, waiting);
        const slot = now + waitMs;
        const round = this.#round;
        this.#nextSlot = Math.max(this.#nextSlot, slot) + this.#intervalMs(limits);
        try {
          await runtime.sleep(waitMs, waiting.signal);
        } catch (error) {
          if (round === this.#round) this.#nextSlot -= this.#intervalMs(limits);
          throw error;
        }
        // Timers come late, so that the window can be shut for a moment more: it keeps its turn.
        for (let ms = 0; (ms = this.#windowWaitMs(runtime.monotonic(), limits)) > 0;)
          await runtime.sleep(ms, waiting.signal);
        // Its turn came, unless another 429 did: whoever kept an older slot would go out beside those with new ones.
        if (round === this.#round) break;
      }
      this.#note(runtime.monotonic(), limits);
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** Waits until fewer than `concurrency` attempts are under way. */
  async #takePlace(runtime: Runtime, { concurrency = Infinity }: PaceLimits, waiting: Waiting): Promise<void> {
    if (this.#underWay < concurrency && this.#queue.length === 0) {
      this.#underWay += 1;
      return;
    }
    const left = waiting.deadline - runtime.monotonic();
    const stop = new AbortController();
    let goOn: () => void = () => undefined;
    const turn = new Promise<'turn'>((resolve) => {
      goOn = () => {
        this.#underWay += 1;
        resolve('turn');
      };
      this.#queue.push(goOn);
    });
    const signals = waiting.signal === undefined ? [stop.signal] : [waiting.signal, stop.signal];
    try {
      const ended = await Promise.race([turn, runtime.sleep(left, AbortSignal.any(signals))]);
      if (ended === 'turn') return;
    } catch (error) {
      this.#giveUp(goOn);
      throw error;
    } finally {
      stop.abort();
    }
    this.#giveUp(goOn);
    throw tooLong(waiting, undefined);
  }

  /** Leaves the queue, or the place that was given in the meantime. */
  #giveUp(goOn: () => void): void {
    const index = this.#queue.indexOf(goOn);
    if (index === -1) this.leave();
    else this.#queue.splice(index, 1);
  }

  #checkWait(now: number, waitMs: number, waiting: Waiting): void {
    if (waitMs > longestWaitMs || now + waitMs >= waiting.deadline) throw tooLong(waiting, waitMs);
  }

  #waitMs(now: number, limits: PaceLimits): number {
    return Math.max(this.#heldUntil - now, this.#nextSlot - now, this.#windowWaitMs(now, limits));
  }

  #windowWaitMs(now: number, { perSecond }: PaceLimits): number {
    if (perSecond === undefined) return 0;
    const before = this.#sent.at(-perWindow(perSecond));
    return before === undefined ? 0 : before + Math.max(windowMs, 1_000 / perSecond) - now;
  }

  #intervalMs({ perSecond = Infinity }: PaceLimits): number {
    return Math.max(1_000 / this.#rate, Math.max(windowMs, 1_000 / perSecond) / perWindow(perSecond));
  }

  /** An attempt goes out now. */
  #note(now: number, limits: PaceLimits): void {
    this.#nextSlot = Math.max(this.#nextSlot, now + this.#intervalMs(limits));
    if (limits.perSecond === undefined) return;
    this.#sent.push(now);
    if (this.#sent.length > limits.perSecond * 2 + 2)
      this.#sent.splice(0, this.#sent.length - Math.ceil(limits.perSecond) - 1);
  }
}

/** How many attempts fit into a window. */
function perWindow(perSecond: number): number {
  return Math.max(1, Math.floor(perSecond));
}

function tooLong({ at, attempts }: Waiting, waitMs: number | undefined): RateLimitError {
  const { method, route } = at;
  const wait = waitMs === undefined ? '' : ` for ${String(Math.ceil(waitMs / 1_000))} s`;
  return new RateLimitError(
    `${method} ${route} was not sent: it would wait too long${wait} for its turn, after the service refused others with ` +
      'status 429 or by the limits of this client. It is safe to call again later.',
    {
      method,
      route,
      outcome: 'not_sent',
      status: 429,
      headers: new Headers(),
      body: undefined,
      form: 'other',
      retryAfterMs: waitMs,
      attempts,
    },
  );
}
