import { ConfigurationError } from '../../core/errors.js';
import { isNumber } from '../../core/call/options.js';
import { dueEvent, type DueEvent } from './due-event.js';
import { checkFields } from './fields.js';
import type { SortedList } from '../state/sorted-list.js';
import { byTime, type State } from '../state/state.js';
import type { Store } from '../state/store.js';
import type { Job } from '../state/stored-records.js';
import { pointInTime, type PointInTime } from '../state/time.js';

/** A length of time: the sum of its parts. */
export interface Duration {
  /** Days of 24 hours. */
  readonly days?: number | undefined;
  /** Hours. */
  readonly hours?: number | undefined;
  /** Minutes. */
  readonly minutes?: number | undefined;
  /** Seconds. */
  readonly seconds?: number | undefined;
  /** Milliseconds. */
  readonly milliseconds?: number | undefined;
}

/** The emulator's time. It stops unless it is moved, or served in real time. */
export interface EmulatorClock {
  /** The emulator's time in milliseconds since 1970. */
  now(): number;
  /**
   * Advances the time. Due events happen in order, including deliveries and their retries, before the promise resolves.
   */
  advance(by: Duration): Promise<void>;
  /**
   * Sets the time: a date-time with its offset such as `2026-03-01T09:00:00Z`, a `Date` or an instant, or milliseconds
   * since 1970. Moving backwards triggers no events.
   * @throws RangeError if the time is invalid, or is a date-time without an offset
   */
  set(to: PointInTime): Promise<void>;
}

/** A clock that can run. */
export interface RunningClock extends EmulatorClock {
  /**
   * Runs the time at the real speed or a multiple of it, until you call the returned function. If it runs already, the
   * latest speed applies.
   * @throws RangeError if `speed` is not a number above 0
   */
  run(options?: RunOptions): () => void;
  /** Stops the time, even if another caller started it. */
  pause(): void;
  /** Advances the time to the next due event and executes it. Does nothing if no event is due. */
  step(): Promise<void>;
  /** Whether the time runs. */
  readonly running: boolean;
  /** The current or last speed, as a multiple of real time. */
  readonly speed: number;
  /**
   * The time of the next job, in milliseconds since 1970. A job is a publication, a delivery, the expiry of a token or
   * the end of a run.
   */
  readonly nextDue: number | undefined;
  /** The next due event, with its subject. */
  readonly nextEvent: DueEvent | undefined;
}

/** Options of a running clock. */
export interface RunOptions {
  /** The speed as a multiple of real time: a number above 0. Default 1. */
  readonly speed?: number | undefined;
}

const parts = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000, milliseconds: 1 } as const;

const partChecks = Object.fromEntries(Object.keys(parts).map((name) => [name, isNumber({ least: 0 })]));

export function milliseconds(duration: Duration): number {
  // A caller without types may pass anything.
  if (typeof duration !== 'object' || (duration as unknown) === null || Array.isArray(duration)) {
    throw new ConfigurationError('A duration is an object such as { hours: 1, minutes: 30 }.');
  }
  checkFields('a duration', duration, partChecks);
  let sum = 0;
  for (const [name, unit] of Object.entries(parts)) {
    // `parts` has the fields of a duration.
    sum += (duration[name as keyof Duration] ?? 0) * unit;
  }
  return sum;
}

/** The interval at which a running clock updates the time. */
const tickMs = 50;

/** The control `clock`. Its functions need no object, as in `now: service.clock.now`. */
export class Clock implements RunningClock {
  readonly #store: Store;
  readonly #carryOut: (job: Job) => Promise<void> | undefined;
  readonly #inFlight = new Set<Promise<void>>();
  /** Each move of the time waits for the previous one. */
  #tail: Promise<void> = Promise.resolve();
  #ticking: { timer: ReturnType<typeof setInterval>; since: number } | undefined;
  /** The state whose time is being moved. It does not run meanwhile: each event has the time at which it is due. */
  #moving: State | undefined;
  /** The callers that started the clock and did not stop it. */
  readonly #runners = new Set<object>();
  #speed = 1;
  #kicked = false;

  constructor(store: Store, run: (job: Job) => Promise<void> | undefined) {
    this.#store = store;
    this.#carryOut = run;
    store.onAdopt = () => {
      this.#restart();
    };
  }

