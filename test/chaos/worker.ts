/**
 * One process of a chaos run. It publishes, sweeps, and appends each request and reply to a file, so the file shows its
 * progress when it was killed. Argument: a {@link WorkerTask} as JSON.
 */
import { openSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { SocialPublishing, SocialPublishingError } from '../../src/index.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import { openStore, type StoreSpec } from '../stores/open-store.js';
import { bodyOf, keyOf } from './campaign.js';

export interface WorkerTask {
  readonly spec: StoreSpec;
  readonly baseUrl: string;
  /** As in `bodyOf`. */
  readonly accountIds: readonly string[];
  readonly log: string;
  readonly leaseMs: number;
  readonly settleMs: number;
  readonly clocks: 'equal' | 'apart' | 'jumping';
  readonly number: number;
}

/** An order to a worker: publish these numbers, or sweep once. */
export type WorkerOrder = { readonly publish: readonly number[] } | { readonly sweep: number };

/** A message of a worker: it is ready, it published a number, or it finished an order as far as possible. */
export type WorkerNews = 'ready' | 'ended' | { readonly published: number };

/** The number of concurrent publish calls. */
const concurrency = 8;

async function main(): Promise<void> {
  const task = JSON.parse(process.argv[2] ?? '') as WorkerTask;
  const log = openSync(task.log, 'a');
  const store = await openStore(task.spec);
  const client = new SocialPublishing({
    baseUrl: task.baseUrl,
    accessKey: 'test-key',
    timeoutMs: 10_000,
    fetch: async (input, init) => {
      const { content } = (typeof init.body === 'string' ? JSON.parse(init.body) : {}) as { content?: string };
      if (content === undefined) return fetch(input, init);
      writeSync(log, `${content} request\n`);
      const reply = await fetch(input, init);
      if (reply.ok) writeSync(log, `${content} replied\n`);
      return reply;
    },
  });
  const publisher = createPublisher({
    client,
    store,
    leaseMs: task.leaseMs,
    settleMs: task.settleMs,
    now: clockOf(task),
  });

  const tell = (news: WorkerNews) => process.send?.(news);
  const publish = async (numbers: readonly number[]): Promise<void> => {
    const left = [...numbers];
    const work = async () => {
      for (let number = left.pop(); number !== undefined; number = left.pop()) {
        try {
          await publisher.publish(keyOf(number), bodyOf(number, task.accountIds));
          tell({ published: number });
        } catch (error) {
          complain(error);
        }
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  };
  process.on('message', (order: WorkerOrder) => {
    const carriedOut = 'publish' in order ? publish(order.publish) : publisher.sweep({ limit: order.sweep });
    void carriedOut.catch(complain).then(() => {
      // Caches compiled code for later processes, if Node supports it.
      (flushCompileCache as (() => void) | undefined)?.();
      tell('ended');
    });
  });
  process.on('disconnect', () => process.exit());
  tell('ready');
}

/** Returns a clock that is up to an hour off: by the number of the process, or at random every 300 ms. */
function clockOf({ clocks, number }: WorkerTask): () => number {
  const hour = 3_600_000;
  let offMs = clocks === 'equal' ? 0 : ((number % 5) - 2) * (hour / 2);
  if (clocks === 'jumping') {
    setInterval(() => {
      offMs = Math.random() < 0.5 ? 0 : (Math.random() * 2 - 1) * hour;
    }, 300).unref();
  }
  return () => Date.now() + offMs;
}

/** A store whose server restarts fails for a while; the order is given again. */
function complain(error: unknown): void {
  if (error instanceof SocialPublishingError && error.outcome === 'unknown') return;
  console.error(error);
}

void main();
