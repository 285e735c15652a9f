import { Clock, milliseconds, type Duration, type EmulatorClock } from './service/clock.js';
import type { Service } from './handlers/behaviour.js';
import { Deliveries } from './service/delivery.js';
import { Exchanges, type Exchange } from './http/exchange.js';
import { Faults } from './http/faults.js';
import type { Delivery, DeliveryFault, RemoveFault, RequestFault, RequestRecord } from './service/records.js';
import { Lifecycle, listedPost, type PublishingOutcome } from './service/lifecycle.js';
import { checkOptions } from './options.js';
import { Router } from './http/router.js';
import { createSeed, type Seed } from './seed/seed.js';
import { Store, type Job, type State } from './service/store.js';
import type { Post } from '../resources/posts.js';
import { respond } from './http/respond.js';

export type { Duration, EmulatorClock } from './service/clock.js';
export type { CutReply, Exchange, NoReply, WholeReply } from './http/exchange.js';
export type {
  BrokenFault,
  Delivery,
  DeliveryFault,
  FaultScope,
  LatencyFault,
  ListingLagFault,
  RateLimitFault,
  RemoveFault,
  RequestFault,
  RequestRecord,
  StatusFault,
  TimeoutFault,
} from './service/records.js';
export type { PublishingOutcome } from './service/lifecycle.js';
export type { AutomationLogSeed, AutomationSeed, EligiblePostSeed } from './seed/automation.js';
export type { CommentSeed } from './seed/comment.js';
export type { ConversationSeed, MessageSeed } from './seed/conversation.js';
export type { DemoSeed } from './seed/demo/demo.js';
export type { IntegrationSeed } from './seed/integration.js';
export type { AccountMetricsSeed, PostMetricsSeed } from './seed/metrics.js';
export type { PostSeed, PostTargetSeed } from './seed/post.js';
export type { Seed } from './seed/seed.js';
export type { SeededSelection, SelectableAccountSeed, SelectionSeed } from './seed/selection.js';
export type { SubscriptionSeed } from './seed/subscription.js';

/** How an emulator is set up. */
export interface EmulatorOptions {
  /** The access keys that it takes; `null`: it asks for none. Default `test-key`. */
  readonly accessKey?: string | readonly string[] | null | undefined;
  /** Where its clock starts, in milliseconds since 1970. It is asked once. Default: the real time. */
  readonly now?: (() => number) | undefined;
  /**
   * How far its clock is from where `now` puts it, in milliseconds; below 0 it is behind. All of the service's times are off
   * by it: `createdAt`, due times, signatures and the `Date` header. Default 0.
   */
  readonly clockSkewMs?: number | undefined;
  /** Takes webhook deliveries in place of the network. */
  readonly deliver?: ((request: Request) => Response | Promise<Response>) | undefined;
  /** Where all its chances come from: the same seed, the same run. Default 1. */
  readonly seed?: number | undefined;
  /** How long a delivery may take, in real milliseconds. Default 10,000, as documented. */
  readonly deliveryTimeoutMs?: number | undefined;
  /** The wait before a delivery's second attempt, in milliseconds of its clock; it doubles. Default 30,000. */
  readonly retryDelayMs?: number | undefined;
  /** What a target costs when a post is scheduled or published. Prices are not documented. Default 0. */
  readonly creditsPerTarget?: number | undefined;
  /** Whether the two selection operations ask for the access key, which is not documented. Default true. */
  readonly selectionNeedsKey?: boolean | undefined;
}

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

const snapshots = new WeakMap<EmulatorSnapshot, State>();

/** Creates the service, in memory: empty, its clock standing still. */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  checkOptions(options);
  const {
    accessKey = 'test-key',
    now = Date.now,
    deliver,
    seed = 1,
    clockSkewMs = 0,
    creditsPerTarget = 0,
    selectionNeedsKey = true,
  } = options;
  const { deliveryTimeoutMs = 10_000, retryDelayMs = 30_000 } = options;
  const start = now() + clockSkewMs;
  if (!Number.isFinite(start)) throw new RangeError('now must give milliseconds since 1970.');
  const store = new Store(start, seed);
  const deliveries = new Deliveries(store, () => clock, { deliver, timeoutMs: deliveryTimeoutMs, retryDelayMs });
  const lifecycle = new Lifecycle(store, () => clock, creditsPerTarget);
  const clock: Clock = new Clock(store, (job) => runJob(job, lifecycle, deliveries));
  const service: Service = { store, clock, lifecycle };
  const accessKeys = typeof accessKey === 'string' ? [accessKey] : accessKey;
  const router = new Router(service, { accessKeys, selectionNeedsKey });
  const faults = new Faults(store, router.routes);
  const exchanges = new Exchanges(store, router, faults, () => clock.now());

  return {
    fetch: async (input, init) => {
      const request = new Request(typeof input === 'string' ? new URL(input, 'https://emulator.invalid') : input, init);
      return respond(await exchanges.run(request), request);
    },
    exchange: (request) => exchanges.run(request),
    clock: {
      now: () => clock.now(),
      advance: (by) => clock.advance(by),
      set: (to) => clock.set(to),
      run: () => clock.start(),
    },
    seed: createSeed(service),
    publishing: {
      outcome(outcome) {
        lifecycle.outcome(outcome);
      },
      duration(duration) {
        store.state.publishingMs = milliseconds(duration);
      },
      reset() {
        lifecycle.resetOutcomes();
        store.state.publishingMs = 0;
      },
    },
    faults: {
      add: (fault) => faults.add(fault),
      clear() {
        faults.clear();
      },
    },
    deliveryFaults: {
      add: (fault) => deliveries.addFault(fault),
      clear() {
        deliveries.clearFaults();
      },
    },
    get requests() {
      return structuredClone(store.state.requests);
    },
    get deliveries() {
      return structuredClone(store.state.deliveries.map(({ delivery }) => delivery));
    },
    get posts() {
      return structuredClone([...store.state.posts.values()].map(listedPost));
    },
    get creditsUsed() {
      return store.state.creditsUsed;
    },
    settled: () => clock.settle(),
    snapshot() {
      const snapshot = { takenAt: new Date(clock.now()).toISOString() };
      snapshots.set(snapshot, structuredClone({ ...store.state, time: clock.now() }));
      return snapshot;
    },
    restore(snapshot) {
      const state = snapshots.get(snapshot);
      if (state === undefined) throw new TypeError('restore takes what snapshot gave.');
      store.state = structuredClone(state);
      clock.kick();
    },
  };
}

function runJob(job: Job, lifecycle: Lifecycle, deliveries: Deliveries): Promise<void> | undefined {
  switch (job.kind) {
    case 'publish':
      lifecycle.publishDue(job.postId, job.at);
      return undefined;
    case 'finish':
      lifecycle.finish(job.postId);
      return undefined;
    case 'deliver':
      return deliveries.send(job.event, job.attempt);
  }
}
