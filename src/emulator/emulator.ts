import type { OAuthApp } from '../resources/apps.js';
import type { NotificationSubscription } from '../resources/notifications.js';
import type { Post } from '../posts/posts.js';
import type { Exchange } from './http/request-record.js';
import type { EmulatorAccounts } from './seed/accounts.js';
import type { EmulatorIncoming } from './seed/incoming.js';
import type { SeedFile } from './seed/seed-file.js';
import type { Seed } from './seed/seed.js';
import type { FaultEntry } from './service/active-faults.js';
import type { Observer } from './state/changes.js';
import type { Duration, RunningClock } from './service/clock.js';
import type { OutcomeEntry, PublishingOutcome } from './service/outcomes.js';
import type { DeliveryFault, RemoveFault, RequestFault } from './state/fault-kinds.js';
import type { Delivery, RequestRecord } from './state/traffic.js';

/** Plans the outcomes of targets when they are published. */
export interface EmulatorPublishing {
  /**
   * Plans the outcome of targets from now on. If several match a target, the last one applies.
   * @throws RangeError if it could match no target
   */
  outcome(outcome: PublishingOutcome): void;
  /** Returns the outcomes that can still apply, in the form in which they were added. */
  outcomes(): PublishingOutcome[];
  /** Returns the outcomes that can still apply, with their IDs. */
  list(): OutcomeEntry[];
  /** Removes one outcome. Returns whether it existed. */
  remove(id: string): boolean;
  /** Sets how long publishing takes, by the clock. Default: no time. */
  duration(duration: Duration): void;
  /** Removes the outcomes and the duration. */
  reset(): void;
}

/** Simulates failures, of requests unless another kind of fault is named. */
export interface EmulatorFaults<Fault = RequestFault> {
  /**
   * Adds a fault. The returned function removes it.
   * @throws RangeError if it could never apply
   */
  add(fault: Fault): RemoveFault;
  /** Returns the faults that never applied, as they were added. If a test ends with some, it did not test them. */
  unused(): Fault[];
  /**
   * Returns the added faults that were not removed, each with its effects. Of used-up faults, it returns the latest
   * 100.
   */
  list(): FaultEntry<Fault>[];
  /** Removes the fault with this ID in `list`. Returns whether it existed. */
  remove(id: string): boolean;
  /** Removes every fault. */
  clear(): void;
}

/** Simulates failures of webhook deliveries. */
export type EmulatorDeliveryFaults = EmulatorFaults<DeliveryFault>;

/** A step of a scenario that has not happened yet. */
export interface ScenarioEntry {
  /** The ID of the step in this emulator, for `service.scenarios.remove(id)`. */
  readonly id: string;
  /** When it happens, by the emulator's clock. */
  readonly at: string;
  /** The step as it was planned. */
  readonly step: Omit<ScenarioStep, 'at'>;
}

/** The steps of scenarios that have not happened yet. */
export interface EmulatorScenarios {
  /** Returns the planned steps, in the order in which they happen. */
  list(): ScenarioEntry[];
  /** Removes one step. Returns whether it existed. */
  remove(id: string): boolean;
}

/** A planned event, at a time of the emulator's clock. */
export interface ScenarioStep {
  /** The time from now. */
  readonly at: Duration;
  /** Faults to add, for requests or deliveries depending on their kind. A `timeout` applies to requests. */
  readonly faults?: RequestFault | DeliveryFault | readonly (RequestFault | DeliveryFault)[] | undefined;
  /** The outcomes of targets from then on. */
  readonly outcomes?: PublishingOutcome | readonly PublishingOutcome[] | undefined;
  /** The data to seed then. */
  readonly seed?: SeedFile | undefined;
}

/** Selects records of the traffic. */
export interface AboutPost {
  /** Only requests that created, changed or read this one post, and deliveries of events about it. Default: all. */
  readonly postId?: string | undefined;
}

/** The records that `clear` removes. */
export interface ClearOptions {
  /** All of `requests`. Default false. */
  readonly requests?: boolean | undefined;
  /** All of `deliveries`. Default false. */
  readonly deliveries?: boolean | undefined;
}

