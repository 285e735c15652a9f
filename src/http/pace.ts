import { abortReason, onAbort } from '../core/abort.js';
import { RateLimitError } from '../core/errors.js';
import type { Runtime } from '../core/runtime.js';

/** The client's own pace. */
export interface PaceLimits {
  /** How many attempts may be under way at a time, 1 or more. Default: no limit. */
  readonly concurrency?: number | undefined;
  /** How many attempts may go out in any second, above 0. Default: no limit. */
  readonly perSecond?: number | undefined;
}

export interface Waiting {
  readonly at: { readonly method: string; readonly route: string };
  readonly signal: AbortSignal | undefined;
  /** The deadline of its call, by the runtime's monotonic clock. */
  readonly deadline: number;
  readonly attempts: number;
}

/** No call waits longer than this for its turn. */
const longestWaitMs = 60_000;
/** How long a 429 without `Retry-After` pauses other calls: the shortest wait before its own retry. */
const ordinaryHoldMs = 250;
/** After this time without a 429, the gate is open again. */
const forgetMs = 60_000;
/** The maximum number of kept times. */
const mostAccepted = 10_000;
/** The seconds in which a rate doubles beyond the accepted one. It grows with their cube: slowly at first. */
const shortestProbeSeconds = 40;
const longestProbeSeconds = 160;
/** A rate below this was measured on too few attempts to be trusted. It grows by `distrustedGrowth` each second. */
const leastTrusted = 2;
const distrustedGrowth = 0.3;
/** A window is longer than a second: connections and networks can bring attempts closer together. */
const windowMs = 1_050;
/**
 * With `limits.perSecond`, the attempts of a window are spread over this time of it. The window itself limits their number.
 * Attempts that go out together lose their order, and new connections delay them into the next window. Spread over the
 * whole window, a burst of one window would take 15 % longer.
 */
const spreadMs = 900;

/**
 * Every attempt of a client and its derived clients passes this gate. It is open until a 429 arrives or `limits` are
 * set. A 429 closes it for `Retry-After`. Then attempts go out at the rate that the service accepted, and later a
 * little faster, until the service refuses again.
 */
export class Pace {
  #underWay = 0;
  readonly #queue: (() => void)[] = [];
  #heldUntil = -Infinity;
  #nextSlot = -Infinity;
  /** Counts the 429s: each cancels the slots that were assigned before. */
  #round = 0;
  /** When the first attempt went out that the service refused in the newest burst; `undefined` if the gate is open. */
  #refusedAt: number | undefined;
  /** The rate that the service accepted in the burst before. */
  #rateBefore = Infinity;
  #probeSeconds = shortestProbeSeconds;
  /** When the last attempts went out. Only with `limits.perSecond`. */
  readonly #sent: number[] = [];
  /** When the last attempts went out or will go out. Only with `limits.perSecond`. */
  #slots: number[] = [];
  /** When the last accepted attempts went out. */
  #accepted: number[] = [];

  /**
   * Waits until an attempt may go out; `undefined` where it may at once.
   * @throws RateLimitError it would wait too long; nothing was sent
   */
  enter(runtime: Runtime, limits: PaceLimits, waiting: Waiting): Promise<void> | undefined {
    const isFree = this.#underWay < (limits.concurrency ?? Infinity) && this.#queue.length === 0;
    const now = runtime.monotonic();
    if (isFree && this.#waitMs(now, limits) <= 0) {
      this.#underWay += 1;
      this.#reserve(now, limits);
      this.#note(now, limits);
      return undefined;
    }
    return this.#wait(runtime, limits, waiting);
  }

  leave(): void {
    this.#underWay -= 1;
    this.#queue.shift()?.();
  }