  readonly now = (): number => {
    const { state } = this.#store;
    if (this.#ticking === undefined || this.#moving === state) return state.time;
    return Math.floor(state.time + (performance.now() - this.#ticking.since) * this.#speed);
  };

  get running(): boolean {
    return this.#ticking !== undefined;
  }

  get speed(): number {
    return this.#speed;
  }

  get nextDue(): number | undefined {
    return earliest(this.#store.state, everything)?.first()?.at;
  }

  get nextEvent(): DueEvent | undefined {
    const job = earliest(this.#store.state, everything)?.first();
    return job === undefined ? undefined : dueEvent(job);
  }

  readonly advance = async (by: Duration): Promise<void> => {
    const length = milliseconds(by);
    await this.#move((now) => pointInTime('The end of that duration', now + length));
  };

  readonly set = async (to: PointInTime): Promise<void> => {
    const target = pointInTime('The time to set the clock to', to);
    await this.#move(() => target);
  };

  readonly step = (): Promise<void> =>
    this.#move((now) => (this.nextDue === undefined ? undefined : Math.max(this.nextDue, now)));

  async settle(): Promise<void> {
    await this.#inTurn(() => {
      this.#catchUp();
      return this.#runDue(this.#store.state.time, deliveries);
    });
  }

  /** Makes the due deliveries soon, after the reply that caused them. */
  kick(): void {
    if (this.#kicked) return;
    this.#kicked = true;
    setTimeout(() => {
      this.#kicked = false;
      void (this.#ticking === undefined ? this.settle() : this.#inTurn(() => this.#tick()));
    }, 0);
  }

  readonly run = (options: RunOptions = {}): (() => void) => {
    checkFields('run', options, { speed: isNumber({ above: 0 }) });
    const { speed = 1 } = options;
    this.#catchUp();
    this.#speed = speed;
    if (this.#ticking === undefined) {
      const timer = setInterval(() => void this.#inTurn(() => this.#tick()), tickMs);
      // In Node, a clock must not keep the process alive.
      (timer as { unref?: () => void }).unref?.();
      this.#ticking = { timer, since: performance.now() };
    }
    const runner = {};
    this.#runners.add(runner);
    this.#changed();
    return () => {
      if (this.#runners.delete(runner) && this.#runners.size === 0) this.#stop();
    };
  };

  readonly pause = (): void => {
    this.#runners.clear();
    this.#stop();
  };

  #stop(): void {
    if (this.#ticking === undefined) return;
    clearInterval(this.#ticking.timer);
    this.#store.state.time = this.now();
    this.#ticking = undefined;
    this.#changed();
  }

  #changed(): void {
    this.#store.observers.tell(() => ({ type: 'clock' }));
  }

  #inTurn(task: () => Promise<void>): Promise<void> {
    const done = this.#tail.then(task);
    this.#tail = done.catch(() => undefined);
    return done;
  }

  #tick(): Promise<void> {
    this.#catchUp();
    // A slow receiver must not delay the publications of a running clock, so deliveries are not awaited.
    for (;;) {
      const job = takeDue(this.#store.state, this.#store.state.time, everything);
      if (job === undefined) return Promise.resolve();
      this.#start(job);
    }
  }

  #catchUp(): void {
    if (this.#ticking === undefined) return;
    const { state } = this.#store;
    const now = this.now();
    // Keeps the fraction of a millisecond. If each tick dropped it, the clock would lose minutes per day.
    this.#ticking.since += (now - state.time) / this.#speed;
    state.time = now;
  }

  #restart(): void {
    if (this.#ticking !== undefined) this.#ticking.since = performance.now();
  }

  /** Moves the time after earlier moves ended. Only then asks for the target; `undefined`: no move. */
  async #move(targetAt: (now: number) => number | undefined): Promise<void> {
    await this.#inTurn(async () => {
      this.#catchUp();
      const { state } = this.#store;
      const target = targetAt(state.time);
      if (target === undefined) return;
      this.#moving = state;
      try {
        await this.#runDue(target, everything);
        state.time = target;
      } finally {
        this.#moving = undefined;
        if (state === this.#store.state) this.#restart();
      }
    });
    this.#changed();
  }

  /**
   * Executes due jobs up to a time, and moves the time from one job to the next. Deliveries of one instant end before
   * the next instant. If another state is restored meanwhile, it keeps its time, and its due jobs wait for their own
   * turn.
   */
  async #runDue(target: number, queues: Queues): Promise<void> {
    const { state } = this.#store;
    while (state === this.#store.state) {
      const job = takeDue(state, Math.min(target, state.time), queues);
      if (job !== undefined) {
        this.#start(job);
        continue;
      }
      if (this.#inFlight.size > 0) {
        await Promise.all(this.#inFlight);
        continue;
      }
      const next = earliest(state, queues)?.first();
      if (next === undefined || next.at > target) return;
      state.time = next.at;
    }
  }

  #start(job: Job): void {
    const running = this.#carryOut(job);
    if (running === undefined) return;
    const tracked = running.finally(() => this.#inFlight.delete(tracked));
    this.#inFlight.add(tracked);
  }
}

/** The queues of the state to process. */
type Queues = readonly ('jobs' | 'outgoing')[];

const everything: Queues = ['jobs', 'outgoing'];
const deliveries: Queues = ['outgoing'];

function earliest(state: State, queues: Queues): SortedList<Job> | undefined {
  let found: SortedList<Job> | undefined;
  for (const name of queues) {
    const [job, best] = [state[name].first(), found?.first()];
    if (job !== undefined && (best === undefined || byTime(job, best) < 0)) found = state[name];
  }
  return found;
}

/** Removes and returns the next job that is due at a time. */
function takeDue(state: State, until: number, queues: Queues): Job | undefined {
  const queue = earliest(state, queues);
  const job = queue?.first();
  return job === undefined || job.at > until ? undefined : queue?.shift();
}