/** The whole state of an emulator at one moment. */
export interface EmulatorSnapshot {
  /** When it was created, by the emulator's clock, an ISO 8601 date-time. */
  readonly takenAt: string;
  /**
   * Returns the state in JSON form, for `createEmulator({ state })` in another process. It contains the clock, all
   * records, faults, outcomes, current and future deliveries, tokens, credits and counters. Unlike the snapshot, its
   * cost grows with the size of the state.
   */
  toJSON(): EmulatorState;
}

/** A whole state in JSON form. Only the emulator reads its parts. */
export interface EmulatorState {
  /** Always `social-publishing-emulator`. */
  readonly format: string;
  /** The version of the form. A later package can read earlier versions. */
  readonly version: number;
  /** The parts. */
  readonly [part: string]: unknown;
}

/** The service in memory. */
export interface Emulator {
  /** The access key, the first of several; `null`: no check. */
  readonly accessKey: string | null;
  /** All accepted access keys; `null`: no check. */
  readonly accessKeys: readonly string[] | null;
  /** Replies like `fetch`. Pass it to the client as `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  /** The time: read it, move it, run it. */
  readonly clock: RunningClock;
  /** Adds single items, or two weeks of data with `seed.demo()`. */
  readonly seed: Seed;
  /** Expires, fails and reconnects accounts. */
  readonly accounts: EmulatorAccounts;
  /** Simulates users of the platforms: they comment and write, and automations answer. */
  readonly incoming: EmulatorIncoming;
  /** Plans the outcomes of targets when they are published. */
  readonly publishing: EmulatorPublishing;
  /** Simulates failures of requests. */
  readonly faults: EmulatorFaults;
  /** Simulates failures of webhook deliveries. */
  readonly deliveryFaults: EmulatorDeliveryFaults;
  /** The latest requests, in order: 10,000, or the number in `keep`. */
  readonly requests: RequestRecord[];
  /** The latest delivery attempts, in order: 10,000, or the number in `keep`. */
  readonly deliveries: Delivery[];
  /** All posts, in the order of their creation. */
  readonly posts: Post[];
  /** All subscriptions, in the order of their creation, with their complete signing secrets. */
  readonly subscriptions: NotificationSubscription[];
  /** All registered apps, in the order of their creation. */
  readonly apps: OAuthApp[];
  /** The cost of all calls, in credits. */
  readonly creditsUsed: number;
  /** Returns the latest requests, in order: at most `count`. It is cheaper than `requests`. */
  latestRequests(count: number, about?: AboutPost): RequestRecord[];
  /** Returns the latest delivery attempts, in order: at most `count`. It is cheaper than `deliveries`. */
  latestDeliveries(count: number, about?: AboutPost): Delivery[];
  /**
   * Repeats a delivery, as a service does on a user's request: the same event, signed again. No fault applies to it,
   * and it is not retried. Resolves to the new delivery, which `deliveries` contains too.
   * @throws RangeError if the delivery or its subscription does not exist
   */
  replay(deliveryId: string): Promise<Delivery>;
  /** Reports each change from now on, until you call the returned function. */
  observe(observer: Observer): () => void;
  /**
   * Plans faults, outcomes and seeds for later times of the clock. The plan is a part of the state.
   * @throws ConfigurationError with each step that cannot run; nothing is planned then
   */
  scenario(steps: readonly ScenarioStep[]): void;
  /** The steps of scenarios that have not happened yet. */
  readonly scenarios: EmulatorScenarios;
  /** Removes the recorded requests or deliveries, and nothing else. */
  clear(what: ClearOptions): void;
  /** Resolves once every due delivery was made. `clock.advance` does the same and moves the time. */
  settled(): Promise<void>;
  /** Returns the exchange of a request on the wire, including faults. For adapters; programs call `fetch`. */
  exchange(request: Request): Promise<Exchange>;
  /**
   * Answers a request that isn't under test: it is not recorded, and no fault applies to it. For tools that observe.
   */
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
   * Restores a snapshot of this emulator or of another one, or the result of its `toJSON`. Deliveries in flight at that
   * time are sent again, because their results are unknown.
   * @throws ConfigurationError if the state is broken or of a later version; nothing changes then
   */
  restore(snapshot: EmulatorSnapshot | EmulatorState): void;
}
