/**
 * Processes both queues. Start and kill any number of workers.
 *
 * npx tsx examples/pg-boss/worker.ts
 */
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
const sweeping = setInterval(() => void publisher.sweep().catch(console.error), leaseMs);

process.on('SIGTERM', () => {
  clearInterval(sweeping);
  void close();
});
console.log('working');