  /** The service accepted an attempt: any reply except 429. */
  taken(now: number, sentAt: number): void {
    if (this.#accepted.length >= mostAccepted) this.#accepted = this.#accepted.slice(-mostAccepted / 2);
    this.#accepted.push(sentAt);
    if (this.#refusedAt !== undefined && now - this.#heldUntil > forgetMs) {
      this.#refusedAt = undefined;
      this.#probeSeconds = shortestProbeSeconds;
    }
  }

  limited(now: number, sentAt: number, retryAfterMs: number | undefined): void {
    if (this.#refusedAt === undefined || sentAt >= this.#heldUntil) {
      this.#rateBefore = this.#acceptedRate();
      this.#refusedAt = sentAt;
      // The service accepts the same rate as before: probe it less often.
      const isSame = this.#acceptedRate() >= this.#rateBefore * 0.75;
      this.#probeSeconds = isSame ? Math.min(this.#probeSeconds * 2, longestProbeSeconds) : shortestProbeSeconds;
    }
    this.#refusedAt = Math.min(this.#refusedAt, sentAt);
    this.#heldUntil = Math.max(this.#heldUntil, now + (retryAfterMs ?? ordinaryHoldMs));
    this.#nextSlot = this.#heldUntil;
    this.#slots = [...this.#sent];
    this.#round += 1;
  }

  /**
   * The attempts that the service accepted in the second before its first refusal, counted by send time, because
   * replies arrive in any order.
   */
  #acceptedRate(): number {
    if (this.#refusedAt === undefined) return Infinity;
    const end = this.#refusedAt + windowMs - 1_000;
    return Math.max(1, this.#accepted.filter((sentAt) => sentAt > end - windowMs && sentAt <= end).length);
  }

  #rate(now: number): number {
    const accepted = this.#acceptedRate();
    const seconds = Math.max(0, now - this.#heldUntil) / 1_000;
    const growth =
      accepted < leastTrusted ? distrustedGrowth * seconds : accepted * (seconds / this.#probeSeconds) ** 3;
    return (accepted * 1_000) / windowMs + growth;
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
        this.#reserve(slot, limits);
        try {
          await runtime.sleep(waitMs, waiting.signal);
        } catch (error) {
          if (round === this.#round) this.#cancel(slot, limits);
          throw error;
        }
        // Timers are late, so the window can stay full for a moment longer.
        for (let ms = 0; (ms = windowWaitMs(this.#sent, runtime.monotonic(), limits)) > 0;)
          await runtime.sleep(ms, waiting.signal);
        // Its turn came, unless there was another 429: a call with an older slot would be sent together with newer
        // ones.
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
    const forget = onAbort(waiting.signal, () => {
      stop.abort(waiting.signal && abortReason(waiting.signal));
    });
    try {
      const ended = await Promise.race([turn, runtime.sleep(left, stop.signal)]);
      if (ended === 'turn') return;
    } catch (error) {
      this.#giveUp(goOn);
      throw error;
    } finally {
      forget();
      stop.abort();
    }
    this.#giveUp(goOn);
    throw tooLong(waiting, undefined);
  }

  /** Leaves the queue, or releases the slot that it got in the meantime. */
  #giveUp(goOn: () => void): void {
    const index = this.#queue.indexOf(goOn);
    if (index === -1) this.leave();
    else this.#queue.splice(index, 1);
  }

  #checkWait(now: number, waitMs: number, waiting: Waiting): void {
    if (waitMs > longestWaitMs || now + waitMs >= waiting.deadline) throw tooLong(waiting, waitMs);
  }

  #waitMs(now: number, limits: PaceLimits): number {
    // A timer that was late keeps the window full for longer than its slot did.
    const windowMs = Math.max(windowWaitMs(this.#slots, now, limits), windowWaitMs(this.#sent, now, limits));
    return Math.max(this.#heldUntil - now, this.#nextSlot - now, windowMs);
  }

  #intervalMs(now: number, { perSecond = Infinity }: PaceLimits): number {
    return Math.max(1_000 / this.#rate(now), spreadMs / perWindow(perSecond));
  }

  #reserve(slot: number, limits: PaceLimits): void {
    this.#nextSlot = Math.max(this.#nextSlot, slot) + this.#intervalMs(slot, limits);
    keep(this.#slots, slot, limits);
  }

  #cancel(slot: number, limits: PaceLimits): void {
    this.#nextSlot -= this.#intervalMs(slot, limits);
    const index = this.#slots.lastIndexOf(slot);
    if (index !== -1) this.#slots.splice(index, 1);
  }

  #note(now: number, limits: PaceLimits): void {
    this.#nextSlot = Math.max(this.#nextSlot, now + this.#intervalMs(now, limits));
    keep(this.#sent, now, limits);
  }
}

function keep(times: number[], time: number, { perSecond }: PaceLimits): void {
  if (perSecond === undefined) return;
  times.push(time);
  if (times.length > perSecond * 2 + 2) times.splice(0, times.length - Math.ceil(perSecond) - 1);
}

/** How long the window stays full after these attempts. */
function windowWaitMs(times: readonly number[], now: number, { perSecond }: PaceLimits): number {
  if (perSecond === undefined) return 0;
  const before = times.at(-perWindow(perSecond));
  return before === undefined ? 0 : before + Math.max(windowMs, 1_000 / perSecond) - now;
}

/** How many attempts fit into a window. */
function perWindow(perSecond: number): number {
  return Math.max(1, Math.floor(perSecond));
}

function tooLong({ at, attempts }: Waiting, waitMs: number | undefined): RateLimitError {
  const { method, route } = at;
  const wait = waitMs === undefined ? 'too long' : `${String(Math.ceil(waitMs / 1_000))} s`;
  return new RateLimitError(
    `${method} ${route} was not sent: it would have to wait ${wait} for its turn. The limit is its deadline, and 60 s. ` +
      'The service refused other calls with status 429, or this client has limits. It is safe to call again later.',
    {
      method,
      route,
      outcome: 'not_sent',
      status: 429,
      headers: new Headers(),
      body: undefined,
      form: 'other',
      retryAfterMs: waitMs === undefined ? undefined : Math.ceil(waitMs),
      attempts,
    },
  );
}
