/**
 * Works off both queues. Start as many as you like, and kill them as you like.
 *
 *     npx tsx examples/pg-boss/worker.ts
 */
import type { Job } from 'pg-boss';
import type { InboxEvent } from 'social-publishing/webhooks';
import { boss, close, leaseMs, open, publisher } from './app.js';

await open();
const options = { pollingIntervalSeconds: 0.5, localConcurrency: 8 };

await boss.work('intents', options, async ([job]: Job<{ key: string }>[]) => {
  if (job === undefined) return undefined;
  const { state } = await publisher.resume(job.data.key);
  // To be sent later (429), or another worker is at it, or was when it died: pg-boss comes back to the job.
  if (state === 'ready' || state === 'sending') throw new Error(`${job.data.key} is ${state}`);
  // 'in_doubt' and 'rejected' need a person, or the sweep: to run the job again would not help.
  return state;
});

await boss.work('events', options, async ([job]: Job<InboxEvent>[]) => {
  if (job === undefined) return;
  const intent = await publisher.observe(job.data);
  console.log(job.data.type, job.data.id, intent?.key);
});

// What no job brings to its end: workers that died between two steps, jobs that have expired, doubts that time settles.
const sweeping = setInterval(() => void publisher.sweep().catch(console.error), leaseMs);

process.on('SIGTERM', () => {
  clearInterval(sweeping);
  void close();
});
console.log('working');
