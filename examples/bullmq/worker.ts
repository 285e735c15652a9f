/**
 * Processes both queues. Start and kill any number of workers.
 *
 * npx tsx examples/bullmq/worker.ts
 */
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
const sweeping = setInterval(() => void publisher.sweep().catch(console.error), leaseMs);

for (const worker of [publishing, observing]) {
  worker.on('error', (error) => {
    console.error(error.message);
  });
}
process.on('SIGTERM', () => {
  clearInterval(sweeping);
  void Promise.all([publishing.close(), observing.close()]).then(close);
});
console.log('working');
