/**
 * One process of a chaos run. It publishes, sweeps, and writes each request and each reply into a file, so that the
 * file shows how far it was when it was killed. Argument: what {@link WorkerTask} says, as JSON.
 */
import { openSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { SocialPublishing, SocialPublishingError } from '../../src/index.js';
import { createPublisher } from '../../src/publisher/create-publisher.js';
import { openStore, type StoreSpec } from '../../test/stores/open-store.js';

export interface WorkerTask {
  readonly spec: StoreSpec;
  readonly baseUrl: string;
  /** Two: one on which all is published, and one on which nothing is. */
  readonly accountIds: readonly string[];
  readonly log: string;
  readonly leaseMs: number;
  readonly settleMs: number;
  readonly clocks: 'equal' | 'apart' | 'jumping';
  readonly number: number;
}

/** What a worker is told: to publish these numbers, or to sweep once. */
export type WorkerOrder = { readonly publish: readonly number[] } | { readonly sweep: number };

/** What it tells: that it is there, that it published a number, or that an order is carried out as far as it went. */
export type WorkerNews = 'ready' | 'ended' | { readonly published: number };

/** How many publish calls are under way at once. */
const concurrency = 8;

export const keyOf = (number: number): string => `chaos/${String(number).padStart(6, '0')}`;

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
  const bodyOf = (number: number) => ({
    content: keyOf(number),
    publishNow: true as const,
    // Some of one kind, some of the other, some of both: published, failed and partial.
    platforms: task.accountIds
      .filter((_, i) => number % 10 === 2 || (number % 10 === 1) === (i === 1))
      .map((accountId) => ({ platform: 'bluesky' as const, accountId })),
  });

  const tell = (news: WorkerNews) => process.send?.(news);
  const publish = async (numbers: readonly number[]): Promise<void> => {
    const left = [...numbers];
    const work = async () => {
      for (let number = left.pop(); number !== undefined; number = left.pop()) {
        try {
          await publisher.publish(keyOf(number), bodyOf(number));
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
      // What was compiled is compiled once for all processes that come after, where Node can keep it.
      (flushCompileCache as (() => void) | undefined)?.();
      tell('ended');
    });
  });
  process.on('disconnect', () => process.exit());
  tell('ready');
}

/** Up to an hour off: by the number of the process, or by chance every 300 ms. */
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

/** A store whose server starts again fails for a while: whoever gave the order gives it again. */
function complain(error: unknown): void {
  if (error instanceof SocialPublishingError && error.outcome === 'unknown') return;
  console.error(error);
}

void main();
