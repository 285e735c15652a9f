/**
 * Runs workflows and activities. Start and kill any number of workers.
 *
 * npx tsx examples/temporal/worker.ts
 */
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import * as activities from './activities.js';
import { leaseMs, pool, publisher, store, taskQueue, temporalAddress } from './app.js';

await store.setup();
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: temporalAddress }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
  activities,
  maxConcurrentActivityTaskExecutions: 8,
});

// The sweep sends intents without a workflow: enqueue.ts was killed between the two.
const sweeping = setInterval(() => void publisher.sweep().catch(console.error), leaseMs);
await worker.run(); // until SIGTERM
clearInterval(sweeping);
await pool.end();
