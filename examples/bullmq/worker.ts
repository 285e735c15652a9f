/**
 * Processes both queues. Start and kill any number of workers.
 *
 * npx tsx examples/bullmq/worker.ts
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'bullmq';
import type { InboxEvent } from 'social-publishing/webhooks';
import { bull, close, events, intents, leaseMs, publisher } from './app.js';

const options = { ...bull, lockDuration: leaseMs, stalledInterval: leaseMs, maxStalledCount: 100 };

const publishing = new Worker<{ key: string }>(
  intents.name,
  async ({ data: { key } }) => {
    const { state } = await publisher.resume(key);
    // Send later (429), or another worker has or had this intent: BullMQ runs the job again.
    if (state === 'ready' || state === 'sending') throw new Error(`${key} is ${state}`);
    // 'in_doubt' and 'rejected' need a decision or the sweep: running the job again would not help.
    return state;
  },
  { ...options, concurrency: 8 },
);

const observing = new Worker<InboxEvent>(
  events.name,
  async ({ data: event }) => {
    const intent = await publisher.observe(event);
    console.log(event.type, event.id, intent?.key);
  },
  { ...options, concurrency: 4 },
);

// The sweep finishes work without a job: workers that died between two steps, jobs that Redis lost, doubts that time
// resolves.
const stop = new AbortController();
const sweeping = sweepUntil(stop.signal);

for (const worker of [publishing, observing]) {
  worker.on('error', (error) => {
    console.error(error.message);
  });
}
process.on('SIGTERM', () => {
  stop.abort();
  void Promise.all([publishing.close(), observing.close(), sweeping]).then(close);
});
console.log('working');

/** Ends at once on SIGTERM, also while it waits for a service that is down. */
async function sweepUntil(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await publisher.sweep({ signal }).catch((error: unknown) => {
      if (!signal.aborted) console.error(error);
    });
    await sleep(leaseMs, undefined, { signal }).catch(() => undefined);
  }
}
