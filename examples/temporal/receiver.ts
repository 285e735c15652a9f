/**
 * Receives the webhook: the inbox stores each event, replies, and wakes the workflow of its post.
 *
 * WEBHOOK_SECRET=whsec_... PORT=3000 npx tsx examples/temporal/receiver.ts
 */
import { createServer } from 'node:http';
import { WorkflowNotFoundError } from '@temporalio/client';
import { createWebhookInbox, type CatchUpQuery } from 'social-publishing/webhooks';
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
const stop = new AbortController();
process.on('SIGTERM', () => {
  stop.abort();
  server.close();
  void running.stop().then(async () => {
    await temporal.connection.close();
    await pool.end();
  });
});
server.listen(Number(process.env.PORT ?? 3000), () => {
  console.log('listening', server.address());
});

// The service tries three times to deliver an event. Finds the posts of lost events at every start, and each hour. An
// early time does no harm: a day is more than an outage or a deploy takes.
const dayAgo = () => new Date(Date.now() - 24 * 3_600_000);
let since = dayAgo();
const posts = { list: (query: CatchUpQuery) => client.posts.list(query, { signal: stop.signal }) };
/** Deliveries arrive meanwhile. If the service cannot be listed, it tries again with the same time. */
async function catchUp(): Promise<void> {
  const next = dayAgo();
  let pauseMs = 3_600_000;
  try {
    await inbox.catchUp({ client: { posts }, since });
    since = next;
  } catch (error) {
    if (stop.signal.aborted) return;
    console.error(`could not catch up, and will try again: ${error instanceof Error ? error.message : String(error)}`);
    pauseMs = 60_000;
  }
  if (!stop.signal.aborted) setTimeout(() => void catchUp(), pauseMs).unref();
}
void catchUp();
