import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEmulator } from '../../src/emulator/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { SocialPublishing } from '../../src/index.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import type { Intent } from '../../src/publisher/view.js';
import { openStore, type StoreSpec } from '../../test/stores/open-store.js';
import type { WorkerTask } from './worker.js';
import { buildWorker, Worker } from './workers.js';

/** How much chaos. */
export interface ChaosPlan {
  readonly spec: StoreSpec;
  readonly intents: number;
  readonly processes: number;
  /** One of the processes is killed each time this has passed. */
  readonly killEveryMs: number;
  /** How likely the reply to a create is lost after the post was made. */
  readonly lostReplies: number;
  /** Kills the store's server and starts it again; how often, spread over the run. */
  readonly restarts: number;
  readonly restart?: () => Promise<void>;
  readonly say?: (line: string) => void;
}

/** What came of it. */
export interface ChaosResult {
  readonly intents: number;
  readonly posts: number;
  /** Posts beyond the first of an intent. */
  readonly doubles: number;
  /** Intents that have a post which is not theirs, or none although they say so. */
  readonly wrong: number;
  /** Intents in doubt, by the last step that their process came to. */
  readonly held: Readonly<Record<string, number>>;
  /** Held although there is a post. */
  readonly heldWithPost: number;
  /** Neither accepted nor held. */
  readonly open: number;
  /** Sends beyond the first of an intent: only where the one before was proved not sent. */
  readonly resent: number;
  /** Intents whose reply nobody read: their post was found in the list. */
  readonly found: number;
  readonly kills: number;
  readonly restarts: number;
  readonly seconds: number;
}

/** How many intents a process is handed at once. */
const batch = 40;
const leaseMs = 2_000;

/** Publishes by processes that are killed all the time, and counts the posts. */
export async function runChaos(plan: ChaosPlan): Promise<ChaosResult> {
  const started = performance.now();
  mkdirSync('.tmp/chaos', { recursive: true });
  await buildWorker();
  const logs = mkdtempSync(join(tmpdir(), 'social-publishing-chaos-'));
  const service = createEmulator({ now: () => Date.now() });
  const accountId = service.seed.integration({ platform: 'bluesky', username: 'acme' }).id;
  service.faults.add({ kind: 'reset_after_commit', route: 'POST /v1/posts/', probability: plan.lostReplies });
  const served = await serveEmulator(service, { realTime: true });
  const store = await openStore(plan.spec);
  try {
    await store.setup?.();
    const newTask = (number: number): WorkerTask => {
      return { spec: plan.spec, baseUrl: served.url, accountId, leaseMs, log: join(logs, `${number}.log`) };
    };
    const { kills, restarts } = await publishAll(plan, newTask);
    service.faults.clear();
    const client = new SocialPublishing({ baseUrl: served.url, accessKey: 'test-key' });
    const publisher = createPublisher({ client, store, leaseMs });
    await settle(plan, publisher);
    const intents: Intent[] = [];
    for await (const intent of publisher.list()) intents.push(intent);
    const counted = count(plan, intents, service.posts, readSteps(logs));
    return { ...counted, kills, restarts, seconds: (performance.now() - started) / 1000 };
  } finally {
    await store.close?.();
    await served.close();
    rmSync(logs, { recursive: true, force: true });
  }
}

/** Hands batches to the processes, and hands out again what a process died of. */
async function publishAll(plan: ChaosPlan, newTask: (number: number) => WorkerTask) {
  const left = Array.from({ length: plan.intents }, (_, i) => i);
  const workers = new Set<Worker>();
  const spares: Worker[] = [];
  let [startedWorkers, kills, restarts, done] = [0, 0, 0, 0];
  const isOver = () => done >= plan.intents;
  // The next process is started before it is needed, or most of the time would go by without any.
  const spare = () => spares.push(new Worker(newTask((startedWorkers += 1))));
  for (let i = 0; i < plan.processes * 2; i += 1) spare();

  const killing = (async () => {
    while (!isOver()) {
      await sleep(plan.killEveryMs);
      // One that has published nothing yet may be this busy machine's only hope to get on.
      const alive = [...workers].filter(({ published }) => published > 0);
      const victim = alive[Math.floor(Math.random() * alive.length)];
      if (victim === undefined) continue;
      victim.kill();
      kills += 1;
    }
  })();
  const restarting = (async () => {
    while (!isOver() && restarts < plan.restarts && plan.restart !== undefined) {
      await sleep(100);
      if (done < ((restarts + 1) * plan.intents) / (plan.restarts + 1)) continue;
      restarts += 1;
      plan.say?.(`${done} done: the store's server is killed and starts again`);
      await plan.restart();
    }
  })();
  const slot = async () => {
    while (!isOver()) {
      if (left.length === 0) {
        // What others are about to publish may come back.
        await sleep(20);
        continue;
      }
      const worker = spares.shift() ?? new Worker(newTask((startedWorkers += 1)));
      spare();
      await worker.ready;
      workers.add(worker);
      while (!worker.killed && left.length > 0) {
        const unpublished = new Set(left.splice(0, batch));
        await worker.order({ publish: [...unpublished] }, (number) => {
          if (unpublished.delete(number)) done += 1;
        });
        left.push(...unpublished);
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

/** After the last crash nothing may stay under way: what can be found is found, the rest is held. */
async function settle(plan: ChaosPlan, publisher: ReturnType<typeof createPublisher>): Promise<void> {
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
    plan.say?.(`settling: ${open} still ready or sending`);
    if (open === 0 || performance.now() > giveUpAt) return;
    await sleep(500);
  }
}

/** The last step of each key, as far as its processes came. */
function readSteps(folder: string): Map<string, string[]> {
  const steps = new Map<string, string[]>();
  for (const file of readdirSync(folder)) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      const [key = '', step = ''] = line.split(' ');
      if (step !== '') steps.set(key, [...(steps.get(key) ?? []), step]);
    }
  }
  return steps;
}

type Counted = Omit<ChaosResult, 'kills' | 'restarts' | 'seconds'>;

function count(
  plan: ChaosPlan,
  intents: readonly Intent[],
  posts: readonly { readonly postId: string; readonly content?: string | undefined }[],
  steps: ReadonlyMap<string, readonly string[]>,
): Counted {
  const byContent = new Map<string, string[]>();
  for (const { postId, content = '' } of posts) byContent.set(content, [...(byContent.get(content) ?? []), postId]);
  const held: Record<string, number> = {};
  let [doubles, wrong, heldWithPost, open, resent, found] = [0, 0, 0, 0, 0, 0];
  for (const ids of byContent.values()) doubles += ids.length - 1;
  for (const { key, state, postId, attempts } of intents) {
    const own = byContent.get(key) ?? [];
    const came = steps.get(key) ?? [];
    resent += Math.max(0, attempts - 1);
    if (postId !== undefined) {
      if (!own.includes(postId)) wrong += 1;
      if (!came.includes('replied')) found += 1;
    } else if (state === 'in_doubt') {
      const sentTo = came.includes('replied') ? 'reply read' : 'marked, request not received';
      held[sentTo] = (held[sentTo] ?? 0) + 1;
      if (own.length > 0) heldWithPost += 1;
    } else open += 1;
  }
  open += plan.intents - intents.length;
  for (const key of byContent.keys()) if (!intents.some((intent) => intent.key === key)) wrong += 1;
  return { intents: plan.intents, posts: posts.length, doubles, wrong, held, heldWithPost, open, resent, found };
}
