import { respond } from './http/respond.js';
import { Exchanges } from './http/exchanges.js';
import { RequestFaults } from './http/faults.js';
import { Router } from './http/router.js';
import type { Service } from './handlers/handler.js';
import type { ClearOptions, Emulator, EmulatorSnapshot } from './emulator.js';
import { settingsOf, type EmulatorOptions, type EmulatorSettings } from './options.js';
import { createSeed } from './seed/seed.js';
import { Clock, milliseconds } from './service/clock.js';
import { Deliveries } from './service/delivery.js';
import { DeliveryFaults } from './service/delivery-faults.js';
import { Events } from './service/events.js';
import { checkFields } from './service/fields.js';
import { expireToken } from './service/tokens.js';
import { Lifecycle } from './service/lifecycle.js';
import { listedPost } from './service/listed-post.js';
import { Outcomes } from './service/outcomes.js';
import { forkState, type State } from './service/state.js';
import { Store } from './service/store.js';
import type { Job } from './service/stored.js';
import { timestamp } from './service/time.js';

/** Everything that an emulator consists of. */
interface Parts extends Service {
  readonly outcomes: Outcomes;
  readonly deliveryFaults: DeliveryFaults;
  readonly faults: RequestFaults;
  readonly exchanges: Exchanges;
}

/**
 * Creates the service, in memory: empty, its clock standing still.
 *
 * @throws `ConfigurationError` where an option can't work
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const parts = assemble(settingsOf(options));
  const { store, clock, exchanges } = parts;
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
    seed: createSeed(parts),
    ...controls(parts),
    get requests() {
      return structuredClone([...store.state.requests].map(({ record }) => record));
    },
    get deliveries() {
      return structuredClone([...store.state.deliveries].map(({ delivery }) => delivery));
    },
    get posts() {
      const inOrder = [...store.state.posts.fromOldest()].sort((a, b) => a.order - b.order);
      return structuredClone(inOrder.map(listedPost));
    },
    get creditsUsed() {
      return store.state.creditsUsed;
    },
    clear(what) {
      clearRecords(store, what);
    },
    settled: () => clock.settle(),
    snapshot: () => takeSnapshot(parts),
    restore(snapshot) {
      restoreSnapshot(parts, snapshot);
    },
  };
}

function assemble(settings: EmulatorSettings): Parts {
  const store = new Store(settings.start, settings.seed);
  const deliveryFaults = new DeliveryFaults(store);
  const deliveries = new Deliveries(store, () => clock, deliveryFaults, settings);
  const outcomes = new Outcomes(store);
  const events = new Events(store, () => clock);
  const lifecycle = new Lifecycle(store, () => clock, outcomes, events, settings.creditsPerTarget);
  const clock: Clock = new Clock(store, (job) => runJob(job, store, lifecycle, deliveries));
  const service: Service = { store, clock, lifecycle, events };
  const router = new Router(service, settings);
  const faults = new RequestFaults(store, router.routes);
  const exchanges = new Exchanges(store, router, faults, () => clock.now(), settings.keptRequests);
  return { ...service, outcomes, deliveryFaults, faults, exchanges };
}

function runJob(job: Job, store: Store, lifecycle: Lifecycle, deliveries: Deliveries): Promise<void> | undefined {
  switch (job.kind) {
    case 'publish':
      lifecycle.publishDue(job.postId, job.at);
      return undefined;
    case 'finish':
      lifecycle.finishDue(job.postId);
      return undefined;
    case 'expire':
      expireToken(store, job.accountId, job.at);
      return undefined;
    case 'deliver':
      return deliveries.send(job.event, job.attempt);
  }
}

/** What a test turns: what becomes of publications, and what goes wrong. */
function controls({
  store,
  outcomes,
  faults,
  deliveryFaults,
}: Parts): Pick<Emulator, 'publishing' | 'faults' | 'deliveryFaults'> {
  return {
    publishing: {
      outcome(outcome) {
        outcomes.add(outcome);
      },
      duration(duration) {
        store.state.publishingMs = milliseconds(duration);
      },
      reset() {
        outcomes.clear();
        store.state.publishingMs = 0;
      },
    },
    faults: {
      add: (fault) => faults.add(fault),
      unused: () => faults.unused(),
      clear() {
        faults.clear();
      },
    },
    deliveryFaults: {
      add: (fault) => deliveryFaults.add(fault),
      unused: () => deliveryFaults.unused(),
      clear() {
        deliveryFaults.clear();
      },
    },
  };
}

function clearRecords({ state }: Store, what: ClearOptions): void {
  checkFields('clear', what, ['requests', 'deliveries']);
  if (what.requests === true) state.requests.clear();
  if (what.deliveries === true) state.deliveries.clear();
}

const snapshots = new WeakMap<EmulatorSnapshot, State>();

function takeSnapshot({ store, clock }: Parts): EmulatorSnapshot {
  const snapshot = { takenAt: timestamp(clock.now()) };
  snapshots.set(snapshot, { ...store.fork(), time: clock.now() });
  return snapshot;
}

function restoreSnapshot({ store, clock }: Parts, snapshot: EmulatorSnapshot): void {
  const state = snapshots.get(snapshot);
  if (state === undefined) throw new TypeError('restore takes what snapshot gave.');
  store.state = forkState(state);
  clock.kick();
}
