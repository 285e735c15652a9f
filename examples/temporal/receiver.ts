/**
 * Receives the webhook: the inbox stores each event, replies, and wakes the workflow of its post.
 *
 * WEBHOOK_SECRET=whsec_... PORT=3000 npx tsx examples/temporal/receiver.ts
 */
import { createServer } from 'node:http';
import { WorkflowNotFoundError } from '@temporalio/client';
import { createWebhookInbox } from 'social-publishing/webhooks';
import { client, connect, leaseMs, pool, publisher, store } from './app.js';
import { changed } from './workflows.js';

const temporal = await connect();
const inbox = createWebhookInbox({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  leaseMs,
  on: {
    default: async (event) => {
      const intent = await publisher.observe(event);
      if (intent !== undefined) await wake(intent.key);
    },
  },
});

/** A workflow that has ended, or that enqueue.ts did not start, needs no signal. */
async function wake(key: string): Promise<void> {
  try {
    await temporal.workflow.getHandle(key).signal(changed);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

const server = createServer((request, response) => void inbox.node(request, response));
const running = inbox.start();
process.on('SIGTERM', () => {
  server.close();
  void running.stop().then(async () => {
    await temporal.connection.close();
    await pool.end();
  });
});
server.listen(Number(process.env.PORT ?? 3000), () => {
  console.log('listening', server.address());
});

// Catches up on posts that became final during downtime, at every start. One hour is more than a deploy takes.
const since = new Date(Date.now() - 3_600_000);
/** Deliveries arrive meanwhile. If the service cannot be listed, it tries again. */
async function catchUp(): Promise<void> {
  try {
    await inbox.catchUp({ client, since });
  } catch (error) {
    console.error(`could not catch up, and will try again: ${error instanceof Error ? error.message : String(error)}`);
    setTimeout(() => void catchUp(), 60_000).unref();
  }
}
void catchUp();
