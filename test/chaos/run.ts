import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEmulator } from '../../src/emulator/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { SocialPublishing } from '../../src/index.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import type { Intent } from '../../src/publisher/intents/intent-record.js';
import type { Publisher } from '../../src/publisher/publisher.js';
import { freePort } from '../support/temporary-servers.js';
import { openStore, type StoreSpec } from '../stores/open-store.js';
import { buildPrograms } from './build.js';
import { countIntents, readSteps, type CountedIntents } from './count.js';
import { Inboxes, retryDelayMs, type HandledEvents } from './inboxes.js';
import { Processes } from './processes.js';
import type { WorkerTask } from './worker.js';
import { Worker } from './workers.js';

export interface PublishingPlan {
  readonly intents: number;
  readonly processes: number;
  /** The interval at which one of the processes is killed. Missing: none is killed. */
  readonly killEveryMs?: number | undefined;
  /** The number of times that the store's server is lost during the run. `restart` kills and replaces it. */
  readonly restarts: number;
  readonly restart?: () => Promise<void>;
  readonly say?: (line: string) => void;
}

export interface ServiceFaults {
  /** The probability that the reply to a create is lost after the post was made. */
  readonly lostReplies: number;
  /** The probability that all deliveries of an event are lost. */
  readonly lostDeliveries: number;
}

export interface ChaosPlan extends PublishingPlan, ServiceFaults {
  readonly spec: StoreSpec;
  /** The clocks of the publishing processes: equal to the service's, up to an hour apart, or changed repeatedly. */
  readonly clocks: 'equal' | 'apart' | 'jumping';
}

export interface ChaosResult extends CountedIntents, HandledEvents {
  /** The number of killed publishing processes. */
  readonly kills: number;
  readonly restarts: number;
  readonly seconds: number;
}

/** The number of intents per order. */
const batch = 40;
export const leaseMs = 2_000;
/** Short, so that searches read further back during the run. */
export const settleMs = 20_000;
/** The interval at which one of the processes sweeps. */
const sweepEveryMs = 10_000;
/** The average lifetime of an inbox. */
const inboxLifeMs = 2_000;

/**
 * Publishes with processes that are killed all the time, receives events in inboxes that are killed too, and counts
 * both.
 */
export async function runChaos(plan: ChaosPlan): Promise<ChaosResult> {
  const started = performance.now();
  mkdirSync('.tmp/chaos', { recursive: true });
  await buildPrograms(plan.spec.kind);
  const logs = mkdtempSync(join(tmpdir(), 'social-publishing-chaos-'));
  const { service, accountIds } = newService(plan);
  const served = await serveEmulator(service, { realTime: true });
  const store = await openStore(plan.spec);
  const client = new SocialPublishing({ baseUrl: served.url, accessKey: 'test-key' });
  const processes = new Processes();
  let inboxes: Inboxes | undefined;
  try {
    await store.setup?.();
    const task = { spec: plan.spec, baseUrl: served.url };
    const subscription = await subscribe(client);
    inboxes = new Inboxes({ ...subscription, task, service, processes, logs, lifeMs: inboxLifeMs });
    await inboxes.start();
    const newTask = (number: number): WorkerTask => {
      const { clocks } = plan;
      return { ...task, accountIds, leaseMs, settleMs, clocks, number, log: join(logs, `worker-${number}.log`) };
    };
    const { kills, restarts } = await publishAll(plan, processes, newTask);
    service.faults.clear();
    const publisher = createPublisher({ client, store, leaseMs, settleMs });
    await settle(publisher, plan.say);
    plan.say?.('the inboxes catch up');
    await inboxes.settle(store);
    const intents: Intent[] = [];
    for await (const intent of publisher.list()) intents.push(intent);
    const counted = countIntents(plan.intents, intents, service.posts, readSteps(logs));
    const events = await inboxes.count(store);
    return { ...counted, ...events, kills, restarts, seconds: (performance.now() - started) / 1000 };
  } finally {
    inboxes?.stop();
    await store.close?.();
    await served.close();
    rmSync(logs, { recursive: true, force: true });
  }
}

/** Creates the service: it loses replies and deliveries, publishes on one account, and fails on the other. */
export function newService({ lostReplies, lostDeliveries }: ServiceFaults) {
  const service = createEmulator({
    now: () => Date.now(),
    retryDelayMs,
    deliveryConcurrency: 8,
    deliveryTimeoutMs: 2_000,
  });
  const accountIds = ['acme', 'acme-closed'].map(
    (username) => service.seed.integration({ platform: 'bluesky', username }).id,
  );
  service.publishing.outcome({ accountId: accountIds[1], error: 'media rejected' });
  service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/posts/', probability: lostReplies });
  service.deliveryFaults.add({ kind: 'lost', probability: lostDeliveries });
  for (const kind of ['duplicate', 'concurrent', 'reorder'] as const) {
    service.deliveryFaults.add({ kind, probability: 0.05 });
  }
  return { service, accountIds };
}

