/**
 * Processes both queues. Start and kill any number of workers.
 *
 * npx tsx examples/pg-boss/worker.ts
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from 'pg-boss';
import type { InboxEvent } from 'social-publishing/webhooks';
import { boss, close, leaseMs, open, publisher } from './app.js';

await open();
const options = { pollingIntervalSeconds: 0.5, localConcurrency: 8 };

await boss.work('intents', options, async ([job]: Job<{ key: string }>[]) => {
  if (job === undefined) return undefined;
  const { state } = await publisher.resume(job.data.key);
  // Send later (429), or another worker has or had this intent: pg-boss runs the job again.
  if (state === 'ready' || state === 'sending') throw new Error(`${job.data.key} is ${state}`);
  // 'in_doubt' and 'rejected' need a decision or the sweep: running the job again would not help.
  return state;
});

await boss.work('events', options, async ([job]: Job<InboxEvent>[]) => {
  if (job === undefined) return;
  const intent = await publisher.observe(job.data);
  console.log(job.data.type, job.data.id, intent?.key);
});

// The sweep finishes work without a job: workers that died between two steps, expired jobs, doubts that time resolves.
const stop = new AbortController();
const sweeping = sweepUntil(stop.signal);

process.on('SIGTERM', () => {
  stop.abort();
  void sweeping.then(close);
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
