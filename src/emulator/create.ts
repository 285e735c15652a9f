import { respond } from './http/respond.js';
import { RequestPipeline } from './http/request-pipeline.js';
import { RequestFaults } from './http/faults.js';
import { Router } from './http/router.js';
import { finishRun } from './handlers/automation-runs.js';
import type { Service } from './handlers/handler.js';
import type { AboutPost, ClearOptions, Emulator, EmulatorSnapshot, EmulatorState } from './emulator.js';
import { planScenario, runStep, scenariosOf } from './scenario.js';
import type { ScenarioStep } from './scenario-step.js';
import { settingsOf, type EmulatorOptions, type EmulatorSettings } from './options.js';
import { stateOf, takeSnapshot } from './snapshots.js';
import { createAccounts } from './seed/accounts.js';
import { createIncoming } from './seed/incoming.js';
import { createSeed } from './seed/seed.js';
import { Clock, milliseconds, type RunningClock } from './service/clock.js';
import { Deliveries } from './service/delivery.js';
import { DeliveryFaults } from './service/delivery-faults.js';
import { Events } from './service/events.js';
import { checkFields } from './service/fields.js';
import { isDeliveryAbout, isRequestAbout, listedPost } from './state/post-view.js';
import type { SortedList } from './state/sorted-list.js';
import { expireToken } from './state/tokens.js';
import { Lifecycle } from './service/lifecycle.js';
import { Outcomes } from './service/outcomes.js';
import { Store } from './state/store.js';
import type { Job } from './state/stored-records.js';
import type { Delivery, RequestRecord } from './state/traffic.js';

interface Parts extends Service {
  readonly outcomes: Outcomes;
  readonly deliveries: Deliveries;
  readonly deliveryFaults: DeliveryFaults;
  readonly faults: RequestFaults;
  readonly pipeline: RequestPipeline;
}

