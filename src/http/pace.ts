import { untilAborted, within } from '../core/flow/abort.js';
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
/** After this time without a 429, the gate is open again. */
const forgetMs = 60_000;
/** How much each accepted attempt raises the rate, in attempts per second: by one after 200 of them. */
const growth = 0.005;
/** The maximum number of kept times. */
const mostAccepted = 10_000;
/** A window is longer than a second: connections and networks can bring attempts closer together. */
const windowMs = 1_050;
/**
 * With `limits.perSecond`, the attempts of a window are spread over this time of it. Attempts that go out together lose their
 * order, and new connections delay them into the next window. The window itself limits their number.
 */
const spreadMs = 700;
/** Attempts that late timers delayed may catch up on this time. */
const catchUpMs = windowMs - 1_000;

/** A call that waits for its turn. */
interface Turn {
  readonly limits: PaceLimits;
  readonly attempts: number;
  /** It is the first one: only time separates it from its turn. */
  readonly start: () => void;
}

/**
 * Every attempt of a client and its derived clients passes this gate. It is open until a 429 arrives or `limits` are set. After
 * a 429, no attempt goes out until its wait is over. Then attempts go out one by one, at the rate that the service accepted in the
 * second before. Each accepted attempt raises the rate a little, and after a minute without a 429 the gate is open again.
 */
export class Pace {
  #underWay = 0;
  /** In order. The first one waits for time, the others for the first one. */
  readonly #queue: Turn[] = [];
  #heldUntil = -Infinity;
  #nextSlot = -Infinity;
  /** When the first refused attempt of the newest burst went out. */
  #refusedAt = -Infinity;
  /** In attempts per second. `undefined`: still to be counted, because replies to earlier attempts may arrive. */
  #rate: number | undefined = Infinity;
  /** When the last accepted attempts went out. */
  #accepted: number[] = [];
  /** When the last attempts called `fetch`. Only with `limits.perSecond`. */
  readonly #sent: number[] = [];

  /**
   * Waits until an attempt may go out.
   * @throws RateLimitError it would wait too long; nothing was sent
   */
  async enter(runtime: Runtime, limits: PaceLimits, waiting: Waiting): Promise<void> {
    const now = runtime.monotonic();
    const isFree = this.#queue.length === 0 && this.#hasRoom(limits) && this.#waitMs(now, limits) <= 0;
    if (isFree) this.#go(now, limits);
    else await this.#wait(runtime, limits, waiting);
  }

