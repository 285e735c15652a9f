import { unchecked } from '../core/call/options.js';
import { respond } from './http/respond.js';
import { RequestPipeline } from './http/request-pipeline.js';
import { RequestFaults } from './http/faults.js';
import { Router } from './http/router.js';
import { finishRun } from './handlers/automation-runs.js';
import type { Service } from './handlers/handler.js';
import type { ClearOptions, Emulator, EmulatorSnapshot, EmulatorState, ScenarioStep } from './emulator.js';
import type { Observer } from './state/changes.js';
import { planScenario, runStep, scenariosOf } from './scenario.js';
import { settingsOf, type EmulatorOptions, type EmulatorSettings } from './options.js';
import { stateOf, takeSnapshot } from './snapshots.js';
import { createAccounts } from './seed/accounts.js';
import { createIncoming } from './seed/incoming.js';
import { createSeed, type Seed } from './seed/seed.js';
import { Clock } from './service/clock.js';
import { Deliveries } from './service/delivery.js';
import { DeliveryFaults } from './service/delivery-faults.js';
import { Events } from './service/events.js';
import { checkFields } from './service/fields.js';
import { isDeliveryAbout, isRequestAbout, listedPost } from './state/post-view.js';
import { expireToken } from './state/tokens.js';
import { Lifecycle } from './service/lifecycle.js';
import { Outcomes } from './service/outcomes.js';
import { Store } from './state/store.js';
import type { Job } from './state/stored-records.js';

interface Parts extends Service {
  readonly seed: Seed;
  readonly publishing: Outcomes;
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
  const { accessKeys } = settings;
  const parts = assemble(settings);
  const { store, clock, pipeline, deliveries, seed, publishing, faults, deliveryFaults } = parts;
  // A spread would read the getters once.
  return Object.assign(recordsOf(store), {
    accessKey: accessKeys?.[0] ?? null,
    accessKeys,
    clock,
    seed,
    publishing,
    faults,
    deliveryFaults,
    fetch: async (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(typeof input === 'string' ? new URL(input, 'https://emulator.invalid') : input, init);
      return respond(await pipeline.run(request), request);
    },
    accounts: createAccounts(parts),
    incoming: createIncoming(parts),
    replay: (deliveryId: string) => deliveries.replay(deliveryId),
    observe: (observer: Observer) => store.observers.add(observer),
    clear(what: ClearOptions) {
      checkFields('clear', what, { requests: unchecked, deliveries: unchecked });
      for (const part of ['requests', 'deliveries'] as const) {
        if (what[part] !== true) continue;
        store.state[part].clear();
        store.changed(part);
      }
    },
    scenario(steps: readonly ScenarioStep[]) {
      const scratch = createEmulator({ state: takeSnapshot(store, clock.now()), deliver: () => new Response() });
      for (const { afterMs, step } of planScenario(steps, scratch))
        store.schedule(clock.now() + afterMs, { kind: 'scenario', step: structuredClone(step) });
      store.changed('scenario');
    },
    scenarios: scenariosOf(store),
    settled: () => clock.settle(),
    exchange: (request: Request) => pipeline.run(request),
    exchangeAside: (request: Request) => pipeline.runAside(request),
    limitDeliveries: deliveries.limit.bind(deliveries),
    snapshot: () => takeSnapshot(store, clock.now()),
    restore(snapshot: EmulatorSnapshot | EmulatorState) {
      store.adopt(stateOf(snapshot));
      store.changed('all');
      clock.kick();
    },
  });
}

function recordsOf(store: Store) {
  const latestRequests: Emulator['latestRequests'] = (count, { postId } = {}) => {
    const all = store.state.requests.slice().map(({ record }) => record);
    return latest(postId === undefined ? all : all.filter((record) => isRequestAbout(record, postId)), count);
  };
  const latestDeliveries: Emulator['latestDeliveries'] = (count, { postId } = {}) => {
    const all = store.state.deliveries.slice().map(({ delivery }) => delivery);
    return latest(postId === undefined ? all : all.filter((delivery) => isDeliveryAbout(delivery, postId)), count);
  };
  return {
    latestRequests,
    latestDeliveries,
    get requests() {
      return latestRequests(Infinity);
    },
    get deliveries() {
      return latestDeliveries(Infinity);
    },
    get posts() {
      const inOrder = [...store.state.posts.fromOldest()].sort((a, b) => a.order - b.order);
      return structuredClone(inOrder.map(listedPost));
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
  };
}

/** Copies the last records, in order: at most `count`. Only copying them takes time. */
function latest<T>(records: readonly T[], count: number): T[] {
  return structuredClone(records.slice(Math.max(0, records.length - count)));
}

function assemble(settings: EmulatorSettings): Parts {
  const store = new Store(settings.start, settings.seed);
  const clock = new Clock(store, (job) => runJob(job, parts));
  const deliveryFaults = new DeliveryFaults(store);
  const deliveries = new Deliveries(store, clock, deliveryFaults, settings);
  const publishing = new Outcomes(store);
  const events = new Events(store, clock);
  const lifecycle = new Lifecycle(store, clock, publishing, events, settings.creditsPerTarget);
  const service: Service = { store, clock, lifecycle, events };
  if (settings.state !== undefined) {
    store.adopt(settings.state);
    clock.kick();
  }
  const router = new Router(service, settings);
  const faults = new RequestFaults(store, clock.now);
  const pipeline = new RequestPipeline(store, router, faults, clock.now, settings.keptRequests);
  const seed = createSeed(service);
  const parts: Parts = { ...service, seed, publishing, deliveries, deliveryFaults, faults, pipeline };
  return parts;
}

function runJob(job: Job, parts: Parts): Promise<void> | undefined {
  const { store, lifecycle, deliveries } = parts;
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
      finishRun(parts, job.automationId, job.logId);
      return undefined;
    case 'scenario': {
      const problems = runStep(job.step, parts);
      store.observers.tell(() => ({ type: 'scenario', problems }));
      return undefined;
    }
    case 'deliver':
      return deliveries.send(job.event, job.attempt);
  }
}
