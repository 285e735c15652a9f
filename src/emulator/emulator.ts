import type { Post } from '../resources/posts.js';
import type { Exchange } from './http/exchange.js';
import type { Seed } from './seed/seed.js';
import type { Duration, EmulatorClock } from './service/clock.js';
import type { PublishingOutcome } from './service/outcomes.js';
import type { DeliveryFault, RemoveFault, RequestFault } from './service/fault-kinds.js';
import type { Delivery, RequestRecord } from './service/traffic.js';

/** What becomes of targets when they are published. */
export interface EmulatorPublishing {
  /**
   * Says what becomes of targets from now on. Of several that fit a target, the last one said holds.
   * @throws RangeError where it could fit no target
   */
  outcome(outcome: PublishingOutcome): void;
  /** How long publishing takes, by the clock. Default: no time at all. */
  duration(duration: Duration): void;
  /** Forgets what `outcome` and `duration` said. */
  reset(): void;
}

/** What goes wrong with requests. */
export interface EmulatorFaults {
  /**
   * Adds a fault; what it returns takes it back.
   * @throws RangeError where it could hit nothing
   */
  add(fault: RequestFault): RemoveFault;
  /** The faults that have not hit anything yet, as they were added: a test that ends with some did not test them. */
  unused(): RequestFault[];
  /** Takes every fault back. */
  clear(): void;
}

/** What goes wrong with webhook deliveries. */
export interface EmulatorDeliveryFaults {
  /**
   * Adds a fault; what it returns takes it back.
   * @throws RangeError where it could hit nothing
   */
  add(fault: DeliveryFault): RemoveFault;
  /** The faults that have not hit anything yet, as they were added. */
  unused(): DeliveryFault[];
  /** Takes every fault back. */
  clear(): void;
}

/** What `clear` forgets. */
export interface ClearOptions {
  /** All of `requests`. Default false. */
  readonly requests?: boolean | undefined;
  /** All of `deliveries`. Default false. */
  readonly deliveries?: boolean | undefined;
}

/** The whole state of an emulator at one moment. */
export interface EmulatorSnapshot {
  /** When it was taken by the emulator's clock, an ISO 8601 date-time. */
  readonly takenAt: string;
}

/** The service, in memory. */
export interface Emulator {
  /** Answers as `fetch` would. Give it to the client as `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  /** The time: read it, move it, let it run. */
  readonly clock: EmulatorClock & {
    /** Lets the time run in step with the real one, until what it returns is called. */
    run(): () => void;
  };
  /** Adds single things, or a whole fortnight with `seed.demo()`. */
  readonly seed: Seed;
  /** What becomes of targets when they are published. */
  readonly publishing: EmulatorPublishing;
  /** What goes wrong with requests. */
  readonly faults: EmulatorFaults;
  /** What goes wrong with webhook deliveries. */
  readonly deliveryFaults: EmulatorDeliveryFaults;
  /** The latest requests that came in, in order: 10,000, or as many as `keep` says. */
  readonly requests: RequestRecord[];
  /** The latest attempts at deliveries, in order: 10,000, or as many as `keep` says. */
  readonly deliveries: Delivery[];
  /** All posts, in the order of their creation. */
  readonly posts: Post[];
  /** What all calls have cost. */
  readonly creditsUsed: number;
  /** Forgets the requests or the deliveries that came so far, and nothing else. */
  clear(what: ClearOptions): void;
  /** Resolves once every delivery that is due has been made. `clock.advance` does the same and moves the time. */
  settled(): Promise<void>;
  /** What a request gets on the wire, faults included. For adapters; a program calls `fetch`. */
  exchange(request: Request): Promise<Exchange>;
  /** Copies the whole state. */
  snapshot(): EmulatorSnapshot;
  /** Goes back to a snapshot of this emulator or of another one. */
  restore(snapshot: EmulatorSnapshot): void;
}