  /**
   * Takes a place in the window, directly before `fetch`: a slow key function can delay an attempt after its turn.
   * @returns how long to wait before the next try. 0: it has a place
   */
  placeIn(now: number, limits: PaceLimits): number {
    const { perSecond } = limits;
    const waitMs = windowEnd(this.#sent, limits) - now;
    if (perSecond === undefined || waitMs > 0) return Math.max(0, waitMs);
    this.#sent.push(now);
    if (this.#sent.length > perSecond * 2 + 2) this.#sent.splice(0, this.#sent.length - Math.ceil(perSecond) - 1);
    return 0;
  }

  leave(): void {
    this.#underWay -= 1;
    this.#startFirst();
  }

  /** The service accepted an attempt: any reply except 429. */
  taken(now: number, sentAt: number): void {
    if (this.#accepted.length >= mostAccepted) this.#accepted = this.#accepted.slice(-mostAccepted / 2);
    this.#accepted.push(sentAt);
    if (sentAt >= this.#heldUntil) this.#rate = (this.#rate ?? this.#acceptedRate()) + growth;
    if (now - this.#heldUntil > forgetMs) this.#rate = Infinity;
  }

  /**
   * The service answered 429.
   * @param waitMs how long no attempt goes out: `Retry-After`, else the wait of the call
   */
  limited(now: number, sentAt: number, waitMs: number): void {
    // Attempts that went out before the hold are part of the same burst. So are refusals before the service accepts one again:
    // the second before them shows less than the service accepts.
    const isSameBurst = Math.min(sentAt, this.#accepted.at(-1) ?? -Infinity) < this.#heldUntil;
    this.#refusedAt = isSameBurst ? Math.min(this.#refusedAt, sentAt) : sentAt;
    this.#heldUntil = Math.max(this.#heldUntil, now + waitMs);
    this.#nextSlot = this.#heldUntil;
    this.#rate = undefined;
  }

  /** The attempts that the service accepted in the second before its first refusal, by send time: replies arrive in any order. */
  #acceptedRate(): number {
    const end = this.#refusedAt + catchUpMs;
    return Math.max(1, this.#accepted.filter((sentAt) => sentAt > end - windowMs && sentAt <= end).length);
  }

  async #wait(runtime: Runtime, limits: PaceLimits, waiting: Waiting): Promise<void> {
    const now = runtime.monotonic();
    // Attempts under way may be accepted too.
    const rate = this.#rate ?? this.#acceptedRate() + this.#underWay;
    const perPlaceMs = windowMs / Math.min(rate, limits.perSecond ?? Infinity);
    // A retry goes before other calls: directly after a hold, the service is likelier to accept it. The first one waits already.
    const index = this.#queue.filter((turn, index) => index === 0 || turn.attempts >= waiting.attempts).length;
    checkWait(now, Math.max(0, this.#waitMs(now, limits)) + index * perPlaceMs, waiting);
    let start = () => {};
    const isFirst = new Promise<void>((resolve) => (start = resolve));
    const place = { limits, attempts: waiting.attempts, start };
    this.#queue.splice(index, 0, place);
    this.#startFirst();
    try {
      // Calls before it can take longer, and `concurrency` has no known wait.
      const { deadline, signal } = waiting;
      await untilAborted(
        signal,
        within(deadline - now, isFirst, () => tooLong(waiting)),
      );
      for (;;) {
        const now = runtime.monotonic();
        const waitMs = this.#waitMs(now, limits);
        checkWait(now, waitMs, waiting);
        if (waitMs <= 0) break;
        await runtime.sleep(waitMs, signal);
      }
      this.#go(runtime.monotonic(), limits);
    } finally {
      // Ends `within`: after an abort, its timer would keep the process alive until the deadline.
      start();
      this.#queue.splice(this.#queue.indexOf(place), 1);
      this.#startFirst();
    }
  }

  /** Lets the first in the queue wait for its time, once fewer than `concurrency` attempts are under way. */
  #startFirst(): void {
    const [first] = this.#queue;
    if (first !== undefined && this.#hasRoom(first.limits)) first.start();
  }

  #hasRoom({ concurrency = Infinity }: PaceLimits): boolean {
    return this.#underWay < concurrency;
  }

  #waitMs(now: number, limits: PaceLimits): number {
    return Math.max(this.#heldUntil, this.#nextSlot, windowEnd(this.#sent, limits)) - now;
  }

  #go(now: number, { perSecond }: PaceLimits): void {
    this.#underWay += 1;
    const spacingMs = perSecond === undefined ? 0 : spreadMs / perWindow(perSecond);
    this.#nextSlot =
      Math.max(this.#nextSlot, now - catchUpMs) + Math.max(windowMs / (this.#rate ?? this.#acceptedRate()), spacingMs);
  }
}

/** When the window of the last attempts has room again. */
function windowEnd(sent: readonly number[], { perSecond }: PaceLimits): number {
  if (perSecond === undefined) return -Infinity;
  return (sent.at(-perWindow(perSecond)) ?? -Infinity) + Math.max(windowMs, 1_000 / perSecond);
}

/** How many attempts fit into a window. */
function perWindow(perSecond: number): number {
  return Math.max(1, Math.floor(perSecond));
}

function checkWait(now: number, waitMs: number, waiting: Waiting): void {
  if (waitMs <= longestWaitMs && now + waitMs < waiting.deadline) return;
  throw tooLong(waiting, waitMs > 0 ? waitMs : undefined);
}

function tooLong({ at, attempts }: Waiting, waitMs?: number): RateLimitError {
  const wait = waitMs === undefined ? 'too long' : `${String(Math.ceil(waitMs / 1_000))} s`;
  return new RateLimitError(
    `${at.method} ${at.route} was not sent: it would have to wait ${wait} for its turn. The limit is its deadline, and 60 s. ` +
      'The service refused other calls with status 429, or this client has limits. It is safe to call again later.',
    {
      ...at,
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