/**
 * Creates the service in memory: empty, with a stopped clock.
 *
 * @throws `ConfigurationError` for invalid options
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const settings = settingsOf(options);
  const parts = assemble(settings);
  const { store, clock, pipeline } = parts;
  return {
    ...keysOf(settings),
    fetch: async (input, init) => {
      const request = new Request(typeof input === 'string' ? new URL(input, 'https://emulator.invalid') : input, init);
      return respond(await pipeline.run(request), request);
    },
    ...forAdapters(parts),
    clock: clockOf(clock),
    ...controls(parts),
    accounts: createAccounts(parts),
    get requests() {
      return latestRequests(store, Infinity);
    },
    get deliveries() {
      return latestDeliveries(store, Infinity);
    },
    latestRequests: (count, about) => latestRequests(store, count, about),
    latestDeliveries: (count, about) => latestDeliveries(store, count, about),
    replay: (deliveryId) => parts.deliveries.replay(deliveryId),
    observe: (observer) => store.observers.add(observer),
    get posts() {
      return allPosts(store);
    },
    get subscriptions() {
      return structuredClone([...store.state.subscriptions.values()]);
    },
    get apps() {
      return structuredClone([...store.state.apps.values()]);
    },
    get creditsUsed() {
      return store.state.creditsUsed;
    },
    clear(what) {
      clearRecords(store, what);
    },
    scenario(steps) {
      planSteps(parts, steps);
    },
    scenarios: scenariosOf(store),
    settled: () => clock.settle(),
    snapshot: () => takeSnapshot(store, clock.now()),
    restore(snapshot) {
      restoreSnapshot(parts, snapshot);
    },
  };
}

function keysOf({ accessKeys }: EmulatorSettings): Pick<Emulator, 'accessKey' | 'accessKeys'> {
  return { accessKey: accessKeys?.[0] ?? null, accessKeys };
}

function forAdapters({
  pipeline,
  deliveries,
}: Parts): Pick<Emulator, 'exchange' | 'exchangeAside' | 'limitDeliveries'> {
  return {
    exchange: (request) => pipeline.run(request),
    exchangeAside: (request) => pipeline.runAside(request),
    limitDeliveries(refuse) {
      deliveries.limit(refuse);
    },
  };
}

function allPosts({ state }: Store): Emulator['posts'] {
  const inOrder = [...state.posts.fromOldest()].sort((a, b) => a.order - b.order);
  return structuredClone(inOrder.map(listedPost));
}

function planSteps({ store, clock }: Parts, steps: readonly ScenarioStep[]): void {
  const scratch = createEmulator({ state: takeSnapshot(store, clock.now()), deliver: () => new Response() });
  for (const { afterMs, step } of planScenario(steps, scratch))
    store.schedule(clock.now() + afterMs, { kind: 'scenario', step: structuredClone(step) });
  store.observers.tell(() => ({ type: 'state', what: 'scenario' }));
}

function assemble(settings: EmulatorSettings): Parts {
  const store = new Store(settings.start, settings.seed, settings.accessKeys);
  const deliveryFaults = new DeliveryFaults(store);
  const deliveries = new Deliveries(store, () => clock, deliveryFaults, settings);
  const outcomes = new Outcomes(store);
  const events = new Events(store, () => clock);
  const lifecycle = new Lifecycle(store, () => clock, outcomes, events, settings.creditsPerTarget);
  const clock: Clock = new Clock(store, (job) => {
    if (job.kind !== 'scenario') return runJob(job, service, deliveries);
    const problems = runStep(job.step, controls(parts));
    store.observers.tell(() => ({ type: 'scenario', problems }));
    return undefined;
  });
  const service: Service = { store, clock, lifecycle, events };
  if (settings.state !== undefined) {
    store.adopt(settings.state);
    clock.kick();
  }
  const router = new Router(service, settings);
  const faults = new RequestFaults(store, router.routes, () => clock.now());
  const pipeline = new RequestPipeline(store, router, faults, () => clock.now(), settings.keptRequests);
  const parts: Parts = { ...service, outcomes, deliveries, deliveryFaults, faults, pipeline };
  return parts;
}

function clockOf(clock: Clock): RunningClock {
  return {
    now: () => clock.now(),
    advance: (by) => clock.advance(by),
    set: (to) => clock.set(to),
    run: (options) => clock.run(options),
    pause() {
      clock.pause();
    },
    step: () => clock.step(),
    get running() {
      return clock.running;
    },
    get speed() {
      return clock.speed;
    },
    get nextDue() {
      return clock.nextDue;
    },
    get nextEvent() {
      return clock.nextEvent;
    },
  };
}

function latestRequests({ state: { requests } }: Store, count: number, { postId }: AboutPost = {}): RequestRecord[] {
  if (postId === undefined) return structuredClone(latest(requests, count).map(({ record }) => record));
  const about = requests.slice().flatMap(({ record }) => (isRequestAbout(record, postId) ? [record] : []));
  return structuredClone(about.slice(Math.max(0, about.length - count)));
}

function latestDeliveries({ state: { deliveries } }: Store, count: number, { postId }: AboutPost = {}): Delivery[] {
  if (postId === undefined) return structuredClone(latest(deliveries, count).map(({ delivery }) => delivery));
  const about = deliveries.slice().flatMap(({ delivery }) => (isDeliveryAbout(delivery, postId) ? [delivery] : []));
  return structuredClone(about.slice(Math.max(0, about.length - count)));
}

function latest<T>(list: SortedList<T>, count: number): T[] {
  return list.slice(Math.max(0, list.size - count));
}

function runJob(
  job: Exclude<Job, { kind: 'scenario' }>,
  service: Service,
  deliveries: Deliveries,
): Promise<void> | undefined {
  const { store, lifecycle } = service;
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
    case 'answer':
      finishRun(service, job.automationId, job.logId);
      return undefined;
    case 'deliver':
      return deliveries.send(job.event, job.attempt);
  }
}

function controls(parts: Parts): Pick<Emulator, 'seed' | 'incoming' | 'publishing' | 'faults' | 'deliveryFaults'> {
  const { store, outcomes, faults, deliveryFaults } = parts;
  return {
    seed: createSeed(parts),
    incoming: createIncoming(parts),
    publishing: {
      outcome(outcome) {
        outcomes.add(outcome);
      },
      outcomes: () => outcomes.entries().map(({ outcome }) => outcome),
      list: () => outcomes.entries(),
      remove: (id) => outcomes.remove(id),
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
      list: () => faults.entries(),
      remove: (id) => faults.remove(id),
      clear() {
        faults.clear();
      },
    },
    deliveryFaults: {
      add: (fault) => deliveryFaults.add(fault),
      unused: () => deliveryFaults.unused(),
      list: () => deliveryFaults.entries(),
      remove: (id) => deliveryFaults.remove(id),
      clear() {
        deliveryFaults.clear();
      },
    },
  };
}

function clearRecords({ state, observers }: Store, what: ClearOptions): void {
  checkFields('clear', what, ['requests', 'deliveries']);
  for (const part of ['requests', 'deliveries'] as const) {
    if (what[part] !== true) continue;
    state[part].clear();
    observers.tell(() => ({ type: 'state', what: part }));
  }
}

function restoreSnapshot({ store, clock }: Parts, snapshot: EmulatorSnapshot | EmulatorState): void {
  store.adopt(stateOf(snapshot));
  store.observers.tell(() => ({ type: 'state', what: 'all' }));
  clock.kick();
}
