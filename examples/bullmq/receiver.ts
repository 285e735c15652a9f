/**
 * Receives the webhook: the inbox stores each event, replies, and adds it to the event queue.
 *
 * WEBHOOK_SECRET=whsec_... PORT=3000 npx tsx examples/bullmq/receiver.ts
 */
import { createServer } from 'node:http';
import { createWebhookInbox, type CatchUpQuery } from 'social-publishing/webhooks';
import { client, close, events, jobOf, leaseMs, store } from './app.js';

const inbox = createWebhookInbox({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  leaseMs,
  // The handler only queues the event: the queue retries from now on.
  on: { default: (event) => events.add(event.type, event, jobOf(event.id)) },
});
const server = createServer((request, response) => void inbox.node(request, response));
const running = inbox.start();
const stop = new AbortController();
process.on('SIGTERM', () => {
  stop.abort();
  server.close();
  void running.stop().then(close);
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
    pauseMs = leaseMs;
  }
  if (!stop.signal.aborted) setTimeout(() => void catchUp(), pauseMs).unref();
}
void catchUp();
