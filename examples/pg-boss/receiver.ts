/**
 * Receives the webhook: the inbox writes each event down, answers, and hands it to the queue of events.
 *
 *     WEBHOOK_SECRET=whsec_... PORT=3000 npx tsx examples/pg-boss/receiver.ts
 */
import { createServer } from 'node:http';
import { createWebhookInbox, type CatchUpQuery } from 'social-publishing/webhooks';
import { boss, client, close, jobOf, leaseMs, open, store } from './app.js';

await open();
const inbox = createWebhookInbox({
  secret: process.env.WEBHOOK_SECRET ?? '',
  store,
  leaseMs,
  // All that a handler does here: the queue retries from now on.
  on: { default: (event) => boss.send('events', event, jobOf(event.id)) },
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

// What became final while nobody listened. At every start; an hour is more than a deploy takes.
const since = new Date(Date.now() - 3_600_000);
const posts = { list: (query: CatchUpQuery) => client.posts.list(query, { signal: stop.signal }) };
/** Deliveries come in meanwhile: where the service can't be listed, it is tried again. */
async function catchUp(): Promise<void> {
  try {
    await inbox.catchUp({ client: { posts }, since });
  } catch (error) {
    if (stop.signal.aborted) return;
    console.error(`could not catch up, and will try again: ${error instanceof Error ? error.message : String(error)}`);
    setTimeout(() => void catchUp(), leaseMs).unref();
  }
}
void catchUp();
