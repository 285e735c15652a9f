/**
 * Runs workflows and activities. Start and kill any number of workers.
 *
 * npx tsx examples/temporal/worker.ts
 */
import { setTimeout as sleep } from 'node:timers/promises';
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
const stop = new AbortController();
const sweeping = sweepUntil(stop.signal);
await worker.run(); // until SIGTERM
stop.abort();
await sweeping;
await pool.end();

/** Ends at once on SIGTERM, also while it waits for a service that is down. */
async function sweepUntil(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await publisher.sweep({ signal }).catch((error: unknown) => {
      if (!signal.aborted) console.error(error);
    });
    await sleep(leaseMs, undefined, { signal }).catch(() => undefined);
  }
}
