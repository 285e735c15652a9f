import type { OAuthApp } from '../resources/apps.js';
import type { NotificationSubscription } from '../resources/notifications.js';
import type { Post } from '../resources/posts.js';
import type { Exchange } from './http/exchange.js';
import type { ScenarioStep } from './scenario-step.js';
import type { EmulatorIncoming } from './seed/incoming.js';
import type { Seed } from './seed/seed.js';
import type { FaultEntry } from './service/active-faults.js';
import type { Observer } from './service/changes.js';
import type { Duration, RunningClock } from './service/clock.js';
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
  /** The outcomes that still hold for something, as they could be said again. */
  outcomes(): PublishingOutcome[];
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
  /** The faults that were added and not taken back, each with what it did. Of those that are used up, the latest 100. */
  list(): FaultEntry<RequestFault>[];
  /** Takes back the fault that has this ID in `list`. It tells whether there was one. */
  remove(id: string): boolean;
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
  /** The faults that were added and not taken back, each with what it did. Of those that are used up, the latest 100. */
  list(): FaultEntry<DeliveryFault>[];
  /** Takes back the fault that has this ID in `list`. It tells whether there was one. */
  remove(id: string): boolean;
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
  /**
   * The state as JSON holds it, for `createEmulator({ state })` in another process: the clock, all records, faults and
   * outcomes, deliveries under way and to come, tokens, credits and counters. Unlike the snapshot it costs the more, the
   * more there is.
   */
  toJSON(): EmulatorState;
}

/** A whole state as JSON holds it. What its parts are is nobody's business but the emulator's. */
export interface EmulatorState {
  /** `social-publishing-emulator`. */
  readonly format: string;
  /** The version of the form. A later package reads an earlier one's. */
  readonly version: number;
  /** The parts. */
  readonly [part: string]: unknown;
}

/** The service, in memory. */
export interface Emulator {
  /** The access key that it takes, the first of several; `null`: it asks for none. */
  readonly accessKey: string | null;
  /** All the access keys that it takes; `null`: it asks for none. */
  readonly accessKeys: readonly string[] | null;
  /** Answers as `fetch` would. Give it to the client as `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  /** The time: read it, move it, let it run. */
  readonly clock: RunningClock;
  /** Adds single things, or a whole fortnight with `seed.demo()`. */
  readonly seed: Seed;
  /** What people on the platforms do: they comment and write, and automations answer. */
  readonly incoming: EmulatorIncoming;
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
  /** All subscriptions, in the order of their creation, their signing secrets shown whole. */
  readonly subscriptions: NotificationSubscription[];
  /** All registered apps, in the order of their creation. */
  readonly apps: OAuthApp[];
  /** What all calls have cost. */
  readonly creditsUsed: number;
  /** The latest requests, in order: no more than `count`. It costs less than `requests`. */
  latestRequests(count: number): RequestRecord[];
  /** The latest attempts at deliveries, in order: no more than `count`. It costs less than `deliveries`. */
  latestDeliveries(count: number): Delivery[];
  /**
   * Sends what a delivery sent once more, as a service does when its user asks for it: the same event, signed anew. No fault
   * hits it, and it is not retried. It resolves to the new delivery, which `deliveries` has too.
   * @throws RangeError where there is no delivery of this ID, or its subscription is gone
   */
  replay(deliveryId: string): Promise<Delivery>;
  /** Tells of each change from now on, until what it returns is called. */
  observe(observer: Observer): () => void;
  /**
   * Plans what happens at times to come: faults, outcomes and seeds, each at its time by the clock. What is planned is a part
   * of the state.
   * @throws ConfigurationError that lists each step that could not happen; nothing is planned then
   */
  scenario(steps: readonly ScenarioStep[]): void;
  /** Forgets the requests or the deliveries that came so far, and nothing else. */
  clear(what: ClearOptions): void;
  /** Resolves once every delivery that is due has been made. `clock.advance` does the same and moves the time. */
  settled(): Promise<void>;
  /** What a request gets on the wire, faults included. For adapters; a program calls `fetch`. */
  exchange(request: Request): Promise<Exchange>;
  /** Answers a request that is none of those under test: it is not recorded, and no fault hits it. For tools that look on. */
  exchangeAside(request: Request): Promise<Exchange>;
  /**
   * From now on, a delivery for which `refuse` returns a reason fails with it and is not sent. For adapters.
   *
   * @internal
   */
  limitDeliveries(refuse: (url: string) => string | undefined): void;
  /** Copies the whole state. */
  snapshot(): EmulatorSnapshot;
  /**
   * Goes back to a snapshot of this emulator or of another one, or to what `toJSON` made of one. What was being delivered
   * then is sent again: what became of it is not known.
   * @throws ConfigurationError where the state is broken or of a later version; nothing is changed then
   */
  restore(snapshot: EmulatorSnapshot | EmulatorState): void;
}
