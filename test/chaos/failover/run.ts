import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';
import type { Emulator } from '../../../src/emulator/index.js';
import { SocialPublishing } from '../../../src/index.js';
import { createPublisher } from '../../../src/publisher/create-publisher.js';
import type { Intent } from '../../../src/publisher/intents/intent-record.js';
import type { Publisher } from '../../../src/publisher/publisher.js';
import type { DurableStore } from '../../../src/stores/store.js';
import { openStore, type StoreSpec } from '../../stores/open-store.js';
import { buildPrograms } from '../build.js';
import { bodyOf, keyOf } from '../campaign.js';
import { countIntents, readSteps, type CountedIntents } from '../count.js';
import { Inboxes, type HandledEvents } from '../inboxes.js';
import { Processes } from '../processes.js';
import { leaseMs, newService, publishAll, settle, settleMs, subscribe } from '../run.js';
import type { WorkerTask } from '../worker.js';

/** A store whose server, or machine, can be lost. */
export interface LosableStore {
  readonly spec: StoreSpec;
  /** More variables of the environment of the processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Is called before the processes start. No program has the store open. */
  readonly begin?: () => void;
  /** Loses the server or the machine, and returns when another one has replaced it. */
  readonly fail: (processes: Processes) => Promise<void>;
}

export interface FailoverPlan extends LosableStore {
  readonly intents: number;
  readonly failovers: number;
  readonly say: (line: string) => void;
}

/** What the store had after the last failover, compared with the service. */
interface Lost {
  /** Intents that the store does not have, although it had acknowledged them. */
  readonly keys: number;
  /** Intents that are `ready`, although a post exists: their mark was lost. */
  readonly marks: number;
}

interface Doubled {
  /** By processes that ran on: they repeated a call that had failed. */
  readonly running: number;
  /** By a sweep afterwards, because the mark was lost. */
  readonly swept: number;
  /** By a program that published all keys again. */
  readonly repeated: number;
}

export interface FailoverResult extends CountedIntents, HandledEvents {
  readonly failovers: number;
  readonly lostIntents: Lost;
  readonly doubled: Doubled;
  readonly seconds: number;
}

/**
 * Publishes and receives while the store fails over. Then it sweeps, publishes all keys again, and counts. Of all
 * intents, the odd ones were enqueued before, so their mark replaces a record that exists.
 */
export async function runFailover(plan: FailoverPlan): Promise<FailoverResult> {
  const started = performance.now();
  mkdirSync('.tmp/chaos', { recursive: true });
  await buildPrograms(plan.spec.kind);
  const logs = mkdtempSync(join(tmpdir(), 'social-publishing-failover-'));
  const { service, accountIds } = newService({ lostReplies: 0.1, lostDeliveries: 0 });
  const served = await serveEmulator(service, { realTime: true });
  const client = new SocialPublishing({ baseUrl: served.url, accessKey: 'test-key' });
  const processes = new Processes(plan.env);
  const numbers = Array.from({ length: plan.intents }, (_, i) => i);
  let inboxes: Inboxes | undefined;
  try {
    const publishedBy = async <T>(work: (publisher: Publisher, store: DurableStore) => Promise<T>): Promise<T> => {
      const store = await openStore(plan.spec);
      try {
        await store.setup?.();
        return await work(createPublisher({ client, store, leaseMs, settleMs }), store);
      } finally {
        await store.close?.();
      }
    };
    await publishedBy((publisher) =>
      inParallel(numbers.filter(isEnqueued), (number) => publisher.enqueue(keyOf(number), bodyOf(number, accountIds))),
    );
    plan.begin?.();
    const task = { spec: plan.spec, baseUrl: served.url };
    inboxes = new Inboxes({ ...(await subscribe(client)), task, service, processes, logs });
    await inboxes.start();
    const taskOf = (number: number): WorkerTask => {
      const log = join(logs, `worker-${number}.log`);
      return { ...task, accountIds, leaseMs, settleMs, clocks: 'equal', number, log };
    };
    const { intents, failovers, say } = plan;
    const restart = () => plan.fail(processes);
    await publishAll({ intents, processes: 4, restarts: failovers, restart, say }, processes, taskOf);
    service.faults.clear();
    const running = doublesOf(service);
    return await publishedBy(async (publisher, store) => {
      plan.say('the store and the service are compared');
      const lostIntents = await compare(publisher, service, plan.intents);
      while ((await publisher.sweep({ limit: 100 })).length > 0);
      const swept = doublesOf(service) - running;
      plan.say('all keys are published again');
      await inParallel(numbers, (number) => publisher.publish(keyOf(number), bodyOf(number, accountIds)));
      const repeated = doublesOf(service) - swept - running;
      await settle(publisher, plan.say);
      plan.say('the inboxes catch up');
      await inboxes?.settle(store);
      const intents = await listed(publisher);
      const counted = countIntents(plan.intents, intents, service.posts, readSteps(logs));
      const events = (await inboxes?.count(store)) as HandledEvents;
      const seconds = (performance.now() - started) / 1000;
      const { failovers } = plan;
      return { ...counted, ...events, failovers, lostIntents, doubled: { running, swept, repeated }, seconds };
    });
  } finally {
    inboxes?.stop();
    await served.close();
    rmSync(logs, { recursive: true, force: true });
  }
}

const isEnqueued = (number: number): boolean => number % 2 === 1;

async function compare(publisher: Publisher, { posts }: Emulator, wanted: number): Promise<Lost> {
  await sleep(leaseMs);
  // Finds the posts of intents in doubt.
  while ((await publisher.sweep({ limit: 100, send: false })).length === 100);
  const intents = await listed(publisher);
  const published = new Set(posts.map(({ content }) => content));
  const marks = intents.filter(({ key, state }) => state === 'ready' && published.has(key)).length;
  return { keys: wanted - intents.length, marks };
}

function doublesOf({ posts }: Emulator): number {
  return posts.length - new Set(posts.map(({ content }) => content)).size;
}

async function listed(publisher: Publisher): Promise<Intent[]> {
  const intents: Intent[] = [];
  for await (const intent of publisher.list()) intents.push(intent);
  return intents;
}

async function inParallel(numbers: readonly number[], work: (number: number) => Promise<unknown>): Promise<void> {
  const left = [...numbers];
  const one = async () => {
    for (let number = left.pop(); number !== undefined; number = left.pop()) await work(number);
  };
  await Promise.all(Array.from({ length: 8 }, one));
}
