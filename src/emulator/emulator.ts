import type { Post } from '../resources/posts.js';
import type { Exchange } from './http/exchange.js';
import type { Seed } from './seed/seed.js';
import type { Duration, EmulatorClock } from './service/clock.js';
import type { PublishingOutcome } from './service/outcomes.js';
import type { Delivery, DeliveryFault, RemoveFault, RequestFault, RequestRecord } from './service/records.js';

/** What becomes of targets when they are published. */
export interface EmulatorPublishing {
  /** Says what becomes of targets from now on. Of several that fit a target, the last one said holds. */
  outcome(outcome: PublishingOutcome): void;
  /** How long publishing takes, by the clock. Default: no time at all. */
  duration(duration: Duration): void;
  /** Forgets what `outcome` and `duration` said. */
  reset(): void;
}

/** What goes wrong with requests. */
export interface EmulatorFaults {
  /** Adds a fault; what it returns takes it back. */
  add(fault: RequestFault): RemoveFault;
  /** Takes every fault back. */
  clear(): void;
}

/** What goes wrong with webhook deliveries. */
export interface EmulatorDeliveryFaults {
  /** Adds a fault; what it returns takes it back. */
  add(fault: DeliveryFault): RemoveFault;
  /** Takes every fault back. */
  clear(): void;
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
  /** Every request that came in, in order. */
  readonly requests: RequestRecord[];
  /** Every attempt at a delivery, in order. */
  readonly deliveries: Delivery[];
  /** All posts, in the order of their creation. */
  readonly posts: Post[];
  /** What all calls have cost. */
  readonly creditsUsed: number;
  /** Resolves once every delivery that is due has been made. `clock.advance` does the same and moves the time. */
  settled(): Promise<void>;
  /** What a request gets on the wire, faults included. For adapters; a program calls `fetch`. */
  exchange(request: Request): Promise<Exchange>;
  /** Copies the whole state. */
  snapshot(): EmulatorSnapshot;
  /** Goes back to a snapshot of this emulator or of another one. */
  restore(snapshot: EmulatorSnapshot): void;
}