export async function subscribe(client: SocialPublishing): Promise<{ secret: string; port: number }> {
  const port = await freePort();
  const { webhook } = await client.notifications.create({
    channel: 'webhook',
    eventTypes: ['post.published', 'post.partial', 'post.failed'],
    webhook: { url: `http://127.0.0.1:${port}/` },
  });
  return { secret: webhook?.secret ?? '', port };
}

/**
 * Passes batches to the processes, and passes the batch of a killed process again. Each restart comes in the middle of
 * its part of the intents; the next part waits for its end.
 */
export async function publishAll(plan: PublishingPlan, processes: Processes, newTask: (number: number) => WorkerTask) {
  const numbers = Array.from({ length: plan.intents }, (_, i) => i);
  const planned = plan.restart === undefined ? 0 : plan.restarts;
  const part = Math.ceil(plan.intents / Math.max(planned, 1));
  const left = numbers.splice(0, part);
  const workers = new Set<Worker>();
  const spares: Worker[] = [];
  let [startedWorkers, kills, restarts, done] = [0, 0, 0, 0];
  const isOver = () => done >= plan.intents;
  let sweepAt = 0;
  // Starts the next process before it is needed; otherwise most of the time would pass without a process.
  const { killEveryMs } = plan;
  const newWorker = () => new Worker(processes, newTask((startedWorkers += 1)));
  const spareCount = killEveryMs === undefined ? 0 : plan.processes * 2;
  const nextWorker = () => {
    const worker = spares.shift() ?? newWorker();
    while (spares.length < spareCount) spares.push(newWorker());
    return worker;
  };

  const killing = (async () => {
    while (!isOver() && killEveryMs !== undefined) {
      await sleep(killEveryMs);
      // Spares processes that have published nothing yet: on a busy machine, otherwise none would make progress.
      const alive = [...workers].filter(({ published }) => published > 0);
      const victim = alive[Math.floor(Math.random() * alive.length)];
      if (victim === undefined) continue;
      victim.kill();
      kills += 1;
    }
  })();
  const restarting = (async () => {
    while (!isOver() && restarts < planned) {
      await sleep(100);
      if (done < (restarts + 0.5) * part) continue;
      restarts += 1;
      plan.say?.(`${done} done: the store's server is lost`);
      await plan.restart?.();
      plan.say?.(`${done} done: another one has replaced it`);
      left.push(...numbers.splice(0, part));
    }
  })();
  const slot = async () => {
    while (!isOver()) {
      const worker = nextWorker();
      await worker.ready;
      workers.add(worker);
      while (!worker.killed && !isOver()) {
        if (left.length === 0) {
          // A batch in progress may come back.
          await sleep(20);
          continue;
        }
        const unpublished = new Set(left.splice(0, batch));
        await worker.order({ publish: [...unpublished] }, (number) => {
          if (unpublished.delete(number)) done += 1;
        });
        left.push(...unpublished);
        if (performance.now() < sweepAt) continue;
        sweepAt = performance.now() + sweepEveryMs;
        await worker.order({ sweep: batch });
      }
      workers.delete(worker);
      worker.kill();
    }
  };
  const telling = setInterval(() => plan.say?.(`${done} of ${plan.intents} done, ${kills} processes killed`), 10_000);
  await Promise.all(Array.from({ length: plan.processes }, slot));
  clearInterval(telling);
  await Promise.all([killing, restarting]);
  for (const worker of spares) worker.kill();
  return { kills, restarts };
}

/** After the last crash, no intent may stay in progress: each is resolved or held. */
export async function settle(publisher: Publisher, say: ChaosPlan['say']): Promise<void> {
  await sleep(leaseMs);
  const giveUpAt = performance.now() + 300_000;
  for (;;) {
    const swept = await publisher.sweep({ limit: 100 });
    if (swept.length > 0) continue;
    let open = 0;
    for (const state of ['ready', 'sending'] as const) {
      for await (const intent of publisher.list({ state })) {
        await publisher.resume(intent.key);
        open += 1;
      }
    }
    say?.(`settling: ${open} still ready or sending`);
    if (open === 0 || performance.now() > giveUpAt) break;
    await sleep(500);
  }
  // Searches after settleMs read further back than the window.
  for (let round = 0; round < 2; round += 1) {
    await sleep(settleMs);
    const doubtful: string[] = [];
    for await (const { key } of publisher.list({ state: 'in_doubt' })) doubtful.push(key);
    await Promise.all(doubtful.map((key) => publisher.resume(key)));
  }
}
